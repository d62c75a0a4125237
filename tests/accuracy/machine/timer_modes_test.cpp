// The cycles at which each mode of the timers sets its flags, from the start of the timer on. (ATmega328P datasheet, figures
// "Timer/Counter Timing Diagram" and "... Mode, Timing Diagram" of 8-bit Timer/Counter0 and 16-bit Timer/Counter1: a flag
// rises with the clock that leaves the compare value, MAX, TOP or BOTTOM.)

#include <gtest/gtest.h>

#include <map>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

constexpr std::uint16_t TIFR0 = 0x35;
constexpr std::uint16_t TIFR1 = 0x36;
constexpr std::uint8_t TOV = 0x01, OCFA = 0x02, OCFB = 0x04, ICF = 0x20;
constexpr std::int64_t watched = 4200;

// Comes first after `first` clocks, then every `period`; or `second` clocks after each of those, too.
struct Rise {
  std::uint8_t flag;
  std::int64_t first;
  std::int64_t period;
  std::int64_t second = 0;
};

struct Mode {
  const char* label;
  std::vector<Rise> rises;
};

std::map<std::int64_t, int> diagram(const Mode& mode) {
  std::map<std::int64_t, int> flags;
  for (const auto& rise : mode.rises) {
    for (std::int64_t at = rise.first; at <= watched; at += rise.period) {
      flags[at] |= rise.flag;
      if (rise.second != 0 && at + rise.second <= watched) flags[at + rise.second] |= rise.flag;
    }
  }
  return flags;
}

// With the timer started from 0 at cycle 0, the count is n at cycle n until it first turns or wraps.
const Mode modes8[] = {
    {"normal8", {{TOV, 256, 256}, {OCFA, 4, 256}, {OCFB, 101, 256}}},
    // 255 up, 255 down: TOV every 510.
    {"phase_correct8", {{TOV, 511, 510}, {OCFA, 4, 510, 504}, {OCFB, 256, 510}}},
    {"ctc8", {{OCFA, 10, 10}, {OCFB, 5, 10}}},
    {"ctc8_max", {{TOV, 256, 256}, {OCFA, 256, 256}, {OCFB, 5, 256}}},
    {"fast8", {{TOV, 256, 256}, {OCFA, 4, 256}, {OCFB, 256, 256}}},
    {"phase_correct8_ocra", {{TOV, 19, 18}, {OCFA, 10, 18}, {OCFB, 5, 18, 10}}},
    {"fast8_ocra", {{TOV, 10, 10}, {OCFA, 10, 10}, {OCFB, 5, 10}}},
};

const Mode modes16[] = {
    // OCR1B is 0: the first clock after a store to TCNT1 has no match, and 0 does not come again in time.
    {"normal16", {{OCFA, 1001, 65536}}},
    {"phase_correct16_8", {{TOV, 511, 510}, {OCFA, 4, 510, 504}, {OCFB, 101, 510, 310}}},
    {"phase_correct16_9", {{TOV, 1023, 1022}, {OCFA, 4, 1022, 1016}, {OCFB, 101, 1022, 822}}},
    {"phase_correct16_10", {{TOV, 2047, 2046}, {OCFA, 4, 2046, 2040}, {OCFB, 101, 2046, 1846}}},
    {"ctc16", {{OCFA, 1000, 1000}, {OCFB, 301, 1000}}},
    {"fast16_8", {{TOV, 256, 256}, {OCFA, 4, 256}, {OCFB, 101, 256}}},
    {"fast16_9", {{TOV, 512, 512}, {OCFA, 4, 512}, {OCFB, 101, 512}}},
    {"fast16_10", {{TOV, 1024, 1024}, {OCFA, 4, 1024}, {OCFB, 101, 1024}}},
    {"pfc_icr", {{TOV, 1999, 1998}, {ICF, 1000, 1998}, {OCFA, 4, 1998, 1992}, {OCFB, 101, 1998, 1798}}},
    {"pfc_ocra", {{TOV, 1999, 1998}, {OCFA, 1000, 1998}, {OCFB, 101, 1998, 1798}}},
    {"phase_correct_icr", {{TOV, 1999, 1998}, {ICF, 1000, 1998}, {OCFA, 4, 1998, 1992}, {OCFB, 101, 1998, 1798}}},
    {"phase_correct_ocra", {{TOV, 1999, 1998}, {OCFA, 1000, 1998}, {OCFB, 101, 1998, 1798}}},
    {"ctc_icr", {{ICF, 1000, 1000}, {OCFA, 4, 1000}, {OCFB, 101, 1000}}},
    {"fast_icr", {{TOV, 1000, 1000}, {ICF, 1000, 1000}, {OCFA, 4, 1000}, {OCFB, 101, 1000}}},
    {"fast_ocra", {{TOV, 1000, 1000}, {OCFA, 1000, 1000}, {OCFB, 101, 1000}}},
};

class TimerModes : public ::testing::TestWithParam<const char*> {
 protected:
  void check(const Mode& mode, std::uint16_t tifr, std::uint8_t mask) {
    SCOPED_TRACE(mode.label);
    bench.run_to(mode.label);
    bench.step();
    const Cycles start = bench.machine.cycle();
    std::map<std::int64_t, int> flags;
    while ((bench.machine.cycle() - start).count < watched) {
      bench.step();
      const int set = bench.machine.peek(tifr) & mask;
      if (set != 0) flags[(bench.machine.cycle() - start).count] = set;
    }
    // The flag of a cycle inside the call of the sled is seen at its end.
    std::map<std::int64_t, int> expected;
    for (const auto& [at, set] : diagram(mode)) expected[at < call ? call : at] |= set;
    EXPECT_EQ(flags, expected);
  }

  const std::string mcu = GetParam();
  const std::int64_t call = mcu == "atmega2560" ? 5 : 4;
  Bench bench{"timer_modes_" + mcu, mcu};
};
INSTANTIATE_TEST_SUITE_P(Mcus, TimerModes, ::testing::Values("atmega328p", "atmega2560"),
                         [](const auto& test) { return std::string{test.param}; });

TEST_P(TimerModes, SetTheirFlagsAtTheCyclesOfTheTimingDiagrams) {
  for (const auto& mode : modes8) check(mode, TIFR0, TOV | OCFA | OCFB);
  for (const auto& mode : modes16) check(mode, TIFR1, TOV | OCFA | OCFB | ICF);
}

}  // namespace
}  // namespace avrlan::testing
