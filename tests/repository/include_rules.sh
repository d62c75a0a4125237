#!/bin/sh
# Who may include whom. Usage: include_rules.sh ROOT. Prints each breach; exit 1 when there is one.
#   stack      nothing of ours
#   firmware   stack
#   nic-model  the C++ standard library
#   emulator   nic-model; simavr and libslirp only in .cpp files; in peers/, whose hosts are no chips, stack in .cpp files
#   tests      stack, nic-model, emulator
set -u
cd "$1" || exit 2
found=0
sources() { find "$1" \( -name '*.hpp' -o -name '*.h' -o -name '*.cpp' -o -name '*.c' -o -name '*.S' -o -name '*.inc' \) 2>/dev/null; }

# breach FOLDER PATTERN EXPLANATION [FILES]: no include line of FOLDER may match PATTERN.
breach() {
  files=$(sources "$1")
  [ "${4:-}" = headers ] && files=$(printf '%s\n' "$files" | grep -E '\.(hpp|h|inc)$')
  [ -n "$files" ] || return 0
  # shellcheck disable=SC2086
  lines=$(grep -nHE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($2)" $files)
  [ -n "$lines" ] || return 0
  printf '%s\n' "$lines" | sed "s|\$|   <- $3|"
  found=1
}

breach stack '(\.\./)*(nic-model|emulator|firmware|tests)/' 'stack includes nothing of ours'
breach stack '(simavr|sim_|avr_|slirp|libslirp)' 'stack includes nothing of ours'
breach firmware '(\.\./)*(nic-model|emulator|tests)/' 'firmware includes stack only'
breach nic-model '(\.\./)*(stack|emulator|firmware|tests)/' 'nic-model includes the standard library only'
breach nic-model '(simavr|sim_|slirp|libslirp|fmt|nlohmann|CLI|toml|glib)' 'nic-model includes the standard library only'
breach emulator '(\.\./)*(firmware|tests)/' 'emulator includes nic-model only'
breach emulator '(\.\./)*stack/' 'stack only in .cpp files of emulator/peers' headers
for part in emulator/*; do
  [ "${part##*/}" = peers ] || breach "emulator/${part##*/}" '(\.\./)*stack/' 'stack only in .cpp files of emulator/peers'
done
breach emulator '(simavr|sim_|avr_|slirp|libslirp)' 'simavr and libslirp only in .cpp files' headers
breach tests '(\.\./)*firmware/' 'tests open firmware as files'
# What stands between angle brackets in nic-model is a C++ header: no dot, no slash.
for f in $(sources nic-model); do
  lines=$(grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<[^>]*[./]' "$f") || continue
  printf '%s   <- nic-model includes the standard library only\n' "$lines"
  found=1
done
[ $found -eq 0 ] && echo "include rules: no breach"
exit $found
