#include "emulator/peers/dhcp_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/net/address_text.hpp"
#include "emulator/net/packet.hpp"
#include "emulator/net/user_network.hpp"
#include "emulator/peers/settings.hpp"

namespace avrlan::peers {

namespace {

// RFC 2131 section 2, figure 1.
constexpr std::size_t xid_at = 4, flags_at = 10, ciaddr_at = 12, yiaddr_at = 16, giaddr_at = 24, chaddr_at = 28;
constexpr std::size_t cookie_at = 236, options_at = 240, least_message = 300;
constexpr std::uint32_t cookie = 0x63825363;
constexpr std::uint16_t server_port = net::user_network::dhcp_server_port, client_port = 68;

constexpr std::uint8_t discover_type = 1, offer_type = 2, request_type = 3, decline_type = 4, ack_type = 5,
                       nak_type = 6, release_type = 7, inform_type = 8;
// RFC 2132.
constexpr std::uint8_t option_pad = 0, option_mask = 1, option_router = 3, option_dns = 6, option_requested = 50,
                       option_lease = 51, option_type = 53, option_server = 54, option_t1 = 58, option_t2 = 59,
                       option_end = 255;

void put(std::vector<std::uint8_t>& octets, std::uint8_t code, std::uint32_t value) {
  std::array<std::uint8_t, 6> option{code, 4};
  net::write32(option, 2, value);
  octets.insert(octets.end(), option.begin(), option.end());
}

}  // namespace

// A request, as far as a server needs it.
struct DhcpServer::Message {
  std::span<const std::uint8_t> octets;
  std::uint8_t type = 0;
  MacAddress client{};
  std::uint32_t current = 0;    // ciaddr
  std::uint32_t requested = 0;  // option 50
  std::uint32_t server = 0;     // option 54

  static std::optional<Message> parse(std::span<const std::uint8_t> octets) {
    const bool ethernet = octets.size() >= options_at && octets[0] == 1 && octets[1] == 1 && octets[2] == 6;
    if (!ethernet || net::read32(octets, cookie_at) != cookie) return std::nullopt;
    Message message;
    message.octets = octets;
    std::ranges::copy(octets.subspan(chaddr_at, message.client.size()), message.client.begin());
    message.current = net::read32(octets, ciaddr_at);
    for (std::size_t at = options_at; at < octets.size() && octets[at] != option_end;) {
      if (octets[at] == option_pad) {
        ++at;
        continue;
      }
      if (at + 2 > octets.size() || at + 2 + octets[at + 1] > octets.size()) return std::nullopt;
      message.take(octets[at], octets.subspan(at + 2, octets[at + 1]));
      at += 2u + octets[at + 1];
    }
    return message;
  }

 private:
  void take(std::uint8_t code, std::span<const std::uint8_t> value) {
    if (code == option_type && value.size() == 1) type = value[0];
    if (code == option_requested && value.size() == 4) requested = net::read32(value, 0);
    if (code == option_server && value.size() == 4) server = net::read32(value, 0);
  }
};

DhcpServer::DhcpServer(Host& host, const DhcpServerOptions& options) : host_(host), options_(options) {
  host.receive_datagrams(server_port, [this](const Datagram& datagram) { received(datagram); });
}

bool DhcpServer::in_pool(std::uint32_t address) const {
  return address - options_.first < options_.count && !declined_.contains(address);
}
bool DhcpServer::is_taken(std::uint32_t address, const MacAddress& by_other_than) const {
  return std::ranges::any_of(
      leases_, [&](const auto& lease) { return lease.second == address && lease.first != by_other_than; });
}

std::uint32_t DhcpServer::address_for(const Message& message) const {
  if (const auto lease = leases_.find(message.client); lease != leases_.end()) return lease->second;
  if (in_pool(message.requested) && !is_taken(message.requested, message.client)) return message.requested;
  for (std::uint32_t i = 0; i != options_.count; ++i) {
    const std::uint32_t address = options_.first + i;
    if (in_pool(address) && !is_taken(address, message.client)) return address;
  }
  return 0;
}

void DhcpServer::received(const Datagram& datagram) {
  const auto message = Message::parse(datagram.data);
  if (!message) return;
  // RFC 2131 4.3.2: a request that names another server is for that one.
  if (message->server != 0 && message->server != host_.address()) return;
  switch (message->type) {
    case discover_type:
      return discover(*message);
    case request_type:
      return request(*message);
    case decline_type:
      declined_.insert(message->requested);
      leases_.erase(message->client);
      return;
    case release_type:
      leases_.erase(message->client);
      return;
    case inform_type:
      return reply(*message, ack_type, 0);
    default:
      return;
  }
}

void DhcpServer::discover(const Message& message) {
  const std::uint32_t address = address_for(message);
  if (address == 0) return;
  leases_[message.client] = address;
  reply(message, offer_type, address);
}

void DhcpServer::request(const Message& message) {
  const std::uint32_t wanted = message.requested != 0 ? message.requested : message.current;
  if (in_pool(wanted) && !is_taken(wanted, message.client)) {
    leases_[message.client] = wanted;
    reply(message, ack_type, wanted);
  } else {
    reply(message, nak_type, 0);
  }
}

void DhcpServer::reply(const Message& message, std::uint8_t type, std::uint32_t address) {
  std::vector<std::uint8_t> octets(options_at);
  // op BOOTREPLY, htype, hlen; xid, flags, giaddr and chaddr are the client's.
  octets[0] = 2;
  octets[1] = 1;
  octets[2] = 6;
  for (const auto& [at, n] : {std::pair{xid_at, 4}, {flags_at, 2}, {giaddr_at, 4}, {chaddr_at, 16}})
    std::ranges::copy(message.octets.subspan(at, static_cast<std::size_t>(n)),
                      octets.begin() + static_cast<std::ptrdiff_t>(at));
  if (type != nak_type) net::write32(octets, ciaddr_at, message.current);
  net::write32(octets, yiaddr_at, address);
  net::write32(octets, cookie_at, cookie);
  octets.insert(octets.end(), {option_type, 1, type});
  put(octets, option_server, host_.address());
  if (type != nak_type) {
    put(octets, option_mask, host_.options().mask);
    if (options_.router != 0) put(octets, option_router, options_.router);
    if (options_.dns != 0) put(octets, option_dns, options_.dns);
  }
  if (address != 0) {
    put(octets, option_lease, options_.lease);
    put(octets, option_t1, options_.lease / 2);
    put(octets, option_t2, options_.lease - options_.lease / 8);
  }
  octets.push_back(option_end);
  octets.resize(std::max(octets.size(), least_message));
  offers_ += type == offer_type ? 1u : 0u;
  acks_ += type == ack_type ? 1u : 0u;
  naks_ += type == nak_type ? 1u : 0u;
  // RFC 2131 4.1: to the address that the client has, or to everybody.
  const bool has_address = message.current != 0 && type != nak_type;
  host_.send_datagram(has_address ? message.current : 0xffffffff, client_port, server_port, std::move(octets));
}

nlohmann::ordered_json DhcpServer::figures() const {
  auto leases = nlohmann::ordered_json::object();
  for (const auto& [mac, address] : leases_) leases[net::mac_text(mac)] = net::address_text(address);
  return {{"offers", offers_}, {"acks", acks_}, {"naks", naks_}, {"leases", leases}};
}

}  // namespace avrlan::peers
