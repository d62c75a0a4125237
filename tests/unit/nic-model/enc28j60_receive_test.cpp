// Reception, DS39662E 7.2: the circular buffer, the status vector, and what happens when there is no room.

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/nic-model/enc28j60_bench.hpp"

namespace avrlan {
namespace {

using enc28j60::Reg;
namespace RSV = enc28j60::RSV;

bool bit(std::uint32_t status, unsigned n) {
  return (status >> n & 1) != 0;
}

class Enc28j60Receive : public testing::Test {
 protected:
  Enc28j60Receive() { bench.start(); }

  std::uint64_t drops(DropReason reason) const { return bench.chip.counters().drops.of(reason); }
  std::uint8_t packets() { return bench.read(Reg::EPKTCNT); }

  Enc28j60Bench bench;
};

// Figure 7-3, octet by octet, with the numbers of a log from real silicon: 60 octets of data at 2D4h..30Fh behind a
// header at 2CEh, the next packet at 314h, status C0h in the third octet of the vector (UIPEthernet issue 69).
TEST_F(Enc28j60Receive, WritesPointerStatusFrameAndFcs) {
  bench.write_pair(Reg::ERXSTL, 0x02CE);
  bench.write_pair(Reg::ERXRDPTL, 0x19FF);
  const EthernetFrame frame = bench.frame(60, Enc28j60Bench::mac, 1, 0x0806);
  bench.arrive(frame);

  EXPECT_EQ(packets(), 1);
  EXPECT_EQ(bench.read_pair(Reg::ERXWRPTL), 0x0314);
  Octets expected{0x14, 0x03, 64, 0, 0xC0, 0x00};
  const Octets body = Enc28j60Bench::with_fcs(frame);
  expected.insert(expected.end(), body.begin(), body.end());
  EXPECT_EQ(bench.read_buffer(0x02CE, 70), expected);
  EXPECT_EQ(bench.chip.counters().rx_frames, 1u);
  EXPECT_EQ(bench.chip.counters().rx_bytes, 60u);
}

TEST_F(Enc28j60Receive, CountsAPacketWithItsLastBit) {
  const EthernetFrame frame = bench.frame(60);
  bench.wire.from_network(frame);
  EXPECT_EQ(bench.chip.peek(Reg::ESTAT) & enc28j60::ESTAT::RXBUSY, enc28j60::ESTAT::RXBUSY);
  bench.advance(Duration::nanoseconds(57'600) - Duration::picoseconds(1));
  EXPECT_EQ(bench.chip.peek(Reg::EPKTCNT), 0);
  EXPECT_EQ(bench.chip.peek(Reg::ESTAT) & enc28j60::ESTAT::RXBUSY, enc28j60::ESTAT::RXBUSY);
  bench.advance(Duration::picoseconds(1));
  EXPECT_EQ(bench.chip.peek(Reg::EPKTCNT), 1);
  EXPECT_EQ(bench.chip.peek(Reg::ESTAT) & enc28j60::ESTAT::RXBUSY, 0);
  EXPECT_EQ(bench.chip.peek(Reg::EIR), enc28j60::EIR::PKTIF);
}

TEST_F(Enc28j60Receive, KeepsBackToBackFramesInOrder) {
  for (unsigned n = 0; n < 40; ++n) bench.wire.from_network(bench.frame(60 + n % 7, Enc28j60Bench::mac, n));
  bench.advance(Duration::milliseconds(4));
  EXPECT_EQ(packets(), 40);
  for (unsigned n = 0; n < 40; ++n) {
    const EthernetFrame sent = bench.frame(60 + n % 7, Enc28j60Bench::mac, n);
    const Enc28j60Bench::Packet packet = bench.take();
    ASSERT_EQ(packet.octets, Enc28j60Bench::with_fcs(sent)) << n;
    ASSERT_EQ(packet.next % 2, 0);
  }
  EXPECT_EQ(packets(), 0);
}

// Every length from 60 to 1514 round and round a buffer whose size has nothing in common with them, so that header,
// data and FCS meet the wrap at every offset.
TEST_F(Enc28j60Receive, WrapsAtEveryLengthAndOffset) {
  for (const std::uint16_t fifo_end : {std::uint16_t{0x19FF}, std::uint16_t{0x0B3D}, std::uint16_t{0x0A01}}) {
    bench.read_pointer = 0;
    bench.write_pair(Reg::ERXNDL, fifo_end);
    bench.write_pair(Reg::ERXRDPTL, fifo_end);
    std::set<unsigned> offsets;
    for (std::size_t length = 60; length <= 1514; ++length) {
      const EthernetFrame sent = bench.frame(length, Enc28j60Bench::mac, static_cast<unsigned>(length));
      bench.chip.deliver(sent);
      ASSERT_EQ(bench.chip.peek(Reg::EPKTCNT), 1) << length << " in " << fifo_end;
      offsets.insert(fifo_end - bench.read_pointer);
      const Enc28j60Bench::Packet packet = bench.take();
      ASSERT_EQ(packet.status & 0xFFFF, length + 4);
      ASSERT_EQ(packet.octets, Enc28j60Bench::with_fcs(sent)) << length << " in " << fifo_end;
      ASSERT_LE(packet.next, fifo_end);
      ASSERT_EQ(packet.next % 2, 0);
    }
    EXPECT_TRUE(offsets.lower_bound(6) != offsets.begin()) << "no header met the wrap";
  }
  EXPECT_EQ(bench.chip.counters().drops.total(), 0u);
  EXPECT_TRUE(bench.diagnostics.empty());
}

// Nothing outside ERXST..ERXND changes, whatever arrives (3.2.1).
TEST_F(Enc28j60Receive, NeverWritesOutsideItsBuffer) {
  bench.write_pair(Reg::ERXSTL, 0x0400);
  bench.write_pair(Reg::ERXNDL, 0x0BFF);
  bench.write_pair(Reg::ERXRDPTL, 0x0BFF);
  bench.read_pointer = 0x0400;
  const Octets before(bench.chip.buffer().begin(), bench.chip.buffer().end());
  for (unsigned n = 0; n < 200; ++n) {
    bench.chip.deliver(bench.frame(60 + n * 37 % 1455, Enc28j60Bench::mac, n));
    while (bench.chip.peek(Reg::EPKTCNT) > n % 2) bench.take();
  }
  const std::span<const std::uint8_t> after = bench.chip.buffer();
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 0x0400, after.begin()));
  EXPECT_TRUE(std::equal(before.begin() + 0x0C00, before.end(), after.begin() + 0x0C00));
}

// Example 7-2, for every position of the two pointers in a small buffer: the largest frame that fits is the one with
// exactly as many octets as are free, header included, and it leaves the octet at ERXRDPT alone.
TEST_F(Enc28j60Receive, FreeSpaceIsTheDatasheetsInEveryCase) {
  constexpr unsigned first = 0x0100, last = 0x017F;
  bench.write(Reg::MACON1, 0x01);
  bench.write(Reg::ERXFCON, 0);
  for (unsigned write = first; write <= last; write += 2) {
    for (unsigned read = first; read <= last; ++read) {
      const unsigned free = write > read    ? (last - first) - (write - read)
                            : write == read ? last - first
                                            : read - write - 1;
      for (const int over : {0, 1}) {
        if (free + static_cast<unsigned>(over) < 6 + 18) continue;
        // The hardware's pointer starts at ERXST; the frame that moves it to `write` is made to measure.
        bench.write_pair(Reg::ERXSTL, first);
        bench.write_pair(Reg::ERXNDL, last);
        bench.write_pair(Reg::ERXRDPTL, first);
        if (write != first) {
          if (write - first < 6 + 18) continue;
          bench.chip.deliver(bench.frame(write - first - 10));
        }
        const std::uint8_t before = bench.chip.peek(Reg::EPKTCNT);
        bench.write_pair(Reg::ERXRDPTL, read);
        bench.chip.deliver(bench.frame(free + static_cast<unsigned>(over) - 10));
        ASSERT_EQ(bench.chip.peek(Reg::EPKTCNT) - before, over == 0 ? 1 : 0)
            << "write " << write << " read " << read << " free " << free << " over " << over;
        bench.set(Reg::ECON2, 0x40);
        bench.set(Reg::ECON2, 0x40);
      }
    }
    if (write > first + 40) write += 14;  // a sample is enough further on
  }
}

TEST_F(Enc28j60Receive, LosesTheWholeFrameWhenTheBufferIsFull) {
  // 0..19FFh holds 6,655 octets: four frames of 1,514 with header and FCS are 6,096.
  for (unsigned n = 0; n < 5; ++n) bench.wire.from_network(bench.frame(1514, Enc28j60Bench::mac, n));
  bench.advance(Duration::milliseconds(7));
  EXPECT_EQ(packets(), 4);
  EXPECT_EQ(drops(DropReason::fifo_full), 1u);
  EXPECT_EQ(bench.read_pair(Reg::ERXWRPTL), 4 * 1524);
  EXPECT_EQ(bench.read(Reg::EIR), enc28j60::EIR::RXERIF | enc28j60::EIR::PKTIF);
  EXPECT_EQ(bench.read(Reg::ESTAT) & enc28j60::ESTAT::BUFER, enc28j60::ESTAT::BUFER);

  // A frame that does fit is still taken, flag or no flag.
  bench.arrive(bench.frame(60, Enc28j60Bench::mac, 9));
  EXPECT_EQ(packets(), 5);
  bench.clear(Reg::EIR, enc28j60::EIR::RXERIF);
  bench.clear(Reg::ESTAT, enc28j60::ESTAT::BUFER);
  EXPECT_EQ(bench.read(Reg::EIR), enc28j60::EIR::PKTIF);
  EXPECT_EQ(bench.read(Reg::ESTAT), enc28j60::ESTAT::CLKRDY);

  for (unsigned n = 0; n < 4; ++n) {
    EXPECT_EQ(bench.take().octets, Enc28j60Bench::with_fcs(bench.frame(1514, Enc28j60Bench::mac, n)));
  }
  EXPECT_EQ(bench.take().octets, Enc28j60Bench::with_fcs(bench.frame(60, Enc28j60Bench::mac, 9)));
}

// A thousand frames at wire speed into a reader that takes one in three: what is delivered is exact, in order and
// never twice, and every loss is counted.
TEST_F(Enc28j60Receive, LosesExactlyWhatAFloodLeavesNoRoomFor) {
  for (unsigned n = 0; n < 1000; ++n) bench.wire.from_network(bench.frame(60, Enc28j60Bench::mac, n));
  unsigned taken = 0, last = 0;
  for (int step = 0; step < 2000; ++step) {
    bench.advance(Duration::microseconds(67));
    if (bench.chip.peek(Reg::EPKTCNT) == 0 || step % 3 != 0) continue;
    const Octets packet = bench.take().octets;
    unsigned n = last;
    while (n < 1000 && packet != Enc28j60Bench::with_fcs(bench.frame(60, Enc28j60Bench::mac, n))) ++n;
    ASSERT_LT(n, 1000u) << "damaged, repeated or out of order";
    last = n + 1;
    ++taken;
  }
  EXPECT_EQ(packets(), 0);
  EXPECT_EQ(taken, bench.chip.counters().rx_frames);
  EXPECT_EQ(taken + drops(DropReason::fifo_full), 1000u);
  EXPECT_GT(drops(DropReason::fifo_full), 100u);
}

TEST_F(Enc28j60Receive, CountsNoFurtherThan255Packets) {
  bench.write_pair(Reg::ERXNDL, 0x1FFF);
  bench.write_pair(Reg::ERXRDPTL, 0x1FFF);
  bench.write(Reg::ERXFCON, 0x80);
  for (unsigned n = 0; n < 256; ++n) bench.chip.deliver(bench.frame(14));  // 24 octets each
  EXPECT_EQ(packets(), 255);
  EXPECT_EQ(drops(DropReason::packet_count_limit), 1u);
  EXPECT_EQ(bench.read(Reg::EIR), enc28j60::EIR::RXERIF | enc28j60::EIR::PKTIF);
  bench.take();
  bench.chip.deliver(bench.frame(14));
  EXPECT_EQ(packets(), 255);
}

TEST_F(Enc28j60Receive, PktdecStopsAtZero) {
  bench.arrive(bench.frame(60));
  bench.set(Reg::ECON2, enc28j60::ECON2::PKTDEC);
  EXPECT_EQ(packets(), 0);
  EXPECT_EQ(bench.read(Reg::EIR), 0);
  bench.set(Reg::ECON2, enc28j60::ECON2::PKTDEC);
  EXPECT_EQ(packets(), 0);
  EXPECT_TRUE(bench.reported("enc28j60-pktdec-at-zero"));
}

TEST_F(Enc28j60Receive, NeedsRxenMarxenAndALink) {
  const EthernetFrame frame = bench.frame(60);
  bench.clear(Reg::ECON1, enc28j60::ECON1::RXEN);
  bench.arrive(frame);
  EXPECT_EQ(drops(DropReason::receiver_off), 1u);
  bench.set(Reg::ECON1, enc28j60::ECON1::RXEN);
  bench.write(Reg::MACON1, 0);
  bench.arrive(frame);
  EXPECT_EQ(drops(DropReason::receiver_off), 2u);
  bench.write(Reg::MACON1, 1);
  bench.chip.set_link(false);
  bench.arrive(frame);
  EXPECT_EQ(drops(DropReason::link_down), 1u);
  bench.chip.set_link(true);
  bench.arrive(frame);
  EXPECT_EQ(drops(DropReason::link_down), 2u) << "the link takes its time";
  bench.advance(Duration::milliseconds(32));
  bench.arrive(frame);
  EXPECT_EQ(packets(), 1);
}

TEST_F(Enc28j60Receive, FinishesAFrameWhenRxenIsClearedAndMissesOneThatHasBegun) {
  bench.wire.from_network(bench.frame(1514));
  bench.advance(Duration::microseconds(100));
  bench.clear(Reg::ECON1, enc28j60::ECON1::RXEN);
  EXPECT_EQ(bench.read(Reg::ESTAT) & enc28j60::ESTAT::RXBUSY, enc28j60::ESTAT::RXBUSY);
  bench.advance(Duration::milliseconds(2));
  EXPECT_EQ(packets(), 1);

  bench.wire.from_network(bench.frame(1514));
  bench.advance(Duration::microseconds(100));
  bench.set(Reg::ECON1, enc28j60::ECON1::RXEN);
  EXPECT_EQ(bench.read(Reg::ESTAT) & enc28j60::ESTAT::RXBUSY, 0);
  bench.advance(Duration::milliseconds(2));
  EXPECT_EQ(packets(), 1);
  EXPECT_EQ(drops(DropReason::receiver_off), 1u);
}

TEST_F(Enc28j60Receive, LosesTheFrameWhenTheCableIsPulled) {
  bench.wire.from_network(bench.frame(1514));
  bench.advance(Duration::microseconds(100));
  bench.chip.set_link(false);
  bench.advance(Duration::milliseconds(2));
  EXPECT_EQ(packets(), 0);
  EXPECT_EQ(drops(DropReason::link_down), 1u);
}

TEST_F(Enc28j60Receive, LosesTheFrameWhenThePhyIsPoweredDown) {
  bench.wire.from_network(bench.frame(1514));
  bench.write_phy(enc28j60::Phy::PHCON1, enc28j60::PHCON1::PPWRSV | enc28j60::PHCON1::PDPXMD);
  bench.advance(Duration::milliseconds(2));
  EXPECT_EQ(packets(), 0);
  EXPECT_EQ(drops(DropReason::link_down), 1u);
}

// 11.4
TEST_F(Enc28j60Receive, RxrstAbortsTheFrameAndClearsRxen) {
  bench.wire.from_network(bench.frame(1514));
  bench.advance(Duration::microseconds(100));
  bench.set(Reg::ECON1, enc28j60::ECON1::RXRST);
  EXPECT_EQ(bench.read(Reg::ECON1) & enc28j60::ECON1::RXEN, 0);
  EXPECT_EQ(bench.read(Reg::ESTAT) & enc28j60::ESTAT::RXBUSY, 0);
  bench.set(Reg::ECON1, enc28j60::ECON1::RXEN);
  EXPECT_EQ(bench.read(Reg::ECON1) & enc28j60::ECON1::RXEN, 0) << "held in reset";
  bench.clear(Reg::ECON1, enc28j60::ECON1::RXRST);
  bench.set(Reg::ECON1, enc28j60::ECON1::RXEN);
  bench.advance(Duration::milliseconds(2));
  EXPECT_EQ(packets(), 0);
  bench.arrive(bench.frame(60));
  EXPECT_EQ(packets(), 1);
  EXPECT_EQ(bench.read_pair(Reg::ERXNDL), 0x19FF) << "buffer management is not touched";
}

// 3.2.1 and the note in 6.1: writing ERXST or ERXND moves the hardware's pointer, ERXWRPT shows it with the next packet.
TEST_F(Enc28j60Receive, WritingErxstOrErxndMovesTheWritePointer) {
  bench.arrive(bench.frame(60));
  EXPECT_EQ(bench.read_pair(Reg::ERXWRPTL), 70);
  bench.write_pair(Reg::ERXSTL, 0x0200);
  EXPECT_EQ(bench.read_pair(Reg::ERXWRPTL), 70);
  bench.arrive(bench.frame(60));
  EXPECT_EQ(bench.read_pair(Reg::ERXWRPTL), 0x0200 + 70);
  bench.write(Reg::ERXNDH, 0x18);
  bench.arrive(bench.frame(60));
  EXPECT_EQ(bench.read_pair(Reg::ERXWRPTL), 0x0200 + 70);
}

// Erratum 14 comes by itself: with an even ERXRDPT the pad octet carries the write pointer onto it, and a full buffer
// looks empty.
TEST_F(Enc28j60Receive, AnEvenErxrdptLetsUnreadPacketsBeOverwritten) {
  bench.write_pair(Reg::ERXRDPTL, 72);
  EXPECT_TRUE(bench.reported("enc28j60-rx-pointer-even"));
  bench.arrive(bench.frame(61));  // 0..70, pad at 71, next packet at 72 = ERXRDPT
  EXPECT_EQ(bench.read_pair(Reg::ERXWRPTL), 72);
  bench.arrive(bench.frame(60, Enc28j60Bench::mac, 2));
  EXPECT_EQ(packets(), 2) << "with ERXRDPT = 71 there would have been no room";
  EXPECT_EQ(drops(DropReason::fifo_full), 0u);
}

// Seen on silicon under load (EtherCard issue 182): an ERXRDPT outside the buffer protects nothing.
TEST_F(Enc28j60Receive, AnErxrdptOutsideTheBufferProtectsNothing) {
  bench.write_pair(Reg::ERXRDPTL, 0x1FFF);
  for (unsigned n = 0; n < 10; ++n) bench.arrive(bench.frame(1514));
  EXPECT_EQ(packets(), 10);
  EXPECT_EQ(drops(DropReason::fifo_full), 0u);
}

TEST_F(Enc28j60Receive, RejectsFramesThatAreTooShortOrTooLong) {
  bench.write(Reg::ERXFCON, 0);
  bench.arrive(bench.frame(13));
  EXPECT_EQ(drops(DropReason::runt), 1u);
  bench.arrive(bench.frame(14));
  EXPECT_EQ(packets(), 1);
  bench.arrive(bench.frame(1514));
  EXPECT_EQ(packets(), 2);
  bench.arrive(bench.frame(1515));
  EXPECT_EQ(drops(DropReason::giant), 1u);
  bench.set(Reg::MACON3, enc28j60::MACON3::HFRMEN);
  bench.arrive(bench.frame(1515));
  EXPECT_EQ(packets(), 3);
}

TEST_F(Enc28j60Receive, DropsControlFramesUnlessPassall) {
  const MacAddress pause_group{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
  bench.write(Reg::ERXFCON, 0);
  bench.arrive(bench.frame(60, pause_group, 0, 0x8808));
  EXPECT_EQ(packets(), 0);
  EXPECT_EQ(drops(DropReason::filtered), 1u);
  bench.write(Reg::MACON1, enc28j60::MACON1::PASSALL | enc28j60::MACON1::MARXEN);
  bench.arrive(bench.frame(60, pause_group, 0, 0x8808));
  EXPECT_EQ(packets(), 1);
}

// Table 7-3.
class Enc28j60ReceiveStatus : public Enc28j60Receive {
 protected:
  Enc28j60ReceiveStatus() {
    bench.write(Reg::ERXFCON, 0);
    bench.write(Reg::MACON1, enc28j60::MACON1::PASSALL | enc28j60::MACON1::MARXEN);
  }
  std::uint32_t status_of(const EthernetFrame& frame) {
    bench.chip.deliver(frame);
    return bench.take().status;
  }
  static std::uint32_t bits(std::initializer_list<unsigned> set) {
    std::uint32_t all = 0;
    for (const unsigned n : set) all |= 1u << n;
    return all;
  }
};

TEST_F(Enc28j60ReceiveStatus, OfTypeAndLengthFields) {
  const auto& mac = Enc28j60Bench::mac;
  EXPECT_EQ(status_of(bench.frame(60, mac, 0, 0x0800)), 64 | bits({RSV::ReceivedOk, RSV::LengthOutOfRange}));
  EXPECT_EQ(status_of(bench.frame(60, mac, 0, 46)), 64 | bits({RSV::ReceivedOk}));
  EXPECT_EQ(status_of(bench.frame(60, mac, 0, 47)), 64 | bits({RSV::ReceivedOk, RSV::LengthCheckError}));
  EXPECT_EQ(status_of(bench.frame(61, mac, 0, 46)), 65 | bits({RSV::ReceivedOk, RSV::LengthCheckError}));
  EXPECT_EQ(status_of(bench.frame(60, mac, 0, 3)), 64 | bits({RSV::ReceivedOk})) << "the rest is padding";
  EXPECT_EQ(status_of(bench.frame(1514, mac, 0, 1500)), 1518 | bits({RSV::ReceivedOk}));
  EXPECT_EQ(status_of(bench.frame(1514, mac, 0, 1501)), 1518 | bits({RSV::ReceivedOk, RSV::LengthOutOfRange}));
  EXPECT_EQ(status_of(bench.frame(60, mac, 0, 0x8100)),
            64 | bits({RSV::ReceivedOk, RSV::LengthOutOfRange, RSV::VlanTypeDetected}));
}

TEST_F(Enc28j60ReceiveStatus, OfDestinations) {
  const std::uint32_t plain = 64 | bits({RSV::ReceivedOk, RSV::LengthOutOfRange});
  EXPECT_EQ(status_of(bench.frame(60, Enc28j60Bench::broadcast)), plain | bits({RSV::Broadcast}));
  EXPECT_EQ(status_of(bench.frame(60, {0x01, 0x00, 0x5E, 0, 0, 1})), plain | bits({RSV::Multicast}));
  EXPECT_EQ(status_of(bench.frame(60, {0x32, 0x45, 0x67, 0x89, 0xAB, 0xCD})), plain);
}

TEST_F(Enc28j60ReceiveStatus, OfDamageAndGiants) {
  EthernetFrame damaged = bench.frame(60);
  damaged.octets[20] ^= 1;
  const std::uint32_t status = status_of(damaged);
  EXPECT_EQ(status, 64 | bits({RSV::CrcError, RSV::LengthOutOfRange}));
  EXPECT_FALSE(bit(status, RSV::ReceivedOk));

  bench.set(Reg::MACON3, enc28j60::MACON3::HFRMEN);
  EXPECT_FALSE(bit(status_of(bench.frame(6246)), RSV::LongEvent));
  EXPECT_TRUE(bit(status_of(bench.frame(6247)), RSV::LongEvent)) << "more than 50,000 bit times";
}

TEST_F(Enc28j60ReceiveStatus, OfControlFrames) {
  EthernetFrame control = bench.frame(60, {0x01, 0x80, 0xC2, 0, 0, 1}, 0, 0x8808);
  const std::uint32_t common = 64 | bits({RSV::ReceivedOk, RSV::LengthOutOfRange, RSV::Multicast, RSV::ControlFrame});
  control.octets[14] = 0x00;
  control.octets[15] = 0x01;
  EXPECT_EQ(status_of(EthernetFrame::with_fcs(control.octets)), common | bits({RSV::PauseControlFrame}));
  control.octets[15] = 0x02;
  EXPECT_EQ(status_of(EthernetFrame::with_fcs(control.octets)), common | bits({RSV::UnknownOpcode}));
}

}  // namespace
}  // namespace avrlan
