// Random and mutated SPI bytes and frames into the ENC28J60 model: whatever a driver and a network do, the model neither
// crashes nor breaks its own rules. `fuzz_enc28j60 [--runs N] [--seed S]`; a failure prints the run's seed. Built by Clang
// with AVRLAN_LIBFUZZER defined, the same runs are driven by libFuzzer.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "nic-model/enc28j60/enc28j60.hpp"
#include "tests/fuzz/chip_fuzzer.hpp"

namespace avrlan {
namespace {

using enc28j60::Reg;

using Transaction = std::vector<std::uint8_t>;

// What drivers send: bring-up, a received packet's release, a transmission, the PHY, the DMA, power save. Registers by
// bank switch and address, so that mutations hit both.
const std::vector<Transaction> transactions = {
    {0xFF},       {0xBF, 0x03}, {0x9F, 0x01}, {0x9F, 0x02}, {0x9F, 0x03}, {0x48, 0x00}, {0x49, 0x00}, {0x4A, 0xFF},
    {0x4B, 0x19}, {0x4C, 0xFF}, {0x4D, 0x19}, {0x44, 0x00}, {0x45, 0x1A}, {0x46, 0x40}, {0x47, 0x1A}, {0x42, 0x00},
    {0x43, 0x1A}, {0x58, 0x00}, {0x58, 0xA1}, {0x40, 0x0D}, {0x42, 0x32}, {0x43, 0x40}, {0x44, 0x15}, {0x4A, 0xEE},
    {0x4B, 0x05}, {0x54, 0x00}, {0x56, 0x00}, {0x57, 0x01}, {0x52, 0x01}, {0x52, 0x02}, {0x52, 0x00}, {0x19, 0x00},
    {0x9F, 0x04}, {0x9F, 0x08}, {0xBF, 0x08}, {0x9F, 0x20}, {0x9F, 0x30}, {0x9F, 0x80}, {0xBF, 0xC0}, {0x9F, 0x40},
    {0x9E, 0x40}, {0x9E, 0x20}, {0xBE, 0x20}, {0x9B, 0xC0}, {0xBC, 0xFF}, {0x47, 0x07}, {0x57, 0x02}, {0x55, 0x02},
    {0x3A},       {0x7A},
};

class Run : FrameSink, DiagnosticSink {
 public:
  explicit Run(const fuzz::Decisions& decisions) : random_(decisions), chip_(scheduler_, wire_, *this) {
    wire_.connect(chip_, chip_, *this);
  }

  // What went wrong, empty when nothing did.
  std::string play() {
    for (int step = 0; step < 400 && !random_.exhausted(); ++step) {
      switch (random_.below(8)) {
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
        default:
          exchange();
          break;
      }
      if (const std::string broken = broken_rule(); !broken.empty()) return broken;
    }
    return {};
  }

  std::uint64_t operations() const { return spi_octets_; }
  std::uint64_t frames() const { return frames_; }

 private:
  EthernetFrame frame() {
    static constexpr std::size_t sizes[] = {0, 1, 5, 13, 14, 59, 60, 61, 100, 590, 1514, 1515, 7000, 9000};
    std::vector<std::uint8_t> octets(sizes[random_.below(std::size(sizes))]);
    for (std::uint8_t& octet : octets) octet = random_.octet();
    if (octets.size() >= 14 && random_.below(2) != 0) std::memset(octets.data(), 0xFF, 6);
    if (octets.size() >= 14 && random_.below(8) == 0) octets[12] = 0x88, octets[13] = 0x08;
    EthernetFrame result = EthernetFrame::with_fcs(octets);
    if (random_.below(8) == 0) result.fcs ^= 1u << random_.below(32);
    ++frames_;
    return result;
  }

  void disturb() {
    switch (random_.below(6)) {
      case 0:
        chip_.reset_pin(random_.below(2) != 0);
        break;
      case 1:
        chip_.set_link(random_.below(4) != 0);
        break;
      case 2:
        chip_.select();
        break;
      case 3:
        chip_.exchange(random_.octet());
        break;
      default:
        chip_.reset_pin(false);
        chip_.set_link(true);
        break;
    }
  }

  void exchange() {
    Transaction bytes = transactions[random_.below(transactions.size())];
    if (bytes[0] == 0x3A || bytes[0] == 0x7A) bytes.resize(1 + random_.below(300));
    for (std::size_t n = random_.below(3); n != 0; --n) bytes[random_.below(bytes.size())] = random_.octet();
    if (random_.below(8) == 0) bytes.resize(random_.below(bytes.size() + 3));
    chip_.select();
    for (const std::uint8_t byte : bytes) {
      scheduler_.run_until(scheduler_.now() + Duration::microseconds(1));
      chip_.exchange(byte);
    }
    spi_octets_ += bytes.size();
    if (random_.below(16) != 0) chip_.deselect();
  }

  // Holds at any time, whatever has been written.
  std::string broken_rule() const {
    for (const Reg low : {Reg::ERDPTL, Reg::EWRPTL, Reg::ERXRDPTL, Reg::ERXWRPTL}) {
      if (chip_.peek(low + 1) > 0x1F) return "a buffer pointer left the memory";
    }
    const std::uint8_t eir = chip_.peek(Reg::EIR), eie = chip_.peek(Reg::EIE);
    const bool pending = (eie & 0x80) != 0 && (eir & eie & 0x7B) != 0;
    if (chip_.int_pin() == pending) return "INT disagrees with EIE and EIR";
    if (((eir & 0x40) != 0) != (chip_.peek(Reg::EPKTCNT) != 0)) return "PKTIF disagrees with EPKTCNT";
    const std::uint8_t econ1 = chip_.peek(Reg::ECON1);
    if ((econ1 & 0x88) == 0x88) return "TXRTS survived TXRST";
    if ((econ1 & 0x44) == 0x44) return "RXEN survived RXRST";
    if ((chip_.peek(Reg::ECON2) & 0x40) != 0) return "PKTDEC did not clear itself";
    const NicCounters& counters = chip_.counters();
    if (counters.tx_frames != sent_ok_) return "frames sent and frames on the wire differ";
    return {};
  }

  void deliver(const EthernetFrame&) override { sent_ok_ = chip_.counters().tx_frames; }
  void report(const Diagnostic& diagnostic) override {
    if (diagnostic.code.rfind("enc28j60-", 0) != 0 || diagnostic.message.empty()) std::abort();
  }

  fuzz::Decisions random_;
  Scheduler scheduler_;
  Wire wire_{scheduler_};
  Enc28j60 chip_;
  std::uint64_t sent_ok_ = 0;
  std::uint64_t spi_octets_ = 0;
  std::uint64_t frames_ = 0;
};

}  // namespace
}  // namespace avrlan

#ifdef AVRLAN_LIBFUZZER

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* octets, std::size_t size) {
  return avrlan::fuzz::play_octets<avrlan::Run>(std::span(octets, size));
}

#else

int main(int argc, char** argv) {
  return avrlan::fuzz::play_seeds<avrlan::Run>("SPI octets", argc, argv);
}

#endif
