// Page 3: the EEPROM, the configuration that comes from it, sleep, medium, LEDs.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/rtl8019as_bench.hpp"

namespace avrlan {
namespace {

using Eeprom = Rtl8019asOptions::Eeprom;

// --- CONFIG0 to 4

TEST(Rtl8019asConfiguration, AnAbsentEepromLeavesTheChipAsleepOnCoax) {
  Rtl8019asBench bench{{.jumper_mode = false}};
  EXPECT_EQ(bench.chip.io_base(), 0x2E0);
  bench.chip.write(0x2E0, 0xE1);
  EXPECT_EQ(bench.chip.read(0x2E3), 0x04) << "BNC";
  EXPECT_EQ(bench.chip.read(0x2E4), 0xFF);
  EXPECT_EQ(bench.chip.read(0x2E5), 0xFF);
  EXPECT_EQ(bench.chip.read(0x2E6), 0xFF);
}

TEST(Rtl8019asConfiguration, InJumperModeThePinsDecide) {
  Rtl8019asBench bench{{.eeprom = Eeprom::blank, .irqs = 5, .pl = 1}};
  EXPECT_EQ(bench.read(3, 0x03), 0x08) << "JP";
  EXPECT_EQ(bench.read(0x04), 0xD0);
  EXPECT_EQ(bench.read(0x05), 0x40);
  EXPECT_EQ(bench.read(0x06), 0xFF) << "CONFIG3 is the EEPROM's in every mode";
}

TEST(Rtl8019asConfiguration, IsWrittenOnlyWhenUnlocked) {
  Rtl8019asBench bench;
  bench.write(3, 0x06, 0x00);
  EXPECT_EQ(bench.read(0x06), 0xFF);
  EXPECT_EQ(bench.count("rtl8019as-config-locked"), 1u);
  bench.write(0x01, 0xC0);
  bench.write(0x06, 0x00);
  bench.write(0x05, 0x5F);
  bench.write(0x04, 0x00);
  EXPECT_EQ(bench.read(0x06), 0xB9) << "FUDUP, SLEEP and PWRDN can be written";
  EXPECT_EQ(bench.read(0x05), 0x40);
  EXPECT_EQ(bench.read(0x04), 0x00);
  EXPECT_EQ(bench.count("rtl8019as-config-locked"), 1u);
}

TEST(Rtl8019asConfiguration, TheLinkComes32MillisecondsAfterTheChipHasWoken) {
  Rtl8019asBench bench;
  bench.advance(Duration::milliseconds(100));
  EXPECT_EQ(bench.read(3, 0x03) & 0x04, 0x04) << "BNC: no link";
  bench.configure(0x00);
  bench.advance(Duration::milliseconds(31));
  EXPECT_EQ(bench.read(3, 0x03) & 0x04, 0x04);
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.read(3, 0x03) & 0x04, 0x00);
}

TEST(Rtl8019asConfiguration, WithoutALinkTestTheCableDoes) {
  Rtl8019asBench bench;
  bench.write(3, 0x01, 0xC0);
  bench.write(0x05, 0x40);
  bench.start();
  bench.arrive(Rtl8019asBench::frame(60));
  EXPECT_EQ(bench.chip.counters().rx_frames, 1u);
}

TEST(Rtl8019asConfiguration, LedsByConfig3) {
  Rtl8019asBench bench{{.eeprom = Eeprom::programmed}};
  std::vector<std::pair<std::size_t, bool>> edges;
  bench.chip.on_led([&](std::size_t number, bool lit) { edges.emplace_back(number, lit); });
  using Edges = decltype(edges);
  bench.start();
  EXPECT_EQ(edges, (Edges{{0, true}})) << "LED0: the link";
  edges.clear();
  bench.arrive(Rtl8019asBench::frame(60));
  EXPECT_EQ(edges, (Edges{{1, true}, {1, false}})) << "LED1: reception";
  edges.clear();
  bench.request(Rtl8019asBench::octets(60, Rtl8019asBench::peer));
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(edges, (Edges{{2, true}, {2, false}})) << "LED2: transmission";
  bench.chip.set_link(false);
  EXPECT_FALSE(bench.chip.led(0));
  EXPECT_EQ(bench.chip.led_names().size(), 3u);
}

// --- the EEPROM itself, by its pins

class Pins {
 public:
  explicit Pins(Rtl8019asBench& bench) : bench_(bench) { bench_.write(3, 0x01, 0x80); }
  void begin() { bench_.write(0x01, 0x88); }
  void end() { bench_.write(0x01, 0x80); }
  bool clock(bool di) {
    const unsigned data = di ? 0x02 : 0x00;
    bench_.write(0x01, 0x88 | data);
    bench_.write(0x01, 0x8C | data);
    return (bench_.read(0x01) & 0x01) != 0;
  }
  void send(unsigned value, unsigned bits) {
    while (bits-- != 0) clock((value >> bits & 1) != 0);
  }
  unsigned read(unsigned address) {
    begin();
    send(0x180 | address, 9);
    EXPECT_EQ(bench_.read(0x01) & 0x01, 0x00) << "the dummy bit";
    unsigned word = 0;
    for (int bit = 0; bit < 16; ++bit) word = word << 1 | (clock(false) ? 1u : 0u);
    end();
    return word;
  }
  void command(unsigned value, unsigned bits) {
    begin();
    send(value, bits);
    end();
  }

