// Each image of bus_mistakes.cpp makes one mistake with an RTL8019AS: it is told by its name, at the function that made it,
// and nothing else is.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "emulator/cli/simulation.hpp"

namespace avrlan::test {
namespace {

constexpr MacAddress board_mac{2, 0, 0, 0, 0, 1};

class Nobody : public net::Backend {
 public:
  void deliver(const EthernetFrame&) override {}
};

struct BusMistake {
  const char* image;
  std::set<std::string> told;
  std::size_t frames = 0;  // that come in, from 45 ms on, back to back
  std::size_t octets = 60;
};
std::ostream& operator<<(std::ostream& out, const BusMistake& mistake) {
  return out << mistake.image;
}

class BusMistakeTest : public testing::TestWithParam<BusMistake> {};

TEST_P(BusMistakeTest, IsToldWhereItWasMadeAndNothingElse) {
  const auto firmware = Firmware::load_elf(std::string(AVRLAN_MISTAKES_DIR "/bus_") + GetParam().image + ".elf");
  Simulation simulation(find_board("ethernut1"), firmware, {}, [](Scheduler& scheduler, FrameSink& to_board) {
    scheduler.at(Instant::at(Duration::milliseconds(45)), [&to_board] {
      for (std::size_t n = 0; n < GetParam().frames; ++n) {
        std::vector<std::uint8_t> octets(GetParam().octets, static_cast<std::uint8_t>(n));
        std::copy(board_mac.begin(), board_mac.end(), octets.begin());
        to_board.deliver(EthernetFrame::with_fcs(octets));
      }
    });
    return std::make_unique<Nobody>();
  });
  ASSERT_TRUE(simulation.machine().run_until(Instant::at(Duration::seconds(1)))) << "did not end";
  std::set<std::string> told;
  for (const auto& entry : simulation.diagnostics().entries()) {
    told.insert(entry.diagnostic.code);
    if (entry.lines.empty()) {
      EXPECT_TRUE(entry.diagnostic.code.starts_with("rtl8019as-overflow"))
          << entry.diagnostic.code << " has no instruction";
      continue;
    }
    EXPECT_TRUE(std::any_of(entry.lines.begin(), entry.lines.end(), [](const auto& line) {
      return line.function.find(std::string("::") + GetParam().image + "()") != std::string::npos;
    })) << entry.diagnostic.code;
  }
  EXPECT_EQ(told, GetParam().told);
}

const BusMistake mistakes[] = {
    {"nothing", {}, 1},
    {"asleep", {"rtl8019as-asleep"}},
    {"config_locked", {"rtl8019as-config-locked"}},
    {"data_port_idle", {"rtl8019as-data-port-idle"}},
    {"no_register", {"rtl8019as-no-register"}},
    {"overflow", {"rtl8019as-overflow"}, 5, 1514},
    {"overflow_unserviced", {"rtl8019as-overflow", "rtl8019as-overflow-unserviced"}, 12, 1514},
    {"rd_zero", {"rtl8019as-rd-zero"}},
    {"read_past_frame", {"rtl8019as-read-past-frame"}, 1},
    {"read_no_frame", {"rtl8019as-read-past-frame"}},
    {"read_unwritten", {"rtl8019as-read-unwritten"}},
    {"remote_dma_cut_off", {"rtl8019as-remote-dma-cut-off"}},
    {"ring_pointer_outside", {"rtl8019as-ring-pointer-outside"}},
    {"ring_outside_memory", {"rtl8019as-ring-outside-memory"}},
    {"transmit_area", {"rtl8019as-transmit-area"}},
    {"transmit_buffer_changed", {"rtl8019as-transmit-buffer-changed"}},
    {"transmit_busy", {"rtl8019as-transmit-busy"}},
    {"transmit_size", {"rtl8019as-transmit-size", "wire-frame-size"}},
    {"transmit_while_stopped", {"rtl8019as-transmit-while-stopped"}},
    {"word_transfer", {"rtl8019as-word-transfer"}},
};
INSTANTIATE_TEST_SUITE_P(Firmware, BusMistakeTest, testing::ValuesIn(mistakes),
                         [](const auto& mistake) { return mistake.param.image; });

// Whatever the model can report has an image that provokes it.
TEST(BusMistakes, CoverEveryKind) {
  std::set<std::string> provoked;
  for (const BusMistake& mistake : mistakes) provoked.insert(mistake.told.begin(), mistake.told.end());
  for (const DiagnosticKind& kind : diagnostic_kinds()) {
    if (!kind.name.starts_with("rtl8019as-")) continue;
    EXPECT_TRUE(provoked.contains(std::string(kind.name))) << kind.name;
  }
}

}  // namespace
}  // namespace avrlan::test
