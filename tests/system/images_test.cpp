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

  ImageRun(const std::string& board, const std::string& image, const SimulationOptions& options = {})
      : firmware_(Firmware::load_elf(AVRLAN_FIRMWARE_DIR "/" + board + "/" + image + ".elf")) {
    simulation = std::make_unique<Simulation>(find_board(board), firmware_, options,
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

class Netio : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

// Blocks both ways; the client goes while it is sent to.
TEST_P(Netio, TakesAndSendsBlocks) {
  const auto& [board, image] = GetParam();
  ImageRun run(board, image);
  std::string request("\0\0\0\1\0\0\4\0", 8);
  request += std::string(1024, 0) + std::string(1024, 1) + std::string("\0\0\0\2\0\0\x80\0", 8);
  run.peer->tcp(18767, request, 100'000);
  run.run(Duration::seconds(10));
  ASSERT_EQ(run.peer->exchanges().size(), 1u);
  const std::string& reply = run.peer->exchanges()[0].reply;
  EXPECT_GE(reply.size(), 100'000u);
  EXPECT_EQ(reply.find_first_not_of('\0'), std::string::npos) << "none of these is the last block";
}

INSTANTIATE_TEST_SUITE_P(Boards, Netio,
                         testing::Combine(testing::Values("uno-enc28j60", "mega-enc28j60", "ethernut1",
                                                          "mega128-rtl8019as"),
                                          testing::Values("netio", "netio-minimal")),
                         [](const auto& run) {
                           const std::string& board = std::get<0>(run.param);
                           return board.substr(0, board.find('-')) +
                                  (std::get<1>(run.param) == "netio" ? "_full" : "_minimal");
                         });

TEST_P(Images, SensorSendsReadingsAsTheyAreTaken) {
  ImageRun run(GetParam(), "sensor");
  run.peer->tcp(5001, "", 160);
  run.peer->tcp(5002, "", 160);
  run.run(Duration::seconds(10));
  ASSERT_EQ(run.peer->exchanges().size(), 2u);
  for (const auto& exchange : run.peer->exchanges()) {
    EXPECT_TRUE(exchange.complete);
    ASSERT_GE(exchange.reply.size(), 160u);
    const unsigned long first = std::stoul(exchange.reply);
    for (std::size_t line = 0; line < 10; ++line) {
      const std::string text = exchange.reply.substr(16 * line, 16);
      EXPECT_EQ(std::stoul(text), first + line) << text;
      EXPECT_LE(std::stoul(text.substr(10)), 1023u) << text;
      EXPECT_EQ(text[15], '\n');
    }
    EXPECT_NEAR((exchange.ended - exchange.started).seconds(), 1.1, 0.3);
  }
}

// Of a single station or not: a group's, or nobody's.
TEST_P(Images, HaveTheMacAddressOfTheEeprom) {
  constexpr MacAddress own{0x02, 0x41, 0x56, 0x52, 0x4C, 0x4E}, given{0x02, 0, 0, 0, 0, 0x07},
      group{0x03, 0, 0, 0, 0, 7};
  for (const auto& [eeprom, expected] : {std::pair{given, given}, {group, own}, {MacAddress{}, own}}) {
    SimulationOptions options;
    options.machine.eeprom = {{0, {eeprom.begin(), eeprom.end()}}};
    ImageRun run(GetParam(), "echo", options);
    std::optional<std::vector<std::uint8_t>> sent;
    run.simulation->on_frame([&](bool inwards, const EthernetFrame& frame) {
      if (!inwards && !sent) sent = frame.octets;
    });
    run.run(Duration::seconds(1));
    ASSERT_TRUE(sent);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), sent->begin() + 6));
  }
}

// On boards with an LED.
class Console : public Images {};

TEST_P(Console, IsAtTelnet) {
  ImageRun run(GetParam(), "telnet");
  run.peer->tcp(23, "\xff\xfd\x01help\r\nled on\r\nled off\r\nwhat\r\nquit\r\n", 0);
  run.run(Duration::seconds(10));
  ASSERT_EQ(run.peer->exchanges().size(), 1u);
  EXPECT_TRUE(run.peer->exchanges()[0].complete);
  EXPECT_EQ(run.peer->exchanges()[0].reply, "avrlan on " + GetParam() +
                                                ": try help\r\n> "
                                                "\xff\xfc\x01"
                                                "status, uptime, counters, led on, led off, quit\r\n> "
                                                "the LED is on\r\n> "
                                                "the LED is off\r\n> "
                                                "unknown command: try help\r\n> "
                                                "bye\r\n");
}

INSTANTIATE_TEST_SUITE_P(Boards, Console, testing::Values("uno-enc28j60", "mega-enc28j60"),
                         [](const auto& board) { return board.param.substr(0, board.param.find('-')); });
INSTANTIATE_TEST_SUITE_P(Boards, Images,
                         testing::Values("uno-enc28j60", "mega-enc28j60", "ethernut1", "mega128-rtl8019as"),
                         [](const auto& board) { return board.param.substr(0, board.param.find('-')); });

}  // namespace
}  // namespace avrlan::test
