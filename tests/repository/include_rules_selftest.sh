#!/bin/sh
# Each forbidden direction, planted in a tree of its own, is found by include_rules.sh.
set -eu
rules=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

plant() { # FILE INCLUDE
  rm -rf "$dir/t"
  mkdir -p "$dir/t/stack" "$dir/t/firmware" "$dir/t/nic-model" "$dir/t/emulator/net" "$dir/t/emulator/peers" "$dir/t/tests"
  printf '#include %s\n' "$2" > "$dir/t/$1"
  if sh "$rules" "$dir/t" > /dev/null; then
    echo "not caught: $1 includes $2"
    exit 1
  fi
}
plant stack/a.hpp '"nic-model/core/time.hpp"'
plant stack/a.hpp '"emulator/board/machine.hpp"'
plant stack/a.cpp '"../firmware/board.hpp"'
plant firmware/a.cpp '"nic-model/core/time.hpp"'
plant firmware/a.cpp '"emulator/cpu/engine.hpp"'
plant nic-model/a.cpp '"stack/base/checksum.hpp"'
plant nic-model/a.cpp '"emulator/cpu/engine.hpp"'
plant nic-model/a.hpp '<fmt/format.h>'
plant nic-model/a.hpp '<unistd.h>'
plant emulator/a.hpp '<simavr/sim_avr.h>'
plant emulator/a.hpp '"sim_avr.h"'
plant emulator/a.hpp '<slirp/libslirp.h>'
plant emulator/a.cpp '"stack/base/checksum.hpp"'
plant emulator/net/a.cpp '"stack/base/checksum.hpp"'
plant emulator/peers/a.hpp '"stack/base/checksum.hpp"'
plant tests/a.cpp '"firmware/boards/uno.hpp"'
rm -rf "$dir/t"
mkdir -p "$dir/t/emulator/peers" "$dir/t/tests" "$dir/t/nic-model"
echo '#include <simavr/sim_avr.h>' > "$dir/t/emulator/a.cpp"
echo '#include "nic-model/core/time.hpp"' >> "$dir/t/emulator/a.cpp"
echo '#include "stack/base/checksum.hpp"' > "$dir/t/emulator/peers/a.cpp"
echo '#include "stack/base/checksum.hpp"' > "$dir/t/tests/a.cpp"
echo '#include <vector>' > "$dir/t/nic-model/a.hpp"
sh "$rules" "$dir/t" > /dev/null || { echo "a tree that keeps the rules was refused"; exit 1; }
echo "17 cases"
