#ifndef FIRMWARE_BOARD_NIC_ENC28J60_HPP
#define FIRMWARE_BOARD_NIC_ENC28J60_HPP
// The driver of a board's chip: an ENC28J60 on its SPI.

#include "firmware/board/spi.hpp"
#include "stack/drivers/enc28j60.hpp"

#define BOARD_NIC_NAME "ENC28J60"

namespace board {

template <class Profile>
using Nic = tcpip::Enc28j60<Spi>;

}  // namespace board

#endif
