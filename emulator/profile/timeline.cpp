#include "emulator/profile/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace avrlan::profile {

namespace {

enum Track : int { calls = 1, interrupts, frames_in, frames_out, uart_lines };
constexpr const char* track_names[] = {"calls", "interrupts", "frames in", "frames out", "UART"};

using Chain = std::vector<std::uint32_t>;  // nodes, outermost first

Chain chain_of(const std::vector<Node>& nodes, std::uint32_t node) {
  Chain chain;
  for (; node != 0; node = nodes[node].parent) chain.push_back(node);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

// The events, one a line.
class Writer {
 public:
  Writer(const CodeMap& map, const std::vector<Node>& nodes, std::int64_t hz) : map_(map), nodes_(nodes), hz_(hz) {}

  double microseconds(std::int64_t cycle) const { return static_cast<double>(cycle) * 1e6 / static_cast<double>(hz_); }
  void add(const std::string& fields) {
    text_ += text_.empty() ? "" : ",\n";
    text_ += "{\"pid\":1," + fields + "}";
  }
  static std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  }
  // Closes what `open` has and `chain` has not, opens what it has more.
  void change(Track track, Chain& open, const Chain& chain, std::int64_t cycle) {
    const auto common = static_cast<std::size_t>(
        std::mismatch(open.begin(), open.end(), chain.begin(), chain.end()).first - open.begin());
    for (; open.size() > common; open.pop_back())
      add(fmt::format("\"tid\":{},\"ph\":\"E\",\"ts\":{:.4f}", static_cast<int>(track), microseconds(cycle)));
    for (std::size_t at = common; at < chain.size(); ++at) {
      open.push_back(chain[at]);
      add(fmt::format("\"tid\":{},\"ph\":\"B\",\"ts\":{:.4f},\"name\":{}", static_cast<int>(track), microseconds(cycle),
                      quoted(map_.functions()[nodes_[chain[at]].function].name)));
    }
  }
  std::string text() { return std::move(text_); }

 private:
  const CodeMap& map_;
  const std::vector<Node>& nodes_;
  const std::int64_t hz_;
  std::string text_;
};

}  // namespace

Timeline::Timeline(Profiler& profiler, std::int64_t hz, std::size_t most) : profiler_(profiler), hz_(hz), most_(most) {
  profiler.keep_timeline(most);
}

void Timeline::frame(bool to_board, std::size_t octets, std::int64_t cycle) {
  if (frames_.size() < most_) {
    frames_.push_back({to_board, octets, cycle});
  } else {
    ++left_out_;
  }
}

void Timeline::uart(std::uint8_t byte, std::int64_t cycle) {
  if (byte != '\n') {
    line_ += static_cast<char>(byte);
  } else if (lines_.size() < most_) {
    lines_.push_back({std::exchange(line_, {}), cycle});
  } else {
    line_.clear();
    ++left_out_;
  }
}

std::string Timeline::json(std::int64_t end) const {
  const auto& nodes = profiler_.nodes();
  Writer writer(profiler_.map(), nodes, hz_);
  for (int track = calls; track <= uart_lines; ++track) {
    writer.add(fmt::format("\"tid\":{},\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{{\"name\":\"{}\"}}", track,
                           track_names[track - 1]));
  }
  Chain open_calls, open_interrupts;
  for (const Moment& moment : profiler_.timeline()) {
    const Chain chain = chain_of(nodes, moment.node);
    const bool interrupt = profiler_.map().functions()[nodes[chain.front()].function].interrupt;
    writer.change(interrupts, open_interrupts, interrupt ? chain : Chain{}, moment.cycle);
    if (!interrupt) writer.change(calls, open_calls, chain, moment.cycle);
  }
  const bool complete = profiler_.moments_left_out() == 0;
  const std::int64_t last = complete ? end : profiler_.timeline().back().cycle;
  writer.change(interrupts, open_interrupts, {}, last);
  writer.change(calls, open_calls, {}, last);
  for (const Frame& frame : frames_) {
    const double duration = static_cast<double>(frame.octets + 12) * 0.8;
    writer.add(fmt::format("\"tid\":{},\"ph\":\"X\",\"ts\":{:.4f},\"dur\":{:.4f},\"name\":\"{} octets\"",
                           static_cast<int>(frame.to_board ? frames_in : frames_out),
                           std::max(0.0, writer.microseconds(frame.cycle) - duration), duration, frame.octets));
  }
  for (const Line& line : lines_) {
    writer.add(fmt::format("\"tid\":{},\"ph\":\"i\",\"s\":\"t\",\"ts\":{:.4f},\"name\":{}",
                           static_cast<int>(uart_lines), writer.microseconds(line.cycle), Writer::quoted(line.text)));
  }
  return fmt::format(
      "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"left_out_calls\":{},\"left_out_frames_and_lines\":{}}},\n"
      "\"traceEvents\":[\n{}\n]}}\n",
      profiler_.moments_left_out(), left_out_, writer.text());
}

}  // namespace avrlan::profile
