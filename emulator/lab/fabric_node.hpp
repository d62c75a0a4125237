#pragma once
// Everything of a lab that is no board, in one time: the switches.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "emulator/lab/description.hpp"
#include "emulator/lab/node.hpp"
#include "emulator/lab/socket.hpp"
#include "emulator/net/switch.hpp"

namespace avrlan::lab {

class FabricNode final : public Node {
 public:
  explicit FabricNode(const LabDescription& description);

  // Of a station that is here, for a cable to `other`; each call gives a switch another port.
  Socket socket(const std::string& station, const std::string& other);

  Instant now() const override { return scheduler_.now(); }
  // By name, and their ports by who is behind them.
  nlohmann::ordered_json switches_json() const;

 private:
  Instant next_activity() const override { return scheduler_.next(); }
  void run(Instant end) override { scheduler_.run_until(end - Duration::picoseconds(1)); }
  Scheduler* scheduler() override { return &scheduler_; }

  Scheduler scheduler_;
  std::map<std::string, std::unique_ptr<net::Switch>> switches_;
};

}  // namespace avrlan::lab
