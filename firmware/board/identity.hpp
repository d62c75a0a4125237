#ifndef FIRMWARE_BOARD_IDENTITY_HPP
#define FIRMWARE_BOARD_IDENTITY_HPP
// The board's MAC address: the first six octets of its EEPROM, so that boards with the same image differ; when those are no
// address of a single station (an erased EEPROM reads FF, one that was filled with zeros 0), 02:41:56:52:4C:4E, which is locally administered.

#include <avr/eeprom.h>

#include "stack/base/address.hpp"

namespace board {

inline tcpip::MacAddress mac_address() {
  tcpip::MacAddress mac;
  eeprom_read_block(mac.octet, nullptr, sizeof mac.octet);
  if (mac.is_group() || mac.is_zero()) mac = tcpip::MacAddress{{0x02, 0x41, 0x56, 0x52, 0x4C, 0x4E}};
  return mac;
}

}  // namespace board

#endif
