#include "nic-model/core/diagnostics.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace avrlan {
namespace {

TEST(DropReason, EachHasAStableNameOfItsOwn) {
  std::set<std::string> names;
  for (unsigned n = 0; n < static_cast<unsigned>(DropReason::count_); ++n) {
    const std::string name{to_string(static_cast<DropReason>(n))};
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos) << name;
    EXPECT_FALSE(name.empty());
  }
  EXPECT_EQ(to_string(DropReason::fifo_full), "fifo-full");
  EXPECT_EQ(to_string(DropReason::host_access_refused), "host-access-refused");
}

TEST(DropCounters, CountAddAndSum) {
  DropCounters a, b;
  EXPECT_EQ(a.total(), 0u);
  a.count(DropReason::runt);
  a.count(DropReason::runt);
  b.count(DropReason::runt);
  b.count(DropReason::lost);
  a += b;
  EXPECT_EQ(a.of(DropReason::runt), 3u);
  EXPECT_EQ(a.of(DropReason::lost), 1u);
  EXPECT_EQ(a.of(DropReason::giant), 0u);
  EXPECT_EQ(a.total(), 4u);
}

TEST(Severity, HasNames) {
  EXPECT_EQ(to_string(Severity::note), "note");
  EXPECT_EQ(to_string(Severity::warning), "warning");
  EXPECT_EQ(to_string(Severity::error), "error");
}

}  // namespace
}  // namespace avrlan
