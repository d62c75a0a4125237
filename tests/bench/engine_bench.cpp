// Guest megahertz of the exact engine and of simavr 1.6 on the same workloads, side by side in one process, and what
// observers cost.
// Usage: engine_bench FIRMWARE_DIR [ROUNDS]. unobserved_bench is beside it. Prints; asserts nothing.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/board/firmware.hpp"
#include "emulator/profile/memory_profiler.hpp"
#include "emulator/profile/profiler.hpp"
#include "tests/bench/exact_run.hpp"

namespace {

using namespace avrlan;
using namespace avrlan::bench;

constexpr std::size_t timeline_size = 200'000;

enum class Observer { nobody, profile, timeline, coverage };

double exact_with(Observer who, const std::vector<std::uint8_t>& image, std::int64_t cycles, const Firmware& firmware) {
  constexpr MemoryMap memory{16 * 1024, 2, 2, 0x100, 0x8FF};
  const profile::CodeMap map(firmware, memory);
  std::optional<profile::Profiler> profiler;
  std::optional<profile::MemoryProfiler> memory_profiler;
  return exact(image, cycles, [&](cpu::ExactEngine& engine) {
    if (who == Observer::coverage) {
      engine.observe(profile::instrument_of(memory_profiler.emplace(map, memory, firmware)));
    } else if (who != Observer::nobody) {
      engine.observe(profile::instrument_of(profiler.emplace(map, 2)));
      if (who == Observer::timeline) profiler->keep_timeline(timeline_size);
    }
  });
}

double reference(const std::vector<std::uint8_t>& image, std::int64_t cycles, avr_cycle_count_t run_cycle_limit) {
  Mcu328 mcu(image);
  mcu.avr().run_cycle_limit = run_cycle_limit;
  return megahertz(cycles, [&](std::int64_t n) {
    while (mcu.avr().cycle < static_cast<avr_cycle_count_t>(n)) avr_run(&mcu.avr());
  });
}

// Another program's, in a process of its own.
double unobserved(const std::string& program, const std::string& image, std::int64_t cycles) {
  const std::string command = program + " " + image + " " + std::to_string(cycles);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  double result = 0;
  if (!pipe || std::fscanf(pipe.get(), "%lf", &result) != 1) throw std::runtime_error("cannot run " + command);
  return result;
}

struct Workload {
  const char* name;
  const char* title;
  std::int64_t cycles;  // of the exact engine: about half a second
};
constexpr std::array<Workload, 3> workloads = {{
    {"checksum", "checksum loop", 500'000'000},
    {"mixed", "sort, printf, CRC", 400'000'000},
    {"idle", "timer and sleep", 16'000'000'000},
}};

void compare(const Workload& workload, const std::string& directory, int rounds) {
  const auto image = read_file(directory + "/" + workload.name + ".bin");
  const auto firmware = Firmware::load_elf(directory + "/" + workload.name + ".elf");
  std::vector<double> ours, limit1, limit100000, over1, over100000;
  for (int round = 0; round < rounds; ++round) {
    ours.push_back(exact_with(Observer::nobody, image, workload.cycles, firmware));
    limit1.push_back(reference(image, workload.cycles / 8, 1));
    limit100000.push_back(reference(image, workload.cycles / 4, 100000));
    over1.push_back(ours.back() / limit1.back());
    over100000.push_back(ours.back() / limit100000.back());
  }
  std::printf("%-18s %10.0f %10.0f %10.0f   %6.1fx %9.1fx\n", workload.title, median(ours), median(limit100000),
              median(limit1), median(over100000), median(over1));
}

// Each next to a run that nobody observes, in the same round.
void observe(const Workload& workload, const std::string& directory, const std::string& plain, int rounds) {
  const std::string path = directory + "/" + workload.name;
  const auto image = read_file(path + ".bin");
  const auto firmware = Firmware::load_elf(path + ".elf");
  std::vector<double> off, none, profiled, timed, covered;
  for (int round = 0; round < rounds; ++round) {
    const double alone = unobserved(plain, path + ".bin", workload.cycles);
    off.push_back(exact_with(Observer::nobody, image, workload.cycles, firmware));
    none.push_back(alone / off.back());
    const auto slower = [&](Observer who) {
      return off.back() / exact_with(who, image, workload.cycles / 2, firmware);
    };
    profiled.push_back(slower(Observer::profile));
    timed.push_back(slower(Observer::timeline));
    covered.push_back(slower(Observer::coverage));
  }
  std::printf("%-18s %10.0f %16.3fx %9.2fx %15.2fx %9.2fx\n", workload.title, median(off), median(none),
              median(profiled), median(timed), median(covered));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: engine_bench FIRMWARE_DIR [ROUNDS]\n");
    return 64;
  }
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  const std::string self = argv[0];
  const std::string plain = self.substr(0, self.rfind('/') + 1) + "unobserved_bench";
  try {
    std::printf("ATmega328P, guest MHz, median of %d rounds\n", rounds);
    std::printf("%-18s %10s %10s %10s   %7s %10s\n", "", "exact", "limit 1e5", "limit 1", "/ 1e5", "/ limit 1");
    for (const auto& workload : workloads) compare(workload, argv[1], rounds);
    std::printf("\nwhat observing costs: exact, nobody observes, and how many times faster or slower others are\n");
    std::printf("%-18s %10s %17s %10s %16s %10s\n", "", "exact", "nothing compiled", "--profile", "and --timeline",
                "--coverage");
    for (const auto& workload : workloads) observe(workload, argv[1], plain, rounds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "engine_bench: %s\n", error.what());
    return 1;
  }
}
