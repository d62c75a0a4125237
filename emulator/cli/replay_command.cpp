#include "emulator/cli/replay_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "emulator/board/escape.hpp"
#include "emulator/board/host_error.hpp"
#include "emulator/board/read_file.hpp"
#include "emulator/board/write_file.hpp"
#include "emulator/cli/diagnostic_text.hpp"
#include "emulator/cli/gdb_option.hpp"
#include "emulator/cli/output_files.hpp"
#include "emulator/cli/replay.hpp"
#include "emulator/cli/report.hpp"
#include "emulator/cli/run_text.hpp"
#include "emulator/cli/signal_pipe.hpp"
#include "emulator/cli/tell.hpp"
#include "emulator/cli/trace_header.hpp"
#include "emulator/cli/trace_writer.hpp"
#include "emulator/cli/uart_output.hpp"

namespace avrlan {

namespace {

struct ReplayArguments {
  std::filesystem::path trace;
  std::filesystem::path firmware;
  bool loose = false;
  bool any_firmware = false;
  bool update = false;
  std::string engine;
  GdbOption gdb;
  std::filesystem::path out;
};

constexpr const char* examples = R"(
Board, options and everything that the network said come from the recording; no socket is opened. Each frame is given to
the board at its recorded instant, and what the firmware sends has to be the same octets at the same cycle, to the end of
the run and what the UART has printed by then. The first difference ends the replay, with both frames side by side.

--loose leaves cycles, the end and the UART alone: a frame comes to the board as long after the board's latest as it did
in the recording, and the numbers that a firmware makes up (TCP's initial sequence numbers, ports of clients, DNS and
DHCP ids, IPv4's identification, NTP's timestamps) may be others; frames to the board are given the new ones.

--update plays loosely, writes what the firmware does now into TRACE, and says what has changed. It refuses when the
firmware sends fewer or more frames than before: what the network would have said then is not in the recording.

Examples:
  avrlan run web.elf --hostfwd tcp::8080-:80 --record page.pcapng     (ends with ctrl-C; wireshark reads the file)
  avrlan replay page.pcapng web.elf
  avrlan replay page.pcapng build/web.elf --any-firmware              a rebuilt one: has it stayed the same to the cycle?
  avrlan replay page.pcapng build/web.elf --any-firmware --loose      or in what it sends, at least?
  avrlan replay page.pcapng web.elf --gdb                             the same run again in a debugger, as often as need be
  avrlan replay page.pcapng build/web.elf --update                    that is how it is now

Exit status: 0 as recorded (or updated), 1 not, 64 a wrong command line or no recording, 70 a diagnostic of severity
error that the recording did not end with, 71 a failure of the host, 129 SIGHUP, 130 SIGINT, 137 gdb's kill, 143 SIGTERM.)";

ReplayMode mode(const ReplayArguments& args) {
  if (args.update) return ReplayMode::update;
  return args.loose ? ReplayMode::loose : ReplayMode::exact;
}

void check_firmware(const ReplayArguments& args, const TraceRun& run, const Firmware& firmware) {
  if (args.any_firmware || args.update || run.firmware_sha256 == firmware.sha256) return;
  const auto begins = [](const std::string& sum) { return sum.substr(0, 12); };
  const bool alike = begins(run.firmware_sha256) == begins(firmware.sha256);
  throw UsageError(fmt::format("{} is of another firmware than {}: of {} with sha256 {}, not {}", args.trace.string(),
                               args.firmware.string(), run.firmware_name,
                               alike ? run.firmware_sha256 : begins(run.firmware_sha256) + "...",
                               alike ? firmware.sha256 : begins(firmware.sha256) + "..."),
                   "add --any-firmware to replay it all the same, with --loose if its cycles may be others");
}

// A file of its own that becomes the recording's content at the end, so that its name, links, owner and mode stay.
class NewTrace {
 public:
  explicit NewTrace(const std::filesystem::path& trace) : trace_(trace) {
    std::string name = (std::filesystem::temp_directory_path() / "avrlan-update-XXXXXX").string();
    const int file = ::mkstemp(name.data());
    if (file < 0)
      throw HostError(fmt::format("cannot make a file like {}: {}", name, std::strerror(errno)),
                      "set TMPDIR to a directory that can be written");
    ::close(file);
    file_ = name;
  }
  ~NewTrace() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
  NewTrace(const NewTrace&) = delete;
  NewTrace& operator=(const NewTrace&) = delete;
  const std::filesystem::path& file() const { return file_; }
  // Nothing when it is the same to the octet.
  void put_in_place() const {
    const std::string now = read_file(file_, ""), before = read_file(trace_, "");
    if (now == before) return;
    try {
      write_file(trace_, now);
    } catch (const HostError&) {
      write_file(trace_, before);
      throw;
    }
  }

