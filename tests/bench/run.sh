#!/bin/sh
# Builds and runs the benchmarks. Usage: run.sh [ROUNDS]; BUILD says where (default: build/bench under the repository).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build/bench}
[ -f "$build/CMakeCache.txt" ] || cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$build" --target engine_bench unobserved_bench machine_bench >/dev/null
"$build/bin/engine_bench" "$build/tests/bench" "${1:-5}"
echo
"$build/bin/machine_bench" "$build/firmware" "$build/tests/bench" "${1:-5}"
