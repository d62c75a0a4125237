#include "emulator/peers/stream_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace avrlan::peers {

namespace {

constexpr std::uint64_t most_queued = 65'536;
constexpr Duration reading_interval = Duration::milliseconds(10);

std::uint8_t octet_at(std::uint64_t place) {
  return static_cast<std::uint8_t>(place ^ place >> 8 ^ place >> 16 ^ place >> 24);
}

}  // namespace

class StreamClient::Session : public TcpSession {
 public:
  explicit Session(StreamClient& client)
      : client_(client), options_(client.options_), limit_(client.scheduler()), reading_(client.scheduler()) {}

  bool reads_late() const override { return options_.rate != 0; }
  void opening(TcpLine& line) override {
    limit_.start(options_.timeout, [this, &line] { abort(line, "not done in time"); });
  }
  void connected(TcpLine& line) override {
    client_.connected_ = client_.scheduler().now();
    if (reads_late()) read(line);
  }
  void writable(TcpLine& line) override {
    client_.acknowledged_ = sent_ - line.unacknowledged();
    const std::uint64_t at_once = options_.chunk != 0 ? options_.chunk : most_queued;
    if (options_.chunk == 0 || line.unacknowledged() == 0) {
      const std::uint64_t n = std::min(options_.up - sent_, at_once - std::min(at_once, line.unacknowledged()));
      std::vector<std::uint8_t> octets(n);
      for (auto& octet : octets) octet = octet_at(sent_++);
      if (n != 0) line.send(octets);
    }
    close_when_done(line);
  }
  void received(TcpLine& line, std::span<const std::uint8_t> octets) override {
    for (const std::uint8_t octet : octets) {
      if (options_.echo && octet != octet_at(client_.received_)) return abort(line, "other octets than were sent");
      ++client_.received_;
    }
    unread_ += octets.size();
    close_when_done(line);
  }
  void peer_closed(TcpLine& line) override {
    if (!is_done()) client_.fail("the other end closed before all was done");
    line.close();
  }
  void ended(TcpEnd end) override {
    if (end != TcpEnd::closed && !closing_) client_.fail(fmt::format("the connection ended: {}", to_string(end)));
    finish();
  }

 private:
  bool is_done() const { return client_.acknowledged_ == options_.up && client_.received_ >= options_.down; }
  // One who has more to send than we want does not close.
  void close_when_done(TcpLine& line) {
    if (!is_done()) return;
    if (closing_ && client_.received_ > options_.down) {
      line.abort();
      return finish();
    }
    if (!closing_) client_.done_ = client_.scheduler().now();
    closing_ = true;
    line.close();
  }
  void abort(TcpLine& line, const std::string& why) {
    client_.fail(why);
    line.abort();
    finish();
  }
  void finish() {
    limit_.stop();
    reading_.stop();
    client_.finish();
  }
  void read(TcpLine& line) {
    due_ += options_.rate;
    constexpr std::uint64_t intervals = 100;  // a second
    const std::uint64_t n = std::min(due_ / intervals, unread_);
    due_ = n == unread_ ? 0 : due_ - n * intervals;
    unread_ -= n;
    if (n != 0) line.read(n);
    reading_.start(reading_interval, [this, &line] { read(line); });
  }

  StreamClient& client_;
  const StreamOptions& options_;
  Timer limit_, reading_;
  std::uint64_t sent_ = 0, unread_ = 0;
  std::uint64_t due_ = 0;  // to be read, in hundredths
  bool closing_ = false;
};

StreamClient::StreamClient(Host& host, const StreamOptions& options)
    : Client(host, options.client), options_(options) {}

void StreamClient::begin(const MacAddress&) {
  host_.connect(target(), options_.port, std::make_unique<Session>(*this));
}

void StreamClient::add_figures(nlohmann::ordered_json& json) const {
  const double seconds = (done_ - connected_).seconds();
  json["up_bytes"] = acknowledged_;
  json["down_bytes"] = received_;
  json["seconds"] = std::max(seconds, 0.0);
  json["bytes_per_second"] = seconds > 0 ? static_cast<double>(acknowledged_ + received_) / seconds : 0.0;
}

}  // namespace avrlan::peers
