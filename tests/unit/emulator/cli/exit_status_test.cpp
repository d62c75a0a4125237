#include <gtest/gtest.h>
#include <signal.h>

#include "emulator/cli/report.hpp"

namespace avrlan {
namespace {

RunEnd ended(EndReason reason, int firmware_status = 0) {
  RunEnd end;
  end.reason = reason;
  end.firmware_status = firmware_status;
  return end;
}

TEST(ExitStatus, IsTheFirmwaresOwnUpTo31) {
  EXPECT_EQ(exit_status(ended(EndReason::firmware_exit, 0)), 0);
  EXPECT_EQ(exit_status(ended(EndReason::firmware_exit, 3)), 3);
  EXPECT_EQ(exit_status(ended(EndReason::firmware_exit, 31)), 31);
  EXPECT_EQ(exit_status(ended(EndReason::firmware_exit, 32)), 31);
  EXPECT_EQ(exit_status(ended(EndReason::firmware_exit, 255)), 31);
}

TEST(ExitStatus, TellsTheOtherEndingsApart) {
  EXPECT_EQ(exit_status(ended(EndReason::sleep_for_ever)), 0);
  EXPECT_EQ(exit_status(ended(EndReason::command_register)), 0);
  EXPECT_EQ(exit_status(ended(EndReason::expected_text)), 0);
  EXPECT_EQ(exit_status(ended(EndReason::failing_text)), 1);
  EXPECT_EQ(exit_status(ended(EndReason::virtual_limit)), 42);
  EXPECT_EQ(exit_status(ended(EndReason::wall_limit)), 42);
  EXPECT_EQ(exit_status(ended(EndReason::diagnostic)), 70);
}

TEST(ExitStatus, IsTheShellsForSignals) {
  RunEnd end = ended(EndReason::interrupted);
  end.signal = SIGINT;
  EXPECT_EQ(exit_status(end), 130);
  end.signal = SIGTERM;
  EXPECT_EQ(exit_status(end), 143);
}

}  // namespace
}  // namespace avrlan
