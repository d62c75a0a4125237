// Every register's reset value and writable bits, typed from DS39662E tables 3-2 and 3-3 a second time.

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/nic-model/enc28j60_bench.hpp"

namespace avrlan {
namespace {

using enc28j60::Phy;
using enc28j60::Reg;

struct Expected {
  std::string name;
  unsigned bank;
  std::uint8_t address;
  std::uint8_t reset;
  std::uint8_t writable;  // bits that read back as written
};
std::ostream& operator<<(std::ostream& out, const Expected& expected) {
  return out << expected.name;
}

class Enc28j60Registers : public testing::TestWithParam<Expected> {};

TEST_P(Enc28j60Registers, ResetValueAndWritableBits) {
  const Expected& expected = GetParam();
  const Reg reg = enc28j60::reg_at(expected.bank, expected.address);
  Enc28j60Bench bench;
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.read(reg), expected.reset);
  EXPECT_EQ(enc28j60::row_of(reg).name, expected.name);

  // ERXRDPT takes a low byte only with its high byte (7.2.4).
  const auto write = [&](unsigned value) {
    bench.write(reg, value);
    if (reg == Reg::ERXRDPTL) bench.write(Reg::ERXRDPTH, 0x05);
  };
  const std::uint8_t fixed = expected.reset & static_cast<std::uint8_t>(~expected.writable);
  write(0xFF);
  EXPECT_EQ(bench.read(reg), expected.writable | fixed);
  write(0x00);
  EXPECT_EQ(bench.read(reg), fixed);
  write(0xA5);
  EXPECT_EQ(bench.read(reg), (0xA5 & expected.writable) | fixed);

