#pragma once
// Peers and a board on one switch: what `--net peers` puts at the far end of the cable. Bit-exact: no socket, no wall clock.

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "emulator/net/backend.hpp"
#include "emulator/net/switch.hpp"
#include "emulator/peers/peer.hpp"

namespace avrlan::peers {

// `peers`, and before them a DHCP server at 10.0.2.2 and a name server at 10.0.2.3, as `--net user` has, where there is none
// among them; complete.
std::vector<PeerOptions> with_usual_servers(std::vector<PeerOptions> peers);

class PeerNetwork : public net::Backend {
 public:
  // `peers` are complete.
  PeerNetwork(Scheduler& scheduler, FrameSink& to_board, const std::vector<PeerOptions>& peers);

  // Of the board.
  void deliver(const EthernetFrame& frame) override { board_.deliver(frame); }
  const DropCounters& drops() const override;

  const std::vector<std::unique_ptr<Peer>>& peers() const { return peers_; }
  // There are clients, and each has ended.
  bool clients_are_done() const;
  // Called when a client has begun to talk, and when one has ended.
  void on_client(std::function<void(const Peer&)> tell);
  bool has_failed() const;

  // For run.json: one object a peer.
  nlohmann::ordered_json json() const;

 private:
  net::Switch switch_;
  net::Switch::Port& board_;
  std::vector<std::unique_ptr<Peer>> peers_;
  mutable DropCounters all_drops_;
};

}  // namespace avrlan::peers
