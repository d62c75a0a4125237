#include "emulator/peripherals/port_bus.hpp"

#include <fmt/format.h>

#include <utility>

namespace avrlan::peripherals {

namespace {

constexpr std::uint8_t all_pins = 0xFF;

}  // namespace

PortBus::PortBus(const McuContext& mcu, Gpio& gpio, const PortBusPins& pins, BusDevice& chip)
    : mcu_(mcu), gpio_(gpio), pins_(pins), chip_(chip) {
  gpio_.pull_up(pins_.read);
  gpio_.pull_up(pins_.write);
  gpio_.watch(pins_.read, [this](bool high) {
    at_edge([this, high] {
      if (!high) {
        read();
      } else if (std::exchange(reading_, false)) {
        gpio_.release(pins_.data, all_pins);
      }
    });
  });
  gpio_.watch(pins_.write, [this](bool high) {
    at_edge([this, high] {
      if (!high) {
        start(writing_);
      } else if (std::exchange(writing_, false)) {
        write();
      }
    });
  });
}

// A store is told of at the start of its instruction, and reaches the pin at its end.
void PortBus::at_edge(std::function<void()> action) {
  mcu_.scheduler.at(gpio_.changed_at(), [this, origin = mcu_.origin(), action = std::move(action)] {
    mcu_.act_for(origin);
    action();
    mcu_.act_for(std::nullopt);
  });
}

void PortBus::start(bool& strobe) {
  strobe = true;
  if (reading_ && writing_)
    report("bus-both-strobes",
           fmt::format("IORB ({}) and IOWB ({}) of the chip are low at the same time; end one access before the next.",
                       pins_.read.name(), pins_.write.name()));
}

void PortBus::read() {
  start(reading_);
  gpio_.drive(pins_.data, all_pins, chip_.read(address()));
}

void PortBus::write() {
  if (gpio_.outputs(pins_.data) != all_pins)
    report("bus-not-driven",
           fmt::format("IOWB ({}) rises while DDR{} does not have all data lines as outputs: the chip takes what "
                       "floats there; write DDR{} = 0xFF before, and keep it until IOWB is high.",
                       pins_.write.name(), pins_.data, pins_.data));
  chip_.write(address(), gpio_.levels(pins_.data));
}

std::uint16_t PortBus::address() const {
  constexpr unsigned lines = (1U << PortBusPins::address_lines) - 1;
  return static_cast<std::uint16_t>(pins_.base | (gpio_.levels(pins_.address.port) >> pins_.address.bit & lines));
}

void PortBus::report(const char* code, std::string message) const {
  if (mcu_.diagnostics != nullptr) mcu_.diagnostics->report({Severity::warning, code, std::move(message)});
}

}  // namespace avrlan::peripherals
