// What the model says of a driver that misuses the chip; silence for one that does not.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/rtl8019as_bench.hpp"

namespace avrlan {
namespace {

class Rtl8019asDiagnostics : public testing::Test {
 protected:
  Rtl8019asDiagnostics() { bench.start(); }
  void expect(std::string_view code, Severity severity) {
    ASSERT_EQ(bench.diagnostics.size(), 1u);
    EXPECT_EQ(bench.diagnostics[0].code, code);
    EXPECT_EQ(bench.diagnostics[0].severity, severity);
    EXPECT_FALSE(bench.diagnostics[0].message.empty());
    bench.diagnostics.clear();
  }
  void expect_nothing() {
    for (const Diagnostic& diagnostic : bench.diagnostics) ADD_FAILURE() << diagnostic.code;
  }
  Rtl8019asBench bench;
};

TEST_F(Rtl8019asDiagnostics, AWellBehavedDriverHearsNothing) {
  for (unsigned n = 0; n < 50; ++n) {
    bench.arrive(Rtl8019asBench::frame(60 + n * 29, Rtl8019asBench::mac, n));
    bench.take();
    bench.request(Rtl8019asBench::octets(60 + n * 29, Rtl8019asBench::peer, n));
    bench.advance(Duration::milliseconds(2));
    bench.write(0x07, 0xFF);
  }
  EXPECT_EQ(bench.sent.size(), 50u);
  expect_nothing();
}

TEST_F(Rtl8019asDiagnostics, RingPointersOutsideTheRing) {
  bench.write(0, 0x03, 0x45);
  expect("rtl8019as-ring-pointer-outside", Severity::warning);
  bench.write(0, 0x03, 0x60);
  expect("rtl8019as-ring-pointer-outside", Severity::warning);
  bench.write(0, 0x03, 0x46);
  bench.write(0, 0x21);
  bench.write(1, 0x07, 0x60);
  expect_nothing();
  bench.write(0, 0x22);
  expect("rtl8019as-ring-pointer-outside", Severity::warning);
}

TEST_F(Rtl8019asDiagnostics, ARingThatIsNone) {
  const std::pair<unsigned, unsigned> rings[] = {{0x46, 0x80}, {0x60, 0x46}, {0x3F, 0x60}, {0x46, 0x46}};
  for (const auto& [start, stop] : rings) {
    bench.write(0, 0x21);
    bench.write(0x01, start);
    bench.write(0x02, stop);
    bench.write(0, 0x22);
    expect("rtl8019as-ring-outside-memory", Severity::warning);
  }
}

TEST_F(Rtl8019asDiagnostics, ReadingPastAFrameOrWhereNoneIs) {
  bench.arrive(Rtl8019asBench::frame(61));
  bench.read_memory(0x4600, 4 + 65 + 1);
  expect_nothing();
  bench.read_memory(0x4600, 4 + 65 + 2);
  expect("rtl8019as-read-past-frame", Severity::warning);  // an odd one may be read with one octet more
  bench.take();
  bench.read_memory(0x4600, 4);
  EXPECT_EQ(bench.count("rtl8019as-read-past-frame"), 4u) << "it has been released";
}

TEST_F(Rtl8019asDiagnostics, BothWaysToUseBnryReleaseWhatWasRead) {
  for (const unsigned behind : {1u, 0u}) {
    bench.write(0, 0x21);
    bench.write(1, 0x07, 0x46);
    bench.write(0, 0x03, behind == 1 ? 0x5F : 0x46);
    bench.write(0, 0x22);
    bench.arrive(Rtl8019asBench::frame(60));
    bench.arrive(Rtl8019asBench::frame(60));
    bench.arrive(Rtl8019asBench::frame(300));
    for (const unsigned next : {0x47u, 0x48u, 0x4Au}) {
      const unsigned at = next == 0x4A ? 0x48 : next - 1;
      bench.read_memory(at << 8, 4);
      expect_nothing();
      bench.write(0, 0x03, next - behind);
      bench.read_memory(at << 8, 1);
      expect("rtl8019as-read-past-frame", Severity::warning);
    }
  }
}

TEST_F(Rtl8019asDiagnostics, ReadingMemoryThatWasNeverWritten) {
  bench.read_memory(0x4400, 1);
  expect("rtl8019as-read-unwritten", Severity::warning);
}

TEST_F(Rtl8019asDiagnostics, ARemoteDmaThatIsCutOff) {
  bench.write_memory(0x4000, {1, 2, 3, 4});
  bench.set_remote(0x4000, 4);
  bench.write(0, 0x0A);
  bench.read(0x10);
  bench.write(0, 0x22);
  expect("rtl8019as-remote-dma-cut-off", Severity::warning);
  bench.set_remote(0x4000, 4);
  bench.write(0, 0x0A);
  bench.read(0x10);
  bench.write(0, 0x12);
  expect("rtl8019as-remote-dma-cut-off", Severity::warning);
}

TEST_F(Rtl8019asDiagnostics, TheDataPortWithoutARemoteDma) {
  bench.read(0x10);
  expect("rtl8019as-data-port-idle", Severity::warning);
  bench.write(0x10, 1);
  expect("rtl8019as-data-port-idle", Severity::warning);
  bench.set_remote(0x4000, 2);
  bench.write(0, 0x12);
  bench.read(0x10);
  expect("rtl8019as-data-port-idle", Severity::warning);
}

TEST_F(Rtl8019asDiagnostics, ATransmissionDuringATransmission) {
  bench.request(Rtl8019asBench::octets(60, Rtl8019asBench::peer));
  bench.write(0, 0x26);
  expect("rtl8019as-transmit-busy", Severity::warning);
  bench.write(0x04, 0x43);
  expect("rtl8019as-transmit-busy", Severity::warning);
}

TEST_F(Rtl8019asDiagnostics, AFrameThatIsWrittenToWhileItIsSent) {
  bench.request(Rtl8019asBench::octets(60, Rtl8019asBench::peer));
  bench.write_memory(0x4300, {1});
  bench.write_memory(0x4000 + 60, {1});
  expect_nothing();
  bench.write_memory(0x4000 + 59, {1});
  expect("rtl8019as-transmit-buffer-changed", Severity::warning);
}

TEST_F(Rtl8019asDiagnostics, FramesToSendWhereNoneShouldBe) {
  bench.request(Rtl8019asBench::octets(257, Rtl8019asBench::peer), 0x45);
  bench.advance(Duration::milliseconds(1));
  expect("rtl8019as-transmit-area", Severity::warning);
  bench.write(0x04, 0x60);
  bench.write(0, 0x26);
  bench.advance(Duration::milliseconds(1));
  expect("rtl8019as-transmit-area", Severity::warning);
}

TEST_F(Rtl8019asDiagnostics, FramesThatAreTooShortOrTooLong) {
  bench.request(Rtl8019asBench::octets(60, Rtl8019asBench::peer));
  bench.advance(Duration::milliseconds(1));
  bench.request(Rtl8019asBench::octets(1514, Rtl8019asBench::peer));
  bench.advance(Duration::milliseconds(2));
  expect_nothing();
  bench.request(Rtl8019asBench::octets(59, Rtl8019asBench::peer));
  bench.advance(Duration::milliseconds(1));
  expect("rtl8019as-transmit-size", Severity::warning);
  bench.request(Rtl8019asBench::octets(1515, Rtl8019asBench::peer));
  bench.advance(Duration::milliseconds(2));
  expect("rtl8019as-transmit-size", Severity::warning);
}

TEST_F(Rtl8019asDiagnostics, SendingWhileStoppedOrAsleep) {
  bench.write(0, 0x25);
  expect("rtl8019as-transmit-while-stopped", Severity::warning);
  bench.configure(0x02);
  bench.write(0, 0x22);
  bench.write(0, 0x26);
  expect("rtl8019as-asleep", Severity::warning);
  EXPECT_EQ(bench.read(0), 0x22);
}

TEST_F(Rtl8019asDiagnostics, RegistersOfAnotherPage) {
  bench.read(2, 0x07);
  expect("rtl8019as-no-register", Severity::warning);
  bench.write(2, 0x07, 0xFF);
  expect("rtl8019as-no-register", Severity::warning);
  bench.write(3, 0x03, 0x00);
  expect("rtl8019as-no-register", Severity::warning);
  EXPECT_EQ(bench.read(0, 0x07) & 0x80, 0x00);
}

TEST_F(Rtl8019asDiagnostics, RemoteDmaCommandZero) {
  bench.write(0, 0x02);
  expect("rtl8019as-rd-zero", Severity::note);
}

TEST_F(Rtl8019asDiagnostics, WordsOnAByteBus) {
  bench.write(0, 0x21);
  bench.write(0x0E, 0x49);
  bench.write(0, 0x22);
  expect("rtl8019as-word-transfer", Severity::warning);
}

TEST_F(Rtl8019asDiagnostics, OverflowAndOverflowThatNobodyServices) {
  for (unsigned n = 0; n < 27; ++n) bench.arrive(Rtl8019asBench::frame(60));
  EXPECT_EQ(bench.count("rtl8019as-overflow"), 2u);
  EXPECT_EQ(bench.count("rtl8019as-overflow-unserviced"), 0u) << "nobody has had the time yet";
  bench.take();
  for (unsigned n = 0; n < 2; ++n) bench.arrive(Rtl8019asBench::frame(60));
  EXPECT_EQ(bench.count("rtl8019as-overflow-unserviced"), 1u);
}

}  // namespace
}  // namespace avrlan
