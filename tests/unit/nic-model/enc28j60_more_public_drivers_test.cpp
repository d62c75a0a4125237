// More public drivers' register sequences, in their order and with their shortcuts; see enc28j60_public_drivers_test.cpp.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/enc28j60_public_driver.hpp"

namespace avrlan {
namespace {

// --- tuxgraphics: the MCU runs from CLKOUT; no wait worth the name after the reset; TXIF is never cleared; ERXRDPT is
// written even and then odd.

class Tuxgraphics : public PublicDriver {
 protected:
  void initialize() {
    bench.advance(Duration::microseconds(300));  // no clock before
    bench.spi({0xFF, 0xFF});
    bench.advance(Duration::microseconds(50));
    bench.write_pair(Reg::ERXSTL, 0);
    bench.write_pair(Reg::ERXRDPTL, 0);
    bench.write_pair(Reg::ERXNDL, rx_stop);
    bench.write_pair(Reg::ETXSTL, tx_start);
    bench.write_pair(Reg::ETXNDL, tx_stop);
    bench.write(Reg::ERXFCON, 0xB0);
    bench.write_pair(Reg::EPMM0, 0x303F);
    bench.write_pair(Reg::EPMCSL, 0xF7F9);
    bench.write(Reg::MACON1, 0x0D);
    bench.spi({0x41, 0x00});  // MACON2
    bench.set(Reg::MACON3, 0x32);
    bench.write_pair(Reg::MAIPGL, 0x0C12);
    bench.write(Reg::MABBIPG, 0x12);
    bench.write_pair(Reg::MAMXFLL, 1500);
    write_address();
    write_phy_and_poll(Phy::PHCON2, 0x0100);
    bench.set(Reg::EIE, EIE::INTIE | EIE::PKTIE);
    bench.set(Reg::ECON1, ECON1::RXEN);
    bench.write(Reg::ECOCON, 2);
    write_phy_and_poll(Phy::PHLCON, 0x0476);
    bench.advance(Duration::milliseconds(40));
  }
  void send(const Octets& octets) {
    while ((bench.read(Reg::ECON1) & ECON1::TXRTS) != 0) {
      if ((bench.read(Reg::EIR) & EIR::TXERIF) != 0) {
        bench.set(Reg::ECON1, ECON1::TXRST);
        bench.clear(Reg::ECON1, ECON1::TXRST);
      }
    }
    bench.write_pair(Reg::EWRPTL, tx_start);
    bench.write_pair(Reg::ETXNDL, tx_start + static_cast<unsigned>(octets.size()));
    bench.spi({0x7A, 0x00});
    bench.write_buffer(octets);
    bench.set(Reg::ECON1, ECON1::TXRTS);
  }
  Octets receive() {
    if (bench.read(Reg::EPKTCNT) == 0) return {};
    bench.write_pair(Reg::ERDPTL, next);
    Octets header;
    for (int n = 0; n < 6; ++n) header.push_back(bench.spi({0x3A, 0x00})[1]);
    next = static_cast<std::uint16_t>(header[0] | header[1] << 8);
    Octets octets;
    if ((header[4] & 0x80) != 0) octets = bench.read_buffer(static_cast<std::size_t>((header[2] | header[3] << 8) - 4));
    bench.write_pair(Reg::ERXRDPTL, next);
    bench.write_pair(Reg::ERXRDPTL, next == 0 ? rx_stop : next - 1u);
    bench.set(Reg::ECON2, ECON2::PKTDEC);
    return octets;
  }
  std::uint16_t next = 0;
};

TEST_F(Tuxgraphics, RunsItsMcuFromClkout) {
  std::vector<std::pair<Instant, std::int64_t>> clock;
  bench.chip.on_clkout([&](std::int64_t hz) { clock.emplace_back(bench.now(), hz); });
  initialize();
  ASSERT_EQ(clock.size(), 2u);
  EXPECT_EQ(clock[0], std::pair(Instant::at(Duration::microseconds(300)), std::int64_t{6'250'000}));
  EXPECT_EQ(clock[1].second, 12'500'000);
}

TEST_F(Tuxgraphics, SendsAndReceives) {
  initialize();
  for (unsigned n = 0; n < 30; ++n) {
    const EthernetFrame in = bench.frame(60 + n * 13, Enc28j60Bench::mac, n);
    bench.arrive(in);
    EXPECT_EQ(receive(), in.octets);
    const Octets out = bench.octets(60 + n * 13, Enc28j60Bench::peer, n);
    send(out);
    bench.advance(Duration::milliseconds(2));
    EXPECT_EQ(last_sent(), out);
  }
  EXPECT_EQ(said(),
            (std::set<std::string>{"enc28j60-bit-field-on-mac", "enc28j60-no-register", "enc28j60-reserved-bits",
                                   "enc28j60-rx-pointer-even", "enc28j60-too-soon-after-reset"}));
}

// --- EthernetENC: UIPEthernet with an odd ERXRDPT, TXRTS cleared after each transmission, and a retry after a late
// collision that the status vector tells.

class EthernetEnc : public PublicDriver {
 protected:
  explicit EthernetEnc(const Enc28j60Options& options = {}) : PublicDriver(options) {}
  void initialize() {
    bench.spi({0xFF, 0xFF});
    bench.advance(Duration::milliseconds(50));
    bench.write_pair(Reg::ERXSTL, 0);
    bench.write_pair(Reg::ERXRDPTL, 0);
    bench.write_pair(Reg::ERXNDL, rx_stop);
    bench.write(Reg::ERXFCON, 0xB0);
    bench.write_pair(Reg::EPMM0, 0x303F);
    bench.write_pair(Reg::EPMCSL, 0xF7F9);
    bench.write(Reg::MACON1, 0x0D);
    bench.spi({0x41, 0x00});
    bench.set(Reg::MACON3, 0x32);
    bench.write_pair(Reg::MAIPGL, 0x0C12);
    bench.write(Reg::MABBIPG, 0x12);
    bench.write_pair(Reg::MAMXFLL, 1518);
    write_address();
    write_phy_and_poll(Phy::PHCON2, 0x0100);
    bench.set(Reg::EIE, EIE::INTIE | EIE::PKTIE);
    bench.set(Reg::ECON1, ECON1::RXEN);
    write_phy_and_poll(Phy::PHLCON, 0x0476);
    bench.advance(Duration::milliseconds(40));
  }
  // How often it was started until it was out; 0: given up.
  unsigned send(std::uint16_t start, const Octets& octets) {
    bench.write_buffer(start, {0});
    bench.write_buffer(octets);
    const auto end = static_cast<std::uint16_t>(start + octets.size());
    bench.write_pair(Reg::ETXSTL, start);
    bench.write_pair(Reg::ETXNDL, end);
    for (unsigned attempt = 1; attempt <= 10; ++attempt) {
      reset_transmitter();
      bench.set(Reg::ECON1, ECON1::TXRTS);
      std::uint8_t eir = 0;
      while (((eir = bench.read(Reg::EIR)) & (EIR::TXIF | EIR::TXERIF)) == 0) {
      }
      bench.clear(Reg::ECON1, ECON1::TXRTS);
      if ((eir & EIR::TXERIF) == 0) return attempt;
      if ((bench.read_buffer(static_cast<std::uint16_t>(end + 4), 1)[0] & 0x20) == 0) return 0;
    }
    return 0;
  }
  Octets receive() {
    if (bench.read(Reg::EPKTCNT) == 0) return {};
    const unsigned data = next + 6u > rx_stop ? next + 6u - (rx_stop + 1u) : next + 6u;
    bench.write_pair(Reg::ERDPTL, next);
    Octets header;
    for (int n = 0; n < 5; ++n) header.push_back(bench.spi({0x3A, 0x00})[1]);
    next = static_cast<std::uint16_t>(header[0] | header[1] << 8);
    bench.set(Reg::ECON2, ECON2::PKTDEC);
    const Octets octets =
        bench.read_buffer(static_cast<std::uint16_t>(data), static_cast<std::size_t>((header[2] | header[3] << 8) - 4));
    bench.write_pair(Reg::ERXRDPTL, next == 0 ? rx_stop : next - 1u);
    return octets;
  }
  std::uint16_t next = 0;
};

TEST_F(EthernetEnc, SendsAndReceives) {
  initialize();
  for (unsigned n = 0; n < 30; ++n) {
    const EthernetFrame in = bench.frame(60 + n * 41, Enc28j60Bench::mac, n);
    bench.arrive(in);
    EXPECT_EQ(receive(), in.octets);
    const Octets out = bench.octets(60 + n * 41, Enc28j60Bench::peer, n);
    EXPECT_EQ(send(tx_start, out), 1u);
    EXPECT_EQ(last_sent(), out);
  }
  EXPECT_EQ(said(), (std::set<std::string>{"enc28j60-bit-field-on-mac", "enc28j60-no-register",
                                           "enc28j60-reserved-bits", "enc28j60-rx-pointer-even"}));
}

Enc28j60Options link_pulses() {
  Enc28j60Options options;
  options.errata.link_pulse_collision_every = 2;
  return options;
}

class EthernetEncWithLinkPulses : public EthernetEnc {
 protected:
  EthernetEncWithLinkPulses() : EthernetEnc(link_pulses()) {}
};

TEST_F(EthernetEncWithLinkPulses, SendsAgainAfterALateCollision) {
  initialize();
  const Octets out = bench.octets(600, Enc28j60Bench::peer);
  EXPECT_EQ(send(tx_start, out), 1u);
  EXPECT_EQ(send(tx_start, out), 2u);
  EXPECT_EQ(last_sent(), out);
  EXPECT_FALSE(bench.reported("enc28j60-transmitter-stalled"));
}

// --- ethersex: bit field commands on MAC and MII registers, ERXWRPT written, the buffer read and written an octet a
// command, INTIE off while interrupts are served, link changes by interrupt.

class Ethersex : public PublicDriver {
 protected:
  void initialize() {
    bench.chip.select();
    bench.chip.exchange(0xFF);
    bench.advance(Duration::milliseconds(2));
    bench.chip.deselect();
    bench.write_pair(Reg::ERXSTL, 0);
    bench.write_pair(Reg::ERXNDL, rx_stop);
    bench.write_pair(Reg::ETXSTL, tx_start);
    bench.write_pair(Reg::ERXRDPTL, 0);
    bench.write_pair(Reg::ERXWRPTL, 0);
    bench.bank(Reg::MACON1);
    bench.spi({0xA1, 0x80});  // MACON2.MARST
    bench.set(Reg::MACON1, 0x0D);
    bench.set(Reg::MACON3, 0x32);
    write_phy_and_poll(Phy::PHCON1, 0);
    EXPECT_EQ(read_phy(Phy::PHCON1) & enc28j60::PHCON1::PDPXMD, 0);
    bench.clear(Reg::MACON3, 0x01);
    bench.write(Reg::MABBIPG, 0x15);
    bench.write_pair(Reg::MAIPGL, 0x0C12);
    bench.write_pair(Reg::MAMXFLL, 1518);
    write_address();
    bench.write(Reg::ERXFCON, 0x83);
    write_phy_and_poll(Phy::PHLCON, 0x0C12);
    bench.write(Reg::EIE, 0xDB);
    write_phy_and_poll(Phy::PHIE, 0x0012);
    bench.set(Reg::ECON1, ECON1::RXEN);
    bench.set(Reg::ECON2, ECON2::AUTOINC);
  }
  std::uint16_t read_phy(Phy reg) {
    bench.write(Reg::MIREGADR, static_cast<unsigned>(reg));
    bench.set(Reg::MICMD, 1);
    poll(Reg::MISTAT, enc28j60::MISTAT::BUSY, 0);
    bench.clear(Reg::MICMD, 1);
    return bench.read_pair(Reg::MIRDL);
  }
  std::uint8_t read_octet() { return bench.spi({0x3A, 0})[1]; }
  // Its main loop's round; what it was told.
  Octets process() {
    const std::uint8_t count = bench.read(Reg::EPKTCNT);
    const std::uint8_t eir = bench.read(Reg::EIR);
    bench.clear(Reg::EIE, EIE::INTIE);
    EXPECT_TRUE(bench.chip.int_pin());
    if ((eir & EIR::LINKIF) != 0) {
      read_phy(Phy::PHIR);
      link = (read_phy(Phy::PHSTAT2) & enc28j60::PHSTAT2::LSTAT) != 0;
    }
    if ((eir & EIR::TXIF) != 0) {
      bench.clear(Reg::EIR, EIR::TXIF);
      bench.clear(Reg::ESTAT, ESTAT::TXABRT | ESTAT::LATECOL);
    }
    Octets octets;
    if ((eir & EIR::PKTIF) != 0 || count != 0) octets = receive();
    if ((eir & EIR::RXERIF) != 0) bench.clear(Reg::EIR, EIR::RXERIF);
    if ((eir & EIR::TXERIF) != 0) bench.clear(Reg::EIR, EIR::TXERIF);
    bench.set(Reg::EIE, EIE::INTIE);
    return octets;
  }
  Octets receive() {
    bench.write_pair(Reg::ERDPTL, next);
    Octets header;
    for (int n = 0; n < 6; ++n) header.push_back(read_octet());
    next = static_cast<std::uint16_t>(header[0] | header[1] << 8);
    Octets octets;
    for (int left = (header[2] | header[3] << 8) - 4; left != 0; --left) octets.push_back(read_octet());
    bench.write_pair(Reg::ERXRDPTL, next == 0 ? rx_stop : next - 1u);
    bench.set(Reg::ECON2, ECON2::PKTDEC);
    return octets;
  }
  void send(const Octets& octets) {
    while ((bench.read(Reg::ECON1) & ECON1::TXRTS) != 0) {
    }
    bench.write_pair(Reg::ETXSTL, tx_start);
    bench.write_pair(Reg::ETXNDL, tx_start + static_cast<unsigned>(octets.size()));
    bench.write_pair(Reg::EWRPTL, tx_start);
    bench.spi({0x7A, 0});
    for (const std::uint8_t octet : octets) bench.spi({0x7A, octet});
    bench.set(Reg::ECON1, ECON1::TXRST);
    bench.clear(Reg::ECON1, ECON1::TXRST);
    bench.set(Reg::ECON1, ECON1::TXRTS);
  }
  std::uint16_t next = 0;
  bool link = false;
};

TEST_F(Ethersex, WorksByInterrupt) {
  initialize();
  EXPECT_TRUE(bench.chip.int_pin());
  bench.advance(Duration::milliseconds(40));
  EXPECT_FALSE(bench.chip.int_pin()) << "the link has come up";
  process();
  EXPECT_TRUE(link);
  EXPECT_TRUE(bench.chip.int_pin());
  for (unsigned n = 0; n < 20; ++n) {
    const EthernetFrame in = bench.frame(61 + n * 50, Enc28j60Bench::mac, n);
    bench.arrive(in);
    EXPECT_FALSE(bench.chip.int_pin());
    EXPECT_EQ(process(), in.octets);
    const Octets out = bench.octets(60 + n * 50, Enc28j60Bench::peer, n);
    send(out);
    bench.advance(Duration::milliseconds(2));
    EXPECT_EQ(last_sent(), out);
    EXPECT_FALSE(bench.chip.int_pin()) << "TXIF";
    process();
    EXPECT_TRUE(bench.chip.int_pin());
  }
  bench.chip.set_link(false);
  process();
  EXPECT_FALSE(link);
  EXPECT_EQ(said(), (std::set<std::string>{"enc28j60-bit-field-on-mac", "enc28j60-no-register", "enc28j60-read-only",
                                           "enc28j60-reserved-bits", "enc28j60-rx-pointer-even"}));
}

// --- Contiki: no bit field commands at all, the whole of ECON1 written for each bank, frames padded by hand, the FCS read
// with the frame and the pad octet behind an odd one; full duplex, and the PHY left to what LEDB is wired to.

class Contiki : public PublicDriver {
 protected:
  explicit Contiki(const Enc28j60Options& options = {}) : PublicDriver(options) {}

