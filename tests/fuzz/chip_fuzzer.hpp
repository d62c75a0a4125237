#pragma once
// The program around a chip's Run: fuzz_CHIP [--runs N] [--seed S], or libFuzzer's entry (AVRLAN_LIBFUZZER). A Run is made from
// Decisions; play() returns what is broken, empty: nothing; operations() and frames() tell how much it has done.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "tests/fuzz/decisions.hpp"
#include "tests/fuzz/options.hpp"

namespace avrlan::fuzz {

template <class Run>
int play_octets(std::span<const std::uint8_t> octets) {
  const std::string broken = Run(Decisions(octets)).play();
  if (broken.empty()) return 0;
  std::fprintf(stderr, "%s\n", broken.c_str());
  std::abort();
}

// `operations` names them: "SPI octets". Returns the exit status.
template <class Run>
int play_seeds(const char* operations, int argc, char** argv) {
  std::uint64_t runs = 10'000, seed = 1;
  read_options(argc, argv, {{"--runs", &runs}, {"--seed", &seed}});
  std::uint64_t failed = 0, done = 0, frames = 0;
  for (std::uint64_t n = 0; n < runs; ++n) {
    Run run(Decisions(seed + n));
    const std::string broken = run.play();
    done += run.operations();
    frames += run.frames();
    if (broken.empty()) continue;
    ++failed;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed + n), broken.c_str());
  }
  std::printf("%llu passed, %llu failed: %llu %s, %llu frames\n", static_cast<unsigned long long>(runs - failed),
              static_cast<unsigned long long>(failed), static_cast<unsigned long long>(done), operations,
              static_cast<unsigned long long>(frames));
  return failed == 0 ? 0 : 1;
}

}  // namespace avrlan::fuzz
