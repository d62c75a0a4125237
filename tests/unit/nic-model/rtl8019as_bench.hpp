#pragma once
// An RTL8019AS on a bench: on one side the bus accesses that a driver would make, each taking 200 ns; on the other a wire
// whose far end records what arrives.

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "nic-model/rtl8019as/rtl8019as.hpp"

namespace avrlan {

using Octets = std::vector<std::uint8_t>;

class Rtl8019asBench : private FrameSink, private DiagnosticSink {
 public:
  static constexpr MacAddress mac{0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
  static constexpr MacAddress peer{0x02, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE};
  static constexpr MacAddress broadcast{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  static constexpr unsigned transmit_page = 0x40, ring_start = 0x46, ring_stop = 0x60;

  explicit Rtl8019asBench(const Rtl8019asOptions& options = {}) : chip{scheduler, wire, *this, options} {
    wire.connect(chip, chip, *this);
    chip.on_int_pin([this](bool high) { int_edges.push_back({scheduler.now(), high}); });
  }

  // --- time
  void advance(Duration d) { scheduler.run_until(scheduler.now() + d); }
  Instant now() const { return scheduler.now(); }

  // --- the bus: offsets from 0x300, as an AVR with A15 as chip select has them from 0x8300 on
  std::uint8_t read(unsigned offset) {
    advance(Duration::nanoseconds(200));
    return chip.read(static_cast<std::uint16_t>(0x8300 + offset));
  }
  void write(unsigned offset, unsigned value) {
    advance(Duration::nanoseconds(200));
    chip.write(static_cast<std::uint16_t>(0x8300 + offset), static_cast<std::uint8_t>(value));
  }
  std::uint8_t read(unsigned page, unsigned offset) {
    select(page);
    return read(offset);
  }
  void write(unsigned page, unsigned offset, unsigned value) {
    select(page);
    write(offset, value);
  }
  // The page alone: STA or STP stay as they are, no remote DMA.
  void select(unsigned page) {
    const unsigned run = read(0) & 0x03u;
    write(0, page << 6 | 0x20 | run);
  }

  // --- remote DMA
  void set_remote(unsigned address, std::size_t count) {
    write(0, 0x08, address & 0xFF);
    write(0x09, address >> 8);
    write(0x0A, static_cast<unsigned>(count & 0xFF));
    write(0x0B, static_cast<unsigned>(count >> 8));
  }
  Octets read_memory(unsigned address, std::size_t count) {
    set_remote(address, count);
    write(0, 0x0A);
    Octets octets(count);
    for (std::uint8_t& octet : octets) octet = chip.read(0x8310);
    return octets;
  }
  void write_memory(unsigned address, const Octets& octets) {
    set_remote(address, octets.size());
    write(0, 0x12);
    for (const std::uint8_t octet : octets) chip.write(0x8310, octet);
  }

  // --- set-up as drivers of this board do it: frames to send from 40h, the ring from 46h to 60h
  void start(unsigned rcr = 0x04) {
    configure(0x00);
    write(0, 0x21);
    write(0x0E, 0x48);
    write(0x0A, 0);
    write(0x0B, 0);
    write(0x0C, 0x20);
    write(0x0D, 0x02);
    write(0x04, transmit_page);
    write(0x01, ring_start);
    write(0x02, ring_stop);
    write(0x03, ring_stop - 1);
    write(0x07, 0xFF);
    write(1, 0x07, ring_start);
    for (unsigned n = 0; n < 6; ++n) write(1 + n, mac[n]);
    for (unsigned n = 0; n < 8; ++n) write(8 + n, 0);
    write(0, 0x22);
    write(0x0D, 0x00);
    write(0x0C, rcr);
    write(0x0F, 0x0F);
    advance(Duration::milliseconds(40));  // the link comes up
    next_page = ring_start;
    diagnostics.clear();
    int_edges.clear();
  }
  void configure(unsigned config3) {
    write(0, 0xE1);
    write(0x01, 0xC0);
    write(0x06, config3);
    write(0x01, 0x00);
    write(0, 0x21);
  }

  // --- frames
  static Octets octets(std::size_t length, const MacAddress& to = mac, unsigned seed = 0) {
    Octets frame(to.begin(), to.end());
    frame.insert(frame.end(), peer.begin(), peer.end());
    frame.push_back(0x08);
    frame.push_back(0x00);
    for (std::size_t n = frame.size(); n < length; ++n) {
      frame.push_back(static_cast<std::uint8_t>(n * 7 + seed * 31 + (n >> 8)));
    }
    frame.resize(length);
    return frame;
  }
  static EthernetFrame frame(std::size_t length, const MacAddress& to = mac, unsigned seed = 0) {
    return EthernetFrame::with_fcs(octets(length, to, seed));
  }
  static Octets with_fcs(const EthernetFrame& in) {
    Octets all = in.octets;
    for (unsigned n = 0; n < 4; ++n) all.push_back(static_cast<std::uint8_t>(in.fcs >> (8 * n)));
    return all;
  }
  // Puts the frame on the wire and lets it arrive.
  void arrive(const EthernetFrame& in) {
    wire.from_network(in);
    advance(wire_time(in) + interframe_gap);
  }
  void request(const Octets& out, unsigned page = transmit_page) {
    write_memory(page << 8, out);
    write(0x04, page);
    write(0x05, static_cast<unsigned>(out.size() & 0xFF));
    write(0x06, static_cast<unsigned>(out.size() >> 8));
    write(0, 0x26);
  }

  // --- received frames, as a driver with BNRY one page behind takes them
  struct Received {
    std::uint8_t status;
    std::uint8_t next;
    std::size_t length;
    Octets octets;  // with FCS
  };
  std::uint8_t current() { return read(1, 0x07); }
  Received take() {
    const Octets header = read_memory(static_cast<unsigned>(next_page) << 8, 4);
    Received received{header[0], header[1], static_cast<std::size_t>(header[2] | header[3] << 8), {}};
    received.octets = read_memory((static_cast<unsigned>(next_page) << 8) + 4, received.length);
    release(received.next);
    return received;
  }
  void release(unsigned next) {
    next_page = next;
    write(0, 0x03, next == ring_start ? ring_stop - 1 : next - 1);
  }

  std::size_t count(std::string_view code) const {
    return static_cast<std::size_t>(
        std::count_if(diagnostics.begin(), diagnostics.end(),
                      [code](const Diagnostic& diagnostic) { return diagnostic.code == code; }));
  }

  struct Sent {
    Instant end;
    EthernetFrame frame;
  };
  struct Edge {
    Instant when;
    bool high;
  };

  Scheduler scheduler;
  Wire wire{scheduler};
  std::vector<Sent> sent;
  std::vector<Edge> int_edges;
  std::vector<Diagnostic> diagnostics;
  unsigned next_page = ring_start;
  Rtl8019as chip;

 private:
  void deliver(const EthernetFrame& out) override { sent.push_back({scheduler.now(), out}); }
  void report(const Diagnostic& diagnostic) override { diagnostics.push_back(diagnostic); }
};

}  // namespace avrlan
