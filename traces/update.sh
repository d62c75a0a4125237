#!/bin/sh
# Brings the traces to what the firmware does now: update.sh [BUILD]. One that is as it was stays as it is; one that differs in
# cycles and in numbers that the firmware makes up is rewritten with its inputs kept; one whose frames are others, too, as
# far as the recorded inputs still fit; and one that they do not fit is recorded anew (record.sh).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-build}
cmake --build "$build" --target avrlan firmware record_scripted > /dev/null
for trace in "$here"/*/*.pcapng; do
  name=${trace#"$here"/}
  image=${name#*/}
  elf=$build/firmware/${name%/*}/${image%%.*}.elf
  "$build/bin/avrlan" replay "$trace" "$elf" --any-firmware > /dev/null 2>&1 && continue
  if said=$("$build/bin/avrlan" replay "$trace" "$elf" --update 2>&1 > /dev/null); then
    printf '%s\n' "$said"
  else
    printf '%s\n' "$said" | sed 's/^/  /'
    sh "$here/record.sh" "$build" "${name%.pcapng}"
  fi
done
