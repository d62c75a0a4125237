// Reception: from the wire into the circular buffer, DS39662E 3.2.1 and 7.2.

#include <utility>

#include "nic-model/core/frame_fields.hpp"
#include "nic-model/enc28j60/enc28j60.hpp"

namespace avrlan {

using namespace enc28j60;

namespace {

constexpr std::size_t packet_header = 6;        // next packet pointer and status vector (figure 7-3)
constexpr std::size_t shortest_packet = 18;     // with FCS; shorter ones the hardware rejects (5.1.6)
constexpr std::size_t long_event = 50'000 / 8;  // octets (table 7-3)

}  // namespace

bool Enc28j60::receiver_on() const {
  return is_set(Reg::ECON1, ECON1::RXEN) && is_set(Reg::MACON1, MACON1::MARXEN);
}

// Why a frame that begins now is not heard.
std::optional<DropReason> Enc28j60::deafness() const {
  if (in_reset_ || asleep()) return DropReason::power_down;
  if (!cable_ || !link_up()) return DropReason::link_down;
  if (!receiver_on()) return DropReason::receiver_off;
  return std::nullopt;
}

void Enc28j60::receive_started(Instant) {
  announced_ = true;
  loss_ = deafness();
  if (cable_ && link_up()) set_activity(Activity::receive, true);
  if (receiving() && checksum_running()) abort_reception_by_checksum();
}

void Enc28j60::deliver(const EthernetFrame& frame) {
  if (!announced_) loss_ = deafness();
  announced_ = false;
  set_activity(Activity::receive, false);
  if (!loss_ && (!cable_ || !link_up())) loss_ = DropReason::link_down;
  if (loss_) {
    drop(*loss_);
  } else {
    receive(frame);
  }
}

void Enc28j60::abort_reception(DropReason reason) {
  if (receiving()) loss_ = reason;
}

void Enc28j60::receive(const EthernetFrame& frame) {
  obey_pause(frame);
  if (const std::optional<DropReason> reason = refuse(frame)) {
    drop(*reason);
    return;
  }
  if (cell(Reg::EPKTCNT) == 0xFF) {
    overflowed(DropReason::packet_count_limit);
    return;
  }
  std::size_t octets = packet_header + frame.wire_size();
  if (!options_.errata.even_erxrdpt_corrupts) octets += octets & 1;
  if (octets > receive_space()) {
    overflowed(DropReason::fifo_full);
    return;
  }
  write_packet(frame);
  ++counters_.rx_frames;
  counters_.rx_bytes += frame.octets.size();
  ++cell(Reg::EPKTCNT);
  tell({.kind = NicEvent::Kind::frame_received, .number = counters_.rx_frames, .octets = frame.octets.size()});
  update_int();
}

// What keeps a frame out before any memory is needed; nothing when it is welcome.
std::optional<DropReason> Enc28j60::refuse(const EthernetFrame& frame) const {
  if (frame.wire_size() < shortest_packet) return DropReason::runt;
  if (frame.wire_size() > pair(Reg::MAMXFLL) && !is_set(Reg::MACON3, MACON3::HFRMEN)) return DropReason::giant;
  if (is_control(frame.octets) && !is_set(Reg::MACON1, MACON1::PASSALL)) return DropReason::filtered;
  if (!passes_filters(frame)) return DropReason::filtered;
  if (is_set(Reg::ERXFCON, ERXFCON::CRCEN) && !frame.fcs_ok()) return DropReason::bad_fcs;
  return std::nullopt;
}

// 12.1.2
void Enc28j60::overflowed(DropReason reason) {
  drop(reason);
  report("enc28j60-overflow",
         reason == DropReason::fifo_full
             ? "a frame was lost: the receive buffer has no room for it (12.1.2)"
             : "a frame was lost: EPKTCNT is 255, decrement it for each packet that is done with (12.1.2)");
  if (is_set(Reg::EIR, EIR::RXERIF) && released_since_overflow_) {
    report("enc28j60-overflow-unserviced",
           "packets were released, but EIR.RXERIF is still set from an earlier loss: clear it, or the next loss goes "
           "unnoticed (12.1.2)");
  }
  released_since_overflow_ = false;
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
  for (std::size_t n = 0; n < fcs_octets; ++n) put(fcs_octet(frame, n));
  if ((at & 1) != 0) {
    written_[at] = true;  // of the packet, whatever it holds
    at = next_in_fifo(at);
  }

  const Address next = std::exchange(at, write_pointer_);
  const std::uint32_t status = receive_status(frame);
  put(static_cast<std::uint8_t>(next));
  put(static_cast<std::uint8_t>(next >> 8));
  for (unsigned n = 0; n < 4; ++n) put(static_cast<std::uint8_t>(status >> (8 * n)));
  packets_.push_back({write_pointer_, next, counters_.rx_frames + 1});
  write_pointer_ = next;
  set_pair(Reg::ERXWRPTL, next);
}

// Where the packet ends that has `at`, and the next one begins; nothing when no packet that is still held has it.
std::optional<Enc28j60::Address> Enc28j60::open_packet_at(Address at) {
  const auto offset = [this](Address from, Address to) {
    return (static_cast<std::size_t>(to) + fifo_size() - from) % fifo_size();
  };
  for (PacketPlace& packet : packets_) {
    if (!in_fifo(at) || offset(packet.start, at) >= offset(packet.start, packet.next)) continue;
    if (!std::exchange(packet.opened, true)) tell({.kind = NicEvent::Kind::frame_opened, .number = packet.number});
    return packet.next;
  }
  return std::nullopt;
}

// Table 7-3.
std::uint32_t Enc28j60::receive_status(const EthernetFrame& frame) const {
  std::uint32_t status = static_cast<std::uint16_t>(frame.wire_size());
  const auto set = [&](unsigned bit, bool value) { status |= std::uint32_t{value} << bit; };
  const std::uint16_t type = type_of(frame.octets);
  const bool fcs_ok = frame.fcs_ok();
  set(RSV::LongEvent, frame.wire_size() > long_event);
  set(RSV::CrcError, !fcs_ok);
  set(RSV::LengthCheckError, length_is_wrong(frame.octets));
  set(RSV::LengthOutOfRange, type > largest_length);
  set(RSV::ReceivedOk, fcs_ok);
  set(RSV::Multicast, is_multicast(frame.octets));
  set(RSV::Broadcast, is_broadcast(frame.octets));
  set(RSV::ControlFrame, is_control(frame.octets));
  set(RSV::PauseControlFrame, is_pause(frame.octets));
  set(RSV::UnknownOpcode, is_control(frame.octets) && !is_pause(frame.octets));
  set(RSV::VlanTypeDetected, type == vlan_type);
  return status;
}

// ECON2.PKTDEC (7.2.4).
void Enc28j60::release_packet() {
  if (cell(Reg::EPKTCNT) == 0) {
    report("enc28j60-pktdec-at-zero",
           "ECON2.PKTDEC was set with EPKTCNT already 0: a packet was released twice, or was none (7.2.4)");
    return;
  }
  if (!packet_count_read_) {
    report("enc28j60-packet-count-not-read",
           "a packet was taken, but EPKTCNT was never read: EIR.PKTIF does not tell reliably whether one is there, and "
           "the INT pin not how many (erratum 6)");
  }
  --cell(Reg::EPKTCNT);
  if (!packets_.empty()) packets_.pop_front();
  tell({.kind = NicEvent::Kind::frame_released});
  released_since_overflow_ = true;
  update_int();
}

// What the receiver is about to work with.
void Enc28j60::check_receive_buffer() {
  if (fifo_start() != 0) {
    report("enc28j60-rx-start-not-zero",
           "ERXST is not 0: on silicon the receiver sometimes starts at 0 all the same (erratum 5); put the receive "
           "buffer at the start of memory");
  }
  check_read_pointer();
}

void Enc28j60::check_read_pointer() {
  const Address read = pair(Reg::ERXRDPTL);
  if (!in_fifo(read)) {
    report("enc28j60-rx-pointer-outside",
           "ERXRDPT is outside ERXST..ERXND: the receiver never meets it and overwrites packets that are still to be "
           "read (3.2.1)");
  } else if ((read & 1) == 0) {
    report("enc28j60-rx-pointer-even",
           "ERXRDPT is even: the receiver may overwrite packets that are still to be read (erratum 14); write the odd "
           "address before the next packet");
  }
}

// Erratum 17.
void Enc28j60::abort_reception_by_checksum() {
  if (!options_.errata.checksum_aborts_reception) return;
  abort_reception(DropReason::receive_aborted);
  report("enc28j60-checksum-while-receiving",
         "a DMA checksum ran while a frame came in, which is lost (erratum 17): compute checksums in software");
  set_bits(Reg::ESTAT, ESTAT::BUFER);
  raise(EIR::RXERIF);
}

}  // namespace avrlan
