#include "emulator/lab/lab.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "emulator/board/write_file.hpp"
#include "emulator/cli/report.hpp"

namespace avrlan::lab {

namespace {

// The longest that an instruction may take past a barrier: five cycles at 1 MHz.
constexpr Duration longest_instruction = Duration::microseconds(5);
// Between two looks at limits and signals, when nothing ties the boards to each other.
constexpr Duration longest_window = Duration::milliseconds(10);
constexpr auto look_every = std::chrono::milliseconds(1);
constexpr auto progress_every = std::chrono::milliseconds(500);
// A host that is slower than the boards, or was stopped, is not caught up with.
constexpr auto longest_lag = std::chrono::milliseconds(100);

// How long a frame is under way at least. One that overtakes has no delay otherwise.
Duration lookahead_of(const net::LinkOptions& link) {
  const Duration always = std::max(link.delay - link.jitter, least_delay);
  return link.reorder > 0 ? std::min(always, default_delay) : always;
}

std::uint64_t seed_of(std::uint64_t lab_seed, std::string_view name) {
  FrameDigest digest;
  digest.add(name);
  return net::LinkRandom(lab_seed ^ digest.value()).next();
}

nlohmann::ordered_json drops_json(const DropCounters& drops) {
  auto json = nlohmann::ordered_json::object();
  for (std::size_t n = 0; n < static_cast<std::size_t>(DropReason::count_); ++n) {
    const auto reason = static_cast<DropReason>(n);
    if (drops.of(reason) != 0) json[std::string(to_string(reason))] = drops.of(reason);
  }
  return json;
}

}  // namespace

std::string_view to_string(LabEndReason reason) {
  switch (reason) {
    case LabEndReason::boards_ended:
      return "boards-ended";
    case LabEndReason::silence:
      return "silence";
    case LabEndReason::diagnostic:
      return "diagnostic";
    case LabEndReason::virtual_limit:
      return "timeout";
    case LabEndReason::wall_limit:
      return "wall-timeout";
    case LabEndReason::interrupted:
      return "interrupted";
  }
  return "interrupted";
}

Lab::Lab(const LabDescription& description, unsigned threads) : description_(description), workers_(threads) {
  for (const auto& one : description.boards) boards_.push_back(std::make_unique<BoardNode>(one));
  for (const auto& one : boards_) nodes_.push_back(one.get());
  for (const auto& one : description.boards) {
    if (one.cable) connect(board(one.name), *one.cable);
  }
  std::sort(channels_.begin(), channels_.end(), [](const auto& a, const auto& b) { return a->name() < b->name(); });
  Duration lookahead = longest_window;
  for (const auto& channel : channels_) lookahead = std::min(lookahead, channel->lookahead());
  margin_ = std::min(lookahead / 4, longest_instruction);
  window_ = lookahead - margin_;
}

BoardNode& Lab::board(const std::string& name) {
  return **std::find_if(boards_.begin(), boards_.end(), [&](const auto& board) { return board->name() == name; });
}

void Lab::connect(BoardNode& from, const Cable& cable) {
  BoardNode& to = board(cable.to);
  from.connect(add_channel(from, to, to.entry(), cable.link));
  to.connect(add_channel(to, from, from.entry(), cable.link));
}

Channel& Lab::add_channel(Node& from, Node& to, FrameSink& entry, const net::LinkOptions& link) {
  std::string name = from.name() + ">" + to.name();
  net::LinkOptions options = link;
  options.seed = seed_of(description_.seed, name);
  channels_.push_back(std::make_unique<Channel>(std::move(name), from, to, entry, options, lookahead_of(link)));
  return *channels_.back();
}

void Lab::record(const std::filesystem::path& directory) {
  out_.emplace(directory, std::vector<std::string>{"run.json"}, lab_schema);
  out_->begin();
  for (const auto& board : boards_) board->record(directory / board->name());
}

Instant Lab::earliest() const {
  Instant first = Instant::never();
  for (const Node* node : nodes_) first = std::min(first, node->earliest());
  return first;
}

// Why there is nothing to be done at `next`, the earliest instant at which there would be.
std::optional<LabEndReason> Lab::over(Instant next) const {
  if (std::any_of(boards_.begin(), boards_.end(), [](const auto& board) {
        const auto end = board->ended();
        return end && end->reason == EndReason::diagnostic;
      })) {
    return LabEndReason::diagnostic;
  }
  if (std::all_of(boards_.begin(), boards_.end(), [](const auto& board) { return board->ended().has_value(); }))
    return LabEndReason::boards_ended;
  if (description_.timeout && next >= Instant::at(*description_.timeout)) return LabEndReason::virtual_limit;
  if (next.is_never()) return LabEndReason::silence;
  return std::nullopt;
}

bool Lab::stopped_from_outside(LabEnd& end) {
  const auto wall = Clock::now();
  if (wall < next_look_) return false;
  next_look_ = wall + look_every;
  if (progress_ && wall >= next_progress_) {
    next_progress_ = wall + progress_every;
    progress_(now_);
  }
  if (limits_.wall_time && wall - start_ >= *limits_.wall_time) {
    end.reason = LabEndReason::wall_limit;
    return true;
  }
  pollfd p{limits_.signal_fd, POLLIN, 0};
  unsigned char number = 0;
  if (limits_.signal_fd < 0 || ::poll(&p, 1, 0) <= 0 || ::read(limits_.signal_fd, &number, 1) != 1) return false;
  end.reason = LabEndReason::interrupted;
  end.signal = number;
  return true;
}

// All nodes that have something to do before `until`, then what they have sent.
void Lab::step(Instant until) {
  active_.clear();
  for (Node* node : nodes_) {
    if (node->earliest() < until) active_.push_back(node);
  }
  workers_.run(active_.size(), [&](std::size_t n) { run_node(*active_[n], until); });
  for (const auto& channel : channels_) channel->exchange();
  now_ = until;
  ++barriers_;
}

void Lab::tell_news(bool all) {
  struct News {
    Instant when;
    const std::string* board;
    std::string text;
  };
  std::vector<News> lines;
  for (const auto& board : boards_) {
    if (all) board->end_line();
    for (auto& line : board->take_lines()) lines.push_back({line.when, &board->name(), std::move(line.text)});
    for (const auto& text : board->take_diagnostics()) {
      if (tell_) tell_(board->name(), text);
    }
  }
  std::stable_sort(lines.begin(), lines.end(), [](const News& a, const News& b) {
    return std::tie(a.when, *a.board) < std::tie(b.when, *b.board);
  });
  for (const News& line : lines) {
    if (print_line_) print_line_(*line.board, line.text);
  }
}

// Pace real: waits until `next` is no longer to come.
void Lab::keep_pace(Instant next) {
  if (description_.pace != Pace::real) return;
  const auto ahead = std::chrono::nanoseconds(next.since_start().nanoseconds()) - (Clock::now() - pace_base_);
  if (ahead < -longest_lag) pace_base_ += -ahead;
  if (ahead < std::chrono::milliseconds(1)) return;
  pollfd p{limits_.signal_fd, POLLIN, 0};
  ::poll(&p, limits_.signal_fd < 0 ? 0 : 1,
         static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(ahead).count()));
}

