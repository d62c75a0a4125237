#pragma once
// What a peer is for, besides ARP and ping: a service, or a client that drives the firmware.

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "nic-model/core/time.hpp"

namespace avrlan::peers {

class Part {
 public:
  virtual ~Part() = default;
  // What it has done up to now, for run.json.
  virtual nlohmann::ordered_json figures() const = 0;
};

// Begins by itself, and ends.
class Client : public Part {
 public:
  bool is_finished() const { return finished_; }
  // Why it has failed; empty: it has not.
  const std::string& failure() const { return failure_; }
  // Called when it has begun to talk, and when it has ended.
  void on_start(std::function<void()> tell) { on_start_ = std::move(tell); }
  void on_finish(std::function<void()> tell) { on_finish_ = std::move(tell); }

 protected:
  void start();
  // The first reason counts.
  void fail(const std::string& why);
  void finish();

 private:
  bool finished_ = false;
  std::string failure_;
  std::function<void()> on_start_;
  std::function<void()> on_finish_;
};

}  // namespace avrlan::peers