  static unsigned address(Reg reg) { return static_cast<unsigned>(reg) & 0x1F; }
  std::uint8_t read(Reg reg, bool dummy = false) {
    Octets mosi(dummy ? 3 : 2, 0);
    mosi[0] = static_cast<std::uint8_t>(address(reg));
    return bench.spi(mosi).back();
  }
  void write(Reg reg, unsigned value) {
    bench.spi({static_cast<std::uint8_t>(0x40 | address(reg)), static_cast<std::uint8_t>(value)});
  }
  void write_pair(Reg reg, unsigned value) {
    write(reg, value & 0xFF);
    write(reg + 1, value >> 8);
  }
  void bank(unsigned number) { write(Reg::ECON1, (read(Reg::ECON1) & 0xFCu) | number); }

  void initialize() {
    bench.spi({0xFF});
    bench.advance(Duration::microseconds(1000));
    while ((read(Reg::ESTAT) & ESTAT::CLKRDY) == 0) {
    }
    bank(0);
    write_pair(Reg::ERXSTL, 0);
    write_pair(Reg::ERXNDL, 0x0FFF);
    write_pair(Reg::ERDPTL, 0);
    write_pair(Reg::ERXRDPTL, 0);
    bank(1);
    write(Reg::ERXFCON, 0);
    bank(2);
    write(Reg::MACON1, read(Reg::MACON1, true) | 0x0Du);
    write(Reg::MACON3, read(Reg::MACON3, true) | 0xF3u);
    write_pair(Reg::MAMXFLL, 1518);
    write(Reg::MABBIPG, 0x15);
    write_pair(Reg::MAIPGL, 0x0C12);
    bank(3);
    const Reg registers[] = {Reg::MAADR1, Reg::MAADR2, Reg::MAADR3, Reg::MAADR4, Reg::MAADR5, Reg::MAADR6};
    for (std::size_t n = 6; n-- != 0;) write(registers[n], Enc28j60Bench::mac[n]);
    bank(1);
    write(Reg::ERXFCON, 0xA1);
    write(Reg::ECON2, read(Reg::ECON2) | 0x80u);
    write(Reg::ECON1, ECON1::RXEN);
    bench.advance(Duration::milliseconds(40));
  }
  void send(const Octets& octets) {
    constexpr unsigned start = 0x1200;
    bank(0);
    write_pair(Reg::ETXSTL, start);
    write_pair(Reg::EWRPTL, start);
    bench.spi({0x7A, 0x0B});
    const std::size_t padding = octets.size() < 60 ? 60 - octets.size() : 0;
    write_pair(Reg::ETXNDL, start + static_cast<unsigned>(octets.size() + padding));
    bench.write_buffer(octets);
    if (padding != 0) bench.write_buffer(Octets(padding, 0));
    write(Reg::EIR, read(Reg::EIR) & ~unsigned{EIR::TXIF});
    write(Reg::ECON1, read(Reg::ECON1) | unsigned{ECON1::TXRTS});
    while ((read(Reg::ECON1) & ECON1::TXRTS) != 0) {
    }
    EXPECT_EQ(read(Reg::ESTAT) & ESTAT::TXABRT, 0);
  }
  // With FCS.
  Octets receive() {
    bank(1);
    if (read(Reg::EPKTCNT) == 0) return {};
    bank(0);
    Octets header;
    for (int n = 0; n < 6; ++n) header.push_back(bench.spi({0x3A, 0})[1]);
    const auto length = static_cast<std::size_t>(header[2] | header[3] << 8);
    const Octets octets = bench.read_buffer(length);
    if (length % 2 != 0) bench.spi({0x3A, 0});
    const unsigned next = static_cast<unsigned>(header[0] | header[1] << 8);
    write_pair(Reg::ERXRDPTL, next == 0 ? 0x0FFFu : next - 1);
    write(Reg::ECON2, read(Reg::ECON2) | unsigned{ECON2::PKTDEC});
    return octets;
  }
  void work() {
    initialize();
    for (unsigned n = 0; n < 40; ++n) {
      const EthernetFrame in = bench.frame(60 + n * 31, Enc28j60Bench::mac, n);
      bench.arrive(in);
      EXPECT_EQ(receive(), Enc28j60Bench::with_fcs(in));
      Octets out = bench.octets(42 + n * 31, Enc28j60Bench::peer, n);
      send(out);
      if (out.size() < 60) out.resize(60);
      EXPECT_EQ(last_sent(), out);
      EXPECT_TRUE(bench.sent.back().frame.fcs_ok());
    }
  }
};

Enc28j60Options wired_for_full_duplex() {
  Enc28j60Options options;
  options.ledb_full_duplex = true;
  return options;
}

class ContikiOnAFullDuplexBoard : public Contiki {
 protected:
  ContikiOnAFullDuplexBoard() : Contiki(wired_for_full_duplex()) {}
};

TEST_F(ContikiOnAFullDuplexBoard, SendsAndReceives) {
  work();
  EXPECT_EQ(said(), (std::set<std::string>{"enc28j60-rx-pointer-even"}));
}

TEST_F(Contiki, IsToldThatItsDuplexIsNotThePhys) {
  initialize();
  send(bench.octets(100, Enc28j60Bench::peer));
  EXPECT_EQ(said(), (std::set<std::string>{"enc28j60-duplex-mismatch", "enc28j60-rx-pointer-even"}));
}

}  // namespace
}  // namespace avrlan
