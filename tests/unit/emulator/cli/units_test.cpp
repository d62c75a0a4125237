#include "emulator/cli/units.hpp"

#include <gtest/gtest.h>

#include "emulator/board/host_error.hpp"

namespace avrlan {
namespace {

TEST(Units, Times) {
  EXPECT_EQ(parse_time("--timeout", "5s"), Duration::seconds(5));
  EXPECT_EQ(parse_time("--timeout", "5"), Duration::seconds(5));
  EXPECT_EQ(parse_time("--timeout", "1.5 s"), Duration::milliseconds(1500));
  EXPECT_EQ(parse_time("--timeout", "200ms"), Duration::milliseconds(200));
  EXPECT_EQ(parse_time("--timeout", "7us"), Duration::microseconds(7));
  EXPECT_EQ(parse_time("--timeout", "9ns"), Duration::nanoseconds(9));
  EXPECT_EQ(parse_time("--timeout", "2min"), Duration::seconds(120));
  EXPECT_EQ(parse_time("--timeout", "24h"), Duration::seconds(86400));
}

TEST(Units, Frequencies) {
  EXPECT_EQ(parse_frequency("--freq", "16000000"), 16000000);
  EXPECT_EQ(parse_frequency("--freq", "16MHz"), 16000000);
  EXPECT_EQ(parse_frequency("--freq", "14.7456M"), 14745600);
  EXPECT_EQ(parse_frequency("--freq", "32.768 kHz"), 32768);
}

TEST(Units, WholeNumbers) {
  EXPECT_EQ(parse_number("--uart", "0", 0, 3), 0);
  EXPECT_EQ(parse_number("--uart-baud", "115200", 1, 10'000'000), 115200);
  for (const char* bad : {"", "-1", "4", "010", "0x1", "1.0", "1 ", " 1", "+1", "one", "99999999999999999999"}) {
    EXPECT_THROW(parse_number("--uart", bad, 0, 3), UsageError) << bad;
  }
}

TEST(Units, RefuseWhatIsNeither) {
  for (const char* bad : {"", "soon", "5x", "-1s", "0", "1e3s", "nan", "inf", "101000h", "5 s ", "5S", "s"}) {
    EXPECT_THROW(parse_time("--timeout", bad), UsageError) << bad;
  }
  for (const char* bad : {"", "fast", "0", "-8MHz", "101MHz", "8mhz", "8MHzz", "0.1", "0.5Hz", "1.5Hz", "32.7685 Hz"}) {
    EXPECT_THROW(parse_frequency("--freq", bad), UsageError) << bad;
  }
}

}  // namespace
}  // namespace avrlan
