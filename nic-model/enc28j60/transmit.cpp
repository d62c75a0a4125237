// Transmission: from the buffer to the wire, DS39662E 7.1.

#include <algorithm>
#include <utility>

#include "nic-model/core/frame_fields.hpp"
#include "nic-model/enc28j60/enc28j60.hpp"

namespace avrlan {

using namespace enc28j60;

namespace {

constexpr Duration nibble_time = Duration::nanoseconds(400);
constexpr std::size_t jam_octets = 4;

struct Treatment {
  std::size_t pad_to = 0;  // octets without FCS; 0: no padding
  bool append_fcs = false;
  bool allow_huge = false;
};

// The per packet control byte (figure 7-1) or MACON3 (register 6-2).
Treatment treatment_of(std::uint8_t control, std::uint8_t macon3, bool vlan) {
  if ((control & Control::POVERRIDE) != 0) {
    return {(control & Control::PPADEN) != 0 ? 60u : 0u, (control & Control::PCRCEN) != 0,
            (control & Control::PHUGEEN) != 0};
  }
  Treatment treatment{0, (macon3 & MACON3::TXCRCEN) != 0, (macon3 & MACON3::HFRMEN) != 0};
  switch (macon3 & MACON3::PADCFG) {
    case MACON3::PADCFG0:
      treatment.pad_to = 60;
      break;
    case MACON3::PADCFG1 | MACON3::PADCFG0:
    case MACON3::PADCFG:
      treatment.pad_to = 64;
      break;
    case MACON3::PADCFG2 | MACON3::PADCFG0:
      treatment.pad_to = vlan ? 64 : 60;
      break;
    default:
      break;
  }
  return treatment;
}

constexpr std::uint64_t bit(unsigned n) {
  return std::uint64_t{1} << n;
}

}  // namespace

// ECON1.TXRTS rose.
void Enc28j60::request_transmission() {
  tell({.kind = NicEvent::Kind::transmit_requested});
  check_transmit_area();
  if (!clock_ready()) {
    report("enc28j60-clock-not-ready", "ECON1.TXRTS was set before ESTAT.CLKRDY (2.2)");
  }
  if (full_duplex() != is_set(Phy::PHCON1, PHCON1::PDPXMD)) {
    report("enc28j60-duplex-mismatch",
           "MACON3.FULDPX and PHCON1.PDPXMD differ: set both to the duplex of the link (6.6)");
  }
  if (stalled_) {
    report("enc28j60-transmitter-stalled",
           "a frame was to be sent after an aborted one, which has stalled the transmitter (erratum 12): set and clear "
           "ECON1.TXRST first");
  }
  try_transmission();
}

// A DMA operation that is under way goes first (7.1), and a partner's pause is waited for (10.2).
void Enc28j60::try_transmission() {
  if (is_set(Reg::ECON1, ECON1::TXRTS) && !outgoing_ && !dma_event_ && !pause_event_ && !stalled_) start_transmission();
}

void Enc28j60::check_transmit_area() {
  const std::size_t octets = ((pair(Reg::ETXNDL) - pair(Reg::ETXSTL)) & address_mask) + 1u + TSV::octets;
  Address at = pair(Reg::ETXSTL);
  for (std::size_t n = 0; n < octets; ++n, at = next_linear(at)) {
    if (!in_fifo(at)) continue;
    report("enc28j60-transmit-area-in-receive-buffer",
           "the frame to send, or the 7 octets after ETXND where its status vector goes, lies inside ERXST..ERXND: "
           "packets and frame destroy each other (3.2.2, 7.1)");
    return;
  }
}

void Enc28j60::start_transmission() {
  outgoing_ = build_frame();
  const EthernetFrame& frame = outgoing_->frame;
  set_activity(Activity::transmit, true);
  outgoing_->wired = cable_ && link_up() && !is_set(Phy::PHCON2, PHCON2::TXDIS);
  if (outgoing_->wired) {
    update_jam();
    wire_.from_nic(frame, [this](const Transmission& transmission) { transmission_ended(transmission); });
    return;
  }
  // The MAC sends into a PHY that passes nothing on.
  if (!is_set(Phy::PHCON1, PHCON1::PLOOPBK)) drop(DropReason::link_down);
  Transmission transmission;
  transmission.start = scheduler_.now();
  transmission.end = transmission.start + wire_time(frame);
  unwired_event_ = scheduler_.at(transmission.end, [this, transmission] {
    unwired_event_ = {};
    transmission_ended(transmission);
  });
}

// Reads the frame from the buffer and makes of it what the control byte and MACON3 ask for.
Enc28j60::Outgoing Enc28j60::build_frame() {
  Address at = pair(Reg::ETXSTL);
  const std::uint8_t control = memory_[at];
  std::vector<std::uint8_t> octets((pair(Reg::ETXNDL) - at) & address_mask);
  for (std::uint8_t& octet : octets) octet = memory_[at = next_linear(at)];

  const Treatment treatment = treatment_of(control, cell(Reg::MACON3), type_of(octets) == vlan_type);
  const bool padded = octets.size() < treatment.pad_to;
  if (padded) octets.resize(treatment.pad_to);
  // PHDREN: a proprietary header that the FCS leaves out (register 6-2).
  const std::size_t unprotected = is_set(Reg::MACON3, MACON3::PHDREN) ? 4 : 0;
  const auto right_fcs = [unprotected](OctetView all) {
    return ethernet_crc(all.subspan(std::min(unprotected, all.size())));
  };

  Outgoing outgoing;
  EthernetFrame& frame = outgoing.frame;
  bool crc_error = false;
  if (treatment.append_fcs || padded) {
    frame.fcs = right_fcs(octets);
  } else {
    // The last four octets stand for the FCS.
    octets.resize(std::max(octets.size(), fcs_octets));
    const auto fcs = octets.end() - fcs_octets;
    for (unsigned n = 0; n < fcs_octets; ++n) frame.fcs |= std::uint32_t{fcs[n]} << (8 * n);
    octets.erase(fcs, octets.end());
    crc_error = frame.fcs != right_fcs(octets);
  }
  frame.octets = std::move(octets);

  const std::size_t limit = std::max<std::size_t>(pair(Reg::MAMXFLL), fcs_octets);
  const bool giant = frame.wire_size() > limit;
  outgoing.status = transmit_status(frame) | std::uint64_t{crc_error} << TSV::CrcError |
                    std::uint64_t{giant} << TSV::Giant | std::uint64_t{is_jamming()} << TSV::BackpressureApplied;
  if (giant && !treatment.allow_huge) {
    cut_off(outgoing, Fate::giant, limit);
  } else if (late_collision_strikes(frame)) {
    cut_off(outgoing, Fate::late_collision, collision_window() + 1);
  }
  return outgoing;
}

// What is left on the wire of a frame that the MAC gives up after `octets`.
void Enc28j60::cut_off(Outgoing& outgoing, Fate fate, std::size_t octets) {
  outgoing.fate = fate;
  outgoing.frame.octets.resize(octets - fcs_octets);
  outgoing.frame.fcs = ~ethernet_crc(outgoing.frame.octets);
}

// Octets from the destination address after which a collision is late (MACLCON2 counts preamble and SFD, 9.1).
std::size_t Enc28j60::collision_window() const {
  return std::max<std::size_t>(cell(Reg::MACLCON2), 8);
}

// Erratum 13: the PHY takes a link pulse of some partners for a collision.
bool Enc28j60::late_collision_strikes(const EthernetFrame& frame) {
  const unsigned every = options_.errata.link_pulse_collision_every;
  if (every == 0 || full_duplex() || frame.wire_size() <= collision_window() + 1) return false;
  if (++half_duplex_frames_ % every != 0) return false;
  return true;
}

// Table 7-1, as far as the frame itself tells.
std::uint64_t Enc28j60::transmit_status(const EthernetFrame& frame) const {
  std::uint64_t status = frame.wire_size() & 0xFFFF;
  const auto set = [&](unsigned n, bool value) { status |= std::uint64_t{value} << n; };
  const std::uint16_t type = type_of(frame.octets);
  set(TSV::LengthCheckError, is_set(Reg::MACON3, MACON3::FRMLNEN) && length_is_wrong(frame.octets));
  set(TSV::LengthOutOfRange, type > largest_length);
  set(TSV::Multicast, is_multicast(frame.octets));
  set(TSV::Broadcast, is_broadcast(frame.octets));
  set(TSV::ControlFrame, is_control(frame.octets));
  set(TSV::PauseControlFrame, is_pause(frame.octets));
  set(TSV::VlanTagged, type == vlan_type);
  return status;
}

void Enc28j60::transmission_ended(const Transmission& transmission) {
  const Outgoing sent = *std::exchange(outgoing_, std::nullopt);
  set_activity(Activity::transmit, false);
  if (transmission.collisions != 0) set_activity(Activity::collision, false);
  const bool out = transmission.outcome == Transmission::Outcome::sent;
  tell({.kind = NicEvent::Kind::transmit_ended,
        .octets = sent.frame.octets.size(),
        .start = transmission.start,
        .sent = out && sent.fate == Fate::whole});
  std::uint64_t status = sent.status | std::uint64_t{std::min(transmission.collisions, 15u)} << TSV::CollisionCount;
  const std::size_t on_wire = (out ? sent.frame.wire_size() : 0) + transmission.collisions * jam_octets;
  status |= std::uint64_t{on_wire & 0xFFFF} << TSV::TotalBytesOnWire;
  if (transmission.deferred) status |= bit(TSV::PacketDefer);
  if (!out || sent.fate != Fate::whole) {
    transmission_failed(transmission, sent.fate, status);
  } else {
    write_status_vector(status | bit(TSV::Done));
    clear_bits(Reg::ECON1, ECON1::TXRTS);
    if (sent.wired) {
      ++counters_.tx_frames;
      counters_.tx_bytes += sent.frame.octets.size();
    }
    raise(EIR::TXIF);
    if (loops_back() && receiver_on()) receive(sent.frame);
  }
  update_jam();
  try_dma();
}

// 12.1.3
void Enc28j60::transmission_failed(const Transmission& transmission, Fate fate, std::uint64_t status) {
  using Outcome = Transmission::Outcome;
  if (transmission.outcome == Outcome::excessive_collisions) status |= bit(TSV::ExcessiveCollision);
  if (transmission.outcome == Outcome::excessive_deferral) status |= bit(TSV::ExcessiveDefer);
  if (fate == Fate::late_collision) {
    status |= bit(TSV::LateCollision);
    if (!options_.errata.latecol_unreliable) set_bits(Reg::ESTAT, ESTAT::LATECOL);
  }
  write_status_vector(status);
  drop(DropReason::transmit_aborted);
  set_bits(Reg::ESTAT, ESTAT::TXABRT);
  stalled_ = options_.errata.transmit_abort_stalls && !full_duplex() && fate != Fate::giant;
  if (fate == Fate::late_collision && stalled_) {
    // Erratum 13: TXRTS stays set and TXIF does not come.
    raise(EIR::TXERIF);
    return;
  }
  clear_bits(Reg::ECON1, ECON1::TXRTS);
  raise(EIR::TXERIF | EIR::TXIF);
}

// 9.1: in half duplex the PHY returns what it sends unless HDLDIS is set; so does the loopback mode.
bool Enc28j60::loops_back() const {
  if (is_set(Phy::PHCON1, PHCON1::PLOOPBK)) return true;
  return !is_set(Phy::PHCON1, PHCON1::PDPXMD) && !is_set(Phy::PHCON2, PHCON2::HDLDIS);
}

void Enc28j60::write_status_vector(std::uint64_t status) {
  Address at = pair(Reg::ETXNDL);
  for (unsigned n = 0; n < TSV::octets; ++n) {
    at = next_linear(at);
    store(at, static_cast<std::uint8_t>(status >> (8 * n)));
  }
}

void Enc28j60::abandon_transmission() {
  if (!outgoing_) return;
  drop(DropReason::transmit_aborted);
  set_activity(Activity::transmit, false);
  wire_.abort_from_nic();
  scheduler_.cancel(unwired_event_);
  outgoing_.reset();
}

// TXRTS was cleared by the host or by TXRST: no status vector is written (12.1.4).
void Enc28j60::cancel_transmission() {
  abandon_transmission();
  tell({.kind = NicEvent::Kind::transmit_ended, .start = scheduler_.now()});
  raise(EIR::TXIF);
  update_jam();
  try_dma();
}

// Register 6-4: the gap is MABBIPG plus 3 nibble times in full duplex, plus 6 in half duplex.
void Enc28j60::update_medium() {
  wire_.set_nic_mac({.half_duplex = !full_duplex(),
                     .gap_after_own = nibble_time * (cell(Reg::MABBIPG) + (full_duplex() ? 3 : 6)),
                     .gap_after_other = nibble_time * (cell(Reg::MAIPGL) + 6),
                     .retransmissions = cell(Reg::MACLCON1),
                     .backs_off = !is_set(Reg::MACON4, MACON4::NOBKOFF),
                     .defers_forever = is_set(Reg::MACON4, MACON4::DEFER)});
  update_jam();
}

}  // namespace avrlan
