// The DMA controller, DS39662E 13.0.

#include "nic-model/enc28j60/enc28j60.hpp"

namespace avrlan {

using namespace enc28j60;

namespace {

constexpr Duration clock_period = Duration::nanoseconds(40);  // of 25 MHz

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
void Enc28j60::start_dma() {
  if (outgoing_) return;
  const DmaRun run = dma_run();
  const bool checksum = is_set(Reg::ECON1, ECON1::CSUMEN);
  if (!run.ends) {
    report(Severity::warning, "enc28j60-dma-never-ends",
           "the DMA's source pointer cannot end at EDMAND: one octet, or an end that the wrap at ERXND jumps over; a "
           "copy overwrites all memory (13.0)");
  }
  if (checksum && receiving_) abort_reception();
  const Duration each = clock_period * (checksum ? 1 : 2);
  dma_event_ = scheduler_.after(each * static_cast<std::int64_t>(run.octets), [this] { finish_dma(); });
}

void Enc28j60::finish_dma() {
  const DmaRun run = dma_run();
  Address source = pair(Reg::EDMASTL);
  if (is_set(Reg::ECON1, ECON1::CSUMEN)) {
    std::uint32_t sum = 0;
    for (std::size_t n = 0; n < run.octets; ++n, source = next_in_fifo(source)) {
      sum += n % 2 == 0 ? std::uint32_t{memory_[source]} << 8 : std::uint32_t{memory_[source]};
    }
    while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
    if (run.ends) set_pair(Reg::EDMACSL, static_cast<std::uint16_t>(~sum));
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
  clear_bits(Reg::ECON1, ECON1::DMAST);
  raise(EIR::DMAIF);
  if (is_set(Reg::ECON1, ECON1::TXRTS) && !outgoing_) start_transmission();
}

// ECON1.DMAST was cleared by the host (12.1.6).
void Enc28j60::cancel_dma() {
  scheduler_.cancel(dma_event_);
  raise(EIR::DMAIF);
  if (is_set(Reg::ECON1, ECON1::TXRTS) && !outgoing_) start_transmission();
}

}  // namespace avrlan
