#include "emulator/peers/port_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace avrlan::peers {

class PortScan::Session : public TcpSession {
 public:
  Session(PortScan& scan, std::uint16_t port) : scan_(scan), port_(port), timer_(scan.scheduler()) {}

  void opening(TcpLine& line) override {
    timer_.start(scan_.options_.timeout, [this, &line] {
      line.abort();
      scan_.done(port_, Outcome::silent);
    });
  }
  void connected(TcpLine& line) override {
    timer_.stop();
    line.abort();
    scan_.done(port_, Outcome::open);
  }
  void ended(TcpEnd end) override {
    timer_.stop();
    scan_.done(port_, end == TcpEnd::reset ? Outcome::closed : Outcome::silent);
  }

 private:
  PortScan& scan_;
  std::uint16_t port_;
  Timer timer_;
};

PortScan::PortScan(Host& host, const PortScanOptions& options) : Client(host, options.client), options_(options) {}

void PortScan::begin(const MacAddress&) {
  for (std::uint32_t i = 0; i != options_.parallel && begun_ != options_.ports.size(); ++i) next();
}

void PortScan::next() {
  const std::uint16_t port = options_.ports[begun_++];
  host_.connect(target(), port, std::make_unique<Session>(*this, port));
}

void PortScan::done(std::uint16_t port, Outcome outcome) {
  outcomes_[port] = outcome;
  const bool expected = !options_.expected || options_.expected->contains(port) == (outcome == Outcome::open);
  if (!expected) fail(fmt::format("port {} is {}open", port, outcome == Outcome::open ? "" : "not "));
  if (outcomes_.size() == options_.ports.size())
    finish();
  else if (begun_ != options_.ports.size())
    next();
}

void PortScan::add_figures(nlohmann::ordered_json& json) const {
  auto list = [this](Outcome wanted) {
    auto ports = nlohmann::ordered_json::array();
    for (const auto& [port, outcome] : outcomes_)
      if (outcome == wanted) ports.push_back(port);
    return ports;
  };
  json["open"] = list(Outcome::open);
  json["closed"] = list(Outcome::closed).size();
  json["silent"] = list(Outcome::silent);
}

}  // namespace avrlan::peers
