// The images' cycles, by function, against traces/cycles: no function may take one more.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "emulator/cli/report.hpp"
#include "emulator/profile/compare.hpp"
#include "tests/system/profiled_run.hpp"

namespace avrlan::test {
namespace {

class Cycles : public testing::TestWithParam<std::pair<std::string, std::string>> {};

nlohmann::ordered_json recorded(const std::string& board, const std::string& image) {
  profile::RecordingOptions options;
  options.coverage = true;
  const ProfiledRun run(
      board, AVRLAN_FIRMWARE_DIR "/" + board + "/" + image + ".elf", Duration::seconds(4),
      [&image](ScriptedPeer& peer) {
        peer.get("/");
        peer.get("/bytes?n=5000");
        peer.tcp(7, std::string(500, 'e'), 500);
        peer.udp(7, "datagram");
        peer.ping(std::string(300, 'p'));
        if (image.starts_with("netio")) peer.tcp(18767, {"\0\0\0\2\0\0\4\0", 8}, 20'000);
        if (image == "sensor") peer.tcp(5001, "", 80);
        if (image == "telnet") peer.tcp(23, "help\r\ncounters\r\nquit\r\n", 0);
      },
      options);
  auto json = run_json(*run.simulation, find_board(board), run.firmware, RunEnd{});
  run.recording->add_to(json);
  return profile::baseline_of({image, json});
}

TEST_P(Cycles, AreThoseOfTheBaseline) {
  const auto& [board, image] = GetParam();
  const std::string path = AVRLAN_SOURCE_DIR "/traces/cycles/" + board + "-" + image + ".json";
  const auto now = recorded(board, image);
  if (std::getenv("AVRLAN_UPDATE_BASELINES") != nullptr) {
    std::ofstream(path) << now.dump(1) << "\n";
    GTEST_SKIP() << "wrote " << path;
  }
  profile::Limits limits;
  limits.read(AVRLAN_SOURCE_DIR "/traces/cycles/limits.toml");
  const auto comparison = profile::compare(profile::JsonFile::load(path, profile::run_schema), {image, now}, limits);
  EXPECT_FALSE(comparison.regressed()) << profile::text_of(comparison)
                                       << "if that is meant: sh traces/cycles/update.sh BUILD";
}

std::vector<std::pair<std::string, std::string>> images() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string board : {"uno-enc28j60", "mega-enc28j60"}) {
    for (const std::string image :
         {"web", "echo", "connect", "dhcp-dns-ntp", "netio", "netio-minimal", "sensor", "telnet", "hello", "fail"})
      all.emplace_back(board, image);
  }
  for (const std::string image : {"web", "echo", "netio", "netio-minimal"}) all.emplace_back("ethernut1", image);
  for (const std::string image : {"web", "netio"}) all.emplace_back("mega128-rtl8019as", image);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Images, Cycles, testing::ValuesIn(images()), [](const auto& image) {
  std::string name = image.param.first.substr(0, image.param.first.find('-')) + "_" + image.param.second;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace avrlan::test
