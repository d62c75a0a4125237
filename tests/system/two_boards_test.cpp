// Two boards on one cable, each with its AVR and its chip: the stack against itself on silicon's terms. The boards run in
// turns that are shorter than the cable's delay, so neither can miss what the other sends.

#include <gtest/gtest.h>

#include "emulator/cli/simulation.hpp"

namespace avrlan::test {
namespace {

constexpr Duration delay = Duration::microseconds(40);

class PairBoard {
 public:
  explicit PairBoard(const std::string& elf) : firmware_(Firmware::load_elf(AVRLAN_VARIANT_DIR "/" + elf)) {
    simulation_ = std::make_unique<Simulation>(find_board("mega-enc28j60"), firmware_, SimulationOptions{},
                                               [this](Scheduler& scheduler, FrameSink& to_board) {
                                                 scheduler_ = &scheduler;
                                                 to_board_ = &to_board;
                                                 return std::make_unique<Out>(*this);
                                               });
    simulation_->machine().on_uart([this](std::uint8_t byte) { uart += static_cast<char>(byte); });
  }

  void run_until(Instant end) {
    if (!ended) ended = simulation_->machine().run_until(end);
  }
  // Hands over what was sent since the last time.
  void pass_to(PairBoard& other) {
    for (Sent& sent : sent_) {
      ++frames;
      const Instant when = std::max(sent.when + delay, other.scheduler_->now());
      other.scheduler_->at(when, [&other, frame = std::move(sent.frame)] { other.to_board_->deliver(frame); });
    }
    sent_.clear();
  }
  std::uint64_t complaints() const {
    return simulation_->diagnostics().count(Severity::warning) + simulation_->diagnostics().count(Severity::error);
  }
  std::int64_t cycles() const { return simulation_->machine().totals().total.count; }

  std::string uart;
  std::optional<MachineEnd> ended;
  std::uint64_t frames = 0;

 private:
  struct Sent {
    Instant when;
    EthernetFrame frame;
  };
  struct Out : net::Backend {
    explicit Out(PairBoard& b) : board(b) {}
    void deliver(const EthernetFrame& frame) override { board.sent_.push_back({board.scheduler_->now(), frame}); }
    PairBoard& board;
  };

  Firmware firmware_;
  Scheduler* scheduler_ = nullptr;
  FrameSink* to_board_ = nullptr;
  std::vector<Sent> sent_;
  std::unique_ptr<Simulation> simulation_;
};

struct Outcome {
  std::string server, client;
  std::int64_t server_cycles = 0, client_cycles = 0;
  std::uint64_t frames = 0, complaints = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run(const std::string& server_profile, const std::string& client_profile, bool client_first) {
  PairBoard server("pair-server-" + server_profile + ".elf"), client("pair-client-" + client_profile + ".elf");
  const Instant limit = Instant::at(Duration::seconds(30));
  for (Instant now; now < limit && !(server.ended && client.ended); now = now + delay / 2) {
    PairBoard& first = client_first ? client : server;
    PairBoard& second = client_first ? server : client;
    first.run_until(now + delay / 2);
    second.run_until(now + delay / 2);
    first.pass_to(second);
    second.pass_to(first);
  }
  return {server.uart,
          client.uart,
          server.cycles(),
          client.cycles(),
          server.frames + client.frames,
          server.complaints() + client.complaints()};
}

class TwoBoards : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(TwoBoards, ExchangeAHundredThousandOctetsBothWaysAtOnce) {
  const auto& [server, client] = GetParam();
  const Outcome outcome = run(server, client, false);
  EXPECT_EQ(outcome.server, "done\n");
  EXPECT_EQ(outcome.client, "done\n");
  EXPECT_EQ(outcome.complaints, 0U);
  EXPECT_GT(outcome.frames, 200'000U / 1460);
  EXPECT_TRUE(outcome == run(server, client, true)) << "depends on the order of the boards";
}

INSTANTIATE_TEST_SUITE_P(Profiles, TwoBoards,
                         testing::Values(std::pair("minimal", "minimal"), std::pair("minimal", "full"),
                                         std::pair("full", "minimal"), std::pair("full", "full")),
                         [](const auto& pair) { return pair.param.first + "_" + pair.param.second; });

}  // namespace
}  // namespace avrlan::test
