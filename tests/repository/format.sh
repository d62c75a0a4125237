#!/bin/sh
# Every C++ file that git knows is as clang-format writes it. Usage: format.sh ROOT
cd "$1" || exit 2
git ls-files -z --cached --others --exclude-standard -- '*.cpp' '*.hpp' | xargs -0 -r clang-format --dry-run --Werror
