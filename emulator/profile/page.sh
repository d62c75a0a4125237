#!/bin/sh
# What one page of the web image costs: page.sh [BUILD [BOARD]]. Boots it, fetches / with curl, prints the profile.
set -eu
build=${1:-build}
board=${2:-uno-enc28j60}
[ -x "$build/bin/avrlan" ] || { echo "${0##*/}: no $build/bin/avrlan; build first, or name the directory" >&2; exit 64; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/bin/avrlan" run "$build/firmware/$board/web.elf" --board "$board" --hostfwd tcp:127.0.0.1:0-:80 --profile \
  --wall-timeout 60s --out "$work" >"$work/uart" 2>"$work/said" &
avrlan=$!
until grep -q '^address' "$work/uart"; do
  kill -0 $avrlan || { cat "$work/said" >&2; exit 1; }
  sleep 0.1
done
port=$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' "$work/said" | head -n 1)
curl -sS -o "$work/page" "http://127.0.0.1:$port/"
kill -INT $avrlan
wait $avrlan || true
cat "$work/said"
