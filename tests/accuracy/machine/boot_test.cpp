#include <gtest/gtest.h>

#include "emulator/cpu/mcu.hpp"
#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

class Boot : public ::testing::TestWithParam<cpu::Mcu> {};
INSTANTIATE_TEST_SUITE_P(Mcus, Boot, ::testing::ValuesIn(cpu::mcus()),
                         [](const auto& test) { return std::string{test.param.name}; });

TEST_P(Boot, RunsAProgramThatUsesWhatEveryMcuHas) {
  const std::string mcu{GetParam().name};
  Bench bench("boot_" + mcu, mcu);
  std::string said;
  bench.machine.on_uart([&](std::uint8_t byte) { said += static_cast<char>(byte); });
  const auto end = bench.run_to_end(Duration::seconds(1));
  EXPECT_EQ(said, "boot timer edge spi .");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->halt, cpu::Halt::jump_to_self);
  EXPECT_EQ(end->status, 7);
  EXPECT_EQ(bench.diagnostics.codes, std::vector<std::string>{});
  // Timer 1 counts 256 cycles, most of them asleep.
  EXPECT_GT(bench.machine.totals().sleep.count, 150);
}

}  // namespace
}  // namespace avrlan::testing
