#pragma once
// An ENC28J60 on a bench: on one side the SPI commands that a driver would send, each byte taking a microsecond; on the
// other a wire whose far end records what arrives.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "nic-model/enc28j60/enc28j60.hpp"

namespace avrlan {

using Octets = std::vector<std::uint8_t>;

struct Sent {
  Instant end;
  EthernetFrame frame;
};

class Enc28j60Bench : private FrameSink, private DiagnosticSink {
 public:
  using Reg = enc28j60::Reg;
  using Phy = enc28j60::Phy;

  static constexpr MacAddress mac{0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
  static constexpr MacAddress peer{0x02, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE};
  static constexpr MacAddress broadcast{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

  explicit Enc28j60Bench(const Enc28j60Options& options = {}) : chip{scheduler, wire, *this, options} {
    wire.connect(chip, chip, *this);
    chip.on_int_pin([this](bool high) { int_edges.push_back({scheduler.now(), high}); });
  }

  // --- time
  void advance(Duration d) { scheduler.run_until(scheduler.now() + d); }
  Instant now() const { return scheduler.now(); }

  // --- SPI
  Octets spi(const Octets& mosi, Duration byte_time = Duration::microseconds(1)) {
    Octets miso;
    chip.select();
    for (const std::uint8_t octet : mosi) {
      advance(byte_time);
      miso.push_back(chip.exchange(octet));
    }
    chip.deselect();
    return miso;
  }
  static std::uint8_t address(Reg reg) { return static_cast<std::uint8_t>(reg) & 0x1F; }
  void bank(Reg reg) {
    if (address(reg) >= enc28j60::first_common_address) return;
    spi({0xBF, 0x03});
    spi({0x9F, static_cast<std::uint8_t>(static_cast<unsigned>(reg) >> 5)});
  }
  std::uint8_t read(Reg reg) {
    bank(reg);
    const bool dummy = enc28j60::row_of(reg).kind != enc28j60::Kind::eth;
    return spi(dummy ? Octets{address(reg), 0, 0} : Octets{address(reg), 0}).back();
  }
  void write(Reg reg, unsigned value) {
    bank(reg);
    spi({static_cast<std::uint8_t>(0x40 | address(reg)), static_cast<std::uint8_t>(value)});
  }
  void set(Reg reg, unsigned bits) {
    bank(reg);
    spi({static_cast<std::uint8_t>(0x80 | address(reg)), static_cast<std::uint8_t>(bits)});
  }
  void clear(Reg reg, unsigned bits) {
    bank(reg);
    spi({static_cast<std::uint8_t>(0xA0 | address(reg)), static_cast<std::uint8_t>(bits)});
  }
  std::uint16_t read_pair(Reg low) { return static_cast<std::uint16_t>(read(low) | read(low + 1) << 8); }
  void write_pair(Reg low, unsigned value) {
    write(low, value & 0xFF);
    write(low + 1, value >> 8);
  }
  Octets read_buffer(std::size_t n) {
    Octets mosi(n + 1, 0);
    mosi[0] = 0x3A;
    Octets miso = spi(mosi);
    miso.erase(miso.begin());
    return miso;
  }
  Octets read_buffer(std::uint16_t at, std::size_t n) {
    write_pair(Reg::ERDPTL, at);
    return read_buffer(n);
  }
  void write_buffer(const Octets& octets) {
    Octets mosi{0x7A};
    mosi.insert(mosi.end(), octets.begin(), octets.end());
    spi(mosi);
  }
  void write_buffer(std::uint16_t at, const Octets& octets) {
    write_pair(Reg::EWRPTL, at);
    write_buffer(octets);
  }
  std::uint16_t read_phy(Phy reg) {
    write(Reg::MIREGADR, static_cast<unsigned>(reg));
    write(Reg::MICMD, enc28j60::MICMD::MIIRD);
    advance(Duration::nanoseconds(10'240));
    write(Reg::MICMD, 0);
    return read_pair(Reg::MIRDL);
  }
  void write_phy(Phy reg, unsigned value) {
    write(Reg::MIREGADR, static_cast<unsigned>(reg));
    write_pair(Reg::MIWRL, value);
    advance(Duration::nanoseconds(10'240));
  }

  // --- set-up as the datasheet's 6.0 has it: receive buffer 0..fifo_end, full duplex unless told otherwise
  void start(std::uint16_t fifo_end = 0x19FF, bool full_duplex = true) {
    advance(Duration::microseconds(300));
    write_pair(Reg::ERXSTL, 0);
    write_pair(Reg::ERXNDL, fifo_end);
    write_pair(Reg::ERXRDPTL, fifo_end);
    write(Reg::MACON1, 0x01);
    write(Reg::MACON3, full_duplex ? 0x33 : 0x32);
    write(Reg::MACON4, 0x40);
    write(Reg::MABBIPG, full_duplex ? 0x15 : 0x12);
    write_pair(Reg::MAIPGL, 0x0C12);
    write_pair(Reg::MAMXFLL, 1518);
    const Reg address_registers[] = {Reg::MAADR1, Reg::MAADR2, Reg::MAADR3, Reg::MAADR4, Reg::MAADR5, Reg::MAADR6};
    for (std::size_t n = 0; n < 6; ++n) write(address_registers[n], mac[n]);
    if (full_duplex) write_phy(Phy::PHCON1, enc28j60::PHCON1::PDPXMD);
    write_phy(Phy::PHCON2, enc28j60::PHCON2::HDLDIS);
    set(Reg::ECON1, enc28j60::ECON1::RXEN);
    advance(Duration::milliseconds(40));  // the link comes up
    diagnostics.clear();
  }

  // --- frames
  static Octets octets(std::size_t length, const MacAddress& to = mac, unsigned seed = 0, unsigned type = 0x0800) {
    Octets frame(to.begin(), to.end());
    frame.insert(frame.end(), peer.begin(), peer.end());
    frame.push_back(static_cast<std::uint8_t>(type >> 8));
    frame.push_back(static_cast<std::uint8_t>(type));
    for (std::size_t n = frame.size(); n < length; ++n) {
      frame.push_back(static_cast<std::uint8_t>(n * 7 + seed * 31 + (n >> 8)));
    }
    frame.resize(length);
    return frame;
  }
  static EthernetFrame frame(std::size_t length, const MacAddress& to = mac, unsigned seed = 0,
                             unsigned type = 0x0800) {
    return EthernetFrame::with_fcs(octets(length, to, seed, type));
  }
  // Puts the frame on the wire and lets it arrive.
  void arrive(const EthernetFrame& in) {
    wire.from_network(in);
    advance(wire_time(in) + interframe_gap);
  }
  // Writes a frame behind its control byte and requests its transmission.
  void request(const Octets& out, std::uint8_t control = 0, std::uint16_t at = 0x1A00) {
    write_pair(Reg::ETXSTL, at);
    write_buffer(at, {control});
    write_buffer(out);
    write_pair(Reg::ETXNDL, (at + static_cast<unsigned>(out.size())) & 0x1FFF);
    set(Reg::ECON1, enc28j60::ECON1::TXRTS);
  }
  std::uint64_t status_vector() {
    const auto at = static_cast<std::uint16_t>((read_pair(Reg::ETXNDL) + 1) & 0x1FFF);
    std::uint64_t status = 0;
    for (unsigned n = 0; n < 7; ++n) status |= std::uint64_t{chip.buffer()[(at + n) & 0x1FFF]} << (8 * n);
    return status;
  }

  // --- received packets, as a driver takes them
  struct Packet {
    std::uint16_t at;
    std::uint16_t next;
    std::uint32_t status;
    Octets octets;  // with FCS
  };
  Packet take() {
    read(Reg::EPKTCNT);
    Packet packet{read_pointer, 0, 0, {}};
    const Octets header = read_buffer(read_pointer, 6);
    packet.next = static_cast<std::uint16_t>(header[0] | header[1] << 8);
    for (unsigned n = 0; n < 4; ++n) packet.status |= std::uint32_t{header[2 + n]} << (8 * n);
    packet.octets = read_buffer(packet.status & 0xFFFF);
    read_pointer = packet.next;
    const std::uint16_t end = read_pair(Reg::ERXNDL);
    write_pair(Reg::ERXRDPTL, packet.next == read_pair(Reg::ERXSTL) ? end : packet.next - 1u);
    set(Reg::ECON2, enc28j60::ECON2::PKTDEC);
    return packet;
  }
  static Octets with_fcs(const EthernetFrame& in) {
    Octets all = in.octets;
    for (unsigned n = 0; n < 4; ++n) all.push_back(static_cast<std::uint8_t>(in.fcs >> (8 * n)));
    return all;
  }

  bool reported(std::string_view code) const {
    return std::any_of(diagnostics.begin(), diagnostics.end(),
                       [code](const Diagnostic& diagnostic) { return diagnostic.code == code; });
  }

  struct Edge {
    Instant when;
    bool high;
  };

  Scheduler scheduler;
  Wire wire{scheduler};
  std::vector<Sent> sent;
  std::vector<Edge> int_edges;
  std::vector<Diagnostic> diagnostics;
  std::uint16_t read_pointer = 0;
  Enc28j60 chip;

 private:
  void deliver(const EthernetFrame& out) override { sent.push_back({scheduler.now(), out}); }
  void report(const Diagnostic& diagnostic) override { diagnostics.push_back(diagnostic); }
};

}  // namespace avrlan
