#include "emulator/profile/frame_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "emulator/profile/layers.hpp"

namespace avrlan::profile {

namespace {

using Kind = NicEvent::Kind;
using Access = NicEvent::Access;

constexpr std::size_t first_layer = static_cast<std::size_t>(Step::layers);

std::size_t layer_count() {
  return network_layers().size();
}

bool is_layer(std::size_t index) {
  return index >= first_layer && index < first_layer + most_kinds;
}

std::string name_of(std::size_t index) {
  if (is_layer(index)) return network_layers()[index - first_layer].name;
  static constexpr const char* names[] = {"in the chip", "INT or poll", "copy out",    "registers", "",
                                          "asleep",      "copy in",     "transmitter", "medium",    "wire"};
  return names[index < first_layer ? index : index - most_kinds + 1];
}

// Steps that only a frame that was received, or sent, takes.
bool takes(const FramePath& path, std::size_t index) {
  if (index <= FramePath::index_of(Step::copy_out)) return path.received.has_value();
  if (index >= FramePath::index_of(Step::copy_in)) return path.sent.has_value();
  return true;
}

std::int64_t octets_of(const FramePath& path, std::size_t index) {
  const bool in = index < FramePath::index_of(Step::copy_in);
  const bool out = index > FramePath::index_of(Step::copy_out);
  return static_cast<std::int64_t>((in ? path.received.value_or(0) : 0) + (out ? path.sent.value_or(0) : 0));
}

std::int64_t sum(const std::vector<std::int64_t>& cycles) {
  return std::accumulate(cycles.begin(), cycles.end(), std::int64_t{0});
}

// How the values of some paths are spread. Of n values the p-th hundredth is the one at (n - 1) * p / 100, ascending.
class Spread {
 public:
  void add(std::int64_t cycles, std::int64_t octets) {
    values_.push_back(cycles);
    octets_ += octets;
  }
  std::int64_t total() const { return sum(values_); }
  nlohmann::ordered_json json() {
    std::sort(values_.begin(), values_.end());
    const auto at = [&](std::size_t percent) {
      return values_.empty() ? std::int64_t{0} : values_[(values_.size() - 1) * percent / 100];
    };
    const double per_byte = octets_ == 0 ? 0.0 : static_cast<double>(total()) / static_cast<double>(octets_);
    return {{"cycles", total()},
            {"frames", values_.size()},
            {"cycles_per_byte", per_byte},
            {"p50", at(50)},
            {"p90", at(90)},
            {"p99", at(99)},
            {"max", at(100)}};
  }

