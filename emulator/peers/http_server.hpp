#pragma once
// HTTP/1.0 and 1.1 (RFC 9110, 9112) for the files of a directory: GET and HEAD, index.html for a directory, types by the
// name's end, one request a connection ("Connection: close"). A file is read when it is asked for.
// Not modelled: persistent connections, ranges, conditional requests, request bodies, compression.

#include <filesystem>
#include <map>
#include <string>

#include "emulator/peers/host.hpp"
#include "emulator/peers/part.hpp"

namespace avrlan::peers {

class HttpServer : public Part {
 public:
  // Nothing outside of `directory` is served, whatever the path or a link in it says.
  HttpServer(Host& host, std::filesystem::path directory, std::uint16_t port);
  nlohmann::ordered_json figures() const override;

  // The whole answer to a request up to its empty line.
  std::string answer(std::string_view request);

 private:
  std::filesystem::path directory_;
  std::map<int, std::uint64_t> answers_;  // by status
  std::uint64_t sent_ = 0;                // octets
};

}  // namespace avrlan::peers