LabEnd Lab::run(const LabLimits& limits) {
  limits_ = limits;
  start_ = pace_base_ = Clock::now();
  next_progress_ = start_ + progress_every;
  const Instant limit = description_.timeout ? Instant::at(*description_.timeout) : Instant::never();
  LabEnd end;
  while (true) {
    const Instant next = earliest();
    if (const auto reason = over(next)) {
      end.reason = *reason;
      break;
    }
    if (stopped_from_outside(end)) break;
    keep_pace(next);
    step(std::min(std::max(next, now_) + window_, limit));
    tell_news(false);
  }
  if (end.reason == LabEndReason::virtual_limit) now_ = limit;
  for (Node* node : nodes_) run_node(*node, now_);
  tell_news(true);
  end.wall = Clock::now() - start_;
  return end;
}

RunEnd Lab::end_of(const BoardNode& board) const {
  RunEnd end;
  end.reason = EndReason::lab_ended;
  return board.ended().value_or(end);
}

int Lab::status(const LabEnd& end) const {
  switch (end.reason) {
    case LabEndReason::diagnostic:
      return 70;
    case LabEndReason::virtual_limit:
    case LabEndReason::wall_limit:
      return 42;
    case LabEndReason::interrupted:
      return 128 + end.signal;
    case LabEndReason::boards_ended:
    case LabEndReason::silence:
      break;
  }
  const bool failed = std::any_of(boards_.begin(), boards_.end(),
                                  [this](const auto& board) { return exit_status(end_of(*board)) != 0; });
  return failed ? 1 : 0;
}

std::string Lab::digest() const {
  FrameDigest all;
  for (const auto& board : boards_) {
    all.add(board->name());
    all.add(board->digest());
  }
  return all.text();
}

nlohmann::ordered_json Lab::json(const LabEnd& end) const {
  auto boards = nlohmann::ordered_json::object();
  for (const auto& board : boards_) boards[board->name()] = board->json(end_of(*board));
  auto links = nlohmann::ordered_json::object();
  for (const auto& channel : channels_)
    links[channel->name()] = {{"frames", channel->frames()}, {"drops", drops_json(channel->drops())}};
  const bool outside = end.reason == LabEndReason::wall_limit || end.reason == LabEndReason::interrupted;
  return {
      {"schema", lab_schema},
      {"lab", description_.file.string()},
      {"seed", description_.seed},
      {"result", {{"reason", to_string(end.reason)}, {"status", status(end)}}},
      {"seconds",
       {{"virtual", now_.since_start().seconds()}, {"wall", std::chrono::duration<double>(end.wall).count()}}},
      {"deterministic",
       {{"value", !outside}, {"why", outside ? "the run was ended from outside, at a moment of wall-clock time" : ""}}},
      {"digest", digest()},
      {"boards", boards},
      {"links", links},
  };
}

void Lab::write(const LabEnd& end) {
  if (!out_) return;
  for (const auto& board : boards_) board->write(end_of(*board));
  auto run = json(end);
  run["files"] = out_->names();
  constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
  write_file(*out_ / "run.json", run.dump(2, ' ', false, replace) + "\n");
}

}  // namespace avrlan::lab
