// Reception: filters, the ring, overflow and the way out of it.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/rtl8019as_bench.hpp"

namespace avrlan {
namespace {

class Rtl8019asReceive : public testing::Test {
 protected:
  Rtl8019asReceive() { bench.start(); }
  std::uint64_t dropped(DropReason reason) const { return bench.chip.counters().drops.of(reason); }
  bool accepts(const EthernetFrame& frame) {
    const std::uint64_t before = bench.chip.counters().rx_frames;
    bench.arrive(frame);
    const bool accepted = bench.chip.counters().rx_frames != before;
    if (accepted) bench.take();
    return accepted;
  }
  Rtl8019asBench bench;
};

TEST_F(Rtl8019asReceive, AFrameIsInTheRingBehindItsHeader) {
  const EthernetFrame in = Rtl8019asBench::frame(300);
  bench.wire.from_network(in);
  bench.advance(wire_time(in) - Duration::nanoseconds(200) * 4);
  EXPECT_EQ(bench.current(), 0x46) << "before the last bit";
  bench.advance(Duration::microseconds(1));
  EXPECT_EQ(bench.read(0, 0x07), 0x01);
  EXPECT_EQ(bench.read(0x0C), 0x01) << "RSR";
  EXPECT_EQ(bench.read(0x01) | bench.read(0x02) << 8, 0x4600 + 4 + 304) << "CLDA";
  EXPECT_EQ(bench.current(), 0x48);
  const auto received = bench.take();
  EXPECT_EQ(received.status, 0x01);
  EXPECT_EQ(received.next, 0x48);
  EXPECT_EQ(received.length, 304u);
  EXPECT_EQ(received.octets, Rtl8019asBench::with_fcs(in));
  EXPECT_TRUE(bench.diagnostics.empty());
}

// Every length at every page of the ring, so that every one of them wraps at every place.
TEST_F(Rtl8019asReceive, EveryLengthAtEveryPage) {
  constexpr unsigned pages = Rtl8019asBench::ring_stop - Rtl8019asBench::ring_start;
  for (std::size_t length = 60; length <= 1514; ++length) {
    const EthernetFrame in = Rtl8019asBench::frame(length, Rtl8019asBench::mac, static_cast<unsigned>(length));
    const Octets all = Rtl8019asBench::with_fcs(in);
    for (unsigned n = 0; n < pages; ++n) {
      const unsigned first = Rtl8019asBench::ring_start + n;
      bench.write(1, 0x07, first);
      bench.release(first);
      bench.chip.deliver(in);
      const unsigned used = static_cast<unsigned>(all.size() + 4 + 255) / 256;
      const auto received = bench.take();
      ASSERT_EQ(received.next, Rtl8019asBench::ring_start + (n + used) % pages) << length << " at " << first;
      ASSERT_EQ(received.octets, all) << length << " at " << first;
    }
  }
  EXPECT_TRUE(bench.diagnostics.empty());
}

TEST_F(Rtl8019asReceive, NothingOutsideTheRingIsTouched) {
  bench.write_memory(0x4000, Octets(0x600, 0xA5));
  for (unsigned n = 0; n < 100; ++n) {
    bench.arrive(Rtl8019asBench::frame(60 + n * 14, Rtl8019asBench::mac, n));
    bench.take();
  }
  EXPECT_EQ(bench.read_memory(0x4000, 0x600), Octets(0x600, 0xA5));
}

// --- filters

TEST_F(Rtl8019asReceive, StationAndBroadcastAddresses) {
  const EthernetFrame ours = Rtl8019asBench::frame(60);
  const EthernetFrame broadcast = Rtl8019asBench::frame(60, Rtl8019asBench::broadcast);
  const EthernetFrame other = Rtl8019asBench::frame(60, Rtl8019asBench::peer);
  EXPECT_TRUE(accepts(ours));
  EXPECT_TRUE(accepts(broadcast));
  EXPECT_FALSE(accepts(other));
  EXPECT_EQ(dropped(DropReason::filtered), 1u);
  bench.write(0, 0x0C, 0x00);
  EXPECT_FALSE(accepts(broadcast));
  bench.write(0, 0x0C, 0x10);
  EXPECT_TRUE(accepts(other));
  EXPECT_FALSE(accepts(broadcast)) << "PRO is for stations' addresses";
}

TEST_F(Rtl8019asReceive, TheHeaderTellsGroupsFromStations) {
  bench.arrive(Rtl8019asBench::frame(60, Rtl8019asBench::broadcast));
  EXPECT_EQ(bench.take().status, 0x21);
}

// The CRC as a shift register has it, bit by bit.
unsigned hash_of(const MacAddress& address) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (std::uint8_t octet : address) {
    for (int bit = 0; bit < 8; ++bit, octet >>= 1) {
      const bool feed = ((crc >> 31) ^ octet) & 1;
      crc = crc << 1 ^ (feed ? 0x04C11DB7u : 0u);
    }
  }
  return crc >> 26;
}

TEST_F(Rtl8019asReceive, MulticastAddressesByTheirHash) {
  for (unsigned n = 0; n < 64; ++n) {
    const MacAddress group{0x01, 0x00, 0x5E, 0x00, 0x01, static_cast<std::uint8_t>(n * 5)};
    const unsigned bit = hash_of(group);
    for (unsigned mar = 0; mar < 8; ++mar) bench.write(1, 8 + mar, mar == bit / 8 ? 1u << bit % 8 : 0);
    bench.write(0, 0x0C, 0x08);
    EXPECT_TRUE(accepts(Rtl8019asBench::frame(60, group))) << n;
    bench.write(0, 0x0C, 0x00);
    EXPECT_FALSE(accepts(Rtl8019asBench::frame(60, group))) << n << " without AM";
    bench.write(0, 0x0C, 0x08);
    for (unsigned mar = 0; mar < 8; ++mar) bench.write(1, 8 + mar, mar == bit / 8 ? ~(1u << bit % 8) : 0xFF);
    EXPECT_FALSE(accepts(Rtl8019asBench::frame(60, group))) << n;
  }
}

TEST_F(Rtl8019asReceive, RuntsWhenAskedFor) {
  EXPECT_FALSE(accepts(Rtl8019asBench::frame(59)));
  EXPECT_EQ(dropped(DropReason::runt), 1u);
  bench.write(0, 0x0C, 0x02);
  EXPECT_TRUE(accepts(Rtl8019asBench::frame(59)));
  EXPECT_TRUE(accepts(Rtl8019asBench::frame(14)));
  EXPECT_FALSE(accepts(Rtl8019asBench::frame(5)));
}

TEST_F(Rtl8019asReceive, DamagedFramesAreCountedAndKeptWhenAskedFor) {
  EthernetFrame damaged = Rtl8019asBench::frame(60);
  damaged.octets[40] ^= 0x10;
  EXPECT_FALSE(accepts(damaged));
  EXPECT_EQ(bench.read(0, 0x07), 0x04);
  EXPECT_EQ(bench.read(0x0C), 0x02);
  EXPECT_EQ(bench.read(0x0E), 1);
  bench.write(0x0C, 0x01);
  bench.arrive(damaged);
  EXPECT_EQ(bench.take().status, 0x02);
}

TEST_F(Rtl8019asReceive, TallyCountersInterruptAt128AndStopAt192) {
  EthernetFrame damaged = Rtl8019asBench::frame(60);
  damaged.fcs ^= 1;
  for (int n = 0; n < 127; ++n) bench.chip.deliver(damaged);
  EXPECT_EQ(bench.read(0, 0x07) & 0x20, 0x00);
  bench.chip.deliver(damaged);
  EXPECT_EQ(bench.read(0x07) & 0x20, 0x20);
  for (int n = 0; n < 100; ++n) bench.chip.deliver(damaged);
  EXPECT_EQ(bench.read(0x0E), 192);
  EXPECT_EQ(bench.read(0x0E), 0);
}

TEST_F(Rtl8019asReceive, MonitorModeCountsAndKeepsNothing) {
  bench.write(0, 0x0C, 0x24);
  EXPECT_FALSE(accepts(Rtl8019asBench::frame(60)));
  EXPECT_EQ(bench.read(0, 0x0C), 0x51) << "DIS, MPA, PRX";
  EXPECT_EQ(bench.read(0x0F), 1);
  EXPECT_EQ(bench.read(0x07), 0x00);
}

TEST_F(Rtl8019asReceive, NothingWhileStoppedAsleepLoopedBackOrUnplugged) {
  const EthernetFrame in = Rtl8019asBench::frame(60);
  bench.write(0, 0x21);
  EXPECT_FALSE(accepts(in));
  EXPECT_EQ(dropped(DropReason::receiver_off), 1u);
  bench.write(0, 0x22);
  bench.write(0x0D, 0x02);
  EXPECT_FALSE(accepts(in));
  EXPECT_EQ(dropped(DropReason::receiver_off), 2u);
  bench.write(0x0D, 0x00);
  bench.chip.set_link(false);
  EXPECT_FALSE(accepts(in));
  EXPECT_EQ(dropped(DropReason::link_down), 1u);
  bench.chip.set_link(true);
  bench.advance(Duration::milliseconds(32));
  EXPECT_TRUE(accepts(in));
  bench.configure(0x02);
  bench.write(0, 0x22);
  EXPECT_FALSE(accepts(in));
  EXPECT_EQ(dropped(DropReason::power_down), 1u);
}

// --- the ring when it is full

TEST_F(Rtl8019asReceive, APageIsNotTakenWhileBnryStandsOnIt) {
  for (unsigned n = 0; n < 25; ++n) bench.arrive(Rtl8019asBench::frame(60, Rtl8019asBench::mac, n));
  EXPECT_EQ(bench.chip.counters().rx_frames, 25u);
  EXPECT_EQ(bench.current(), 0x5F) << "CURR has come up with BNRY";
  EXPECT_EQ(bench.read(0, 0x07), 0x01);
  bench.arrive(Rtl8019asBench::frame(60));
  EXPECT_EQ(bench.chip.counters().rx_frames, 25u);
  EXPECT_EQ(bench.read(0, 0x07), 0x95) << "RST, OVW, RXE, PRX";
  EXPECT_EQ(bench.read(0x0F), 1) << "CNTR2";
  EXPECT_EQ(bench.current(), 0x5F) << "and stays";
  for (unsigned n = 0; n < 25; ++n) {
    EXPECT_EQ(bench.take().octets, Rtl8019asBench::with_fcs(Rtl8019asBench::frame(60, Rtl8019asBench::mac, n)));
  }
  EXPECT_EQ(bench.read(0, 0x07) & 0x80, 0x00) << "RST until a frame was taken";
  bench.write(0x07, 0xFF);
  bench.arrive(Rtl8019asBench::frame(60));
  EXPECT_EQ(bench.chip.counters().rx_frames, 26u);
}

TEST_F(Rtl8019asReceive, ALongFrameThatMeetsBnryIsLostAsAWhole) {
  for (unsigned n = 0; n < 4; ++n) bench.arrive(Rtl8019asBench::frame(1514, Rtl8019asBench::mac, n));  // 24 of 25 pages
  bench.arrive(Rtl8019asBench::frame(300));
  EXPECT_EQ(bench.chip.counters().rx_frames, 4u);
  EXPECT_EQ(dropped(DropReason::fifo_full), 1u);
  bench.arrive(Rtl8019asBench::frame(60));
  EXPECT_EQ(bench.chip.counters().rx_frames, 5u) << "a short one still fits";
  for (unsigned n = 0; n < 4; ++n) {
    EXPECT_EQ(bench.take().octets, Rtl8019asBench::with_fcs(Rtl8019asBench::frame(1514, Rtl8019asBench::mac, n)));
  }
}

// BNRY is the next page to read, and the ring is empty when it is CURR.
TEST_F(Rtl8019asReceive, AnEmptyRingMayHaveBnryAtCurr) {
  bench.write(0, 0x03, 0x46);
  for (unsigned n = 0; n < 100; ++n) {
    const EthernetFrame in = Rtl8019asBench::frame(60 + 14 * n, Rtl8019asBench::mac, n);
    bench.arrive(in);
    const unsigned at = bench.read(0, 0x03);
    const Octets header = bench.read_memory(at << 8, 4);
    EXPECT_EQ(bench.read_memory((at << 8) + 4, in.wire_size()), Rtl8019asBench::with_fcs(in));
    bench.write(0, 0x03, header[1]);
    EXPECT_EQ(bench.current(), header[1]);
  }
  EXPECT_EQ(bench.chip.counters().rx_frames, 100u);
  EXPECT_TRUE(bench.diagnostics.empty());
  for (unsigned n = 0; n < 26; ++n) bench.arrive(Rtl8019asBench::frame(60));
  EXPECT_EQ(bench.chip.counters().rx_frames, 126u) << "all 26 pages";
  bench.arrive(Rtl8019asBench::frame(60));
  EXPECT_EQ(dropped(DropReason::fifo_full), 1u);
}

// National's procedure, with a transmission under way.
TEST_F(Rtl8019asReceive, TheOverflowProcedureRecovers) {
  for (unsigned n = 0; n < 26; ++n) bench.arrive(Rtl8019asBench::frame(60, Rtl8019asBench::mac, n));
  bench.request(Rtl8019asBench::octets(1514, Rtl8019asBench::peer));
  bench.arrive(Rtl8019asBench::frame(60));
  ASSERT_EQ(bench.read(0, 0x07) & 0x10, 0x10);
  const bool sends = (bench.read(0) & 0x04) != 0;
  EXPECT_TRUE(sends);
  bench.write(0, 0x21);
  bench.advance(Duration::microseconds(1600));
  bench.write(0x0A, 0);
  bench.write(0x0B, 0);
  EXPECT_EQ(bench.read(0x07) & 0x82, 0x82) << "the frame is out: no need to send it again";
  bench.write(0x0D, 0x02);
  bench.write(0, 0x22);
  for (unsigned n = 0; n < 25; ++n) bench.take();
  bench.write(0x07, 0x10);
  bench.write(0x0D, 0x00);
  bench.arrive(Rtl8019asBench::frame(60));
  EXPECT_EQ(bench.take().length, 64u);
  EXPECT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.count("rtl8019as-overflow-unserviced"), 0u);
}

