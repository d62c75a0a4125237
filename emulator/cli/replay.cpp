#include "emulator/cli/replay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/board/sha256.hpp"
#include "emulator/cli/diagnostic_text.hpp"
#include "emulator/net/decode.hpp"

namespace avrlan {

namespace {

// How long a loose replay waits for a frame beyond its recorded distance from the one before: a slower firmware's timers.
constexpr Duration patience = Duration::seconds(10);
// Behind the last frame of a recording that was killed, so that it can pass.
constexpr Duration tail = Duration::milliseconds(2);

constexpr const char* conversation[] = {"eth.type",    "arp.opcode",  "ip.dst",  "ip.proto",  "udp.dstport",
                                        "tcp.dstport", "tcp.seq_raw", "tcp.len", "tcp.flags", "icmp.type"};

bool ends_alone(const std::string& reason) {
  return reason == to_string(EndReason::firmware_exit) || reason == to_string(EndReason::sleep_for_ever) ||
         reason == to_string(EndReason::command_register);
}

std::string apart(std::int64_t cycles) {
  return fmt::format("{} cycle{} {}", std::abs(cycles), std::abs(cycles) == 1 ? "" : "s",
                     cycles < 0 ? "earlier" : "later");
}

std::string value_of(const std::vector<net::Field>& fields, const std::string& name) {
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == name; });
  return field == fields.end() ? std::string("-") : field->value;
}

// Whether what was recorded behind `expected` can follow `actual` as well.
bool fits(const EthernetFrame& expected, const EthernetFrame& actual) {
  const auto before = net::decode(expected.octets), now = net::decode(actual.octets);
  return std::all_of(std::begin(conversation), std::end(conversation),
                     [&](const char* name) { return value_of(before, name) == value_of(now, name); });
}

}  // namespace

Replay::Replay(const net::Trace& trace, const TraceRun& run, ReplayMode mode) : trace_(trace), run_(run), mode_(mode) {
  for (std::size_t n = 0; n < trace.frames.size(); ++n) (trace.frames[n].to_board ? in_ : out_).push_back(n);
}

Simulation::BackendFactory Replay::far_end() {
  return [this](Scheduler& scheduler, FrameSink& to_board) {
    scheduler_ = &scheduler;
    const auto timing =
        mode_ == ReplayMode::exact ? net::Player::Timing::recorded : net::Player::Timing::after_the_board;
    auto player = std::make_unique<net::Player>(scheduler, to_board, trace_, timing);
    if (mode_ != ReplayMode::exact) player->on_send([this](EthernetFrame& frame) { numbers_.to_board(frame); });
    return player;
  };
}

RunLimits Replay::limits() const {
  RunLimits limits;
  if (mode_ != ReplayMode::exact) return limits;
  Instant last = trace_.frames.empty() ? Instant{} : trace_.frames.back().at + tail;
  if (run_.end) last = ends_alone(run_.end->reason) ? trace_.end->at + patience : trace_.end->at;
  limits.virtual_time = last.since_start();
  return limits;
}

void Replay::attach(Simulation& simulation, Runner& runner) {
  simulation_ = &simulation;
  runner_ = &runner;
  simulation.on_frame([this](bool inwards, const EthernetFrame& frame) {
    if (!difference_.empty()) return;
    if (inwards) {
      to_board();
    } else {
      from_board(frame);
    }
  });
  simulation.on_nic_event([this](const NicEvent& event) {
    if (event.kind == NicEvent::Kind::transmit_requested) sent_by_ = simulation_->place().pcs;
  });
  if (mode_ != ReplayMode::exact) progress(0);
}

std::int64_t Replay::cycle() const {
  return simulation_->machine().cycle().count;
}

void Replay::to_board() {
  const std::size_t number = in_[next_in_++];
  const std::int64_t late = cycle() - trace_.frames[number].cycle;
  const bool all_before_sent = next_out_ == out_.size() || out_[next_out_] > number;
  if (mode_ == ReplayMode::exact && late != 0 && all_before_sent) {
    differs(
        fmt::format("frame {}, to the board, arrived {} than recorded, at cycle {}: the chip's clock or duplex is "
                    "another\n  {}\n",
                    number + 1, apart(late), cycle(), net::summary(trace_.frames[number].frame.octets)));
  }
  progress(number);
}

