#include <gtest/gtest.h>

#include "tests/accuracy/machine/pin_trace.hpp"

namespace avrlan::testing {
namespace {

constexpr std::uint8_t SPE = 0x40;
constexpr std::uint8_t DORD = 0x20;
constexpr std::uint8_t MSTR = 0x10;
constexpr std::uint8_t CPOL = 0x08;
constexpr std::uint8_t CPHA = 0x04;
constexpr std::uint16_t SPSR = 0x4d;
constexpr std::uint8_t SPIF = 0x80;
constexpr std::uint8_t WCOL = 0x40;

struct Pins {
  const char* mcu;
  Pin ss, mosi, miso, sck;
  std::uint16_t ram;
};
constexpr Pins all_pins[] = {
    {"atmega328p", {'B', 2}, {'B', 3}, {'B', 4}, {'B', 5}, 0x100},
    {"atmega2560", {'B', 0}, {'B', 2}, {'B', 3}, {'B', 1}, 0x200},
};

std::uint8_t mask(Pin pin) {
  return static_cast<std::uint8_t>(1u << pin.bit);
}

class SpiPins : public ::testing::TestWithParam<Pins> {
 protected:
  const Pins& pins() const { return GetParam(); }
  Firmware program(const std::string& name, std::vector<std::uint8_t> config) const {
    Firmware firmware = assembled(name + "_" + pins().mcu);
    std::copy(config.begin(), config.end(), firmware.flash.begin() + label(firmware, "config"));
    return firmware;
  }
};
INSTANTIATE_TEST_SUITE_P(Mcus, SpiPins, ::testing::ValuesIn(all_pins),
                         [](const auto& test) { return std::string{test.param.mcu}; });

constexpr std::uint8_t modes[] = {0, CPHA, CPOL, CPOL | CPHA};

// What is on the wire, the first bit first.
std::vector<bool> bits(std::uint8_t byte, bool lsb_first) {
  std::vector<bool> result;
  for (int i = 0; i < 8; ++i) result.push_back((byte >> (lsb_first ? i : 7 - i) & 1) != 0);
  return result;
}

// Figures "SPI Transfer Format with CPHA = 0" and "... CPHA = 1": eight clocks; with CPHA = 0 a bit is there half a period
// before the leading edge, with CPHA = 1 it comes with it. SPIF is set at the last edge.
TEST_P(SpiPins, TheMastersClockAndData) {
  for (const std::uint8_t mode : modes) {
    for (const std::uint8_t order : {std::uint8_t{0}, DORD}) {
      const auto outputs = static_cast<std::uint8_t>(mask(pins().ss) | mask(pins().mosi) | mask(pins().sck));
      const auto spcr = static_cast<std::uint8_t>(SPE | MSTR | mode | order | 1);  // fosc/16
      Bench bench(program("spi_modes", {outputs, spcr, 0, 0x6b}), board_with(pins().mcu));
      PinTrace sck(bench, pins().sck);
      PinTrace mosi(bench, pins().mosi);
      bench.run_to("send");
      sck.edges.clear();
      mosi.edges.clear();
      const bool mosi_before = bench.machine.gpio().level(pins().mosi);
      const Cycles start = bench.run_to("stored");
      const Cycles spif = bench.run_until([&] { return (bench.machine.peek(SPSR) & SPIF) != 0; });
      EXPECT_GE(spif, start + Cycles{128});
      EXPECT_LE(spif, start + Cycles{129});

      const bool idle = (mode & CPOL) != 0;
      std::vector<bool> clock;
      for (int half = 0; half <= 16; ++half) clock.push_back((half % 2 != 0) != idle);
      EXPECT_EQ(sck.edges, edges_of(clock, start, 8, idle)) << "mode " << int{mode};
      const Cycles first_bit = (mode & CPHA) != 0 ? start + Cycles{8} : start;
      EXPECT_EQ(mosi.edges, edges_of(bits(0x6b, order != 0), first_bit, 16, mosi_before)) << "mode " << int{mode};
    }
  }
}

TEST_P(SpiPins, AWireFromMosiToMisoBringsTheByteBack) {
  for (const std::uint8_t mode : modes) {
    for (const std::uint8_t order : {std::uint8_t{0}, DORD}) {
      const auto outputs = static_cast<std::uint8_t>(mask(pins().ss) | mask(pins().mosi) | mask(pins().sck));
      const auto spcr = static_cast<std::uint8_t>(SPE | MSTR | mode | order);
      Bench bench(program("spi_modes", {outputs, spcr, 1, 0x6b}), board_with(pins().mcu));
      auto& gpio = bench.machine.gpio();
      gpio.drive(pins().miso, gpio.level(pins().mosi));
      gpio.watch(pins().mosi, [&](bool high) { gpio.drive(pins().miso, high); });
      const Cycles out = bench.run_to("send");
      EXPECT_EQ((bench.run_to("received") - out).count, 21) << "nobody waits longer for it";
      EXPECT_EQ(bench.reg(2), 0x6b) << "mode " << int{mode};
    }
  }
}

// Without a watcher the levels are right, too.
TEST_P(SpiPins, PinsAreReadAsTheyAre) {
  const auto outputs = static_cast<std::uint8_t>(mask(pins().ss) | mask(pins().mosi) | mask(pins().sck));
  Bench bench(program("spi_modes", {outputs, SPE | MSTR | 1, 0, 0x6b}), board_with(pins().mcu));
  const Cycles start = bench.run_to("stored");
  bench.machine.run_until(bench.clock.at(start + Cycles{8 + 5 * 16 + 3}));
  EXPECT_TRUE(bench.machine.gpio().level(pins().sck));
  EXPECT_FALSE(bench.machine.gpio().level(pins().mosi)) << "bit 2 of 0x6b";
  bench.machine.run_until(bench.clock.at(start + Cycles{16 + 5 * 16 + 3}));
  EXPECT_FALSE(bench.machine.gpio().level(pins().sck));
  EXPECT_TRUE(bench.machine.gpio().level(pins().mosi)) << "bit 1";
}

// A master made of pins: clocks bytes in any mode, and reads MISO in the middle of each bit.
class PinMaster {
 public:
  PinMaster(Bench& bench, const Pins& pins, std::uint8_t mode, bool lsb_first)
      : bench_(bench), pins_(pins), mode_(mode), lsb_first_(lsb_first) {
    gpio().drive(pins.ss, true);
    gpio().drive(pins.sck, (mode & CPOL) != 0);
  }
  void select(bool low) { gpio().drive(pins_.ss, !low); }