 private:
  Rtl8019asBench& bench_;
};

TEST(Rtl8019asEeprom, IsReadAndWrittenByItsPins) {
  Rtl8019asBench bench{{.eeprom = Eeprom::programmed, .mac = Rtl8019asBench::mac}};
  Pins pins{bench};
  EXPECT_EQ(pins.read(2), 0x1102u) << "the first two octets of the station address";
  pins.command(0x145 << 16 | 0x1234, 25);
  EXPECT_EQ(pins.read(5), 0xFFFFu) << "not before EWEN";
  pins.command(0x130, 9);
  pins.command(0x145 << 16 | 0x1234, 25);
  EXPECT_EQ(pins.read(5), 0x1234u);
  pins.command(0x1C5, 9);
  EXPECT_EQ(pins.read(5), 0xFFFFu) << "ERASE";
  pins.command(0x110 << 16 | 0x5555, 25);
  EXPECT_EQ(pins.read(0), 0x5555u) << "WRAL";
  EXPECT_EQ(pins.read(63), 0x5555u);
  pins.command(0x120, 9);
  EXPECT_EQ(pins.read(63), 0xFFFFu) << "ERAL";
  pins.command(0x100, 9);
  pins.command(0x145 << 16 | 0x1234, 25);
  EXPECT_EQ(bench.chip.eeprom()[5], 0xFFFF) << "EWDS";
}

TEST(Rtl8019asEeprom, AnAbsentOneReadsOnes) {
  Rtl8019asBench bench;
  Pins pins{bench};
  pins.begin();
  for (int n = 0; n < 30; ++n) EXPECT_TRUE(pins.clock(n % 3 == 0));
}

TEST(Rtl8019asEeprom, IsLoadedOnCommandAndTheChipIsThenReset) {
  Rtl8019asBench bench{{.eeprom = Eeprom::programmed, .mac = Rtl8019asBench::mac}};
  Pins pins{bench};
  pins.command(0x130, 9);
  pins.command(0x141 << 16 | 0x0040, 25);  // CONFIG3: FUDUP
  pins.command(0x142 << 16 | 0xBBAA, 25);
  EXPECT_EQ(bench.read(3, 0x06), 0x10);
  bench.write(3, 0x01, 0x40);
  EXPECT_EQ(bench.read(0x01) & 0xC0, 0x40);
  bench.advance(Duration::microseconds(1800));
  EXPECT_EQ(bench.read(0), 0xE1) << "not yet";
  bench.advance(Duration::microseconds(100));
  EXPECT_EQ(bench.read(0), 0x21);
  EXPECT_EQ(bench.read(3, 0x01) & 0xC0, 0x00);
  EXPECT_EQ(bench.read(0x06), 0x40);
  EXPECT_EQ(bench.read_memory(0, 4), (Octets{0xAA, 0xAA, 0xBB, 0xBB}));
}

// A board without the part, on which the MCU plays it: 11 clocks, 16 of data that changes when EESK rises, 5 more.
TEST(Rtl8019asEeprom, SomebodyElseMayPlayIt) {
  Rtl8019asBench bench{{.eeprom = Eeprom::external}};
  const std::uint8_t contents[18] = {0x00, 0x80, 0xFF, 0x30, 0x11, 0x02, 0x33, 0x22, 0x55, 0x44};
  unsigned clocks = 0;
  bench.chip.on_eesk([&](bool high) {
    if (!high) {
      bench.chip.set_eedo(false);
      ++clocks;
      return;
    }
    const unsigned in_word = clocks % 32, word = clocks / 32;
    if (in_word < 11 || in_word >= 27) return;
    const unsigned bit = in_word - 11;
    bench.chip.set_eedo((contents[2 * word + bit / 8] >> (7 - bit % 8) & 1) != 0);
  });
  EXPECT_EQ(bench.read(3, 0x06), 0xFF) << "nobody has played it at power-on";
  bench.write(0, 0xE1);
  bench.write(0x01, 0x40);
  bench.advance(Duration::milliseconds(2));
  EXPECT_EQ(clocks, 9u * 32);
  EXPECT_EQ(bench.read(0), 0x21);
  EXPECT_EQ(bench.read(3, 0x06), 0x30);
  EXPECT_EQ(bench.read_memory(0, 12), (Octets{0x02, 0x02, 0x11, 0x11, 0x22, 0x22, 0x33, 0x33, 0x44, 0x44, 0x55, 0x55}));
}

}  // namespace
}  // namespace avrlan
