// What the model says of a driver that misuses the chip; silence for one that does not.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/enc28j60_bench.hpp"

namespace avrlan {
namespace {

using enc28j60::Reg;
namespace ECON1 = enc28j60::ECON1;
namespace EIR = enc28j60::EIR;

class Enc28j60Diagnostics : public testing::Test {
 protected:
  Enc28j60Diagnostics() { bench.start(); }
  void expect(std::string_view code, Severity severity) {
    ASSERT_EQ(bench.diagnostics.size(), 1u);
    EXPECT_EQ(bench.diagnostics[0].code, code);
    EXPECT_EQ(bench.diagnostics[0].severity, severity);
    EXPECT_FALSE(bench.diagnostics[0].message.empty());
  }

  Enc28j60Bench bench;
};

TEST_F(Enc28j60Diagnostics, AWellBehavedDriverHearsNothing) {
  for (unsigned n = 0; n < 50; ++n) {
    bench.arrive(bench.frame(60 + n * 29, Enc28j60Bench::mac, n));
    bench.take();
    bench.set(Reg::ECON1, ECON1::TXRST);
    bench.clear(Reg::ECON1, ECON1::TXRST);
    bench.clear(Reg::EIR, EIR::TXIF | EIR::TXERIF);
    bench.request(bench.octets(60 + n * 29, Enc28j60Bench::peer, n));
    bench.advance(Duration::milliseconds(2));
  }
  EXPECT_EQ(bench.sent.size(), 50u);
  for (const Diagnostic& diagnostic : bench.diagnostics) ADD_FAILURE() << diagnostic.code;
}

TEST_F(Enc28j60Diagnostics, EvenReceivePointer) {
  bench.write_pair(Reg::ERXRDPTL, 0x0100);
  expect("enc28j60-rx-pointer-even", Severity::warning);
}

TEST_F(Enc28j60Diagnostics, ReceivePointerOutsideTheBuffer) {
  bench.write_pair(Reg::ERXRDPTL, 0x1FFF);
  expect("enc28j60-rx-pointer-outside", Severity::warning);
}

TEST_F(Enc28j60Diagnostics, TransmitAreaInsideTheReceiveBuffer) {
  bench.request(bench.octets(60, Enc28j60Bench::peer), 0, 0x1000);
  expect("enc28j60-transmit-area-in-receive-buffer", Severity::warning);
}

TEST_F(Enc28j60Diagnostics, StatusVectorInsideTheReceiveBuffer) {
  const Octets octets = bench.octets(60, Enc28j60Bench::peer);
  bench.write_pair(Reg::ERXSTL, 0x0040);
  bench.diagnostics.clear();
  bench.request(octets, 0, 0x1FFC);  // ends at 38h: the vector is 39h..3Fh
  EXPECT_TRUE(bench.diagnostics.empty());
  bench.advance(Duration::milliseconds(1));
  bench.request(octets, 0, 0x1FFD);
  expect("enc28j60-transmit-area-in-receive-buffer", Severity::warning);
}

TEST_F(Enc28j60Diagnostics, ReadingPastTheLastPacket) {
  bench.arrive(bench.frame(60));
  bench.read_buffer(0x0000, 70);
  EXPECT_TRUE(bench.diagnostics.empty());
  bench.arrive(bench.frame(60));
  bench.take();
  bench.take();
  bench.write_buffer(140, {0});  // written once, but not by a packet
  bench.read_buffer(140, 1);
  expect("enc28j60-read-past-packet", Severity::warning);
}

TEST_F(Enc28j60Diagnostics, ReadingMemoryThatWasNeverWritten) {
  bench.read_buffer(0x1E00, 1);
  expect("enc28j60-read-unwritten", Severity::warning);
}

TEST_F(Enc28j60Diagnostics, OverflowAndOverflowThatNobodyServices) {
  const auto count = [this](std::string_view code) {
    return std::count_if(bench.diagnostics.begin(), bench.diagnostics.end(),
                         [code](const Diagnostic& diagnostic) { return diagnostic.code == code; });
  };
  for (int n = 0; n < 7; ++n) bench.arrive(bench.frame(1514));
  EXPECT_EQ(count("enc28j60-overflow"), 3);
  EXPECT_EQ(count("enc28j60-overflow-unserviced"), 0) << "nobody has had the time yet";
  bench.take();
  for (int n = 0; n < 3; ++n) bench.arrive(bench.frame(1514));
  EXPECT_EQ(count("enc28j60-overflow"), 5);
  EXPECT_EQ(count("enc28j60-overflow-unserviced"), 1);
  bench.take();
  bench.clear(Reg::EIR, EIR::RXERIF);
  for (int n = 0; n < 2; ++n) bench.arrive(bench.frame(1514));
  EXPECT_EQ(count("enc28j60-overflow-unserviced"), 1);
}

TEST_F(Enc28j60Diagnostics, TakingPacketsWithoutReadingTheirCount) {
  bench.arrive(bench.frame(60));
  bench.arrive(bench.frame(60));
  bench.set(Reg::ECON2, enc28j60::ECON2::PKTDEC);
  expect("enc28j60-packet-count-not-read", Severity::warning);
  bench.diagnostics.clear();
  bench.read(Reg::EPKTCNT);
  bench.set(Reg::ECON2, enc28j60::ECON2::PKTDEC);
  EXPECT_TRUE(bench.diagnostics.empty());
}

TEST_F(Enc28j60Diagnostics, MacRegisterReadWithoutItsDummyByte) {
  bench.bank(Reg::MACON1);
  bench.spi({0x00, 0});
  expect("enc28j60-mac-read-without-dummy", Severity::warning);
}

TEST_F(Enc28j60Diagnostics, WritesToReadOnlyRegisters) {
  bench.write(Reg::EPKTCNT, 1);
  expect("enc28j60-read-only", Severity::warning);
}

TEST_F(Enc28j60Diagnostics, WritesWhereThereIsNoRegister) {
  bench.bank(Reg::MACON1);
  bench.spi({0x41, 0x00});  // MACON2 of old headers
  expect("enc28j60-no-register", Severity::note);
}

TEST_F(Enc28j60Diagnostics, TheAddressThatMustBeLeftAlone) {
  bench.spi({0x1A, 0});
  expect("enc28j60-reserved-address", Severity::warning);
  bench.diagnostics.clear();
  bench.spi({0x5A, 0});
  expect("enc28j60-reserved-address", Severity::warning);
}

TEST_F(Enc28j60Diagnostics, ReservedBits) {
  bench.write(Reg::MACON1, 0x11);
  expect("enc28j60-reserved-bits", Severity::note);
  bench.diagnostics.clear();
  bench.write_phy(enc28j60::Phy::PHLCON, 0x0476);  // as EtherCard has it
  expect("enc28j60-reserved-bits", Severity::note);
}

TEST_F(Enc28j60Diagnostics, MirdReadBeforeThePhyHasAnswered) {
  for (const Reg reg : {Reg::MIRDL, Reg::MIRDH}) {
    bench.write(Reg::MIREGADR, 0);
    bench.write(Reg::MICMD, 1);
    const std::uint8_t address = Enc28j60Bench::address(reg);
    bench.spi({address, 0, 0, 0});
    expect("enc28j60-mii-busy", Severity::warning);
    bench.advance(Duration::nanoseconds(10'240));
    bench.diagnostics.clear();
    bench.spi({address, 0, 0});
    EXPECT_TRUE(bench.diagnostics.empty());
    bench.write(Reg::MICMD, 0);
  }
}

TEST_F(Enc28j60Diagnostics, AReadThatGoesOnIntoTheNextPacket) {
  for (int n = 0; n < 3; ++n) bench.arrive(bench.frame(60));  // packets at 0, 70 and 140
  bench.read_buffer(6, 64);
  bench.read_buffer(70, 70);
  bench.write_buffer(0x1E00, {1});
  bench.read_buffer(0x1E00, 1);
  EXPECT_TRUE(bench.diagnostics.empty());
  bench.read_buffer(76, 65);
  expect("enc28j60-read-past-packet", Severity::warning);
}

TEST_F(Enc28j60Diagnostics, APacketThatWrapsEndsWhereTheNextOneBegins) {
  for (unsigned n = 0; n < 100; ++n) {  // 95 fill the buffer up to 1A00h
    bench.arrive(bench.frame(60, Enc28j60Bench::mac, n));
    if (n < 94) bench.take();
  }
  ASSERT_EQ(bench.read_pointer, 94 * 70);
  bench.read_buffer(94 * 70 + 6, 64);
  EXPECT_TRUE(bench.diagnostics.empty());
  bench.read_buffer(94 * 70 + 6, 65);
  expect("enc28j60-read-past-packet", Severity::warning);
}

TEST_F(Enc28j60Diagnostics, APadOctetBelongsToItsPacket) {
  bench.arrive(bench.frame(61));
  bench.read_buffer(6, 66);
  EXPECT_TRUE(bench.diagnostics.empty());
}

TEST_F(Enc28j60Diagnostics, AnEthRegisterReadWithADummyByte) {
  bench.bank(Reg::ERXNDL);
  bench.spi({0x0A, 0, 0});  // MISTAT is meant
  expect("enc28j60-eth-read-with-dummy", Severity::warning);
  bench.diagnostics.clear();
  bench.spi({0x0A, 0, 0, 0});  // somebody who looks at one register for long
  EXPECT_TRUE(bench.diagnostics.empty());
}

TEST_F(Enc28j60Diagnostics, ReadsWhereThereIsNoRegister) {
  bench.bank(Reg::MACON1);
  bench.spi({0x01, 0});
  expect("enc28j60-no-register", Severity::note);
}

TEST_F(Enc28j60Diagnostics, WritingTheNextFrameWhileOneIsBeingSentIsRight) {
  bench.request(bench.octets(60, Enc28j60Bench::peer));
  bench.write_buffer(0x1D00, {1, 2, 3});
  bench.write_buffer(0x19FF, {1});
  EXPECT_TRUE(bench.diagnostics.empty());
  bench.write_buffer(0x1A00 + 60, {1});
  expect("enc28j60-transmit-buffer-changed", Severity::warning);
}

TEST(Enc28j60ReceiveStart, AWritePointerOutsideTheBufferIsNoPlaceToReadPast) {
  Enc28j60Bench bench{{.errata = {.receive_start_lost = true}}};
  bench.start();
  bench.write_pair(Reg::ERXSTL, 0x0400);
  bench.write_buffer(0, {1});
  bench.diagnostics.clear();
  bench.read_buffer(0, 1);
  EXPECT_TRUE(bench.diagnostics.empty());
}

}  // namespace
}  // namespace avrlan
