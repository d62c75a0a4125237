// Every register, bit and vector of the timers against avr-libc's headers.

#include "emulator/peripherals/timer_layout.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <map>
#include <regex>

#include "emulator/cpu/mcu.hpp"

namespace avrlan::peripherals {
namespace {

// The numbers among the #defines of <avr/io.h>: data addresses, vectors, bits.
class Macros {
 public:
  explicit Macros(const std::string& mcu) {
    std::ifstream file(std::string{AVRLAN_ASSEMBLED_DIR} + "/" + mcu + ".macros");
    const std::regex line(
        R"(#define (\w+) +(?:(_SFR_IO8|_SFR_MEM8|_SFR_IO16|_SFR_MEM16|_VECTOR) ?\()?(0[xX][0-9a-fA-F]+|\d+)\)?)");
    for (std::string text; std::getline(file, text);) {
      std::smatch match;
      if (!std::regex_match(text, match, line)) continue;
      const int number = std::stoi(match[3], nullptr, 0);
      values_[match[1]] = match[2].str().starts_with("_SFR_IO") ? number + 0x20 : number;
    }
  }
  // Of the first of these names that is defined; -1 for none.
  int operator()(std::initializer_list<std::string> names) const {
    for (const auto& name : names) {
      if (const auto found = values_.find(name); found != values_.end()) return found->second;
    }
    return -1;
  }
  bool empty() const { return values_.empty(); }

 private:
  std::map<std::string, int> values_;
};

class TimerLayoutTest : public ::testing::TestWithParam<cpu::Mcu> {
 protected:
  const std::string mcu{GetParam().name};
  const Macros macro{mcu};

  static int bit(RegisterBit bit) { return std::countr_zero(unsigned{bit.mask}); }

