#include "emulator/profile/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace avrlan::profile {

namespace {

using Chain = std::vector<std::uint32_t>;  // nodes, outermost first

Chain chain_of(const std::vector<Node>& nodes, std::uint32_t node) {
  Chain chain;
  for (; node != 0; node = nodes[node].parent) chain.push_back(node);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string octets(std::size_t n) {
  return fmt::format("{} octets", n);
}

// The events, one a line. A track is a thread of the format.
class Writer {
 public:
  Writer(const CodeMap& map, const std::vector<Node>& nodes) : map_(map), nodes_(nodes) {}

  void add(int track, const std::string& fields) {
    text_ += text_.empty() ? "" : ",\n";
    text_ += fmt::format("{{\"pid\":1,\"tid\":{},{}}}", track + 1, fields);
  }
  // Closes what `open` has and `chain` has not, opens what it has more.
  void change(int track, Chain& open, const Chain& chain, double at) {
    const auto common = static_cast<std::size_t>(
        std::mismatch(open.begin(), open.end(), chain.begin(), chain.end()).first - open.begin());
    for (; open.size() > common; open.pop_back()) add(track, fmt::format("\"ph\":\"E\",\"ts\":{:.4f}", at));
    for (std::size_t depth = common; depth < chain.size(); ++depth) {
      open.push_back(chain[depth]);
      add(track, fmt::format("\"ph\":\"B\",\"ts\":{:.4f},\"name\":{}", at,
                             quoted(map_.functions()[nodes_[chain[depth]].function].name)));
    }
  }
  std::string text() { return std::move(text_); }

 private:
  const CodeMap& map_;
  const std::vector<Node>& nodes_;
  std::string text_;
};

}  // namespace

const char* Timeline::name_of(Track track) {
  static constexpr const char* names[] = {"calls",       "interrupts", "sleep",      "chip",      "frames in the chip",
                                          "transmitter", "DMA",        "INT is low", "frames in", "frames out",
                                          "UART"};
  return names[track];
}

Timeline::Timeline(Profiler& profiler, std::int64_t hz, std::size_t most) : profiler_(profiler), hz_(hz), most_(most) {
  profiler.keep_timeline(most);
}

void Timeline::add(Event event) {
  if (kept_[event.track] == most_) {
    if (most_ != 0) ++left_out_[event.track];
    return;
  }
  ++kept_[event.track];
  events_.push_back(std::move(event));
}

void Timeline::add(Track track, std::int64_t from, std::int64_t to, std::string name) {
  add({track, microseconds(from), microseconds(to) - microseconds(from), std::move(name)});
}

void Timeline::frame(bool to_board, std::size_t n, std::int64_t cycle) {
  const double end = microseconds(cycle);
  const double begin = std::max(0.0, end - static_cast<double>(n + 12) * 0.8);
  add({to_board ? frames_in : frames_out, begin, end - begin, octets(n)});
}

void Timeline::uart(std::uint8_t byte, std::int64_t cycle) {
  if (most_ == 0) return;
  if (byte != '\n') {
    line_ += static_cast<char>(byte);
  } else {
    add({uart_lines, microseconds(cycle), std::nullopt, line_.empty() ? "(empty)" : std::exchange(line_, {})});
  }
}

void Timeline::slept(std::int64_t from, std::int64_t to) {
  if (most_ == 0) return;
  if (asleep_since_ && asleep_until_ != from) {
    add(sleep, *asleep_since_, asleep_until_, "asleep");
    asleep_since_.reset();
  }
  if (!asleep_since_) asleep_since_ = from;
  asleep_until_ = to;
}

void Timeline::close(Track track, std::int64_t cycle, const std::string& name) {
  if (const auto since = std::exchange(open_[track], std::nullopt)) add(track, *since, cycle, name);
}

void Timeline::count_waiting(std::int64_t cycle, int frames) {
  waiting_ = frames;
  add({waiting, microseconds(cycle), std::nullopt, std::to_string(frames)});
}

void Timeline::nic_event(const NicEvent& event, std::int64_t cycle) {
  using Kind = NicEvent::Kind;
  if (most_ == 0) return;
  switch (event.kind) {
    case Kind::frame_received:
      add({chip, microseconds(cycle), std::nullopt, "received " + octets(event.octets)});
      count_waiting(cycle, waiting_ + 1);
      break;
    case Kind::frame_dropped:
      add({chip, microseconds(cycle), std::nullopt, fmt::format("dropped: {}", to_string(event.reason))});
      break;
    case Kind::frame_released:
      count_waiting(cycle, std::max(0, waiting_ - 1));
      break;
    case Kind::transmit_requested:
      open_[transmitter] = cycle;
      break;
    case Kind::transmit_ended:
      close(transmitter, cycle, event.sent ? octets(event.octets) : "not sent");
      break;
    case Kind::dma_started:
      open_[dma] = cycle;
      break;
    case Kind::dma_ended:
      close(dma, cycle, "DMA");
      break;
    case Kind::interrupt_asserted:
      open_[interrupt_pin] = cycle;
      break;
    case Kind::interrupt_released:
      close(interrupt_pin, cycle, "asserted");
      break;
    case Kind::reset:
      add({chip, microseconds(cycle), std::nullopt, "reset"});
      close(transmitter, cycle, "not sent");
      close(dma, cycle, "DMA");
      count_waiting(cycle, 0);
      break;
    case Kind::access_begins:
    case Kind::access_ends:
    case Kind::found_none:
    case Kind::frame_opened:
      break;
  }
}

std::string Timeline::json(std::int64_t end) const {
  Timeline all = *this;
  if (asleep_since_) all.add(sleep, *asleep_since_, asleep_until_, "asleep");
  if (!line_.empty()) all.add({uart_lines, microseconds(end), std::nullopt, line_});
  for (const Track track : {transmitter, dma, interrupt_pin}) all.close(track, end, "at the end of the run");

  const auto& nodes = profiler_.nodes();
  Writer writer(profiler_.map(), nodes);
  writer.add(calls, "\"ph\":\"M\",\"name\":\"process_name\",\"args\":{\"name\":\"avrlan\"}");
  for (int track = calls; track < track_count; ++track) {
    writer.add(track, fmt::format("\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{{\"name\":\"{}\"}}",
                                  name_of(static_cast<Track>(track))));
    writer.add(track, fmt::format("\"ph\":\"M\",\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{}}}", track));
  }
  Chain open_calls, open_interrupts;
  for (const Moment& moment : profiler_.timeline()) {
    const Chain chain = chain_of(nodes, moment.node);
    const bool interrupt = profiler_.map().functions()[nodes[chain.front()].function].interrupt;
    writer.change(interrupts, open_interrupts, interrupt ? chain : Chain{}, microseconds(moment.cycle));
    if (!interrupt) writer.change(calls, open_calls, chain, microseconds(moment.cycle));
  }
  const bool complete = profiler_.moments_left_out() == 0;
  const double last = microseconds(complete ? end : profiler_.timeline().back().cycle);
  writer.change(interrupts, open_interrupts, {}, last);
  writer.change(calls, open_calls, {}, last);
  std::stable_sort(all.events_.begin(), all.events_.end(), [](const Event& a, const Event& b) { return a.at < b.at; });
  for (const Event& event : all.events_) {
    const std::string at = fmt::format("\"ts\":{:.4f}", event.at);
    if (event.length) {
      writer.add(event.track,
                 fmt::format("\"ph\":\"X\",{},\"dur\":{:.4f},\"name\":{}", at, *event.length, quoted(event.name)));
    } else if (event.track == waiting) {
      writer.add(event.track, fmt::format("\"ph\":\"C\",{},\"name\":\"{}\",\"args\":{{\"frames\":{}}}", at,
                                          name_of(waiting), event.name));
    } else {
      writer.add(event.track, fmt::format("\"ph\":\"i\",\"s\":\"t\",{},\"name\":{}", at, quoted(event.name)));
    }
  }
  nlohmann::ordered_json left_out = nlohmann::ordered_json::object();
  all.left_out_[calls] = profiler_.moments_left_out();
  for (std::size_t track = calls; track < track_count; ++track) {
    if (all.left_out_[track] != 0) left_out[name_of(static_cast<Track>(track))] = all.left_out_[track];
  }
  return fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"left_out\":{}}},\n\"traceEvents\":[\n{}\n]}}\n",
                     left_out.dump(), writer.text());
}

}  // namespace avrlan::profile
