// No sockets: the web image against a scripted peer in the same process. Twice the same, to the cycle and the octet.

#include <gtest/gtest.h>

#include "emulator/cli/simulation.hpp"
#include "tests/support/scripted_peer.hpp"

namespace avrlan::test {
namespace {

struct Outcome {
  std::vector<ScriptedPeer::Seen> frames;
  std::vector<ScriptedPeer::Exchange> exchanges;
  cpu::CycleTotals totals;
  std::string uart;
  std::uint64_t warnings = 0;
};

Outcome serve(const std::string& board_name, Duration slice, std::optional<net::LinkOptions> link = {},
              EngineKind engine = EngineKind::exact) {
  const Board& board = find_board(board_name);
  const Firmware firmware = Firmware::load_elf(AVRLAN_FIRMWARE_DIR "/" + board_name + "/web.elf");
  ScriptedPeer* peer = nullptr;
  SimulationOptions options;
  if (link) options.link = *link;
  options.machine.engine = engine;
  Simulation simulation(board, firmware, options, [&](Scheduler& scheduler, FrameSink& to_board) {
    auto made = std::make_unique<ScriptedPeer>(scheduler, to_board);
    peer = made.get();
    return made;
  });
  Outcome outcome;
  simulation.machine().on_uart([&](std::uint8_t byte) { outcome.uart += static_cast<char>(byte); });
  peer->get("/");
  peer->get("/bytes?n=5000");
  peer->get("/nothing");
  peer->ping(std::string(300, 'p'));
  const Instant end = Instant::at(Duration::seconds(link ? 60 : 10));
  while (simulation.machine().now() < end) {
    if (simulation.machine().run_until(std::min(end, simulation.machine().now() + slice))) break;
  }
  outcome.frames = peer->frames();
  outcome.exchanges = peer->exchanges();
  outcome.totals = simulation.machine().totals();
  outcome.warnings =
      simulation.diagnostics().count(Severity::warning) + simulation.diagnostics().count(Severity::error);
  return outcome;
}

void expect_same(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.totals.total.count, b.totals.total.count);
  EXPECT_EQ(a.totals.active.count, b.totals.active.count);
  EXPECT_EQ(a.totals.sleep.count, b.totals.sleep.count);
  EXPECT_EQ(a.totals.interrupt.count, b.totals.interrupt.count);
  EXPECT_EQ(a.uart, b.uart);
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    ASSERT_EQ(a.frames[i], b.frames[i]) << "frame " << i << " differs";
  }
}

class Determinism : public testing::TestWithParam<std::string> {};

TEST_P(Determinism, TwoRunsAreOne) {
  const Outcome first = serve(GetParam(), Duration::milliseconds(10));
  const Outcome second = serve(GetParam(), Duration::milliseconds(10));
  expect_same(first, second);

  ASSERT_EQ(first.exchanges.size(), 4u) << first.uart;
  for (const auto& exchange : first.exchanges) EXPECT_TRUE(exchange.complete) << exchange.name;
  EXPECT_NE(first.exchanges[0].reply.find("200 OK"), std::string::npos);
  EXPECT_NE(first.exchanges[0].reply.find("</html>"), std::string::npos);
  const std::string& bytes = first.exchanges[1].reply;
  const auto body = bytes.find("\r\n\r\n");
  ASSERT_NE(body, std::string::npos);
  ASSERT_EQ(bytes.size() - body - 4, 5000u);
  EXPECT_NE(first.exchanges[2].reply.find(" 404 "), std::string::npos);
  EXPECT_EQ(first.exchanges[3].reply, std::string(300, 'p'));
  EXPECT_EQ(first.warnings, 0u);
}

TEST_P(Determinism, DoesNotDependOnHowTheRunIsSliced) {
  expect_same(serve(GetParam(), Duration::milliseconds(10)), serve(GetParam(), Duration::microseconds(333)));
}

TEST_P(Determinism, DoesNotDependOnTheEngine) {
  expect_same(serve(GetParam(), Duration::milliseconds(10), {}, EngineKind::exact),
              serve(GetParam(), Duration::milliseconds(10), {}, EngineKind::simavr));
}

TEST_P(Determinism, HoldsOnABadLinkToo) {
  const auto link = net::LinkOptions::parse("delay=3ms,jitter=1ms,loss=5%,dup=2%,reorder=2%,corrupt=2%,seed=5");
  const Outcome first = serve(GetParam(), Duration::milliseconds(10), link);
  expect_same(first, serve(GetParam(), Duration::milliseconds(10), link));
  ASSERT_GE(first.exchanges.size(), 2u);
  EXPECT_TRUE(first.exchanges[1].complete) << first.exchanges[1].name;
}

INSTANTIATE_TEST_SUITE_P(Boards, Determinism, testing::Values("uno-enc28j60", "mega-enc28j60"),
                         [](const auto& board) { return board.param.substr(0, board.param.find('-')); });

}  // namespace
}  // namespace avrlan::test
