#!/bin/sh
# Installs what is missing, builds everything and runs every test. Arguments go to ctest (-L unit, -R name, ...).
set -eu
cd "$(dirname "$0")/.."
sh emulator/install-packages.sh test
cmake --preset release -DAVRLAN_TESTS=ON
cmake --build build --parallel "$(nproc)"
ctest --test-dir build --output-on-failure --parallel "$(nproc)" "$@"
