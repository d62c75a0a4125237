#ifndef TCPIP_DRIVERS_ENC28J60_REGISTERS_HPP
#define TCPIP_DRIVERS_ENC28J60_REGISTERS_HPP
// The ENC28J60's registers, bits and SPI instructions as far as the driver uses them (data sheet DS39662E).

#include <stdint.h>

namespace tcpip {
namespace enc28j60 {

// A register in one octet: bit 7 says that it belongs to MAC or MII and is read with a dummy byte (DS 4.2.1), bits 6:5
// are the bank, bits 4:0 the address (DS table 3-1).
constexpr uint8_t eth(uint8_t bank, uint8_t address) {
  return static_cast<uint8_t>(bank << 5 | address);
}
constexpr uint8_t mac(uint8_t bank, uint8_t address) {
  return static_cast<uint8_t>(0x80 | bank << 5 | address);
}

// A base class, so that the driver and nobody else sees the bare names.
struct Names {
  enum : uint8_t { mac_or_mii = 0x80, bank_bits = 0x60, address_bits = 0x1F, first_in_all_banks = 0x1B };

  // The name of a pair stands for its low byte; the high byte follows.
  enum Register : uint8_t {
    ERDPT = eth(0, 0x00),
    EWRPT = eth(0, 0x02),
    ETXST = eth(0, 0x04),
    ETXND = eth(0, 0x06),
    ERXST = eth(0, 0x08),
    ERXND = eth(0, 0x0A),
    ERXRDPT = eth(0, 0x0C),
    ERXWRPT = eth(0, 0x0E),
    EDMAST = eth(0, 0x10),
    EDMAND = eth(0, 0x12),
    EDMADST = eth(0, 0x14),
    EIE = eth(0, 0x1B),
    EIR = eth(0, 0x1C),
    ESTAT = eth(0, 0x1D),
    ECON2 = eth(0, 0x1E),
    ECON1 = eth(0, 0x1F),
    EHT0 = eth(1, 0x00),
    ERXFCON = eth(1, 0x18),
    EPKTCNT = eth(1, 0x19),
    MACON1 = mac(2, 0x00),
    MACON3 = mac(2, 0x02),
    MACON4 = mac(2, 0x03),
    MABBIPG = mac(2, 0x04),
    MAIPG = mac(2, 0x06),
    MAMXFL = mac(2, 0x0A),
    MICMD = mac(2, 0x12),
    MIREGADR = mac(2, 0x14),
    MIWR = mac(2, 0x16),
    MIRD = mac(2, 0x18),
    MAADR5 = mac(3, 0x00),
    MAADR6 = mac(3, 0x01),
    MAADR3 = mac(3, 0x02),
    MAADR4 = mac(3, 0x03),
    MAADR1 = mac(3, 0x04),
    MAADR2 = mac(3, 0x05),
    MISTAT = mac(3, 0x0A),
    EREVID = eth(3, 0x12),
  };

  enum PhyRegister : uint8_t { PHCON1 = 0x00, PHCON2 = 0x10, PHSTAT2 = 0x11, PHLCON = 0x14 };
  enum PhyBits : uint16_t { HDLDIS = 0x0100, LSTAT = 0x0400 };

  // DS table 4-1. RBM, WBM and SRC are whole bytes, the others take an address.
  enum Instruction : uint8_t { RCR = 0x00, RBM = 0x3A, WCR = 0x40, WBM = 0x7A, BFS = 0x80, BFC = 0xA0, SRC = 0xFF };

  enum EieBits : uint8_t { INTIE = 0x80, PKTIE = 0x40 };
  enum EirBits : uint8_t { TXIF = 0x08, TXERIF = 0x02, RXERIF = 0x01 };
  enum EstatBits : uint8_t { BUFER = 0x40, RXBUSY = 0x04 };
  enum Econ2Bits : uint8_t { PKTDEC = 0x40, PWRSV = 0x20 };
  enum Econ1Bits : uint8_t { TXRST = 0x80, RXRST = 0x40, DMAST = 0x20, CSUMEN = 0x10, TXRTS = 0x08, RXEN = 0x04 };
  enum ErxfconBits : uint8_t { UCEN = 0x80, CRCEN = 0x20, HTEN = 0x04, BCEN = 0x01 };
  enum Macon1Bits : uint8_t { MARXEN = 0x01 };
  enum Macon3Bits : uint8_t { PADCFG0 = 0x20, TXCRCEN = 0x10, FRMLNEN = 0x02 };
  enum Macon4Bits : uint8_t { DEFER = 0x40 };
  enum MicmdBits : uint8_t { MIIRD = 0x01 };
  enum MistatBits : uint8_t { BUSY = 0x01 };

  // Bit 23 of the receive status vector (DS table 7-3), bit 29 of the transmit status vector (DS table 7-1), each in
  // its octet.
  enum StatusVectorBits : uint8_t { received_ok = 0x80, late_collision = 0x20 };
};

}  // namespace enc28j60
}  // namespace tcpip

#endif
