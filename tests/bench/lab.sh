#!/bin/sh
# How fast labs are: guest MHz (million cycles a second, all boards together) of 2 and of 16 boards that talk in pairs for 10 s of
# virtual time, with one and two threads. Usage: lab.sh [ROUNDS]; BUILD says where (default: build under the repository).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build}
[ -f "$build/CMakeCache.txt" ] || cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$build" --target avrlan >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for role in server client; do
  [ $role = client ] && is_client=1 || is_client=0
  sh "$root/tests/system/build_variant.sh" avr-g++ "$root" "$root/firmware/images/pair/main.cpp" "$work/$role.elf" -Os \
    -DPROFILE=Minimal -DCLIENT=$is_client -DOCTETS=10000000
done

# lab PAIRS: a file for so many.
lab() {
  echo 'timeout = "10s"'
  for n in $(seq "$1"); do
    printf '[[board]]\nname = "server%s"\nboard = "mega-enc28j60"\nfirmware = "server.elf"\n' "$n"
    printf '[[board]]\nname = "client%s"\nboard = "mega-enc28j60"\nfirmware = "client.elf"\nconnect = "server%s"\n' "$n" "$n"
  done
}
lab 1 > "$work/2.toml"
lab 8 > "$work/16.toml"

# measure BOARDS THREADS: the fastest of the rounds.
measure() {
  for _ in $(seq "$rounds"); do
    "$build/bin/avrlan" lab "$work/$1.toml" -j "$2" 2>&1 >/dev/null || [ $? = 42 ]
  done | sed -n 's/^time .* wall, \([0-9.]*\) million.*/\1/p' | sort -n | tail -1
}
rounds=${1:-3}
printf '%-10s %8s %12s %12s\n' boards threads 'guest MHz' 'a board'
for boards in 2 16; do
  for threads in 1 2; do
    measure $boards $threads | awk -v b=$boards -v t=$threads '{ printf "%-10d %8d %12.0f %12.1f\n", b, t, $1, $1 / b }'
  done
done
