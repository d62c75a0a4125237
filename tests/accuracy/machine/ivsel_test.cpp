#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

class Ivsel : public ::testing::TestWithParam<const char*> {
 protected:
  Bench bench{std::string{"ivsel_"} + GetParam(), GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Mcus, Ivsel, ::testing::Values("atmega328p", "atmega2560"),
                         [](const auto& test) { return std::string{test.param}; });

// "If IVSEL is not written, interrupts remain disabled for four cycles."
TEST_P(Ivsel, NoInterruptIsTakenForFourCyclesAfterIvce) {
  bench.run_to("handler");
  EXPECT_EQ(bench.reg(20), 4);
}

// "... and they remain disabled until after the instruction following the write to IVSEL."
TEST_P(Ivsel, OneInstructionFollowsTheWriteToIvsel) {
  bench.run_to("boot_handler");
  EXPECT_EQ(bench.reg(20), 1);
}

}  // namespace
}  // namespace avrlan::testing