TEST(Rtl8019asErratum, AnOverflowStopsTheReceiverUntilItIsStartedAgain) {
  Rtl8019asBench bench{{.errata = {.overflow_stops_receiver = true}}};
  bench.start();
  for (unsigned n = 0; n < 26; ++n) bench.arrive(Rtl8019asBench::frame(60));
  bench.take();
  bench.arrive(Rtl8019asBench::frame(60));
  EXPECT_EQ(bench.chip.counters().rx_frames, 25u);
  bench.write(0, 0x21);
  bench.write(0, 0x22);
  bench.arrive(Rtl8019asBench::frame(60));
  EXPECT_EQ(bench.chip.counters().rx_frames, 26u);
}

TEST(Rtl8019asErratum, StopWaitsForTheRemoteByteCount) {
  Rtl8019asBench bench{{.errata = {.stop_waits_for_remote_count = true}}};
  bench.start();
  bench.write(0x0A, 1);
  bench.write(0, 0x21);
  EXPECT_EQ(bench.read(0x07) & 0x80, 0x00);
  bench.write(0x0A, 0);
  EXPECT_EQ(bench.read(0x07) & 0x80, 0x80);
}

TEST(Rtl8019asErratum, TheHeadersNextPageMayBeOneLate) {
  Rtl8019asBench bench{{.errata = {.next_page_one_late = true}}};
  bench.start();
  bench.arrive(Rtl8019asBench::frame(504));  // and header and FCS: two pages
  bench.arrive(Rtl8019asBench::frame(503));
  EXPECT_EQ(bench.read_memory(0x4601, 1), Octets{0x49});
  EXPECT_EQ(bench.read_memory(0x4801, 1), Octets{0x4A});
}

}  // namespace
}  // namespace avrlan
