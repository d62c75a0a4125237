// A region of the profile against a stopwatch in the firmware and against the instructions counted by hand.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

struct Measurement {
  std::string name;
  std::int64_t octets = 0, cycles = 0, sum = 0;
};

class Checksum : public testing::Test {
 protected:
  Checksum() {
    const auto done =
        run({AVRLAN_PROGRAM, "run", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/stopwatch.elf", "--net", "none", "--pace", "max",
             "--timeout", "5s", "--region", "nothing=measured_nothing", "--region", "sum=measured_sum,*sum_add*",
             "--region", "send=measured_send", "--out", directory_.string()});
    EXPECT_EQ(done.status, 0) << done.err;
    std::ifstream file(directory_ / "run.json");
    const auto json = nlohmann::json::parse(file);
    for (const auto& region : json.at("regions")) regions[region["name"]] = region;
    std::ifstream log(directory_ / "uart.log");
    for (Measurement m; log >> m.name >> m.octets >> m.cycles >> m.sum;) measured[m.name].push_back(m);
  }
  ~Checksum() override { std::filesystem::remove_all(directory_); }

  std::int64_t cycles(const std::string& region) { return regions.at(region).at("cycles").get<std::int64_t>(); }

  const std::filesystem::path directory_ =
      std::filesystem::path(testing::TempDir()) / ("avrlan-checksum-" + std::to_string(::getpid()));
  std::map<std::string, nlohmann::json> regions;
  std::map<std::string, std::vector<Measurement>> measured;
};

TEST_F(Checksum, RegionsHaveWhatTheFirmwaresOwnStopwatchSays) {
  for (const std::string name : {"sum", "send"}) {
    ASSERT_EQ(measured[name].size(), 4u);
    std::int64_t stopwatch = 0;
    for (std::size_t n = 0; n < 4; ++n) stopwatch += measured[name][n].cycles - measured["nothing"][n].cycles;
    EXPECT_EQ(cycles(name) - cycles("nothing"), stopwatch) << name;
    EXPECT_EQ(regions.at(name).at("bytes"), 32 + 54 + 128 + 240) << name;
  }
}

TEST_F(Checksum, TakesTheCyclesOfItsInstructions) {
  // MOVW and RET.
  EXPECT_EQ(cycles("nothing"), 4 * (1 + 4));
  // Spi::write_sum: 18 cycles an octet, as the comments of its loop add up.
  const auto& send = measured["send"];
  EXPECT_EQ(send[1].cycles - send[0].cycles, 18 * (54 - 32));
  EXPECT_EQ(send[3].cycles - send[0].cycles, 18 * (240 - 32));
  EXPECT_EQ(regions.at("send").at("calls"), 4);
  // sum_add(): a word is LD 2, LD 2, ADC, ADC; eight of them with DEC and BRNE 2 are 51 cycles for 16 octets.
  const auto& sum = measured["sum"];
  EXPECT_EQ(sum[2].cycles - sum[0].cycles, 51 * (128 - 32) / 16);
  EXPECT_EQ(sum[3].cycles - sum[2].cycles, 51 * (240 - 128) / 16);
  // 16 octets more and three words by themselves, each with DEC and BRNE; the BREQ that skips them is not taken, nor the
  // last BRNE.
  EXPECT_EQ(sum[1].cycles - sum[0].cycles, 51 + 3 * 9 - 2);
}

TEST_F(Checksum, BothGiveTheSameSum) {
  for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(measured["sum"][n].sum, measured["send"][n].sum);
}

}  // namespace
}  // namespace avrlan::test
