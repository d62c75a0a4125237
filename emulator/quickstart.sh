#!/bin/sh
# Builds avrlan, boots the web firmware on an emulated Uno with an ENC28J60, and fetches a page from it with curl.
set -eu
cd "$(dirname "$0")/.."
sh emulator/install-packages.sh run
jobs=$(nproc)
log=$(mktemp -d)
step() { # NAME COMMAND...: runs quietly, shows the end of its output when it fails
  name=$1
  shift
  echo "$name ..." >&2
  "$@" > "$log/step" 2>&1 || { tail -n 40 "$log/step" >&2; exit 1; }
}
pid=
finish() {
  [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
  rm -rf "$log"
}
trap finish EXIT
step "configuring" cmake --preset release -DAVRLAN_TESTS=OFF
step "building" cmake --build build --parallel "$jobs" --target avrlan firmware

command="build/bin/avrlan run build/firmware/uno-enc28j60/web.elf --hostfwd tcp:127.0.0.1:0-:80"
echo "\$ $command &"
$command > "$log/uart" 2> "$log/err" &
pid=$!
# The port is printed before the firmware starts; the page can be had when it has its address.
until grep -q '^address' "$log/uart"; do
  kill -0 "$pid" 2>/dev/null || { cat "$log/err" >&2; exit 1; }
  sleep 0.05
done
port=$(sed -n 's/^avrlan: forwarding tcp 127\.0\.0\.1:\([0-9]*\) .*/\1/p' "$log/err")
cat "$log/err"
echo "\$ curl http://127.0.0.1:$port/"
curl --silent --show-error --max-time 60 --retry 10 --retry-all-errors "http://127.0.0.1:$port/"
echo "\$ kill -INT %1"
kill -INT "$pid"
wait "$pid" || [ $? -eq 130 ]
pid=
cat "$log/uart"
sed 1d "$log/err"
