// What the chip tells of itself to a profile or a timeline (nic-model/core/nic_event.hpp), in the order in which it happens.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/enc28j60_bench.hpp"

namespace avrlan {
namespace {

using enc28j60::Reg;
using Kind = NicEvent::Kind;
using Access = NicEvent::Access;

class Enc28j60Events : public testing::Test {
 protected:
  Enc28j60Events() {
    bench.start();
    bench.chip.on_event([this](const NicEvent& event) {
      if (event.kind == Kind::access_begins || event.kind == Kind::access_ends) {
        accesses.push_back(event);
      } else {
        events.push_back(event);
        when.push_back(bench.now());
      }
    });
  }
  std::vector<Kind> kinds() {
    std::vector<Kind> all;
    for (const NicEvent& event : events) all.push_back(event.kind);
    events.clear();
    return all;
  }

  Enc28j60Bench bench;
  std::vector<NicEvent> events, accesses;
  std::vector<Instant> when;
};

TEST_F(Enc28j60Events, FollowAFrameThroughTheChip) {
  bench.set(Reg::EIE, enc28j60::EIE::INTIE | enc28j60::EIE::PKTIE);
  bench.read(Reg::EPKTCNT);
  EXPECT_EQ(kinds(), std::vector{Kind::found_none});
  const EthernetFrame frame = bench.frame(60);
  const Instant before = bench.now();
  bench.arrive(frame);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].number, 1u);
  EXPECT_EQ(events[0].octets, 60u);
  EXPECT_EQ(when[1], before + wire_time(frame));
  EXPECT_EQ(kinds(), (std::vector{Kind::frame_received, Kind::interrupt_asserted}));
  bench.take();
  EXPECT_EQ(events[0].number, 1u);
  EXPECT_EQ(kinds(), (std::vector{Kind::frame_opened, Kind::frame_released, Kind::interrupt_released}));
}

TEST_F(Enc28j60Events, TellWhatAnAccessWas) {
  const auto last = [&] {
    EXPECT_EQ(accesses.back().kind, Kind::access_ends);
    return accesses.back().access;
  };
  for (const Reg status : {Reg::EIR, Reg::ESTAT, Reg::ECON1}) {
    bench.read(status);
    EXPECT_EQ(last(), Access::read_status);
  }
  bench.read(Reg::EIE);
  EXPECT_EQ(last(), Access::other);
  bench.write(Reg::EIR, 0);
  EXPECT_EQ(last(), Access::other);
  bench.write_buffer(0x1A00, {1, 2, 3});
  EXPECT_EQ(last(), Access::write_buffer);
  bench.read_buffer(0x1A00, 3);
  EXPECT_EQ(last(), Access::read_buffer);
  EXPECT_TRUE(events.empty()) << "no packet was read";
}

TEST_F(Enc28j60Events, FollowATransmission) {
  bench.request(bench.octets(100, Enc28j60Bench::peer));
  const Instant requested = bench.now();
  bench.advance(Duration::milliseconds(1));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].octets, 100u);
  EXPECT_TRUE(events[1].sent);
  EXPECT_GE(events[1].start, requested);
  EXPECT_EQ(when[1] - events[1].start, wire_time(bench.frame(100)));
  EXPECT_EQ(kinds(), (std::vector{Kind::transmit_requested, Kind::transmit_ended}));

  bench.request(bench.octets(100, Enc28j60Bench::peer));
  bench.clear(Reg::ECON1, enc28j60::ECON1::TXRTS);
  EXPECT_FALSE(events.back().sent);
  EXPECT_EQ(kinds(), (std::vector{Kind::transmit_requested, Kind::frame_dropped, Kind::transmit_ended}));
}

TEST_F(Enc28j60Events, TellLossDmaAndReset) {
  bench.arrive(bench.frame(60, Enc28j60Bench::peer));
  EXPECT_EQ(events.at(0).reason, DropReason::filtered);
  EXPECT_EQ(kinds(), std::vector{Kind::frame_dropped});
  bench.write_pair(Reg::EDMASTL, 0);
  bench.write_pair(Reg::EDMANDL, 99);
  bench.write_pair(Reg::EDMADSTL, 0x1A00);
  bench.set(Reg::ECON1, enc28j60::ECON1::DMAST);
  bench.advance(Duration::microseconds(8));
  EXPECT_EQ(when.back() - when[when.size() - 2], Duration::microseconds(8));
  EXPECT_EQ(kinds(), (std::vector{Kind::dma_started, Kind::dma_ended}));
  bench.spi({0xFF});
  EXPECT_EQ(kinds(), std::vector{Kind::reset});
}

// --- registers by their place, for a debugger

TEST_F(Enc28j60Events, TheOctetsOfARegisterAreItsValue) {
  std::size_t registers = 0;
  for (const NicRegister& reg : bench.chip.register_values()) {
    ASSERT_TRUE(reg.octets == 1 || reg.octets == 2) << reg.name;
    unsigned value = bench.chip.register_octet(reg.place);
    if (reg.octets == 2) value |= static_cast<unsigned>(bench.chip.register_octet(reg.place + 1u)) << 8;
    EXPECT_EQ(value, reg.value) << reg.name;
    registers += reg.octets;
  }
  EXPECT_EQ(bench.chip.register_octet(place_of(Reg::EREVID)), 6);
  EXPECT_EQ(bench.chip.register_octet(place_of(enc28j60::Phy::PHID1)), 0x83);
  std::size_t not_zero = 0;
  for (std::uint16_t place = 0; place < 0x200; ++place) {
    if (bench.chip.register_octet(place) != 0) ++not_zero;
  }
  EXPECT_LE(not_zero, registers) << "there is nothing between them";
  EXPECT_EQ(bench.chip.register_octet(0x3E), 0) << "ECON2 is in every bank, and has one place";
}

TEST_F(Enc28j60Events, TellWhichRegisterWasReadOrWritten) {
  std::vector<std::pair<unsigned, bool>> seen;
  const auto last = [&] { return std::exchange(seen, {}); };
  using Seen = std::vector<std::pair<unsigned, bool>>;
  bench.chip.on_register_access([&](std::uint16_t place, bool written) { seen.emplace_back(place, written); });
  bench.read(Reg::ERDPTL);
  last();
  bench.spi({0x1C, 0});  // RCR EIR
  EXPECT_EQ(last(), (Seen{{0x1C, false}}));
  bench.spi({0x04});
  EXPECT_EQ(last(), Seen{}) << "no octet was clocked";
  bench.spi({0x44, 0x12});  // WCR ETXSTL
  EXPECT_EQ(last(), (Seen{{0x04, true}}));
  bench.spi({0x9B, 0x80});  // BFS EIE
  EXPECT_EQ(last(), (Seen{{0x1B, true}}));
  bench.spi({0x9F, 0x02});  // BFS ECON1: bank 2
  last();
  bench.spi({0x02, 0});  // MACON3
  EXPECT_EQ(last(), Seen{}) << "the dummy octet";
  bench.spi({0x02, 0, 0});
  EXPECT_EQ(last(), (Seen{{0x42, false}}));
  bench.spi({0x05, 0, 0});
  EXPECT_EQ(last(), Seen{}) << "there is no register";
  bench.write_phy(enc28j60::Phy::PHLCON, 0x3422);
  const Seen after = last();
  ASSERT_GE(after.size(), 2u);
  EXPECT_EQ((Seen{after.end() - 2, after.end()}), (Seen{{0xA8, true}, {0xA9, true}}));
}

}  // namespace
}  // namespace avrlan
