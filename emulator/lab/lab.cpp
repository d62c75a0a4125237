#include "emulator/lab/lab.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "emulator/board/write_file.hpp"
#include "emulator/cli/report.hpp"
#include "emulator/cli/signal_pipe.hpp"

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

}  // namespace

std::string_view to_string(LabEndReason reason) {
  switch (reason) {
    case LabEndReason::asserts_decided:
      return "asserts-decided";
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

Lab::Lab(const LabDescription& description, unsigned threads)
    : description_(description), fabric_(description), workers_(threads) {
  for (const auto& one : description.boards) boards_.push_back(std::make_unique<BoardNode>(one));
  for (const auto& one : boards_) nodes_.push_back(one.get());
  nodes_.push_back(&fabric_);
  for (const auto& one : description.switches) {
    if (one.cable) connect(one.name, *one.cable);
  }
  for (const auto& one : description.backends) connect(one.name, *one.cable);
  for (const auto& one : description.peers) connect(one.options.host.name, *one.cable);
  for (const auto& one : description.boards) {
    if (one.cable) connect(one.name, *one.cable);
  }
  std::sort(channels_.begin(), channels_.end(), [](const auto& a, const auto& b) { return a->name() < b->name(); });
  Duration lookahead = longest_window;
  for (const auto& channel : channels_) lookahead = std::min(lookahead, channel->lookahead());
  margin_ = std::min(lookahead / 4, longest_instruction);
  window_ = lookahead - margin_;
  for (const auto& fault : description.faults) plan(fault);
  for (const auto& one : description.asserts) assertions_.emplace_back(one);
  for (Assertion& assertion : assertions_) plan(assertion);
  std::stable_sort(moments_.begin(), moments_.end(), [](const Moment& a, const Moment& b) { return a.when < b.when; });
}

BoardNode* Lab::find_board(const std::string& name) const {
  const auto found =
      std::find_if(boards_.begin(), boards_.end(), [&](const auto& board) { return board->name() == name; });
  return found == boards_.end() ? nullptr : found->get();
}

Socket Lab::socket(const std::string& station, const std::string& other) {
  if (BoardNode* const board = find_board(station)) return board->socket();
  return fabric_.socket(station, other);
}

void Lab::connect(const std::string& from, const Cable& cable) {
  const Socket near = socket(from, cable.to), far = socket(cable.to, from);
  Channel& out = add_channel(from, near, cable.to, far, cable.link);
  Channel& back = add_channel(cable.to, far, from, near, cable.link);
  near.connect(out);
  far.connect(back);
  cables_.push_back({from, cable.to, {&out, &back}, true});
}

Channel& Lab::add_channel(const std::string& from, const Socket& out, const std::string& to, const Socket& in,
                          const net::LinkOptions& link) {
  std::string name = from + ">" + to;
  net::LinkOptions options = link;
  options.seed = seed_of(description_.seed, name);
  channels_.push_back(
      std::make_unique<Channel>(std::move(name), *out.node, *in.node, *in.entry, options, lookahead_of(link)));
  return *channels_.back();
}

// The station's own cable, or the one that goes to it.
Lab::CableEnds* Lab::cable_of(const std::string& station) {
  auto cable = std::find_if(cables_.begin(), cables_.end(), [&](const auto& one) { return one.from == station; });
  if (cable == cables_.end())
    cable = std::find_if(cables_.begin(), cables_.end(), [&](const auto& one) { return one.to == station; });
  return cable == cables_.end() ? nullptr : &*cable;
}

void Lab::set_link(const std::string& station, bool up) {
  CableEnds* const cable = cable_of(station);
  if (cable == nullptr) return;
  cable->plugged_in = up;
  for (Channel* channel : cable->channels) channel->set_down(!up);
  update_links();
}

// A chip has a link when the cable is plugged in and who is at its other end has power.
void Lab::update_links() {
  for (const CableEnds& cable : cables_) {
    BoardNode *const from = find_board(cable.from), *const to = find_board(cable.to);
    if (from != nullptr) from->set_link(cable.plugged_in && (to == nullptr || to->powered()));
    if (to != nullptr) to->set_link(cable.plugged_in && (from == nullptr || from->powered()));
  }
}

void Lab::plan(const FaultDescription& fault) {
  using Kind = FaultDescription::Kind;
  const std::string& station = fault.station;
  switch (fault.kind) {
    case Kind::link_down:
    case Kind::link_up:
      moments_.push_back({fault.at, [this, &station, up = fault.kind == Kind::link_up] { set_link(station, up); }});
      break;
    case Kind::power_cycle: {
      const Instant on = fault.at + fault.off;
      moments_.push_back({fault.at, [this, &station] {
                            board(station).power_off();
                            update_links();
                          }});
      moments_.push_back({on, [this, &station, on] {
                            board(station).power_on(on);
                            update_links();
                          }});
      break;
    }
    case Kind::reset_mcu:
      moments_.push_back({fault.at, [this, &station] { board(station).reset_mcu(); }});
      break;
    case Kind::reset_chip:
      moments_.push_back({fault.at, [this, &station] { board(station).reset_chip(); }});
      break;
  }
}

void Lab::plan(Assertion& assertion) {
  const AssertDescription& said = assertion.description();
  const auto* text = std::get_if<TextAssertion>(&said.what);
  if (text != nullptr) {
    BoardNode& of = board(said.station);
    watched_.push_back({&assertion, &of, of.watch(text->text)});
  }
  if (said.of_peer && std::holds_alternative<ValueAssertion>(said.what) && !number(said)) {
    throw said.place.error(
        fmt::format("the peer's figures have no number '{}'", std::get<ValueAssertion>(said.what).name),
        fmt::format("they are {}", fabric_.peer(said.station).json().dump()));
  }
  // A text is looked for all the time, but has to be decided then.
  if (said.by) {
    moments_.push_back({assertion.deadline(), [this, &assertion, text] {
                          if (text == nullptr) check(assertion);
                        }});
  }
}

// What can be decided before its time: a text was seen, somebody has ended.
void Lab::check_watched(bool at_end) {
  for (const Watched& one : watched_) one.assertion->see(one.board->seen(one.watch), now_, at_end);
  for (Assertion& assertion : assertions_) {
    const AssertDescription& said = assertion.description();
    if (assertion.decided()) continue;
    if (std::holds_alternative<SuccessAssertion>(said.what)) {
      const auto* client = fabric_.peer(said.station).client();
      if (client != nullptr && client->state() == peers::Client::State::finished) check(assertion);
    } else if (std::holds_alternative<StatusAssertion>(said.what) && board(said.station).ended()) {
      check(assertion);
    }
  }
}

std::optional<std::int64_t> Lab::number(const AssertDescription& said) const {
  const std::string& name = std::get<ValueAssertion>(said.what).name;
  return said.of_peer ? find_number(fabric_.peer(said.station).json(), name) : find_board(said.station)->number(name);
}

// Of what holds at a moment.
void Lab::check(Assertion& assertion) {
  const AssertDescription& said = assertion.description();
  if (const auto* value = std::get_if<ValueAssertion>(&said.what)) {
    const std::int64_t found = number(said).value_or(0);
    const bool passed = (!value->least || found >= *value->least) && (!value->most || found <= *value->most);
    assertion.decide(passed, fmt::format("is {}", found));
  } else if (std::holds_alternative<SuccessAssertion>(said.what)) {
    const auto* client = fabric_.peer(said.station).client();
    const bool finished = client == nullptr || client->state() == peers::Client::State::finished;
    const std::string failure = client == nullptr ? "" : client->failure();
    assertion.decide(finished && failure.empty(), !finished ? "has not ended" : failure.empty() ? "success" : failure);
  } else if (const auto end = find_board(said.station)->ended()) {
    const int found = exit_status(*end);
    assertion.decide(found == std::get<StatusAssertion>(said.what).status,
                     fmt::format("{}, status {}", avrlan::to_string(end->reason), found));
  } else {
    assertion.decide(false, "has not ended");
  }
}

void Lab::decide_rest() {
  check_watched(true);
  for (Assertion& assertion : assertions_) {
    if (!assertion.decided()) check(assertion);
  }
}

bool Lab::all_decided() const {
  return !assertions_.empty() &&
         std::all_of(assertions_.begin(), assertions_.end(), [](const Assertion& one) { return one.decided(); });
}

void Lab::record(const std::filesystem::path& directory) {
  out_.emplace(directory, std::vector<std::string>{"run.json"}, lab_schema);
  out_->begin();
  using Kind = FaultDescription::Kind;
  for (const auto& board : boards_) {
    const auto cycles = std::count_if(description_.faults.begin(), description_.faults.end(), [&](const auto& fault) {
      return fault.kind == Kind::power_cycle && fault.station == board->name();
    });
    board->record(directory / board->name(), static_cast<std::size_t>(cycles) + 1);
  }
}

Instant Lab::earliest() const {
  Instant first = next_moment_ < moments_.size() ? moments_[next_moment_].when : Instant::never();
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
  if (all_decided()) return LabEndReason::asserts_decided;
  if (next_moment_ == moments_.size() &&
      std::all_of(boards_.begin(), boards_.end(), [](const auto& board) { return board->ended().has_value(); }))
    return LabEndReason::boards_ended;
  if (description_.timeout && next >= Instant::at(*description_.timeout)) return LabEndReason::virtual_limit;
  if (next.is_never()) return LabEndReason::silence;
  return std::nullopt;
}

bool Lab::stopped_from_outside() {
  if (stopped_) return true;
  const auto wall = Clock::now();
  if (wall < next_look_) return false;
  next_look_ = wall + look_every;
  if (progress_ && wall >= next_progress_) {
    next_progress_ = wall + progress_every;
    progress_(now_);
  }
  if (limits_.wall_time && wall - start_ >= *limits_.wall_time) {
    result_.reason = LabEndReason::wall_limit;
    return stopped_ = true;
  }
  const auto signal = take_signal(limits_.signal_fd);
  if (!signal) return false;
  result_.reason = LabEndReason::interrupted;
  result_.signal = *signal;
  return stopped_ = true;
}

// All of them, though they have nothing to do until then.
void Lab::reach(Instant when) {
  for (Node* node : nodes_) run_node(*node, when);
  now_ = std::max(now_, when);
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

// Until the hosts say something, a signal comes or time has passed.
void Lab::wait(std::chrono::nanoseconds at_most) {
  if (limits_.wall_time) at_most = std::min(at_most, start_ + *limits_.wall_time - Clock::now());
  const auto milliseconds =
      static_cast<int>(std::max<std::int64_t>(0, std::chrono::floor<std::chrono::milliseconds>(at_most).count()));
  if (!fabric_.hosts().empty()) {
    fabric_.poll_hosts(now_, milliseconds, limits_.signal_fd);
    return;
  }
  pollfd p{limits_.signal_fd, POLLIN, 0};
  ::poll(&p, limits_.signal_fd < 0 ? 0 : 1, milliseconds);
}

// Pace real, and while a host may say something at any time: waits until `next` is no longer to come.
void Lab::keep_pace(Instant next) {
  if (description_.pace != Pace::real && fabric_.host_state() != net::HostState::connected) {
    pace_base_ = Clock::now() - std::chrono::nanoseconds(next.since_start().nanoseconds());
    return;
  }
  const auto ahead = std::chrono::nanoseconds(next.since_start().nanoseconds()) - (Clock::now() - pace_base_);
  if (ahead < -longest_lag) pace_base_ += -ahead;
  if (ahead >= std::chrono::milliseconds(1)) wait(ahead);
}

// What the hosts have to say at `now_`, and with pace max virtual time stands still while the firmware waits for one.
void Lab::listen() {
  if (fabric_.hosts().empty()) return;
  const bool waits = description_.pace == Pace::max && fabric_.host_state() == net::HostState::reply_outstanding;
  if (!waits && Clock::now() < next_listen_) return;
  next_listen_ = Clock::now() + look_every;
  const auto deadline = Clock::now() + limits_.hold;
  bool spoke = fabric_.poll_hosts(now_, 0, limits_.signal_fd);
  while (waits && !spoke && fabric_.host_state() == net::HostState::reply_outstanding && !stopped_from_outside()) {
    const auto left = deadline - Clock::now();
    if (left <= std::chrono::nanoseconds(0)) {
      for (auto* const host : fabric_.hosts()) host->give_up_waiting();
      result_.hold_limit_hit = true;
      return;
    }
    constexpr int look_again = 100;  // at limits and signals, ms
    spoke = fabric_.poll_hosts(now_, look_again, limits_.signal_fd);
  }
}

std::vector<std::string> Lab::announcements() const {
  std::vector<std::string> all;
  for (const auto* const host : fabric_.hosts()) {
    for (const auto& line : host->announcements()) all.push_back(line);
  }
  return all;
}

LabEnd Lab::run(const LabLimits& limits) {
  limits_ = limits;
  start_ = pace_base_ = Clock::now();
  next_progress_ = start_ + progress_every;
  const Instant limit = description_.timeout ? Instant::at(*description_.timeout) : Instant::never();
  while (true) {
    listen();
    const Instant next = earliest();
    if (const auto reason = over(next)) {
      result_.reason = *reason;
      break;
    }
    if (stopped_from_outside()) break;
    keep_pace(std::min(next, limit));
    const Instant moment = next_moment_ < moments_.size() ? moments_[next_moment_].when : Instant::never();
    if (moment <= next) {
      reach(moment);
      moments_[next_moment_++].act();
    } else {
      step(std::min({std::max(earliest(), now_) + window_, moment, limit}));
    }
    check_watched(false);
    tell_news(false);
  }
  if (result_.reason == LabEndReason::virtual_limit) now_ = limit;
  reach(now_);
  decide_rest();
  tell_news(true);
  result_.wall = Clock::now() - start_;
  return result_;
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
    case LabEndReason::wall_limit:
      return 42;
    case LabEndReason::interrupted:
      return 128 + end.signal;
    case LabEndReason::virtual_limit:
      if (assertions_.empty()) return 42;
      break;
    case LabEndReason::asserts_decided:
    case LabEndReason::boards_ended:
    case LabEndReason::silence:
      break;
  }
  if (std::any_of(assertions_.begin(), assertions_.end(), [](const Assertion& one) { return one.failed(); })) return 1;
  const auto failed = [this](const auto& board) {
    const bool expected = std::any_of(assertions_.begin(), assertions_.end(), [&](const Assertion& one) {
      return one.description().station == board->name() &&
             std::holds_alternative<StatusAssertion>(one.description().what);
    });
    return !expected && exit_status(end_of(*board)) != 0;
  };
  return std::any_of(boards_.begin(), boards_.end(), failed) ? 1 : 0;
}

std::string Lab::digest() const {
  FrameDigest all;
  for (const auto& board : boards_) {
    const RunEnd end = end_of(*board);
    all.add(board->name());
    all.add(board->digest());
    all.add(board->uart_digest());
    all.add(fmt::format("{} {} {}", avrlan::to_string(end.reason), exit_status(end), board->number("cycles.total")));
  }
  all.add(fabric_.peers_json().dump());
  return all.text();
}

nlohmann::ordered_json Lab::json(const LabEnd& end) const {
  auto boards = nlohmann::ordered_json::object();
  for (const auto& board : boards_) boards[board->name()] = board->json(end_of(*board));
  auto links = nlohmann::ordered_json::object();
  for (const auto& channel : channels_)
    links[channel->name()] = {{"frames", channel->frames()}, {"drops", drops_json(channel->drops())}};
  auto asserts = nlohmann::ordered_json::array();
  for (const Assertion& assertion : assertions_) asserts.push_back(assertion.json());
  RunEnd whole;
  whole.reason = end.reason == LabEndReason::wall_limit    ? EndReason::wall_limit
                 : end.reason == LabEndReason::interrupted ? EndReason::interrupted
                                                           : EndReason::lab_ended;
  whole.host = fabric_.host_that_spoke();
  whole.hold_limit_hit = end.hold_limit_hit;
  const Determinism fixed = determinism(whole);
  return {
      {"schema", lab_schema},
      {"lab", description_.file.string()},
      {"seed", description_.seed},
      {"result", {{"reason", to_string(end.reason)}, {"status", status(end)}}},
      {"seconds",
       {{"virtual", now_.since_start().seconds()}, {"wall", std::chrono::duration<double>(end.wall).count()}}},
      {"deterministic", {{"value", fixed.value}, {"why", fixed.why}}},
      {"digest", digest()},
      {"boards", boards},
      {"links", links},
      {"switches", fabric_.switches_json()},
      {"peers", fabric_.peers_json()},
      {"backends", fabric_.backends_json()},
      {"asserts", asserts},
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
