#pragma once
// What simavr's tables do not say about an MCU, and where they are wrong.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

struct avr_t;

namespace avrlan::cpu {

// Eight pins that share a pin-change interrupt and a mask register.
struct PinChangeGroup {
  std::uint16_t mask_register;  // PCMSKn
  std::uint8_t bit;             // PCIEn in PCICR and PCIFn in PCIFR
  unsigned vector;
  std::string_view pins;  // port and number of each bit's pin, from bit 0 on: "E0J0J1..."; ".." where there is none
};

// A port that has fewer than eight pins.
struct PartialPort {
  char port;
  std::uint8_t pins;
};

struct Mcu {
  std::string_view name;      // as avr-gcc's -mmcu names it
  std::string_view same_die;  // another name for the same silicon, or empty
  std::array<std::uint8_t, 3> signature;
  // SE, which makes SLEEP sleep: SMCR or MCUCR, as a data address, and its bit.
  std::uint16_t sleep_register;
  std::uint8_t sleep_enable;
  // SS, which can take an SPI master out of master mode.
  char spi_ss_port;
  std::uint8_t spi_ss_bit;
  std::span<const PartialPort> partial_ports;  // those that lack some
  std::span<const PinChangeGroup> pin_changes;
  std::string_view timers;  // their numbers
  std::uint16_t adc_pins;   // a bit for each ADCn, of the package that has most

  // The pins that the port has.
  std::uint8_t pins_of(char port) const;
};

// Every MCU that a Machine can be built with.
const std::vector<Mcu>& mcus();
// nullptr when there is none of that name.
const Mcu* find_mcu(std::string_view name);

// Puts right what is wrong in simavr 1.6's tables, after avr_init().
void correct_tables(avr_t& avr, const Mcu& mcu);

}  // namespace avrlan::cpu
