#pragma once
// Frames for the gateway's fuzzer: plausible ones of every kind that a firmware sends, and mutations of them.

#include <cstdint>
#include <random>
#include <vector>

#include "emulator/net/packet.hpp"
#include "nic-model/core/frame.hpp"

namespace avrlan::fuzz {

// std::mt19937_64 gives the same numbers everywhere; the standard's distributions do not, so none is used.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t number() { return engine_(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class Container>
  auto pick(const Container& from) {
    return from[below(from.size())];
  }
  std::vector<std::uint8_t> octets(std::size_t count);

 private:
  std::mt19937_64 engine_;
};

// What the board has learnt from the gateway: connections whose numbers fit, so that mutations reach deep states.
struct Conversation {
  std::uint8_t protocol = 0;
  std::uint32_t peer = 0;
  std::uint16_t peer_port = 0;
  std::uint16_t own_port = 0;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgment = 0;
};

class FrameMaker {
 public:
  explicit FrameMaker(Dice& dice) : dice_(dice) {}

  // Learns from a frame that the gateway has sent to the board.
  void learn(const EthernetFrame& frame);
  // The next frame: plausible, mutated (half of those with their checksums mended), or noise.
  EthernetFrame next();

 private:
  std::uint32_t near_wrap();
  std::vector<std::uint8_t> plausible();
  std::vector<std::uint8_t> arp();
  std::vector<std::uint8_t> dhcp();
  std::vector<std::uint8_t> tftp();
  std::vector<std::uint8_t> ping();
  std::vector<std::uint8_t> datagram();
  std::vector<std::uint8_t> first_segment();
  std::vector<std::uint8_t> answer();
  std::vector<std::uint8_t> udp(std::uint32_t to, std::uint16_t from_port, std::uint16_t to_port,
                                const std::vector<std::uint8_t>& data, std::uint32_t from);
  std::vector<std::uint8_t> tcp(const Conversation& of, std::uint8_t flags, const std::vector<std::uint8_t>& data);
  std::vector<std::uint8_t> ip(std::uint32_t to, std::uint8_t protocol, const std::vector<std::uint8_t>& payload,
                               std::uint32_t from);
  void mutate(std::vector<std::uint8_t>& octets);

  Dice& dice_;
  std::vector<Conversation> conversations_;
};

// Sets total length (when `lengths`), header checksum and the checksum of TCP, UDP or ICMP as far as the octets go.
void mend(std::vector<std::uint8_t>& frame, bool lengths);

}  // namespace avrlan::fuzz
