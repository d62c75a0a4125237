#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

constexpr std::uint16_t SPCR = 0x4c;
constexpr std::uint16_t SPSR = 0x4d;

class Peripherals : public ::testing::TestWithParam<const char*> {
 protected:
  std::string mcu() const { return GetParam(); }
  std::string program(const std::string& name) const { return name + "_" + mcu(); }
  Board board() const { return board_with(mcu()); }
};
INSTANTIATE_TEST_SUITE_P(Mcus, Peripherals, ::testing::Values("atmega328p", "atmega2560"),
                         [](const auto& test) { return std::string{test.param}; });

std::vector<std::string> take(ScriptedChip& chip) {
  std::vector<std::string> what;
  for (const auto& event : chip.events) what.push_back(event.what);
  chip.events.clear();
  return what;
}

using List = std::vector<std::string>;

TEST_P(Peripherals, AChipOnSpiSeesWhatIsMeantForIt) {
  Bench bench(program("spi_bus"), mcu());
  ScriptedChip chip(bench.scheduler);
  chip.answers = {0x55, 0xaa, 0xb0, 0x40};
  bench.machine.attach(chip, chip);

  bench.run_to("not_driven");
  EXPECT_EQ(take(chip), List{}) << "an input is high";
  EXPECT_EQ(bench.reg(2), 0xff) << "nobody drives MISO";
  bench.run_to("high");
  EXPECT_EQ(take(chip), List{}) << "an output that is high";
  bench.run_to("deselected");
  EXPECT_EQ(take(chip), (List{"select", "03", "04", "deselect"}));
  EXPECT_EQ(bench.reg(3), 0x55);
  EXPECT_EQ(bench.reg(4), 0xaa);
  bench.run_to("lsb_first");
  EXPECT_EQ(take(chip), (List{"select", "a0", "deselect"}));
  EXPECT_EQ(bench.reg(5), 0x0d);
  bench.run_to("cut");
  EXPECT_EQ(take(chip), (List{"select", "deselect"})) << "a byte that was not complete";
  EXPECT_EQ(bench.reg(6), 0xff);
  bench.run_to("cut_and_back");
  EXPECT_EQ(take(chip), (List{"select", "deselect", "select", "deselect"}));
}

TEST_P(Peripherals, InAnotherModeBytesAreABitLate) {
  Bench bench(program("spi_bus"), mcu());
  ScriptedChip chip(bench.scheduler);
  chip.answers = {0, 0, 0, 0x40};
  bench.machine.attach(chip, chip);
  bench.run_to("cut_and_back");
  take(chip);
  bench.run_to("wrong_mode");
  EXPECT_EQ(take(chip), (List{"select", "40", "80", "deselect"}));
  EXPECT_EQ(bench.reg(7), 0x81);
  EXPECT_EQ(bench.diagnostics.codes, (List{"spi-mode", "spi-mode"}));
}

TEST_P(Peripherals, AStoreDuringAByteIsLostAndSwitchingOffEndsIt) {
  Bench bench(program("spi_bus"), mcu());
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  bench.run_to("wrong_mode");
  take(chip);
  bench.run_to("collided");
  EXPECT_EQ(take(chip), (List{"select", "08", "deselect"}));
  bench.run_to("switched_off");
  EXPECT_EQ(take(chip), (List{"select", "deselect"}));
  bench.run_to("toggled");
  EXPECT_EQ(take(chip), List{"select"}) << "through PINB";
}

TEST_P(Peripherals, ALowSsInputEndsMasterMode) {
  Board wired = board();
  wired.nic_int = wired.nic_select;
  wired.nic_select = Pin{'B', 4};
  Bench bench(assembled(program("mode_fault")), wired);
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  bench.run_to("master");
  EXPECT_EQ(bench.machine.peek(SPCR), 0x50);
  chip.set_int_pin(false);
  EXPECT_EQ(bench.machine.peek(SPCR), 0x40) << "MSTR is gone";
  EXPECT_EQ(bench.machine.peek(SPSR), 0x80) << "SPIF is set";
  bench.run_to("tried_again");
  EXPECT_EQ(bench.machine.peek(SPCR), 0x40);
  bench.run_to("as_output");
  EXPECT_EQ(bench.machine.peek(SPCR), 0x50) << "an output is no SS";
}

