#pragma once
// Plays classes of bad frames (bad_frames.hpp), and after each of them asks whether the target is still alive: by ARP, by
// ping, and by a TCP connection where it listens.

#include <string>
#include <vector>

#include "emulator/peers/bad_frames.hpp"
#include "emulator/peers/client.hpp"

namespace avrlan::peers {

struct BadInputOptions {
  ClientOptions client;
  std::uint16_t port = 0;                      // 0: no TCP port is tried
  Duration gap = Duration::milliseconds(2);    // between frames
  Duration patience = Duration::seconds(100);  // for signs of life: a flood of SYN may fill a table for that long
  std::uint64_t seed = 1;
};

class BadInputClient : public Client {
 public:
  BadInputClient(Host& host, const BadInputOptions& options);

 protected:
  void begin(const MacAddress& mac) override;
  void add_figures(nlohmann::ordered_json& json) const override;

 private:
  class Probe;

  void play();
  void ping();
  void answered();
  void connect();
  void alive();
  void dead(const std::string& what);
  bool is_too_late() const { return scheduler().now() >= deadline_; }

  BadInputOptions options_;
  MacAddress target_mac_{};
  std::vector<BadClass> classes_;
  std::size_t class_ = 0, frame_ = 0, frames_ = 0;
  bool pinging_ = false;
  Instant deadline_;
  Timer timer_;
};

}  // namespace avrlan::peers
