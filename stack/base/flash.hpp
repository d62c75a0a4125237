#ifndef TCPIP_BASE_FLASH_HPP
#define TCPIP_BASE_FLASH_HPP
// Constants that stay in program memory: on an AVR an ordinary literal or table takes RAM.
#ifdef __AVR__
#include <avr/pgmspace.h>
// Not FlashText{PSTR(literal)}: avr-g++ 5.4 loses the text of a PSTR inside braces.
#define TCPIP_TEXT(literal) (::tcpip::in_flash(PSTR(literal)))
#define TCPIP_FLASH PROGMEM
#else
#define TCPIP_TEXT(literal) (::tcpip::in_flash(literal))
#define TCPIP_FLASH
#endif
#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace tcpip {

// For constants declared TCPIP_FLASH.
inline void copy_from_flash(void* to, const void* from, size_t n) {
#ifdef __AVR__
  memcpy_P(to, from, n);
#else
  memcpy(to, from, n);
#endif
}
inline uint8_t octet_from_flash(const uint8_t* from) {
#ifdef __AVR__
  return pgm_read_byte(from);
#else
  return *from;
#endif
}

struct FlashText {
  const char* address;

  char operator[](unsigned i) const {
#ifdef __AVR__
    return static_cast<char>(pgm_read_byte(address + i));
#else
    return address[i];
#endif
  }
};

inline FlashText in_flash(const char* address) {
  return FlashText{address};
}

}  // namespace tcpip

#endif
