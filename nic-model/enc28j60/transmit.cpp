// Transmission: from the buffer to the wire, DS39662E 7.1.

#include <algorithm>
#include <utility>

#include "nic-model/enc28j60/enc28j60.hpp"

namespace avrlan {

using namespace enc28j60;

namespace {

constexpr std::size_t fcs_octets = 4;
constexpr std::size_t type_offset = 12;
constexpr std::size_t header_octets = 14;
constexpr std::size_t largest_length = 1500;
constexpr std::uint16_t control_type = 0x8808;
constexpr std::uint16_t vlan_type = 0x8100;
constexpr Duration nibble_time = Duration::nanoseconds(400);

std::uint16_t word_at(const std::vector<std::uint8_t>& octets, std::size_t at) {
  if (at + 2 > octets.size()) return 0;
  return static_cast<std::uint16_t>(octets[at] << 8 | octets[at + 1]);
}

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
  if (cable_ && link_up() && !is_set(Phy::PHCON1, PHCON1::PLOOPBK) && !is_set(Phy::PHCON2, PHCON2::TXDIS)) {
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

Enc28j60::Outgoing Enc28j60::build_frame() const {
  Address at = pair(Reg::ETXSTL);
  const std::uint8_t control = memory_[at];
  const std::size_t supplied = (pair(Reg::ETXNDL) - at) & address_mask;
  std::vector<std::uint8_t> octets(supplied);
  for (std::uint8_t& octet : octets) octet = memory_[at = next_linear(at)];

  const std::uint16_t type = word_at(octets, type_offset);
  const Treatment treatment = treatment_of(control, cell(Reg::MACON3), type == vlan_type);
  Outgoing outgoing;
  const auto set = [&](unsigned bit, bool value) { outgoing.status |= std::uint64_t{value} << bit; };

  const bool padded = octets.size() < treatment.pad_to;
  if (padded) octets.resize(treatment.pad_to);
  // PHDREN: a proprietary header that the CRC leaves out (register 6-2).
  const std::size_t crc_start =
      is_set(Reg::MACON3, MACON3::PHDREN) ? std::min<std::size_t>(4, octets.size()) : std::size_t{0};
  if (treatment.append_fcs || padded) {
    outgoing.frame.fcs = ethernet_crc(std::span(octets).subspan(crc_start));
    outgoing.frame.octets = std::move(octets);
  } else {
    // The last four octets stand for the FCS.
    octets.resize(std::max(octets.size(), fcs_octets));
    const auto fcs = octets.end() - fcs_octets;
    for (unsigned n = 0; n < fcs_octets; ++n) outgoing.frame.fcs |= std::uint32_t{fcs[n]} << (8 * n);
    octets.erase(fcs, octets.end());
    const std::size_t start = std::min(crc_start, octets.size());
    set(TSV::CrcError, ethernet_crc(std::span(octets).subspan(start)) != outgoing.frame.fcs);
    outgoing.frame.octets = std::move(octets);
  }

  std::vector<std::uint8_t>& sent = outgoing.frame.octets;
  const std::size_t limit = std::max<std::size_t>(pair(Reg::MAMXFLL), fcs_octets);
  outgoing.giant = outgoing.frame.wire_size() > limit;
  if (outgoing.giant && !treatment.allow_huge) {
    sent.resize(limit - fcs_octets);
    outgoing.frame.fcs = ~ethernet_crc(sent);
  }
  const bool broadcast =
      sent.size() >= 6 && std::all_of(sent.begin(), sent.begin() + 6, [](std::uint8_t octet) { return octet == 0xFF; });
  const std::size_t data = sent.size() > header_octets ? sent.size() - header_octets : 0;
  set(TSV::LengthCheckError, is_set(Reg::MACON3, MACON3::FRMLNEN) && type <= largest_length && type != data);
  set(TSV::LengthOutOfRange, type > largest_length);
  set(TSV::Multicast, !sent.empty() && (sent[0] & 1) != 0 && !broadcast);
  set(TSV::Broadcast, broadcast);
  set(TSV::Giant, outgoing.giant);
  set(TSV::ControlFrame, type == control_type);
  set(TSV::PauseControlFrame, type == control_type && word_at(sent, header_octets) == 1);
  set(TSV::VlanTagged, type == vlan_type);
  outgoing.giant = outgoing.giant && !treatment.allow_huge;
  return outgoing;
}

void Enc28j60::transmission_ended(const Transmission& transmission) {
  const Outgoing sent = *std::exchange(outgoing_, std::nullopt);
  const std::size_t octets = sent.frame.wire_size();
  std::uint64_t status = sent.status | static_cast<std::uint16_t>(octets) |
                         std::uint64_t{static_cast<std::uint16_t>(octets)} << TSV::TotalBytesOnWire;
  if (transmission.deferred) status |= std::uint64_t{1} << TSV::PacketDefer;
  clear_bits(Reg::ECON1, ECON1::TXRTS);
  if (sent.giant) {
    write_status_vector(status);
    drop(DropReason::transmit_aborted);
    set_bits(Reg::ESTAT, ESTAT::TXABRT);
    raise(EIR::TXERIF | EIR::TXIF);
  } else {
    write_status_vector(status | std::uint64_t{1} << TSV::Done);
    ++counters_.tx_frames;
    counters_.tx_bytes += sent.frame.octets.size();
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
