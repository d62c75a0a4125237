#include "emulator/profile/totals.hpp"

#include <algorithm>

namespace avrlan::profile {

std::vector<Cost> inclusive_costs(const std::vector<Node>& nodes) {
  std::vector<Cost> costs;
  costs.reserve(nodes.size());
  for (const Node& node : nodes) costs.push_back(node.own);
  for (std::size_t at = nodes.size(); at-- > 1;) costs[nodes[at].parent] += costs[at];
  return costs;
}

bool is_recursive(const std::vector<Node>& nodes, std::uint32_t node) {
  for (std::uint32_t at = nodes[node].parent; at != 0; at = nodes[at].parent) {
    if (nodes[at].function == nodes[node].function) return true;
  }
  return false;
}

std::vector<FunctionTotals> function_totals(const Profiler& profiler) {
  const auto& nodes = profiler.nodes();
  const auto inclusive = inclusive_costs(nodes);
  std::vector<FunctionTotals> totals(profiler.map().functions().size());
  for (std::uint32_t function = 0; function < totals.size(); ++function) totals[function].function = function;
  for (std::uint32_t at = 1; at < nodes.size(); ++at) {
    FunctionTotals& function = totals[nodes[at].function];
    function.calls += nodes[at].calls;
    function.own += nodes[at].own;
    if (!is_recursive(nodes, at)) function.inclusive += inclusive[at];
  }
  std::erase_if(totals,
                [](const FunctionTotals& f) { return f.calls == 0 && f.own == Cost{} && f.inclusive == Cost{}; });
  std::stable_sort(totals.begin(), totals.end(),
                   [](const FunctionTotals& a, const FunctionTotals& b) { return a.own.cycles > b.own.cycles; });
  return totals;
}

}  // namespace avrlan::profile
