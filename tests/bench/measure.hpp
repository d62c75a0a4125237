#pragma once
// How the benchmarks measure.

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <vector>

namespace avrlan::bench {

// The time that this thread had a processor: what else runs on the machine matters less.
inline double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace avrlan::bench
