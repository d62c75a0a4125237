#include "emulator/board/nearest_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace avrlan {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names) {
  const auto begun =
      std::find_if(names.begin(), names.end(), [wanted](const std::string& name) { return name.starts_with(wanted); });
  if (!wanted.empty() && begun != names.end()) return *begun;
  return *std::min_element(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(wanted, a) < edit_distance(wanted, b);
  });
}

bool is_near(std::string_view wanted, std::string_view name) {
  return name.starts_with(wanted) || 2 * edit_distance(wanted, name) <= wanted.size() + 1;
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names) {
  constexpr std::size_t few = 16;
  const std::string nearest = nearest_name(wanted, names);
  if (is_near(wanted, nearest) || names.size() > few) return fmt::format("did you mean '{}'?", nearest);
  return fmt::format("it is one of {}", fmt::join(names, ", "));
}

}  // namespace avrlan
