// Transmission: time on the wire, collisions, loopback, interrupts.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/rtl8019as_bench.hpp"

namespace avrlan {
namespace {

constexpr MacAddress to = Rtl8019asBench::peer;

class Rtl8019asTransmit : public testing::Test {
 protected:
  Rtl8019asTransmit() { bench.start(); }
  Rtl8019asBench bench;
};

TEST_F(Rtl8019asTransmit, TakesItsTimeOnTheWire) {
  const Octets out = Rtl8019asBench::octets(60, to);
  bench.request(out);
  const Instant requested = bench.now();
  bench.advance(Duration::nanoseconds(57'599));
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.chip.peek(0x8300) & 0x04, 0x04);
  bench.advance(Duration::nanoseconds(1));
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.sent[0].end, requested + (octet_time * 72));
  EXPECT_EQ(bench.sent[0].frame.octets, out);
  EXPECT_TRUE(bench.sent[0].frame.fcs_ok());
  EXPECT_EQ(bench.read(0) & 0x04, 0x00);
  EXPECT_EQ(bench.read(0x04), 0x23) << "TSR";
  EXPECT_EQ(bench.read(0x05), 0) << "NCR";
  EXPECT_EQ(bench.read(0x07) & 0x0A, 0x02) << "ISR";
  EXPECT_EQ(bench.chip.counters().tx_frames, 1u);
  EXPECT_TRUE(bench.diagnostics.empty());
}

TEST_F(Rtl8019asTransmit, ThePageMayChangeMeanwhile) {
  bench.request(Rtl8019asBench::octets(600, to));
  bench.write(0, 0x62);
  bench.write(0, 0x22);
  EXPECT_EQ(bench.read(0), 0x26);
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.sent.size(), 1u);
}

TEST_F(Rtl8019asTransmit, PadsNothing) {
  bench.request(Rtl8019asBench::octets(42, to));
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.sent.at(0).frame.octets.size(), 42u);
  EXPECT_EQ(bench.count("rtl8019as-transmit-size"), 1u);
}

// A driver that sends 60 octets after it has written fewer.
TEST_F(Rtl8019asTransmit, WhatIsBehindIsLeftOverFromEarlier) {
  bench.write_memory(0x4000, Octets(60, 0x5A));
  bench.write_memory(0x4000, Octets(42, 0x11));
  bench.write(0x05, 60);
  bench.write(0x06, 0);
  bench.write(0, 0x26);
  bench.advance(Duration::milliseconds(1));
  Octets expected(42, 0x11);
  expected.resize(60, 0x5A);
  EXPECT_EQ(bench.sent.at(0).frame.octets, expected);
}

TEST_F(Rtl8019asTransmit, AnFcsFromTheDriver) {
  bench.write(0x0D, 0x01);
  EthernetFrame wrong = Rtl8019asBench::frame(60, to);
  wrong.fcs = 0x01020304;
  bench.request(Rtl8019asBench::with_fcs(wrong));
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.sent.at(0).frame, wrong);
  EXPECT_TRUE(bench.diagnostics.empty());
}

TEST_F(Rtl8019asTransmit, InHalfDuplexItWaitsAndCollides) {
  // Both wait for the same frame, start together and back off.
  bench.wire.from_network(Rtl8019asBench::frame(600));
  bench.wire.from_network(Rtl8019asBench::frame(60));
  bench.request(Rtl8019asBench::octets(60, to));
  bench.advance(Duration::milliseconds(3));
  EXPECT_EQ(bench.sent.size(), 1u);
  EXPECT_GE(bench.read(0x05), 1) << "NCR";
  EXPECT_EQ(bench.read(0x04), 0x27) << "TSR: PTX, COL";
  EXPECT_EQ(bench.chip.counters().rx_frames, 2u);
}

TEST_F(Rtl8019asTransmit, AfterTooManyCollisionsItGivesUp) {
  bench.wire.set_nic_mac({.half_duplex = true, .retransmissions = 0});
  bench.wire.from_network(Rtl8019asBench::frame(600));
  bench.wire.from_network(Rtl8019asBench::frame(60));
  bench.request(Rtl8019asBench::octets(60, to));
  bench.advance(Duration::milliseconds(3));
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.read(0x04), 0x2E) << "TSR: ABT, COL";
  EXPECT_EQ(bench.read(0x05), 1) << "NCR";
  EXPECT_EQ(bench.read(0x07) & 0x0A, 0x08) << "ISR: TXE";
  EXPECT_EQ(bench.read(0x00) & 0x04, 0x00);
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::transmit_aborted), 1u);
}

TEST_F(Rtl8019asTransmit, InFullDuplexItDoesNot) {
  bench.configure(0x40);
  bench.write(0, 0x22);
  bench.wire.from_network(Rtl8019asBench::frame(1514));
  bench.request(Rtl8019asBench::octets(60, to));
  bench.advance(Duration::microseconds(60));
  EXPECT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.chip.counters().rx_frames, 0u);
}

TEST_F(Rtl8019asTransmit, WithoutALinkTheFrameIsLost) {
  bench.chip.set_link(false);
  bench.request(Rtl8019asBench::octets(60, to));
  bench.advance(Duration::milliseconds(1));
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.read(0x04), 0x33) << "TSR: CRS, PTX";
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::link_down), 1u);
  EXPECT_EQ(bench.chip.counters().tx_frames, 0u);
}

// --- loopback (12.0)

struct Loop {
  unsigned tcr;
  std::uint8_t tsr;
  std::uint8_t rsr;
};

