#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace avrlan {

// The first of `names` that begins with `wanted`, else the one that differs by the fewest letters, to be suggested; `names`
// is not empty.
std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names);

// Whether `name` begins with `wanted`, or differs by few letters.
bool is_near(std::string_view wanted, std::string_view name);

// "did you mean 'mcu'?" where one of `names` is near, else "it is one of mcu, freq" if those are few.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace avrlan
