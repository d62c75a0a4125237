#ifndef TCPIP_NETIF_ETHERNET_HPP
#define TCPIP_NETIF_ETHERNET_HPP
// The lowest layer: the driver, the buffer that the headers of the frame at hand are in, the addresses of the interface.
// Each layer derives from the one below; a frame climbs in Stack::receive.
#include <stdint.h>

#include "stack/base/counters.hpp"
#include "stack/base/keyed_hash.hpp"
#include "stack/base/time.hpp"
#include "stack/wire/packet.hpp"

namespace tcpip {

template <class Config>
class Ethernet {
 public:
  using Device = typename Config::Device;

  Device& device() { return device_; }
  const MacAddress& mac() const { return mac_; }
  Ipv4Address address() const { return network_.address; }
  Ipv4Address mask() const { return network_.mask; }
  Ipv4Address gateway() const { return network_.gateway; }
  Counters<Config::counters>& counters() { return counters_; }
  // 32 bits that nobody outside can predict.
  uint32_t random() { return hash_.random(); }
  // As Stack::poll was told last.
  uint32_t now_ms() const { return now_ms_; }

 protected:
  // Reads the headers of the open frame. False: too short, or not for us.
  bool ethernet_input(uint16_t length) {
    counters_.count_received();
    frame_length_ = length;
    const uint16_t headers = ethernet_size + ipv4_size + tcp_size;
    if (length >= ethernet_size + arp_size) {
      device_.rx_read(0, &packet_, length < headers ? length : headers);
      answering_ = true;
      link_group_ = packet_.ethernet.destination.is_group();
      if (!packet_.ethernet.source.is_group() && (link_group_ || packet_.ethernet.destination == mac_)) return true;
    }
    counters_.count(Drop::ethernet);
    return false;
  }

  __attribute__((noinline)) bool open(uint16_t reserve) {
    if (device_.tx_open(reserve)) return true;
    counters_.count(Drop::transmitter);
    return false;
  }

  // Writes the first `headers` octets of packet_ and sends `length` octets. The destination is in packet_ already.
  void ethernet_send(uint16_t type, uint16_t headers, uint16_t length) {
    packet_.ethernet.source = mac_;
    packet_.ethernet.type = type;
    device_.tx_patch(0, &packet_, headers);
    device_.tx_send(length);
    counters_.count_sent();
  }

  Device device_{};
  // The headers of the received frame, until they are overwritten by those of a frame being sent.
  Packet packet_{};
  bool answering_ = false;  // packet_ still holds the addresses of the received frame
  bool link_group_ = false;
  uint16_t frame_length_ = 0;
  uint16_t payload_offset_ = 0;  // of an IP datagram, in the open frame
  uint16_t payload_length_ = 0;
  MacAddress mac_{};
  Ipv4Network network_{};
  uint32_t now_ms_ = 0;
  Tick now_ = 0;  // the same in ticks
  KeyedHash hash_;
  Counters<Config::counters> counters_;
};

}  // namespace tcpip

#endif