TEST_P(Peripherals, TheResetPinOfAChipFollowsAnOutput) {
  Board wired = board();
  wired.nic_reset = wired.nic_select;
  wired.nic_select = Pin{'B', 4};
  Bench bench(assembled(program("spi_bus")), wired);
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  EXPECT_EQ(take(chip), List{"run"}) << "an input leaves it to the pull-up";
  bench.run_to("low");
  EXPECT_EQ(take(chip), List{"reset"});
  bench.run_to("deselected");
  EXPECT_EQ(take(chip), List{"run"});
}

TEST_P(Peripherals, AResetPinThatIsHighActiveNeedsNoPullUp) {
  Board wired = board();
  wired.nic_reset = wired.nic_select;
  wired.nic_reset_high = true;
  wired.nic_select = Pin{'B', 4};
  Bench bench(assembled(program("spi_bus")), wired);
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  EXPECT_EQ(take(chip), List{"run"}) << "an input";
  bench.run_to("deselected");
  EXPECT_EQ(take(chip).back(), "reset") << "the firmware drives it high";
}

TEST_P(Peripherals, TheInterruptPinIsReadFromPin) {
  const unsigned bit = board().nic_int->bit;
  Bench bench(program("pins"), mcu());
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  bench.run_to("driven");
  bench.run_to("again");
  EXPECT_EQ(bench.reg(2) >> bit & 1, 1);
  chip.set_int_pin(false);
  bench.run_to_end();
  EXPECT_EQ(bench.reg(3) >> bit & 1, 0);
  EXPECT_EQ(bench.reg(4) >> bit & 1, 0) << "a pull-up is weaker than the chip";
}

TEST_P(Peripherals, AFirmwareEchoesWhatItReceives) {
  Bench bench(program("echo"), mcu());
  std::string sent;
  bench.machine.on_uart([&](std::uint8_t byte) { sent += static_cast<char>(byte); });
  bench.run_to("ready");
  for (const char c : std::string{"hello, wirex"}) bench.machine.uart_receive(static_cast<std::uint8_t>(c));
  ASSERT_TRUE(bench.run_to_end());
  EXPECT_EQ(sent, "hello, wire");
}

TEST_P(Peripherals, ReceivedBytesThatNobodyTakesAreOverrun) {
  constexpr std::uint8_t RXC = 0x80;
  constexpr std::uint8_t DOR = 0x08;
  Bench bench(program("overrun"), mcu());
  bench.run_to("ready");
  for (std::uint8_t byte = 1; byte <= 4; ++byte) bench.machine.uart_receive(byte);
  bench.run_to_end();
  // Two in the buffer, the third in the shift register until the fourth overwrites it.
  EXPECT_EQ(bench.reg(2) & (RXC | DOR), RXC);
  EXPECT_EQ(bench.reg(3), 1);
  EXPECT_EQ(bench.reg(4) & (RXC | DOR), RXC);
  EXPECT_EQ(bench.reg(5), 2);
  EXPECT_EQ(bench.reg(6) & (RXC | DOR), RXC | DOR);
  EXPECT_EQ(bench.reg(7), 4);
  EXPECT_EQ(bench.reg(8) & (RXC | DOR), 0);
}

// "... it is a new character waiting in the Receive Shift Register, and a new start bit is detected": with its tenth sample.
TEST_P(Peripherals, AStartBitOverwritesAFrameThatWaits) {
  constexpr std::uint8_t RXC = 0x80;
  constexpr std::uint8_t DOR = 0x08;
  constexpr std::int64_t frame = 10 * 16;
  const Cycles look = Bench(program("overrun"), mcu()).run_to("look");
  // The third frame is complete, and the fourth has begun just now, or two bits ago.
  for (const std::int64_t into_fourth : {-1, 32}) {
    Bench bench(program("overrun"), mcu());
    bench.run_to("ready");
    bench.machine.run_until(bench.clock.at(look - Cycles{3 * frame + into_fourth}));
    for (std::uint8_t byte = 1; byte <= 4; ++byte) bench.machine.uart_receive(byte);
    bench.run_to_end();
    EXPECT_EQ(bench.reg(3), 1);
    EXPECT_EQ(bench.reg(5), 2);
    EXPECT_EQ(bench.reg(6) & (RXC | DOR), into_fourth < 0 ? RXC : 0) << "the third is there, or lost";
    if (into_fourth < 0) {
      EXPECT_EQ(bench.reg(7), 3);
    }
  }
}

}  // namespace
}  // namespace avrlan::testing
