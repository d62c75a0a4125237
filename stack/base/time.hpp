#ifndef TCPIP_BASE_TIME_HPP
#define TCPIP_BASE_TIME_HPP
// The stack has no clock: the firmware hands poll() milliseconds that never run backwards. Timers count ticks of 16 ms in
// 16 bits, so a deadline is at most 524 s away and poll() has to be called more often than that.
#include <stdint.h>

namespace tcpip {

using Tick = uint16_t;

constexpr Tick to_tick(uint32_t now_ms) {
  return static_cast<Tick>(now_ms >> 4);
}
constexpr Tick seconds(uint16_t s) {
  return static_cast<Tick>((s * 125ul + 1) / 2);
}

// Compares across the wrap.
constexpr bool is_due(Tick now, Tick deadline) {
  return static_cast<int16_t>(now - deadline) >= 0;
}

}  // namespace tcpip

#endif
