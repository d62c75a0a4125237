#pragma once
// Opens a TCP connection to each of some ports, and resets those that are accepted.

#include <map>
#include <set>
#include <vector>

#include "emulator/peers/client.hpp"

namespace avrlan::peers {

struct PortScanOptions {
  ClientOptions client;
  std::vector<std::uint16_t> ports;
  std::uint32_t parallel = 8;
  Duration timeout = Duration::seconds(3);          // a port that has said nothing by then is silent
  std::optional<std::set<std::uint16_t>> expected;  // anything else open, or one of these not, is a failure
};

class PortScan : public Client {
 public:
  PortScan(Host& host, const PortScanOptions& options);

 protected:
  void begin(const MacAddress& mac) override;
  void add_figures(nlohmann::ordered_json& json) const override;

 private:
  enum class Outcome : std::uint8_t { open, closed, silent };
  class Session;

  void next();
  void done(std::uint16_t port, Outcome outcome);

  PortScanOptions options_;
  std::size_t begun_ = 0;
  std::map<std::uint16_t, Outcome> outcomes_;
};

}  // namespace avrlan::peers
