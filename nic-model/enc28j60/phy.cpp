// The PHY and the MII registers that lead to it, DS39662E 3.3.

#include "nic-model/enc28j60/enc28j60.hpp"

namespace avrlan {

using namespace enc28j60;

namespace {

// 256 periods of the 25 MHz oscillator (3.3.1).
constexpr Duration mii_time = Duration::nanoseconds(10'240);

}  // namespace

void Enc28j60::write_micmd(std::uint8_t old, std::uint8_t now) {
  if ((~old & now & (MICMD::MIIRD | MICMD::MIISCAN)) != 0) start_mii(false);
}

void Enc28j60::start_mii(bool write) {
  if (mii_event_) {
    report("enc28j60-mii-busy", "a PHY access was started while MISTAT.BUSY was set: it is lost, wait 10.24 us (3.3)");
    return;
  }
  mii_address_ = cell(Reg::MIREGADR);
  mii_writes_ = write;
  mird_valid_ = write;
  mii_event_ = scheduler_.after(mii_time, [this] { finish_mii(); });
}

void Enc28j60::finish_mii() {
  mii_event_ = {};
  const std::uint16_t place = place_of(Phy{static_cast<std::uint8_t>(mii_address_)});
  for (const std::uint16_t octet : {place, static_cast<std::uint16_t>(place + 1)}) accessed(octet, mii_writes_);
  if (mii_writes_) {
    write_phy(mii_address_, pair(Reg::MIWRL));
    return;
  }
  set_pair(Reg::MIRDL, read_phy(mii_address_));
  mird_valid_ = true;
  // 3.3.3: a scan goes on until MIISCAN is cleared.
  if (is_set(Reg::MICMD, MICMD::MIISCAN)) {
    mii_address_ = cell(Reg::MIREGADR);
    mii_event_ = scheduler_.after(mii_time, [this] { finish_mii(); });
  }
}

std::uint16_t Enc28j60::peek(Phy reg) const {
  unsigned value = phy(reg);
  if (reg == Phy::PHSTAT2) {
    if (outgoing_) value |= PHSTAT2::TXSTAT;
    if (announced_) value |= PHSTAT2::RXSTAT;
    if (link_up()) value |= PHSTAT2::LSTAT;
    if (is_set(Phy::PHCON1, PHCON1::PDPXMD)) value |= PHSTAT2::DPXSTAT;
  }
  return static_cast<std::uint16_t>(value);
}

std::vector<NicRegister> Enc28j60::register_values() const {
  std::vector<NicRegister> list;
  for (const enc28j60::Row& row : enc28j60::register_rows) {
    const Reg reg = enc28j60::reg_at(row.bank == all_banks ? 0 : row.bank, row.address);
    list.push_back({row.name, place_of(reg), 1, peek(reg)});
  }
  for (const enc28j60::PhyRow& row : enc28j60::phy_rows)
    list.push_back({row.name, place_of(row.address), 2, peek(row.address)});
  return list;
}

std::uint8_t Enc28j60::register_octet(std::uint16_t place) const {
  constexpr unsigned first = place_of(Phy{});
  if (place < first) {
    const Reg reg = reg_at(place >> 5, place & 0x1F);
    return place_of(reg) != place || registers.find(place >> 5, place & 0x1F) == nullptr ? std::uint8_t{0} : peek(reg);
  }
  const unsigned address = (place - first) / 2u;
  if (phy_row(address) == nullptr) return 0;
  return static_cast<std::uint8_t>(peek(Phy{static_cast<std::uint8_t>(address)}) >> (place % 2 != 0 ? 8 : 0));
}

// A read over the MII, with what it clears.
std::uint16_t Enc28j60::read_phy(unsigned address) {
  if (phy_row(address) == nullptr) return 0;
  const Phy reg{static_cast<std::uint8_t>(address)};
  const std::uint16_t value = peek(reg);
  switch (reg) {
    case Phy::PHSTAT1:
      phy(Phy::PHSTAT1) = static_cast<std::uint16_t>(phy_row(address)->reset | (link_up() ? PHSTAT1::LLSTAT : 0));
      break;
    case Phy::PHIR:
      phy(Phy::PHIR) = 0;
      update_int();
      break;
    default:
      break;
  }
  return value;
}

void Enc28j60::write_phy(unsigned address, std::uint16_t value) {
  const PhyRow* row = phy_row(address);
  if (row == nullptr) return;
  if (((value ^ row->reset) & row->reserved) != 0) {
    report("enc28j60-reserved-bits", std::string(row->name) + " was written with reserved bits changed (table 3-3)");
  }
  const Phy reg{static_cast<std::uint8_t>(address)};
  phy(reg) = static_cast<std::uint16_t>((phy(reg) & ~row->writable) | (value & row->writable));
  switch (reg) {
    case Phy::PHCON1:
      if ((value & PHCON1::PRST) != 0) reset_phy();
      update_link();
      break;
    case Phy::PHCON2:
      update_link();
      break;
    case Phy::PHLCON:
      update_leds();
      break;
    default:
      break;
  }
}

// 11.5. PDPXMD takes what LEDB is wired to (2.6). The link has to be established anew.
void Enc28j60::reset_phy() {
  for (const PhyRow& row : phy_rows) phy(row.address) = row.reset;
  if (options_.ledb_full_duplex) phy(Phy::PHCON1) = PHCON1::PDPXMD;
  scheduler_.cancel(link_event_);
  set_link_status(false);
  update_link();
}

// The twisted pair interface works: link pulses come and go.
bool Enc28j60::phy_on_line() const {
  return !in_reset_ && !asleep() && clock_ready() && !is_set(Phy::PHCON1, PHCON1::PPWRSV) &&
         !is_set(Phy::PHCON1, PHCON1::PLOOPBK);
}

bool Enc28j60::link_up() const {
  return phy_on_line() && (link_status_ || is_set(Phy::PHCON2, PHCON2::FRCLNK));
}

void Enc28j60::set_link(bool up) {
  cable_ = up;
  update_link();
}

void Enc28j60::update_link() {
  if (!phy_on_line() || !cable_) {
    scheduler_.cancel(link_event_);
    set_link_status(false);
  } else if (!link_status_ && !link_event_) {
    link_event_ = scheduler_.after(options_.link_delay, [this] {
      link_event_ = {};
      set_link_status(true);
    });
  }
}

void Enc28j60::set_link_status(bool up) {
  if (link_status_ == up) return;
  link_status_ = up;
  if (!up) phy(Phy::PHSTAT1) &= static_cast<std::uint16_t>(~PHSTAT1::LLSTAT);
  // 12.1.5: PLNKIF tells of any change; PGIF, and LINKIF after it, only of an enabled one.
  phy(Phy::PHIR) |= PHIR::PLNKIF;
  if (is_set(Phy::PHIE, PHIE::PLNKIE | PHIE::PGEIE)) phy(Phy::PHIR) |= PHIR::PGIF;
  update_int();
  update_leds();
}

}  // namespace avrlan
