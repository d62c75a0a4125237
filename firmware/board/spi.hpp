#ifndef FIRMWARE_BOARD_SPI_HPP
#define FIRMWARE_BOARD_SPI_HPP
// The SPI unit as master at F_CPU / 2, mode 0, as the driver's Spi policy (stack/drivers/enc28j60.hpp).
//
// At F_CPU / 2 a byte takes 16 cycles. The block transfers do not wait for SPIF: they write SPDR every 18th cycle, which
// leaves two cycles to spare, and have their counting, loads, stores and sum done meanwhile. An interrupt can only make a
// byte last longer. When receiving, a byte is fetched just after the next one has been started, from the receive buffer
// that is separate from the shift register; those two instructions must stay together, so interrupts wait for them.

#include <avr/io.h>
#include <stdint.h>
#include <util/delay_basic.h>

namespace board {

class Spi {
 public:
  static void set_up() {
    nic::set_up_pins();
    SPCR = 1 << SPE | 1 << MSTR;
    SPSR = 1 << SPI2X;
  }

  [[gnu::always_inline]] static void select() { nic::select(); }
  [[gnu::always_inline]] static void deselect() { nic::deselect(); }

  static uint8_t exchange(uint8_t out) {
    SPDR = out;
    while (!(SPSR & 1 << SPIF)) {
    }
    return SPDR;
  }

  [[gnu::always_inline]] static uint8_t exchange(uint8_t first, uint8_t second);

  static uint16_t write_sum(uint8_t instruction, const void* from, uint16_t n, uint16_t sum);
  static uint16_t read_sum(uint8_t instruction, void* to, uint16_t n, uint16_t sum);
  static uint16_t skip_sum(uint8_t instruction, uint16_t n, uint16_t sum);

