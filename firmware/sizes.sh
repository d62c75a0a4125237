#!/bin/sh
# Flash and RAM of every image. Usage: sh firmware/sizes.sh [DIR], DIR being where <board>/<image>.elf are.
set -eu
dir=${1:-$(dirname "$0")/../build/firmware}
ls "$dir"/uno-enc28j60/*.elf > /dev/null 2>&1 || { echo "no ELFs in $dir: build the target 'firmware' first, or name their directory" >&2; exit 1; }
echo "| board | image | flash | variables | left for the stack |"
echo "|---|---|---:|---:|---:|"
for elf in "$dir"/*/*.elf; do
  board=$(basename "$(dirname "$elf")")
  case $board in
    uno-*) ram=2048 ;;
    mega-*) ram=8192 ;;
    ethernut1 | mega128-*) ram=4096 ;;
    *) continue ;;
  esac
  avr-size "$elf" | awk -v board="$board" -v image="$(basename "$elf" .elf)" -v ram="$ram" \
    'NR == 2 { printf "| %s | %s | %d | %d | %d |\n", board, image, $1 + $2, $2 + $3, ram - $2 - $3 }'
done
