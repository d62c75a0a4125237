#include "emulator/debug/monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "emulator/board/escape.hpp"
#include "emulator/board/host_error.hpp"
#include "emulator/cli/diagnostic_text.hpp"
#include "emulator/debug/frame_text.hpp"
#include "emulator/debug/history.hpp"
#include "emulator/debug/io_registers.hpp"
#include "emulator/profile/totals.hpp"

namespace avrlan::debug {

namespace {

constexpr std::size_t frames_kept = 256, frames_shown = 20;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  const std::size_t last = text.find_last_not_of(" \t");
  return last == std::string_view::npos ? std::string_view{} : text.substr(first, last - first + 1);
}

// The first word, and what follows it.
std::pair<std::string, std::string> first_word(std::string_view text) {
  text = trimmed(text);
  const std::size_t space = std::min(text.find_first_of(" \t"), text.size());
  return {std::string(text.substr(0, space)), std::string(trimmed(text.substr(space)))};
}

// Decimal, or hexadecimal behind 0x.
std::optional<std::int64_t> parse_number(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (failure != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// Several to a line.
class Columns {
 public:
  void add(const std::string& entry) {
    constexpr int a_line = 3;
    if (count_ > 0) text_ += count_ % a_line == 0 ? "\n" : "  ";
    text_ += entry;
    ++count_;
  }
  std::string text() const { return count_ == 0 ? "" : text_ + "\n"; }

 private:
  std::string text_;
  int count_ = 0;
};

std::string hex_dump(std::span<const std::uint8_t> memory, std::size_t first, std::size_t size) {
  constexpr std::size_t a_line = 16;
  std::string text;
  for (std::size_t at = first; at < first + size; at += a_line) {
    const auto line = memory.subspan(at, std::min(a_line, first + size - at));
    text += fmt::format("{:04x}: {:02x}\n", at, fmt::join(line, " "));
  }
  return text;
}

// Those with the most cycles first.
std::string flat_profile(const profile::Profiler& profiler) {
  constexpr std::size_t most = 20;
  const auto functions = profile::function_totals(profiler);
  profile::Cost all;
  for (const auto& function : functions) all += function.own;
  std::string text = fmt::format("{} cycles active, {} asleep\n{:>14} {:>6} {:>14} {:>10}  function\n", all.cycles,
                                 all.sleep, "cycles", "%", "of them wait", "calls");
  profile::Cost rest = all;
  for (std::size_t n = 0; n < std::min(most, functions.size()); ++n) {
    const auto& function = functions[n];
    text += fmt::format("{:>14} {:>6.2f} {:>14} {:>10}  {}\n", function.own.cycles,
                        profile::percent(function.own.cycles, all.cycles), function.own.wait, function.calls,
                        printable(profiler.map().functions()[function.function].name));
    rest.cycles -= function.own.cycles;
  }
  if (functions.size() > most) {
    text += fmt::format("{:>14} {:>6.2f} {:>25}  {} more\n", rest.cycles, profile::percent(rest.cycles, all.cycles), "",
                        functions.size() - most);
  }
  return text;
}

}  // namespace

Monitor::Monitor(Simulation& simulation, const Firmware& firmware, Target& target)
    : simulation_(simulation), firmware_(firmware), target_(target) {
  commands_ = {
      {"help", "", "this list", &Monitor::help},
      {"reset", "", "a low pulse on RESET; `maintenance flush register-cache` shows it, or use `run`", &Monitor::reset},
      {"cycles", "", "cycles since power-on, and where they went", &Monitor::cycles},
      {"nic", "[NAME | ADDRESS SIZE]",
       "the chip's registers, with their addresses for gdb, as in `watch {char}0x8a001f`; one of them; or octets of "
       "its memory",
       &Monitor::nic},
      {"io", "[NAME...]", "the MCU's I/O registers, with their addresses, or those whose names begin so", &Monitor::io},
      {"frames", "[N]", "the last frames at the chip", &Monitor::frames},
      {"diag", "", "what the firmware has done wrong", &Monitor::diagnostics},
      {"run-until", "cycle N | text TEXT | frame FILTER", "where the next `continue` ends; alone: forget it",
       &Monitor::run_until, true},
      {"break-frame", "[FILTER | delete [N]]", "stop at frames, each time; alone: list", &Monitor::break_frame, true},
      {"profile", "[on | off]", "where the cycles go from `on` to `off`, by function; alone: up to now",
       &Monitor::profile},
      {"snapshot", "[NAME]", "a name for this moment, to go back to; alone: list", &Monitor::snapshot, true},
      {"restore", "[NAME]", "the next `reverse-continue` goes to that snapshot, or the last", &Monitor::restore, true},
  };
  simulation.on_frame([this](bool to_board, const EthernetFrame& seen) { frame(to_board, seen); });
}

std::vector<const Monitor::Command*> Monitor::commands_named(std::string_view name) const {
  std::vector<const Command*> meant;
  for (const Command& command : commands_) {
    if (command.name == name) return {&command};
    if (command.name.starts_with(name)) meant.push_back(&command);
  }
  return meant;
}

bool Monitor::is_for_present(std::string_view line) const {
  const auto meant = commands_named(first_word(line).first);
  return meant.size() == 1 && meant.front()->for_present;
}

bool Monitor::is_stop(std::string_view line) const {
  const auto meant = commands_named(first_word(line).first);
  return meant.size() == 1 &&
         (meant.front()->run == &Monitor::run_until || meant.front()->run == &Monitor::break_frame);
}

std::string Monitor::execute(std::string_view line) {
  const auto [name, arguments] = first_word(line);
  if (name.empty()) return help("");
  const auto meant = commands_named(name);
  if (meant.size() == 1 && meant.front()->arguments.empty() && !arguments.empty())
    return fmt::format("{} takes nothing, and '{}' was given\n", meant.front()->name, printable(arguments));
  if (meant.size() != 1) {
    return fmt::format("'{}' is {}; `monitor help` lists the commands\n", printable(name),
                       meant.empty() ? "no command of avrlan's" : "the beginning of several commands");
  }
  try {
    return (this->*meant.front()->run)(arguments);
  } catch (const UsageError& wrong) {
    return fmt::format("{}; {}\n", printable(wrong.what()), wrong.hint());
  }
}

std::string Monitor::help(const std::string&) {
  std::string text;
  for (const Command& command : commands_)
    text += fmt::format("{}{}{}\n    {}\n", command.name, command.arguments.empty() ? "" : " ", command.arguments,
                        command.help);
  return text + "FILTER: [in|out] pcap-filter(7) [syn|fin|rst|psh], for example: in tcp port 80 syn\n";
}

std::string Monitor::reset(const std::string&) {
  if (target_.frozen()) return "this is the past\n";
  target_.reset();
  return fmt::format("the program counter is {:#x}\n", target_.machine().pc());
}

std::string Monitor::cycles(const std::string&) {
  const Machine& machine = simulation_.machine();
  const cpu::CycleTotals totals = machine.totals();
  return fmt::format("cycle {}, {:.9f} s; active {}, in interrupts {} of these, asleep {}\n", machine.cycle().count,
                     (machine.now() - Instant{}).seconds(), totals.active.count, totals.interrupt.count,
                     totals.sleep.count);
}

std::string Monitor::nic(const std::string& arguments) {
  const auto [first, second] = first_word(arguments);
  const auto memory = simulation_.nic().memory();
  const auto address = parse_number(first);
  const auto size = parse_number(second);
  if (address && size) {
    const auto end = static_cast<std::int64_t>(memory.size());
    if (*address >= end) return fmt::format("the {} has {:#x} octets\n", simulation_.nic().name(), end);
    return hex_dump(memory, static_cast<std::size_t>(*address),
                    static_cast<std::size_t>(std::min(*size, end - *address)));
  }
  if (!second.empty() || address)
    throw UsageError(fmt::format("'{}' is neither a register nor octets of memory", arguments),
                     "as in `monitor nic ECON1` or `monitor nic 0x1000 64`");
  Columns columns;
  for (const NicRegister& reg : simulation_.nic().register_values()) {
    if (first.empty() || reg.name == first)
      columns.add(
          fmt::format("{:#x} {:<8} {:#0{}x}", chip_registers + reg.place, reg.name, reg.value, 2 + 2 * reg.octets));
  }
  const std::string text = columns.text();
  return text.empty() ? fmt::format("the {} has no register {}\n", simulation_.nic().name(), printable(first)) : text;
}

std::string Monitor::io(const std::string& arguments) {
  const Machine& machine = simulation_.machine();
  Columns columns;
  for (const IoRegister& reg : io_registers(machine.mcu())) {
    if (reg.name.starts_with(arguments))
      columns.add(fmt::format("{:#x} {:<8} {:#04x}", data_space + reg.address, reg.name, machine.peek(reg.address)));
  }
  const std::string text = columns.text();
  return text.empty() ? fmt::format("the {} has no register {}\n", machine.mcu(), printable(arguments)) : text;
}

std::string Monitor::frames(const std::string& arguments) {
  const auto wanted = arguments.empty() ? std::optional<std::int64_t>(frames_shown) : parse_number(arguments);
  if (!wanted) throw UsageError(fmt::format("'{}' is no number of frames", arguments), "as in `monitor frames 10`");
  const std::size_t count = std::min(static_cast<std::size_t>(*wanted), seen_.size());
  std::string text;
  for (auto at = seen_.end() - static_cast<std::ptrdiff_t>(count); at != seen_.end(); ++at) text += line_of(*at);
  return text.empty() ? "no frame yet\n" : text;
}

std::string Monitor::line_of(const SeenFrame& seen) const {
  return fmt::format("{} {:.9f} {} {}\n", seen.number, (seen.when - Instant{}).seconds(), seen.to_board ? "in " : "out",
                     frame_text(seen.frame));
}

std::string Monitor::diagnostics(const std::string&) {
  std::string text;
  for (const DiagnosticLog::Entry& entry : simulation_.diagnostics().entries())
    text += to_text(entry, firmware_, DiagnosticFormat::gcc);
  return text.empty() ? "nothing\n" : text;
}

std::string Monitor::run_until(const std::string& arguments) {
  const auto [what, which] = first_word(arguments);
  const UsageError wrong(fmt::format("'{}' is nothing to run until", arguments),
                         "as in `monitor run-until cycle 16000000`, `... text ready` or `... frame tcp port 80 syn`");
  if (!what.empty() && which.empty()) throw wrong;
  std::optional<Cycles> cycle;
  std::optional<TextWatch> text;
  std::optional<FrameFilter> filter;
  if (what == "cycle") {
    const auto number = parse_number(which);
    if (!number) throw wrong;
    cycle = Cycles{*number};
    if (const Cycles now = target_.machine().cycle(); *cycle <= now)
      throw UsageError(fmt::format("cycle {} has been: this is cycle {}", cycle->count, now.count),
                       "give a later one; `reverse-continue` goes back");
  } else if (what == "text") {
    text.emplace(which);
  } else if (what == "frame") {
    filter.emplace(which);
  } else if (!what.empty()) {
    throw wrong;
  }
  until_cycle_ = cycle;
  until_text_ = std::move(text);
  until_frame_ = std::move(filter);
  return what.empty() ? "" : "now `continue`\n";
}

std::string Monitor::break_frame(const std::string& arguments) {
  const auto [first, second] = first_word(arguments);
  if (first == "delete") {
    const auto number = parse_number(second);
    const auto count = static_cast<std::int64_t>(frame_breakpoints_.size());
    if (!second.empty() && (!number || *number < 1 || *number > count))
      throw UsageError(fmt::format("there is no frame breakpoint {}", second), "`monitor break-frame` lists them");
    if (second.empty()) {
      frame_breakpoints_.clear();
    } else {
      frame_breakpoints_.erase(frame_breakpoints_.begin() + *number - 1);
    }
  } else if (!first.empty()) {
    frame_breakpoints_.emplace_back(arguments);
  }
  std::string text;
  for (std::size_t n = 0; n < frame_breakpoints_.size(); ++n)
    text += fmt::format("{}: {}\n", n + 1, frame_breakpoints_[n].text());
  return text.empty() ? "no frame breakpoints\n" : text;
}

std::string Monitor::profile(const std::string& arguments) {
  if (target_.frozen()) return "this is the past\n";
  const Machine& machine = target_.machine();
  if (arguments == "on") {
    if (!code_map_) code_map_ = std::make_unique<profile::CodeMap>(firmware_, machine.memory_map());
    profiler_ = std::make_unique<profile::Profiler>(*code_map_, machine.memory_map().pc_bytes);
    profiler_->begin(machine.cycle().count);
    target_.profile(profiler_.get());
    return "now `continue`\n";
  }
  if (!arguments.empty() && arguments != "off")
    throw UsageError(fmt::format("'{}' is nothing to do with a profile", arguments), "it can be on or off");
  if (!profiler_) return "there is no profile; `monitor profile on` begins one\n";
  profiler_->charge(machine.cycle().count);
  const std::string text = flat_profile(*profiler_);
  if (arguments == "off") forget_profile();
  return text;
}

void Monitor::forget_profile() {
  target_.profile(nullptr);
  profiler_.reset();
}

std::string Monitor::snapshot(const std::string& arguments) {
  if (history_ == nullptr) return "nothing is remembered\n";
  if (!arguments.empty()) history_->name(arguments);
  std::string text;
  for (const Snapshot& each : history_->snapshots())
    text += fmt::format("{}: cycle {}\n", printable(each.name), each.cycle.count);
  return text.empty() ? "no snapshots\n" : text;
}

std::string Monitor::restore(const std::string& arguments) {
  if (history_ == nullptr || !history_->go_back_next(arguments)) {
    throw UsageError(arguments.empty() ? "there is no snapshot" : fmt::format("there is no snapshot {}", arguments),
                     "`monitor snapshot` lists them; a change of registers or memory by hand has forgotten what was "
                     "before");
  }
  return "now `reverse-continue`; from there to the present, the far end sends what it has sent\n";
}

void Monitor::frame(bool to_board, const EthernetFrame& octets) {
  seen_.push_back({++frames_seen_, simulation_.machine().now(), to_board, octets});
  if (seen_.size() > frames_kept) seen_.pop_front();
  const auto hits = [&](const FrameFilter& filter) { return filter.matches(to_board, octets); };
  if (std::ranges::any_of(frame_breakpoints_, hits) || (until_frame_ && hits(*until_frame_)))
    stop("frame " + line_of(seen_.back()));
}

void Monitor::uart(std::uint8_t byte) {
  if (until_text_ && until_text_->feed(static_cast<char>(byte))) stop("the text has come\n");
}

void Monitor::stop(std::string why) {
  why_ += why;
  simulation_.machine().stop();
}

std::string Monitor::take_stop() {
  if (until_cycle_ && simulation_.machine().cycle() >= *until_cycle_) {
    why_ += fmt::format("cycle {}\n", simulation_.machine().cycle().count);
  }
  if (!why_.empty()) forget_run_until();
  return std::exchange(why_, {});
}

void Monitor::forget_run_until() {
  until_cycle_.reset();
  until_text_.reset();
  until_frame_.reset();
}

void Monitor::forget() {
  forget_run_until();
  frame_breakpoints_.clear();
  forget_profile();
}

}  // namespace avrlan::debug
