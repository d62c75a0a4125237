#ifndef TCPIP_DRIVERS_RTL8019AS_REGISTERS_HPP
#define TCPIP_DRIVERS_RTL8019AS_REGISTERS_HPP
// The RTL8019AS's registers and bits as far as the driver uses them: offsets from its I/O base.

#include <stdint.h>

namespace tcpip {
namespace rtl8019as {

// A base class, so that the driver and nobody else sees the bare names.
struct Names {
  enum Register : uint8_t {
    CR = 0x00,
    data_port = 0x10,
    reset_port = 0x1F,
    // page 0
    PSTART = 0x01,
    PSTOP = 0x02,
    BNRY = 0x03,
    TPSR = 0x04,
    TSR = 0x04,  // read
    TBCR0 = 0x05,
    TBCR1 = 0x06,
    ISR = 0x07,
    RSAR0 = 0x08,
    RSAR1 = 0x09,
    RBCR0 = 0x0A,
    RBCR1 = 0x0B,
    ID0 = 0x0A,  // read
    ID1 = 0x0B,  // read
    RCR = 0x0C,
    TCR = 0x0D,
    DCR = 0x0E,
    IMR = 0x0F,
    // page 1
    PAR0 = 0x01,
    CURR = 0x07,
    MAR0 = 0x08,
    // page 3
    R9346CR = 0x01,
    CONFIG0 = 0x03,
    CONFIG3 = 0x06
  };

  enum CrBits : uint8_t {
    page_1 = 0x40,
    page_3 = 0xC0,
    no_dma = 0x20,
    remote_write = 0x10,
    remote_read = 0x08,
    TXP = 0x04,
    STA = 0x02,
    STP = 0x01
  };
  enum IsrBits : uint8_t { RST = 0x80, OVW = 0x10, TXE = 0x08, PTX = 0x02, PRX = 0x01 };
  enum RcrBits : uint8_t { MON = 0x20, AM = 0x08, AB = 0x04 };
  enum TcrBits : uint8_t { loopback = 0x02 };
  enum DcrBits : uint8_t { fifo_8_octets = 0x40, no_loopback = 0x08 };  // FT1, LS
  enum TsrBits : uint8_t { ABT = 0x08 };
  enum R9346crBits : uint8_t { config_write = 0xC0 };  // EEM
  enum Config0Bits : uint8_t { BNC = 0x04 };
  enum Config3Bits : uint8_t { LEDS0 = 0x10 };
  enum HeaderBits : uint8_t { received_ok = 0x01 };  // PRX of a frame's status
};

}  // namespace rtl8019as
}  // namespace tcpip

#endif