  bench.spi({0xFF});
  EXPECT_EQ(bench.chip.peek(reg), expected.name == "ECOCON" ? 0xA5 & expected.writable : expected.reset)
      << "after a system reset";
}

// Not here, because their bits act or report: EIR, ESTAT, ECON1, ECON2, MICMD, EBSTCON; each has a test below.
INSTANTIATE_TEST_SUITE_P(
    Table3_2, Enc28j60Registers,
    testing::ValuesIn(std::vector<Expected>{
        {"EIE", 0, 0x1B, 0x00, 0xFB},      {"ERDPTL", 0, 0x00, 0xFA, 0xFF},   {"ERDPTH", 0, 0x01, 0x05, 0x1F},
        {"EWRPTL", 0, 0x02, 0x00, 0xFF},   {"EWRPTH", 0, 0x03, 0x00, 0x1F},   {"ETXSTL", 0, 0x04, 0x00, 0xFF},
        {"ETXSTH", 0, 0x05, 0x00, 0x1F},   {"ETXNDL", 0, 0x06, 0x00, 0xFF},   {"ETXNDH", 0, 0x07, 0x00, 0x1F},
        {"ERXSTL", 0, 0x08, 0xFA, 0xFF},   {"ERXSTH", 0, 0x09, 0x05, 0x1F},   {"ERXNDL", 0, 0x0A, 0xFF, 0xFF},
        {"ERXNDH", 0, 0x0B, 0x1F, 0x1F},   {"ERXRDPTL", 0, 0x0C, 0xFA, 0xFF}, {"ERXRDPTH", 0, 0x0D, 0x05, 0x1F},
        {"ERXWRPTL", 0, 0x0E, 0x00, 0x00}, {"ERXWRPTH", 0, 0x0F, 0x00, 0x00}, {"EDMASTL", 0, 0x10, 0x00, 0xFF},
        {"EDMASTH", 0, 0x11, 0x00, 0x1F},  {"EDMANDL", 0, 0x12, 0x00, 0xFF},  {"EDMANDH", 0, 0x13, 0x00, 0x1F},
        {"EDMADSTL", 0, 0x14, 0x00, 0xFF}, {"EDMADSTH", 0, 0x15, 0x00, 0x1F}, {"EDMACSL", 0, 0x16, 0x00, 0x00},
        {"EDMACSH", 0, 0x17, 0x00, 0x00},  {"EHT0", 1, 0x00, 0x00, 0xFF},     {"EHT1", 1, 0x01, 0x00, 0xFF},
        {"EHT2", 1, 0x02, 0x00, 0xFF},     {"EHT3", 1, 0x03, 0x00, 0xFF},     {"EHT4", 1, 0x04, 0x00, 0xFF},
        {"EHT5", 1, 0x05, 0x00, 0xFF},     {"EHT6", 1, 0x06, 0x00, 0xFF},     {"EHT7", 1, 0x07, 0x00, 0xFF},
        {"EPMM0", 1, 0x08, 0x00, 0xFF},    {"EPMM1", 1, 0x09, 0x00, 0xFF},    {"EPMM2", 1, 0x0A, 0x00, 0xFF},
        {"EPMM3", 1, 0x0B, 0x00, 0xFF},    {"EPMM4", 1, 0x0C, 0x00, 0xFF},    {"EPMM5", 1, 0x0D, 0x00, 0xFF},
        {"EPMM6", 1, 0x0E, 0x00, 0xFF},    {"EPMM7", 1, 0x0F, 0x00, 0xFF},    {"EPMCSL", 1, 0x10, 0x00, 0xFF},
        {"EPMCSH", 1, 0x11, 0x00, 0xFF},   {"EPMOL", 1, 0x14, 0x00, 0xFF},    {"EPMOH", 1, 0x15, 0x00, 0x1F},
        {"ERXFCON", 1, 0x18, 0xA1, 0xFF},  {"EPKTCNT", 1, 0x19, 0x00, 0x00},  {"MACON1", 2, 0x00, 0x00, 0x0F},
        {"MACON3", 2, 0x02, 0x00, 0xFF},   {"MACON4", 2, 0x03, 0x00, 0x70},   {"MABBIPG", 2, 0x04, 0x00, 0x7F},
        {"MAIPGL", 2, 0x06, 0x00, 0x7F},   {"MAIPGH", 2, 0x07, 0x00, 0x7F},   {"MACLCON1", 2, 0x08, 0x0F, 0x0F},
        {"MACLCON2", 2, 0x09, 0x37, 0x3F}, {"MAMXFLL", 2, 0x0A, 0x00, 0xFF},  {"MAMXFLH", 2, 0x0B, 0x06, 0xFF},
        {"MIREGADR", 2, 0x14, 0x00, 0x1F}, {"MIWRL", 2, 0x16, 0x00, 0xFF},    {"MIWRH", 2, 0x17, 0x00, 0xFF},
        {"MIRDL", 2, 0x18, 0x00, 0x00},    {"MIRDH", 2, 0x19, 0x00, 0x00},    {"MAADR5", 3, 0x00, 0x00, 0xFF},
        {"MAADR6", 3, 0x01, 0x00, 0xFF},   {"MAADR3", 3, 0x02, 0x00, 0xFF},   {"MAADR4", 3, 0x03, 0x00, 0xFF},
        {"MAADR1", 3, 0x04, 0x00, 0xFF},   {"MAADR2", 3, 0x05, 0x00, 0xFF},   {"EBSTSD", 3, 0x06, 0x00, 0xFF},
        {"EBSTCSL", 3, 0x08, 0x00, 0x00},  {"EBSTCSH", 3, 0x09, 0x00, 0x00},  {"MISTAT", 3, 0x0A, 0x00, 0x00},
        {"EREVID", 3, 0x12, 0x06, 0x00},   {"ECOCON", 3, 0x15, 0x04, 0x07},   {"EFLOCON", 3, 0x17, 0x00, 0x03},
        {"EPAUSL", 3, 0x18, 0x00, 0xFF},   {"EPAUSH", 3, 0x19, 0x10, 0xFF},
    }),
    [](const auto& param) { return param.param.name; });

class Enc28j60Register : public testing::Test {
 protected:
  Enc28j60Register() { bench.advance(Duration::milliseconds(1)); }
  Enc28j60Bench bench;
};

TEST_F(Enc28j60Register, CommonOnesAreTheSameInEveryBank) {
  bench.write(Reg::EIE, 0x5A & 0x7B);
  for (unsigned bank = 0; bank < 4; ++bank) {
    bench.spi({0x5F, static_cast<std::uint8_t>(bank)});
    EXPECT_EQ(bench.spi({0x1B, 0})[1], 0x5A & 0x7B) << bank;
    EXPECT_EQ(bench.spi({0x1E, 0})[1], 0x80) << bank;
    EXPECT_EQ(bench.spi({0x1F, 0})[1], bank);
  }
}

TEST_F(Enc28j60Register, HolesReadZeroAndTakeNothing) {
  const std::vector<std::vector<std::uint8_t>> holes = {
      {0x18, 0x19},
      {0x12, 0x13, 0x16, 0x17},
      {0x01, 0x05, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x13, 0x15},
      {0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x13, 0x14, 0x16},
  };
  for (std::uint8_t bank = 0; bank < 4; ++bank) {
    bench.spi({0x5F, bank});
    for (const std::uint8_t address : holes[bank]) {
      EXPECT_EQ(enc28j60::registers.find(bank, address), nullptr) << int{bank} << ' ' << int{address};
      bench.spi({static_cast<std::uint8_t>(0x40 | address), 0xFF});
      EXPECT_EQ(bench.spi({address, 0, 0}), (Octets{0xFF, 0, 0})) << int{bank} << ' ' << int{address};
    }
  }
}

TEST_F(Enc28j60Register, Econ1HoldsItsBitsButWhatResetsClear) {
  EXPECT_EQ(bench.read(Reg::ECON1), 0x00);
  bench.write(Reg::ECON1, 0x17);
  EXPECT_EQ(bench.read(Reg::ECON1), 0x17);
  bench.write(Reg::ECON1, 0xCC);
  EXPECT_EQ(bench.read(Reg::ECON1), 0xC0) << "TXRST keeps TXRTS down, RXRST keeps RXEN down (11.3, 11.4)";
}

TEST_F(Enc28j60Register, Econ2HoldsItsBitsButPktdec) {
  EXPECT_EQ(bench.read(Reg::ECON2), 0x80);
  bench.write(Reg::ECON2, 0xFF);
  EXPECT_EQ(bench.read(Reg::ECON2), 0xA8) << "PKTDEC clears itself (3.1.2)";
}

TEST_F(Enc28j60Register, EirAndEstatFlagsAreClearedNotSet) {
  EXPECT_EQ(bench.read(Reg::EIR), 0x00);
  bench.write(Reg::EIR, 0xFF);
  bench.set(Reg::EIR, 0xFF);
  EXPECT_EQ(bench.read(Reg::EIR), 0x00);
  EXPECT_EQ(bench.read(Reg::ESTAT), 0x01);
  bench.write(Reg::ESTAT, 0xFE);
  EXPECT_EQ(bench.read(Reg::ESTAT), 0x01) << "CLKRDY is the clock's";
}

TEST_F(Enc28j60Register, MicmdTakesItsTwoBits) {
  EXPECT_EQ(bench.read(Reg::MICMD), 0x00);
  bench.write(Reg::MICMD, 0xFE);
  EXPECT_EQ(bench.read(Reg::MICMD), 0x02);
}

TEST_F(Enc28j60Register, EbstconTakesEverythingButAStartOutsideTestMode) {
  EXPECT_EQ(bench.read(Reg::EBSTCON), 0x00);
  bench.write(Reg::EBSTCON, 0xFC);
  EXPECT_EQ(bench.read(Reg::EBSTCON), 0xFC);
  bench.write(Reg::EBSTCON, 0xFD);
  EXPECT_EQ(bench.read(Reg::EBSTCON), 0xFC);
}

TEST_F(Enc28j60Register, EfloconShadowsTheMacsDuplex) {
  bench.write(Reg::MACON3, 0x01);
  EXPECT_EQ(bench.read(Reg::EFLOCON), 0x04);
  bench.write(Reg::MACON3, 0x00);
  EXPECT_EQ(bench.read(Reg::EFLOCON), 0x00);
}

TEST(Enc28j60Revision, IsWhatTheOptionsSay) {
  EXPECT_EQ(Enc28j60Bench{}.chip.name(), "enc28j60");
  for (const auto revision : std::initializer_list<std::uint8_t>{2, 4, 5, 6}) {
    Enc28j60Bench bench{{.revision = revision}};
    EXPECT_EQ(bench.read(Reg::EREVID), revision);
    bench.spi({0xFF});
    EXPECT_EQ(bench.read(Reg::EREVID), revision);
  }
}

struct ExpectedPhy {
  std::string name;
  std::uint8_t address;
  std::uint16_t reset;
  std::uint16_t writable;
};
std::ostream& operator<<(std::ostream& out, const ExpectedPhy& expected) {
  return out << expected.name;
}

class Enc28j60PhyRegisters : public testing::TestWithParam<ExpectedPhy> {};

TEST_P(Enc28j60PhyRegisters, ResetValueAndWritableBits) {
  const ExpectedPhy& expected = GetParam();
  const Phy reg{expected.address};
  Enc28j60Bench bench;
  bench.chip.set_link(false);
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.read_phy(reg), expected.reset);
  const std::uint16_t fixed = expected.reset & static_cast<std::uint16_t>(~expected.writable);
  // All but PRST, which would undo the rest.
  bench.write_phy(reg, 0x7FFF);
  EXPECT_EQ(bench.read_phy(reg), (0x7FFF & expected.writable) | fixed);
  bench.write_phy(reg, 0x0000);
  EXPECT_EQ(bench.read_phy(reg), fixed);
  bench.write_phy(reg, 0x25A5);
  EXPECT_EQ(bench.read_phy(reg), (0x25A5 & expected.writable) | fixed);
  bench.write_phy(Phy::PHCON1, 0x8000);
  EXPECT_EQ(bench.read_phy(reg), expected.reset) << "after PRST";
}

INSTANTIATE_TEST_SUITE_P(Table3_3, Enc28j60PhyRegisters,
                         testing::ValuesIn(std::vector<ExpectedPhy>{
                             {"PHCON1", 0x00, 0x0000, 0xC900},
                             {"PHSTAT1", 0x01, 0x1800, 0x0000},
                             {"PHID1", 0x02, 0x0083, 0x0000},
                             {"PHID2", 0x03, 0x1400, 0x0000},
                             {"PHCON2", 0x10, 0x0000, 0x6500},
                             {"PHIE", 0x12, 0x0000, 0x0012},
                             {"PHIR", 0x13, 0x0000, 0x0000},
                             {"PHLCON", 0x14, 0x3422, 0x0FFE},
                             {"unimplemented05", 0x05, 0x0000, 0x0000},
                             {"unimplemented1F", 0x1F, 0x0000, 0x0000},
                         }),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace avrlan
