#ifndef FIRMWARE_BOARD_BUS_HPP
#define FIRMWARE_BOARD_BUS_HPP
// The RTL8019AS on the external bus, as the driver's Bus policy (stack/drivers/rtl8019as.hpp). The board has said where it
// is: nic::base.
//
// The block transfers add as they go, a word at a time, with the carry of each going into the next: at one wait state 8.5
// cycles an octet.

#include <stdint.h>

#include "firmware/board/bus_base.hpp"

namespace board {

class Bus : public BusBase {
 public:
  static void set_up() { nic::set_up_pins(); }

  [[gnu::always_inline]] static uint8_t read(uint8_t reg) { return registers()[reg]; }
  [[gnu::always_inline]] static void write(uint8_t reg, uint8_t value) { registers()[reg] = value; }

  static uint16_t write_sum(const void* from, uint16_t n, uint16_t sum);
  static uint16_t read_sum(void* to, uint16_t n, uint16_t sum);
  static uint16_t skip_sum(uint16_t n, uint16_t sum);

 private:
  static volatile uint8_t* registers() { return reinterpret_cast<volatile uint8_t*>(nic::base); }
};

// Moves %[words] words, at least one, by FIRST and SECOND, which leave the octets in %[high] and %[low] and the carry alone.
#define BOARD_BUS_WORDS(FIRST, SECOND) \
  "clc \n\t"                           \
  "1:" FIRST SECOND                    \
  "adc %A[sum], %[low] \n\t"           \
  "adc %B[sum], %[high] \n\t"          \
  "dec %[words] \n\t"                  \
  "brne 1b \n\t"                       \
  "adc %A[sum], __zero_reg__ \n\t"     \
  "adc %B[sum], __zero_reg__ \n\t"     \
  "adc %A[sum], __zero_reg__ \n\t"

inline uint16_t Bus::write_sum(const void* from, uint16_t n, uint16_t sum) {
  const uint8_t* p = static_cast<const uint8_t*>(from);
  for (uint16_t left = n >> 1; left != 0;) {
    uint8_t words = few(left), high, low;
    left = static_cast<uint16_t>(left - words);
    __asm__ volatile(BOARD_BUS_WORDS("ld %[high], %a[p]+ \n\t sts %[port], %[high] \n\t",
                                     "ld %[low], %a[p]+ \n\t sts %[port], %[low] \n\t")
                     : [p] "+e"(p), [words] "+r"(words), [sum] "+r"(sum), [high] "=&r"(high), [low] "=&r"(low)
                     : [port] "i"(nic::base + data_port)
                     : "memory");
  }
  if (!(n & 1)) return sum;
  write(data_port, *p);
  return add_high(sum, *p);
}

inline uint16_t Bus::read_sum(void* to, uint16_t n, uint16_t sum) {
  uint8_t* p = static_cast<uint8_t*>(to);
  for (uint16_t left = n >> 1; left != 0;) {
    uint8_t words = few(left), high, low;
    left = static_cast<uint16_t>(left - words);
    __asm__ volatile(BOARD_BUS_WORDS("lds %[high], %[port] \n\t st %a[p]+, %[high] \n\t",
                                     "lds %[low], %[port] \n\t st %a[p]+, %[low] \n\t")
                     : [p] "+e"(p), [words] "+r"(words), [sum] "+r"(sum), [high] "=&r"(high), [low] "=&r"(low)
                     : [port] "i"(nic::base + data_port)
                     : "memory");
  }
  if (!(n & 1)) return sum;
  *p = read(data_port);
  return add_high(sum, *p);
}

inline uint16_t Bus::skip_sum(uint16_t n, uint16_t sum) {
  for (uint16_t left = n >> 1; left != 0;) {
    uint8_t words = few(left), high, low;
    left = static_cast<uint16_t>(left - words);
    __asm__ volatile(BOARD_BUS_WORDS("lds %[high], %[port] \n\t", "lds %[low], %[port] \n\t")
                     : [words] "+r"(words), [sum] "+r"(sum), [high] "=&r"(high), [low] "=&r"(low)
                     : [port] "i"(nic::base + data_port));
  }
  return n & 1 ? add_high(sum, read(data_port)) : sum;
}

#undef BOARD_BUS_WORDS

using NicBus = Bus;

}  // namespace board

#endif
