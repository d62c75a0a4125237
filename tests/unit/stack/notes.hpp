#ifndef AVRLAN_TESTS_UNIT_STACK_NOTES_HPP
#define AVRLAN_TESTS_UNIT_STACK_NOTES_HPP
// Applications for tests of TCP: they note what happens, and send what the test gives them.
#include <algorithm>
#include <string>

#include "stack/tcp/application.hpp"

namespace avrlan::test {

struct Notes : tcpip::TcpApplication {
  static constexpr uint16_t port = 80;
  std::string events;         // poll and acked are left out
  std::string data;           // received
  std::string stream;         // to be sent, from offset 0
  size_t take = 1 << 24;      // octets to read of the next segments
  uint16_t urgent = 0;        // the greatest seen
  bool close_at_end = false;  // when the stream has been produced
  bool answer_close = true;
  tcpip::Connection* connection = nullptr;

  template <class State>
  void event(tcpip::Connection& c, State&, tcpip::TcpEvent event) {
    static const char* const names[] = {"connected ", "", "", "peer_closed ", "closed ", "aborted ", "timed_out "};
    connection = &c;
    events += names[static_cast<int>(event)];
    if (event == tcpip::TcpEvent::peer_closed && answer_close) c.close();
  }
  template <class State, class Reader>
  void received(tcpip::Connection&, State&, Reader& reader) {
    if (reader.urgent > urgent) urgent = reader.urgent;
    std::string text(std::min<size_t>(reader.left(), take), 0);
    reader.read(text.data(), static_cast<uint16_t>(text.size()));
    take -= text.size();
    data += text;
  }
  template <class State, class Writer>
  void produce(tcpip::Connection& c, State&, uint32_t offset, Writer& writer) {
    if (offset < stream.size())
      writer.write(stream.data() + offset,
                   static_cast<uint16_t>(stream.size() - offset < 2000 ? stream.size() - offset : 2000));
    if (close_at_end && offset + writer.written() == stream.size()) c.close();
  }
};

inline std::string pattern(size_t n) {
  std::string text;
  for (size_t i = 0; i < n; ++i) text.push_back(static_cast<char>('a' + (i * 7 + i / 26) % 26));
  return text;
}

}  // namespace avrlan::test

#endif
