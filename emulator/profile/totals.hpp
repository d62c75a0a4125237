#pragma once
// What a profile says of each function.

#include <vector>

#include "emulator/profile/profiler.hpp"

namespace avrlan::profile {

// 0 of nothing.
constexpr double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

struct FunctionTotals {
  std::uint32_t function = 0;
  std::int64_t calls = 0;  // interrupts and tail calls included
  Cost own{};
  // With everything called from it; recursion counts once. Interrupts are not included.
  Cost inclusive{};
};

// Every function that was entered, most own cycles first; the sum of their own cycles and sleep is the run's total.
std::vector<FunctionTotals> function_totals(const Profiler& profiler);

// Of each node, what it and all below it cost; same order as Profiler::nodes().
std::vector<Cost> inclusive_costs(const std::vector<Node>& nodes);

// Whether a function occurs among a node's callers, too.
bool is_recursive(const std::vector<Node>& nodes, std::uint32_t node);

}  // namespace avrlan::profile
