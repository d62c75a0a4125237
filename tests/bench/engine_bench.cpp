// Guest megahertz of the exact engine and of simavr 1.6 on the same workloads, side by side in one process.
// Usage: engine_bench FIRMWARE_DIR [ROUNDS]. Prints; asserts nothing.

#include <simavr/sim_avr.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/board/firmware.hpp"
#include "emulator/cpu/exact_engine.hpp"
#include "emulator/cpu/interrupts.hpp"
#include "emulator/cpu/mcu.hpp"
#include "emulator/cpu/simavr_vectors.hpp"
#include "emulator/profile/profiler.hpp"
#include "tests/bench/measure.hpp"

namespace {

using namespace avrlan;
using bench::cpu_seconds;
using bench::median;
using namespace avrlan::cpu;

constexpr std::uint32_t kHz = 16'000'000;
constexpr std::uint32_t kFlashWords = 16 * 1024;

std::vector<std::uint8_t> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Mcu328 {
 public:
  explicit Mcu328(std::vector<std::uint8_t> image) : avr_(avr_make_mcu_by_name("atmega328p")) {
    avr_init(avr_);
    avr_->frequency = kHz;
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

double exact(const std::vector<std::uint8_t>& image, std::int64_t cycles, const Firmware* observed) {
  Mcu328 mcu(image);
  Interrupts interrupts;
  SimavrVectors vectors(mcu.avr(), interrupts);
  const auto engine = make_exact_engine(mcu.avr(), interrupts, *find_mcu("atmega328p"));
  std::optional<profile::CodeMap> map;
  std::optional<profile::Profiler> profiler;
  if (observed != nullptr) {
    map.emplace(*observed, MemoryMap{kFlashWords, 2, 2, 0x100, 0x8FF});
    profiler.emplace(*map, 2);
    engine->observe(profile::instrument_of(*profiler));
  }
  return megahertz(cycles, [&](std::int64_t n) { engine->run_until(Cycles{n}); });
}

double reference(const std::vector<std::uint8_t>& image, std::int64_t cycles, avr_cycle_count_t run_cycle_limit) {
  Mcu328 mcu(image);
  mcu.avr().run_cycle_limit = run_cycle_limit;
  return megahertz(cycles, [&](std::int64_t n) {
    while (mcu.avr().cycle < static_cast<avr_cycle_count_t>(n)) avr_run(&mcu.avr());
  });
}

struct Workload {
  const char* name;
  const char* title;
  std::int64_t cycles;  // of the exact engine: about half a second
};
constexpr std::array<Workload, 3> kWorkloads = {{
    {"checksum", "checksum loop", 500'000'000},
    {"mixed", "sort, printf, CRC", 400'000'000},
    {"idle", "timer and sleep", 16'000'000'000},
}};

void compare(const Workload& workload, const std::string& directory, int rounds) {
  const auto image = read_file(directory + "/" + workload.name + ".bin");
  const auto firmware = Firmware::load_elf(directory + "/" + workload.name + ".elf");
  std::vector<double> ours, profiled, limit1, limit100000, over1, over100000, slower;
  for (int round = 0; round < rounds; ++round) {
    ours.push_back(exact(image, workload.cycles, nullptr));
    limit1.push_back(reference(image, workload.cycles / 8, 1));
    limit100000.push_back(reference(image, workload.cycles / 4, 100000));
    profiled.push_back(exact(image, workload.cycles / 2, &firmware));
    over1.push_back(ours.back() / limit1.back());
    over100000.push_back(ours.back() / limit100000.back());
    slower.push_back(ours.back() / profiled.back());
  }
  std::printf("%-18s %10.0f %10.0f %10.0f %10.0f   %6.1fx %9.1fx %9.2fx\n", workload.title, median(ours),
              median(limit100000), median(limit1), median(profiled), median(over100000), median(over1), median(slower));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: engine_bench FIRMWARE_DIR [ROUNDS]\n");
    return 64;
  }
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  try {
    std::printf("ATmega328P, guest MHz, median of %d rounds\n", rounds);
    std::printf("%-18s %10s %10s %10s %10s   %7s %10s %10s\n", "", "exact", "limit 1e5", "limit 1", "profiled", "/ 1e5",
                "/ limit 1", "profile");
    for (const auto& workload : kWorkloads) compare(workload, argv[1], rounds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "engine_bench: %s\n", error.what());
    return 1;
  }
}
