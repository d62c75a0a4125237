#!/bin/sh
# Every name that a source of emulator/ reports is one that `avrlan diagnostics` lists. Usage: diagnostic_names.sh ROOT AVRLAN
set -u
known=$("$2" diagnostics | cut -d' ' -f1) || exit 2
missing=0
for name in $(grep -rhoE 'Severity::(note|warning|error), *"[a-z0-9-]+"' "$1/emulator" --include='*.cpp' --include='*.hpp' |
              sed 's/.*"\(.*\)"/\1/' | sort -u); do
  printf '%s\n' "$known" | grep -qxF "$name" && continue
  echo "'$name' is reported but not listed: add it to emulator/board/diagnostic_kinds.hpp"
  missing=1
done
exit $missing
