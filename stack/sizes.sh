#!/bin/sh
# Prints what each part of the stack takes of flash and RAM: on an ATmega328P, and on the host for comparison. Each line
# is what the linked program grows by when the part is added to those above it; the driver and the compiler's start-up
# code are not counted.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

common="-Os -std=c++14 -fno-exceptions -fno-rtti -fno-threadsafe-statics -ffunction-sections -fdata-sections -Wl,--gc-sections -I."

# build COMPILER_AND_FLAGS SIZE_TOOL DEFINES: text+data and data+bss of the program.
build() {
  $1 $common $3 stack/sizes.cpp -c -o "$work/part.o"
  $1 $common -DSIZE_OF_DRIVER stack/sizes.cpp -c -o "$work/driver.o"
  $1 $common "$work/part.o" "$work/driver.o" -o "$work/program"
  $2 "$work/program" | awk 'NR == 2 { print $1 + $2, $2 + $3 }'
}

table() {
  echo "$3"
  printf '  %-34s %8s %8s\n' part flash RAM
  before=$(build "$1" "$2" -DSIZE_OF_NOTHING)
  row "Ethernet, ARP, IP, ICMP, checksum" "$1" "$2" "-DSIZE_TCP=0 -DSIZE_UDP=0 -DSIZE_DHCP=0 -DSIZE_HTTP=0"
  row "TCP, 4 connections" "$1" "$2" "-DSIZE_TCP=1 -DSIZE_UDP=0 -DSIZE_DHCP=0 -DSIZE_HTTP=0"
  row "UDP and its echo" "$1" "$2" "-DSIZE_TCP=1 -DSIZE_UDP=1 -DSIZE_DHCP=0 -DSIZE_HTTP=0"
  row "DHCP client" "$1" "$2" "-DSIZE_TCP=1 -DSIZE_UDP=1 -DSIZE_DHCP=1 -DSIZE_HTTP=0"
  row "HTTP server" "$1" "$2" "-DSIZE_TCP=1 -DSIZE_UDP=1 -DSIZE_DHCP=1 -DSIZE_HTTP=1"
  printf '  %-34s %8d %8d\n' all "$total_flash" "$total_ram"
}

total_flash=0
total_ram=0
row() {
  now=$(build "$2" "$3" "$4")
  flash=$((${now% *} - ${before% *}))
  ram=$((${now#* } - ${before#* }))
  printf '  %-34s %8d %8d\n' "$1" "$flash" "$ram"
  case $1 in Ethernet*) total_flash=0 total_ram=0 ;; esac
  total_flash=$((total_flash + flash))
  total_ram=$((total_ram + ram))
  before=$now
}

table "avr-g++ -mmcu=atmega328p -mcall-prologues -mrelax" avr-size "ATmega328P, $(avr-g++ --version | head -n 1)"
table g++ size "host, $(g++ --version | head -n 1)"
