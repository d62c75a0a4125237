// Reception: from the wire into the circular buffer, DS39662E 3.2.1 and 7.2.

#include <algorithm>
#include <utility>

#include "nic-model/enc28j60/enc28j60.hpp"

namespace avrlan {

using namespace enc28j60;

namespace {

constexpr std::size_t address_octets = 6;
constexpr std::size_t type_offset = 12;
constexpr std::size_t header_octets = 14;
constexpr std::size_t packet_header = 6;        // next packet pointer and status vector (figure 7-3)
constexpr std::size_t shortest_packet = 18;     // with FCS; shorter ones the hardware rejects (5.1.6)
constexpr std::size_t long_event = 50'000 / 8;  // octets (table 7-3)
constexpr std::size_t largest_length = 1500;
constexpr std::uint16_t control_type = 0x8808;
constexpr std::uint16_t vlan_type = 0x8100;
constexpr std::uint16_t pause_opcode = 0x0001;

// The 16 bits at `at`, most significant octet first; 0 past the end.
std::uint16_t word_at(const EthernetFrame& frame, std::size_t at) {
  if (at + 2 > frame.octets.size()) return 0;
  return static_cast<std::uint16_t>(frame.octets[at] << 8 | frame.octets[at + 1]);
}

bool is_control(const EthernetFrame& frame) {
  return word_at(frame, type_offset) == control_type;
}

}  // namespace

bool Enc28j60::receiver_on() const {
  return !in_reset_ && !asleep() && is_set(Reg::ECON1, ECON1::RXEN) && is_set(Reg::MACON1, MACON1::MARXEN);
}

void Enc28j60::receive_started(Instant) {
  announced_ = true;
  receiving_ = cable_ && link_up() && receiver_on();
  if (receiving_ && checksum_running()) abort_reception();
}

void Enc28j60::deliver(const EthernetFrame& frame) {
  const bool heard = announced_ ? receiving_ : receiver_on();
  announced_ = false;
  receiving_ = false;
  if (in_reset_ || asleep()) {
    drop(DropReason::power_down);
  } else if (!cable_ || !link_up()) {
    drop(DropReason::link_down);
  } else if (!heard) {
    drop(DropReason::receiver_off);
  } else {
    receive(frame);
  }
}

void Enc28j60::receive(const EthernetFrame& frame) {
  if (const std::optional<DropReason> reason = refuse(frame)) {
    drop(*reason);
    return;
  }
  if (cell(Reg::EPKTCNT) == 0xFF) {
    overflowed(DropReason::packet_count_limit);
    return;
  }
  if (packet_header + frame.wire_size() > receive_space()) {
    overflowed(DropReason::fifo_full);
    return;
  }
  write_packet(frame);
  ++counters_.rx_frames;
  counters_.rx_bytes += frame.octets.size();
  ++cell(Reg::EPKTCNT);
  update_int();
}

// What keeps a frame out before any memory is needed; nothing when it is welcome.
std::optional<DropReason> Enc28j60::refuse(const EthernetFrame& frame) const {
  if (frame.wire_size() < shortest_packet) return DropReason::runt;
  if (frame.wire_size() > pair(Reg::MAMXFLL) && !is_set(Reg::MACON3, MACON3::HFRMEN)) return DropReason::giant;
  if (is_control(frame) && !is_set(Reg::MACON1, MACON1::PASSALL)) return DropReason::filtered;
  if (!passes_filters(frame)) return DropReason::filtered;
  if (is_set(Reg::ERXFCON, ERXFCON::CRCEN) && !frame.fcs_ok()) return DropReason::bad_fcs;
  return std::nullopt;
}

// 12.1.2
void Enc28j60::overflowed(DropReason reason) {
  drop(reason);
  if (is_set(Reg::EIR, EIR::RXERIF)) {
    report(Severity::warning, "enc28j60-overflow-unserviced",
           "another frame was lost while EIR.RXERIF was still set: free packets (ERXRDPT, PKTDEC) and clear the flag "
           "(12.1.2)");
  } else {
    report(Severity::note, "enc28j60-overflow",
           reason == DropReason::fifo_full
               ? "a frame was lost: the receive buffer has no room for it (12.1.2)"
               : "a frame was lost: EPKTCNT is 255, decrement it for each packet that is done with (12.1.2)");
  }
  if (reason == DropReason::fifo_full) set_bits(Reg::ESTAT, ESTAT::BUFER);
  raise(EIR::RXERIF);
}

// Octets that may be written before the pointer would meet ERXRDPT (example 7-2). An ERXRDPT outside the buffer is
// never met: the hardware goes round and round over unread packets.
std::size_t Enc28j60::receive_space() const {
  const Address read = pair(Reg::ERXRDPTL);
  if (!in_fifo(read)) return memory_size;
  const std::size_t size = fifo_size();
  const std::size_t read_offset = (read - fifo_start()) & address_mask;
  const std::size_t write_offset = (write_pointer_ - fifo_start()) & address_mask;
  return (read_offset + size - write_offset - 1) % size;
}

// Figure 7-3. The next packet begins at an even address.
void Enc28j60::write_packet(const EthernetFrame& frame) {
  Address at = write_pointer_;
  const auto put = [&](std::uint8_t octet) {
    store(at, octet);
    at = next_in_fifo(at);
  };
  for (std::size_t n = 0; n < packet_header; ++n) at = next_in_fifo(at);
  for (const std::uint8_t octet : frame.octets) put(octet);
  for (unsigned n = 0; n < 4; ++n) put(static_cast<std::uint8_t>(frame.fcs >> (8 * n)));
  if ((at & 1) != 0) at = next_in_fifo(at);

  const Address next = std::exchange(at, write_pointer_);
  const std::uint32_t status = receive_status(frame);
  put(static_cast<std::uint8_t>(next));
  put(static_cast<std::uint8_t>(next >> 8));
  for (unsigned n = 0; n < 4; ++n) put(static_cast<std::uint8_t>(status >> (8 * n)));
  write_pointer_ = next;
  set_pair(Reg::ERXWRPTL, next);
}

// Table 7-3.
std::uint32_t Enc28j60::receive_status(const EthernetFrame& frame) const {
  std::uint32_t status = static_cast<std::uint16_t>(frame.wire_size());
  const auto set = [&](unsigned bit, bool value) { status |= std::uint32_t{value} << bit; };
  const std::uint16_t type = word_at(frame, type_offset);
  const bool fcs_ok = frame.fcs_ok();
  const std::size_t data = frame.octets.size() > header_octets ? frame.octets.size() - header_octets : 0;
  const bool broadcast = std::all_of(frame.octets.begin(), frame.octets.begin() + address_octets,
                                     [](std::uint8_t octet) { return octet == 0xFF; });
  set(RSV::LongEvent, frame.wire_size() > long_event);
  set(RSV::CrcError, !fcs_ok);
  set(RSV::LengthCheckError, type <= largest_length && type != data);
  set(RSV::LengthOutOfRange, type > largest_length);
  set(RSV::ReceivedOk, fcs_ok);
  set(RSV::Multicast, (frame.octets[0] & 1) != 0 && !broadcast);
  set(RSV::Broadcast, broadcast);
  set(RSV::ControlFrame, is_control(frame));
  set(RSV::PauseControlFrame, is_control(frame) && word_at(frame, header_octets) == pause_opcode);
  set(RSV::UnknownOpcode, is_control(frame) && word_at(frame, header_octets) != pause_opcode);
  set(RSV::VlanTypeDetected, type == vlan_type);
  return status;
}

// ECON2.PKTDEC (7.2.4).
void Enc28j60::release_packet() {
  if (cell(Reg::EPKTCNT) == 0) {
    report(Severity::warning, "enc28j60-pktdec-at-zero",
           "ECON2.PKTDEC was set with EPKTCNT already 0: a packet was released twice, or was none (7.2.4)");
    return;
  }
  --cell(Reg::EPKTCNT);
  update_int();
}

// Erratum 17.
void Enc28j60::abort_reception() {
  receiving_ = false;
  drop(DropReason::receive_aborted);
  report(Severity::warning, "enc28j60-checksum-while-receiving",
         "a DMA checksum ran while a frame came in, which is lost (erratum 17): compute checksums in software");
  set_bits(Reg::ESTAT, ESTAT::BUFER);
  raise(EIR::RXERIF);
}

}  // namespace avrlan
