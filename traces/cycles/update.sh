#!/bin/sh
# Writes the baselines anew: update.sh [BUILD].
set -eu
build=${1:-build}
cmake --build "$build" --target profile_system_test
AVRLAN_UPDATE_BASELINES=1 "$build/bin/profile_system_test" --gtest_filter='Images/Cycles.*'
