#include "emulator/peers/bad_input_client.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "emulator/net/packet.hpp"

namespace avrlan::peers {

namespace {

constexpr std::uint8_t echo_reply = 0, echo_request = 8;
constexpr std::uint16_t identifier = 0x4c49;
constexpr Duration rest = Duration::milliseconds(50);
constexpr Duration between_tries = Duration::milliseconds(500);
constexpr Duration try_limit = Duration::seconds(5);

}  // namespace

class BadInputClient::Probe : public TcpSession {
 public:
  explicit Probe(BadInputClient& client) : client_(client), limit_(client.scheduler()) {}
  void opening(TcpLine& line) override {
    limit_.start(try_limit, [this, &line] {
      line.abort();
      client_.connect();
    });
  }
  void connected(TcpLine& line) override {
    limit_.stop();
    line.abort();
    client_.alive();
  }
  void ended(TcpEnd) override {
    limit_.stop();
    client_.connect();
  }

 private:
  BadInputClient& client_;
  Timer limit_;
};

BadInputClient::BadInputClient(Host& host, const BadInputOptions& options)
    : Client(host, options.client), options_(options), timer_(host.scheduler()) {
  host.on_frame([this](const EthernetFrame& frame) {
    const std::span<const std::uint8_t> octets = frame.octets;
    if (!pinging_ || net::read16(octets, 12) != net::ethertype_ipv4) return;
    const auto packet = net::Packet::parse(octets.subspan(net::ethernet_header));
    const bool reply = packet && packet->protocol == net::protocol_icmp && packet->source == target() &&
                       packet->payload.size() >= 8 && packet->payload[0] == echo_reply;
    if (reply && net::read16(packet->payload, 4) == identifier) answered();
  });
}

void BadInputClient::begin(const MacAddress& mac) {
  target_mac_ = mac;
  classes_ = bad_frames({host_.options().mac, host_.address()}, {mac, target()},
                        options_.port != 0 ? options_.port : 80, options_.seed);
  play();
}

void BadInputClient::play() {
  if (class_ == classes_.size()) return finish();
  if (frame_ != classes_[class_].frames.size()) {
    host_.send_frame(classes_[class_].frames[frame_++]);
    ++frames_;
    return timer_.start(options_.gap, [this] { play(); });
  }
  timer_.start(rest, [this] {
    deadline_ = scheduler().now() + options_.patience;
    // What we ask for by ARP tells our own address once more, which frames with another one may have replaced (RFC 826).
    host_.find(target(), deadline_, [this](std::optional<MacAddress> mac) {
      if (!mac) return dead("no answer to ARP");
      ping();
    });
  });
}

void BadInputClient::ping() {
  if (is_too_late()) return dead("no answer to ping");
  pinging_ = true;
  std::vector<std::uint8_t> message(16);
  message[0] = echo_request;
  net::write16(message, 4, identifier);
  net::write16(message, 2, net::internet_checksum(message));
  host_.send_frame(
      net::make_ipv4_frame(target_mac_, host_.options().mac, host_.address(), target(), net::protocol_icmp, message));
  timer_.start(between_tries, [this] { ping(); });
}

void BadInputClient::answered() {
  pinging_ = false;
  timer_.stop();
  if (options_.port == 0) return alive();
  host_.connect(target(), options_.port, std::make_unique<Probe>(*this));
}

void BadInputClient::connect() {
  if (is_too_late()) return dead(fmt::format("no connection to port {}", options_.port));
  timer_.start(between_tries, [this] { host_.connect(target(), options_.port, std::make_unique<Probe>(*this)); });
}

void BadInputClient::alive() {
  ++class_;
  frame_ = 0;
  timer_.start(rest, [this] { play(); });
}

void BadInputClient::dead(const std::string& what) {
  fail(fmt::format("after {}: {}", classes_[class_].name, what));
  finish();
}

void BadInputClient::add_figures(nlohmann::ordered_json& json) const {
  auto survived = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i != class_; ++i) survived.push_back(classes_[i].name);
  json["frames"] = frames_;
  json["survived"] = survived;
}

}  // namespace avrlan::peers