 private:
  std::vector<std::int64_t> values_;
  std::int64_t octets_ = 0;
};

}  // namespace

std::size_t FramePath::index_of(Step step, std::size_t layer) {
  const auto index = static_cast<std::size_t>(step);
  return step > Step::layers ? index + most_kinds - 1 : index + layer;
}

// Gives the cycles since the last time to a step; without one, to the layers whose code was executed, and to sleep.
void FramePaths::pass(std::int64_t cycle, std::optional<Step> step) {
  const Spent& spent = profiler_.spent(cycle);
  if (step) {
    path_.cycles[FramePath::index_of(*step)] += cycle - passed_cycle_;
  } else {
    for (std::size_t layer = 0; layer < layer_count(); ++layer)
      path_.cycles[FramePath::index_of(Step::layers, layer)] += spent.work[layer] - passed_.work[layer];
    path_.cycles[FramePath::index_of(Step::asleep)] += spent.sleep - passed_.sleep;
  }
  passed_ = spent;
  passed_cycle_ = cycle;
}

void FramePaths::begin(std::int64_t cycle) {
  path_ = {};
  path_.begin = cycle;
  released_ = false;
  looked_.reset();
  polled_.reset();
}

void FramePaths::keep(FramePath path, std::int64_t end) {
  path.end = end;
  paths_.push_back(std::move(path));
}

void FramePaths::end_unanswered(std::int64_t cycle) {
  if (!path_.received) return;
  if (looked_) {
    paths_.push_back(*std::move(looked_));
  } else {
    keep(std::move(path_), cycle);
  }
}

void FramePaths::nic_event(const NicEvent& event, std::int64_t cycle, Instant now) {
  switch (event.kind) {
    case Kind::access_begins:
      pass(cycle);
      selected_ = true;
      break;
    case Kind::access_ends:
      access_ended(event.access, cycle);
      break;
    case Kind::found_none:
      found_none(cycle);
      break;
    case Kind::frame_received:
      held_.push_back({event.number, event.octets, cycle});
      break;
    case Kind::frame_opened:
      opened(event.number, cycle);
      break;
    case Kind::frame_released:
      if (!held_.empty()) held_.pop_front();
      last_release_ = cycle;
      released_ = true;
      break;
    case Kind::transmit_requested:
      pass(cycle, Step::registers);
      in_flight_ = {std::move(path_), cycle, now};
      begin(cycle);
      break;
    case Kind::transmit_ended:
      transmit_ended(event, cycle, now);
      break;
    case Kind::reset:
      held_.clear();
      in_flight_.reset();
      begin(cycle);
      break;
    case Kind::frame_dropped:
    case Kind::dma_started:
    case Kind::dma_ended:
    case Kind::interrupt_asserted:
    case Kind::interrupt_released:
      break;
  }
}

void FramePaths::access_ended(Access access, std::int64_t cycle) {
  selected_ = false;
  pass(cycle, access == Access::read_buffer    ? Step::copy_out
              : access == Access::write_buffer ? Step::copy_in
                                               : Step::registers);
  if (access != Access::read_status) {
    polled_.reset();
    return;
  }
  if (polled_) {
    const std::int64_t waited = sum(path_.cycles) - sum(*polled_);
    path_.cycles = *polled_;
    path_.cycles[FramePath::index_of(Step::transmitter)] += waited;
  }
  polled_ = in_flight_ ? std::optional(path_.cycles) : std::nullopt;
}

void FramePaths::opened(std::uint64_t number, std::int64_t cycle) {
  pass(cycle, Step::registers);
  const auto frame = std::find_if(held_.begin(), held_.end(), [&](const Held& h) { return h.number == number; });
  if (frame == held_.end()) return;
  end_unanswered(passed_cycle_);
  begin(frame->arrived);
  const std::int64_t oldest_since = frame == held_.begin() ? std::clamp(last_release_, frame->arrived, cycle) : cycle;
  path_.cycles[FramePath::index_of(Step::queued)] = oldest_since - frame->arrived;
  path_.cycles[FramePath::index_of(Step::noticed)] = cycle - oldest_since;
  path_.received = frame->octets;
}

void FramePaths::found_none(std::int64_t cycle) {
  pass(cycle, Step::registers);
  const bool writing = path_.cycles[FramePath::index_of(Step::copy_in)] != 0;
  if (writing || (path_.received && !released_)) return;
  if (path_.received && !looked_) {
    looked_ = path_;
    looked_->end = cycle;
    return;
  }
  end_unanswered(cycle);
  begin(cycle);
}

void FramePaths::slept(std::int64_t from, std::int64_t to) {
  if (selected_) return;
  pass(from);
  if (in_flight_ || (path_.received && !released_)) {
    if (path_.received && released_ && !looked_) {
      looked_ = path_;
      looked_->end = from;
    }
    pass(to, in_flight_ ? Step::transmitter : Step::asleep);
    return;
  }
  end_unanswered(from);
  pass(to);
  begin(to);
}

void FramePaths::transmit_ended(const NicEvent& event, std::int64_t cycle, Instant now) {
  if (!in_flight_) return;
  InFlight ended = *std::exchange(in_flight_, std::nullopt);
  if (!event.sent) return;
  const std::int64_t since = cycle - ended.requested;
  const double share =
      now == ended.requested_at ? 0.0 : (now - event.start).seconds() / (now - ended.requested_at).seconds();
  const auto wire = std::min(static_cast<std::int64_t>(share * static_cast<double>(since) + 0.5), since);
  ended.path.cycles[FramePath::index_of(Step::medium)] = since - wire;
  ended.path.cycles[FramePath::index_of(Step::wire)] = wire;
  ended.path.sent = event.octets;
  keep(std::move(ended.path), cycle);
}

void FramePaths::finish() {
  if (looked_) paths_.push_back(*std::move(looked_));
  path_ = {};
  looked_.reset();
}

nlohmann::ordered_json FramePaths::layers() const {
  auto list = nlohmann::ordered_json::array();
  for (std::size_t layer = 0; layer < layer_count(); ++layer) {
    const std::int64_t cycles = profiler_.spent().work[layer];
    if (cycles != 0) list.push_back({{"name", network_layers()[layer].name}, {"cycles", cycles}});
  }
  return list;
}

nlohmann::ordered_json FramePaths::json() const {
  std::size_t answered = 0, unanswered = 0, sent = 0;
  Spread all;
  std::vector<Spread> steps(step_count);
  std::vector<std::int64_t> cycles(step_count);
  std::size_t octets_in = 0, octets_out = 0;
  for (const FramePath& path : paths_) {
    ++(path.received && path.sent ? answered : path.received ? unanswered : sent);
    octets_in += path.received.value_or(0);
    octets_out += path.sent.value_or(0);
    all.add(path.end - path.begin, octets_of(path, first_layer));
    for (std::size_t index = 0; index < step_count; ++index) {
      cycles[index] += path.cycles[index];
      if (takes(path, index)) steps[index].add(path.cycles[index], octets_of(path, index));
    }
  }
  nlohmann::ordered_json json = {{"answered", answered},   {"unanswered", unanswered}, {"sent", sent},
                                 {"octets_in", octets_in}, {"octets_out", octets_out}, {"all", all.json()}};
  json["steps"] = nlohmann::ordered_json::array();
  for (std::size_t index = 0; index < step_count; ++index) {
    if (cycles[index] == 0) continue;
    nlohmann::ordered_json step = {{"name", name_of(index)}};
    step.update(steps[index].json());
    json["steps"].push_back(step);
  }
  return json;
}

}  // namespace avrlan::profile
