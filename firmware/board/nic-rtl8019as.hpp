#ifndef FIRMWARE_BOARD_NIC_RTL8019AS_HPP
#define FIRMWARE_BOARD_NIC_RTL8019AS_HPP
// The driver of a board's chip: an RTL8019AS on its bus, external or on ports.

#include BOARD_NIC_BUS

#include "stack/drivers/rtl8019as.hpp"

#define BOARD_NIC_NAME "RTL8019AS"

namespace board {

// The board has said where the store is. There it takes nothing from the ring, which has three frames of the greatest length.
template <class Profile>
using Nic = tcpip::Rtl8019as<Bus, nic::Store::size, 0, nic::Store>;

}  // namespace board

#endif
