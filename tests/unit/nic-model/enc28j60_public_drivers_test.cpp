// The chip as public drivers use it: their register sequences, in their order, with their shortcuts. What the model says
// of each is part of the test: nothing more, and nothing less.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/enc28j60_public_driver.hpp"

namespace avrlan {
namespace {

// --- EtherCard, and with it the AVRlib family: bit field set on MACON3, ERXRDPT at 0 before the first packet.

class EtherCard : public PublicDriver {
 protected:
  void initialize() {
    bench.spi({0xFF, 0xFF});
    bench.advance(Duration::milliseconds(2));
    poll(Reg::ESTAT, ESTAT::CLKRDY, ESTAT::CLKRDY);
    bench.write_pair(Reg::ERXSTL, 0);
    bench.write_pair(Reg::ERXRDPTL, 0);
    bench.write_pair(Reg::ERXNDL, rx_stop);
    bench.write_pair(Reg::ETXSTL, tx_start);
    bench.write_pair(Reg::ETXNDL, tx_stop);
    write_phy_and_poll(Phy::PHLCON, 0x0476);
    bench.write(Reg::ERXFCON, 0xB1);
    bench.write_pair(Reg::EPMM0, 0x303F);
    bench.write_pair(Reg::EPMCSL, 0xF7F9);
    bench.write(Reg::MACON1, 0x01);
    bench.set(Reg::MACON3, 0x32);
    bench.write_pair(Reg::MAIPGL, 0x0C12);
    bench.write(Reg::MABBIPG, 0x12);
    bench.write_pair(Reg::MAMXFLL, 1500);
    write_address();
    write_phy_and_poll(Phy::PHCON2, 0x0100);
    bench.set(Reg::EIE, EIE::INTIE | EIE::PKTIE);
    bench.set(Reg::ECON1, ECON1::RXEN);
    revision = bench.read(Reg::EREVID);
  }
  bool link_up() { return (read_phy_and_poll(Phy::PHSTAT2) >> 8 >> 2 & 1) != 0; }
  void send(const Octets& octets) {
    reset_transmitter();
    bench.write_pair(Reg::EWRPTL, tx_start);
    bench.write_pair(Reg::ETXNDL, tx_start + static_cast<unsigned>(octets.size()));
    bench.spi({0x7A, 0x00});
    bench.write_buffer(octets);
    bench.set(Reg::ECON1, ECON1::TXRTS);
    int count = 0;
    while ((bench.read(Reg::EIR) & (EIR::TXIF | EIR::TXERIF)) == 0 && ++count < 1000) {
    }
    EXPECT_LT(count, 1000);
    EXPECT_EQ(bench.read(Reg::EIR) & EIR::TXERIF, 0);
  }
  Octets receive() {
    if (unreleased) bench.write_pair(Reg::ERXRDPTL, next == 0 ? rx_stop : next - 1u);
    unreleased = false;
    if (bench.read(Reg::EPKTCNT) == 0) return {};
    const Octets header = bench.read_buffer(next, 6);
    next = static_cast<std::uint16_t>(header[0] | header[1] << 8);
    Octets octets;
    if ((header[4] & 0x80) != 0) octets = bench.read_buffer(static_cast<std::size_t>((header[2] | header[3] << 8) - 4));
    unreleased = true;
    bench.set(Reg::ECON2, ECON2::PKTDEC);
    return octets;
  }

