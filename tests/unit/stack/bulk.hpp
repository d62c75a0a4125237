#ifndef AVRLAN_TESTS_UNIT_STACK_BULK_HPP
#define AVRLAN_TESTS_UNIT_STACK_BULK_HPP
// A long stream each way that both ends make and check, and keep none of.
#include <algorithm>
#include <cstdint>

#include "stack/tcp/application.hpp"

namespace avrlan::test {

constexpr uint32_t bulk_length = 1 << 20;

// The octet at a place of the stream that `who` sends.
inline uint8_t bulk_octet(uint8_t who, uint32_t place) {
  const uint32_t x = (place + who * 0x51ed27u) * 0x9e3779b1u;
  return static_cast<uint8_t>(x >> 24);
}

struct Bulk : tcpip::TcpApplication {
  static constexpr uint16_t port = 5001;
  uint8_t us = 0;
  uint32_t length = 0;  // to be sent
  uint32_t received_octets = 0;
  uint32_t wrong_octets = 0;
  uint32_t produced = 0;  // octets, those of repetitions too
  bool ended = false;
  tcpip::TcpEvent end = tcpip::TcpEvent::poll;

  template <class State>
  void event(tcpip::Connection&, State&, tcpip::TcpEvent event) {
    if (event < tcpip::TcpEvent::closed) return;
    ended = true;
    end = event;
  }
  template <class State, class Reader>
  void received(tcpip::Connection&, State&, Reader& reader) {
    const uint8_t peer = us ^ 1;
    while (reader.left()) {
      uint8_t octets[256];
      const uint16_t n = reader.read(octets, sizeof octets);
      for (uint16_t i = 0; i < n; ++i) wrong_octets += octets[i] != bulk_octet(peer, received_octets++);
    }
  }
  template <class C, class State, class Writer>
  void produce(C& c, State&, uint32_t offset, Writer& writer) {
    while (writer.room() && offset < length) {
      uint8_t octets[256];
      const auto n = static_cast<uint16_t>(std::min<uint32_t>({writer.room(), length - offset, sizeof octets}));
      for (uint16_t i = 0; i < n; ++i) octets[i] = bulk_octet(us, offset + i);
      writer.write(octets, n);
      offset += n;
      produced += n;
    }
    if (offset >= length) c.close();
  }
};

}  // namespace avrlan::test

#endif
