// Flow control, DS39662E 10.0: pause frames in full duplex, backpressure in half duplex.

#include "nic-model/core/frame_fields.hpp"
#include "nic-model/enc28j60/enc28j60.hpp"

namespace avrlan {

using namespace enc28j60;

namespace {

constexpr Duration pause_quantum = Duration::nanoseconds(51'200);  // 512 bit times (802.3 31B.2)
constexpr MacAddress pause_group{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
constexpr std::size_t timer_offset = header_octets + 2;

}  // namespace

// Register 10-1.
void Enc28j60::write_eflocon() {
  scheduler_.cancel(pause_repeat_);
  update_jam();
  if (!full_duplex()) return;
  switch (cell(Reg::EFLOCON) & EFLOCON::FCEN) {
    case 1:
      send_pause(pair(Reg::EPAUSL));
      clear_bits(Reg::EFLOCON, EFLOCON::FCEN);
      break;
    case 2:
      repeat_pause();
      break;
    case 3:
      send_pause(0);
      clear_bits(Reg::EFLOCON, EFLOCON::FCEN);
      break;
    default:
      break;
  }
}

// The next one goes out before the last has run out.
void Enc28j60::repeat_pause() {
  const std::uint16_t quanta = pair(Reg::EPAUSL);
  send_pause(quanta);
  if (quanta != 0) pause_repeat_ = scheduler_.after(pause_quantum * quanta / 2, [this] { repeat_pause(); });
}

void Enc28j60::send_pause(std::uint16_t quanta) {
  if (!is_set(Reg::MACON1, MACON1::TXPAUS) || !cable_ || !link_up()) return;
  std::vector<std::uint8_t> octets(pause_group.begin(), pause_group.end());
  const MacAddress own = station_address();
  octets.insert(octets.end(), own.begin(), own.end());
  for (const std::uint16_t word : {control_type, pause_opcode, quanta}) {
    octets.push_back(static_cast<std::uint8_t>(word >> 8));
    octets.push_back(static_cast<std::uint8_t>(word));
  }
  wire_.from_nic(EthernetFrame::padded(octets), nullptr);
}

// MACON1.RXPAUS: a pause frame for us holds back what is requested from now on, until its time is over (10.2).
void Enc28j60::obey_pause(const EthernetFrame& frame) {
  if (!is_set(Reg::MACON1, MACON1::RXPAUS) || !full_duplex() || !is_pause(frame.octets) || !frame.fcs_ok()) return;
  const MacAddress own = station_address();
  const auto addressed_to = [&frame](const MacAddress& address) {
    return std::equal(address.begin(), address.end(), frame.octets.begin());
  };
  if (!addressed_to(pause_group) && !addressed_to(own)) return;
  scheduler_.cancel(pause_event_);
  const std::uint16_t quanta = word_at(frame.octets, timer_offset);
  if (quanta != 0) {
    pause_event_ = scheduler_.after(pause_quantum * quanta, [this] {
      pause_event_ = {};
      try_transmission();
    });
  }
  try_transmission();
}

// 10.1: FCEN0 in half duplex jams the medium with preamble, except while a frame is to be sent.
bool Enc28j60::is_jamming() const {
  return !full_duplex() && (cell(Reg::EFLOCON) & 1) != 0 && cable_ && link_up();
}

void Enc28j60::update_jam() {
  wire_.set_jammed(is_jamming());
}

}  // namespace avrlan
