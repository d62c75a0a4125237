#pragma once
// Everything of a lab that is no board, in one time: switches, peers, and what reaches the host's network.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/lab/description.hpp"
#include "emulator/lab/node.hpp"
#include "emulator/lab/socket.hpp"
#include "emulator/net/backend.hpp"
#include "emulator/net/switch.hpp"
#include "emulator/peers/peer.hpp"

namespace avrlan::lab {

class FabricNode final : public Node {
 public:
  // Throws HostError: a backend that the host refuses.
  explicit FabricNode(const LabDescription& description);

  // Of a station that is here, for a cable to `other`; each call gives a switch another port.
  Socket socket(const std::string& station, const std::string& other);

  Instant now() const override { return scheduler_.now(); }
  const std::vector<net::HostBackend*>& hosts() const { return hosts_; }
  // At a barrier at `now`: takes what the hosts have to say, as HostBackend::poll_host(). Throws HostError.
  bool poll_hosts(Instant now, int milliseconds, int wake_fd);
  // The first that said something (HostBackend::name()); empty: none has.
  const std::string& host_that_spoke() const { return host_that_spoke_; }
  // Of the host that has most to say.
  net::HostState host_state() const;

  const peers::Peer& peer(const std::string& name) const { return *peers_.at(name).station; }
  // Each by name. A switch's ports are by who is behind them.
  nlohmann::ordered_json switches_json() const;
  nlohmann::ordered_json backends_json() const;
  nlohmann::ordered_json peers_json() const;

 private:
  // Takes a station's frames to its cable.
  struct Exit : FrameSink {
    FrameSink* to = nullptr;
    void deliver(const EthernetFrame& frame) override {
      if (to != nullptr) to->deliver(frame);
    }
  };
  template <class Station>
  struct WithExit {
    std::unique_ptr<Exit> exit = std::make_unique<Exit>();
    std::unique_ptr<Station> station;
  };

  Instant next_activity() const override { return scheduler_.next(); }
  void run(Instant end) override { scheduler_.run_until(end - Duration::picoseconds(1)); }
  Scheduler* scheduler() override { return &scheduler_; }

  Scheduler scheduler_;
  std::map<std::string, std::unique_ptr<net::Switch>> switches_;
  std::map<std::string, WithExit<net::Backend>> backends_;
  std::map<std::string, WithExit<peers::Peer>> peers_;
  std::vector<net::HostBackend*> hosts_;
  std::string host_that_spoke_;
  std::map<std::string, std::vector<net::MacPrefix>> fixed_;  // stations that are behind a backend alone
};

}  // namespace avrlan::lab
