#include "emulator/peers/http_client.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

namespace avrlan::peers {

namespace {

constexpr std::size_t most_results = 1000;  // in the figures

std::optional<std::uint64_t> content_length(std::string_view header) {
  for (std::size_t at = header.find('\n'); at != std::string_view::npos; at = header.find('\n', at + 1)) {
    std::string name;
    std::size_t i = at + 1;
    for (; i < header.size() && header[i] != ':' && header[i] != '\n'; ++i)
      name += static_cast<char>(header[i] >= 'A' && header[i] <= 'Z' ? header[i] - 'A' + 'a' : header[i]);
    if (name != "content-length" || i >= header.size()) continue;
    const std::size_t digits = header.find_first_of("0123456789", i);
    if (digits == std::string_view::npos) return std::nullopt;
    std::uint64_t length = 0;
    std::from_chars(header.data() + digits, header.data() + header.size(), length);
    return length;
  }
  return std::nullopt;
}

}  // namespace

class HttpClient::Session : public TcpSession {
 public:
  Session(HttpClient& client, std::uint32_t worker) : client_(client), worker_(worker), timer_(client.scheduler()) {
    result_.started = client.scheduler().now();
  }
  void opening(TcpLine& line) override {
    timer_.start(client_.options_.timeout, [this, &line] {
      line.abort();
      done(fmt::format("not done after {:g} s", client_.options_.timeout.seconds()));
    });
  }
  void connected(TcpLine& line) override {
    line.send(fmt::format("GET {} HTTP/1.0\r\nHost: {}\r\n\r\n", client_.options_.path, client_.options_.host));
  }
  void received(TcpLine&, std::span<const std::uint8_t> octets) override {
    answer_.insert(answer_.end(), octets.begin(), octets.end());
  }
  void ended(TcpEnd end) override {
    timer_.stop();
    done(end == TcpEnd::closed ? "" : fmt::format("the connection ended: {}", to_string(end)));
  }

 private:
  void done(std::string failure) {
    result_.took = client_.scheduler().now() - result_.started;
    const std::string_view text(reinterpret_cast<const char*>(answer_.data()), answer_.size());
    const std::size_t empty_line = text.find("\r\n\r\n");
    if (text.starts_with("HTTP/") && empty_line != std::string_view::npos) {
      const std::size_t blank = std::min(text.find(' '), empty_line);
      std::from_chars(text.data() + blank + 1, text.data() + empty_line, result_.status);
      const auto body = std::span<const std::uint8_t>(answer_).subspan(empty_line + 4);
      result_.bytes = body.size();
      result_.crc32 = ethernet_crc(body);
      const auto length = content_length(text.substr(0, empty_line));
      if (failure.empty() && length && *length != body.size())
        failure = fmt::format("{} octets of {} that were promised", body.size(), *length);
      if (failure.empty() && result_.status != client_.options_.status)
        failure = fmt::format("status {} instead of {}", result_.status, client_.options_.status);
    } else if (failure.empty()) {
      failure = "no HTTP answer";
    }
    result_.failure = failure;
    client_.done(worker_, result_);
  }

  HttpClient& client_;
  std::uint32_t worker_;
  Timer timer_;
  Result result_;
  std::vector<std::uint8_t> answer_;
};

HttpClient::HttpClient(Host& host, const HttpClientOptions& options) : Client(host, options.client), options_(options) {
  for (std::uint32_t i = 0; i != std::min(options.parallel, options.count); ++i)
    gaps_.push_back(std::make_unique<Timer>(host.scheduler()));
}

void HttpClient::begin(const MacAddress&) {
  for (std::uint32_t worker = 0; worker != gaps_.size(); ++worker) request(worker, Duration());
}

void HttpClient::request(std::uint32_t worker, Duration after) {
  ++begun_;
  gaps_[worker]->start(
      after, [this, worker] { host_.connect(target(), options_.port, std::make_unique<Session>(*this, worker)); });
}

void HttpClient::done(std::uint32_t worker, const Result& result) {
  results_.push_back(result);
  if (!result.failure.empty()) fail(fmt::format("request {}: {}", results_.size(), result.failure));
  if (results_.size() == options_.count)
    finish();
  else if (begun_ != options_.count)
    request(worker, options_.gap);
}

void HttpClient::add_figures(nlohmann::ordered_json& json) const {
  TimeStatistics times;
  std::uint64_t failed = 0, bytes = 0;
  auto list = nlohmann::ordered_json::array();
  for (const Result& result : results_) {
    times.add(result.took);
    failed += result.failure.empty() ? 0u : 1u;
    bytes += result.bytes;
    if (list.size() == most_results) continue;
    list.push_back({{"started", result.started.since_start().seconds()},
                    {"seconds", result.took.seconds()},
                    {"status", result.status},
                    {"bytes", result.bytes},
                    {"crc32", fmt::format("{:08x}", result.crc32)},
                    {"failure", result.failure.empty() ? nlohmann::ordered_json(nullptr)
                                                       : nlohmann::ordered_json(result.failure)}});
  }
  json["requests"] = results_.size();
  json["failed"] = failed;
  json["bytes"] = bytes;
  json["seconds"] = times.json();
  json["results"] = list;
}

}  // namespace avrlan::peers