void Replay::from_board(const EthernetFrame& frame) {
  if (next_out_ == out_.size()) {
    // What a run that was killed has done behind its last frame is not in the recording.
    if (!run_.end && next_in_ == in_.size()) return stop(EndReason::recording_end);
    return differs(fmt::format("a frame at cycle {} that was not sent in the recording, which has {} frames\n  {}\n{}",
                               cycle(), trace_.frames.size(), net::summary(frame.octets), calls("sent by", sent_by_)));
  }
  const std::size_t number = out_[next_out_];
  const net::TraceFrame& recorded = trace_.frames[number];
  const bool exact = mode_ == ReplayMode::exact;
  const EthernetFrame expected = exact ? recorded.frame : numbers_.expected(recorded.frame, frame);
  const std::int64_t late = cycle() - recorded.cycle;
  const bool same = expected == frame;
  if (mode_ == ReplayMode::update && fits(expected, frame)) {
    if (late != 0 && changed_cycles_.frames++ == 0) changed_cycles_ = {1, number + 1, "", apart(late)};
    note_changes(number, expected, frame);
  } else if (!same || (exact && late != 0)) {
    const std::string when =
        late == 0 ? fmt::format("at the recorded cycle {}", recorded.cycle)
                  : fmt::format("{} than recorded, at cycle {} for {}", apart(late), cycle(), recorded.cycle);
    const std::string what = same ? fmt::format("  {}\n", net::summary(frame.octets))
                             : expected.octets == frame.octets
                                 ? std::string("  only the FCS differs\n")
                                 : net::side_by_side(expected.octets, frame.octets, "recorded", "now");
    return differs(fmt::format("frame {} was sent {}{}\n{}{}", number + 1, when, same ? "" : ", and is another", what,
                               calls("sent by", sent_by_)));
  }
  ++next_out_;
  progress(number);
}

// Calls, the innermost first; `verb` says what it has done.
std::string Replay::calls(const std::string& verb, const std::vector<std::uint32_t>& pcs) const {
  std::string text;
  for (const auto& line : simulation_->diagnostics().lines(pcs))
    text += fmt::format("  {:>{}} {}\n", text.empty() ? verb : "from", verb.size(), to_text(line));
  return text;
}

void Replay::differs(std::string text) {
  if (!difference_.empty()) return;
  difference_ = std::move(text);
  if (on_difference_) on_difference_(difference_);
  stop(EndReason::replay_differs);
}

// Inside an event; after the run it does nothing any more.
void Replay::stop(EndReason reason) {
  runner_->end(reason);
  simulation_->machine().stop();
}

void Replay::note_changes(std::size_t number, const EthernetFrame& expected, const EthernetFrame& actual) {
  if (expected == actual) return;
  const auto before = net::decode(expected.octets), now = net::decode(actual.octets);
  std::vector<std::string> names;
  for (const auto* fields : {&before, &now}) {
    for (const auto& field : *fields) {
      const bool repeated = std::count_if(fields->begin(), fields->end(),
                                          [&](const auto& other) { return other.name == field.name; }) > 1;
      const auto& others = fields == &before ? now : before;
      const bool same = repeated ? std::count(fields->begin(), fields->end(), field) ==
                                       std::count(others.begin(), others.end(), field)
                                 : value_of(others, field.name) == field.value;
      if (!same && std::find(names.begin(), names.end(), field.name) == names.end()) names.push_back(field.name);
    }
  }
  if (names.empty()) names.emplace_back("fcs");
  for (const auto& name : names) {
    Change& change = changed_fields_[name];
    if (change.frames++ == 0) change = {1, number + 1, value_of(before, name), value_of(now, name)};
  }
}

