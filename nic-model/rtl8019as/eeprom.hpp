#pragma once
// A 93C46 on the RTL8019AS's serial pins: 64 words of 16 bits. Realtek's specification has its layout: CONFIG1 to 4, station
// address, product number.
//
// Not modelled: write time (a write is done when CS falls, and DO says ready at once).

#include <array>
#include <cstdint>

#include "nic-model/core/frame.hpp"

namespace avrlan::rtl8019as {

class Eeprom93c46 {
 public:
  using Words = std::array<std::uint16_t, 64>;

  // As it leaves the factory.
  static Words blank();
  // CONFIG1 to 4 as a card in non-jumper mode has them at I/O 0x300, and a station address.
  static Words programmed(const MacAddress& mac);

  explicit Eeprom93c46(const Words& words) : words_(words) {}

  // The levels of CS, SK and DI; returns DO. DI is sampled, and DO changes, when SK rises.
  bool pins(bool cs, bool sk, bool di);
  const Words& words() const { return words_; }

 private:
  void clock(bool di);
  void finish();

  Words words_;
  bool cs_ = false, sk_ = false, out_ = true;
  bool enabled_ = false;     // EWEN
  bool started_ = false;     // the start bit has come
  unsigned bits_ = 0;        // after it
  std::uint32_t shift_ = 0;  // those bits
  bool reading_ = false;
  unsigned read_bit_ = 0;  // of the words from the address on
  unsigned address_ = 0;
};

}  // namespace avrlan::rtl8019as
