// The DMA controller and the built-in self-test, DS39662E 13.0 and 15.0.

#include <bit>

#include "nic-model/enc28j60/enc28j60.hpp"

namespace avrlan {

using namespace enc28j60;

namespace {

constexpr Duration clock_period = Duration::nanoseconds(40);  // of 25 MHz

// One octet after another of a memory, as the checksum of 13.2 adds them.
class Checksum {
 public:
  void add(std::uint8_t octet) {
    sum_ += high_ ? std::uint32_t{octet} << 8 : octet;
    high_ = !high_;
  }
  std::uint16_t value() const {
    std::uint32_t sum = sum_;
    while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum);
  }

 private:
  std::uint32_t sum_ = 0;
  bool high_ = true;
};

}  // namespace

// How far the source pointer goes. A range of one octet, or an end that wrapping never reaches, does not end (13.0).
Enc28j60::DmaRun Enc28j60::dma_run() const {
  const Address end = pair(Reg::EDMANDL);
  Address at = pair(Reg::EDMASTL);
  if (at == end) return {memory_size, false};
  std::size_t octets = 1;
  for (; at != end && octets < memory_size; ++octets) at = next_in_fifo(at);
  return {octets, at == end};
}

// ECON1.DMAST rose, or the transmission that it waited for is over (13.1).
void Enc28j60::try_dma() {
  if (is_set(Reg::ECON1, ECON1::DMAST) && !dma_event_ && !outgoing_) start_dma();
}

void Enc28j60::start_dma() {
  const DmaRun run = dma_run();
  const bool checksum = is_set(Reg::ECON1, ECON1::CSUMEN);
  if (!run.ends) {
    report("enc28j60-dma-never-ends",
           "the DMA's source pointer cannot end at EDMAND: one octet, or an end that the wrap at ERXND jumps over; a "
           "copy overwrites all memory (13.0)");
  }
  if (receiving() && checksum) abort_reception_by_checksum();
  tell({.kind = NicEvent::Kind::dma_started});
  const Duration each = clock_period * (checksum ? 1 : 2);
  dma_event_ = scheduler_.after(each * static_cast<std::int64_t>(run.octets), [this] { finish_dma(); });
}

void Enc28j60::finish_dma() {
  const DmaRun run = dma_run();
  Address source = pair(Reg::EDMASTL);
  if (is_set(Reg::ECON1, ECON1::CSUMEN)) {
    Checksum checksum;
    for (std::size_t n = 0; n < run.octets; ++n, source = next_in_fifo(source)) checksum.add(memory_[source]);
    if (run.ends) set_pair(Reg::EDMACSL, checksum.value());
  } else {
    Address destination = pair(Reg::EDMADSTL);
    for (std::size_t n = 0; n < run.octets;
         ++n, source = next_in_fifo(source), destination = next_linear(destination)) {
      store(destination, memory_[source]);
    }
  }
  if (!run.ends) {
    dma_event_ = scheduler_.after(clock_period * static_cast<std::int64_t>(memory_size), [this] { finish_dma(); });
    return;
  }
  dma_event_ = {};
  tell({.kind = NicEvent::Kind::dma_ended});
  clear_bits(Reg::ECON1, ECON1::DMAST);
  raise(EIR::DMAIF);
  try_transmission();
}

// ECON1.DMAST was cleared by the host (12.1.6).
void Enc28j60::cancel_dma() {
  scheduler_.cancel(dma_event_);
  tell({.kind = NicEvent::Kind::dma_ended});
  raise(EIR::DMAIF);
  try_transmission();
}

// EBSTCON.BISTST rose: all memory is filled and summed at the rate of a DMA checksum (15.1).
void Enc28j60::start_self_test() {
  if (!is_set(Reg::EBSTCON, EBSTCON::TME)) {
    clear_bits(Reg::EBSTCON, EBSTCON::BISTST);
    return;
  }
  test_event_ = scheduler_.after(clock_period * static_cast<std::int64_t>(memory_size), [this] { finish_self_test(); });
}

void Enc28j60::finish_self_test() {
  test_event_ = {};
  const unsigned shift = cell(Reg::EBSTCON) >> 5;
  std::uint8_t pattern = cell(Reg::EBSTSD);
  Checksum checksum;
  for (std::size_t n = 0; n < memory_size; ++n) {
    const auto at = static_cast<Address>(n);
    switch (cell(Reg::EBSTCON) & EBSTCON::TMSEL) {
      case EBSTCON::TMSEL0:  // address fill (15.3)
        store(at, static_cast<std::uint8_t>(at));
        break;
      case EBSTCON::TMSEL1:  // pattern shift fill (15.4)
        store(at, pattern);
        pattern = static_cast<std::uint8_t>(pattern << shift | pattern >> (8 - shift));
        break;
      default:  // random data fill (15.2); the silicon's shift register is not published
        store(at, pattern);
        pattern = static_cast<std::uint8_t>(pattern << 1 | (std::popcount(pattern & 0xB8u) & 1));
        break;
    }
    checksum.add(memory_[at]);
  }
  set_pair(Reg::EBSTCSL, checksum.value());
  clear_bits(Reg::EBSTCON, EBSTCON::BISTST);
}

}  // namespace avrlan
