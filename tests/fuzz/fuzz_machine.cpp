// Random flash images on a whole board: our engine, our peripherals, the Ethernet chip, bytes on RxD. Whatever the firmware does,
// the emulator neither crashes nor hangs, every run ends at its limit or says why, and the same image run in other slices of time
// does the same to the cycle and the octet.
//
//   fuzz_machine [--images N] [--cycles N] [--seed S]
//
// An eighth of the images are random words, an eighth random instructions; the others keep to a loop that does random things to
// every I/O register. Prints how they ended.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "emulator/cli/simulation.hpp"
#include "emulator/cpu/mcu.hpp"
#include "tests/accuracy/cpu/random_code.hpp"
#include "tests/fuzz/options.hpp"
#include "tests/support/halt_name.hpp"

namespace avrlan::test {
namespace {

constexpr std::uint32_t data_space = 0x10000;

struct Outcome {
  std::optional<MachineEnd> end;
  cpu::CycleTotals totals;
  std::uint32_t pc = 0;
  std::string uart;
  std::uint64_t diagnostics = 0;
  std::vector<std::uint8_t> data;
};

Outcome run(const Board& board, const Firmware& firmware, Cycles cycles, Duration slice, std::uint64_t seed) {
  SimulationOptions options;
  options.net = {};
  Simulation simulation(board, firmware, options);
  Machine& machine = simulation.machine();
  Outcome outcome;
  machine.on_uart([&](std::uint8_t byte) { outcome.uart += static_cast<char>(byte); });
  std::mt19937_64 random(seed);
  for (int n = 0; n < 20; ++n) machine.uart_receive(static_cast<std::uint8_t>(random()));
  const Instant limit = Instant::at(Duration::picoseconds(cycles.count * (1'000'000'000'000 / board.hz)));
  while (!outcome.end && machine.now() < limit) outcome.end = machine.run_until(std::min(limit, machine.now() + slice));
  outcome.totals = machine.totals();
  outcome.pc = machine.pc();
  const DiagnosticLog& log = simulation.diagnostics();
  for (const Severity severity : {Severity::note, Severity::warning, Severity::error})
    outcome.diagnostics += log.count(severity);
  outcome.data.reserve(data_space);
  for (std::uint32_t address = 0; address < data_space; ++address) {
    outcome.data.push_back(machine.peek(static_cast<std::uint16_t>(address)));
  }
  return outcome;
}

// Empty when both are the same.
std::string difference(const Outcome& a, const Outcome& b) {
  if (a.totals.total != b.totals.total) return "cycles";
  if (a.totals.sleep != b.totals.sleep) return "cycles asleep";
  if (a.totals.interrupt != b.totals.interrupt) return "cycles in interrupts";
  if (a.pc != b.pc) return "the program counter";
  if (a.uart != b.uart) return "what the USART sent";
  if (a.diagnostics != b.diagnostics) return "the diagnostics";
  const auto [first, second] = std::mismatch(a.data.begin(), a.data.end(), b.data.begin());
  if (first != a.data.end()) return "data address " + std::to_string(first - a.data.begin());
  return a.end.has_value() == b.end.has_value() && (!a.end || a.end->halt == b.end->halt) ? "" : "the end";
}

// A loop without wild jumps or accesses that does random things to I/O registers, with an RETI in each vector: it lasts.
std::vector<std::uint16_t> device_code(std::mt19937_64& random) {
  std::vector<std::uint16_t> code;
  const auto put = [&](unsigned word) { code.push_back(static_cast<std::uint16_t>(word)); };
  constexpr unsigned vector_words = 2 * 64;
  constexpr unsigned loop = vector_words + 7;
  put(0xC000 | (vector_words - 1));                        // rjmp start
  while (code.size() < vector_words) put(0x9518);          // reti
  put(0xEF0F), put(0xBF0D), put(0xE002 + (random() & 1));  // ldi r16, 0xff; out SPL, r16; ldi r16, high
  put(0xBF0E), put(0x9478), put(0xE8A0), put(0xE0B1);      // out SPH, r16; sei; X = 0x180
  while (code.size() < 1500) {
    const unsigned io = static_cast<unsigned>(random() % 64);
    const bool stack_pointer = io == 0x3D || io == 0x3E;
    const unsigned extended = 0x60 + static_cast<unsigned>(random() % 0xE0);
    const unsigned d = 16 + static_cast<unsigned>(random() % 8);
    switch (random() % 16) {
      case 0:
      case 1:
        put(0xB000 | (io & 0x30) << 5 | d << 4 | (io & 0xF));  // in
        break;
      case 2:
      case 3:
      case 4:
        if (!stack_pointer) put(0xB800 | (io & 0x30) << 5 | d << 4 | (io & 0xF));  // out
        break;
      case 5:
        put(0x9A00 | static_cast<unsigned>(random() & 0xFF));  // sbi
        break;
      case 6:
        put(0x9800 | static_cast<unsigned>(random() & 0xFF));  // cbi
        break;
      case 7:
        put((random() % 2 != 0 ? 0x9900U : 0x9B00U) | static_cast<unsigned>(random() & 0xFF));  // sbic, sbis
        put(0x9503);                                                                            // inc r16
        break;
      case 8:
      case 9:
        put(0x9200 | d << 4), put(extended);  // sts
        break;
      case 10:
        put(0x9000 | d << 4), put(extended);  // lds
        break;
      case 11:
      case 12:
        put(0xE000 | static_cast<unsigned>(random() & 0xF0F) | (d - 16) << 4);  // ldi
        break;
      case 13:
        put(0x9478);                          // sei
        if (random() % 4 == 0) put(0x9588);   // sleep
        if (random() % 16 == 0) put(0x95A8);  // wdr
        if (random() % 64 == 0) put(0x95E8);  // spm
        break;
      case 14:
        put(0x930D), put(0x919E);  // st X+, r16; ld r25, -X
        break;
      default:
        for (unsigned n = static_cast<unsigned>(random() % 40); n > 0; --n) put(0x0000);
        break;
    }
  }
  put(0xC000 | ((loop - static_cast<unsigned>(code.size()) - 1) & 0xFFF));  // rjmp loop
  return code;
}

Firmware image(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Firmware firmware;
  firmware.path = "image " + std::to_string(seed);
  firmware.flash.resize(4096);
  const auto kind = random() % 8;
  if (kind == 0) {
    for (auto& byte : firmware.flash) byte = static_cast<std::uint8_t>(random());
  } else if (kind == 1) {
    cpu::test::fill_with_code(firmware.flash, random, [&] {
      return static_cast<std::uint16_t>(random() % 4 != 0 ? 0x20 + random() % 0x120 : random() % 0x1200);
    });
  } else {
    std::size_t at = 0;
    for (const std::uint16_t word : device_code(random)) {
      firmware.flash.at(at++) = static_cast<std::uint8_t>(word);
      firmware.flash.at(at++) = static_cast<std::uint8_t>(word >> 8);
    }
  }
  return firmware;
}

}  // namespace
}  // namespace avrlan::test

