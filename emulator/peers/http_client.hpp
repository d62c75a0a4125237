#pragma once
// Gets a page of the firmware's, again and again, over one or more connections at a time (HTTP/1.0, RFC 1945).
// Not modelled: redirects, persistent connections, chunked bodies, names instead of addresses.

#include <string>
#include <vector>

#include "emulator/peers/client.hpp"

namespace avrlan::peers {

struct HttpClientOptions {
  ClientOptions client;
  std::string host;  // of the URL, as it was written
  std::uint16_t port = 80;
  std::string path = "/";
  std::uint32_t count = 1;
  std::uint32_t parallel = 1;
  Duration gap;                              // between the end of a request and the next one of the same connection
  Duration timeout = Duration::seconds(60);  // of one request
  int status = 200;                          // what else comes is a failure
};

class HttpClient : public Client {
 public:
  struct Result {
    Instant started;
    Duration took;
    int status = 0;  // 0: no answer
    std::uint64_t bytes = 0;
    std::uint32_t crc32 = 0;  // of the body, as the FCS
    std::string failure;
  };

  HttpClient(Host& host, const HttpClientOptions& options);
  const std::vector<Result>& results() const { return results_; }

 protected:
  void begin(const MacAddress& mac) override;
  void add_figures(nlohmann::ordered_json& json) const override;

 private:
  class Session;

  void request(std::uint32_t worker, Duration after);
  void done(std::uint32_t worker, const Result& result);

  HttpClientOptions options_;
  std::uint32_t begun_ = 0;
  std::vector<Result> results_;               // in the order in which they ended
  std::vector<std::unique_ptr<Timer>> gaps_;  // of each worker
};

}  // namespace avrlan::peers
