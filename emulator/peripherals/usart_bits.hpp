#pragma once
// The bits of the USART's control registers, ATmega328P datasheet, "USART0 - Register Description".

#include <cstdint>

namespace avrlan::peripherals {

// UCSRnA
inline constexpr std::uint8_t RXC = 0x80;
inline constexpr std::uint8_t TXC = 0x40;
inline constexpr std::uint8_t UDRE = 0x20;
inline constexpr std::uint8_t FE = 0x10;
inline constexpr std::uint8_t DOR = 0x08;
inline constexpr std::uint8_t UPE = 0x04;
inline constexpr std::uint8_t U2X = 0x02;
inline constexpr std::uint8_t MPCM = 0x01;
// UCSRnB
inline constexpr std::uint8_t RXCIE = 0x80;
inline constexpr std::uint8_t TXCIE = 0x40;
inline constexpr std::uint8_t UDRIE = 0x20;
inline constexpr std::uint8_t RXEN = 0x10;
inline constexpr std::uint8_t TXEN = 0x08;
inline constexpr std::uint8_t UCSZ2 = 0x04;
inline constexpr std::uint8_t RXB8 = 0x02;
inline constexpr std::uint8_t TXB8 = 0x01;
// UCSRnC; bit 7 is URSEL on the ATmega8, 16 and 32
inline constexpr std::uint8_t UMSEL1 = 0x80;
inline constexpr std::uint8_t URSEL = 0x80;
inline constexpr std::uint8_t UMSEL0 = 0x40;
inline constexpr std::uint8_t UPM1 = 0x20;
inline constexpr std::uint8_t UPM0 = 0x10;
inline constexpr std::uint8_t USBS = 0x08;
inline constexpr std::uint8_t UCSZ1 = 0x04;
inline constexpr std::uint8_t UCSZ0 = 0x02;
inline constexpr std::uint8_t UCPOL = 0x01;
// UCSRnC in SPI mode
inline constexpr std::uint8_t UDORD = 0x04;
inline constexpr std::uint8_t UCPHA = 0x02;

}  // namespace avrlan::peripherals