  void expect_source(const InterruptSource& source, const std::string& n, const std::string& vector,
                     std::initializer_list<std::string> flags, std::initializer_list<std::string> enables) {
    EXPECT_EQ(static_cast<int>(source.vector),
              macro({"TIMER" + n + "_" + vector + "_vect", "TIMER" + n + "_" + vector + "A_vect"}))
        << vector;
    EXPECT_EQ(bit(source.flag), macro(flags)) << vector;
    EXPECT_EQ(bit(source.enable), macro(enables)) << vector;
    const bool extended = source.flag.address == macro({"ETIFR"});
    EXPECT_EQ(source.flag.address, extended ? macro({"ETIFR"}) : macro({"TIFR" + n, "TIFR"})) << vector;
    EXPECT_EQ(source.enable.address, extended ? macro({"ETIMSK"}) : macro({"TIMSK" + n, "TIMSK"})) << vector;
    // The headers do not say in which register a bit is; the ATmega128 has these in the extended ones.
    EXPECT_EQ(extended, mcu == "atmega128" && (n == "3" || (flags.begin()->back() == 'C'))) << vector;
  }
};
INSTANTIATE_TEST_SUITE_P(All, TimerLayoutTest, ::testing::ValuesIn(cpu::mcus()),
                         [](const auto& test) { return std::string{test.param.name}; });

TEST_P(TimerLayoutTest, IsWhatTheHeadersSay) {
  ASSERT_FALSE(macro.empty());
  const TimersLayout layout = timers_layout(mcu);
  std::string names;
  for (const auto& timer : layout.timers) {
    const std::string n{timer.name};
    SCOPED_TRACE("timer " + n);
    names += n;
    EXPECT_EQ(timer.tccra, macro({"TCCR" + n + "A", "TCCR" + n}));
    EXPECT_EQ(timer.tccrb, macro({"TCCR" + n + "B", "TCCR" + n}));
    EXPECT_EQ(timer.tcnt, macro({"TCNT" + n + "L", "TCNT" + n}));
    EXPECT_EQ(timer.wide, macro({"TCNT" + n + "H"}) != -1);
    if (timer.wide) {
      EXPECT_EQ(timer.tcnt + 1, macro({"TCNT" + n + "H"}));
    }
    EXPECT_EQ(timer.icr == 0 ? -1 : timer.icr, macro({"ICR" + n + "L"}));
    expect_source(timer.overflow, n, "OVF", {"TOV" + n}, {"TOIE" + n});
    if (macro({"TIMER" + n + "_CAPT_vect"}) == -1) {
      EXPECT_EQ(timer.capture.vector, 0U);
    } else {
      expect_source(timer.capture, n, "CAPT", {"ICF" + n}, {"ICIE" + n, "TICIE" + n});
    }

    for (std::size_t index = 0; index < 3; ++index) {
      const bool only = macro({"OCR" + n}) != -1 && !timer.wide;
      const std::string x = only ? "" : std::string(1, static_cast<char>('A' + index));
      const int ocr = macro({"OCR" + n + x + "L", "OCR" + n + x});
      if (index >= timer.channels.size()) {
        EXPECT_EQ(only ? -1 : ocr, -1) << "channel " << x;
        continue;
      }
      const TimerChannel& channel = timer.channels[index];
      EXPECT_EQ(channel.ocr, ocr);
      expect_source(channel.compare, n, "COMP" + x, {"OCF" + n + x}, {"OCIE" + n + x});
      EXPECT_EQ(bit(channel.force), macro({"FOC" + n + x}));
      const bool in_tccrc = timer.wide && macro({"TCCR" + n + "C"}) != -1;
      EXPECT_EQ(channel.force.address, in_tccrc ? macro({"TCCR" + n + "C"}) : timer.wide ? timer.tccra : timer.tccrb);
    }

    const int power = macro({"PRTIM" + n});
    EXPECT_EQ(timer.power_reduction.address == 0 ? -1 : bit(timer.power_reduction), power);
    if (power != -1) {
      EXPECT_EQ(timer.power_reduction.address, n < "3" ? macro({"PRR0", "PRR"}) : macro({"PRR1"}));
    }
    const AsynchronousTimer& asynchronous = timer.asynchronous;
    EXPECT_EQ(timer.own_prescaler(), macro({"TCN" + n + "UB"}) != -1);
    if (!timer.own_prescaler()) continue;
    const auto expect_bit = [&](std::uint8_t mask, std::initializer_list<std::string> names_of_bit) {
      EXPECT_EQ(bit({0, mask}), macro(names_of_bit)) << *names_of_bit.begin();
    };
    EXPECT_EQ(asynchronous.assr, macro({"ASSR"}));
    expect_bit(asynchronous.as, {"AS" + n});
    expect_bit(asynchronous.tcnt_busy, {"TCN" + n + "UB"});
    expect_bit(asynchronous.ocr_busy[0], {"OCR" + n + "AUB", "OCR" + n + "UB"});
    if (timer.channels.size() > 1) expect_bit(asynchronous.ocr_busy[1], {"OCR" + n + "BUB"});
    expect_bit(asynchronous.tccra_busy, {"TCR" + n + "AUB", "TCR" + n + "UB"});
    expect_bit(asynchronous.tccrb_busy, {"TCR" + n + "BUB", "TCR" + n + "UB"});
  }

  std::string expected;
  for (const char* n : {"0", "1", "2", "3", "4", "5"}) {
    const bool has = macro({std::string{"TCNT"} + n, std::string{"TCNT"} + n + "L"}) != -1;
    if (has && !(mcu == "atmega32u4" && *n == '4')) expected += n;
  }
  EXPECT_EQ(names, expected);

  EXPECT_EQ(layout.prescaler_register, macro({"GTCCR", "SFIOR"}));
  EXPECT_EQ(layout.hold == 0 ? -1 : bit({0, layout.hold}), macro({"TSM"}));
  EXPECT_EQ(bit({0, layout.reset_shared}), macro({"PSRSYNC", "PSR321", "PSR10"}));
  EXPECT_EQ(bit({0, layout.reset_own}), macro({"PSRASY", "PSR2", "PSR0"}));
}

}  // namespace
}  // namespace avrlan::peripherals
