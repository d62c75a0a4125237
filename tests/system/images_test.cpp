// The images of firmware/ that tests of their own have not: each against a scripted peer, in virtual time.

#include <gtest/gtest.h>

#include "emulator/cli/simulation.hpp"
#include "tests/support/scripted_peer.hpp"

namespace avrlan::test {
namespace {

struct ImageRun {
  std::unique_ptr<Simulation> simulation;
  ScriptedPeer* peer = nullptr;
  std::string uart;

  ImageRun(const std::string& board, const std::string& image)
      : firmware_(Firmware::load_elf(AVRLAN_FIRMWARE_DIR "/" + board + "/" + image + ".elf")) {
    simulation = std::make_unique<Simulation>(find_board(board), firmware_, SimulationOptions{},
                                              [&](Scheduler& scheduler, FrameSink& to_board) {
                                                auto made = std::make_unique<ScriptedPeer>(scheduler, to_board);
                                                peer = made.get();
                                                return made;
                                              });
    simulation->machine().on_uart([this](std::uint8_t byte) { uart += static_cast<char>(byte); });
  }

  // Until the firmware ends, or virtual time `limit`. Its exit status, or -1.
  int run(Duration limit) {
    const auto end = simulation->machine().run_until(Instant::at(limit));
    EXPECT_EQ(simulation->diagnostics().count(Severity::warning), 0u);
    EXPECT_EQ(simulation->diagnostics().count(Severity::error), 0u);
    return end ? end->status : -1;
  }

 private:
  Firmware firmware_;
};

class Images : public testing::TestWithParam<std::string> {};

TEST_P(Images, DhcpDnsNtpTellsWhatItGets) {
  ImageRun run(GetParam(), "dhcp-dns-ntp");
  EXPECT_EQ(run.run(Duration::seconds(10)), 0);
  EXPECT_EQ(run.uart, "avrlan dhcp-dns-ntp on " + GetParam() +
                          "\n"
                          "address 10.0.2.15\n"
                          "mask 255.255.255.0\n"
                          "gateway 10.0.2.2\n"
                          "name server 10.0.2.3\n"
                          "pool.ntp.org has 10.0.2.2 for 300 s\n"
                          "2026-11-30 17:20:05 UTC\n");
}

INSTANTIATE_TEST_SUITE_P(Boards, Images, testing::Values("uno-enc28j60", "mega-enc28j60"),
                         [](const auto& board) { return board.param.substr(0, board.param.find('-')); });

}  // namespace
}  // namespace avrlan::test
