#!/bin/sh
# Builds an image for mega-enc28j60 with other flags than its own: build_variant.sh AVR_GXX ROOT SOURCE ELF FLAG...
# Leaves ELF.d, a depfile. Dependencies are made when compiling only: with them avr-g++ 5.4's link-time optimiser crashes
# now and then.
set -e
compiler=$1 root=$2 source=$3 elf=$4
shift 4
"$compiler" -mmcu=atmega2560 -std=c++14 "$@" -gdwarf-4 -ffunction-sections -fdata-sections -fno-exceptions -fno-rtti \
  -fno-threadsafe-statics -DF_CPU=16000000UL '-DAVRLAN_BOARD="firmware/board/mega-enc28j60.hpp"' -I"$root" \
  -MD -MT "$elf" -MF "$elf.d" -c -o "$elf.o" "$source"
"$compiler" -mmcu=atmega2560 "$@" -gdwarf-4 -Wl,--gc-sections -o "$elf" "$elf.o"
