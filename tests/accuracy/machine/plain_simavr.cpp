#include "tests/accuracy/machine/plain_simavr.hpp"

#include <gtest/gtest.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>

#include <algorithm>
#include <cstdlib>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {

PlainSimavr::PlainSimavr(const std::string& program, const std::string& mcu) : firmware_(assembled(program)) {
  avr_global_logger_set([](avr_t*, const int, const char*, va_list) {});
  avr_ = avr_make_mcu_by_name(mcu.c_str());
  avr_init(avr_);
  avr_->frequency = 16'000'000;
  // The one thing left out: sleeping in wall-clock time.
  avr_->sleep = [](avr_t*, avr_cycle_count_t) {};
  std::uint32_t quiet = 0;
  avr_ioctl(avr_, AVR_IOCTL_UART_SET_FLAGS('0'), &quiet);
  std::copy(firmware_.flash.begin(), firmware_.flash.end(), avr_->flash);
  avr_irq_register_notify(
      avr_io_getirq(avr_, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT),
      [](avr_irq_t*, std::uint32_t, void* self) {
        auto& plain = *static_cast<PlainSimavr*>(self);
        plain.last_sent_ = Cycles{static_cast<std::int64_t>(plain.avr_->cycle)};
      },
      this);
}

PlainSimavr::~PlainSimavr() {
  for (unsigned i = 0; i < avr_->interrupts.vector_count; ++i) {
    avr_free_irq(avr_->interrupts.vector[i]->irq, AVR_INT_IRQ_COUNT);
  }
  avr_free_irq(avr_->interrupts.irq, AVR_INT_IRQ_COUNT);
  for (auto& io : avr_->io) avr_free_irq(io.irq, AVR_IOMEM_IRQ_ALL + 1);
  avr_terminate(avr_);
  std::free(avr_->irq_pool.irq);
  std::free(avr_);
}

Cycles PlainSimavr::run_to(const std::string& name) {
  return run_to_address(label(firmware_, name));
}

Cycles PlainSimavr::run_to_address(std::uint32_t address) {
  return run_until([&] { return avr_->pc == address; });
}

Cycles PlainSimavr::run_until(const std::function<bool()>& condition) {
  const avr_cycle_count_t give_up = avr_->cycle + 10'000'000;
  while (!condition()) {
    avr_run(avr_);
    if (avr_->cycle >= give_up || avr_->state == cpu_Done || avr_->state == cpu_Crashed) return Cycles::never();
  }
  return Cycles{static_cast<std::int64_t>(avr_->cycle)};
}

std::uint8_t PlainSimavr::peek(std::uint16_t data_address) const {
  return avr_->data[data_address];
}

}  // namespace avrlan::testing
