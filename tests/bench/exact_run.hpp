#pragma once
// A workload on the exact engine alone.

#include <simavr/sim_avr.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/cpu/exact_engine.hpp"
#include "emulator/cpu/interrupts.hpp"
#include "emulator/cpu/mcu.hpp"
#include "emulator/cpu/simavr_vectors.hpp"
#include "tests/bench/measure.hpp"

namespace avrlan::bench {

inline std::vector<std::uint8_t> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Mcu328 {
 public:
  explicit Mcu328(std::vector<std::uint8_t> image) : avr_(avr_make_mcu_by_name("atmega328p")) {
    avr_init(avr_);
    avr_->frequency = 16'000'000;
    avr_->sleep = [](avr_t*, avr_cycle_count_t) {};
    avr_loadcode(avr_, image.data(), static_cast<std::uint32_t>(image.size()), 0);
  }
  ~Mcu328() { avr_terminate(avr_); }
  Mcu328(const Mcu328&) = delete;
  Mcu328& operator=(const Mcu328&) = delete;
  avr_t& avr() { return *avr_; }

 private:
  avr_t* avr_;
};

// Guest MHz over `cycles`.
template <class Run>
double megahertz(std::int64_t cycles, Run run) {
  const double start = cpu_seconds();
  run(cycles);
  return static_cast<double>(cycles) * 1e-6 / (cpu_seconds() - start);
}

// `observe` is given the engine before it runs.
template <class Observe>
double exact(const std::vector<std::uint8_t>& image, std::int64_t cycles, Observe observe) {
  Mcu328 mcu(image);
  cpu::Interrupts interrupts;
  cpu::SimavrVectors vectors(mcu.avr(), interrupts);
  const auto engine = cpu::make_exact_engine(mcu.avr(), interrupts, *cpu::find_mcu("atmega328p"));
  observe(*engine);
  return megahertz(cycles, [&](std::int64_t n) { engine->run_until(Cycles{n}); });
}

}  // namespace avrlan::bench
