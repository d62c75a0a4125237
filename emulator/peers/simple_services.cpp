#include "emulator/peers/simple_services.hpp"

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

namespace avrlan::peers {

namespace {

// Counts what comes.
class CountingSession : public TcpSession {
 public:
  explicit CountingSession(Traffic& traffic) : traffic_(traffic) { ++traffic_.connections; }
  void received(TcpLine&, std::span<const std::uint8_t> octets) override { traffic_.received += octets.size(); }

 protected:
  void send(TcpLine& line, std::span<const std::uint8_t> octets) {
    traffic_.sent += octets.size();
    line.send(octets);
  }

 private:
  Traffic& traffic_;
};

// What the other end does not take back fills our window.
class EchoSession : public CountingSession {
 public:
  using CountingSession::CountingSession;
  bool reads_late() const override { return true; }
  void received(TcpLine& line, std::span<const std::uint8_t> octets) override {
    CountingSession::received(line, octets);
    send(line, octets);
  }
  void writable(TcpLine& line) override {
    const std::size_t left = line.unacknowledged();
    line.read(sent_ - left - read_);
    read_ = sent_ - left;
  }

 private:
  void send(TcpLine& line, std::span<const std::uint8_t> octets) {
    sent_ += octets.size();
    CountingSession::send(line, octets);
  }
  std::size_t sent_ = 0;
  std::size_t read_ = 0;
};

class ChargenSession : public CountingSession {
 public:
  using CountingSession::CountingSession;
  void writable(TcpLine& line) override {
    std::array<std::uint8_t, 4096> octets{};
    while (line.unacknowledged() < 65'536) {
      for (auto& octet : octets) octet = chargen_octet(place_++);
      send(line, octets);
    }
  }
  void peer_closed(TcpLine& line) override { line.abort(); }

 private:
  std::uint64_t place_ = 0;
};

template <class Session>
void serve(Host& host, std::uint16_t port, Traffic& traffic) {
  host.listen(port, [&traffic] { return std::make_unique<Session>(traffic); });
}

void count(Traffic& traffic, const Datagram& datagram) {
  ++traffic.datagrams;
  traffic.received += datagram.data.size();
}

// Whether an answer could be answered for ever.
bool loops(const Datagram& datagram) {
  return datagram.broadcast || datagram.source_port == echo_port || datagram.source_port == chargen_port;
}

}  // namespace

nlohmann::ordered_json TrafficService::figures() const {
  return {{"connections", traffic_.connections},
          {"datagrams", traffic_.datagrams},
          {"received_bytes", traffic_.received},
          {"sent_bytes", traffic_.sent}};
}

EchoService::EchoService(Host& host) {
  serve<EchoSession>(host, echo_port, traffic_);
  host.receive_datagrams(echo_port, [this, &host](const Datagram& datagram) {
    count(traffic_, datagram);
    if (loops(datagram)) return;
    traffic_.sent += datagram.data.size();
    host.send_datagram(datagram.source, datagram.source_port, echo_port, {datagram.data.begin(), datagram.data.end()});
  });
}

DiscardService::DiscardService(Host& host) {
  serve<CountingSession>(host, discard_port, traffic_);
  host.receive_datagrams(discard_port, [this](const Datagram& datagram) { count(traffic_, datagram); });
}

std::uint8_t chargen_octet(std::uint64_t place) {
  constexpr std::uint64_t line = 74, printable = 95;
  const std::uint64_t column = place % line;
  if (column == 72) return '\r';
  if (column == 73) return '\n';
  return static_cast<std::uint8_t>(' ' + (place / line + column) % printable);
}

ChargenService::ChargenService(Host& host) {
  serve<ChargenSession>(host, chargen_port, traffic_);
  host.receive_datagrams(chargen_port, [this, &host](const Datagram& datagram) {
    count(traffic_, datagram);
    if (loops(datagram)) return;
    std::vector<std::uint8_t> octets(74);
    for (std::size_t i = 0; i != octets.size(); ++i) octets[i] = chargen_octet(i);
    traffic_.sent += octets.size();
    host.send_datagram(datagram.source, datagram.source_port, chargen_port, std::move(octets));
  });
}

}  // namespace avrlan::peers