  std::uint8_t revision = 0;
  std::uint16_t next = 0;
  bool unreleased = false;
};

TEST_F(EtherCard, FindsChipAndLink) {
  initialize();
  EXPECT_EQ(revision, 6);
  EXPECT_EQ(bench.read(Reg::MACON3), 0x32) << "or it would send unpadded frames without FCS";
  EXPECT_FALSE(link_up());
  bench.advance(Duration::milliseconds(40));
  EXPECT_TRUE(link_up());
  EXPECT_EQ(said(),
            (std::set<std::string>{"enc28j60-bit-field-on-mac", "enc28j60-reserved-bits", "enc28j60-rx-pointer-even"}));
}

TEST_F(EtherCard, ReceivesAndSendsRoundTheBuffer) {
  initialize();
  bench.advance(Duration::milliseconds(40));
  bench.diagnostics.clear();
  for (unsigned n = 0; n < 200; ++n) {
    const EthernetFrame in = bench.frame(60 + n * 13 % 1400, Enc28j60Bench::mac, n);
    bench.wire.from_network(in);
    bench.advance(Duration::milliseconds(2));
    EXPECT_FALSE(bench.chip.int_pin());
    ASSERT_EQ(receive(), in.octets) << n;
    ASSERT_EQ(receive(), Octets{});
    const Octets out = Enc28j60Bench::octets(42 + n * 7 % 1400, Enc28j60Bench::peer, n);
    send(out);
    Octets padded = out;
    padded.resize(std::max<std::size_t>(padded.size(), 60));
    ASSERT_EQ(last_sent(), padded) << n;
  }
  EXPECT_EQ(said(), std::set<std::string>{});
}

TEST_F(EtherCard, HearsBroadcastArpOnlyThroughItsPattern) {
  initialize();
  bench.write(Reg::ERXFCON, 0xB0);  // broadcasts off again, as disableBroadcast() has it
  bench.advance(Duration::milliseconds(40));
  bench.arrive(bench.frame(60, Enc28j60Bench::broadcast, 0, 0x0800));
  EXPECT_EQ(receive(), Octets{});
  bench.arrive(bench.frame(60, Enc28j60Bench::broadcast, 0, 0x0806));
  EXPECT_EQ(receive(), Enc28j60Bench::octets(60, Enc28j60Bench::broadcast, 0, 0x0806));
}

TEST_F(EtherCard, SleepsAndWakes) {
  initialize();
  bench.clear(Reg::ECON1, ECON1::RXEN);
  poll(Reg::ESTAT, ESTAT::RXBUSY, 0);
  poll(Reg::ECON1, ECON1::TXRTS, 0);
  bench.set(Reg::ECON2, ECON2::VRPS);
  bench.set(Reg::ECON2, ECON2::PWRSV);
  bench.advance(Duration::seconds(1));
  bench.clear(Reg::ECON2, ECON2::PWRSV);
  poll(Reg::ESTAT, ESTAT::CLKRDY, ESTAT::CLKRDY);
  bench.set(Reg::ECON1, ECON1::RXEN);
  bench.advance(Duration::milliseconds(40));
  bench.arrive(bench.frame(60));
  EXPECT_EQ(receive(), Enc28j60Bench::octets(60));
}

TEST_F(EtherCard, PassesItsSelfTest) {
  bench.spi({0xFF, 0xFF});
  bench.advance(Duration::milliseconds(2));
  bench.write(Reg::ECON1, 0);
  bench.write_pair(Reg::EDMASTL, 0);
  bench.write_pair(Reg::EDMANDL, 0x1FFF);
  bench.write_pair(Reg::ERXNDL, 0x1FFF);
  for (const unsigned mode : {0x04u, 0x10u}) {
    bench.write(Reg::EBSTSD, 0xAA);
    bench.write(Reg::EBSTCON, mode | 0x03);
    poll(Reg::EBSTCON, 0x01, 0);
    bench.clear(Reg::EBSTCON, 0x02);
    bench.set(Reg::ECON1, ECON1::DMAST | ECON1::CSUMEN);
    poll(Reg::ECON1, ECON1::DMAST, 0);
    const std::uint16_t result = bench.read_pair(Reg::EDMACSL);
    EXPECT_EQ(result, bench.read_pair(Reg::EBSTCSL));
    if (mode == 0x04) {
      EXPECT_EQ(result, 0xF807);
    }
  }
}

// --- UIPEthernet: header read octet by octet, PKTDEC before the data is used, ERXRDPT made even, frames moved inside the
// chip by DMA and sent from anywhere behind the receive buffer.

class UipEthernet : public EtherCard {
 protected:
  void initialize() {
    bench.spi({0xFF, 0xFF});
    bench.advance(Duration::milliseconds(52));
    bench.read(Reg::ESTAT);
    bench.write_pair(Reg::ERXSTL, 0);
    bench.write_pair(Reg::ERXRDPTL, 0);
    bench.write_pair(Reg::ERXNDL, rx_stop);
    bench.write(Reg::ERXFCON, 0xB1);
    bench.write_pair(Reg::EPMM0, 0x303F);
    bench.write_pair(Reg::EPMCSL, 0xF7F9);
    bench.write(Reg::MACON1, 0x0D);
    bench.spi({0x41, 0x00});  // MACON2, with MACON1 as a pair
    bench.set(Reg::MACON3, 0x32);
    bench.write_pair(Reg::MAIPGL, 0x0C12);
    bench.write(Reg::MABBIPG, 0x12);
    bench.write_pair(Reg::MAMXFLL, 1518);
    write_address();
    write_phy_and_poll(Phy::PHCON2, 0x0100);
    bench.set(Reg::EIE, EIE::INTIE | EIE::PKTIE);
    bench.set(Reg::ECON1, ECON1::RXEN);
    write_phy_and_poll(Phy::PHLCON, 0x0476);
    EXPECT_EQ(bench.read(Reg::EREVID), 6);
    bench.advance(Duration::milliseconds(40));
  }
  // Address and length of the next packet's frame.
  std::pair<std::uint16_t, std::uint16_t> open() {
    if (bench.read(Reg::EPKTCNT) == 0) return {0, 0};
    const unsigned start = next + 6u > rx_stop ? next + 6u - (rx_stop + 1u) : next + 6u;
    bench.write_pair(Reg::ERDPTL, next);
    Octets header;
    for (int n = 0; n < 5; ++n) header.push_back(bench.spi({0x3A, 0x00})[1]);
    next = static_cast<std::uint16_t>(header[0] | header[1] << 8);
    bench.set(Reg::ECON2, ECON2::PKTDEC);
    EXPECT_EQ(header[4] & 0x80, 0x80);
    return {static_cast<std::uint16_t>(start), static_cast<std::uint16_t>((header[2] | header[3] << 8) - 4)};
  }
  void free() {
    const unsigned before = next == 0 ? rx_stop : next - 1u;
    bench.write_pair(Reg::ERXRDPTL, before & ~1u);
  }
  void move(unsigned to, unsigned from, unsigned length) {
    unsigned last = from + length - 1;
    if (from <= rx_stop && last > rx_stop) last -= rx_stop + 1u;
    bench.write_pair(Reg::EDMASTL, from);
    bench.write_pair(Reg::EDMADSTL, to);
    bench.write_pair(Reg::EDMANDL, last);
    bench.set(Reg::ECON1, ECON1::DMAST);
    poll(Reg::ECON1, ECON1::DMAST, 0);
  }
  void send_from(std::uint16_t begin, std::size_t length) {
    const unsigned start = begin - 1u;
    if (bench.read_buffer(static_cast<std::uint16_t>(start), 1)[0] != 0) {
      bench.write_buffer(static_cast<std::uint16_t>(start), {0});
    }
    bench.write_pair(Reg::ETXSTL, start);
    bench.write_pair(Reg::ETXNDL, start + static_cast<unsigned>(length));
    reset_transmitter();
    bench.set(Reg::ECON1, ECON1::TXRTS);
    while ((bench.read(Reg::EIR) & (EIR::TXIF | EIR::TXERIF)) == 0) bench.advance(Duration::milliseconds(10));
    EXPECT_EQ(bench.read(Reg::EIR) & (EIR::TXIF | EIR::TXERIF), EIR::TXIF);
  }
};

TEST_F(UipEthernet, EchoesFramesThatItMovesInsideTheChip) {
  initialize();
  for (unsigned n = 0; n < 100; ++n) {
    const EthernetFrame in = bench.frame(60 + n * 17 % 1400, Enc28j60Bench::mac, n);
    bench.arrive(in);
    const auto [at, length] = open();
    ASSERT_EQ(length, in.octets.size());
    move(tx_start + 1, at, length);
    free();
    send_from(tx_start + 1, length);
    ASSERT_EQ(last_sent(), in.octets) << n;
  }
  EXPECT_EQ(said(),
            (std::set<std::string>{"enc28j60-bit-field-on-mac", "enc28j60-no-register", "enc28j60-read-unwritten",
                                   "enc28j60-reserved-bits", "enc28j60-rx-pointer-even"}));
}

// --- Linux: bank bits switched one by one, everything by interrupt, PKTIF not trusted, errors recovered from.

class Linux : public PublicDriver {
 protected:
  explicit Linux(const Enc28j60Options& options = {}) : PublicDriver{options} {}

