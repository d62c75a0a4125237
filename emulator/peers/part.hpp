#pragma once
// What a peer is for, besides ARP and ping: a service, or a client that drives the firmware.

#include <nlohmann/json_fwd.hpp>

namespace avrlan::peers {

class Part {
 public:
  virtual ~Part() = default;
  // What it has done up to now, for run.json.
  virtual nlohmann::ordered_json figures() const = 0;
};

}  // namespace avrlan::peers
