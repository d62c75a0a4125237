// Remote DMA: the data port, its count, its wraps, words, the PROM, the send packet command, and what is told of it.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/rtl8019as_bench.hpp"

namespace avrlan {
namespace {

class Rtl8019asDma : public testing::Test {
 protected:
  Rtl8019asDma() { bench.start(); }
  Rtl8019asBench bench;
};

TEST_F(Rtl8019asDma, WhatIsWrittenIsRead) {
  const Octets out = Rtl8019asBench::octets(1514);
  bench.write_memory(0x4000, out);
  EXPECT_EQ(bench.read(0x07) & 0x40, 0x40) << "RDC with the last octet";
  EXPECT_EQ(bench.read(0x08) | bench.read(0x09) << 8, 0x4000 + 1514) << "CRDA";
  bench.write(0x07, 0x40);
  EXPECT_EQ(bench.read_memory(0x4000, 1514), out);
  EXPECT_EQ(bench.read(0, 0x07) & 0x40, 0x40);
  EXPECT_TRUE(bench.diagnostics.empty());
}

TEST_F(Rtl8019asDma, EveryAddressOfThePortIsThePort) {
  bench.write_memory(0x4000, {1, 2, 3, 4, 5, 6, 7, 8});
  bench.set_remote(0x4000, 8);
  bench.write(0, 0x0A);
  for (unsigned n = 0; n < 8; ++n) EXPECT_EQ(bench.read(0x10 + n), n + 1);
}

TEST_F(Rtl8019asDma, RdcComesWithTheLastOctetAndNotBefore) {
  bench.set_remote(0x4000, 2);
  bench.write(0, 0x12);
  bench.write(0x10, 1);
  EXPECT_EQ(bench.read(0x07) & 0x40, 0x00);
  bench.write(0x10, 2);
  EXPECT_EQ(bench.read(0x07) & 0x40, 0x40);
}

TEST_F(Rtl8019asDma, AChangeOfPageDoesNotDisturbIt) {
  bench.write_memory(0x4000, {1, 2, 3, 4});
  bench.set_remote(0x4000, 4);
  bench.write(0, 0x0A);
  EXPECT_EQ(bench.read(0x10), 1);
  bench.write(0, 0x4A);
  EXPECT_EQ(bench.read(0x07), 0x46) << "CURR";
  bench.write(0, 0x0A);
  EXPECT_EQ(bench.read(0x10), 2);
  EXPECT_EQ(bench.read(0x10), 3);
  EXPECT_EQ(bench.read(0x10), 4);
  EXPECT_TRUE(bench.diagnostics.empty());
}

TEST_F(Rtl8019asDma, ANewAddressStartsThere) {
  bench.write_memory(0x4000, {1, 2, 3, 4});
  bench.set_remote(0x4002, 1);
  bench.write(0, 0x0A);
  EXPECT_EQ(bench.read(0x10), 3);
  bench.set_remote(0x4001, 1);
  bench.write(0, 0x0A);
  EXPECT_EQ(bench.read(0x10), 2);
}

TEST_F(Rtl8019asDma, ACountOfZeroIsDoneAtOnce) {
  bench.set_remote(0x4000, 0);
  bench.write(0, 0x0A);
  EXPECT_EQ(bench.read(0x07) & 0x40, 0x40);
}

TEST_F(Rtl8019asDma, ReadsAndWritesWrapAtTheEndOfTheRing) {
  bench.write_memory(0x5FFE, {1, 2, 3, 4});
  EXPECT_EQ(bench.chip.memory()[0x1FFE], 1);
  EXPECT_EQ(bench.chip.memory()[0x1FFF], 2);
  EXPECT_EQ(bench.chip.memory()[0x0600], 3);
  EXPECT_EQ(bench.chip.memory()[0x0601], 4);
  bench.write(0, 0x01, 0x47);
  bench.write_memory(0x5FFF, {5, 6});
  EXPECT_EQ(bench.chip.memory()[0x0700], 6);
}

TEST_F(Rtl8019asDma, InAnEightBitSlotHalfTheMemoryIsMissing) {
  bench.write(0, 0x02, 0x80);
  bench.write_memory(0x6000, {1, 2});
  EXPECT_EQ(bench.read_memory(0x6000, 2), (Octets{0xFF, 0xFF}));
  bench.write_memory(0x3FFF, {1, 2});
  EXPECT_EQ(bench.read_memory(0x3FFF, 2), (Octets{0xFF, 2}));
  EXPECT_EQ(bench.read_memory(0x0020, 1), Octets{0xFF});
}

TEST_F(Rtl8019asDma, BehindTheCountNothingMoves) {
  bench.write_memory(0x4000, {1, 2, 3});
  bench.set_remote(0x4000, 1);
  bench.write(0, 0x0A);
  EXPECT_EQ(bench.read(0x10), 1);
  EXPECT_EQ(bench.read(0x10), 1) << "the last one again";
  EXPECT_EQ(bench.count("rtl8019as-data-port-idle"), 1u);
  bench.write(0x10, 9);
  EXPECT_EQ(bench.read_memory(0x4000, 3), (Octets{1, 2, 3}));
}

// --- sixteen bits

TEST(Rtl8019asWords, MoveTwoOctetsAtATime) {
  Rtl8019asBench bench{{.bus = Rtl8019asOptions::Bus::word}};
  bench.start();
  bench.write(0, 0x0E, 0x49);
  bench.set_remote(0x7FFE, 4);
  bench.write(0x02, 0x80);
  bench.write(0, 0x12);
  bench.chip.write_word(0x0201);
  EXPECT_EQ(bench.read(0x07) & 0x40, 0x00);
  bench.chip.write_word(0x0403);
  EXPECT_EQ(bench.read(0x07) & 0x40, 0x40);
  EXPECT_EQ(bench.chip.memory()[0x3FFE], 1);
  EXPECT_EQ(bench.chip.memory()[0x3FFF], 2);
  EXPECT_EQ(bench.chip.memory()[0x0600], 3) << "behind the end of the ring";
  EXPECT_EQ(bench.chip.memory()[0x0601], 4);
  bench.set_remote(0x7FFE, 4);
  bench.write(0, 0x0A);
  EXPECT_EQ(bench.chip.read_word(), 0x0201);
  EXPECT_EQ(bench.chip.read_word(), 0x0403);
  bench.write(0x02, 0x60);
  bench.set_remote(0x4600, 2);
  bench.write(0, 0x0A);
  EXPECT_EQ(bench.read(0x10), 3) << "eight lines carry the low half";
  EXPECT_EQ(bench.read(0x07) & 0x40, 0x40);
}

// --- PROM

TEST(Rtl8019asProm, HasEachOctetTwiceAndTheWidthOfTheSlot) {
  for (const auto bus : {Rtl8019asOptions::Bus::byte, Rtl8019asOptions::Bus::word}) {
    Rtl8019asBench bench{{.bus = bus, .eeprom = Rtl8019asOptions::Eeprom::programmed, .mac = Rtl8019asBench::mac}};
    bench.start();
    const Octets prom = bench.read_memory(0x0000, 32);
    for (unsigned n = 0; n < 6; ++n) {
      EXPECT_EQ(prom[2 * n], Rtl8019asBench::mac[n]);
      EXPECT_EQ(prom[2 * n + 1], Rtl8019asBench::mac[n]);
    }
    for (unsigned n = 28; n < 32; ++n) EXPECT_EQ(prom[n], bus == Rtl8019asOptions::Bus::byte ? 'B' : 'W');
  }
}

TEST_F(Rtl8019asDma, WithoutAnEepromThePromIsAllOnes) {
  EXPECT_EQ(bench.read_memory(0x0000, 28), Octets(28, 0xFF));
  bench.write_memory(0x0000, {1});
  EXPECT_EQ(bench.read_memory(0x0000, 1), Octets{0xFF});
}

TEST(Rtl8019asMemory, AtPowerOnIsZeroOrWhatASeedSays) {
  Rtl8019asBench zeros, random{{.memory_seed = 1}}, again{{.memory_seed = 1}}, other{{.memory_seed = 2}};
  const auto contents = [](const Rtl8019asBench& bench) {
    return Octets(bench.chip.memory().begin(), bench.chip.memory().end());
  };
  EXPECT_EQ(contents(zeros), Octets(0x4000, 0));
  EXPECT_NE(contents(random), contents(zeros));
  EXPECT_EQ(contents(random), contents(again));
  EXPECT_NE(contents(random), contents(other));
}

// --- send packet

TEST_F(Rtl8019asDma, SendPacketMovesTheOldestFrameAndBnry) {
  bench.write(0, 0x0E, 0x58);  // ARM
  bench.write(0x03, 0x46);
  const EthernetFrame in = Rtl8019asBench::frame(300);
  bench.arrive(in);
  bench.write(0, 0x1A);
  Octets octets;
  while ((bench.read(0x07) & 0x40) == 0) octets.push_back(bench.read(0x10));
  EXPECT_EQ(octets.size(), 304u);
  EXPECT_EQ(octets[1], 0x48) << "with its header";
  EXPECT_EQ(octets[4], in.octets[0]);
  EXPECT_EQ(bench.read(0x03), 0x48);
  EXPECT_TRUE(bench.diagnostics.empty());
}

TEST_F(Rtl8019asDma, SendPacketNeedsArm) {
  bench.arrive(Rtl8019asBench::frame(60));
  bench.write(0, 0x1A);
  bench.read(0x10);
  EXPECT_EQ(bench.count("rtl8019as-data-port-idle"), 1u);
}

// --- what is told of it

using Kind = NicEvent::Kind;

TEST_F(Rtl8019asDma, TellsWhatItDoes) {
  std::vector<NicEvent> events;
  bench.chip.on_event([&](const NicEvent& event) { events.push_back(event); });
  const auto kinds = [&] {
    std::vector<Kind> all;
    for (const NicEvent& event : events) all.push_back(event.kind);
    events.clear();
    return all;
  };
  bench.chip.write(0x830F, 0x01);
  EXPECT_EQ(kinds(), (std::vector{Kind::access_begins, Kind::access_ends}));
  bench.arrive(Rtl8019asBench::frame(60));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].number, 1u);
  EXPECT_EQ(events[0].octets, 60u);
  EXPECT_EQ(kinds(), (std::vector{Kind::frame_received, Kind::interrupt_asserted}));
  bench.set_remote(0x4600, 2);
  kinds();
  bench.write(0x00, 0x0A);
  EXPECT_EQ(kinds(), (std::vector{Kind::access_begins}));
  bench.read(0x10);
  EXPECT_EQ(kinds(), (std::vector{Kind::frame_opened}));
  bench.read(0x10);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].access, NicEvent::Access::read_buffer);
  EXPECT_EQ(kinds(), (std::vector{Kind::access_ends}));
  bench.chip.write(0x8303, 0x46);
  EXPECT_EQ(kinds(), (std::vector{Kind::access_begins, Kind::frame_released, Kind::access_ends}));
  bench.chip.read(0x8307);
  EXPECT_EQ(events.back().access, NicEvent::Access::read_status);
  bench.chip.write(0x8300, 0x62);
  kinds();
  bench.chip.read(0x8307);
  EXPECT_EQ(kinds(), (std::vector{Kind::access_begins, Kind::found_none, Kind::access_ends}));
  bench.request(Rtl8019asBench::octets(60, Rtl8019asBench::peer));
  kinds();
  bench.advance(Duration::microseconds(60));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].sent);
  EXPECT_EQ(kinds(), (std::vector{Kind::transmit_ended}));
}

}  // namespace
}  // namespace avrlan
