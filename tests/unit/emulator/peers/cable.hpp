#pragma once
// Two hosts at the two ends of a link, in virtual time.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/net/link.hpp"
#include "emulator/peers/host.hpp"

namespace avrlan::test {

constexpr std::uint32_t address_of(int n) {
  return 0x0a000200 + static_cast<std::uint32_t>(n);
}

// 10.0.2.n
inline peers::HostOptions host_options(int n) {
  peers::HostOptions options;
  options.name = "host" + std::to_string(n);
  options.mac = {2, 0, 0, 0, 0, static_cast<std::uint8_t>(n)};
  options.address = address_of(n);
  return options;
}

class Cable {
 public:
  struct Passed {
    Instant at;
    int from;
    EthernetFrame frame;
    friend bool operator==(const Passed&, const Passed&) = default;
  };

  explicit Cable(const std::string& link = "delay=1ms", peers::HostOptions first = host_options(1),
                 peers::HostOptions second = host_options(2))
      : options_(net::LinkOptions::parse(link)),
        to_second_(scheduler, second_end_, options_, 0),
        to_first_(scheduler, first_end_, options_, 1),
        first_out_(*this, 1, to_second_),
        second_out_(*this, 2, to_first_),
        a(scheduler, first_out_, first),
        b(scheduler, second_out_, second) {
    first_end_.to = &a;
    second_end_.to = &b;
  }

  // Until `done`; fails when that takes longer than `limit`.
  void run_until(const std::function<bool()>& done, Duration limit = Duration::seconds(120)) {
    const Instant end = scheduler.now() + limit;
    while (!done()) {
      ASSERT_LT(scheduler.now(), end) << "not done in time";
      scheduler.run_until(scheduler.now() + Duration::milliseconds(1));
    }
  }
  void run_for(Duration d) { scheduler.run_until(scheduler.now() + d); }

 private:
  struct End : FrameSink {
    FrameSink* to = nullptr;
    void deliver(const EthernetFrame& frame) override { to->deliver(frame); }
  };
  struct Out : FrameSink {
    Out(Cable& c, int f, FrameSink& t) : cable(c), from(f), to(t) {}
    Cable& cable;
    int from;
    FrameSink& to;
    void deliver(const EthernetFrame& frame) override {
      cable.passed.push_back({cable.scheduler.now(), from, frame});
      to.deliver(frame);
    }
  };

 public:
  Scheduler scheduler;
  std::vector<Passed> passed;  // before the link has made anything of them

 private:
  net::LinkOptions options_;
  End first_end_, second_end_;
  net::Link to_second_, to_first_;
  Out first_out_, second_out_;

 public:
  peers::Host a, b;
};

// What a connection was told, and how it ended.
struct Transcript {
  std::vector<std::uint8_t> received;
  bool connected = false;
  bool peer_closed = false;
  std::optional<peers::TcpEnd> end;
  peers::TcpLine* line = nullptr;
};

// Sends `request`, closes when `expected` octets have come back (0: when the other end closes).
class Requester : public peers::TcpSession {
 public:
  Requester(Transcript& transcript, std::vector<std::uint8_t> request, std::size_t expected)
      : transcript_(transcript), request_(std::move(request)), expected_(expected) {}
  void connected(peers::TcpLine& line) override {
    transcript_.connected = true;
    transcript_.line = &line;
    line.send(request_);
  }
  void received(peers::TcpLine& line, std::span<const std::uint8_t> octets) override {
    auto& all = transcript_.received;
    all.insert(all.end(), octets.begin(), octets.end());
    if (expected_ != 0 && all.size() >= expected_) line.close();
  }
  void peer_closed(peers::TcpLine& line) override {
    transcript_.peer_closed = true;
    line.close();
  }
  void ended(peers::TcpEnd end) override { transcript_.end = end; }

 private:
  Transcript& transcript_;
  std::vector<std::uint8_t> request_;
  std::size_t expected_;
};

inline std::vector<std::uint8_t> pattern(std::size_t n) {
  std::vector<std::uint8_t> octets(n);
  for (std::size_t i = 0; i != n; ++i) octets[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  return octets;
}
inline std::vector<std::uint8_t> octets_of(std::string_view text) {
  return {text.begin(), text.end()};
}

}  // namespace avrlan::test
