#include "tests/unit/stack/bench.hpp"
