#include "emulator/cli/lab_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "emulator/board/escape.hpp"
#include "emulator/cli/signal_pipe.hpp"
#include "emulator/cli/tell.hpp"
#include "emulator/cli/units.hpp"
#include "emulator/lab/lab.hpp"

namespace avrlan {

namespace {

struct LabArguments {
  std::filesystem::path file;
  std::string threads = "1";
  std::string seed;
  std::string wall_timeout;
  std::string hold_limit = "10s";
  std::filesystem::path out;
  bool check = false;
};

const std::string help = R"(
Example, web.toml:

  timeout = "20s"                  # virtual
  seed = 7                         # of everything that links do by chance

  [[switch]]
  name = "hall"

  [[board]]
  name = "server"
  firmware = "web.elf"             # relative to this file
  board = "mega-enc28j60"          # and mcu, freq, engine, uart, uart-baud, eeprom, analog, chip-rev, errata, diag as avrlan run's options
  connect = "hall"                 # its cable goes to that switch, or to another board
  link = { delay = "5ms", loss = "1%" }   # as --link, each way; 50us without a delay

  [[peer]]
  kind = "dhcp"                    # the kinds and their keys: avrlan run --help, --peer
  connect = "hall"

  [[peer]]
  kind = "http-get"
  name = "reader"
  url = "http://10.0.2.15/"
  count = 5
  connect = "hall"

  [[fault]]
  at = "2s"
  kind = "reset-mcu"               # link-down, link-up, power-cycle, reset-mcu, reset-chip
  station = "server"

  [[assert]]
  peer = "reader"
  success = true

  [[assert]]
  board = "server"                 # text, no-text, value, status
  value = "diagnostics.warning"
  equals = 0

  avrlan lab web.toml -j 2 --out run

[[backend]] with name, net (as --net), connect, hostfwd and host-access leads to the host's network. The boards' UARTs go to
stdout by lines, with the board's name in front, everything else to stderr. --out DIR gets run.json of the lab, and DIR/BOARD
what avrlan run --out leaves. Without a backend the results depend on the file alone, not on the order in it, nor on -j.

Exit status: 0 success, 1 an assert failed or a board's firmware ended with another status than 0, 42 a time limit with nothing
asserted, 64 a wrong command line or LAB.toml, 70 a diagnostic of severity error, 71 a failure of the host, 130 SIGINT,
143 SIGTERM.)";

void print_line(const std::string& board, std::string_view line) {
  const std::string text = fmt::format("{}: {}\n", board, line);
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  throw HostError(fmt::format("cannot write the UARTs' output to stdout: {}", std::strerror(errno)),
                  "keep stdout open, or send it to /dev/null and read uart.log in --out DIR");
}

void summarise(const lab::Lab& lab, const lab::LabEnd& end, const nlohmann::ordered_json& json) {
  const double seconds = json["seconds"]["virtual"].get<double>();
  const double wall = std::chrono::duration<double>(end.wall).count();
  std::int64_t cycles = 0;
  for (const auto& board : lab.boards()) {
    const auto run = json["boards"][board->name()];
    cycles += board->number("cycles.total");
    const auto power_ons = run["earlier"].size() + 1;
    tell("{}: {}, status {}, {} cycles, {} frames in, {} out{}\n", board->name(),
         run["result"]["reason"].get<std::string>(), run["result"]["status"].get<int>(), board->number("cycles.total"),
         board->number("wire.in_frames"), board->number("wire.out_frames"),
         power_ons == 1 ? "" : fmt::format(", powered on {} times", power_ons));
  }
  for (const lab::Assertion& assertion : lab.assertions()) {
    if (assertion.failed()) tell("{}\n", printable(assertion.text()));
  }
  tell("ended     {}\n", lab::to_string(end.reason));
  tell("time      {:.6f} s virtual, {:.3f} s wall, {:.1f} million cycles/s of all boards\n", seconds, wall,
       wall > 0 ? static_cast<double>(cycles) / wall / 1e6 : 0);
  tell("digest    {}\n", lab.digest());
}

int run(const LabArguments& args) {
  lab::LabDescription description = lab::LabDescription::read(args.file);
  constexpr std::int64_t most_threads = 256;
  if (!args.seed.empty())
    description.seed = static_cast<std::uint64_t>(parse_number("--seed", args.seed, 0, INT64_MAX));
  const auto threads = static_cast<unsigned>(parse_number("-j", args.threads, 1, most_threads));
  lab::LabLimits limits;
  if (!args.wall_timeout.empty())
    limits.wall_time = std::chrono::nanoseconds(parse_time("--wall-timeout", args.wall_timeout).nanoseconds());
  limits.hold = std::chrono::nanoseconds(parse_time("--hold-limit", args.hold_limit).nanoseconds());
  // Opens nothing on the host, whose ports are another matter.
  if (args.check) description.backends.clear();
  lab::Lab lab(description, threads);
  if (args.check) return 0;
  const SignalPipe signals;
  limits.signal_fd = signals.fd();
  if (!args.out.empty()) lab.record(args.out);
  const bool progress = ::isatty(STDERR_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 0;
  lab.on_line(print_line);
  lab.on_diagnostic([](const std::string& board, std::string_view text) { tell("{}: {}", board, text); });
  if (progress) lab.on_progress([](Instant now) { tell("\r{:.1f} s virtual \x1b[K", now.since_start().seconds()); });
  for (const auto& line : lab.announcements()) tell("avrlan: {}\n", line);
  const lab::LabEnd end = lab.run(limits);
  if (progress) tell("\r\x1b[K");
  summarise(lab, end, lab.json(end));
  lab.write(end);
  return lab.status(end);
}

}  // namespace

void add_lab_command(CLI::App& program, int& exit_status) {
  CLI::App* command = program.add_subcommand("lab", "run several boards on their cables");
  auto args = std::make_shared<LabArguments>();
  command->add_option("LAB.toml", args->file, "what there is, and who is connected to whom")
      ->required()
      ->type_name("FILE");
  command->add_option("-j", args->threads, "threads that run the boards")->type_name("N")->capture_default_str();
  command->add_option("--seed", args->seed, "instead of the file's")->type_name("N");
  command->add_option("--wall-timeout", args->wall_timeout, "end after this much wall-clock time; exit status 42")
      ->type_name("TIME");
  command->add_option("--hold-limit", args->hold_limit, "how long pace max waits for a reply that the host owes")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--out", args->out, "directory for run.json and a directory for each board")->type_name("DIR");
  command->add_flag("--check", args->check, "only say whether the file is right; opens no socket");
  command->footer(help);
  command->callback([args, &exit_status] { exit_status = run(*args); });
}

}  // namespace avrlan
