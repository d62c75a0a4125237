#!/bin/sh
# Changes the engine's cycle numbers one at a time, and shows that the accuracy tests catch each change.
# Usage: mutate.sh [EVERY]: only each EVERY-th mutation (default: all of them). Exit status 1 when one survives.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
every=${1:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile="${CXX:-g++} -std=c++20 -O0 -w -I$work/mutant -I$root $(pkg-config --cflags simavr)"
libraries="-lgtest -lgtest_main -pthread $(pkg-config --libs simavr) -lelf"
engine="core_traits data_space external_memory decoder exact_engine fault mcu simavr_vectors wake_up"
tests="instruction_times_test interrupts_test external_memory_test"
mkdir -p "$work/mutant/emulator/cpu"

avr-gcc -mmcu=atmega2560 -c -I"$here" -o "$work/cells.o" "$here/instruction_times.S"
avr-gcc -mmcu=atmega2560 -nostdlib -Wl,-Ttext=0x1000 -o "$work/cells.elf" "$work/cells.o"
avr-objcopy -O binary -j .text "$work/cells.elf" "$work/cells.bin"
for unit in $tests rig; do $compile "-DAVRLAN_CELLS=\"$work/cells.bin\"" -c -o "$work/$unit.o" "$here/$unit.cpp"; done
for unit in $engine; do
  $compile -c -o "$work/$unit.o" "$root/emulator/cpu/$unit.cpp"
done
build_and_run() {
  # shellcheck disable=SC2046,SC2086
  (cd "$work" && ${CXX:-g++} -o test $(printf '%s.o ' $tests rig $engine) $libraries)
  timeout 60 "$work/test" >"$work/log" 2>&1
}
build_and_run || { cat "$work/log"; echo "the tests fail without any mutation"; exit 2; }

# FILE|NAME|SED EXPRESSION. First the table: every operation that takes a cycle takes one more.
table=emulator/cpu/decoder.hpp
grep -o 'X([a-z_]*, [12], [1-9])' "$root/$table" | sed 's/X(\(.*\), \([12]\), \([1-9]\))/\1 \2 \3/' |
  while read -r name words cycles; do
    echo "$table|$name: $cycles to $((cycles + 1))|s/X($name, $words, $cycles)/X($name, $words, $((cycles + 1)))/"
  done >"$work/mutations"
cat >>"$work/mutations" <<'END'
emulator/cpu/decoder.hpp|taken branch: 1 to 2|s/kTakenBranch = 1;/kTakenBranch = 2;/
emulator/cpu/interpreter.hpp|skip: a cycle a word to none|s/cycles_of(Op::op) + slot->skip)/cycles_of(Op::op))/
emulator/cpu/interpreter.hpp|RCALL: no third byte|s/cycles_of(Op::rcall) + core.wide_pc/cycles_of(Op::rcall)/
emulator/cpu/interpreter.hpp|CALL: no third byte|s/cycles_of(Op::call) + core.wide_pc/cycles_of(Op::call)/
emulator/cpu/interpreter.hpp|ICALL: no third byte|s/cycles_of(Op::icall) + core.wide_pc/cycles_of(Op::icall)/
emulator/cpu/interpreter.hpp|EICALL: no third byte|s/cycles_of(Op::eicall) + core.wide_pc/cycles_of(Op::eicall)/
emulator/cpu/interpreter.hpp|RET: no third byte|s/cycles_of(Op::ret) + core.wide_pc/cycles_of(Op::ret)/
emulator/cpu/interpreter.hpp|RETI: no third byte|s/cycles_of(Op::reti) + core.wide_pc/cycles_of(Op::reti)/
emulator/cpu/exact_engine.cpp|interrupt entry: one less|/::enter_interrupt()/,/^}/s/left -= avr_.address_size + 2;/left -= avr_.address_size + 1;/
emulator/cpu/exact_engine.cpp|wake: one more|/::wake()/,/^}/s/left -= avr_.address_size + 2;/left -= avr_.address_size + 3;/
emulator/cpu/wake_up.cpp|standby: 6 to 7|s/kStandbyStartUp = 6;/kStandbyStartUp = 7;/
emulator/cpu/engine.hpp|start-up: 16384 to 16385|s/start_up_cycles = 16384;/start_up_cycles = 16385;/
emulator/cpu/exact_engine.cpp|interrupt right after SEI|s/if (wanted \&\& now() != shadow)/if (wanted)/
emulator/cpu/data_space.hpp|external byte: one more|s/1 + page.waits/2 + page.waits/
emulator/cpu/data_space.hpp|external byte: waits once|s/1 + page.waits/1 + (page.waits > 0)/
emulator/cpu/data_space.hpp|external program counter: 3 to 4|s/3 + 2 \* page.waits/4 + 2 * page.waits/
emulator/cpu/data_space.hpp|external program counter: one a wait|s/3 + 2 \* page.waits/3 + page.waits/
emulator/cpu/external_memory.cpp|sectors of 16 KiB|s/srl \* 0x2000/srl * 0x4000/
END

tried=0 survived=0 line=0
while IFS='|' read -r file name expression; do
  line=$((line + 1))
  [ $((line % every)) -eq 0 ] || continue
  tried=$((tried + 1))
  sed "$expression" "$root/$file" >"$work/mutant/$file"
  if cmp -s "$root/$file" "$work/mutant/$file"; then
    echo "stale: $name"
    survived=$((survived + 1))
    continue
  fi
  unit=$(basename "$file" | cut -d. -f1)
  rebuilt="exact_engine"
  case $file in
    *.cpp) rebuilt=$unit ;;
    *decoder.hpp) rebuilt="decoder exact_engine" ;;
    *data_space.hpp) rebuilt="data_space exact_engine" ;;
    *engine.hpp) rebuilt="exact_engine rig interrupts_test" ;;
  esac
  for one in $rebuilt; do
    cp "$work/$one.o" "$work/$one.kept"
    source=$root/emulator/cpu/$one.cpp
    [ -f "$source" ] || source=$here/$one.cpp
    [ "$file" = "emulator/cpu/$one.cpp" ] && source=$work/mutant/$file
    $compile "-DAVRLAN_CELLS=\"$work/cells.bin\"" -c -o "$work/$one.o" "$source"
  done
  if build_and_run; then
    echo "SURVIVED: $name"
    survived=$((survived + 1))
  else
    echo "caught: $name ($(grep -c '^\[  FAILED  \] .*ms)' "$work/log") tests)"
  fi
  for one in $rebuilt; do mv "$work/$one.kept" "$work/$one.o"; done
  rm "$work/mutant/$file"
done <"$work/mutations"
echo "$tried mutations, $survived survived"
[ "$survived" -eq 0 ]
