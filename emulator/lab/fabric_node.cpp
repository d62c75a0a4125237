#include "emulator/lab/fabric_node.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/cli/report.hpp"

namespace avrlan::lab {

FabricNode::FabricNode(const LabDescription& description) : Node("fabric") {
  for (const auto& one : description.switches) switches_.emplace(one.name, std::make_unique<net::Switch>(scheduler_));
  for (const auto& one : description.backends) {
    auto& backend = backends_[one.name];
    backend.station = one.place.located([&] { return net::make_far_end(one.net, scheduler_, *backend.exit); });
    if (auto* const host = dynamic_cast<net::HostBackend*>(backend.station.get())) hosts_.push_back(host);
    // The gateway and its servers are 52:55 and their IPv4 address.
    if (std::holds_alternative<net::GatewayOptions>(one.net)) fixed_[one.name] = {{{0x52, 0x55}, 2}};
  }
  std::vector<peers::PeerOptions> options;
  for (const auto& one : description.peers) options.push_back(one.options);
  const auto names = peers::names_of(options);
  for (const auto& one : description.peers) {
    auto& peer = peers_[one.options.host.name];
    peer.station =
        one.place.located([&] { return std::make_unique<peers::Peer>(scheduler_, *peer.exit, one.options, names); });
  }
  refresh();
}

Socket FabricNode::socket(const std::string& station, const std::string& other) {
  const auto with_exit = [this](const auto& one, FrameSink& entry) {
    return Socket{this, &entry, [exit = one.exit.get()](FrameSink& to) { exit->to = &to; }};
  };
  if (const auto backend = backends_.find(station); backend != backends_.end())
    return with_exit(backend->second, *backend->second.station);
  if (const auto peer = peers_.find(station); peer != peers_.end())
    return with_exit(peer->second, peer->second.station->host());
  const auto fixed = fixed_.find(other);
  net::Switch::Port& port =
      switches_.at(station)->add_port({other, fixed == fixed_.end() ? std::vector<net::MacPrefix>{} : fixed->second});
  return {this, &port, [&port](FrameSink& to) { port.connect(to); }};
}

bool FabricNode::poll_hosts(Instant now, int milliseconds, int wake_fd) {
  scheduler_.run_until(now - Duration::picoseconds(1));
  bool spoke = false;
  for (auto* const host : hosts_) {
    // With several each has its turn of waiting.
    if (!host->poll_host(hosts_.size() == 1 ? milliseconds : std::min(milliseconds, 1), wake_fd)) continue;
    spoke = true;
    if (host_that_spoke_.empty()) host_that_spoke_ = host->name();
  }
  refresh();
  return spoke;
}

net::HostState FabricNode::host_state() const {
  auto state = net::HostState::idle;
  for (const auto* const host : hosts_) state = std::max(state, host->host_state());
  return state;
}

nlohmann::ordered_json FabricNode::backends_json() const {
  auto backends = nlohmann::ordered_json::object();
  for (const auto& [name, one] : backends_) backends[name] = {{"drops", drops_json(one.station->drops())}};
  return backends;
}

nlohmann::ordered_json FabricNode::peers_json() const {
  auto all = nlohmann::ordered_json::object();
  for (const auto& [name, one] : peers_) all[name] = one.station->json();
  return all;
}

nlohmann::ordered_json FabricNode::switches_json() const {
  auto switches = nlohmann::ordered_json::object();
  for (const auto& [name, one] : switches_) {
    auto ports = nlohmann::ordered_json::object();
    for (const auto& port : one->ports()) {
      const net::SwitchPortCounters& counters = port->counters();
      ports[port->name()] = {{"in_frames", counters.received_frames}, {"in_bytes", counters.received_octets},
                             {"out_frames", counters.sent_frames},    {"out_bytes", counters.sent_octets},
                             {"flooded", counters.flooded},           {"moved", counters.moved},
                             {"not_learnt", counters.not_learnt},     {"drops", drops_json(counters.drops)}};
    }
    switches[name] = {{"ports", ports}};
  }
  return switches;
}

}  // namespace avrlan::lab
