#include "emulator/net/packet_backend.hpp"

#include "emulator/net/packet.hpp"

namespace avrlan::net {

void PacketBackend::deliver(const EthernetFrame& frame) {
  if (!frame.fcs_ok()) {
    drops_.count(DropReason::bad_fcs);
  } else if (frame.octets.size() < min_frame_octets) {
    drops_.count(DropReason::runt);
  } else if (frame.octets.size() > max_frame_octets) {
    drops_.count(DropReason::giant);
  } else {
    send(frame.octets);
  }
}

bool PacketBackend::poll_host(int milliseconds, int wake_fd) {
  pollfd fds[] = {awaited(), {wake_fd, POLLIN, 0}};
  received_ = false;
  if (::poll(fds, 2, milliseconds) > 0 && fds[0].revents != 0) ready(fds[0].revents);
  return received_;
}

void PacketBackend::receive(std::span<const std::uint8_t> octets) {
  if (octets.size() > max_frame_octets) {
    drops_.count(DropReason::giant);
  } else if (octets.size() < ethernet_header) {
    drops_.count(DropReason::malformed);
  } else {
    received_ = true;
    outbox_.put(EthernetFrame::padded(octets));
  }
}

}  // namespace avrlan::net
