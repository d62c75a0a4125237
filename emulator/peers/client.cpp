#include "emulator/peers/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/net/address_text.hpp"
#include "emulator/peers/settings.hpp"

namespace avrlan::peers {

Client::Client(Host& host, const ClientOptions& options) : host_(host), options_(options), timer_(host.scheduler()) {
  timer_.start(options.start, [this] { look_for_target(); });
}

void Client::look_for_target() {
  const Instant deadline = Instant::at(options_.start) + options_.wait;
  const auto give_up = [this](const std::string& why) {
    fail(why);
    finish();
  };
  if (host_.address() == 0) {
    if (scheduler().now() >= deadline) return give_up("no address by DHCP");
    timer_.start(Duration::milliseconds(100), [this] { look_for_target(); });
    return;
  }
  host_.find(options_.target, deadline, [this, give_up](std::optional<MacAddress> mac) {
    if (!mac) return give_up(fmt::format("nobody answers ARP for {}", net::address_text(options_.target)));
    state_ = State::running;
    started_ = scheduler().now();
    if (on_start_) on_start_();
    begin(*mac);
  });
}

void Client::fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
}

void Client::finish() {
  if (state_ == State::finished) return;
  if (state_ == State::waiting) started_ = scheduler().now();
  state_ = State::finished;
  ended_ = scheduler().now();
  if (on_finish_) on_finish_();
}

nlohmann::ordered_json Client::figures() const {
  constexpr std::array<std::string_view, 3> names = {"waiting", "running", "finished"};
  nlohmann::ordered_json json = {{"state", names[static_cast<std::size_t>(state_)]}};
  if (state_ != State::waiting) json["started"] = started_.since_start().seconds();
  if (state_ == State::finished) json["ended"] = ended_.since_start().seconds();
  json["failure"] = failure_.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(failure_);
  add_figures(json);
  return json;
}

void TimeStatistics::add(Duration d) {
  least_ = count_ == 0 ? d : std::min(least_, d);
  most_ = std::max(most_, d);
  sum_ += d;
  ++count_;
}

nlohmann::ordered_json TimeStatistics::json() const {
  const double n = count_ == 0 ? 1 : static_cast<double>(count_);
  return {{"least", least_.seconds()}, {"mean", sum_.seconds() / n}, {"most", most_.seconds()}};
}

}  // namespace avrlan::peers