 private:
  std::filesystem::path trace_;
  std::filesystem::path file_;
};

std::string grouped_frames(const Replay& replay) {
  return fmt::format("{} frames to the board and {} from it", replay.frames_in(), replay.frames_out());
}

// What became of it, in a few lines.
void tell_result(const ReplayArguments& args, const Replay& replay, const RunEnd& end, bool updated,
                 const TraceRun& run, const Firmware& firmware) {
  const std::string trace = printable(args.trace.string());
  if (!replay.difference().empty()) {
    tell("avrlan: {}: {}", trace, replay.difference());
    if (args.update) tell("avrlan: {} is left as it was; record it anew with `avrlan run --record`\n", trace);
  } else if (updated) {
    const std::string changes = replay.changes();
    const bool same_firmware = run.firmware_sha256 == firmware.sha256;
    tell("avrlan: {} is updated: {}", trace,
         !changes.empty() ? changes
         : same_firmware  ? "nothing has changed\n"
                          : "nothing but the firmware has changed\n");
  } else if (end.reason != EndReason::recording_end) {
    tell("avrlan: {}: as recorded so far, {}\n", trace, grouped_frames(replay));
  } else if (args.loose) {
    tell("avrlan: {}: {} as recorded, whatever the cycle\n", trace, grouped_frames(replay));
  } else {
    tell("avrlan: {}: {} as recorded, to the cycle\n", trace, grouped_frames(replay));
  }
  if (replay.difference().empty() && !run.end)
    tell(
        "avrlan: {} has no end, since its run was killed or another program has written it: what came after its last "
        "frame is not known\n",
        trace);
}

void write_results(const OutDirectory& out, const ReplayArguments& args, const Simulation& simulation,
                   const Board& board, const Firmware& firmware, const RunEnd& end, const Replay& replay, int status) {
  auto json = run_json(simulation, board, firmware, end);
  json["result"]["status"] = status;
  json["replay"] = {{"trace", args.trace.string()}, {"difference", replay.difference()}};
  json["files"] = out.names();
  // Names in a damaged ELF, and paths, need not be UTF-8.
  constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
  write_file(out / "run.json", json.dump(2, ' ', false, replace) + "\n");
  write_file(out / "diagnostics.json",
             diagnostics_json(simulation.diagnostics(), firmware).dump(2, ' ', false, replace) + "\n");
}

std::optional<OutDirectory> output_directory(const ReplayArguments& args) {
  if (args.out.empty()) return std::nullopt;
  const std::vector<std::string> names = {"run.json", "diagnostics.json", "uart.log", "frames.pcapng"};
  std::vector<NamedFile> outputs;
  for (const auto& name : names) outputs.push_back({"--out", args.out / name});
  keep_apart({{"TRACE", args.trace}, {"FIRMWARE", args.firmware}}, outputs);
  return OutDirectory(args.out, names);
}

int replay(const ReplayArguments& args) {
  if (args.gdb && args.update)
    throw UsageError("what a debugger has touched is no recording", "leave out --gdb or --update");
  const net::Trace trace = net::read_trace(args.trace);
  TraceRun run = read_trace_run(args.trace.string(), trace);
  const Firmware firmware = Firmware::load_elf(args.firmware);
  check_firmware(args, run, firmware);
  const std::string file = args.trace.string();
  if (!run.end && trace.frames.empty())
    throw UsageError(
        fmt::format("{} has neither a frame nor an end: there is nothing to compare", file),
        "record it anew with `avrlan run FIRMWARE --record FILE`, and let that end, or stop it with SIGINT");
  const Board& board = run.board;
  if (!args.engine.empty()) {
    run.options.machine.engine = args.engine == "simavr" ? EngineKind::simavr : EngineKind::exact;
    run.options.diagnostics.use(run.options.machine.engine);
  }
  if (args.gdb && run.options.machine.engine == EngineKind::simavr)
    throw UsageError("simavr's interpreter, which this was recorded with, cannot be stopped by gdb",
                     "add --engine exact, whose cycles are the same");
  const std::optional<OutDirectory> out = output_directory(args);
  Replay replay(trace, run, mode(args));
  const SignalPipe signals;
  Simulation simulation(board, firmware, run.options, replay.far_end());
  UartOutput uart;
  if (out) {
    out->begin();
    simulation.capture(*out / "frames.pcapng");
    uart.log_to(*out / "uart.log");
  }
  std::optional<NewTrace> new_trace;
  if (args.update) new_trace.emplace(args.trace);
  std::optional<TraceWriter> writer;
  if (new_trace) writer.emplace(simulation, new_trace->file(), trace_header(board, firmware, run.options, run.network));
  Runner runner(simulation, Pace::max, replay.limits(), signals.fd());
  replay.attach(simulation, runner);
  const auto debugger = make_debugger(args.gdb, firmware, simulation, runner, replay.limits(), signals.fd());
  if (debugger) replay.on_difference([&](const std::string& text) { debugger->last_stop(text); });
  simulation.machine().on_uart([&](std::uint8_t byte) {
    uart.put(byte);
    replay.uart(byte);
    if (debugger) debugger->uart(byte);
    if (writer) writer->uart(byte);
  });
  simulation.diagnostics().on_first([&](const DiagnosticLog::Entry& entry) {
    tell("{}", to_text(entry, firmware, DiagnosticFormat::gcc));
    if (entry.diagnostic.severity == Severity::error && replay.ends_at_errors()) runner.end(EndReason::diagnostic);
  });
  if (debugger) tell_of_debugger(*debugger, args.firmware);
  const RunEnd run_end = runner.run();
  RunEnd end = run_end;
  replay.finish(end);
  const int status = exit_status(end);
  if (debugger) debugger->ended(status);
  const bool updated = writer && end.reason == EndReason::recording_end;
  if (writer) {
    // A recording that was ended from outside stays one.
    const bool alone = run_end.reason != EndReason::recording_end || !run.end;
    writer->finish(alone ? to_string(run_end.reason) : run.end->reason, run_end.firmware_status);
  }
  simulation.flush();
  if (updated) new_trace->put_in_place();
  tell_result(args, replay, end, updated, run, firmware);
  if (debugger && debugger->has_interfered())
    tell("avrlan: gdb has changed registers or memory of this run, or reset the MCU: a difference may be its doing\n");
  uart.flush();
  if (out) write_results(*out, args, simulation, board, firmware, end, replay, status);
  return status;
}

}  // namespace

void add_replay_command(CLI::App& program, int& exit_status) {
  CLI::App* command =
      program.add_subcommand("replay", "run a firmware with what `avrlan run --record` has recorded, and compare");
  auto args = std::make_shared<ReplayArguments>();
  command->add_option("TRACE", args->trace, "what --record has written")->required()->type_name("FILE");
  command->add_option("FIRMWARE", args->firmware, "the ELF that would be flashed")->required()->type_name("FILE");
  command->add_flag("--loose", args->loose, "the same frames will do, at whatever cycle");
  command->add_flag("--any-firmware", args->any_firmware, "also if FIRMWARE is not the file that was recorded");
  command->add_flag("--update", args->update, "rewrite TRACE with what FIRMWARE does now, and say what has changed");
  command->add_option("--engine", args->engine, "exact or simavr, if not the recording's")
      ->check(CLI::IsMember({"exact", "simavr"}).description(""))
      ->type_name("ENGINE");
  add_gdb_option(*command, args->gdb);
  command->add_option("--out", args->out, "directory for run.json, uart.log, frames.pcapng, diagnostics.json")
      ->type_name("DIR");
  command->footer(examples);
  command->callback([args, &exit_status] { exit_status = replay(*args); });
}

}  // namespace avrlan
