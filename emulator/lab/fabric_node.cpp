#include "emulator/lab/fabric_node.hpp"

#include <nlohmann/json.hpp>

#include "emulator/cli/report.hpp"

namespace avrlan::lab {

FabricNode::FabricNode(const LabDescription& description) : Node("fabric") {
  for (const auto& one : description.switches) switches_.emplace(one.name, std::make_unique<net::Switch>(scheduler_));
  refresh();
}

Socket FabricNode::socket(const std::string& station, const std::string& other) {
  net::Switch::Port& port = switches_.at(station)->add_port({other, {}});
  return {this, &port, [&port](FrameSink& to) { port.connect(to); }};
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