  static constexpr std::uint16_t rx_end = 0x19FF, transmit_start = 0x1A00;

  void init(bool full_duplex) {
    bench.spi({0xFF, 0xFF});
    bench.advance(Duration::milliseconds(2));
    bench.spi({0x5F, 0x00});
    bench.write(Reg::ECON2, ECON2::AUTOINC | ECON2::VRPS);
    init_receive_buffer();
    bench.write_pair(Reg::ETXSTL, transmit_start);
    bench.write_pair(Reg::ETXNDL, 0x1FFF);
    EXPECT_EQ(bench.read(Reg::EREVID), 6);
    bench.write(Reg::ERXFCON, 0xA1);
    bench.write(Reg::MACON1, 0x0D);
    bench.write(Reg::MACON3, full_duplex ? 0x33 : 0x32);
    if (full_duplex) {
      bench.write(Reg::MAIPGL, 0x12);
      bench.write(Reg::MABBIPG, 0x15);
    } else {
      bench.write(Reg::MACON4, 0x40);
      bench.write_pair(Reg::MAIPGL, 0x0C12);
      bench.write(Reg::MABBIPG, 0x12);
    }
    bench.write_pair(Reg::MAMXFLL, 1518);
    write_phy_and_poll(Phy::PHLCON, 0x3476);
    write_phy_and_poll(Phy::PHCON1, full_duplex ? 0x0100 : 0);
    write_phy_and_poll(Phy::PHCON2, full_duplex ? 0 : 0x0100);
    write_address();
    write_phy_and_poll(Phy::PHIE, 0x0012);
    bench.clear(Reg::EIR, 0x7B);
    bench.write(Reg::EIE, 0xDB);
    bench.set(Reg::ECON1, ECON1::RXEN);
  }
  void init_receive_buffer() {
    next = 0;
    bench.write_pair(Reg::ERXSTL, 0);
    bench.write_pair(Reg::ERXRDPTL, rx_end);
    bench.write_pair(Reg::ERXNDL, rx_end);
  }
  void send(const Octets& octets) {
    bench.write_pair(Reg::EWRPTL, transmit_start);
    bench.write_pair(Reg::ETXNDL, transmit_start + static_cast<unsigned>(octets.size()));
    bench.spi({0x7A, 0x00});
    bench.write_buffer(octets);
    bench.set(Reg::ECON1, ECON1::TXRTS);
  }
  void receive() {
    const Octets header = bench.read_buffer(next, 6);
    const auto following = static_cast<std::uint16_t>(header[0] | header[1] << 8);
    const auto length = static_cast<std::size_t>(header[2] | header[3] << 8);
    EXPECT_EQ(header[4] & 0x80, 0x80);
    const unsigned start = next + 6u > rx_end ? next + 6u - (rx_end + 1u) : next + 6u;
    received.push_back(bench.read_buffer(static_cast<std::uint16_t>(start), length));
    bench.write_pair(Reg::ERXRDPTL, following == 0 ? rx_end : following - 1u);
    next = following;
    bench.set(Reg::ECON2, ECON2::PKTDEC);
  }
  // The threaded handler, as long as there is something to do.
  void interrupt() {
    bench.clear(Reg::EIE, EIE::INTIE);
    for (bool again = true; again;) {
      again = false;
      const std::uint8_t flags = bench.read(Reg::EIR);
      if ((flags & EIR::LINKIF) != 0) {
        again = true;
        link_up = (read_phy_and_poll(Phy::PHSTAT2) & enc28j60::PHSTAT2::LSTAT) != 0;
        read_phy_and_poll(Phy::PHIR);
      }
      if ((flags & EIR::TXIF) != 0 && (flags & EIR::TXERIF) == 0) {
        again = true;
        ++transmitted;
        bench.clear(Reg::ECON1, ECON1::TXRTS);
        bench.clear(Reg::EIR, EIR::TXIF);
      }
      if ((flags & EIR::TXERIF) != 0) {
        again = true;
        ++transmit_errors;
        bench.clear(Reg::ECON1, ECON1::TXRTS);
        const auto vector_at = static_cast<std::uint16_t>(bench.read_pair(Reg::ETXNDL) + 1);
        const Octets vector = bench.read_buffer(vector_at, 7);
        bench.set(Reg::ECON1, ECON1::TXRST);
        bench.clear(Reg::ECON1, ECON1::TXRST);
        bench.clear(Reg::EIR, EIR::TXERIF | EIR::TXIF);
        if ((vector[3] & 0x20) != 0) bench.set(Reg::ECON1, ECON1::TXRTS);
      }
      if ((flags & EIR::RXERIF) != 0) {
        again = true;
        ++receive_errors;
        bench.clear(Reg::EIR, EIR::RXERIF);
      }
      for (unsigned count = bench.read(Reg::EPKTCNT); count != 0; --count) {
        again = true;
        receive();
      }
    }
    bench.set(Reg::EIE, EIE::INTIE);
  }
  void run(Duration time) {
    const Instant end = bench.now() + time;
    while (bench.now() < end) {
      bench.advance(Duration::microseconds(10));
      if (!bench.chip.int_pin()) interrupt();
    }
  }