// A loose replay ends a while after the last frame, or when one does not come.
void Replay::progress(std::size_t number) {
  if (mode_ == ReplayMode::exact) return;
  const auto& frames = trace_.frames;
  const std::size_t reached = std::min(next_in_ == in_.size() ? frames.size() : in_[next_in_],
                                       next_out_ == out_.size() ? frames.size() : out_[next_out_]);
  Instant here = frames.empty() || (next_in_ == 0 && next_out_ == 0) ? Instant{} : frames[number].at;
  // A capture has whole nanoseconds.
  const Duration late = scheduler_->now() - here;
  if (late < Duration::nanoseconds(1) && late > Duration{} - Duration::nanoseconds(1)) here = scheduler_->now();
  const Instant end = run_.end ? trace_.end->at : here + tail;
  const bool all = reached == frames.size();
  const Instant next = all ? end : frames[reached].at;
  const bool waits = !all || (run_.end && ends_alone(run_.end->reason));
  const Duration distance = std::max(next - here, Duration{}) + (waits ? patience : Duration{});
  scheduler_->cancel(deadline_);
  deadline_ = scheduler_->after(distance, [this] {
    deadline_ = {};
    stop(EndReason::recording_end);
  });
}

std::string Replay::uart_difference() const {
  const std::vector<std::uint8_t> octets(uart_.begin(), uart_.end());
  if (run_.end->uart_octets == uart_.size() && run_.end->uart_sha256 == sha256(octets)) return "";
  return fmt::format("the UART's output is another: {} octets, recorded {}\n", uart_.size(), run_.end->uart_octets);
}

void Replay::compare_end(const RunEnd& end) {
  if (next_out_ < out_.size()) {
    const net::TraceFrame& missing = trace_.frames[out_[next_out_]];
    return differs(fmt::format("frame {} was not sent, recorded at cycle {}\n  {}\n{}", out_[next_out_] + 1,
                               missing.cycle, net::summary(missing.frame.octets),
                               calls("at the end in", simulation_->place_now().pcs)));
  }
  if (!run_.end) return;
  const bool alone = ends_alone(run_.end->reason);
  if (alone && (to_string(end.reason) != run_.end->reason || end.firmware_status != run_.end->firmware_status)) {
    return differs(fmt::format("the firmware has not ended as recorded ({}, status {})\n", run_.end->reason,
                               run_.end->firmware_status));
  }
  const std::int64_t late = cycle() - run_.end->cycles.count;
  if (mode_ == ReplayMode::exact) {
    if (late != 0)
      return differs(fmt::format("all frames are as recorded, but the end came {}, at cycle {} for {}\n", apart(late),
                                 cycle(), run_.end->cycles.count));
    if (std::string uart = uart_difference(); !uart.empty()) differs(std::move(uart));
  } else if (mode_ == ReplayMode::update) {
    if (late != 0) end_change_ = fmt::format("the end came {}, at cycle {}\n", apart(late), cycle());
    end_change_ += uart_difference();
  }
}

void Replay::finish(RunEnd& end) {
  if (end.reason == EndReason::virtual_limit) end.reason = EndReason::recording_end;
  const bool to_the_end = end.reason != EndReason::interrupted && end.reason != EndReason::killed &&
                          end.reason != EndReason::replay_differs &&
                          !(end.reason == EndReason::diagnostic && ends_at_errors());
  if (!to_the_end) return;
  compare_end(end);
  end.reason = difference_.empty() ? EndReason::recording_end : EndReason::replay_differs;
}

std::string Replay::changes() const {
  std::string text;
  if (changed_cycles_.frames != 0) {
    text += fmt::format("{} of {} frames from the board at other cycles, the first of them, frame {}, {}\n",
                        changed_cycles_.frames, out_.size(), changed_cycles_.first, changed_cycles_.is);
  }
  for (const auto& [name, change] : changed_fields_) {
    text += fmt::format("{} in {} frame{}", name, change.frames, change.frames == 1 ? "" : "s");
    if (change.first != 0) text += fmt::format(", first in frame {}: {} for {}", change.first, change.is, change.was);
    text += "\n";
  }
  return text + end_change_;
}

}  // namespace avrlan
