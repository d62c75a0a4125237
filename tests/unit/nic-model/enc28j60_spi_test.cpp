// The SPI command set, DS39662E 4.2.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/enc28j60_bench.hpp"

namespace avrlan {
namespace {

using enc28j60::Reg;

class Enc28j60Spi : public testing::Test {
 protected:
  Enc28j60Spi() { bench.advance(Duration::milliseconds(1)); }
  void select_bank(std::uint8_t bank) { bench.spi({0x5F, bank}); }

  Enc28j60Bench bench;
};

TEST_F(Enc28j60Spi, EthRegistersAnswerInTheFirstByte) {
  EXPECT_EQ(bench.spi({0x00, 0})[1], 0xFA);
  EXPECT_EQ(bench.spi({0x0B, 0})[1], 0x1F);
}

TEST_F(Enc28j60Spi, MacAndMiiRegistersAnswerInTheSecond) {
  select_bank(2);
  EXPECT_EQ(bench.spi({0x0B, 0, 0}), (Octets{0xFF, 0x00, 0x06}));  // MAMXFLH
  EXPECT_EQ(bench.spi({0x09, 0, 0}), (Octets{0xFF, 0x00, 0x37}));  // MACLCON2
  bench.write(Reg::MAADR1, 0x5C);
  bench.write(Reg::MIREGADR, 0x13);
  select_bank(3);
  EXPECT_EQ(bench.spi({0x04, 0, 0})[2], 0x5C);
  select_bank(2);
  EXPECT_EQ(bench.spi({0x14, 0, 0})[2], 0x13);
}

// The same address is ETH in one bank and MAC in another: the bank decides when the command comes.
TEST_F(Enc28j60Spi, TheDummyByteDependsOnTheBank) {
  select_bank(0);
  EXPECT_EQ(bench.spi({0x0B, 0})[1], 0x1F);  // ERXNDH
  select_bank(2);
  EXPECT_EQ(bench.spi({0x0B, 0})[1], 0x00);  // MAMXFLH's dummy
  select_bank(3);
  EXPECT_EQ(bench.spi({0x12, 0})[1], 0x06);  // EREVID is ETH although in bank 3
  EXPECT_EQ(bench.spi({0x15, 0})[1], 0x04);  // ECOCON
  EXPECT_EQ(bench.spi({0x19, 0})[1], 0x10);  // EPAUSH
}

TEST_F(Enc28j60Spi, ReadingOnRepeatsTheRegister) {
  EXPECT_EQ(bench.spi({0x00, 0, 0, 0}), (Octets{0xFF, 0xFA, 0xFA, 0xFA}));
  select_bank(2);
  EXPECT_EQ(bench.spi({0x0B, 0, 0, 0}), (Octets{0xFF, 0x00, 0x06, 0x06}));
}

TEST_F(Enc28j60Spi, AWriteTakesEffectWithItsDataByte) {
  bench.chip.select();
  bench.chip.exchange(0x42);  // WCR EWRPTL
  EXPECT_EQ(bench.chip.peek(Reg::EWRPTL), 0x00);
  bench.chip.exchange(0x77);
  EXPECT_EQ(bench.chip.peek(Reg::EWRPTL), 0x77);
  bench.chip.exchange(0x99);
  EXPECT_EQ(bench.chip.peek(Reg::EWRPTL), 0x77) << "one register a command";
  bench.chip.deselect();
}

TEST_F(Enc28j60Spi, ChipSelectEndsACommandHalfway) {
  bench.spi({0x42});
  bench.spi({0x77});  // a command of its own now, not EWRPTL's data
  EXPECT_EQ(bench.chip.peek(Reg::EWRPTL), 0x00);
}

TEST_F(Enc28j60Spi, BitFieldCommandsSetAndClear) {
  bench.spi({0x5B, 0x48});
  bench.spi({0x9B, 0x81});
  EXPECT_EQ(bench.spi({0x1B, 0})[1], 0xC9);
  bench.spi({0xBB, 0x89});
  EXPECT_EQ(bench.spi({0x1B, 0})[1], 0x40);
}

// Not documented, but EtherCard and the many drivers with the same ancestor set MACON3 up like this, and it works.
TEST_F(Enc28j60Spi, BitFieldSetReachesMacRegistersAsDriversRelyOn) {
  select_bank(2);
  bench.spi({0x82, 0x32});
  EXPECT_EQ(bench.read(Reg::MACON3), 0x32);
  EXPECT_TRUE(bench.reported("enc28j60-bit-field-on-mac"));
}

TEST_F(Enc28j60Spi, NothingAnswersWhileNotSelected) {
  EXPECT_EQ(bench.chip.exchange(0x00), 0xFF);
  EXPECT_EQ(bench.chip.exchange(0x5B), 0xFF);
  EXPECT_EQ(bench.chip.exchange(0x55), 0xFF);
  EXPECT_EQ(bench.chip.peek(Reg::EIE), 0x00);
}

TEST_F(Enc28j60Spi, BytesThatAreNoCommandDoNothing) {
  bench.write(Reg::EIE, 0x40);
  for (const int byte : {0xC0, 0xDB, 0xE0, 0xFB}) {
    bench.diagnostics.clear();
    bench.spi({static_cast<std::uint8_t>(byte), 0xFF, 0xFF});
    EXPECT_TRUE(bench.reported("enc28j60-unknown-command")) << byte;
  }
  EXPECT_EQ(bench.read(Reg::EIE), 0x40);
}

// Linux sends its reset through a helper that adds a byte.
TEST_F(Enc28j60Spi, TheResetCommandIgnoresWhatFollows) {
  bench.write(Reg::EIE, 0x40);
  bench.spi({0xFF, 0xFF, 0x5B, 0x12});
  EXPECT_EQ(bench.read(Reg::EIE), 0x00);
  EXPECT_EQ(bench.read(Reg::ECON1), 0x00);
}

// A register is sampled when its byte begins, not when it ends: EIR read across an event shows the state before it.
TEST_F(Enc28j60Spi, ARegisterIsSampledAtTheEdgeBeforeItsByte) {
  Enc28j60Bench fresh;
  fresh.chip.select();
  fresh.advance(Duration::nanoseconds(299'000));
  fresh.chip.exchange(0x1D);  // ESTAT, 1 us before CLKRDY
  fresh.advance(Duration::microseconds(2));
  EXPECT_EQ(fresh.chip.exchange(0), 0x00);
  EXPECT_EQ(fresh.chip.exchange(0), 0x01);
  fresh.chip.deselect();
}

}  // namespace
}  // namespace avrlan
