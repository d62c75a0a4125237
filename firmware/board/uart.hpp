#ifndef FIRMWARE_BOARD_UART_HPP
#define FIRMWARE_BOARD_UART_HPP
// USART 0, transmit only, 115200 baud 8N1 (117647 at 16 MHz: 2.1 % fast, as on every Arduino). Each character waits for
// room in the transmit register, so printing takes 85 us a character.

#include <avr/io.h>
#include <avr/pgmspace.h>
#include <stdint.h>

namespace board {

class Uart {
 public:
  static void set_up() {
#ifdef UBRR0
    UBRR0 = F_CPU / 8 / 115200 - 1;
#else
    UBRR0L = F_CPU / 8 / 115200 - 1;
#endif
    UCSR0C = 1 << UCSZ01 | 1 << UCSZ00;
    UCSR0A = 1 << U2X0;
    UCSR0B = 1 << TXEN0;
  }

  static void put(char c) {
    while (!(UCSR0A & 1 << UDRE0)) {
    }
    UDR0 = static_cast<uint8_t>(c);
    UCSR0A = 1 << U2X0 | 1 << TXC0;  // TXC0 again says that everything has left
  }

  // `text` is in flash: PSTR("...").
  static void print(const char* text) {
    while (const char c = static_cast<char>(pgm_read_byte(text++))) put(c);
  }

  static void print(uint32_t number) {
    char digits[10];
    uint8_t n = 0;
    do {
      digits[n++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    while (n != 0) put(digits[--n]);
  }

  // Waits for the last bit of the last character. Only after put(). To be called before main returns, since that stops the
  // MCU.
  static void flush() {
    while (!(UCSR0A & 1 << TXC0)) {
    }
  }
};

}  // namespace board

#endif
