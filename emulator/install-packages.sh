#!/bin/sh
# Makes sure that the Debian packages for `run` (building and running avrlan) or `test` (that and the tests) are there.
# As root it installs what is missing; otherwise it says what to install and exits with 1.
set -eu
case "${1:-}" in
  run | test) ;;
  *) echo "usage: sh emulator/install-packages.sh run|test" >&2; exit 64 ;;
esac
packages="g++ cmake ninja-build pkg-config libsimavr-dev libslirp-dev libglib2.0-dev libelf-dev libdw-dev libcli11-dev
  libfmt-dev libtomlplusplus-dev libpcap-dev
  nlohmann-json3-dev gcc-avr avr-libc binutils-avr curl ca-certificates"
if [ "$1" = test ]; then
  packages="$packages libgtest-dev libgmock-dev libbenchmark-dev libtins-dev clang-format tshark gdb-avr iproute2 git
    python3 valgrind lcov strace"
fi
missing=
for package in $packages; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "Some Debian packages are missing. As root, run:" >&2
  echo "  apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq >&2
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >/tmp/avrlan-install.log 2>&1 || {
  tail -n 20 /tmp/avrlan-install.log >&2
  exit 1
}
