#include "emulator/peers/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/net/address_text.hpp"
#include "emulator/net/user_network.hpp"

namespace avrlan::peers {

std::vector<PeerOptions> with_usual_servers(std::vector<PeerOptions> peers) {
  using net::user_network::gateway, net::user_network::name_server;
  for (const auto& [kind, address] : {std::pair<std::string, std::uint32_t>{"dns", name_server}, {"dhcp", gateway}}) {
    if (std::ranges::find(peers, kind, &PeerOptions::kind) == peers.end())
      peers.insert(peers.begin(), PeerOptions::parse("--net peers", kind, {{"ip", net::address_text(address)}}));
  }
  complete(peers);
  return peers;
}

PeerNetwork::PeerNetwork(Scheduler& scheduler, FrameSink& to_board, const std::vector<PeerOptions>& peers)
    : switch_(scheduler), board_(switch_.add_port({.name = "board", .fixed = {}})) {
  board_.connect(to_board);
  const PeerOptions::Names names = names_of(peers);
  for (const PeerOptions& options : peers) {
    net::Switch::Port& port = switch_.add_port({.name = options.host.name, .fixed = {}});
    peers_.push_back(std::make_unique<Peer>(scheduler, port, options, names));
    port.connect(peers_.back()->host());
  }
}

const DropCounters& PeerNetwork::drops() const {
  all_drops_ = switch_.drops();
  for (const auto& peer : peers_) all_drops_ += peer->host().drops();
  return all_drops_;
}

bool PeerNetwork::clients_are_done() const {
  const auto is_client = [](const auto& peer) { return peer->client() != nullptr; };
  return std::ranges::any_of(peers_, is_client) && std::ranges::all_of(peers_, [&](const auto& peer) {
           return !is_client(peer) || peer->client()->state() == Client::State::finished;
         });
}

void PeerNetwork::on_client(std::function<void(const Peer&)> tell) {
  for (const auto& peer : peers_) {
    if (peer->client() == nullptr) continue;
    peer->client()->on_start([tell, &peer = *peer] { tell(peer); });
    peer->client()->on_finish([tell, &peer = *peer] { tell(peer); });
  }
}

bool PeerNetwork::has_failed() const {
  return std::ranges::any_of(
      peers_, [](const auto& peer) { return peer->client() != nullptr && !peer->client()->failure().empty(); });
}

nlohmann::ordered_json PeerNetwork::json() const {
  auto list = nlohmann::ordered_json::array();
  for (const auto& peer : peers_) list.push_back(peer->json());
  return list;
}

}  // namespace avrlan::peers
