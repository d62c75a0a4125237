#pragma once
// Virtual time. One owner (the emulator) advances it; nothing here reads a wall clock.

#include <compare>
#include <cstdint>
#include <limits>

namespace avrlan {

// A span of virtual time in picoseconds; int64 holds 106 days.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration picoseconds(std::int64_t n) { return Duration{n}; }
  static constexpr Duration nanoseconds(std::int64_t n) { return Duration{n * 1'000}; }
  static constexpr Duration microseconds(std::int64_t n) { return Duration{n * 1'000'000}; }
  static constexpr Duration milliseconds(std::int64_t n) { return Duration{n * 1'000'000'000}; }
  static constexpr Duration seconds(std::int64_t n) { return Duration{n * 1'000'000'000'000}; }

  constexpr std::int64_t picoseconds() const { return ps_; }
  constexpr std::int64_t nanoseconds() const { return ps_ / 1'000; }
  constexpr std::int64_t microseconds() const { return ps_ / 1'000'000; }
  constexpr std::int64_t milliseconds() const { return ps_ / 1'000'000'000; }
  constexpr double seconds() const { return static_cast<double>(ps_) * 1e-12; }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return Duration{a.ps_ + b.ps_}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return Duration{a.ps_ - b.ps_}; }
  friend constexpr Duration operator*(Duration a, std::int64_t n) { return Duration{a.ps_ * n}; }
  friend constexpr Duration operator*(std::int64_t n, Duration a) { return a * n; }
  friend constexpr Duration operator/(Duration a, std::int64_t n) { return Duration{a.ps_ / n}; }
  friend constexpr std::int64_t operator/(Duration a, Duration b) { return a.ps_ / b.ps_; }
  constexpr Duration& operator+=(Duration b) { return *this = *this + b; }
  constexpr Duration& operator-=(Duration b) { return *this = *this - b; }

 private:
  explicit constexpr Duration(std::int64_t ps) : ps_(ps) {}
  std::int64_t ps_ = 0;
};

// A point of virtual time, counted from power-on of the simulation.
class Instant {
 public:
  constexpr Instant() = default;
  static constexpr Instant at(Duration since_start) { return Instant{since_start}; }
  static constexpr Instant never() { return Instant{Duration::picoseconds(std::numeric_limits<std::int64_t>::max())}; }

  constexpr Duration since_start() const { return since_start_; }
  constexpr bool is_never() const { return *this == never(); }

  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant t, Duration d) { return Instant{t.since_start_ + d}; }
  friend constexpr Instant operator-(Instant t, Duration d) { return Instant{t.since_start_ - d}; }
  friend constexpr Duration operator-(Instant a, Instant b) { return a.since_start_ - b.since_start_; }
  constexpr Instant& operator+=(Duration d) { return *this = *this + d; }

 private:
  explicit constexpr Instant(Duration d) : since_start_(d) {}
  Duration since_start_;
};

// A count of clock cycles of one MCU. Converted to time only by McuClock.
struct Cycles {
  std::int64_t count = 0;

  static constexpr Cycles never() { return Cycles{std::numeric_limits<std::int64_t>::max()}; }

  friend constexpr auto operator<=>(Cycles, Cycles) = default;
  friend constexpr Cycles operator+(Cycles a, Cycles b) { return Cycles{a.count + b.count}; }
  friend constexpr Cycles operator-(Cycles a, Cycles b) { return Cycles{a.count - b.count}; }
  constexpr Cycles& operator+=(Cycles b) { return *this = *this + b; }
  constexpr Cycles& operator-=(Cycles b) { return *this = *this - b; }
};

}  // namespace avrlan
