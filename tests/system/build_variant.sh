#!/bin/sh
# Builds an image with other flags than its own: [BOARD=mega-enc28j60] build_variant.sh AVR_GXX ROOT SOURCE ELF FLAG...
# Leaves ELF.d, a depfile. Dependencies are made when compiling only: with them avr-g++ 5.4's link-time optimiser crashes
# now and then.
set -e
compiler=$1 root=$2 source=$3 elf=$4
shift 4
board=${BOARD:-mega-enc28j60}
case $board in
  mega-enc28j60) mcu=atmega2560 hz=16000000 ;;
  ethernut1) mcu=atmega128 hz=14745600 ;;
  *) echo "build_variant.sh: what MCU does $board have?" >&2; exit 64 ;;
esac
"$compiler" -mmcu=$mcu -std=c++14 "$@" -gdwarf-4 -ffunction-sections -fdata-sections -fno-exceptions -fno-rtti \
  -fno-threadsafe-statics -DF_CPU=${hz}UL "-DAVRLAN_BOARD=\"firmware/board/$board.hpp\"" -I"$root" \
  -MD -MT "$elf" -MF "$elf.d" -c -o "$elf.o" "$source"
"$compiler" -mmcu=$mcu "$@" -gdwarf-4 -Wl,--gc-sections -o "$elf" "$elf.o"
