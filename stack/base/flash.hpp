#ifndef TCPIP_BASE_FLASH_HPP
#define TCPIP_BASE_FLASH_HPP
// Text that stays in program memory: on an AVR an ordinary literal takes RAM.
#ifdef __AVR__
#include <avr/pgmspace.h>
// Not FlashText{PSTR(literal)}: avr-g++ 5.4 loses the text of a PSTR inside braces.
#define TCPIP_TEXT(literal) (::tcpip::in_flash(PSTR(literal)))
#else
#define TCPIP_TEXT(literal) (::tcpip::in_flash(literal))
#endif

namespace tcpip {

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
