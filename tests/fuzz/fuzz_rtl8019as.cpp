// Random and mutated bus accesses and frames into the RTL8019AS model: whatever a driver and a network do, the model neither
// crashes nor breaks its own rules. `fuzz_rtl8019as [--runs N] [--seed S]`; a failure prints the run's seed. Built by Clang
// with AVRLAN_LIBFUZZER defined, the same runs are driven by libFuzzer.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "nic-model/rtl8019as/rtl8019as.hpp"
#include "tests/fuzz/chip_fuzzer.hpp"

namespace avrlan {
namespace {

using rtl8019as::Side;

struct Access {
  std::uint8_t offset;
  std::uint8_t value;
};

// What drivers write: bring-up, a received frame's release, a transmission, remote DMA, the overflow procedure, page 3.
constexpr Access accesses[] = {
    {0x00, 0x21}, {0x00, 0x22}, {0x00, 0x61}, {0x00, 0x62}, {0x00, 0xA2}, {0x00, 0xE1}, {0x00, 0xE2}, {0x00, 0x26},
    {0x00, 0x0A}, {0x00, 0x12}, {0x00, 0x1A}, {0x00, 0x0A}, {0x00, 0x12}, {0x00, 0x26}, {0x0E, 0x48}, {0x0E, 0x49},
    {0x0E, 0x58}, {0x01, 0x46}, {0x02, 0x60}, {0x03, 0x5F}, {0x03, 0x46}, {0x03, 0x50}, {0x04, 0x40}, {0x05, 0x3C},
    {0x06, 0x00}, {0x07, 0xFF}, {0x07, 0x46}, {0x07, 0x10}, {0x08, 0x00}, {0x09, 0x40}, {0x09, 0x46}, {0x0A, 0x40},
    {0x0B, 0x00}, {0x0B, 0x01}, {0x0C, 0x04}, {0x0C, 0x1F}, {0x0C, 0x20}, {0x0D, 0x00}, {0x0D, 0x02}, {0x0D, 0x01},
    {0x0F, 0x7F}, {0x0F, 0x0F}, {0x01, 0xC0}, {0x01, 0x40}, {0x01, 0x88}, {0x01, 0x8E}, {0x06, 0x00}, {0x06, 0x46},
};

class Run : FrameSink, DiagnosticSink {
 public:
  explicit Run(const fuzz::Decisions& decisions) : random_(decisions), chip_(scheduler_, wire_, *this, options()) {
    wire_.connect(chip_, chip_, *this);
    chip_.on_event([this](const NicEvent& event) { watch(event); });
    bring_up();
  }

  // What went wrong, empty when nothing did.
  std::string play() {
    for (int step = 0; step < 1000 && !random_.exhausted(); ++step) {
      switch (random_.below(10)) {
        case 0:
          wire_.from_network(frame());
          break;
        case 1:
          chip_.deliver(frame());
          break;
        case 2:
          scheduler_.run_until(scheduler_.now() +
                               Duration::nanoseconds(static_cast<std::int64_t>(random_.below(3'000'000))));
          break;
        case 3:
          disturb();
          break;
        case 4:
          move_data();
          break;
        default:
          write();
          break;
      }
      if (const std::string broken = broken_rule(); !broken.empty()) return broken;
    }
    return {};
  }

  std::uint64_t operations() const { return accesses_made_; }
  std::uint64_t frames() const { return frames_; }

 private:
  Rtl8019asOptions options() {
    Rtl8019asOptions options;
    options.bus = random_.below(2) == 0 ? Rtl8019asOptions::Bus::byte : Rtl8019asOptions::Bus::word;
    options.eeprom = static_cast<Rtl8019asOptions::Eeprom>(random_.below(4));
    options.jumper_mode = random_.below(4) != 0;
    options.errata.overflow_stops_receiver = random_.below(4) == 0;
    options.errata.stop_waits_for_remote_count = random_.below(4) == 0;
    options.errata.next_page_one_late = random_.below(4) == 0;
    return options;
  }

  void bring_up() {
    for (const Access access : {Access{0x00, 0xE1},
                                {0x01, 0xC0},
                                {0x06, 0x00},
                                {0x05, 0x40},
                                {0x01, 0x00},
                                {0x00, 0x21},
                                {0x0E, 0x48},
                                {0x01, 0x46},
                                {0x02, 0x60},
                                {0x03, 0x5F},
                                {0x00, 0x61},
                                {0x07, 0x46},
                                {0x00, 0x22},
                                {0x0C, 0x1F},
                                {0x0F, 0x7F}}) {
      put(access.offset, access.value);
    }
  }

