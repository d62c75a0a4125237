// Random flash images on the exact engine with all of simavr's peripherals: each ends at its limit, or in a halt that says why.
// What this looks for is a crash, a hang or a sanitizer's finding of the emulator itself.
//
//   cpu_wild [--images N] [--cycles N] [--seed S]
//
// A quarter each of random words, random instructions, random instructions whose faults do not end the run, and a real
// firmware with damaged words. Prints how they ended.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/accuracy/cpu/random_code.hpp"
#include "tests/accuracy/cpu/rig.hpp"
#include "tests/support/halt_name.hpp"

namespace avrlan::cpu::test {
namespace {

constexpr std::array<const char*, 4> kMcus = {"atmega328p", "atmega2560", "atmega128", "atmega1284p"};
enum class Kind { words, code, resumed_code, damaged };

// How it ended; empty when the engine broke its contract.
std::string run_one(const char* mcu, const std::vector<char>& firmware, Kind kind, std::uint64_t seed,
                    std::int64_t cycles) {
  std::mt19937_64 random(seed);
  Rig rig(mcu);
  avr_t& avr = rig.avr();
  const std::span<std::uint8_t> flash{avr.flash, avr.flashend + 1};
  // What random returns find on the stack: addresses inside the flash, mostly.
  const unsigned high = avr.address_size == 3 ? 0x01 : (avr.flashend >> 9);
  for (unsigned at = avr.ioend + 1U; at <= avr.ramend; ++at) avr.data[at] = static_cast<std::uint8_t>(random() & high);
  if (kind == Kind::damaged) {
    std::copy(firmware.begin(), firmware.end(), flash.begin());
    for (auto n = random() % 20; n > 0; --n) flash[random() % firmware.size()] = static_cast<std::uint8_t>(random());
  } else if (kind == Kind::words) {
    for (auto& byte : flash) byte = static_cast<std::uint8_t>(random());
  } else {
    fill_with_code(flash, random, [&] { return static_cast<std::uint16_t>(random() % (avr.ramend + 64U)); });
  }
  rig.verdict = kind == Kind::resumed_code || kind == Kind::damaged ? Verdict::resume : Verdict::halt;
  const Halt halt = rig.run_to(cycles);
  const CycleTotals totals = rig.engine().totals();
  constexpr std::int64_t longest_step = 64 + 16384;  // an interrupt, or the start-up after power-down
  const bool in_time = halt != Halt::none || (rig.cycle() >= cycles && rig.cycle() < cycles + longest_step);
  const bool consistent = totals.active + totals.sleep == totals.total && totals.interrupt <= totals.active;
  const bool explained = halt != Halt::crashed || !rig.faults.empty() || avr.state == cpu_Crashed;
  return in_time && consistent && explained ? avrlan::test::halt_name(halt) : std::string{};
}

}  // namespace
}  // namespace avrlan::cpu::test

int main(int argc, char** argv) {
  using namespace avrlan::cpu::test;
  std::int64_t images = 300, cycles = 1'000'000;
  std::uint64_t seed = 1;
  for (int n = 1; n + 1 < argc; n += 2) {
    const std::string_view option = argv[n];
    if (option == "--images") images = std::atoll(argv[n + 1]);
    if (option == "--cycles") cycles = std::atoll(argv[n + 1]);
    if (option == "--seed") seed = static_cast<std::uint64_t>(std::atoll(argv[n + 1]));
  }
  // For the ATmega328P; on the others it is one more kind of wild.
  std::ifstream in(AVRLAN_BUSY, std::ios::binary);
  const std::vector<char> firmware{std::istreambuf_iterator<char>(in), {}};
  if (firmware.empty()) {
    std::fprintf(stderr, "cpu_wild: cannot read %s\n", AVRLAN_BUSY);
    return 2;
  }
  std::map<std::string, std::int64_t> ends;
  for (std::int64_t image = 0; image < images; ++image) {
    const char* mcu = kMcus[static_cast<std::size_t>(image) % kMcus.size()];
    const auto kind = static_cast<Kind>(image / 4 % 4);
    const std::string end = run_one(mcu, firmware, kind, seed + static_cast<std::uint64_t>(image), cycles);
    if (end.empty()) {
      std::printf("image %lld of seed %llu on %s broke the contract\n", static_cast<long long>(image),
                  static_cast<unsigned long long>(seed), mcu);
      return 1;
    }
    ++ends[end];
  }
  std::printf("%lld images ended in:", static_cast<long long>(images));
  for (const auto& [end, count] : ends) std::printf(" %s %lld;", end.c_str(), static_cast<long long>(count));
  std::printf("\n");
}
