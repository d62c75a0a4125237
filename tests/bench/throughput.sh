#!/bin/sh
# Builds and runs the measurement of what the images send and receive. BUILD says where (default: build under the repository).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build}
[ -f "$build/CMakeCache.txt" ] || cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$build" --target firmware throughput >/dev/null
exec "$build/bin/throughput" "$build/firmware"
