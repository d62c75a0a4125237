#pragma once
// Sends and receives a stream over one TCP connection, and closes it when both are done.

#include "emulator/peers/client.hpp"

namespace avrlan::peers {

// Octets.
struct StreamOptions {
  ClientOptions client;
  std::uint16_t port = 7;
  std::uint64_t up = 0;     // to be sent; octet i is the exclusive or of the four octets of i
  std::uint64_t down = 0;   // to be received
  std::uint64_t chunk = 0;  // written at a time, the next when they are acknowledged; 0: as the windows let it
  std::uint64_t rate = 0;   // read a second, so that our window closes; 0: at once
  bool echo = false;        // what comes has to be what was sent
  Duration timeout = Duration::seconds(120);
};

class StreamClient : public Client {
 public:
  StreamClient(Host& host, const StreamOptions& options);

 protected:
  void begin(const MacAddress& mac) override;
  void add_figures(nlohmann::ordered_json& json) const override;

 private:
  class Session;

  StreamOptions options_;
  std::uint64_t acknowledged_ = 0, received_ = 0;
  Instant connected_, done_;
};

}  // namespace avrlan::peers
