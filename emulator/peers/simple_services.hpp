#pragma once
// Echo, discard and the character generator, by TCP and by UDP (RFC 862, 863, 864).

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/peers/host.hpp"
#include "emulator/peers/part.hpp"

namespace avrlan::peers {

inline constexpr std::uint16_t echo_port = 7, discard_port = 9, chargen_port = 19;

// What a service has received and sent, by both.
struct Traffic {
  std::uint64_t connections = 0;
  std::uint64_t datagrams = 0;
  std::uint64_t received = 0;  // octets
  std::uint64_t sent = 0;      // octets
};

class TrafficService : public Part {
 public:
  nlohmann::ordered_json figures() const override;

 protected:
  Traffic traffic_;
};

// A datagram is echoed unless it was sent to everybody, or comes from a port that would answer the answer.
class EchoService : public TrafficService {
 public:
  explicit EchoService(Host& host);
};

class DiscardService : public TrafficService {
 public:
  explicit DiscardService(Host& host);
};

// The octet at a place of the stream: lines of 72 printable characters, each a character on from the one before (RFC 864 2).
std::uint8_t chargen_octet(std::uint64_t place);

// By UDP each datagram is answered by one with 74 octets.
class ChargenService : public TrafficService {
 public:
  explicit ChargenService(Host& host);
};

}  // namespace avrlan::peers
