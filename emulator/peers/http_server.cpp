#include "emulator/peers/http_server.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

namespace avrlan::peers {

namespace {

constexpr std::size_t longest_request = 8192;

struct Answer {
  int status;
  std::string type = "text/plain";
  std::string body = {};
  std::string header = {};  // one more line
};

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    default:
      return "Request Header Fields Too Large";
  }
}

Answer refusal(int status) {
  return {.status = status, .body = fmt::format("{} {}\n", status, reason(status))};
}

std::string_view type_of(const std::filesystem::path& file) {
  static const std::map<std::string, std::string_view> types = {
      {".html", "text/html"},        {".htm", "text/html"},         {".css", "text/css"},
      {".js", "text/javascript"},    {".json", "application/json"}, {".txt", "text/plain"},
      {".svg", "image/svg+xml"},     {".png", "image/png"},         {".jpg", "image/jpeg"},
      {".jpeg", "image/jpeg"},       {".gif", "image/gif"},         {".ico", "image/vnd.microsoft.icon"},
      {".xml", "application/xml"},   {".csv", "text/csv"},          {".pdf", "application/pdf"},
      {".wasm", "application/wasm"}, {".gz", "application/gzip"}};
  const auto found = types.find(file.extension().string());
  return found != types.end() ? found->second : "application/octet-stream";
}

// -1: it is none.
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Without its query and with %XX decoded (RFC 3986 2.1); nullopt when that is malformed.
std::optional<std::string> decode_path(std::string_view target) {
  target = target.substr(0, target.find('?'));
  std::string path;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] != '%') {
      path += target[i];
      continue;
    }
    const int high = i + 1 < target.size() ? hex_digit(target[i + 1]) : -1;
    const int low = i + 2 < target.size() ? hex_digit(target[i + 2]) : -1;
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
    path += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return path;
}

bool is_inside(const std::filesystem::path& file, const std::filesystem::path& directory) {
  const auto [in_directory, in_file] = std::mismatch(directory.begin(), directory.end(), file.begin(), file.end());
  return in_directory == directory.end();
}

Answer find(const std::filesystem::path& directory, std::string_view target) {
  const auto path = decode_path(target);
  if (!path || !path->starts_with('/')) return refusal(400);
  std::error_code error;
  std::string relative = *path;
  relative.erase(0, relative.find_first_not_of('/'));
  auto file = std::filesystem::weakly_canonical(directory / relative, error);
  if (error) return refusal(404);
  if (std::filesystem::is_directory(file, error)) file = std::filesystem::weakly_canonical(file / "index.html", error);
  if (!is_inside(file, directory)) return refusal(403);
  if (!std::filesystem::is_regular_file(file, error)) return refusal(404);
  std::ifstream in(file, std::ios::binary);
  if (!in) return refusal(403);
  return {.status = 200, .type = std::string(type_of(file)), .body = {std::istreambuf_iterator<char>(in), {}}};
}

}  // namespace

HttpServer::HttpServer(Host& host, std::filesystem::path directory, std::uint16_t port)
    : directory_(std::filesystem::canonical(directory)) {
  class Session : public TcpSession {
   public:
    explicit Session(HttpServer& server) : server_(server) {}
    void received(TcpLine& line, std::span<const std::uint8_t> octets) override {
      if (answered_) return;
      request_.append(octets.begin(), octets.end());
      const bool whole = request_.find("\r\n\r\n") != std::string::npos || request_.find("\n\n") != std::string::npos;
      if (!whole && request_.size() < longest_request) return;
      answered_ = true;
      line.send(server_.answer(request_));
      line.close();
    }

   private:
    HttpServer& server_;
    std::string request_;
    bool answered_ = false;
  };
  host.listen(port, [this] { return std::make_unique<Session>(*this); });
}

std::string HttpServer::answer(std::string_view request) {
  const std::string_view line = request.substr(0, request.find_first_of("\r\n"));
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  const std::string_view method = line.substr(0, first);
  Answer answer = refusal(400);
  if (request.size() >= longest_request) {
    answer = refusal(431);
  } else if (first != std::string_view::npos && last > first && line.substr(last + 1).starts_with("HTTP/")) {
    if (method == "GET" || method == "HEAD") {
      answer = find(directory_, line.substr(first + 1, last - first - 1));
    } else {
      answer = refusal(405);
      answer.header = "Allow: GET, HEAD\r\n";
    }
  }
  ++answers_[answer.status];
  std::string text =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}Connection: close\r\n\r\n",
                  answer.status, reason(answer.status), answer.type, answer.body.size(), answer.header);
  if (method != "HEAD") text += answer.body;
  sent_ += text.size();
  return text;
}

nlohmann::ordered_json HttpServer::figures() const {
  auto answers = nlohmann::ordered_json::object();
  for (const auto& [status, count] : answers_) answers[std::to_string(status)] = count;
  return {{"answers", answers}, {"sent_bytes", sent_}};
}

}  // namespace avrlan::peers
