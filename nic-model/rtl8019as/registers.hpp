#pragma once
// The RTL8019AS's registers. Names and bits as Realtek's specification (2001-05-10) prints them; those of pages 0 to 2 are
// the DP8390's, so a number like 10.3 is a section of National's DP8390D data sheet, and "page 3" Realtek's own table.

#include <cstdint>
#include <string_view>

#include "nic-model/core/register_map.hpp"

namespace avrlan::rtl8019as {

// What can be done at a place. Page 0 has one register for reads and another for writes at most addresses.
enum class Kind : std::uint8_t {
  both,
  read,
  write,
  config  // read; written only while 9346CR.EEM is 11b
};

// RegisterRow::bank: a page, and of page 0 a side.
enum class Side : std::uint8_t { page0_read, page0_write, page1, page2, page3 };
inline constexpr std::size_t sides = 5;

// A register by its place: side << 4 | address.
enum class Reg : std::uint8_t {
  CR = 0x00,
  CLDA0 = 0x01,
  CLDA1,
  TSR = 0x04,
  NCR,
  FIFO,
  CRDA0 = 0x08,
  CRDA1,
  ID0,
  ID1,
  RSR,
  CNTR0,
  CNTR1,
  CNTR2,
  PSTART = 0x11,
  PSTOP,
  BNRY,
  TPSR,
  TBCR0,
  TBCR1,
  ISR,
  RSAR0,
  RSAR1,
  RBCR0,
  RBCR1,
  RCR,
  TCR,
  DCR,
  IMR,
  PAR0 = 0x21,
  CURR = 0x27,
  MAR0,
  R9346CR = 0x41,
  BPAGE,
  CONFIG0,
  CONFIG1,
  CONFIG2,
  CONFIG3,
  TEST,
  CSNSAV,
  HLTCLK,
  INTR = 0x4B,
  FMWP,
  CONFIG4,
};

constexpr Reg reg_at(Side side, unsigned address) {
  return static_cast<Reg>(address == 0 ? 0u : static_cast<unsigned>(side) << 4 | address);
}
// The n-th of a block.
constexpr Reg operator+(Reg reg, unsigned n) {
  return static_cast<Reg>(static_cast<unsigned>(reg) + n);
}

namespace CR {
inline constexpr std::uint8_t PS = 0xC0, RD = 0x38, RD2 = 0x20, RD1 = 0x10, RD0 = 0x08, TXP = 0x04, STA = 0x02,
                              STP = 0x01;
}
namespace ISR {
inline constexpr std::uint8_t RST = 0x80, RDC = 0x40, CNT = 0x20, OVW = 0x10, TXE = 0x08, RXE = 0x04, PTX = 0x02,
                              PRX = 0x01;
}
namespace DCR {
inline constexpr std::uint8_t FT1 = 0x40, FT0 = 0x20, ARM = 0x10, LS = 0x08, LAS = 0x04, BOS = 0x02, WTS = 0x01;
}
namespace TCR {
inline constexpr std::uint8_t OFST = 0x10, ATD = 0x08, LB = 0x06, LB1 = 0x04, LB0 = 0x02, CRC = 0x01;
}
namespace TSR {
inline constexpr std::uint8_t OWC = 0x80, CDH = 0x40, CRS = 0x10, ABT = 0x08, COL = 0x04, PTX = 0x01;
inline constexpr std::uint8_t ones = 0x22;  // always read 1
}  // namespace TSR
namespace RCR {
inline constexpr std::uint8_t MON = 0x20, PRO = 0x10, AM = 0x08, AB = 0x04, AR = 0x02, SEP = 0x01;
}
// As a register, and as the first octet of a received frame's header.
namespace RSR {
inline constexpr std::uint8_t DFR = 0x80, DIS = 0x40, PHY = 0x20, MPA = 0x10, FAE = 0x04, CRC = 0x02, PRX = 0x01;
}
namespace R9346CR {
inline constexpr std::uint8_t EEM = 0xC0, EEM1 = 0x80, EEM0 = 0x40, EECS = 0x08, EESK = 0x04, EEDI = 0x02, EEDO = 0x01;
}
namespace CONFIG0 {
inline constexpr std::uint8_t VERID = 0xC0, AUI = 0x20, PNPJP = 0x10, JP = 0x08, BNC = 0x04;
}
namespace CONFIG1 {
inline constexpr std::uint8_t IRQEN = 0x80, IRQS = 0x70, IOS = 0x0F;
}
namespace CONFIG2 {
inline constexpr std::uint8_t PL = 0xC0, PL1 = 0x80, PL0 = 0x40, BSELB = 0x20, BS = 0x1F;
}
namespace CONFIG3 {
inline constexpr std::uint8_t PNP = 0x80, FUDUP = 0x40, LEDS1 = 0x20, LEDS0 = 0x10, SLEEP = 0x04, PWRDN = 0x02,
                              ACTIVEB = 0x01;
}

using Row = RegisterRow<Kind>;

namespace detail {
inline constexpr std::uint8_t p0r = 0, p0w = 1, p1 = 2, p2 = 3, p3 = 4;
}

// Bank, address, value at power-on, writable, clearable (by writing 1), reserved. What Realtek leaves open at power-on is 0
// here. Those of page 2 are page 0's that can only be written; their value is the bits that always read 1.
inline constexpr Row register_rows[] = {
    {"CR", all_banks, 0x00, 0x21, 0xFB, 0x00, 0x00, Kind::both, "10.3"},

    {"CLDA0", detail::p0r, 0x01, 0x00, 0x00, 0x00, 0x00, Kind::read, "10.3"},
    {"CLDA1", detail::p0r, 0x02, 0x00, 0x00, 0x00, 0x00, Kind::read, "10.3"},
    {"BNRY", detail::p0r, 0x03, 0x00, 0x00, 0x00, 0x00, Kind::both, "10.3"},
    {"TSR", detail::p0r, 0x04, 0x22, 0x00, 0x00, 0x00, Kind::read, "10.3"},
    {"NCR", detail::p0r, 0x05, 0x00, 0x00, 0x00, 0x00, Kind::read, "10.3"},
    {"FIFO", detail::p0r, 0x06, 0x00, 0x00, 0x00, 0x00, Kind::read, "12.0"},
    {"ISR", detail::p0r, 0x07, 0x80, 0x00, 0x00, 0x00, Kind::both, "10.3"},
    {"CRDA0", detail::p0r, 0x08, 0x00, 0x00, 0x00, 0x00, Kind::read, "10.3"},
    {"CRDA1", detail::p0r, 0x09, 0x00, 0x00, 0x00, 0x00, Kind::read, "10.3"},
    {"8019ID0", detail::p0r, 0x0A, 0x50, 0x00, 0x00, 0x00, Kind::read, "page 0"},
    {"8019ID1", detail::p0r, 0x0B, 0x70, 0x00, 0x00, 0x00, Kind::read, "page 0"},
    {"RSR", detail::p0r, 0x0C, 0x00, 0x00, 0x00, 0x00, Kind::read, "10.3"},
    {"CNTR0", detail::p0r, 0x0D, 0x00, 0x00, 0x00, 0x00, Kind::read, "10.3"},
    {"CNTR1", detail::p0r, 0x0E, 0x00, 0x00, 0x00, 0x00, Kind::read, "10.3"},
    {"CNTR2", detail::p0r, 0x0F, 0x00, 0x00, 0x00, 0x00, Kind::read, "10.3"},

    {"PSTART", detail::p0w, 0x01, 0x00, 0xFF, 0x00, 0x00, Kind::write, "10.3"},
    {"PSTOP", detail::p0w, 0x02, 0x00, 0xFF, 0x00, 0x00, Kind::write, "10.3"},
    {"BNRY", detail::p0w, 0x03, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"TPSR", detail::p0w, 0x04, 0x00, 0xFF, 0x00, 0x00, Kind::write, "10.3"},
    {"TBCR0", detail::p0w, 0x05, 0x00, 0xFF, 0x00, 0x00, Kind::write, "10.3"},
    {"TBCR1", detail::p0w, 0x06, 0x00, 0xFF, 0x00, 0x00, Kind::write, "10.3"},
    {"ISR", detail::p0w, 0x07, 0x00, 0x00, 0x7F, 0x00, Kind::both, "10.3"},
    {"RSAR0", detail::p0w, 0x08, 0x00, 0xFF, 0x00, 0x00, Kind::write, "10.3"},
    {"RSAR1", detail::p0w, 0x09, 0x00, 0xFF, 0x00, 0x00, Kind::write, "10.3"},
    {"RBCR0", detail::p0w, 0x0A, 0x00, 0xFF, 0x00, 0x00, Kind::write, "10.3"},
    {"RBCR1", detail::p0w, 0x0B, 0x00, 0xFF, 0x00, 0x00, Kind::write, "10.3"},
    {"RCR", detail::p0w, 0x0C, 0x00, 0x3F, 0x00, 0x00, Kind::write, "10.3"},
    {"TCR", detail::p0w, 0x0D, 0x00, 0x1F, 0x00, 0x00, Kind::write, "10.3"},
    {"DCR", detail::p0w, 0x0E, 0x04, 0x7F, 0x00, 0x00, Kind::write, "10.3"},
    {"IMR", detail::p0w, 0x0F, 0x00, 0x7F, 0x00, 0x00, Kind::write, "10.3"},

    {"PAR0", detail::p1, 0x01, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"PAR1", detail::p1, 0x02, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"PAR2", detail::p1, 0x03, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"PAR3", detail::p1, 0x04, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"PAR4", detail::p1, 0x05, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"PAR5", detail::p1, 0x06, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"CURR", detail::p1, 0x07, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"MAR0", detail::p1, 0x08, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"MAR1", detail::p1, 0x09, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"MAR2", detail::p1, 0x0A, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"MAR3", detail::p1, 0x0B, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"MAR4", detail::p1, 0x0C, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"MAR5", detail::p1, 0x0D, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"MAR6", detail::p1, 0x0E, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},
    {"MAR7", detail::p1, 0x0F, 0x00, 0xFF, 0x00, 0x00, Kind::both, "10.3"},

    {"PSTART", detail::p2, 0x01, 0x00, 0x00, 0x00, 0x00, Kind::read, "10.2"},
    {"PSTOP", detail::p2, 0x02, 0x00, 0x00, 0x00, 0x00, Kind::read, "10.2"},
    {"TPSR", detail::p2, 0x04, 0x00, 0x00, 0x00, 0x00, Kind::read, "10.2"},
    {"RCR", detail::p2, 0x0C, 0xC0, 0x00, 0x00, 0x00, Kind::read, "10.2"},
    {"TCR", detail::p2, 0x0D, 0xE0, 0x00, 0x00, 0x00, Kind::read, "10.2"},
    {"DCR", detail::p2, 0x0E, 0x80, 0x00, 0x00, 0x00, Kind::read, "10.2"},
    {"IMR", detail::p2, 0x0F, 0x80, 0x00, 0x00, 0x00, Kind::read, "10.2"},

    {"9346CR", detail::p3, 0x01, 0x00, 0xCE, 0x00, 0x00, Kind::both, "page 3"},
    {"BPAGE", detail::p3, 0x02, 0x00, 0xFF, 0x00, 0x00, Kind::both, "page 3"},
    {"CONFIG0", detail::p3, 0x03, 0x00, 0x00, 0x00, 0x00, Kind::read, "page 3"},
    {"CONFIG1", detail::p3, 0x04, 0x80, 0x80, 0x00, 0x00, Kind::config, "page 3"},
    {"CONFIG2", detail::p3, 0x05, 0x00, 0xE0, 0x00, 0x00, Kind::config, "page 3"},
    {"CONFIG3", detail::p3, 0x06, 0x00, 0x46, 0x00, 0x00, Kind::config, "page 3"},
    {"TEST", detail::p3, 0x07, 0x00, 0x00, 0x00, 0xFF, Kind::both, "page 3"},
    {"CSNSAV", detail::p3, 0x08, 0x00, 0x00, 0x00, 0x00, Kind::read, "page 3"},
    {"HLTCLK", detail::p3, 0x09, 0x00, 0xFF, 0x00, 0x00, Kind::write, "page 3"},
    {"INTR", detail::p3, 0x0B, 0x00, 0x00, 0x00, 0x00, Kind::read, "page 3"},
    {"FMWP", detail::p3, 0x0C, 0x00, 0xFF, 0x00, 0x00, Kind::write, "page 3"},
    {"CONFIG4", detail::p3, 0x0D, 0x00, 0x00, 0x00, 0x00, Kind::read, "page 3"},
};

inline constexpr RegisterMap<Kind, sides, 16> registers{register_rows};

// nullptr where the chip has no register.
constexpr const Row* row_at(Side side, unsigned address) {
  return registers.find(static_cast<std::size_t>(side), address);
}

// NicRegister::place: that of Reg; of a register that both sides of page 0 show, the side for reads, of one that page 2
// shows too, the side for writes.
constexpr std::uint16_t place_of(Side side, unsigned address) {
  if (side == Side::page2) side = Side::page0_write;
  if (side == Side::page0_write && row_at(side, address)->kind == Kind::both) side = Side::page0_read;
  return static_cast<std::uint16_t>(reg_at(side, address));
}

}  // namespace avrlan::rtl8019as