int main(int argc, char** argv) {
  using namespace avrlan;
  using namespace avrlan::test;
  std::uint64_t images = 300, cycles = 1'000'000, seed = 1;
  fuzz::read_options(argc, argv, {{"--images", &images}, {"--cycles", &cycles}, {"--seed", &seed}});
  std::map<std::string, std::int64_t> ends;
  for (std::uint64_t n = 0; n < images; ++n) {
    const std::uint64_t image_seed = seed + n;
    const cpu::Mcu& mcu = cpu::mcus()[image_seed % cpu::mcus().size()];
    const Board board{"wild",     "",          std::string{mcu.name}, 16'000'000,
                      "enc28j60", Pin{'B', 0}, Pin{'D', 2},           std::nullopt};
    const Firmware firmware = image(image_seed);
    const Outcome whole =
        run(board, firmware, Cycles{static_cast<std::int64_t>(cycles)}, Duration::seconds(10), image_seed);
    const Outcome sliced =
        run(board, firmware, Cycles{static_cast<std::int64_t>(cycles)}, Duration::microseconds(37), image_seed);
    const std::string differs = difference(whole, sliced);
    const bool consistent =
        whole.totals.active + whole.totals.sleep == whole.totals.total && whole.totals.interrupt <= whole.totals.active;
    const bool explained = !whole.end || whole.end->halt != cpu::Halt::crashed || whole.diagnostics != 0;
    if (!differs.empty() || !consistent || !explained) {
      std::printf("--images 1 --seed %llu on %s: %s\n", static_cast<unsigned long long>(image_seed), board.mcu.c_str(),
                  !differs.empty() ? (differs + " depends on the slices").c_str()
                  : !consistent    ? "the cycles do not add up"
                                   : "a fault without a diagnostic");
      return 1;
    }
    ++ends[halt_name(whole.end ? whole.end->halt : cpu::Halt::none)];
  }
  std::printf("%llu images ended in:", static_cast<unsigned long long>(images));
  for (const auto& [end, count] : ends) std::printf(" %s %lld;", end.c_str(), static_cast<long long>(count));
  std::printf("\n");
}
