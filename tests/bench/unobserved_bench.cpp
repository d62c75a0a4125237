// Guest megahertz of the exact engine in a program that has no observer compiled into it: what engine_bench's own, which
// has, and does not use them, is compared with. Usage: unobserved_bench IMAGE CYCLES.

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/bench/exact_run.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: unobserved_bench IMAGE CYCLES\n");
    return 64;
  }
  try {
    std::printf("%.3f\n", avrlan::bench::exact(avrlan::bench::read_file(argv[1]), std::atoll(argv[2]), [](auto&) {}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "unobserved_bench: %s\n", error.what());
    return 1;
  }
}