  EthernetFrame frame() {
    static constexpr std::size_t sizes[] = {0, 1, 5, 13, 14, 59, 60, 61, 100, 248, 504, 1514, 1515, 7000, 9000};
    std::vector<std::uint8_t> octets(sizes[random_.below(std::size(sizes))]);
    for (std::uint8_t& octet : octets) octet = random_.octet();
    if (octets.size() >= 14 && random_.below(2) != 0) std::memset(octets.data(), 0xFF, 6);
    EthernetFrame result = EthernetFrame::with_fcs(octets);
    if (random_.below(8) == 0) result.fcs ^= 1u << random_.below(32);
    ++frames_;
    return result;
  }

  void disturb() {
    switch (random_.below(12)) {
      case 0:
        chip_.reset_pin(random_.below(2) != 0);
        break;
      case 1:
        chip_.set_link(random_.below(4) != 0);
        break;
      case 2:
        chip_.set_eedo(random_.below(2) != 0);
        break;
      case 3:
        get(0x1F);
        break;
      default:
        chip_.reset_pin(false);
        chip_.set_link(true);
        break;
    }
  }

  std::uint16_t address(unsigned offset) const { return static_cast<std::uint16_t>(0x8000 | chip_.io_base() | offset); }
  void put(unsigned offset, std::uint8_t value) {
    scheduler_.run_until(scheduler_.now() + Duration::nanoseconds(200));
    chip_.write(address(offset), value);
    ++accesses_made_;
  }
  void get(unsigned offset) {
    scheduler_.run_until(scheduler_.now() + Duration::nanoseconds(200));
    const std::uint8_t expected = chip_.peek(address(offset));
    if (chip_.read(address(offset)) != expected && offset < 0x10) peek_differs_ = true;
    ++accesses_made_;
  }

  void write() {
    Access access = accesses[random_.below(std::size(accesses))];
    if (random_.below(8) == 0) access.offset = random_.octet() & 0x1F;
    if (random_.below(4) == 0) access.value = random_.octet();
    put(access.offset, access.value);
    if (random_.below(2) == 0) get(random_.octet() & 0x0F);
  }

  void move_data() {
    for (std::size_t n = random_.below(300); n != 0; --n) {
      switch (random_.below(8)) {
        case 0:
          chip_.read_word();
          break;
        case 1:
          chip_.write_word(random_.octet());
          break;
        case 2:
        case 3:
        case 4:
          get(0x10);
          break;
        default:
          put(0x10, random_.octet());
          break;
      }
    }
  }

  // Holds at any time, whatever has been written.
  std::string broken_rule() const {
    const std::uint8_t isr = chip_.peek(Side::page0_read, 0x07), imr = chip_.peek(Side::page2, 0x0F);
    const bool enabled = (chip_.peek(Side::page3, 0x04) & 0x80) != 0;
    if (chip_.int_pin() != (enabled && (isr & imr & 0x7F) != 0)) return "INT disagrees with ISR and IMR";
    for (unsigned counter = 0x0D; counter <= 0x0F; ++counter) {
      if (chip_.peek(Side::page0_read, counter) > 192) return "a tally counter went past 192";
    }
    if (peek_differs_) return "a peek gave what a read did not";
    if (!balanced_) return "accesses that begin and end do not alternate";
    if (held_ < 0) return "more frames were released than received";
    if (chip_.counters().tx_frames != sent_ok_) return "frames sent and frames on the wire differ";
    return {};
  }

  void watch(const NicEvent& event) {
    using Kind = NicEvent::Kind;
    if (event.kind == Kind::access_begins || event.kind == Kind::access_ends) {
      const bool begins = event.kind == Kind::access_begins;
      balanced_ = balanced_ && accessing_ != begins;
      accessing_ = begins;
    }
    if (event.kind == Kind::frame_received) ++held_;
    if (event.kind == Kind::frame_released) --held_;
    if (event.kind == Kind::reset) held_ = 0;
  }
  void deliver(const EthernetFrame&) override { sent_ok_ = chip_.counters().tx_frames; }
  void report(const Diagnostic& diagnostic) override {
    if (diagnostic.code.rfind("rtl8019as-", 0) != 0 || diagnostic.message.empty()) std::abort();
  }

  fuzz::Decisions random_;
  Scheduler scheduler_;
  Wire wire_{scheduler_};
  Rtl8019as chip_;
  std::uint64_t sent_ok_ = 0;
  std::uint64_t accesses_made_ = 0;
  std::uint64_t frames_ = 0;
  std::int64_t held_ = 0;
  bool accessing_ = false;
  bool balanced_ = true;
  bool peek_differs_ = false;
};

}  // namespace
}  // namespace avrlan

#ifdef AVRLAN_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* octets, std::size_t size) {
  return avrlan::fuzz::play_octets<avrlan::Run>(std::span(octets, size));
}

#else

int main(int argc, char** argv) {
  return avrlan::fuzz::play_seeds<avrlan::Run>("bus accesses", argc, argv);
}

#endif