  std::uint16_t next = 0;
  std::vector<Octets> received;
  bool link_up = false;
  unsigned transmitted = 0, transmit_errors = 0, receive_errors = 0;
};

TEST_F(Linux, WorksByInterruptInBothDuplexesWithoutAnythingToSay) {
  for (const bool full_duplex : {true, false}) {
    init(full_duplex);
    run(Duration::milliseconds(50));
    EXPECT_TRUE(link_up);
    received.clear();
    transmitted = 0;
    std::vector<Octets> expected;
    for (unsigned n = 0; n < 60; ++n) {
      const EthernetFrame in = bench.frame(60 + n * 23 % 1455, Enc28j60Bench::mac, n);
      expected.push_back(Enc28j60Bench::with_fcs(in));
      bench.wire.from_network(in);
      send(Enc28j60Bench::octets(60 + n * 29 % 1455, Enc28j60Bench::peer, n));
      run(Duration::milliseconds(8));
      ASSERT_EQ(last_sent(), Enc28j60Bench::octets(60 + n * 29 % 1455, Enc28j60Bench::peer, n)) << n;
    }
    EXPECT_EQ(received, expected);
    EXPECT_EQ(transmitted, 60u);
    EXPECT_EQ(transmit_errors + receive_errors, 0u);
  }
  EXPECT_EQ(said(), std::set<std::string>{});
}

TEST_F(Linux, HearsOfTheLinkByInterrupt) {
  init(true);
  run(Duration::milliseconds(50));
  EXPECT_TRUE(link_up);
  bench.chip.set_link(false);
  run(Duration::milliseconds(1));
  EXPECT_FALSE(link_up);
  bench.chip.set_link(true);
  run(Duration::milliseconds(50));
  EXPECT_TRUE(link_up);
}

TEST_F(Linux, DrainsAnOverflow) {
  init(true);
  run(Duration::milliseconds(50));
  for (unsigned n = 0; n < 10; ++n) bench.wire.from_network(bench.frame(1514, Enc28j60Bench::mac, n));
  bench.advance(Duration::milliseconds(13));
  run(Duration::milliseconds(20));
  EXPECT_EQ(receive_errors, 1u);
  ASSERT_EQ(received.size(), 4u);
  for (unsigned n = 0; n < 4; ++n) {
    EXPECT_EQ(received[n], Enc28j60Bench::with_fcs(bench.frame(1514, Enc28j60Bench::mac, n)));
  }
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::fifo_full), 6u);
  bench.arrive(bench.frame(60));
  run(Duration::milliseconds(1));
  EXPECT_EQ(received.size(), 5u);
}

