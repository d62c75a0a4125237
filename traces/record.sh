#!/bin/sh
# Records the traces anew: record.sh [BUILD [BOARD/NAME...]]. Without names, all of them. Needs no network but the loopback.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-build}
[ $# -eq 0 ] || shift
avrlan=$build/bin/avrlan
[ -x "$build/bin/avrlan" ] || { echo "${0##*/}: no $build/bin/avrlan; build first, or name the directory" >&2; exit 64; }
work=$(mktemp -d)
board_pid=
trap 'status=$?; [ -z "$board_pid" ] || kill -INT "$board_pid" 2>/dev/null || true; rm -rf "$work"; exit $status' EXIT

# start BOARD IMAGE FILE [OPTION...]: runs it behind libslirp; its forwarded ports are in $ports, in their order.
start() {
  start_board=$1 start_image=$2 start_file=$3
  shift 3
  "$avrlan" run "$build/firmware/$start_board/$start_image.elf" --board "$start_board" --record "$start_file" "$@" \
    > "$work/uart" 2> "$work/err" &
  board_pid=$!
  until grep -q '^address' "$work/uart"; do
    kill -0 "$board_pid" || { cat "$work/err" >&2; exit 1; }
    sleep 0.1
  done
  ports=$(sed -n 's/^avrlan: forwarding [a-z]* 127.0.0.1:\([0-9]*\) .*/\1/p' "$work/err")
}
stop() {
  sleep 0.3
  kill -INT "$board_pid"
  wait "$board_pid" || true
  board_pid=
}
fetch() { curl --silent --show-error --fail --max-time 60 --output /dev/null "$@"; }
# speak PORT TEXT OCTETS: sends TEXT, reads so many octets, closes.
speak() {
  python3 -c 'import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(sys.argv[2].encode().decode("unicode_escape").encode("latin1"))
left = int(sys.argv[3])
while left > 0:
    got = s.recv(left)
    if not got: break
    left -= len(got)
' "$@"
}

# record BOARD NAME FILE: IMAGE.WHAT is the name.
record() {
  board=$1 name=$2 file=$3
  elf=$build/firmware/$board/${name%%.*}.elf
  case $name in
    web.curl)
      start "$board" web "$file" --hostfwd tcp::0-:80
      fetch "http://127.0.0.1:$ports/"
      fetch "http://127.0.0.1:$ports/bytes?n=3000"
      fetch "http://127.0.0.1:$ports/nothing" || true
      stop ;;
    web.lossy)
      start "$board" web "$file" --hostfwd tcp::0-:80 \
        --link delay=5ms,jitter=2ms,loss=5%,dup=3%,reorder=3%,corrupt=3%,seed=11
      fetch "http://127.0.0.1:$ports/bytes?n=6000"
      stop ;;
    web.parallel)
      start "$board" web "$file" --hostfwd tcp::0-:80
      pids=
      for _ in 1 2 3 4; do
        fetch "http://127.0.0.1:$ports/bytes?n=1500" & pids="$pids $!"
      done
      for pid in $pids; do wait "$pid"; done
      stop ;;
    echo.stream)
      start "$board" echo "$file" --hostfwd tcp::0-:7
      # shellcheck disable=SC2086
      speak $ports "$(printf 'e%.0s' $(seq 1200))" 1200
      stop ;;
    telnet.session)
      start "$board" telnet "$file" --hostfwd tcp::0-:23
      # shellcheck disable=SC2086
      speak $ports 'help\r\nstatus\r\nled on\r\nquit\r\n' 100000
      stop ;;
    netio.transmit | netio-minimal.transmit | netio-interrupt.transmit)
      "$build/bin/record_scripted" "$board" "$elf" "$file" 2 tcp:18767:0000000200000400:20000 ;;
    connect.refused)
      "$avrlan" run "$elf" --board "$board" --record "$file" --pace max --timeout 20s > /dev/null 2>&1 || true ;;
    dhcp-dns-ntp.scripted) "$build/bin/record_scripted" "$board" "$elf" "$file" 5 ;;
    echo.scripted | echo-interrupt.scripted)
      "$build/bin/record_scripted" "$board" "$elf" "$file" 3 tcp:7:"$(printf '65%.0s' $(seq 500))":500 udp:7:datagram ping:300 ;;
    sensor.readings) "$build/bin/record_scripted" "$board" "$elf" "$file" 3 tcp:5001::80 ;;
    web.scripted) "$build/bin/record_scripted" "$board" "$elf" "$file" 3 get:/ get:/bytes?n=2000 ;;
    *) echo "record.sh: there is no trace $board/$name" >&2; exit 64 ;;
  esac
}

if [ $# -eq 0 ]; then
  for name in web.curl web.lossy web.parallel echo.stream echo.scripted telnet.session netio.transmit connect.refused \
    dhcp-dns-ntp.scripted sensor.readings; do
    set -- "$@" "uno-enc28j60/$name"
  done
  for name in web.curl web.lossy echo-interrupt.scripted netio-minimal.transmit dhcp-dns-ntp.scripted; do
    set -- "$@" "mega-enc28j60/$name"
  done
  for name in web.curl web.lossy echo-interrupt.scripted netio.transmit netio-minimal.transmit dhcp-dns-ntp.scripted; do
    set -- "$@" "ethernut1/$name"
  done
  for name in web.curl echo-interrupt.scripted netio.transmit; do
    set -- "$@" "mega128-rtl8019as/$name"
  done
fi
for trace in "$@"; do
  mkdir -p "$here/${trace%/*}"
  record "${trace%/*}" "${trace#*/}" "$work/trace.pcapng"
  mv "$work/trace.pcapng" "$here/$trace.pcapng"
  echo "recorded $trace, $(wc -c < "$here/$trace.pcapng") octets"
done
