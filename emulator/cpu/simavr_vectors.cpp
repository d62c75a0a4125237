#include "emulator/cpu/simavr_vectors.hpp"

#include <simavr/sim_avr.h>

namespace avrlan::cpu {

namespace {

bool bit_set(const avr_t& avr, avr_regbit_t bit) {
  return (avr.data[bit.reg] >> bit.bit & bit.mask) != 0;
}

}  // namespace

SimavrVectors::SimavrVectors(avr_t& avr, Interrupts& interrupts) {
  for (unsigned i = 0; i < avr.interrupts.vector_count; ++i) {
    avr_int_vector_t& vector = *avr.interrupts.vector[i];
    if (interrupts.connected(vector.vector)) continue;
    Source& source = sources_.emplace_back(Source{avr, interrupts, vector});
    interrupts.connect(vector.vector, [&source] { source.acknowledge(); });
    avr_irq_register_notify(&vector.irq[AVR_INT_IRQ_PENDING], &Source::pending_changed, &source);
    for (const unsigned reg : {unsigned{vector.enable.reg}, unsigned{vector.raised.reg}}) {
      if (reg == 0) continue;
      avr_irq_register_notify(avr_iomem_getirq(&avr, static_cast<avr_io_addr_t>(reg), nullptr, AVR_IOMEM_IRQ_ALL),
                              &Source::register_accessed, &source);
    }
  }
}

void SimavrVectors::reset() {
  for (auto& source : sources_) {
    source.raised = false;
    source.update();
  }
}

void SimavrVectors::Source::update() {
  const bool flag = vector.raised.reg != 0 ? bit_set(avr, vector.raised) : raised;
  interrupts.request(vector.vector, flag && bit_set(avr, vector.enable));
}

// Clears `pending`, without which simavr would not raise the vector again, and the flag unless it is sticky.
void SimavrVectors::Source::acknowledge() {
  avr_clear_interrupt(&avr, &vector);
  avr.interrupts.pending.read = avr.interrupts.pending.write;
  update();
}

void SimavrVectors::Source::register_accessed(avr_irq_t*, std::uint32_t, void* source) {
  static_cast<Source*>(source)->update();
}

// simavr tells of a raise after the flag is set, and of a clear before the flag is cleared.
void SimavrVectors::Source::pending_changed(avr_irq_t*, std::uint32_t value, void* param) {
  auto& source = *static_cast<Source*>(param);
  source.raised = value != 0;
  if (value != 0 || source.vector.raise_sticky) {
    source.update();
  } else {
    source.interrupts.request(source.vector.vector, false);
  }
}

}  // namespace avrlan::cpu
