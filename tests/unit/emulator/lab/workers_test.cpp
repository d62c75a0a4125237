#include "emulator/lab/workers.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace avrlan::lab {
namespace {

TEST(Workers, CallsTheTaskOnceForEachNumberInEveryRound) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    Workers workers(threads);
    std::vector<int> calls(20, 0);
    for (std::size_t round = 1; round <= 2000; ++round) {
      const std::size_t count = round % (calls.size() + 1);
      workers.run(count, [&](std::size_t n) { ++calls[n]; });
    }
    for (std::size_t n = 0; n < calls.size(); ++n) {
      int expected = 0;
      for (std::size_t round = 1; round <= 2000; ++round) expected += round % (calls.size() + 1) > n ? 1 : 0;
      EXPECT_EQ(calls[n], expected) << n << " of " << threads << " threads";
    }
  }
}

TEST(Workers, PassOnWhatACallHasThrown) {
  Workers workers(3);
  const auto third_fails = [](std::size_t n) {
    if (n == 3) throw std::runtime_error("third");
  };
  EXPECT_THROW(workers.run(10, third_fails), std::runtime_error);
  int calls = 0;
  workers.run(1, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 1) << "goes on after that";
}

}  // namespace
}  // namespace avrlan::lab
