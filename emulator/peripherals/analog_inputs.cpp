#include "emulator/peripherals/analog_inputs.hpp"

#include <algorithm>
#include <utility>

namespace avrlan::peripherals {

namespace {

constexpr Voltage supply{5'000'000};

}  // namespace

AnalogInputs::AnalogInputs(Scheduler& scheduler, std::span<const AnalogSignal> signals) : scheduler_(scheduler) {
  for (auto& steps : steps_) steps = {{Instant{}, Voltage{}}};
  for (const auto pin : {AnalogPin::avcc(), AnalogPin::aref()}) steps_[pin.index] = {{Instant{}, supply}};
  for (const auto& signal : signals) steps_[signal.pin.index] = signal.steps;
}

Voltage AnalogInputs::at(AnalogPin pin, Instant when) const {
  const auto& steps = steps_[pin.index];
  const auto after = std::upper_bound(steps.begin(), steps.end(), when,
                                      [](Instant t, const AnalogSignal::Step& step) { return t < step.from; });
  return after == steps.begin() ? steps.front().voltage : std::prev(after)->voltage;
}

void AnalogInputs::on_step(std::function<void()> changed) {
  changed_ = std::move(changed);
  arm();
}

void AnalogInputs::arm() {
  Instant next = Instant::never();
  for (const auto& steps : steps_) {
    for (const auto& step : steps) {
      if (step.from > scheduler_.now()) next = std::min(next, step.from);
    }
  }
  if (next.is_never()) return;
  step_ = scheduler_.at(next, [this] {
    changed_();
    arm();
  });
}

}  // namespace avrlan::peripherals
