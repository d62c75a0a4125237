#pragma once
// The ENC28J60's registers: DS39662E tables 3-1 to 3-3. Names and bits as printed there.

#include <cstdint>
#include <string_view>

#include "nic-model/core/register_map.hpp"

namespace avrlan::enc28j60 {

// How a register answers an RCR: MAC and MII registers send a dummy byte first (4.2.1).
enum class Kind : std::uint8_t { eth, mac, mii };

// A register by its place: bank << 5 | address; those of all banks by their address alone.
enum class Reg : std::uint8_t {
  ERDPTL = 0x00,
  ERDPTH,
  EWRPTL,
  EWRPTH,
  ETXSTL,
  ETXSTH,
  ETXNDL,
  ETXNDH,
  ERXSTL,
  ERXSTH,
  ERXNDL,
  ERXNDH,
  ERXRDPTL,
  ERXRDPTH,
  ERXWRPTL,
  ERXWRPTH,
  EDMASTL,
  EDMASTH,
  EDMANDL,
  EDMANDH,
  EDMADSTL,
  EDMADSTH,
  EDMACSL,
  EDMACSH,
  EIE = 0x1B,
  EIR,
  ESTAT,
  ECON2,
  ECON1,
  EHT0 = 0x20,
  EPMM0 = 0x28,
  EPMCSL = 0x30,
  EPMCSH,
  EPMOL = 0x34,
  EPMOH,
  ERXFCON = 0x38,
  EPKTCNT,
  MACON1 = 0x40,
  MACON3 = 0x42,
  MACON4,
  MABBIPG,
  MAIPGL = 0x46,
  MAIPGH,
  MACLCON1,
  MACLCON2,
  MAMXFLL,
  MAMXFLH,
  MICMD = 0x52,
  MIREGADR = 0x54,
  MIWRL = 0x56,
  MIWRH,
  MIRDL,
  MIRDH,
  MAADR5 = 0x60,
  MAADR6,
  MAADR3,
  MAADR4,
  MAADR1,
  MAADR2,
  EBSTSD,
  EBSTCON,
  EBSTCSL,
  EBSTCSH,
  MISTAT,
  EREVID = 0x72,
  ECOCON = 0x75,
  EFLOCON = 0x77,
  EPAUSL,
  EPAUSH,
};

constexpr std::uint8_t first_common_address = 0x1B;
constexpr std::uint8_t do_not_touch_address = 0x1A;  // in every bank (3.1)

constexpr Reg reg_at(unsigned bank, unsigned address) {
  return static_cast<Reg>(address >= first_common_address ? address : bank << 5 | address);
}

// The high byte's register of a pair, the n-th of a block.
constexpr Reg operator+(Reg reg, unsigned n) {
  return static_cast<Reg>(static_cast<unsigned>(reg) + n);
}

namespace EIE {
inline constexpr std::uint8_t INTIE = 0x80, PKTIE = 0x40, DMAIE = 0x20, LINKIE = 0x10, TXIE = 0x08, TXERIE = 0x02,
                              RXERIE = 0x01;
}
namespace EIR {
inline constexpr std::uint8_t PKTIF = 0x40, DMAIF = 0x20, LINKIF = 0x10, TXIF = 0x08, TXERIF = 0x02, RXERIF = 0x01;
}
namespace ESTAT {
inline constexpr std::uint8_t INT = 0x80, BUFER = 0x40, LATECOL = 0x10, RXBUSY = 0x04, TXABRT = 0x02, CLKRDY = 0x01;
}
namespace ECON2 {
inline constexpr std::uint8_t AUTOINC = 0x80, PKTDEC = 0x40, PWRSV = 0x20, VRPS = 0x08;
}
namespace ECON1 {
inline constexpr std::uint8_t TXRST = 0x80, RXRST = 0x40, DMAST = 0x20, CSUMEN = 0x10, TXRTS = 0x08, RXEN = 0x04,
                              BSEL = 0x03;
}
namespace ERXFCON {
inline constexpr std::uint8_t UCEN = 0x80, ANDOR = 0x40, CRCEN = 0x20, PMEN = 0x10, MPEN = 0x08, HTEN = 0x04,
                              MCEN = 0x02, BCEN = 0x01;
}
namespace MACON1 {
inline constexpr std::uint8_t TXPAUS = 0x08, RXPAUS = 0x04, PASSALL = 0x02, MARXEN = 0x01;
}
namespace MACON3 {
inline constexpr std::uint8_t PADCFG = 0xE0, PADCFG2 = 0x80, PADCFG1 = 0x40, PADCFG0 = 0x20, TXCRCEN = 0x10,
                              PHDREN = 0x08, HFRMEN = 0x04, FRMLNEN = 0x02, FULDPX = 0x01;
}
namespace MACON4 {
inline constexpr std::uint8_t DEFER = 0x40, BPEN = 0x20, NOBKOFF = 0x10;
}
namespace MICMD {
inline constexpr std::uint8_t MIISCAN = 0x02, MIIRD = 0x01;
}
namespace MISTAT {
inline constexpr std::uint8_t NVALID = 0x04, SCAN = 0x02, BUSY = 0x01;
}
namespace EBSTCON {
inline constexpr std::uint8_t PSV = 0xE0, PSEL = 0x10, TMSEL = 0x0C, TMSEL1 = 0x08, TMSEL0 = 0x04, TME = 0x02,
                              BISTST = 0x01;
}
namespace EFLOCON {
inline constexpr std::uint8_t FULDPXS = 0x04, FCEN = 0x03;
}

// Registers of the PHY, 16 bits each, behind MIREGADR.
enum class Phy : std::uint8_t {
  PHCON1 = 0x00,
  PHSTAT1 = 0x01,
  PHID1 = 0x02,
  PHID2 = 0x03,
  PHCON2 = 0x10,
  PHSTAT2 = 0x11,
  PHIE = 0x12,
  PHIR = 0x13,
  PHLCON = 0x14,
};

namespace PHCON1 {
inline constexpr std::uint16_t PRST = 0x8000, PLOOPBK = 0x4000, PPWRSV = 0x0800, PDPXMD = 0x0100;
}
namespace PHSTAT1 {
inline constexpr std::uint16_t PFDPX = 0x1000, PHDPX = 0x0800, LLSTAT = 0x0004, JBSTAT = 0x0002;
}
namespace PHCON2 {
inline constexpr std::uint16_t FRCLNK = 0x4000, TXDIS = 0x2000, JABBER = 0x0400, HDLDIS = 0x0100;
}
namespace PHSTAT2 {
inline constexpr std::uint16_t TXSTAT = 0x2000, RXSTAT = 0x1000, COLSTAT = 0x0800, LSTAT = 0x0400, DPXSTAT = 0x0200,
                               PLRITY = 0x0020;
}
namespace PHIE {
inline constexpr std::uint16_t PLNKIE = 0x0010, PGEIE = 0x0002;
}
namespace PHIR {
inline constexpr std::uint16_t PLNKIF = 0x0010, PGIF = 0x0004;
}

namespace PHLCON {
inline constexpr std::uint16_t LACFG = 0x0F00, LBCFG = 0x00F0, LFRQ = 0x000C, STRCH = 0x0002;
}

// The receive status vector, bit numbers of its 32 (table 7-3).
namespace RSV {
inline constexpr unsigned LongEvent = 16, CarrierEvent = 18, CrcError = 20, LengthCheckError = 21,
                          LengthOutOfRange = 22, ReceivedOk = 23, Multicast = 24, Broadcast = 25, DribbleNibble = 26,
                          ControlFrame = 27, PauseControlFrame = 28, UnknownOpcode = 29, VlanTypeDetected = 30;
}
// The transmit status vector, bit numbers of its 56 (table 7-1).
namespace TSV {
inline constexpr unsigned CollisionCount = 16, CrcError = 20, LengthCheckError = 21, LengthOutOfRange = 22, Done = 23,
                          Multicast = 24, Broadcast = 25, PacketDefer = 26, ExcessiveDefer = 27,
                          ExcessiveCollision = 28, LateCollision = 29, Giant = 30, TotalBytesOnWire = 32,
                          ControlFrame = 48, PauseControlFrame = 49, BackpressureApplied = 50, VlanTagged = 51;
inline constexpr unsigned octets = 7;
}  // namespace TSV
// The per packet control byte (figure 7-1).
namespace Control {
inline constexpr std::uint8_t PHUGEEN = 0x08, PPADEN = 0x04, PCRCEN = 0x02, POVERRIDE = 0x01;
}

using Row = RegisterRow<Kind>;

// Bank, address, reset, writable, clearable, reserved. Bits that status logic drives are neither writable nor clearable.
inline constexpr Row register_rows[] = {
    {"EIE", all_banks, 0x1B, 0x00, 0xFB, 0x00, 0x04, Kind::eth, "12.0"},
    {"EIR", all_banks, 0x1C, 0x00, 0x00, 0x2B, 0x04, Kind::eth, "12.0"},
    {"ESTAT", all_banks, 0x1D, 0x00, 0x00, 0x52, 0x20, Kind::eth, "12.0"},
    {"ECON2", all_banks, 0x1E, 0x80, 0xE8, 0x00, 0x10, Kind::eth, "3.1.2"},
    {"ECON1", all_banks, 0x1F, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "3.1.1"},

    {"ERDPTL", 0, 0x00, 0xFA, 0xFF, 0x00, 0x00, Kind::eth, "3.2.3"},
    {"ERDPTH", 0, 0x01, 0x05, 0x1F, 0x00, 0x00, Kind::eth, "3.2.3"},
    {"EWRPTL", 0, 0x02, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "3.2.3"},
    {"EWRPTH", 0, 0x03, 0x00, 0x1F, 0x00, 0x00, Kind::eth, "3.2.3"},
    {"ETXSTL", 0, 0x04, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "7.1"},
    {"ETXSTH", 0, 0x05, 0x00, 0x1F, 0x00, 0x00, Kind::eth, "7.1"},
    {"ETXNDL", 0, 0x06, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "7.1"},
    {"ETXNDH", 0, 0x07, 0x00, 0x1F, 0x00, 0x00, Kind::eth, "7.1"},
    {"ERXSTL", 0, 0x08, 0xFA, 0xFF, 0x00, 0x00, Kind::eth, "3.2.1"},
    {"ERXSTH", 0, 0x09, 0x05, 0x1F, 0x00, 0x00, Kind::eth, "3.2.1"},
    {"ERXNDL", 0, 0x0A, 0xFF, 0xFF, 0x00, 0x00, Kind::eth, "3.2.1"},
    {"ERXNDH", 0, 0x0B, 0x1F, 0x1F, 0x00, 0x00, Kind::eth, "3.2.1"},
    {"ERXRDPTL", 0, 0x0C, 0xFA, 0xFF, 0x00, 0x00, Kind::eth, "7.2.4"},
    {"ERXRDPTH", 0, 0x0D, 0x05, 0x1F, 0x00, 0x00, Kind::eth, "7.2.4"},
    {"ERXWRPTL", 0, 0x0E, 0x00, 0x00, 0x00, 0x00, Kind::eth, "3.2.1"},
    {"ERXWRPTH", 0, 0x0F, 0x00, 0x00, 0x00, 0x00, Kind::eth, "3.2.1"},
    {"EDMASTL", 0, 0x10, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "13.0"},
    {"EDMASTH", 0, 0x11, 0x00, 0x1F, 0x00, 0x00, Kind::eth, "13.0"},
    {"EDMANDL", 0, 0x12, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "13.0"},
    {"EDMANDH", 0, 0x13, 0x00, 0x1F, 0x00, 0x00, Kind::eth, "13.0"},
    {"EDMADSTL", 0, 0x14, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "13.0"},
    {"EDMADSTH", 0, 0x15, 0x00, 0x1F, 0x00, 0x00, Kind::eth, "13.0"},
    {"EDMACSL", 0, 0x16, 0x00, 0x00, 0x00, 0x00, Kind::eth, "13.2"},
    {"EDMACSH", 0, 0x17, 0x00, 0x00, 0x00, 0x00, Kind::eth, "13.2"},

    {"EHT0", 1, 0x00, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.4"},
    {"EHT1", 1, 0x01, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.4"},
    {"EHT2", 1, 0x02, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.4"},
    {"EHT3", 1, 0x03, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.4"},
    {"EHT4", 1, 0x04, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.4"},
    {"EHT5", 1, 0x05, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.4"},
    {"EHT6", 1, 0x06, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.4"},
    {"EHT7", 1, 0x07, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.4"},
    {"EPMM0", 1, 0x08, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.2"},
    {"EPMM1", 1, 0x09, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.2"},
    {"EPMM2", 1, 0x0A, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.2"},
    {"EPMM3", 1, 0x0B, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.2"},
    {"EPMM4", 1, 0x0C, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.2"},
    {"EPMM5", 1, 0x0D, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.2"},
    {"EPMM6", 1, 0x0E, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.2"},
    {"EPMM7", 1, 0x0F, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.2"},
    {"EPMCSL", 1, 0x10, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.2"},
    {"EPMCSH", 1, 0x11, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.2"},
    {"EPMOL", 1, 0x14, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "8.2"},
    {"EPMOH", 1, 0x15, 0x00, 0x1F, 0x00, 0x00, Kind::eth, "8.2"},
    {"ERXFCON", 1, 0x18, 0xA1, 0xFF, 0x00, 0x00, Kind::eth, "8.0"},
    {"EPKTCNT", 1, 0x19, 0x00, 0x00, 0x00, 0x00, Kind::eth, "7.2"},

    {"MACON1", 2, 0x00, 0x00, 0x0F, 0x00, 0x10, Kind::mac, "6.5"},
    {"MACON3", 2, 0x02, 0x00, 0xFF, 0x00, 0x00, Kind::mac, "6.5"},
    {"MACON4", 2, 0x03, 0x00, 0x70, 0x00, 0x03, Kind::mac, "6.5"},
    {"MABBIPG", 2, 0x04, 0x00, 0x7F, 0x00, 0x00, Kind::mac, "6.5"},
    {"MAIPGL", 2, 0x06, 0x00, 0x7F, 0x00, 0x00, Kind::mac, "6.5"},
    {"MAIPGH", 2, 0x07, 0x00, 0x7F, 0x00, 0x00, Kind::mac, "6.5"},
    {"MACLCON1", 2, 0x08, 0x0F, 0x0F, 0x00, 0x00, Kind::mac, "6.5"},
    {"MACLCON2", 2, 0x09, 0x37, 0x3F, 0x00, 0x00, Kind::mac, "6.5"},
    {"MAMXFLL", 2, 0x0A, 0x00, 0xFF, 0x00, 0x00, Kind::mac, "6.5"},
    {"MAMXFLH", 2, 0x0B, 0x06, 0xFF, 0x00, 0x00, Kind::mac, "6.5"},
    {"MICMD", 2, 0x12, 0x00, 0x03, 0x00, 0x00, Kind::mii, "3.3"},
    {"MIREGADR", 2, 0x14, 0x00, 0x1F, 0x00, 0x00, Kind::mii, "3.3"},
    {"MIWRL", 2, 0x16, 0x00, 0xFF, 0x00, 0x00, Kind::mii, "3.3.2"},
    {"MIWRH", 2, 0x17, 0x00, 0xFF, 0x00, 0x00, Kind::mii, "3.3.2"},
    {"MIRDL", 2, 0x18, 0x00, 0x00, 0x00, 0x00, Kind::mii, "3.3.1"},
    {"MIRDH", 2, 0x19, 0x00, 0x00, 0x00, 0x00, Kind::mii, "3.3.1"},

    {"MAADR5", 3, 0x00, 0x00, 0xFF, 0x00, 0x00, Kind::mac, "6.5"},
    {"MAADR6", 3, 0x01, 0x00, 0xFF, 0x00, 0x00, Kind::mac, "6.5"},
    {"MAADR3", 3, 0x02, 0x00, 0xFF, 0x00, 0x00, Kind::mac, "6.5"},
    {"MAADR4", 3, 0x03, 0x00, 0xFF, 0x00, 0x00, Kind::mac, "6.5"},
    {"MAADR1", 3, 0x04, 0x00, 0xFF, 0x00, 0x00, Kind::mac, "6.5"},
    {"MAADR2", 3, 0x05, 0x00, 0xFF, 0x00, 0x00, Kind::mac, "6.5"},
    {"EBSTSD", 3, 0x06, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "15.1"},
    {"EBSTCON", 3, 0x07, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "15.1"},
    {"EBSTCSL", 3, 0x08, 0x00, 0x00, 0x00, 0x00, Kind::eth, "15.1"},
    {"EBSTCSH", 3, 0x09, 0x00, 0x00, 0x00, 0x00, Kind::eth, "15.1"},
    {"MISTAT", 3, 0x0A, 0x00, 0x00, 0x00, 0x08, Kind::mii, "3.3"},
    {"EREVID", 3, 0x12, 0x06, 0x00, 0x00, 0x00, Kind::eth, "3.3.5"},
    {"ECOCON", 3, 0x15, 0x04, 0x07, 0x00, 0x00, Kind::eth, "2.3"},
    {"EFLOCON", 3, 0x17, 0x00, 0x03, 0x00, 0x00, Kind::eth, "10.0"},
    {"EPAUSL", 3, 0x18, 0x00, 0xFF, 0x00, 0x00, Kind::eth, "10.0"},
    {"EPAUSH", 3, 0x19, 0x10, 0xFF, 0x00, 0x00, Kind::eth, "10.0"},
};

inline constexpr RegisterMap<Kind, 4, 32> registers{register_rows};

// The row of a register that exists.
constexpr const Row& row_of(Reg reg) {
  const auto place = static_cast<unsigned>(reg);
  return *registers.find(place >> 5, place & 0x1F);
}

struct PhyRow {
  std::string_view name;
  Phy address;
  std::uint16_t reset;  // PDPXMD as the LEDB strap has it in half duplex
  std::uint16_t writable;
  std::uint16_t reserved;  // bits that the datasheet tells software to leave at their reset value
  std::string_view section;
};

inline constexpr PhyRow phy_rows[] = {
    {"PHCON1", Phy::PHCON1, 0x0000, 0xC900, 0x0480, "6.6"}, {"PHSTAT1", Phy::PHSTAT1, 0x1800, 0x0000, 0x0000, "3.3.4"},
    {"PHID1", Phy::PHID1, 0x0083, 0x0000, 0x0000, "3.3.5"}, {"PHID2", Phy::PHID2, 0x1400, 0x0000, 0x0000, "3.3.5"},
    {"PHCON2", Phy::PHCON2, 0x0000, 0x6500, 0x1AFF, "6.6"}, {"PHSTAT2", Phy::PHSTAT2, 0x0000, 0x0000, 0x0000, "3.3.4"},
    {"PHIE", Phy::PHIE, 0x0000, 0x0012, 0xFFED, "12.1.5"},  {"PHIR", Phy::PHIR, 0x0000, 0x0000, 0x0000, "12.1.5"},
    {"PHLCON", Phy::PHLCON, 0x3422, 0x0FFE, 0xF001, "2.6"},
};

// NicRegister::place: that of Reg for the chip's own registers, and behind them two octets for each of the PHY's.
constexpr std::uint16_t place_of(Reg reg) {
  return static_cast<std::uint16_t>(reg);
}
constexpr std::uint16_t place_of(Phy reg) {
  return static_cast<std::uint16_t>(0x80 + 2 * static_cast<unsigned>(reg));
}

// nullptr: the PHY implements no such register; it reads 0 and ignores writes (3.3).
constexpr const PhyRow* phy_row(unsigned address) {
  for (const PhyRow& row : phy_rows) {
    if (static_cast<unsigned>(row.address) == address) return &row;
  }
  return nullptr;
}

}  // namespace avrlan::enc28j60