  // At most 65535 / (F_CPU / 4 MHz) microseconds.
  static void wait_us(uint16_t us) { _delay_loop_2(static_cast<uint16_t>(us * (F_CPU / 4000000UL))); }
};

// Adds %[octet] to the sum and turns the sum round, so that each octet is added at the same place: adding and exchanging the
// octets commute in ones' complement (RFC 1071 2.B). After an odd number of octets the sum has to be turned back. 6 cycles.
#define BOARD_SPI_ADD_AND_TURN     \
  "add %B[sum], %[octet] \n\t"     \
  "adc %A[sum], __zero_reg__ \n\t" \
  "adc %B[sum], __zero_reg__ \n\t" \
  "mov %[octet], %A[sum] \n\t"     \
  "mov %A[sum], %B[sum] \n\t"      \
  "mov %B[sum], %[octet] \n\t"
#define BOARD_SPI_WAIT_2 "rjmp .+0 \n\t"

// 15 cycles.
#define BOARD_SPI_WAIT_15 \
  "ldi %[octet], 5 \n\t"  \
  "0: dec %[octet] \n\t"  \
  "brne 0b \n\t"

inline uint8_t Spi::exchange(uint8_t first, uint8_t second) {
  uint8_t octet;
  __asm__ volatile(
      "out %[spdr], %[first] \n\t"        // 1
      BOARD_SPI_WAIT_15 BOARD_SPI_WAIT_2  // 17
      "out %[spdr], %[second] \n\t"       // 1
      BOARD_SPI_WAIT_15 BOARD_SPI_WAIT_2
      "nop \n\t"                      // 18
      "in __tmp_reg__, %[spsr] \n\t"  // 19 cycles after OUT: SPIF is set; this and the next line clear it
      "in %[octet], %[spdr] \n\t"
      : [octet] "=&d"(octet)
      : [first] "r"(first), [second] "r"(second), [spdr] "I"(_SFR_IO_ADDR(SPDR)), [spsr] "I"(_SFR_IO_ADDR(SPSR)));
  return octet;
}

inline uint16_t turned_back(uint16_t sum, uint16_t octets) {
  return octets & 1 ? static_cast<uint16_t>(sum << 8 | sum >> 8) : sum;
}

inline uint16_t Spi::write_sum(uint8_t instruction, const void* from, uint16_t n, uint16_t sum) {
  const uint8_t* p = static_cast<const uint8_t*>(from);
  uint16_t left = n;
  uint8_t octet;
  __asm__ volatile("out %[spdr], %[instruction] \n\t"  //
                   BOARD_SPI_WAIT_15                   // 15
                   "1: ld %[octet], %a[p]+ \n\t"       // 2
                   "out %[spdr], %[octet] \n\t"        // 1
                   BOARD_SPI_ADD_AND_TURN              // 6
                       BOARD_SPI_WAIT_2                // 2
                           BOARD_SPI_WAIT_2            // 2
                   "nop \n\t"                          // 1
                   "sbiw %[left], 1 \n\t"              // 2
                   "brne 1b \n\t"                      // 2: 18 cycles
                   BOARD_SPI_WAIT_2                    // the last byte
                       BOARD_SPI_WAIT_2                //
                   "in __tmp_reg__, %[spsr] \n\t"  // 19 cycles after OUT: SPIF is set; this and the next line clear it
                   "in __tmp_reg__, %[spdr] \n\t"
                   : [p] "+e"(p), [left] "+w"(left), [sum] "+r"(sum), [octet] "=&d"(octet)
                   : [instruction] "r"(instruction), [spdr] "I"(_SFR_IO_ADDR(SPDR)), [spsr] "I"(_SFR_IO_ADDR(SPSR))
                   : "memory");
  return turned_back(sum, n);
}

// Receives into %[octet], of which STORE, two cycles, does something.
#define BOARD_SPI_READ(STORE)                                                                    \
  "out %[spdr], %[instruction] \n\t" BOARD_SPI_WAIT_15 BOARD_SPI_WAIT_2                          \
  "out %[spdr], __zero_reg__ \n\t" /* the first byte */                                          \
      BOARD_SPI_WAIT_2 BOARD_SPI_WAIT_2 BOARD_SPI_WAIT_2 BOARD_SPI_WAIT_2                        \
  "rjmp 2f \n\t"                                                                                 \
  "1: cli \n\t"                    /* 1 */                                                       \
  "out %[spdr], __zero_reg__ \n\t" /* 1: the next byte */                                        \
  "in %[octet], %[spdr] \n\t"      /* 1: the byte before */                                      \
  "out __SREG__, %[flags] \n\t"    /* 1 */                                                       \
      STORE                        /* 2 */                                                       \
          BOARD_SPI_ADD_AND_TURN   /* 6 */                                                       \
  "2:" BOARD_SPI_WAIT_2            /* 2 */                                                       \
  "sbiw %[left], 1 \n\t"           /* 2 */                                                       \
  "brne 1b \n\t"                   /* 2: 18 cycles */                                            \
      BOARD_SPI_WAIT_2             /* the last byte */                                           \
          BOARD_SPI_WAIT_2                                                                       \
  "in __tmp_reg__, %[spsr] \n\t" /* 20 cycles after OUT: SPIF is set; the next line clears it */ \
  "in %[octet], %[spdr] \n\t" STORE BOARD_SPI_ADD_AND_TURN

inline uint16_t Spi::read_sum(uint8_t instruction, void* to, uint16_t n, uint16_t sum) {
  uint8_t* p = static_cast<uint8_t*>(to);
  uint16_t left = n;
  uint8_t octet;
  __asm__ volatile(BOARD_SPI_READ("st %a[p]+, %[octet] \n\t")
                   : [p] "+e"(p), [left] "+w"(left), [sum] "+r"(sum), [octet] "=&d"(octet)
                   : [instruction] "r"(instruction), [spdr] "I"(_SFR_IO_ADDR(SPDR)), [spsr] "I"(_SFR_IO_ADDR(SPSR)),
                     [flags] "r"(SREG)
                   : "memory");
  return turned_back(sum, n);
}

inline uint16_t Spi::skip_sum(uint8_t instruction, uint16_t n, uint16_t sum) {
  uint16_t left = n;
  uint8_t octet;
  __asm__ volatile(BOARD_SPI_READ(BOARD_SPI_WAIT_2)
                   : [left] "+w"(left), [sum] "+r"(sum), [octet] "=&d"(octet)
                   : [instruction] "r"(instruction), [spdr] "I"(_SFR_IO_ADDR(SPDR)), [spsr] "I"(_SFR_IO_ADDR(SPSR)),
                     [flags] "r"(SREG)
                   : "memory");
  return turned_back(sum, n);
}

#undef BOARD_SPI_WAIT_15
#undef BOARD_SPI_READ
#undef BOARD_SPI_WAIT_2
#undef BOARD_SPI_ADD_AND_TURN

using NicBus = Spi;

}  // namespace board

#endif
