#pragma once
// What an MCU has, and how much of it is modelled: read off a machine, not written down beside it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct avr_t;

namespace avrlan::cpu {
struct Mcu;
}

namespace avrlan {

// Whose code has the registers of a peripheral. `simavr`: right in its registers, not in its cycles. `none`: bytes that
// nothing happens to.
enum class ModelledBy : std::uint8_t { ours, simavr, none };

// "ours", "simavr's", "not modelled".
std::string_view to_string(ModelledBy model);

struct PeripheralDescription {
  std::string name;  // "timer 0", "USART 1", "ADC", ...
  ModelledBy model;
};

struct TimerDescription {
  char name;
  unsigned bits;
  bool asynchronous;  // has a clock of its own: a crystal, or the PLL
  unsigned channels;  // output compare
  bool input_capture;
  ModelledBy model;
};

struct McuDescription {
  std::string name;
  std::string same_die;               // another name for it, or empty
  std::uint32_t flash, sram, eeprom;  // bytes
  std::uint32_t flash_page;
  unsigned pc_bits;
  bool external_memory;
  std::vector<TimerDescription> timers;
  std::string usarts;  // their numbers: "01"
  bool spi, twi, usb;
  unsigned adc_channels;
  std::vector<unsigned> external_interrupts;  // n of INTn
  unsigned pin_change_interrupts;             // pins
  std::vector<PeripheralDescription> peripherals;
};

// Of a machine that is complete.
McuDescription describe(avr_t& avr, const cpu::Mcu& mcu);

}  // namespace avrlan
