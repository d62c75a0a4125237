#ifndef FIRMWARE_BOARD_PORT_BUS_HPP
#define FIRMWARE_BOARD_PORT_BUS_HPP
// The RTL8019AS on ports, as the driver's Bus policy (stack/drivers/rtl8019as.hpp). The board has said where it is: the data
// lines' BOARD_BUS_DATA_OUT, BOARD_BUS_DATA_IN and BOARD_BUS_DATA_DDR, and BOARD_BUS_CONTROL, the port of address lines and
// strobes, which is nic::idle(), nic::reading() or nic::writing() of a register.
//
// At 16 MHz a strobe lasts 125 ns or more, and a read has its data 94 ns after the strobe, as with public drivers. The block
// transfers add as they go, a word at a time, with the carry of each going into the next: 7.5 cycles an octet written, 8 read.

#include <avr/io.h>
#include <stdint.h>

#include "firmware/board/bus_base.hpp"

namespace board {

class Bus : public BusBase {
 public:
  static void set_up() { nic::set_up_pins(); }

  [[gnu::noinline]] static uint8_t read(uint8_t reg) {
    BOARD_BUS_CONTROL = nic::idle(reg);
    BOARD_BUS_CONTROL = nic::reading(reg);
    __asm__ volatile("nop \n\t nop");
    const uint8_t value = BOARD_BUS_DATA_IN;
    BOARD_BUS_CONTROL = nic::idle(reg);
    return value;
  }
  [[gnu::noinline]] static void write(uint8_t reg, uint8_t value) {
    BOARD_BUS_DATA_DDR = 0xFF;
    BOARD_BUS_CONTROL = nic::idle(reg);
    BOARD_BUS_DATA_OUT = value;
    BOARD_BUS_CONTROL = nic::writing(reg);
    __asm__ volatile("nop");
    BOARD_BUS_CONTROL = nic::idle(reg);
    BOARD_BUS_DATA_DDR = 0;
  }

  static uint16_t write_sum(const void* from, uint16_t n, uint16_t sum);
  static uint16_t read_sum(void* to, uint16_t n, uint16_t sum);
  static uint16_t skip_sum(uint16_t n, uint16_t sum);
};

// The carry of the last word, around the end.
#define BOARD_BUS_FOLD             \
  "adc %A[sum], __zero_reg__ \n\t" \
  "adc %B[sum], __zero_reg__ \n\t" \
  "adc %A[sum], __zero_reg__ \n\t"

// The operands of a strobe.
#define BOARD_BUS_STROBE(level) \
  [control] "I"(_SFR_IO_ADDR(BOARD_BUS_CONTROL)), [active] "r"(level(data_port)), [idle] "r"(nic::idle(data_port))

inline uint16_t Bus::write_sum(const void* from, uint16_t n, uint16_t sum) {
  const uint8_t* p = static_cast<const uint8_t*>(from);
  BOARD_BUS_DATA_DDR = 0xFF;
  BOARD_BUS_CONTROL = nic::idle(data_port);
  for (uint16_t left = n >> 1; left != 0;) {
    uint8_t words = few(left), high, low;
    left = static_cast<uint16_t>(left - words);
    __asm__ volatile(
        "clc \n\t"
        "1: ld %[high], %a[p]+ \n\t"
        "out %[data], %[high] \n\t"
        "out %[control], %[active] \n\t"
        "ld %[low], %a[p]+ \n\t"
        "out %[control], %[idle] \n\t"
        "out %[data], %[low] \n\t"
        "out %[control], %[active] \n\t"
        "adc %A[sum], %[low] \n\t"
        "out %[control], %[idle] \n\t"
        "adc %B[sum], %[high] \n\t"
        "dec %[words] \n\t"
        "brne 1b \n\t" BOARD_BUS_FOLD
        : [p] "+e"(p), [words] "+r"(words), [sum] "+r"(sum), [high] "=&r"(high), [low] "=&r"(low)
        : [data] "I"(_SFR_IO_ADDR(BOARD_BUS_DATA_OUT)), BOARD_BUS_STROBE(nic::writing)
        : "memory");
  }
  if (n & 1) {
    write(data_port, *p);
    sum = add_high(sum, *p);
  }
  BOARD_BUS_DATA_DDR = 0;
  return sum;
}

// Reads %[words] words, at least one, and lets KEEP_HIGH and KEEP_LOW, which leave the flags alone, have the octets. A word
// is added while the next one's strobe lasts.
#define BOARD_BUS_READ_WORDS(KEEP_HIGH, KEEP_LOW) \
  "clr %[low] \n\t"                               \
  "clr %[high] \n\t"                              \
  "clc \n\t"                                      \
  "1: out %[control], %[active] \n\t"             \
  "adc %A[sum], %[low] \n\t"                      \
  "adc %B[sum], %[high] \n\t"                     \
  "in %[high], %[data] \n\t"                      \
  "out %[control], %[idle] \n\t" KEEP_HIGH        \
  "out %[control], %[active] \n\t"                \
  "dec %[words] \n\t"                             \
  "nop \n\t"                                      \
  "in %[low], %[data] \n\t"                       \
  "out %[control], %[idle] \n\t" KEEP_LOW         \
  "brne 1b \n\t"                                  \
  "adc %A[sum], %[low] \n\t"                      \
  "adc %B[sum], %[high] \n\t" BOARD_BUS_FOLD

inline uint16_t Bus::read_sum(void* to, uint16_t n, uint16_t sum) {
  uint8_t* p = static_cast<uint8_t*>(to);
  BOARD_BUS_CONTROL = nic::idle(data_port);
  for (uint16_t left = n >> 1; left != 0;) {
    uint8_t words = few(left), high, low;
    left = static_cast<uint16_t>(left - words);
    __asm__ volatile(BOARD_BUS_READ_WORDS("st %a[p]+, %[high] \n\t", "st %a[p]+, %[low] \n\t")
                     : [p] "+e"(p), [words] "+r"(words), [sum] "+r"(sum), [high] "=&r"(high), [low] "=&r"(low)
                     : [data] "I"(_SFR_IO_ADDR(BOARD_BUS_DATA_IN)), BOARD_BUS_STROBE(nic::reading)
                     : "memory");
  }
  if (!(n & 1)) return sum;
  *p = read(data_port);
  return add_high(sum, *p);
}

inline uint16_t Bus::skip_sum(uint16_t n, uint16_t sum) {
  BOARD_BUS_CONTROL = nic::idle(data_port);
  for (uint16_t left = n >> 1; left != 0;) {
    uint8_t words = few(left), high, low;
    left = static_cast<uint16_t>(left - words);
    __asm__ volatile(BOARD_BUS_READ_WORDS("nop \n\t", "nop \n\t")
                     : [words] "+r"(words), [sum] "+r"(sum), [high] "=&r"(high), [low] "=&r"(low)
                     : [data] "I"(_SFR_IO_ADDR(BOARD_BUS_DATA_IN)), BOARD_BUS_STROBE(nic::reading));
  }
  return n & 1 ? add_high(sum, read(data_port)) : sum;
}

#undef BOARD_BUS_READ_WORDS
#undef BOARD_BUS_STROBE
#undef BOARD_BUS_FOLD

using NicBus = Bus;

}  // namespace board

#endif
