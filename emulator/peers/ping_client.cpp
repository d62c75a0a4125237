#include "emulator/peers/ping_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/net/packet.hpp"

namespace avrlan::peers {

namespace {

constexpr std::uint16_t own_port = 50'007;
// RFC 792.
constexpr std::uint8_t echo_reply = 0, echo_request = 8;
constexpr std::size_t icmp_header = 8;
constexpr std::uint16_t identifier = 0x5049;

}  // namespace

PingClient::PingClient(Host& host, const PingOptions& options)
    : Client(host, options.client), options_(options), interval_(host.scheduler()), timeout_(host.scheduler()) {}

// The number, and octets that differ from their neighbours.
std::vector<std::uint8_t> PingClient::payload(std::uint32_t number) const {
  std::vector<std::uint8_t> octets(options_.size);
  for (std::size_t i = 4; i < octets.size(); ++i) octets[i] = static_cast<std::uint8_t>(number + i);
  net::write32(octets, 0, number);
  return octets;
}

void PingClient::begin(const MacAddress& mac) {
  target_mac_ = mac;
  next();
}

void PingClient::next() {
  const std::uint32_t number = sent_++;
  outstanding_[number] = scheduler().now();
  send(number, payload(number));
  if (sent_ != options_.count) return interval_.start(options_.interval, [this] { next(); });
  timeout_.start(options_.timeout, [this] {
    outstanding_.clear();
    finish_when_done();
  });
}

void PingClient::answered(std::span<const std::uint8_t> octets) {
  const std::uint32_t number = octets.size() < 4 ? options_.count : net::read32(octets, 0);
  const auto request = outstanding_.find(number);
  if (request == outstanding_.end()) return;
  const Duration took = scheduler().now() - request->second;
  if (!std::ranges::equal(octets, payload(number)))
    ++wrong_;
  else if (took <= options_.timeout)
    times_.add(took);
  outstanding_.erase(request);
  finish_when_done();
}

void PingClient::finish_when_done() {
  if (sent_ != options_.count || !outstanding_.empty()) return;
  timeout_.stop();
  if (wrong_ != 0) fail(fmt::format("{} answers of {} have other octets", wrong_, options_.count));
  const std::uint64_t lost = options_.count - times_.count();
  if (lost > options_.lost) fail(fmt::format("{} of {} lost", lost, options_.count));
  finish();
}

void PingClient::add_figures(nlohmann::ordered_json& json) const {
  json["sent"] = sent_;
  json["received"] = times_.count();
  json["lost"] = sent_ - times_.count() - outstanding_.size();
  json["seconds"] = times_.json();
}

IcmpPing::IcmpPing(Host& host, const PingOptions& options) : PingClient(host, options) {
  host.on_frame([this](const EthernetFrame& frame) {
    const std::span<const std::uint8_t> octets = frame.octets;
    if (net::read16(octets, 12) != net::ethertype_ipv4) return;
    const auto packet = net::Packet::parse(octets.subspan(net::ethernet_header));
    if (!packet || packet->protocol != net::protocol_icmp || packet->fragment || packet->source != target() ||
        packet->payload.size() < icmp_header)
      return;
    if (packet->payload[0] == echo_reply && net::read16(packet->payload, 4) == identifier)
      answered(packet->payload.subspan(icmp_header));
  });
}

void IcmpPing::send(std::uint32_t number, std::vector<std::uint8_t> payload) {
  std::vector<std::uint8_t> message(icmp_header);
  message[0] = echo_request;
  net::write16(message, 4, identifier);
  net::write16(message, 6, static_cast<std::uint16_t>(number));
  message.insert(message.end(), payload.begin(), payload.end());
  net::write16(message, 2, net::internet_checksum(message));
  host_.send_frame(
      net::make_ipv4_frame(target_mac_, host_.options().mac, host_.address(), target(), net::protocol_icmp, message));
}

UdpPing::UdpPing(Host& host, const PingOptions& options) : PingClient(host, options) {
  host.receive_datagrams(own_port, [this](const Datagram& datagram) {
    if (datagram.source == target() && datagram.source_port == options_.port) answered(datagram.data);
  });
}

void UdpPing::send(std::uint32_t, std::vector<std::uint8_t> payload) {
  host_.send_datagram(target(), options_.port, own_port, std::move(payload));
}

}  // namespace avrlan::peers
