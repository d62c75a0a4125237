// Transmission, and the loopback modes, DP8390D 8.0 and 12.0.

#include <algorithm>
#include <utility>

#include "nic-model/core/frame_fields.hpp"
#include "nic-model/rtl8019as/rtl8019as.hpp"

namespace avrlan {

using namespace rtl8019as;

// CR.TXP.
void Rtl8019as::request_transmission() {
  if (outgoing_) {
    report("rtl8019as-transmit-busy", "CR.TXP was set while a frame is being sent: wait for it to clear (8.0)");
    return;
  }
  tell({.kind = NicEvent::Kind::transmit_requested});
  if (!running_) {
    report("rtl8019as-transmit-while-stopped", "CR.TXP was set while the chip is stopped: set CR.STA first (10.3)");
    return;
  }
  if (asleep()) {
    report("rtl8019as-asleep",
           "a frame was to be sent while CONFIG3.PWRDN or SLEEP is set, as an EEPROM that is not there leaves them: "
           "clear both, with 9346CR.EEM 11b");
    return;
  }
  check_transmission();
  outgoing_ = build_frame();
  cell(Reg::NCR) = 0;
  cell(Reg::TSR) = TSR::ones;
  outgoing_->wired = !loops_back() && link_up();
  update_leds();
  if (outgoing_->wired) {
    wire_.from_nic(outgoing_->frame, [this](const Transmission& transmission) { transmission_ended(transmission); });
    return;
  }
  if (!loops_back()) drop(DropReason::link_down);
  Transmission transmission;
  transmission.start = scheduler_.now();
  transmission.end = transmission.start + wire_time(outgoing_->frame);
  unwired_event_ = scheduler_.at(transmission.end, [this, transmission] {
    unwired_event_ = {};
    transmission_ended(transmission);
  });
}

void Rtl8019as::check_transmission() {
  const std::size_t octets = pair(Reg::TBCR0);
  const std::size_t frame = is_set(Reg::TCR, TCR::CRC) ? octets - std::min(octets, fcs_octets) : octets;
  if (frame < min_frame_octets || frame > max_frame_octets) {
    report("rtl8019as-transmit-size",
           "a frame of " + std::to_string(frame) +
               " octets is sent: the chip pads nothing, so give it at least 60, and at most 1,514 (4.0)");
  }
  const unsigned first = cell(Reg::TPSR);
  const auto last = static_cast<unsigned>(first + (octets == 0 ? 0 : (octets - 1) / 256));
  const bool outside = !in_memory(static_cast<std::uint16_t>(first << 8)) || last > 0xFF ||
                       !in_memory(static_cast<std::uint16_t>(last << 8));
  const bool in_the_ring = is_ring() && first < cell(Reg::PSTOP) && last >= cell(Reg::PSTART);
  if (outside || in_the_ring) {
    report("rtl8019as-transmit-area",
           outside
               ? "the frame to send leaves the buffer memory: what is behind it is sent as FFh (8.0)"
               : "the frame to send lies between PSTART and PSTOP: received frames and it destroy each other (8.0)");
  }
}

Rtl8019as::Outgoing Rtl8019as::build_frame() const {
  Outgoing outgoing;
  outgoing.first = static_cast<std::uint16_t>(cell(Reg::TPSR) << 8);
  outgoing.octets = pair(Reg::TBCR0);
  std::vector<std::uint8_t>& octets = outgoing.frame.octets;
  for (unsigned n = 0; n < outgoing.octets; ++n) {
    octets.push_back(load(static_cast<std::uint16_t>(outgoing.first + n)));
  }
  if (!is_set(Reg::TCR, TCR::CRC)) {
    outgoing.frame.fcs = ethernet_crc(octets);
    return outgoing;
  }
  // The last four octets stand for the FCS.
  octets.resize(std::max(octets.size(), fcs_octets));
  const auto fcs = octets.end() - fcs_octets;
  for (unsigned n = 0; n < fcs_octets; ++n) outgoing.frame.fcs |= std::uint32_t{fcs[n]} << (8 * n);
  octets.erase(fcs, octets.end());
  return outgoing;
}

void Rtl8019as::transmission_ended(const Transmission& transmission) {
  const Outgoing sent = *std::exchange(outgoing_, std::nullopt);
  update_leds();
  const bool out = transmission.outcome == Transmission::Outcome::sent;
  tell({.kind = NicEvent::Kind::transmit_ended,
        .octets = sent.frame.octets.size(),
        .start = transmission.start,
        .sent = out});
  cell(Reg::NCR) = transmission.collisions & 0x0F;
  if (transmission.collisions != 0) set_bits(Reg::TSR, TSR::COL);
  if (!out) {
    drop(DropReason::transmit_aborted);
    set_bits(Reg::TSR, TSR::ABT);
    raise(ISR::TXE);
    return;
  }
  set_bits(Reg::TSR, TSR::PTX);
  if (sent.wired) {
    ++counters_.tx_frames;
    counters_.tx_bytes += sent.frame.octets.size();
  } else if (loops_back()) {
    loop_back(sent.frame);
  } else {
    set_bits(Reg::TSR, TSR::CRS);
  }
  raise(ISR::PTX);
}

// What went out comes back into the FIFO, not into the ring: a ring of eight octets, in which the frame is followed by its
// length, the high octet twice. Reads begin at its first. The FCS that the chip appended is no good to itself (12.0).
void Rtl8019as::loop_back(const EthernetFrame& frame) {
  std::size_t at = 0;
  const auto put = [&](std::uint8_t octet) { fifo_[at++ % fifo_.size()] = octet; };
  for (const std::uint8_t octet : frame.octets) put(octet);
  for (std::size_t n = 0; n < fcs_octets; ++n) put(fcs_octet(frame, n));
  const std::size_t length = frame.wire_size();
  put(static_cast<std::uint8_t>(length));
  put(static_cast<std::uint8_t>(length >> 8));
  put(static_cast<std::uint8_t>(length >> 8));
  fifo_read_ = 0;
  const bool checked = is_set(Reg::TCR, TCR::CRC);
  cell(Reg::RSR) = checked && frame.fcs_ok() ? RSR::PRX : RSR::CRC;
  // Inside the chip there is neither carrier nor heartbeat to see, and both show as missing.
  switch (cell(Reg::TCR) & TCR::LB) {
    case TCR::LB0:
      set_bits(Reg::TSR, TSR::CDH | TSR::CRS);
      break;
    case TCR::LB1:
      set_bits(Reg::TSR, TSR::CDH);
      break;
    default:
      break;
  }
}

void Rtl8019as::abandon_transmission() {
  if (!outgoing_) return;
  drop(DropReason::transmit_aborted);
  wire_.abort_from_nic();
  scheduler_.cancel(unwired_event_);
  outgoing_.reset();
  update_leds();
}

}  // namespace avrlan
