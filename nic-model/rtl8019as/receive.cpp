// Reception: filters, and the ring of 256-octet pages, DP8390D 7.0.

#include <algorithm>

#include "nic-model/core/frame_fields.hpp"
#include "nic-model/rtl8019as/rtl8019as.hpp"

namespace avrlan {

using namespace rtl8019as;

namespace {

constexpr std::size_t ring_header = 4;      // status, next page, length
constexpr std::size_t shortest_frame = 64;  // with FCS
constexpr std::size_t page_octets = 256;

}  // namespace

// Why a frame that begins now is not heard.
std::optional<DropReason> Rtl8019as::deafness() const {
  if (in_reset_ || asleep()) return DropReason::power_down;
  if (!link_up()) return DropReason::link_down;
  if (!running_ || loops_back() || receiver_stalled_) return DropReason::receiver_off;
  return std::nullopt;
}

void Rtl8019as::receive_started(Instant) {
  announced_ = true;
  loss_ = deafness();
  update_leds();
}

void Rtl8019as::deliver(const EthernetFrame& frame) {
  if (!announced_) loss_ = deafness();
  announced_ = false;
  update_leds();
  if (!loss_ && !link_up()) loss_ = DropReason::link_down;
  if (loss_) {
    drop(*loss_);
  } else {
    receive(frame);
  }
}

void Rtl8019as::receive(const EthernetFrame& frame) {
  if (const std::optional<DropReason> reason = refuse(frame)) {
    drop(*reason);
    return;
  }
  const bool monitors = is_set(Reg::RCR, RCR::MON);
  unsigned status = frame.fcs_ok() ? RSR::PRX : RSR::CRC;
  if ((frame.octets[0] & 1) != 0) status |= RSR::PHY;
  cell(Reg::RSR) = static_cast<std::uint8_t>(status | (monitors ? RSR::DIS | RSR::MPA : 0));
  if (!frame.fcs_ok()) {
    count_error(Reg::CNTR1);
    raise(ISR::RXE);
  }
  if (monitors) {
    count_error(Reg::CNTR2);
    drop(DropReason::filtered);
  } else if (!frame.fcs_ok() && !is_set(Reg::RCR, RCR::SEP)) {
    drop(DropReason::bad_fcs);
  } else {
    store_frame(frame, static_cast<std::uint8_t>(status));
  }
}

std::optional<DropReason> Rtl8019as::refuse(const EthernetFrame& frame) const {
  if (frame.octets.size() < address_octets) return DropReason::runt;
  if (frame.wire_size() < shortest_frame && !is_set(Reg::RCR, RCR::AR)) return DropReason::runt;
  if (!passes_filters(frame)) return DropReason::filtered;
  return std::nullopt;
}

// RCR. PRO lets pass all addresses of stations; those of groups still go by AB, AM and MAR.
bool Rtl8019as::passes_filters(const EthernetFrame& frame) const {
  if (is_broadcast(frame.octets)) return is_set(Reg::RCR, RCR::AB);
  if (is_multicast(frame.octets)) return is_set(Reg::RCR, RCR::AM) && matches_hash_table(frame);
  if (is_set(Reg::RCR, RCR::PRO)) return true;
  const auto own = cells_.begin() + static_cast<std::ptrdiff_t>(Reg::PAR0);
  return std::equal(own, own + address_octets, frame.octets.begin());
}

// Bits 31:26 of the CRC over the destination address, most significant bit first and not inverted: bit k of that is bit
// 31 - k of the reflected one.
bool Rtl8019as::matches_hash_table(const EthernetFrame& frame) const {
  const std::uint32_t reflected = ~ethernet_crc(OctetView(frame.octets).first(address_octets));
  unsigned index = 0;
  for (unsigned bit = 0; bit < 6; ++bit) index |= (reflected >> (5 - bit) & 1) << bit;
  return (cell(Reg::MAR0 + index / 8) >> index % 8 & 1) != 0;
}

std::uint8_t Rtl8019as::page_after(std::uint8_t page) const {
  const auto next = static_cast<std::uint8_t>(page + 1);
  return next == cell(Reg::PSTOP) ? cell(Reg::PSTART) : next;
}

// Round the ring; only while there is one, and both are in it.
unsigned Rtl8019as::pages_from(std::uint8_t from, std::uint8_t to) const {
  return (static_cast<unsigned>(to) + ring_pages() - from) % ring_pages();
}

// A page is taken unless it is BNRY's; the first one also then, when it was BNRY that has come up with CURR. No convention
// of what BNRY means to the driver is needed for that.
void Rtl8019as::store_frame(const EthernetFrame& frame, std::uint8_t status) {
  const std::size_t octets = ring_header + frame.wire_size();
  const std::size_t pages = (octets + page_octets - 1) / page_octets;
  const std::uint8_t first = cell(Reg::CURR) == cell(Reg::PSTOP) ? cell(Reg::PSTART) : cell(Reg::CURR);
  std::size_t room = first == cell(Reg::BNRY) && full_ ? 0 : 1;
  std::uint8_t next = page_after(first);
  while (room != 0 && room < pages && next != cell(Reg::BNRY)) {
    ++room;
    next = page_after(next);
  }
  const std::uint16_t end = store_in_ring(frame, first, std::min(octets, room * page_octets));
  cell(Reg::CLDA0) = static_cast<std::uint8_t>(end);
  cell(Reg::CLDA1) = static_cast<std::uint8_t>(end >> 8);
  if (room < pages) {
    overflowed();
    return;
  }
  const bool late = options_.errata.next_page_one_late && octets % page_octets == 0;
  const auto start = static_cast<std::uint16_t>(first << 8);
  const auto length = frame.wire_size();
  const std::uint8_t header[ring_header] = {status, late ? page_after(next) : next, static_cast<std::uint8_t>(length),
                                            static_cast<std::uint8_t>(length >> 8)};
  for (unsigned n = 0; n < ring_header; ++n) store(static_cast<std::uint16_t>(start + n), header[n]);
  cell(Reg::CURR) = next;
  full_ = next == cell(Reg::BNRY);

  ++counters_.rx_frames;
  counters_.rx_bytes += frame.octets.size();
  // Whoever lets the ring run round loses the oldest.
  frames_.push_back({first, static_cast<unsigned>(pages), octets, counters_.rx_frames});
  const auto held = [this] {
    unsigned sum = 0;
    for (const HeldFrame& each : frames_) sum += each.pages;
    return sum;
  };
  while (is_ring() && frames_.size() > 1 && held() > ring_pages()) frames_.pop_front();
  tell({.kind = NicEvent::Kind::frame_received, .number = counters_.rx_frames, .octets = frame.octets.size()});
  raise(ISR::PRX);
}

// The first `octets` of header, frame and FCS, but for the header; returns the address behind them.
std::uint16_t Rtl8019as::store_in_ring(const EthernetFrame& frame, std::uint8_t page, std::size_t octets) {
  auto at = static_cast<std::uint16_t>(page << 8);
  for (std::size_t n = 0; n < octets; ++n) {
    if (n >= ring_header) {
      const std::size_t index = n - ring_header;
      store(at, index < frame.octets.size() ? frame.octets[index] : fcs_octet(frame, index - frame.octets.size()));
    }
    ++at;
    if ((at & 0xFF) == 0) at = static_cast<std::uint16_t>(page_after(static_cast<std::uint8_t>((at - 1) >> 8)) << 8);
  }
  return at;
}

void Rtl8019as::overflowed() {
  drop(DropReason::fifo_full);
  set_bits(Reg::RSR, RSR::MPA);
  clear_bits(Reg::RSR, RSR::PRX);
  count_error(Reg::CNTR2);
  report("rtl8019as-overflow", "a frame was lost: the ring has no room for it up to the page in BNRY (7.0)");
  if (is_set(Reg::ISR, ISR::OVW) && moved_since_overflow_) {
    report("rtl8019as-overflow-unserviced",
           "BNRY was moved, but ISR.OVW is still set from an earlier loss: go through the overflow procedure and clear "
           "it, or the next loss goes unnoticed (7.0)");
  }
  moved_since_overflow_ = false;
  overflow_ = true;
  receiver_stalled_ = options_.errata.overflow_stops_receiver;
  raise(ISR::OVW | ISR::RXE);
}

// BNRY was written, or moved by a send packet command.
void Rtl8019as::boundary_moved() {
  full_ = false;
  overflow_ = false;
  moved_since_overflow_ = true;
  if (running_ && is_ring()) check_ring_pointer("BNRY", cell(Reg::BNRY));
  release_frames();
}

// Some drivers have BNRY on the last page that they have read, others on the next one that they will read. A frame is
// released when BNRY has passed all of it, or stands on its last page and the frame has been read.
void Rtl8019as::release_frames() {
  while (!frames_.empty() && is_ring() && in_ring(cell(Reg::BNRY)) && in_ring(cell(Reg::CURR)) &&
         in_ring(frames_.front().page)) {
    const HeldFrame& oldest = frames_.front();
    const unsigned passed = pages_from(oldest.page, cell(Reg::BNRY));
    const unsigned held = pages_from(oldest.page, cell(Reg::CURR));
    if (held != 0 && passed > held) return;  // one page behind the oldest
    if (passed < oldest.pages && !(passed + 1 == oldest.pages && oldest.opened)) return;
    frames_.pop_front();
    tell({.kind = NicEvent::Kind::frame_released});
  }
}

Rtl8019as::HeldFrame* Rtl8019as::frame_at(std::uint16_t address) {
  const auto page = static_cast<std::uint8_t>(address >> 8);
  for (HeldFrame& frame : frames_) {
    if (in_ring(frame.page) && pages_from(frame.page, page) < frame.pages) return &frame;
  }
  return nullptr;
}

}  // namespace avrlan
