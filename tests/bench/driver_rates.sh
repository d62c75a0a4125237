#!/bin/sh
# Builds and runs the measurement of the ENC28J60 driver. BUILD says where (default: build under the repository).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build}
[ -f "$build/CMakeCache.txt" ] || cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$build" --target firmware driver_rates >/dev/null
exec "$build/bin/driver_rates" "$build/firmware"
