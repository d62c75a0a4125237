#pragma once
// The driver's SPI policy on the chip model, at the speed of an AVR with SCK = 8 MHz, with a tap between them that can
// falsify bytes as a bad line or a chip gone mad would.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/scheduler.hpp"
#include "nic-model/core/wire.hpp"
#include "nic-model/enc28j60/enc28j60.hpp"
#include "stack/drivers/enc28j60.hpp"

namespace avrlan {

inline std::uint16_t reference_sum(std::span<const std::uint8_t> octets, std::uint32_t sum = 0) {
  for (std::size_t i = 0; i < octets.size(); ++i) sum += i % 2 ? octets[i] : octets[i] * 256u;
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

// What a tap is shown of one byte: its place since the chip select fell, the first byte of the transaction, and the byte.
struct TappedByte {
  std::size_t position;
  std::uint8_t instruction;
  std::uint8_t& value;
};

struct SpiLine {
  Scheduler& scheduler;
  SpiDevice& device;
  std::function<void(TappedByte)> mosi;  // before the chip takes it
  std::function<void(TappedByte)> miso;  // before the driver takes it
  std::optional<std::uint8_t> cut;       // the line is cut and MISO reads like this
  std::size_t position = 0;
  std::uint8_t instruction = 0;
};

class HostSpi {
 public:
  explicit HostSpi(SpiLine* line = nullptr) : line_(line) {}

  void select() {
    line_->position = 0;
    if (!line_->cut) line_->device.select();
  }
  void deselect() {
    if (!line_->cut) line_->device.deselect();
  }

  std::uint8_t exchange(std::uint8_t out) {
    line_->scheduler.run_until(line_->scheduler.now() + Duration::microseconds(1));
    if (line_->cut) return *line_->cut;
    if (line_->position == 0) line_->instruction = out;
    if (line_->mosi) line_->mosi({line_->position, line_->instruction, out});
    std::uint8_t in = line_->device.exchange(out);
    if (line_->miso) line_->miso({line_->position, line_->instruction, in});
    ++line_->position;
    return in;
  }

  std::uint8_t exchange(std::uint8_t first, std::uint8_t second) {
    exchange(first);
    return exchange(second);
  }

  std::uint16_t write_sum(std::uint8_t instruction, const void* from, std::uint16_t n, std::uint16_t sum) {
    const std::span octets(static_cast<const std::uint8_t*>(from), n);
    exchange(instruction);
    for (const std::uint8_t octet : octets) exchange(octet);
    return reference_sum(octets, sum);
  }
  std::uint16_t read_sum(std::uint8_t instruction, void* to, std::uint16_t n, std::uint16_t sum) {
    const std::span octets(static_cast<std::uint8_t*>(to), n);
    exchange(instruction);
    for (std::uint8_t& octet : octets) octet = exchange(0);
    return reference_sum(octets, sum);
  }
  std::uint16_t skip_sum(std::uint8_t instruction, std::uint16_t n, std::uint16_t sum) {
    std::vector<std::uint8_t> octets(n);
    return read_sum(instruction, octets.data(), n, sum);
  }
  void wait_us(std::uint16_t us) { line_->scheduler.run_until(line_->scheduler.now() + Duration::microseconds(us)); }

 private:
  SpiLine* line_;
};

struct Arrival {
  Instant when;
  EthernetFrame frame;
};

// A chip on a wire whose other end is this object.
class Enc28j60Rig : private DiagnosticSink {
 public:
  using Driver = tcpip::Enc28j60<HostSpi>;
  static constexpr tcpip::MacAddress mac{{0x02, 0x11, 0x22, 0x33, 0x44, 0x55}};

  Enc28j60Rig() { wire_.connect(chip, to_chip_, from_chip_); }

  // A unicast frame for the driver of `length` octets, at least 14, whose contents depend on `seed`.
  static std::vector<std::uint8_t> frame_for_driver(std::size_t length, unsigned seed = 0) {
    static constexpr std::array<std::uint8_t, 8> source_and_type{0x02, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0x08, 0x00};
    std::vector<std::uint8_t> octets(length);
    for (std::size_t i = 0; i < length; ++i)
      octets[i] = i < 6    ? mac.octet[i]
                  : i < 14 ? source_and_type[i - 6]
                           : static_cast<std::uint8_t>(i * 7 + seed * 31 + (i >> 8));
    return octets;
  }

  // Puts the frame on the wire after those already there.
  void send(std::span<const std::uint8_t> octets) {
    ++in_flight_;
    wire_.from_network(EthernetFrame::with_fcs(octets));
  }
  // Frames that are still on their way to the chip.
  std::size_t in_flight() const { return in_flight_; }
  void let_arrive() {
    while (in_flight_ != 0) scheduler.run_until(scheduler.next());
  }
  // Sends one frame and lets it arrive.
  void deliver(std::span<const std::uint8_t> octets) {
    send(octets);
    let_arrive();
  }
  void advance(Duration d) { scheduler.run_until(scheduler.now() + d); }

  // begin() and the time the link needs.
  bool start() {
    const bool answered = driver.begin(mac);
    advance(Duration::milliseconds(100));
    return answered && driver.link_up();
  }

  // What the chip reported at severity warning or error.
  const std::vector<Diagnostic>& complaints() const { return complaints_; }
  // Complaints with this code are what the test is about.
  void expect_complaint(std::string code) { expected_ = std::move(code); }
  // All are.
  void accept_complaints() { accepted_ = true; }

  Scheduler scheduler;

 private:
  struct Sink : FrameSink {
    explicit Sink(std::function<void(const EthernetFrame&)> take) : take_(std::move(take)) {}
    void deliver(const EthernetFrame& frame) override { take_(frame); }
    std::function<void(const EthernetFrame&)> take_;
  };
  void report(const Diagnostic& diagnostic) override {
    if (diagnostic.severity == Severity::note || accepted_ || diagnostic.code == expected_) return;
    complaints_.push_back(diagnostic);
  }

  Wire wire_{scheduler};
  Sink to_chip_{[this](const EthernetFrame& frame) {
    --in_flight_;
    chip.deliver(frame);
  }};
  Sink from_chip_{[this](const EthernetFrame& frame) { sent.push_back({scheduler.now(), frame}); }};
  std::size_t in_flight_ = 0;
  std::vector<Diagnostic> complaints_;
  std::string expected_;
  bool accepted_ = false;

 public:
  Enc28j60 chip{scheduler, wire_, *this};
  SpiLine line{scheduler, chip, {}, {}, {}};
  Driver driver{HostSpi(&line)};
  std::vector<Arrival> sent;  // what the driver has sent
};

}  // namespace avrlan
