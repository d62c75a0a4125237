#pragma once
// A guest by hand: frames crafted and read with libtins, which shares no code with the gateway under test.

#include <tins/tins.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nic-model/core/frame.hpp"

namespace avrlan::net {

inline const std::string guest_mac = "02:00:00:00:00:01";
inline const std::string gateway_mac = "52:55:0a:00:02:02";
inline const std::string guest_ip = "10.0.2.15";
inline const std::string gateway_ip = "10.0.2.2";

EthernetFrame to_frame(Tins::PDU& pdu);

EthernetFrame arp_request(const std::string& target, const std::string& sender = guest_ip);
EthernetFrame arp_reply();
EthernetFrame ping(const std::string& destination, std::uint16_t id, std::uint16_t sequence, const std::string& data);
EthernetFrame udp(const std::string& destination, std::uint16_t destination_port, std::uint16_t source_port,
                  const std::string& data);
EthernetFrame dhcp(Tins::DHCP::Flags type, const std::string& requested = "", const std::string& mac = guest_mac);

struct TcpFields {
  std::string destination = gateway_ip;
  std::uint16_t destination_port = 0;
  std::uint16_t source_port = 0;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgment = 0;
  std::uint16_t flags = 0;
  std::uint16_t window = 4096;
  std::uint16_t urgent_pointer = 0;
  std::uint16_t mss = 0;  // 0: no option
  std::string data = {};
};
EthernetFrame tcp(const TcpFields& fields);

// Changes octets of the IPv4 packet in `frame` (offset from the IP header on) and mends the IP header checksum and FCS.
EthernetFrame patched_ip(const EthernetFrame& frame, std::size_t offset, std::vector<std::uint8_t> octets);

// Keeps what arrives.
class Inbox : public FrameSink {
 public:
  void deliver(const EthernetFrame& frame) override { frames.push_back(frame); }
  // The first layer of this type, over all frames; the frames up to and with it are taken out. nullptr: none.
  template <class Layer>
  std::unique_ptr<Tins::EthernetII> take() {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      auto pdu = std::make_unique<Tins::EthernetII>(frames[i].octets.data(),
                                                    static_cast<std::uint32_t>(frames[i].octets.size()));
      if (pdu->find_pdu<Layer>()) {
        frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        return pdu;
      }
    }
    return nullptr;
  }
  std::vector<EthernetFrame> frames;
};

std::string text_of(Tins::PDU& pdu);
// `octets` as libtins would send them: with its own checksums, without padding.
std::vector<std::uint8_t> resent(const std::vector<std::uint8_t>& octets);
// Whether the segment in `pdu` has all of these flags.
bool has_flags(Tins::PDU& pdu, std::uint16_t flags);

}  // namespace avrlan::net
