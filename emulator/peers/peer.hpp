#pragma once
// A peer, from what a person says of it: a host and what it is for.

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/peers/client.hpp"
#include "emulator/peers/host.hpp"
#include "emulator/peers/settings.hpp"

namespace avrlan::peers {

struct PeerOptions {
  // What a name server is to know of the others on the network, by name.
  using Names = std::map<std::string, std::uint32_t>;

  std::string where;  // for messages: "--peer http"
  std::string kind;
  HostOptions host;
  bool by_dhcp = false;
  bool is_client = false;
  std::function<std::unique_ptr<Part>(Host&, const Names&)> make;

  // `where` begins every message. Throws UsageError: unknown kind or key, a value that is wrong, no such directory.
  static PeerOptions parse(const std::string& where, const std::string& kind, KeyValues values);
  // KIND,key=value,key=value, as --peer has it.
  static PeerOptions parse(std::string_view text);
};

// Gives those who have none a name (their kind), a MAC address and an IP address: dhcp 10.0.2.2, dns 10.0.2.3, the others
// from 10.0.2.100 on. Throws UsageError when two have the same.
void complete(std::vector<PeerOptions>& peers);
// The addresses of `peers` by name.
PeerOptions::Names names_of(const std::vector<PeerOptions>& peers);

class Peer {
 public:
  // `options` are complete. It sends to `out`, from inside events of `scheduler` only.
  Peer(Scheduler& scheduler, FrameSink& out, const PeerOptions& options, const PeerOptions::Names& names);

  Host& host() { return host_; }
  const Host& host() const { return host_; }
  const Part& part() const { return *part_; }
  // nullptr: it is a service.
  Client* client() { return client_; }
  const Client* client() const { return client_; }
  // "name", "kind", "address", "mac", and the figures of what it is for.
  nlohmann::ordered_json json() const;

 private:
  std::string kind_;
  Host host_;
  std::unique_ptr<Part> part_;
  Client* client_;
};

// Kinds and their keys, for --help.
std::string peers_help();

}  // namespace avrlan::peers
