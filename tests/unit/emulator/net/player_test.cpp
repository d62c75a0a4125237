#include "emulator/net/player.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/emulator/net/guest.hpp"

namespace avrlan::net {
namespace {

using testing::ElementsAre;

Instant at(std::int64_t microseconds) {
  return Instant::at(Duration::microseconds(microseconds));
}
EthernetFrame frame(std::uint8_t mark) {
  return EthernetFrame::padded(std::vector<std::uint8_t>(14, mark));
}

// Recorded: 1 enters at 100 and 2 at 150; the board says a at 300 and b at 400; 3 enters at 450 and 4 at 500.
class PlayerTest : public testing::Test, public FrameSink {
 protected:
  PlayerTest() {
    const auto in = [this](std::int64_t entered, std::uint8_t mark) {
      trace_.frames.push_back({true, 0, at(entered + 60), at(entered), frame(mark)});
    };
    in(100, 1);
    in(150, 2);
    for (const std::int64_t said : {300, 400}) trace_.frames.push_back({false, 0, at(said), {}, frame(9)});
    in(450, 3);
    in(500, 4);
  }
  void deliver(const EthernetFrame& sent) override {
    heard_.emplace_back(scheduler_.now().since_start().microseconds(), sent.octets[0]);
  }
  void board_says(Player& player, std::int64_t when) {
    scheduler_.at(at(when), [&player] { player.deliver(frame(9)); });
  }

  Scheduler scheduler_;
  Trace trace_;
  std::vector<std::pair<std::int64_t, int>> heard_;
};

TEST_F(PlayerTest, SendsAtTheRecordedInstantsWhateverTheBoardDoes) {
  Player player(scheduler_, *this, trace_, Player::Timing::recorded);
  board_says(player, 10);
  scheduler_.run_until(at(1000));
  EXPECT_THAT(heard_, ElementsAre(std::pair(100, 1), std::pair(150, 2), std::pair(450, 3), std::pair(500, 4)));
}

TEST_F(PlayerTest, SendsBehindWhatHappensAtTheSameInstant) {
  Player player(scheduler_, *this, trace_, Player::Timing::recorded);
  scheduler_.at(at(100), [this] { heard_.emplace_back(0, 0); });
  scheduler_.run_until(at(100));
  EXPECT_THAT(heard_, ElementsAre(std::pair(0, 0), std::pair(100, 1)));
}

TEST_F(PlayerTest, KeepsTheDistanceToTheBoardsLatestFrame) {
  Player player(scheduler_, *this, trace_, Player::Timing::after_the_board);
  board_says(player, 310);
  board_says(player, 1000);
  scheduler_.run_until(at(999));
  EXPECT_THAT(heard_, ElementsAre(std::pair(100, 1), std::pair(150, 2))) << "3 waits for b";
  scheduler_.run_until(at(2000));
  EXPECT_THAT(heard_, ElementsAre(std::pair(100, 1), std::pair(150, 2), std::pair(1050, 3), std::pair(1100, 4)));
}

TEST_F(PlayerTest, NeverChangesTheOrderForAFasterBoard) {
  Player player(scheduler_, *this, trace_, Player::Timing::after_the_board);
  board_says(player, 20);
  board_says(player, 30);
  scheduler_.run_until(at(2000));
  EXPECT_THAT(heard_, ElementsAre(std::pair(100, 1), std::pair(150, 2), std::pair(150, 3), std::pair(150, 4)));
}

TEST_F(PlayerTest, LetsAFrameBeChangedWhenItIsSent) {
  Player player(scheduler_, *this, trace_, Player::Timing::recorded);
  std::uint8_t mark = 0;
  player.on_send([&](EthernetFrame& sent) { sent.octets[0] = mark; });
  scheduler_.run_until(at(120));
  mark = 7;
  scheduler_.run_until(at(200));
  EXPECT_THAT(heard_, ElementsAre(std::pair(100, 0), std::pair(150, 7)));
}

}  // namespace
}  // namespace avrlan::net