  std::uint8_t clock(std::uint8_t byte, int count = 8) {
    std::uint8_t miso = 0;
    const bool idle = (mode_ & CPOL) != 0;
    const bool phase = (mode_ & CPHA) != 0;
    const auto mosi = bits(byte, lsb_first_);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      if (!phase) gpio().drive(pins_.mosi, mosi[i]);
      wait();
      gpio().drive(pins_.sck, !idle);
      if (phase) gpio().drive(pins_.mosi, mosi[i]);
      if (!phase) sample(miso, i);
      wait();
      if (phase) sample(miso, i);
      gpio().drive(pins_.sck, idle);
    }
    wait();
    return miso;
  }

 private:
  peripherals::Gpio& gpio() { return bench_.machine.gpio(); }
  void wait() { bench_.machine.run_until(bench_.machine.now() + Duration::microseconds(2)); }
  void sample(std::uint8_t& byte, std::size_t i) {
    const unsigned bit = gpio().level(pins_.miso) ? 1 : 0;
    byte = static_cast<std::uint8_t>(byte | bit << (lsb_first_ ? i : 7 - i));
  }

  Bench& bench_;
  const Pins& pins_;
  std::uint8_t mode_;
  bool lsb_first_;
};

TEST_P(SpiPins, TheSlaveIsClockedFromOutside) {
  for (const std::uint8_t mode : modes) {
    for (const std::uint8_t order : {std::uint8_t{0}, DORD}) {
      const auto spcr = static_cast<std::uint8_t>(SPE | mode | order);
      Bench bench(program("spi_slave", {mask(pins().miso), spcr, 0, 0xa5, 0x3c}), board_with(pins().mcu));
      PinMaster master(bench, pins(), mode, order != 0);
      bench.run_to("ready");
      EXPECT_FALSE(bench.machine.gpio().is_output(pins().miso)) << "passive";
      master.select(true);
      EXPECT_TRUE(bench.machine.gpio().is_output(pins().miso));
      EXPECT_EQ(master.clock(0x17), 0xa5) << "mode " << int{mode};
      EXPECT_EQ(master.clock(0x2b), 0x3c) << "mode " << int{mode};
      EXPECT_EQ(master.clock(0x99), 0x2b) << "what it had received, mode " << int{mode};
      const auto ram = pins().ram;
      EXPECT_EQ(bench.machine.peek(ram), 0x17);
      EXPECT_EQ(bench.machine.peek(static_cast<std::uint16_t>(ram + 1)), 0x2b);
      EXPECT_EQ(bench.machine.peek(static_cast<std::uint16_t>(ram + 2)), 0x99);
      if (mode == 0) {
        master.clock(0xff);
        EXPECT_EQ(bench.reg(21) & WCOL, WCOL);
      }
    }
  }
}

// "When the SS pin is driven high, the SPI slave will ... drop any partially received data in the Shift Register."
TEST_P(SpiPins, SsPutsTheSlaveInStepWithItsMaster) {
  Bench bench(program("spi_slave", {mask(pins().miso), SPE, 0, 0xa5, 0x3c}), board_with(pins().mcu));
  PinMaster master(bench, pins(), 0, false);
  bench.run_to("ready");
  master.clock(0xff);  // not selected
  EXPECT_EQ(bench.machine.peek(SPSR) & SPIF, 0);
  master.select(true);
  master.clock(0xff, 3);
  master.select(false);
  master.select(true);
  master.clock(0x17);
  EXPECT_EQ(bench.machine.peek(pins().ram), 0x17);
}

}  // namespace
}  // namespace avrlan::testing
