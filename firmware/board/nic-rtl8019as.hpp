#ifndef FIRMWARE_BOARD_NIC_RTL8019AS_HPP
#define FIRMWARE_BOARD_NIC_RTL8019AS_HPP
// The driver of a board's chip: an RTL8019AS on its external bus.

#include "firmware/board/bus.hpp"
#include "stack/drivers/rtl8019as.hpp"

#define BOARD_NIC_NAME "RTL8019AS"

namespace board {

using Nic = tcpip::Rtl8019as<Bus>;

}  // namespace board

#endif