TEST_F(Rtl8019asTransmit, LoopbackModesAndTheirStatus) {
  const Loop loops[] = {{0x02, 0x73, 0x02}, {0x04, 0x63, 0x02}, {0x06, 0x23, 0x02}};
  for (const Loop& loop : loops) {
    bench.write(0x07, 0xFF);
    bench.write(0x0D, loop.tcr);
    bench.request(Rtl8019asBench::octets(60, Rtl8019asBench::mac));
    bench.advance(Duration::milliseconds(1));
    EXPECT_EQ(bench.read(0x04), loop.tsr) << loop.tcr;
    EXPECT_EQ(bench.read(0x0C), loop.rsr) << loop.tcr;
    EXPECT_EQ(bench.read(0x07) & 0x3F, 0x02) << loop.tcr;
  }
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.chip.counters().rx_frames, 0u) << "it goes no further than the FIFO";
}

TEST_F(Rtl8019asTransmit, LoopbackChecksTheFcsOfTheDriver) {
  bench.write(0x0D, 0x03);
  EthernetFrame out = Rtl8019asBench::frame(60);
  bench.request(Rtl8019asBench::with_fcs(out));
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.read(0x0C), 0x01);
  out.fcs ^= 1;
  bench.request(Rtl8019asBench::with_fcs(out));
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.read(0x0C), 0x02);
}

// The two alignments that National prints.
TEST_F(Rtl8019asTransmit, LoopbackLeavesTheEndOfTheFrameInTheFifo) {
  for (const std::size_t length : {60u, 65u}) {  // with FCS 8 n, and 8 n + 5
    bench.write(0x0D, 0x02);
    const EthernetFrame out = Rtl8019asBench::frame(length);
    bench.request(out.octets);
    bench.advance(Duration::milliseconds(1));
    const Octets all = Rtl8019asBench::with_fcs(out);
    const auto size = static_cast<std::uint8_t>(all.size());
    Octets expected;
    if (length == 60) {
      expected = {size, 0, 0};
      expected.insert(expected.end(), all.end() - 5, all.end());
    } else {
      expected.assign(all.end() - 5, all.end());
      expected.insert(expected.end(), {size, 0, 0});
    }
    Octets fifo;
    for (int n = 0; n < 8; ++n) fifo.push_back(bench.read(0x06));
    EXPECT_EQ(fifo, expected) << length;
  }
}

// --- INT

TEST_F(Rtl8019asTransmit, IntIsHighWhileAnEnabledFlagIsSet) {
  EXPECT_FALSE(bench.chip.int_pin());
  const EthernetFrame in = Rtl8019asBench::frame(60);
  const Instant start = bench.now();
  bench.arrive(in);
  ASSERT_EQ(bench.int_edges.size(), 1u);
  EXPECT_EQ(bench.int_edges[0].when, start + wire_time(in)) << "with the last bit";
  EXPECT_EQ(bench.read(3, 0x0B), 0x01) << "INTR shows the line that CONFIG1 chooses";
  bench.write(0, 0x0F, 0x00);
  EXPECT_FALSE(bench.chip.int_pin());
  bench.write(0x0F, 0x01);
  EXPECT_TRUE(bench.chip.int_pin());
  bench.write(0x07, 0x02);
  EXPECT_TRUE(bench.chip.int_pin());
  bench.write(0x07, 0x01);
  EXPECT_FALSE(bench.chip.int_pin());
}

TEST_F(Rtl8019asTransmit, EachFlagHasItsMask) {
  struct Case {
    unsigned flag;
    void (*cause)(Rtl8019asBench&);
  };
  const Case cases[] = {
      {0x01, [](Rtl8019asBench& on) { on.arrive(Rtl8019asBench::frame(60)); }},
      {0x02,
       [](Rtl8019asBench& on) {
         on.request(Rtl8019asBench::octets(60, to));
         on.advance(Duration::milliseconds(1));
       }},
      {0x04,
       [](Rtl8019asBench& on) {
         EthernetFrame damaged = Rtl8019asBench::frame(60);
         damaged.fcs ^= 1;
         on.arrive(damaged);
       }},
      {0x10,
       [](Rtl8019asBench& on) {
         for (int n = 0; n < 26; ++n) on.arrive(Rtl8019asBench::frame(60));
       }},
      {0x20,
       [](Rtl8019asBench& on) {
         EthernetFrame damaged = Rtl8019asBench::frame(60);
         damaged.fcs ^= 1;
         for (int n = 0; n < 128; ++n) on.chip.deliver(damaged);
       }},
      {0x40, [](Rtl8019asBench& on) { on.read_memory(0x4000, 1); }},
  };
  for (const Case& each : cases) {
    for (const bool enabled : {false, true}) {
      Rtl8019asBench on;
      on.start();
      on.write(0x0F, enabled ? each.flag : 0);
      each.cause(on);
      EXPECT_EQ(on.read(0, 0x07) & each.flag, each.flag);
      EXPECT_EQ(on.chip.int_pin(), enabled) << each.flag;
    }
  }
}

TEST_F(Rtl8019asTransmit, WithoutIrqenTheLineStaysLow) {
  Rtl8019asBench jumperless{{.eeprom = Rtl8019asOptions::Eeprom::programmed, .jumper_mode = false}};
  jumperless.start();
  jumperless.arrive(Rtl8019asBench::frame(60));
  EXPECT_TRUE(jumperless.chip.int_pin());
  jumperless.write(0, 0xE2);
  jumperless.write(0x01, 0xC0);
  jumperless.write(0x04, 0x00);
  EXPECT_FALSE(jumperless.chip.int_pin());
}

}  // namespace
}  // namespace avrlan
