#pragma once
// A client that drives a firmware: begins when its target is there, ends by itself, and says whether all went well.

#include <functional>
#include <string>

#include "emulator/peers/host.hpp"
#include "emulator/peers/part.hpp"
#include "emulator/peers/timer.hpp"

namespace avrlan::peers {

struct ClientOptions {
  std::uint32_t target = 0;               // in host byte order
  Duration start;                         // not before this virtual time
  Duration wait = Duration::seconds(30);  // from then on, so long for the target to answer ARP
};

class Client : public Part {
 public:
  enum class State : std::uint8_t { waiting, running, finished };

  Client(Host& host, const ClientOptions& options);

  State state() const { return state_; }
  // Why it has failed; empty: it has not.
  const std::string& failure() const { return failure_; }
  // Called when the target is there and the client begins to talk, and when it has ended.
  void on_start(std::function<void()> tell) { on_start_ = std::move(tell); }
  void on_finish(std::function<void()> tell) { on_finish_ = std::move(tell); }

  // "state", "started" and "ended" in seconds, "failure", and then what it has measured.
  nlohmann::ordered_json figures() const final;

 protected:
  // The target is there, at this MAC address.
  virtual void begin(const MacAddress& mac) = 0;
  virtual void add_figures(nlohmann::ordered_json& json) const = 0;

  // The first reason counts.
  void fail(const std::string& why);
  void finish();
  std::uint32_t target() const { return options_.target; }
  Scheduler& scheduler() const { return host_.scheduler(); }

  Host& host_;

 private:
  void look_for_target();

  ClientOptions options_;
  State state_ = State::waiting;
  std::string failure_;
  Instant started_, ended_;
  std::function<void()> on_start_, on_finish_;
  Timer timer_;
};

// Least, mean and largest of times; all 0 when there is none.
class TimeStatistics {
 public:
  void add(Duration d);
  std::uint64_t count() const { return count_; }
  nlohmann::ordered_json json() const;  // in seconds

 private:
  std::uint64_t count_ = 0;
  Duration least_, most_, sum_;
};

}  // namespace avrlan::peers
