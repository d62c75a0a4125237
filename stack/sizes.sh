#!/bin/sh
# Prints what the stack takes of flash and RAM, on an ATmega328P and on the host. First by function, in the layout and beside
# the numbers of tables 2 to 5 of A. Dunkels, "Full TCP/IP for 8-Bit Architectures" (MobiSys 2003; gcc 3.3 for AVR, 2.95.3
# for x86): each instruction counts for the file of stack/ that it was made from. Then by part: what the linked program
# grows by when the part is added to those above it. Last, where the flash of the minimal profile goes: each instruction
# counts for the function in whose text its line is. The driver and the compiler's start-up code are not counted.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

common="-Os -g -std=c++14 -fno-exceptions -fno-rtti -fno-threadsafe-statics -ffunction-sections -fdata-sections -Wl,--gc-sections -I."
avr="avr-g++ -mmcu=atmega328p -mcall-prologues -mrelax -mstrict-X"

# build COMPILER_AND_FLAGS DEFINES: makes $work/program.
build() {
  $1 $common $2 stack/sizes.cpp -c -o "$work/part.o"
  $1 $common -DSIZE_OF_DRIVER stack/sizes.cpp -c -o "$work/driver.o"
  $1 $common "$work/part.o" "$work/driver.o" -o "$work/program"
}

# by_function COMPILER_AND_FLAGS BINUTILS_PREFIX PROFILE: makes $work/sizes, octets of code by function.
by_function() {
  build "$1" "-DSIZE_PROFILE=$3 -DSIZE_TCP=1 -DSIZE_UDP=0 -DSIZE_DHCP=0 -DSIZE_HTTP=0"
  $2objdump -d --insn-width=16 "$work/program" |
    awk -F '\t' '/^ *[0-9a-f]+:\t/ { gsub(/[ :]/, "", $1); print $1, gsub(/[0-9a-f][0-9a-f]/, "", $2) }' > "$work/code"
  sed 's/^/0x/; s/ .*//' "$work/code" | $2addr2line -e "$work/program" |
    awk 'NR == FNR { octets[NR] = $2; next }
      { sub(/:[^:]*$/, ""); part = "" }
      /base\/checksum.hpp$/ { part = "checksum" }
      /stack\/netif\/(ethernet|interfaces|devices).hpp$/ { part = "interfaces" }
      /stack\/netif\/arp.hpp$/ { part = "arp" }
      /stack\/(netif\/(ipv4|reassembly)|base\/(address|byte_order)|stack).hpp$/ { part = "ip" }
      /stack\/netif\/icmp.hpp$/ { part = "icmp" }
      /stack\/(tcp\/[a-z_]*|base\/(applications|keyed_hash|stream|time)).hpp$/ { part = "tcp" }
      { sum[part] += octets[FNR] }
      END { for (part in sum) if (part) print part, sum[part] }' "$work/code" - > "$work/sizes"
  $2nm -C -S -t d "$work/program" | awk '$NF ~ /::stack$/ { print "ram", $2 + 0 }' >> "$work/sizes"
}

# Prints the functions named (joined by +) of $work/avr and $work/host with the paper's numbers for each.
line() {
  awk -v title="$1" -v parts="$2" -v avr_paper="$3" -v host_paper="$4" '
    BEGIN { count = split(parts, names, "+"); for (i = 1; i <= count; ++i) wanted[names[i]] = 1 }
    $1 in wanted { sum[FILENAME] += $2 }
    END { printf "  %-34s %8d %8s %8d %8s\n", title, sum[ARGV[1]], avr_paper, sum[ARGV[2]], host_paper }' \
    "$work/avr" "$work/host"
}
functions() {
  by_function "$avr" avr- "$1" && mv "$work/sizes" "$work/avr"
  by_function g++ "" "$1" && mv "$work/sizes" "$work/host"
  printf '%s\n  %-34s %8s %8s %8s %8s\n' "$2" function AVR paper x86-64 paper
}

functions Minimal "minimal profile, beside uIP (tables 3 and 2)"
line Checksumming checksum 712 464
line "IP, ICMP and TCP" ip+icmp+tcp 4452 4724
line Total checksum+ip+icmp+tcp 5164 5188
line "Ethernet and ARP" interfaces+arp "" ""
line "RAM, with 4 connections" ram "" ""

functions Full "full profile, beside lwIP (tables 5 and 4)"
line "Memory management" none 3142 2512
line Checksumming checksum 1116 504
line "Network interfaces" interfaces 458 364
line IP ip 2216 1624
line ICMP icmp 594 392
line TCP tcp 14230 9192
line Total checksum+interfaces+ip+icmp+tcp 21756 14588
line ARP arp "" ""
line "RAM, with 4 connections" ram "" ""

