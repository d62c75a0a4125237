#include "nic-model/core/time.hpp"

#include <gtest/gtest.h>

namespace avrlan {
namespace {

TEST(Duration, CountsPicosecondsAndRoundsDownWhenRead) {
  EXPECT_EQ(Duration::nanoseconds(10'240).picoseconds(), 10'240'000);
  EXPECT_EQ(Duration::picoseconds(1'999).nanoseconds(), 1);
  EXPECT_EQ(Duration::seconds(3), Duration::milliseconds(3'000));
  EXPECT_EQ(Duration::milliseconds(1), Duration::microseconds(1'000));
  EXPECT_EQ(Duration::microseconds(10) / Duration::nanoseconds(800), 12);
  EXPECT_EQ(Duration::microseconds(10) / 4, Duration::nanoseconds(2'500));
  EXPECT_DOUBLE_EQ(Duration::milliseconds(250).seconds(), 0.25);
}

TEST(Instant, IsApartFromAnotherByADuration) {
  const Instant start = Instant::at(Duration::microseconds(5));
  EXPECT_EQ((start + Duration::microseconds(2)) - start, Duration::microseconds(2));
  EXPECT_EQ(start - Duration::microseconds(5), Instant{});
  EXPECT_LT(start, Instant::never());
  EXPECT_TRUE(Instant::never().is_never());
}

}  // namespace
}  // namespace avrlan
