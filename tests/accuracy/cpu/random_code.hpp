#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>

namespace avrlan::cpu::test {

// Valid instructions of every kind from the first word of `flash` to the last; LDS and STS use what `address` gives.
void fill_with_code(std::span<std::uint8_t> flash, std::mt19937_64& random,
                    const std::function<std::uint16_t()>& address);

}  // namespace avrlan::cpu::test