table() {
  echo "$3"
  printf '  %-34s %8s %8s\n' part flash RAM
  total_flash=0
  total_ram=0
  build "$1" -DSIZE_OF_NOTHING
  before=$(occupied "$2")
  row "Ethernet, ARP, IP, ICMP, checksum" "$1" "$2" "-DSIZE_TCP=0 -DSIZE_UDP=0 -DSIZE_DHCP=0 -DSIZE_HTTP=0"
  row "TCP, 4 connections" "$1" "$2" "-DSIZE_TCP=1 -DSIZE_UDP=0 -DSIZE_DHCP=0 -DSIZE_HTTP=0"
  row "UDP and its echo" "$1" "$2" "-DSIZE_TCP=1 -DSIZE_UDP=1 -DSIZE_DHCP=0 -DSIZE_HTTP=0"
  row "DHCP client" "$1" "$2" "-DSIZE_TCP=1 -DSIZE_UDP=1 -DSIZE_DHCP=1 -DSIZE_HTTP=0"
  row "HTTP server" "$1" "$2" "-DSIZE_TCP=1 -DSIZE_UDP=1 -DSIZE_DHCP=1 -DSIZE_HTTP=1"
  printf '  %-34s %8d %8d\n' all "$total_flash" "$total_ram"
}

# Flash and RAM of the program.
occupied() {
  $1size "$work/program" | awk 'NR == 2 { print $1 + $2, $2 + $3 }'
}
row() {
  build "$2" "-DSIZE_PROFILE=Minimal $4"
  now=$(occupied "$3")
  flash=$((${now% *} - ${before% *}))
  ram=$((${now#* } - ${before#* }))
  printf '  %-34s %8d %8d\n' "$1" "$flash" "$ram"
  total_flash=$((total_flash + flash))
  total_ram=$((total_ram + ram))
  before=$now
}

table "$avr" avr- "minimal profile by part: ATmega328P, $(avr-g++ --version | head -n 1)"
table g++ "" "minimal profile by part: host, $(g++ --version | head -n 1)"

# Makes $work/octets: those of code by "file function", of the program that by_function made last.
by_name() {
  awk 'FNR == 1 { name = "" }
    /^(  )?[a-zA-Z_].*\) (const )?\{/ {
      name = $0
      sub(/__attribute__\(\([a-z_, ]*\)\)/, "", name)
      sub(/\(.*/, "", name)
      sub(/.*[ *&]/, "", name)
    }
    { print FILENAME ":" FNR, name }' stack/*.hpp stack/*/*.hpp > "$work/names"
  sed 's/^/0x/; s/ .*//' "$work/code" | $1addr2line -e "$work/program" |
    awk -v names="$work/names" '
      BEGIN { while ((getline < names) > 0) name[$1] = $2 }
      NR == FNR { octets[NR] = $2; next }
      /stack\/.*hpp:/ { sub(/ .*/, ""); sub(/.*stack\//, "stack/"); at = $0; sub(/:.*/, ""); sum[$0 " " name[at]] += octets[FNR] }
      END { for (part in sum) print sum[part], part }' "$work/code" - |
    grep -vE ' stack/(netif/(arp|ethernet|interfaces|devices)|app)/?' | sort -rn > "$work/octets"
}

# Prints what the functions that match take, and leaves the others in $work/octets.
feature() {
  : > "$work/rest"
  awk -v title="$1" -v pattern="$2" -v rest="$work/rest" '
    $2 " " $3 ~ pattern { sum += $1; next }
    { print > rest }
    END { printf "  %-66s %6d\n", title, sum }' "$work/octets"
  mv "$work/rest" "$work/octets"
}

by_function "$avr" avr- Minimal
by_name avr-
echo "where the flash of the minimal profile goes, on AVR: what uIP 1.0 lacks or has simpler"
feature "Keyed sequence numbers (RFC 6528)" keyed_hash
feature "Reassembly in any order, with duplicates, without overlaps" reassembly
feature "Segments in or near the window; RST, SYN, ACK of RFC 5961" 'tcp.hpp (acceptable|challenge|distance)$'
feature "Half-closed and closing states; lingering" '(peer_closed|fin_acknowledged|time_wait|linger)$'
feature "Windows: closed, opened, silly" '(open_window|update_window|window_opened)$'
feature "Connections that give way to new ones" 'allocate$'
feature "Addresses that are not a host's; broadcasts" '(acceptable_source|acceptable_destination|is_broadcast|is_on_link)$'
feature "Segments that wait for ARP; connections that lose their address" '(tcp_resolved|tcp_abandon|configure)$'
echo "where it goes: the rest"
feature "Checksum" 'checksum'
feature "IPv4" 'netif/ipv4|base/address'
feature "ICMP" 'netif/icmp'
feature "TCP: parsing, listening, SYN and its options" '(parse|tcp_input|find|listen|start|synchronize|syn_sent|established)$'
feature "TCP: acknowledgements and data that come" 'tcp.hpp (acknowledge|receive|deliver|took)$|(acknowledged|advance)$'
feature "TCP: segments, RST" '(segment|transmit|output|tcp_send|refuse|send_syn|answer|reset|end|smaller|clear)$|base/stream'
feature "TCP: round trips and timers" '(measured|timeout|arm|watch|expired?|tcp_poll|tcp_second)$|base/time'
feature "Fields in network order" 'byte_order'
feature "Polling, telling protocols apart" 'stack.hpp'
feature Other .
