#ifndef FIRMWARE_BOARD_BOARD_HPP
#define FIRMWARE_BOARD_BOARD_HPP
// What an image uses of its board. An image is one translation unit that includes this once.

#include AVRLAN_BOARD

#include <avr/interrupt.h>
#include <avr/sleep.h>

// An image that serves the chip's interrupt defines BOARD_NIC_HANDLER and then ISR(BOARD_NIC_VECT). Otherwise the interrupt
// just wakes the sleeping MCU, and the main loop looks what there is.
#ifndef BOARD_NIC_HANDLER
EMPTY_INTERRUPT(BOARD_NIC_VECT)
#endif

#include "firmware/board/clock.hpp"
#include "firmware/board/entropy.hpp"
#include "firmware/board/memory.hpp"

#include BOARD_NIC_BUS

#include "firmware/board/uart.hpp"

namespace board {

// Starts everything, with interrupts on.
inline void set_up() {
  Entropy::set_up(Memory::survey());
  NicBus::set_up();
  Uart::set_up();
  Clock::set_up();
#ifdef SMCR
  SMCR = 1 << SE;  // SLEEP means idle mode: timers, SPI and USART run on
#else
  MCUCR |= 1 << SE;
#endif
  sei();
}

// For main to return: lets the UART finish, since the MCU stops when main has returned.
inline int finish(int status) {
  Uart::flush();
  return status;
}

// Sleeps until the next interrupt: the millisecond's, or the Ethernet chip's. Returns at once while a frame waits. No
// wake-up is lost between the look and the sleep, since the instruction after SEI is executed before any interrupt.
inline void idle() {
  cli();
  if (nic::calls()) {
    sei();
    return;
  }
  sei();
  sleep_cpu();
}

}  // namespace board

#endif
