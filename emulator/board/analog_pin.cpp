#include <fmt/format.h>

#include "emulator/board/analog_signal.hpp"

namespace avrlan {

std::string AnalogPin::name() const {
  if (*this == aref()) return "aref";
  if (*this == avcc()) return "avcc";
  return index < ain(0).index ? fmt::format("adc{}", index) : fmt::format("ain{}", index - ain(0).index);
}

}  // namespace avrlan
