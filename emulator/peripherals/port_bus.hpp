#pragma once
// A chip's ISA bus on ports, which the firmware works by hand. IORB and IOWB have pull-ups, so that the chip is left alone
// while they are inputs.
//
// Phase. The chip is read, and drives the data lines, from the falling edge of IORB to the rising one; it takes them at the
// rising edge of IOWB. It answers at once: Realtek gives no access time that we know of, and public drivers wait one NOP or
// two. What it drives passes PINx's synchroniser: with a store to PORTx that ends at cycle c, an IN that starts at c + 1 is
// the first to see it. Changes of the address lines during a strobe are not noticed.

#include <functional>

#include "emulator/board/port_bus_pins.hpp"
#include "emulator/peripherals/gpio.hpp"
#include "emulator/peripherals/mcu_context.hpp"
#include "nic-model/core/bus_device.hpp"

namespace avrlan::peripherals {

class PortBus {
 public:
  // The references must outlive the bus; call before the first instruction.
  PortBus(const McuContext& mcu, Gpio& gpio, const PortBusPins& pins, BusDevice& chip);
  PortBus(const PortBus&) = delete;
  PortBus& operator=(const PortBus&) = delete;

 private:
  void at_edge(std::function<void()> action);
  void start(bool& strobe);
  void read();
  void write();
  std::uint16_t address() const;
  void report(const char* code, std::string message) const;

  const McuContext& mcu_;
  Gpio& gpio_;
  const PortBusPins pins_;
  BusDevice& chip_;
  bool reading_ = false;
  bool writing_ = false;
};

}  // namespace avrlan::peripherals
