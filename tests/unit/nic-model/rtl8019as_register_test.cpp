// Every register's value at power-on and its writable bits, typed from Realtek's and National's tables a second time.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/unit/nic-model/rtl8019as_bench.hpp"

namespace avrlan {
namespace {

using rtl8019as::Side;

struct Expected {
  std::string name;
  unsigned page;
  std::uint8_t address;
  std::uint8_t reset;
  std::uint8_t writable;  // bits that read back as written
};
std::ostream& operator<<(std::ostream& out, const Expected& expected) {
  return out << expected.name;
}

class Rtl8019asRegisters : public testing::TestWithParam<Expected> {};

TEST_P(Rtl8019asRegisters, ValueAtPowerOnAndWritableBits) {
  const Expected& expected = GetParam();
  Rtl8019asBench bench;
  EXPECT_EQ(bench.read(expected.page, expected.address), expected.reset);
  const auto fixed = static_cast<std::uint8_t>(expected.reset & ~expected.writable);
  for (const unsigned value : {0xFFu, 0x00u, 0xA5u}) {
    bench.write(expected.address, value);
    EXPECT_EQ(bench.read(expected.address), (value & expected.writable) | fixed);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tables, Rtl8019asRegisters,
    testing::ValuesIn(std::vector<Expected>{
        {"CLDA0", 0, 0x01, 0x00, 0x00},   {"CLDA1", 0, 0x02, 0x00, 0x00},   {"BNRY", 0, 0x03, 0x00, 0xFF},
        {"TSR", 0, 0x04, 0x22, 0x00},     {"NCR", 0, 0x05, 0x00, 0x00},     {"FIFO", 0, 0x06, 0x00, 0x00},
        {"ISR", 0, 0x07, 0x80, 0x00},     {"ID0", 0, 0x0A, 0x50, 0x00},     {"ID1", 0, 0x0B, 0x70, 0x00},
        {"CRDA0", 0, 0x08, 0x00, 0xFF},   {"CRDA1", 0, 0x09, 0x00, 0xFF},   {"RSR", 0, 0x0C, 0x00, 0x00},
        {"CNTR0", 0, 0x0D, 0x00, 0x00},   {"CNTR1", 0, 0x0E, 0x00, 0x00},   {"CNTR2", 0, 0x0F, 0x00, 0x00},
        {"PAR0", 1, 0x01, 0x00, 0xFF},    {"PAR1", 1, 0x02, 0x00, 0xFF},    {"PAR2", 1, 0x03, 0x00, 0xFF},
        {"PAR3", 1, 0x04, 0x00, 0xFF},    {"PAR4", 1, 0x05, 0x00, 0xFF},    {"PAR5", 1, 0x06, 0x00, 0xFF},
        {"CURR", 1, 0x07, 0x00, 0xFF},    {"MAR0", 1, 0x08, 0x00, 0xFF},    {"MAR1", 1, 0x09, 0x00, 0xFF},
        {"MAR2", 1, 0x0A, 0x00, 0xFF},    {"MAR3", 1, 0x0B, 0x00, 0xFF},    {"MAR4", 1, 0x0C, 0x00, 0xFF},
        {"MAR5", 1, 0x0D, 0x00, 0xFF},    {"MAR6", 1, 0x0E, 0x00, 0xFF},    {"MAR7", 1, 0x0F, 0x00, 0xFF},
        {"BPAGE", 3, 0x02, 0x00, 0xFF},   {"CONFIG0", 3, 0x03, 0x0C, 0x00}, {"CONFIG1", 3, 0x04, 0x80, 0x00},
        {"CONFIG2", 3, 0x05, 0x00, 0x00}, {"CONFIG3", 3, 0x06, 0xFF, 0x00}, {"CSNSAV", 3, 0x08, 0x00, 0x00},
        {"INTR", 3, 0x0B, 0x00, 0x00},    {"CONFIG4", 3, 0x0D, 0x01, 0x00},
    }),
    [](const auto& param) { return param.param.name; });

// Page 0's registers that can only be written, read in page 2.
struct Mirrored {
  std::string name;
  std::uint8_t address;
  std::uint8_t reset;
  std::uint8_t writable;
};
std::ostream& operator<<(std::ostream& out, const Mirrored& mirrored) {
  return out << mirrored.name;
}

class Rtl8019asPage2 : public testing::TestWithParam<Mirrored> {};

TEST_P(Rtl8019asPage2, ShowsWhatPage0Took) {
  const Mirrored& row = GetParam();
  Rtl8019asBench bench;
  EXPECT_EQ(bench.read(2, row.address), row.reset);
  const auto fixed = static_cast<std::uint8_t>(row.reset & ~row.writable);
  for (const unsigned value : {0xFFu, 0x00u, 0xA5u}) {
    bench.write(0, row.address, value);
    EXPECT_EQ(bench.read(2, row.address), (value & row.writable) | fixed);
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, Rtl8019asPage2,
                         testing::ValuesIn(std::vector<Mirrored>{{"PSTART", 0x01, 0x00, 0xFF},
                                                                 {"PSTOP", 0x02, 0x00, 0xFF},
                                                                 {"TPSR", 0x04, 0x00, 0xFF},
                                                                 {"RCR", 0x0C, 0xC0, 0x3F},
                                                                 {"TCR", 0x0D, 0xE0, 0x1F},
                                                                 {"DCR", 0x0E, 0x84, 0x7F},
                                                                 {"IMR", 0x0F, 0x80, 0x7F}}),
                         [](const auto& param) { return param.param.name; });

class Rtl8019asRegister : public testing::Test {
 protected:
  Rtl8019asBench bench;
};

TEST_F(Rtl8019asRegister, TheCommandRegisterIsTheSameInEveryPage) {
  EXPECT_EQ(bench.read(0), 0x21);
  for (unsigned page = 0; page < 4; ++page) {
    bench.write(0, page << 6 | 0x21);
    EXPECT_EQ(bench.read(0), page << 6 | 0x21);
  }
}

TEST_F(Rtl8019asRegister, WhatCannotBeReadGivesTheIdleBus) {
  for (const unsigned address : {0x03u, 0x05u, 0x06u, 0x07u, 0x08u, 0x09u, 0x0Au, 0x0Bu}) {
    EXPECT_EQ(bench.read(2, address), 0xFF) << address;
  }
  for (const unsigned address : {0x09u, 0x0Au, 0x0Cu, 0x0Eu, 0x0Fu}) EXPECT_EQ(bench.read(3, address), 0xFF) << address;
}

TEST_F(Rtl8019asRegister, OtherAddressesAreOtherPeoples) {
  EXPECT_EQ(bench.chip.read(0x8200), 0xFF);
  EXPECT_EQ(bench.chip.read(0x8320), 0xFF);
  EXPECT_EQ(bench.chip.read(0x8300), 0x21);
  EXPECT_EQ(bench.chip.read(0x0300), 0x21) << "the board decodes what is above line 9";
  bench.chip.write(0x8320, 0x22);
  EXPECT_EQ(bench.chip.read(0x8300), 0x21);
}

TEST_F(Rtl8019asRegister, TheBaseIsThatOfThePins) {
  const std::uint16_t bases[] = {0x300, 0x320, 0x340, 0x360, 0x380, 0x3A0, 0x3C0, 0x3E0,
                                 0x200, 0x220, 0x240, 0x260, 0x280, 0x2A0, 0x2C0, 0x2E0};
  for (unsigned ios = 0; ios < 16; ++ios) {
    Rtl8019asBench other{{.ios = ios}};
    EXPECT_EQ(other.chip.read(bases[ios]), 0x21) << ios;
  }
}

TEST_F(Rtl8019asRegister, PeeksWithoutSideEffects) {
  bench.start();
  EthernetFrame broken = Rtl8019asBench::frame(60);
  broken.fcs ^= 1;
  bench.arrive(broken);
  bench.select(0);
  EXPECT_EQ(bench.chip.peek(0x830E), 1);
  EXPECT_EQ(bench.chip.peek(0x830E), 1);
  EXPECT_EQ(bench.chip.peek(Side::page0_read, 0x0E), 1);
  EXPECT_EQ(bench.read(0x0E), 1);
  EXPECT_EQ(bench.read(0x0E), 0) << "a read clears the counter";
  bench.chip.peek(0x831F);
  EXPECT_EQ(bench.read(0) & 0x02, 0x02) << "no reset";
}

// --- start, stop, reset

TEST_F(Rtl8019asRegister, AreListedForADebuggerOnceEach) {
  bench.write(0, 0x01, 0x46);   // PSTART
  bench.write(0, 0x03, 0x5F);   // BNRY
  bench.set_remote(0x4100, 3);  // RSAR, RBCR
  bench.write(1, 0x07, 0x47);   // CURR
  const std::size_t reports = bench.diagnostics.size();
  std::map<std::string_view, unsigned> values;
  for (const NicRegister& reg : bench.chip.register_values())
    EXPECT_TRUE(values.emplace(reg.name, reg.value).second) << reg.name;
  EXPECT_EQ(values.at("PSTART"), 0x46U);
  EXPECT_EQ(values.at("BNRY"), 0x5FU);
  EXPECT_EQ(values.at("RSAR1"), 0x41U);
  EXPECT_EQ(values.at("RBCR0"), 3U);
  EXPECT_EQ(values.at("CRDA1"), 0x41U);
  EXPECT_EQ(values.at("CURR"), 0x47U);
  EXPECT_EQ(values.at("8019ID0"), 0x50U);
  EXPECT_EQ(values.at("ISR"), 0x80U);
  EXPECT_EQ(bench.diagnostics.size(), reports);
  for (const NicRegister& reg : bench.chip.register_values())
    EXPECT_EQ(bench.chip.register_octet(reg.place), reg.value) << reg.name;
  EXPECT_EQ(bench.chip.register_octet(0x13), 0) << "BNRY has one place";
  EXPECT_EQ(bench.chip.register_octet(0x200), 0);
}

TEST_F(Rtl8019asRegister, TellWhichOfThemWasReadOrWritten) {
  using Seen = std::vector<std::pair<unsigned, bool>>;
  Seen seen;
  bench.chip.on_register_access([&](std::uint16_t place, bool written) { seen.emplace_back(place, written); });
  const auto last = [&] { return std::exchange(seen, {}); };
  bench.write(0x00, 0x21);
  EXPECT_EQ(last(), (Seen{{0x00, true}}));
  bench.write(0x03, 0x5F);
  bench.read(0x03);
  EXPECT_EQ(last(), (Seen{{0x03, true}, {0x03, false}})) << "BNRY, on both sides of page 0";
  bench.write(0x01, 0x46);
  bench.read(0x01);
  EXPECT_EQ(last(), (Seen{{0x11, true}, {0x01, false}})) << "PSTART, and CLDA0 at the same address";
  bench.write(0x00, 0xA1);
  last();
  bench.read(0x01);
  EXPECT_EQ(last(), (Seen{{0x11, false}})) << "page 2 shows it";
  bench.write(0x00, 0x61);
  last();
  bench.write(0x07, 0x47);
  EXPECT_EQ(last(), (Seen{{0x27, true}})) << "CURR";
}

TEST_F(Rtl8019asRegister, StopAndStart) {
  EXPECT_EQ(bench.read(0x07), 0x80) << "stopped since power-on";
  bench.start();
  EXPECT_EQ(bench.read(0x07), 0x00);
  bench.write(0, 0x21);
  EXPECT_EQ(bench.read(0x07), 0x80);
  bench.write(0x07, 0xFF);
  EXPECT_EQ(bench.read(0x07), 0x80) << "a status, not a flag";
}

TEST_F(Rtl8019asRegister, StopLetsTheFrameUnderWayFinish) {
  bench.start();
  bench.wire.from_network(Rtl8019asBench::frame(60));
  bench.write(0, 0x21);
  EXPECT_EQ(bench.read(0x07) & 0x81, 0x00);
  bench.advance(Duration::microseconds(60));
  EXPECT_EQ(bench.read(0x07) & 0x81, 0x81);
  bench.write(0, 0x22);
  bench.request(Rtl8019asBench::octets(60, Rtl8019asBench::peer));
  bench.write(0, 0x21);
  EXPECT_EQ(bench.read(0x07) & 0x82, 0x00);
  EXPECT_EQ(bench.read(0x00), 0x25) << "TXP cannot be cleared by writing";
  bench.advance(Duration::microseconds(70));
  EXPECT_EQ(bench.read(0x07) & 0x82, 0x82);
  EXPECT_EQ(bench.sent.size(), 1u);
}

TEST_F(Rtl8019asRegister, AReadAndAWriteOfTheResetPortStop) {
  for (const bool write : {false, true}) {
    bench.start();
    bench.arrive(Rtl8019asBench::frame(60));
    bench.write(0, 0x0D, 0x04);
    EXPECT_TRUE(bench.chip.int_pin());
    if (write) {
      bench.write(0x18, 0);
    } else {
      bench.read(0x1F);
    }
    EXPECT_EQ(bench.read(0x00), 0x21);
    EXPECT_EQ(bench.read(0x07), 0x80);
    EXPECT_FALSE(bench.chip.int_pin());
    EXPECT_EQ(bench.read(2, 0x0F), 0x80) << "IMR";
    EXPECT_EQ(bench.read(2, 0x0D), 0xE0) << "TCR.LB";
    EXPECT_EQ(bench.read(1, 0x01), 0x02) << "PAR0 stays";
    EXPECT_EQ(bench.read(2, 0x01), 0x46) << "PSTART stays";
  }
}

TEST_F(Rtl8019asRegister, AResetDuringATransmissionLosesTheFrame) {
  bench.start();
  bench.request(Rtl8019asBench::octets(1514, Rtl8019asBench::peer));
  bench.read(0x1F);
  bench.advance(Duration::milliseconds(2));
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::transmit_aborted), 1u);
}

TEST_F(Rtl8019asRegister, HeldInResetNothingAnswers) {
  bench.start();
  bench.chip.reset_pin(true);
  EXPECT_EQ(bench.chip.read(0x8300), 0xFF);
  bench.arrive(Rtl8019asBench::frame(60));
  bench.chip.reset_pin(false);
  EXPECT_EQ(bench.chip.read(0x8300), 0x21);
  EXPECT_EQ(bench.chip.counters().rx_frames, 0u);
  EXPECT_EQ(bench.read(3, 0x06), 0xFF) << "CONFIG3 is read again, from an EEPROM that is not there";
}

}  // namespace
}  // namespace avrlan
