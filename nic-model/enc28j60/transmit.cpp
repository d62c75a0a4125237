// Transmission: from the buffer to the wire, DS39662E 7.1.

#include <algorithm>
#include <utility>

#include "nic-model/enc28j60/enc28j60.hpp"
#include "nic-model/enc28j60/frame_fields.hpp"

namespace avrlan {

using namespace enc28j60;

namespace {

constexpr Duration nibble_time = Duration::nanoseconds(400);

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

}  // namespace

// ECON1.TXRTS rose.
void Enc28j60::request_transmission() {
  check_transmit_area();
  // 7.1: a DMA operation that is under way goes first.
  if (!dma_event_) start_transmission();
}

void Enc28j60::check_transmit_area() {
  const std::size_t octets = ((pair(Reg::ETXNDL) - pair(Reg::ETXSTL)) & address_mask) + 1u + TSV::octets;
  bool overlaps = false;
  Address at = pair(Reg::ETXSTL);
  for (std::size_t n = 0; n < octets && !overlaps; ++n, at = next_linear(at)) overlaps = in_fifo(at);
  if (overlaps) {
    report(Severity::warning, "enc28j60-transmit-area-in-receive-buffer",
           "the frame to send, or the 7 octets after ETXND where its status vector goes, lies inside ERXST..ERXND: "
           "packets and frame destroy each other (3.2.2, 7.1)");
  }
  if (!clock_ready()) {
    report(Severity::warning, "enc28j60-clock-not-ready", "ECON1.TXRTS was set before ESTAT.CLKRDY (2.2)");
  }
  if (full_duplex() != is_set(Phy::PHCON1, PHCON1::PDPXMD)) {
    report(Severity::warning, "enc28j60-duplex-mismatch",
           "MACON3.FULDPX and PHCON1.PDPXMD differ: set both to the duplex of the link (6.6)");
  }
}

void Enc28j60::start_transmission() {
  outgoing_ = build_frame();
  const EthernetFrame& frame = outgoing_->frame;
  outgoing_->wired = cable_ && link_up() && !is_set(Phy::PHCON2, PHCON2::TXDIS);
  if (outgoing_->wired) {
    wire_.from_nic(frame, [this](const Transmission& transmission) { transmission_ended(transmission); });
    return;
  }
  // The MAC sends into a PHY that passes nothing on.
  const Transmission transmission{scheduler_.now(), scheduler_.now() + wire_time(frame)};
  if (!is_set(Phy::PHCON1, PHCON1::PLOOPBK)) drop(DropReason::link_down);
  unwired_event_ = scheduler_.at(transmission.end, [this, transmission] {
    unwired_event_ = {};
    transmission_ended(transmission);
  });
}

// Reads the frame from the buffer and makes of it what the control byte and MACON3 ask for.
Enc28j60::Outgoing Enc28j60::build_frame() const {
  Address at = pair(Reg::ETXSTL);
  const std::uint8_t control = memory_[at];
  std::vector<std::uint8_t> octets((pair(Reg::ETXNDL) - at) & address_mask);
  for (std::uint8_t& octet : octets) octet = memory_[at = next_linear(at)];

  const Treatment treatment = treatment_of(control, cell(Reg::MACON3), type_of(octets) == vlan_type);
  const bool padded = octets.size() < treatment.pad_to;
  if (padded) octets.resize(treatment.pad_to);
  // PHDREN: a proprietary header that the FCS leaves out (register 6-2).
  const std::size_t unprotected = is_set(Reg::MACON3, MACON3::PHDREN) ? 4 : 0;
  const auto right_fcs = [unprotected](enc28j60::Octets all) {
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
  outgoing.cut_off = giant && !treatment.allow_huge;
  if (outgoing.cut_off) {
    frame.octets.resize(limit - fcs_octets);
    frame.fcs = ~ethernet_crc(frame.octets);
  }
  outgoing.status =
      transmit_status(frame) | std::uint64_t{crc_error} << TSV::CrcError | std::uint64_t{giant} << TSV::Giant;
  return outgoing;
}

// Table 7-1, as far as the frame itself tells.
std::uint64_t Enc28j60::transmit_status(const EthernetFrame& frame) const {
  const std::uint64_t octets = frame.wire_size() & 0xFFFF;
  std::uint64_t status = octets | octets << TSV::TotalBytesOnWire;
  const auto set = [&](unsigned bit, bool value) { status |= std::uint64_t{value} << bit; };
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
  std::uint64_t status = sent.status;
  if (transmission.deferred) status |= std::uint64_t{1} << TSV::PacketDefer;
  clear_bits(Reg::ECON1, ECON1::TXRTS);
  if (sent.cut_off) {
    write_status_vector(status);
    drop(DropReason::transmit_aborted);
    set_bits(Reg::ESTAT, ESTAT::TXABRT);
    raise(EIR::TXERIF | EIR::TXIF);
  } else {
    write_status_vector(status | std::uint64_t{1} << TSV::Done);
    if (sent.wired) {
      ++counters_.tx_frames;
      counters_.tx_bytes += sent.frame.octets.size();
    }
    raise(EIR::TXIF);
    // 9.1: in half duplex the PHY returns what it sends unless HDLDIS is set; so does the loopback mode.
    const bool half_duplex_echo = !is_set(Phy::PHCON1, PHCON1::PDPXMD) && !is_set(Phy::PHCON2, PHCON2::HDLDIS);
    if ((half_duplex_echo || is_set(Phy::PHCON1, PHCON1::PLOOPBK)) && receiver_on()) receive(sent.frame);
  }
  if (is_set(Reg::ECON1, ECON1::DMAST) && !dma_event_) start_dma();
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
  wire_.abort_from_nic();
  scheduler_.cancel(unwired_event_);
  outgoing_.reset();
}

// TXRTS was cleared by the host or by TXRST: no status vector is written (12.1.4).
void Enc28j60::cancel_transmission() {
  abandon_transmission();
  raise(EIR::TXIF);
  if (is_set(Reg::ECON1, ECON1::DMAST) && !dma_event_) start_dma();
}

// Register 6-4: the gap is MABBIPG plus 3 nibble times in full duplex, plus 6 in half duplex.
void Enc28j60::update_medium() {
  wire_.set_half_duplex(!full_duplex());
  wire_.set_nic_gaps(nibble_time * (cell(Reg::MABBIPG) + (full_duplex() ? 3 : 6)),
                     nibble_time * (cell(Reg::MAIPGL) + 6));
}

}  // namespace avrlan
