#!/bin/sh
# registers.sh AVR-GCC MCU FILE: what avr-libc's header says about an MCU, every macro that is a number, as lines "NAME number".
# Addresses are those of the data space.
set -eu
compiler=$1 mcu=$2 file=$3
preprocess() { "$compiler" "-mmcu=$mcu" -x assembler-with-cpp -E -P "$@"; }
{
  echo '#include <avr/io.h>'
  echo '#include <avr/io.h>' | preprocess -dM - | sed -n 's/^#define \([A-Z][A-Za-z0-9_]*\|_VECTORS_SIZE\) .*/"\1" \1/p' | sort
} | preprocess - | sed -nE 's/^"([A-Za-z0-9_]*)" ((0[xX][0-9A-Fa-f]+|[0-9]+|[()+*<>| -])+)$/\1 \2/p' | while read -r name value; do
  echo "$name $(($value))"
done >"$file"