// Its answer to a next packet pointer that makes no sense.
TEST_F(Linux, StartsTheReceiverAnew) {
  init(true);
  run(Duration::milliseconds(50));
  for (unsigned n = 0; n < 3; ++n) bench.arrive(bench.frame(500));
  bench.clear(Reg::ECON1, ECON1::RXEN);
  bench.set(Reg::ECON1, ECON1::RXRST);
  bench.clear(Reg::ECON1, ECON1::RXRST);
  init_receive_buffer();
  bench.clear(Reg::EIR, EIR::RXERIF);
  bench.set(Reg::ECON1, ECON1::RXEN);
  while (bench.read(Reg::EPKTCNT) != 0) bench.set(Reg::ECON2, ECON2::PKTDEC);
  bench.arrive(bench.frame(77));
  ASSERT_EQ(bench.read(Reg::EPKTCNT), 1);
  receive();
  EXPECT_EQ(received.back(), Enc28j60Bench::with_fcs(bench.frame(77)));
}

// Errata 12, 13 and 15, with the remedy that it applies: read the vector, reset the transmitter, send again.
class LinuxWithLinkPulses : public Linux {
 protected:
  LinuxWithLinkPulses() : Linux({.errata = {.link_pulse_collision_every = 3}}) {}
};

TEST_F(LinuxWithLinkPulses, SendsAgainAfterALateCollision) {
  init(false);
  run(Duration::milliseconds(50));
  for (unsigned n = 0; n < 12; ++n) {
    const Octets octets = Enc28j60Bench::octets(200, Enc28j60Bench::peer, n);
    send(octets);
    run(Duration::milliseconds(3));
    ASSERT_EQ(last_sent(), octets) << n;
    ASSERT_TRUE(bench.sent.back().frame.fcs_ok());
  }
  EXPECT_EQ(transmitted, 12u);
  EXPECT_EQ(transmit_errors, 5u);
  EXPECT_EQ(said(), std::set<std::string>{});
}

}  // namespace
}  // namespace avrlan
