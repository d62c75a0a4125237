#!/bin/sh
# Builds the echo image for mega-enc28j60 with one more NOP where a frame enters the stack: build_with_nop.sh AVR_GXX ROOT ELF
set -e
compiler=$1 root=$2 elf=$3
copy=$elf.root
rm -rf "$copy"
mkdir -p "$copy"
cp -R "$root/stack" "$root/firmware" "$copy"
sed -i 's/^  .*void receive(uint16_t length) {$/& __asm__ __volatile__("nop");/' "$copy/stack/stack.hpp"
grep -q '__volatile__("nop")' "$copy/stack/stack.hpp" || { echo "stack.hpp has no place for the NOP" >&2; exit 1; }
sh "$(dirname "$0")/build_variant.sh" "$compiler" "$copy" "$copy/firmware/images/echo/main.cpp" "$elf" -Os
