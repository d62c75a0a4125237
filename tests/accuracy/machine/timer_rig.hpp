#pragma once
// The timers of a chip whose clock the test moves; no program.

#include <simavr/avr_ioport.h>
#include <simavr/sim_avr.h>

#include <memory>
#include <string>

#include "emulator/board/simavr_chip.hpp"
#include "emulator/peripherals/simavr_modules.hpp"
#include "emulator/peripherals/timers.hpp"
#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {

class TimerRig {
 public:
  explicit TimerRig(const std::string& name) : part(*cpu::find_mcu(name)) {
    // What a store and a load look like: STS at 0, OUT at 4, IN at 6, LDS at 8.
    const std::uint8_t code[] = {0x00, 0x93, 0, 0, 0x00, 0xb9, 0x10, 0xb1, 0x10, 0x91, 0, 0};
    chip.load_flash(code);
    gpio.reset();
    timers.reset();
  }

  Cycles cycle() const { return mcu.cycle(); }
  // The cycles go by, and everything that is due.
  void advance(std::int64_t cycles) {
    chip.avr().cycle += static_cast<avr_cycle_count_t>(cycles);
    scheduler.run_until(clock.at(cycle()));
  }
  void advance_to(Cycles when) { advance((when - cycle()).count); }
  // STS, which takes two cycles; OUT, which takes one.
  void sts(std::uint16_t address, std::uint8_t value) { store(address, value, 0, 2); }
  void out(std::uint16_t address, std::uint8_t value) { store(address, value, 4, 1); }
  // IN, as it would see the register now; no time goes by.
  std::uint8_t in(std::uint16_t address) {
    chip.avr().pc = 6;
    const auto& read = chip.avr().io[AVR_DATA_TO_IO(address)].r;
    return read.c != nullptr ? read.c(&chip.avr(), address, read.param) : mcu.data(address);
  }
  // LDS, likewise.
  std::uint8_t lds(std::uint16_t address) {
    chip.avr().pc = 8;
    const auto& read = chip.avr().io[AVR_DATA_TO_IO(address)].r;
    return read.c != nullptr ? read.c(&chip.avr(), address, read.param) : mcu.data(address);
  }
  unsigned in16(std::uint16_t low) {
    const unsigned value = in(low);
    return value | static_cast<unsigned>(in(static_cast<std::uint16_t>(low + 1))) << 8;
  }
  // The core enters the vector: the response's cycles, then the acknowledge.
  void enter(unsigned vector) {
    chip.avr().cycle += static_cast<avr_cycle_count_t>(response());
    interrupts.acknowledge(vector);
    scheduler.run_until(clock.at(cycle()));
  }
  // SBI DDRx: two cycles.
  void make_output(Pin pin) {
    for (auto* port : peripherals::simavr_modules<avr_ioport_t>(chip.avr(), "port")) {
      if (port->name == pin.port) sts(port->r_ddr, static_cast<std::uint8_t>(mcu.data(port->r_ddr) | 1U << pin.bit));
    }
  }
  int response() { return chip.avr().address_size + 2; }

  const cpu::Mcu& part;
  SimavrChip chip{part};
  Scheduler scheduler;
  McuClock clock{16'000'000};
  cpu::Interrupts interrupts;
  Diagnostics diagnostics;
  peripherals::CycleEvents events{scheduler, clock};
  peripherals::ClockDomains clocks;
  peripherals::McuContext mcu{chip.avr(), part, scheduler, clock, events, clocks, interrupts, &diagnostics};
  peripherals::Gpio gpio{mcu};
  peripherals::Timers timers{mcu, gpio};

 private:
  void store(std::uint16_t address, std::uint8_t value, avr_flashaddr_t pc, std::int64_t cycles) {
    chip.avr().pc = pc;
    const auto& write = chip.avr().io[AVR_DATA_TO_IO(address)].w;
    if (write.c != nullptr) {
      write.c(&chip.avr(), address, value, write.param);
    } else {
      mcu.data(address) = value;
    }
    advance(cycles);
  }
};

}  // namespace avrlan::testing
