#include "emulator/cli/run_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "emulator/board/escape.hpp"
#include "emulator/board/write_file.hpp"
#include "emulator/cli/board_file.hpp"
#include "emulator/cli/diagnostic_text.hpp"
#include "emulator/cli/gdb_option.hpp"
#include "emulator/cli/nic_options.hpp"
#include "emulator/cli/output_files.hpp"
#include "emulator/cli/report.hpp"
#include "emulator/cli/run_text.hpp"
#include "emulator/cli/runner.hpp"
#include "emulator/cli/signal_pipe.hpp"
#include "emulator/cli/simulation.hpp"
#include "emulator/cli/tell.hpp"
#include "emulator/cli/text_watch.hpp"
#include "emulator/cli/trace_header.hpp"
#include "emulator/cli/trace_writer.hpp"
#include "emulator/cli/uart_output.hpp"
#include "emulator/cli/units.hpp"
#include "emulator/peers/network.hpp"
#include "emulator/profile/recording.hpp"

namespace avrlan {

namespace {

constexpr std::size_t functions_in_summary = 15;
constexpr std::string_view frames_file = "frames.pcapng", uart_file = "uart.log";

struct RunArguments {
  std::filesystem::path firmware;
  std::string board = "uno-enc28j60";
  std::string mcu;
  std::string frequency;
  std::vector<std::string> eeprom;
  std::vector<std::string> analog;
  std::string engine = "exact";
  std::string uart;
  std::string uart_baud;
  std::string chip_revision;
  std::string errata;
  std::string cable;
  std::vector<std::string> diagnostics;
  std::string diagnostic_format;
  std::string net = "user";
  std::vector<std::string> peers;
  bool until_peers_done = false;
  std::vector<std::string> forwards;
  bool host_access = false;
  std::string link;
  std::string pace = "real";
  std::string timeout;
  std::string wall_timeout;
  std::string hold_limit = "10s";
  std::string expect_text;
  std::string fail_text;
  std::filesystem::path pcap;
  std::filesystem::path record;
  std::string vcd;
  std::filesystem::path out;
  bool profile = false;
  std::vector<std::string> regions;
  std::string timeline;
  bool coverage = false;
  GdbOption gdb;
};

const std::string examples = R"(
Examples:
  avrlan run web.elf --hostfwd tcp:127.0.0.1:8080-:80     serve port 80 of the firmware at localhost:8080
  avrlan run web.elf --hostfwd tcp::0-:80 --out run/      any free port; run.json, uart.log, frames.pcapng in run/
  avrlan run app.elf --net none --pace max --timeout 5s --expect-text "self test passed"
  avrlan run mega.elf -b mega-enc28j60 --link delay=20ms,loss=1%,seed=7
  avrlan run web.elf -b mine.toml                         your own board: `avrlan boards --toml uno-enc28j60` is a start
  avrlan run web.elf --net tap,addr=10.0.2.2/24           on this host's own network, as root
  avrlan run web.elf --net socket,listen=127.0.0.1:0      for another avrlan: --net socket,connect=127.0.0.1:PORT
  avrlan run web.elf --gdb 1234                           then: avr-gdb web.elf -ex 'target remote :1234'
  avrlan run web.elf --net peers --peer http-get,url=http://10.0.2.15/,count=100,parallel=4 --until-peers-done --pace max
  avrlan run web.elf --record page.pcapng                 for `avrlan replay page.pcapng web.elf`, without the network
  avrlan run web.elf --profile --coverage --region checksum='*sum_add*' --timeout 5s --out run/

The firmware's UART goes to stdout (USART0 or the only one; --uart N for another), everything else to stderr.

Exit status: 0 success (the firmware's exit(0), --expect-text seen), 1-31 the firmware's own status (larger ones count
as 31; 1 also when --fail-text was seen, or the firmware ended without the --expect-text), 42 a time limit, 64 a wrong
command line, 70 a diagnostic of severity error, 71 a failure of the host, 129 SIGHUP,
130 SIGINT, 137 gdb's kill, 143 SIGTERM.)";

const std::string peers_help = R"(
Peers (--net peers --peer KIND,KEY=VALUE,...): hosts in virtual time, without sockets; a run with them is the same each time.
Each has name=NAME ip=ADDRESS (or dhcp) mask= gateway= mac= acks=delayed|immediate mss=1460 window=29200 seed=1; there
are a DHCP server at 10.0.2.2 and a name server at 10.0.2.3 as with --net user. Clients begin when their target answers ARP, at
most wait=30s after start=0. Kinds, and what else they take:
)";

const std::string diagnostics_help = R"(
--diag WHAT=SEVERITY, repeatable; later ones win. WHAT is a name (`avrlan diagnostics` lists them), a beginning with * after
it, all, or note, warning or error for everything that has this severity of its own. SEVERITY is ignore, note, warning or
error; an error ends the run with status 70. Below an error, the firmware goes on: a wild load reads 0, a wild store does nothing, the
stack grows on (firmware with a stack for each thread needs stack-overflow=ignore). After illegal-opcode, outside-flash and
closed-flash nothing can, nor after any of the machine's with --engine simavr, which does not look at the stack at all.)";

net::FarEndOptions far_end(const RunArguments& args) {
  // peer_options() has what is there with peers.
  net::FarEndOptions options = args.net == "peers" ? net::FarEndOptions() : net::parse_far_end(args.net);
  if (auto* user = std::get_if<net::GatewayOptions>(&options)) {
    for (const auto& text : args.forwards) user->forwards.push_back(net::HostForward::parse(text));
    user->host_access = args.host_access;
  } else if (!args.forwards.empty() || args.host_access) {
    throw UsageError(fmt::format("--net {} has no {}", args.net, args.host_access ? "host to be reached" : "forwards"),
                     "leave out --hostfwd and --host-access, or use --net user");
  }
  if (net::needs_real_pace(options) && args.pace != "real") {
    throw UsageError(fmt::format("--net {} keeps the wall clock's time", args.net),
                     "use --pace real; --pace max goes with --net user, peers and none");
  }
  return options;
}

SimulationOptions simulation_options(const RunArguments& args, const Board& board) {
  SimulationOptions options;
  options.machine.mcu = args.mcu;
  options.machine.engine = args.engine == "simavr" ? EngineKind::simavr : EngineKind::exact;
  if (!args.frequency.empty()) options.machine.hz = parse_frequency("--freq", args.frequency);
  constexpr std::int64_t usarts = 4, fastest_baud = 10'000'000;
  if (!args.uart.empty())
    options.machine.uart = static_cast<unsigned>(parse_number("--uart", args.uart, 0, usarts - 1));
  if (!args.uart_baud.empty()) options.machine.uart_baud = parse_number("--uart-baud", args.uart_baud, 1, fastest_baud);
  for (const auto& text : args.eeprom) options.machine.eeprom.push_back(EepromPatch::parse(text));
  for (const auto& text : args.analog) options.machine.analog.push_back(AnalogSignal::parse(text));
  options.nic = parse_nic_options(board.nic, args.chip_revision, args.errata);
  if (!args.cable.empty()) options.cable = parse_cable(args.cable);
  for (const auto& rules : args.diagnostics) options.diagnostics.add(rules);
  options.diagnostics.use(options.machine.engine);
  options.net = far_end(args);
  if (!args.link.empty()) options.link = net::LinkOptions::parse(args.link);
  return options;
}

// Empty without --net peers.
std::vector<peers::PeerOptions> peer_options(const RunArguments& args) {
  if (args.net != "peers") {
    if (!args.peers.empty() || args.until_peers_done)
      throw UsageError(fmt::format("--net {} has no peers", args.net), "add --net peers");
    return {};
  }
  std::vector<peers::PeerOptions> peers;
  for (const auto& text : args.peers) peers.push_back(peers::PeerOptions::parse(text));
  if (args.until_peers_done && std::ranges::none_of(peers, &peers::PeerOptions::is_client))
    throw UsageError("--until-peers-done has no client to wait for",
                     "add one, for example --peer http-get,url=http://10.0.2.15/");
  return peers::with_usual_servers(std::move(peers));
}

void tell_of_clients(peers::PeerNetwork& network, Runner& runner, bool until_done) {
  network.on_client([&network, &runner, until_done](const peers::Peer& peer) {
    const bool finished = peer.client()->state() == peers::Client::State::finished;
    const std::string& failure = peer.client()->failure();
    tell("avrlan: {:.6f} s: {} {}{}\n", peer.host().scheduler().now().since_start().seconds(),
         peer.host().options().name, finished ? "has ended" : "begins",
         failure.empty() ? "" : ", failed: " + printable(failure));
    if (until_done && network.clients_are_done()) runner.end(EndReason::peers_done);
  });
}

profile::RecordingOptions recording_options(const RunArguments& args) {
  profile::RecordingOptions options;
  for (const auto& text : args.regions) {
    auto region = profile::CodeGroup::parse(text);
    const auto& others = options.regions;
    if (std::any_of(others.begin(), others.end(), [&](const auto& other) { return other.name == region.name; }))
      throw UsageError(fmt::format("--region {} is given twice", region.name),
                       "give each a name, or join the patterns");
    options.regions.push_back(std::move(region));
  }
  options.profile = args.profile || !options.regions.empty();
  options.coverage = args.coverage;
  constexpr std::int64_t most_moments = 10'000'000;
  if (!args.timeline.empty())
    options.timeline = static_cast<std::size_t>(parse_number("--timeline", args.timeline, 1, most_moments));
  if ((options.profile || options.coverage) && args.gdb)
    throw UsageError("a run under gdb cannot be profiled, too", "leave out --gdb, --profile, --region and --coverage");
  if ((options.profile || options.coverage) && args.engine == "simavr")
    throw UsageError("simavr's interpreter cannot be observed", "leave out --engine simavr");
  if (options.timeline != 0 && !options.profile)
    throw UsageError("--timeline is a part of the profile", "add --profile and --out DIR");
  if ((options.timeline != 0 || options.coverage) && args.out.empty()) {
    throw UsageError(fmt::format("--{} has nowhere to go", options.coverage ? "coverage" : "timeline"),
                     "add --out DIR for its files");
  }
  return options;
}

// Nothing without --out.
std::optional<OutDirectory> output_directory(const RunArguments& args, const std::optional<PinTraceOptions>& pins,
                                             const profile::RecordingOptions& record) {
  std::vector<NamedFile> inputs = {{"FIRMWARE", args.firmware}};
  if (is_board_file(args.board)) inputs.push_back({"--board", args.board});
  for (const auto& analog : args.analog) {
    if (const auto at = analog.find("=@"); at != std::string::npos)
      inputs.push_back({"--analog", analog.substr(at + 2)});
  }
  for (const auto& eeprom : args.eeprom) {
    if (const auto at = eeprom.find('@'); at != std::string::npos)
      inputs.push_back({"--eeprom", eeprom.substr(at + 1)});
  }
  std::vector<NamedFile> outputs;
  if (!args.pcap.empty()) outputs.push_back({"--pcap", args.pcap});
  if (!args.record.empty()) outputs.push_back({"--record", args.record});
  if (pins) outputs.push_back({"--vcd", pins->file});
  std::vector<std::string> names = {"run.json", "diagnostics.json", std::string(uart_file), std::string(frames_file)};
  for (const auto& name : record.names()) names.push_back(name);
  if (!args.out.empty()) {
    for (const auto& name : names) outputs.push_back({"--out", args.out / name});
  }
  keep_apart(inputs, outputs);
  if (args.out.empty()) return std::nullopt;
  return OutDirectory(args.out, names);
}

std::chrono::nanoseconds wall_time(std::string_view option, const std::string& text) {
  return std::chrono::nanoseconds(parse_time(option, text).nanoseconds());
}

RunLimits run_limits(const RunArguments& args) {
  RunLimits limits;
  if (!args.timeout.empty()) limits.virtual_time = parse_time("--timeout", args.timeout);
  if (!args.wall_timeout.empty()) limits.wall_time = wall_time("--wall-timeout", args.wall_timeout);
  limits.hold = wall_time("--hold-limit", args.hold_limit);
  return limits;
}

// For people who read a recording.
std::string network(const RunArguments& args) {
  std::string text = "--net " + args.net;
  for (const auto& peer : args.peers) text += " --peer " + peer;
  for (const auto& forward : args.forwards) text += " --hostfwd " + forward;
  if (!args.link.empty()) text += " --link " + args.link;
  return text;
}

// GitHub's runners say who they are.
DiagnosticFormat diagnostic_format(const std::string& option) {
  if (!option.empty()) return option == "github" ? DiagnosticFormat::github : DiagnosticFormat::gcc;
  const char* actions = std::getenv("GITHUB_ACTIONS");
  return actions != nullptr && std::string_view(actions) == "true" ? DiagnosticFormat::github : DiagnosticFormat::gcc;
}

void show_progress(const Simulation& simulation, std::chrono::nanoseconds wall) {
  const double virtual_seconds = (simulation.machine().now() - Instant{}).seconds();
  tell("\r{:.1f} s virtual, {:.1f} s wall, {} frames in, {} out \x1b[K", virtual_seconds,
       std::chrono::duration<double>(wall).count(), simulation.frames_in().frames, simulation.frames_out().frames);
}

int run(const RunArguments& args) {
  const Board board = board_of(args.board);
  const Firmware firmware = Firmware::load_elf(args.firmware);
  const SimulationOptions options = simulation_options(args, board);
  const profile::RecordingOptions record = recording_options(args);
  const std::vector<peers::PeerOptions> peers = peer_options(args);
  const RunLimits limits = run_limits(args);
  const std::optional<PinTraceOptions> pins =
      args.vcd.empty() ? std::nullopt : std::optional(PinTraceOptions::parse(args.vcd));
  const std::optional<OutDirectory> out = output_directory(args, pins, record);
  const SignalPipe signals;
  peers::PeerNetwork* peer_network = nullptr;
  Simulation::BackendFactory far_end;
  if (!peers.empty()) {
    far_end = [&](Scheduler& scheduler, FrameSink& to_board) {
      auto made = std::make_unique<peers::PeerNetwork>(scheduler, to_board, peers);
      peer_network = made.get();
      return made;
    };
  }
  Simulation simulation(board, firmware, options, far_end);
  std::optional<profile::Recording> recording;
  if (record.profile || record.coverage) {
    recording.emplace(simulation.machine(), firmware, record);
    if (record.coverage && recording->debug().files().size() == 1) {
      tell("avrlan: {} has no debug information, so coverage.info will have no lines: compile with -g\n",
           printable(args.firmware.string()));
    }
    simulation.on_frame(
        [&](bool to_board, const EthernetFrame& frame) { recording->frame(to_board, frame.octets.size()); });
    simulation.on_nic_event([&](const NicEvent& event) { recording->nic_event(event); });
  }
  Runner runner(simulation, args.pace == "max" ? Pace::max : Pace::real, limits, signals.fd());
  const std::unique_ptr<debug::Debugger> debugger =
      make_debugger(args.gdb, firmware, simulation, runner, limits, signals.fd());
  const std::string header = args.record.empty() ? "" : trace_header(board, firmware, options, network(args));
  // What an earlier run has left goes when nothing about this one can be wrong any more.
  if (pins) simulation.machine().trace_pins(pins->file, pins->pins);
  if (!args.pcap.empty()) simulation.capture(args.pcap);
  std::optional<TraceWriter> trace;
  if (!args.record.empty()) trace.emplace(simulation, args.record, header);
  UartOutput uart;
  if (out) {
    out->begin();
    simulation.capture(*out / frames_file);
    uart.log_to(*out / uart_file);
  }
  if (peer_network) tell_of_clients(*peer_network, runner, args.until_peers_done);

  TextWatch expected(args.expect_text);
  TextWatch failing(args.fail_text);
  simulation.machine().on_uart([&](std::uint8_t byte) {
    uart.put(byte);
    if (trace) trace->uart(byte);
    if (recording) recording->uart(byte);
    if (debugger) debugger->uart(byte);
    if (failing.feed(static_cast<char>(byte))) runner.end(EndReason::failing_text);
    if (expected.feed(static_cast<char>(byte))) runner.end(EndReason::expected_text);
  });
  const DiagnosticFormat format = diagnostic_format(args.diagnostic_format);
  simulation.diagnostics().on_first([&](const DiagnosticLog::Entry& entry) {
    tell("{}", to_text(entry, firmware, format));
    if (entry.diagnostic.severity != Severity::error) return;
    runner.end(EndReason::diagnostic);
    if (debugger) debugger->last_stop(to_text(entry, firmware, format));
  });
  const bool progress = ::isatty(STDERR_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 0;
  runner.on_progress([&](std::chrono::nanoseconds wall) {
    if (progress) show_progress(simulation, wall);
    // For who looks into the files now, or after the run was killed.
    simulation.flush();
    uart.flush();
  });

  if (const auto* host = simulation.host()) {
    for (const auto& line : host->announcements()) tell("avrlan: {}\n", line);
  }
  if (debugger) tell_of_debugger(*debugger, args.firmware);
  const RunEnd end = runner.run();
  if (progress) tell("\r\x1b[K");
  auto json = run_json(simulation, board, firmware, end);
  if (peer_network) json["peers"] = peer_network->json();
  if (recording) {
    recording->update();
    recording->add_to(json);
  }
  const profile::JsonFile report{"run.json", json};
  const profile::JsonFile diagnostics{"diagnostics.json", diagnostics_json(simulation.diagnostics(), firmware)};
  constexpr std::int64_t told_once = 1;
  tell("{}{}", run_text(report.root()), diagnostics_text(diagnostics.root(), told_once + 1));
  if (record.profile) tell("{}", profile_text(report.root(), functions_in_summary));

  int status = exit_status(end);
  const bool ended_alone = end.reason == EndReason::firmware_exit || end.reason == EndReason::sleep_for_ever ||
                           end.reason == EndReason::command_register;
  if (!args.expect_text.empty() && status == 0 && ended_alone) {
    tell("avrlan: the firmware ended without the expected text \"{}\"\n", args.expect_text);
    status = 1;
  }
  if (peer_network && status == 0 && peer_network->has_failed()) status = 1;
  if (end.reason == EndReason::firmware_exit && end.firmware_status > 31) {
    tell("avrlan: the firmware's status {} counts as 31\n", end.firmware_status);
  }
  if (trace) trace->finish(to_string(end.reason), end.firmware_status);
  if (debugger) debugger->ended(status);
  simulation.flush();
  if (out) {
    uart.flush();
    json["result"]["status"] = status;
    json["files"] = out->names();
    if (recording) recording->write(args.out, "avrlan run " + printable(args.firmware.string()));
    // Names in a damaged ELF, and paths, need not be UTF-8.
    constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
    write_file(*out / "run.json", json.dump(2, ' ', false, replace) + "\n");
    write_file(*out / "diagnostics.json", diagnostics.json.dump(2, ' ', false, replace) + "\n");
  }
  return status;
}

}  // namespace

void add_run_command(CLI::App& program, int& exit_status) {
  CLI::App* command = program.add_subcommand("run", "run a firmware on an emulated board");
  auto args = std::make_shared<RunArguments>();
  command->add_option("FIRMWARE", args->firmware, "the ELF that would be flashed")->required()->type_name("FILE");
  command->add_option("-b,--board", args->board, "board, see `avrlan boards`, or a file that says how one is wired")
      ->type_name("NAME|FILE.toml")
      ->capture_default_str();
  command->add_option("-m,--mcu", args->mcu, "microcontroller, if not the board's; see `avrlan mcus`")
      ->type_name("NAME");
  command->add_option("-f,--freq", args->frequency, "CPU clock, if not the board's: 8000000, 8MHz")->type_name("HZ");
  command
      ->add_option("--engine", args->engine,
                   "exact: ours, cycles as the manual has them; simavr: its interpreter, to compare with")
      ->check(CLI::IsMember({"exact", "simavr"}).description(""))
      ->type_name("ENGINE")
      ->capture_default_str();
  command->add_option("--uart", args->uart, "the USART that is the console, by its number in the MCU")->type_name("N");
  command
      ->add_option("--uart-baud", args->uart_baud,
                   "baud rate at the other end of the console; if not what the firmware has set: a diagnostic, garbage")
      ->type_name("RATE");
  command
      ->add_option(
          "--eeprom", args->eeprom,
          "what the EEPROM has at power-on, over the ELF's: octets in hex, or @FILE, a binary one, from address 0 or "
          "another, repeatable: 02:41:56:00:00:01 (the MAC address of this project's own images), 0x10=CAFE")
      ->type_name("[ADDRESS=]OCTETS");
  command
      ->add_option(
          "--analog", args->analog,
          "voltage at an analog pin, repeatable: adc0=2.5V, aref=3300mV, ain0=@FILE with lines of 'TIME VOLTAGE'")
      ->type_name("PIN=VOLTAGE");
  command
      ->add_option("--chip-rev", args->chip_revision,
                   "silicon revision of the ENC28J60: B1, B4, B5, or B7 if not given")
      ->type_name("REV");
  command
      ->add_option("--errata", args->errata,
                   "errata of the board's chip, see below: NAME=on, NAME=off, all=off, NAME=N")
      ->type_name("NAME=VALUE,...");
  command
      ->add_option("--diag", args->diagnostics,
                   "severity of diagnostics, see below: warning=error, enc28j60-overflow=error, 'wire-*=ignore'")
      ->type_name("WHAT=SEVERITY,...");
  command
      ->add_option("--diag-format", args->diagnostic_format,
                   "gcc: file:line: warning: text [name]; github: annotations (default where GITHUB_ACTIONS is true)")
      ->check(CLI::IsMember({"gcc", "github"}).description(""))
      ->type_name("FORMAT");
  command->add_option("--cable", args->cable, "pulled and plugged in: out@2s,in@3.5s (without a time: from the start)")
      ->type_name("in|out[@TIME],...");
  command
      ->add_option("--net", args->net,
                   "the other end of the cable, see below: user (NAT by libslirp), peers, none, tap or socket,...")
      ->type_name("NET")
      ->capture_default_str();
  command
      ->add_option(
          "--hostfwd", args->forwards,
          "(tcp|udp):[HOST]:PORT-[GUEST]:PORT, repeatable; HOST defaults to 127.0.0.1, PORT 0 picks a free one")
      ->type_name("FORWARD");
  command
      ->add_option("--peer", args->peers, "with --net peers, repeatable: a host with a service, or a client; see below")
      ->type_name("KIND,KEY=VALUE,...");
  command->add_flag("--until-peers-done", args->until_peers_done,
                    "end when every client among the peers has ended; status 1 when one has failed");
  command->add_flag("--host-access", args->host_access, "let the firmware reach this host's own loopback as 10.0.2.2");
  command
      ->add_option("--link", args->link,
                   "any of rate=10M,delay=10ms,jitter=1ms,loss=1%,dup=0,reorder=0,corrupt=0,queue=64,seed=1")
      ->type_name("KEY=VALUE,...");
  command->add_option("--pace", args->pace, "real: with the wall clock; max: as fast as possible")
      ->check(CLI::IsMember({"real", "max"}).description(""))
      ->type_name("PACE")
      ->capture_default_str();
  command->add_option("--timeout", args->timeout, "end after this much virtual time: 5s, 200ms; exit status 42")
      ->type_name("TIME");
  command->add_option("--wall-timeout", args->wall_timeout, "end after this much wall-clock time; exit status 42")
      ->type_name("TIME");
  command->add_option("--hold-limit", args->hold_limit, "how long --pace max waits for a reply that the host owes")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--expect-text", args->expect_text, "end with status 0 when the UART has sent this")
      ->type_name("TEXT");
  command->add_option("--fail-text", args->fail_text, "end with status 1 when the UART has sent this")
      ->type_name("TEXT");
  command->add_option("--pcap", args->pcap, "capture the frames at the chip, pcapng in virtual time")
      ->type_name("FILE");
  command
      ->add_option("--record", args->record,
                   "the same with all that `avrlan replay` needs to run it again without the network")
      ->type_name("FILE");
  command
      ->add_option("--vcd", args->vcd,
                   "write the pins' levels, a value change dump in picoseconds; without pins those in use on the board")
      ->type_name("FILE[,PIN...]");
  command->add_flag(
      "--profile", args->profile,
      "count where every cycle goes: a table; with --out callgrind.out, stacks.folded, run.json's functions");
  command
      ->add_option("--region", args->regions,
                   "profile code by name, repeatable: checksum='chksum*,*cksum*'; with a slash, source files")
      ->type_name("NAME=PATTERN,...");
  command
      ->add_option("--timeline", args->timeline,
                   "with --profile and --out: timeline.json for Perfetto, with at most so many changes of function")
      ->type_name("N");
  command->add_flag("--coverage", args->coverage,
                    "with --out: coverage.info of the sources (genhtml), memory.json of the SRAM");
  add_gdb_option(*command, args->gdb);
  command->add_option("--out", args->out, "directory for run.json, uart.log, frames.pcapng, diagnostics.json")
      ->type_name("DIR");
  command->footer(std::string(net::far_end_help()) + peers_help + peers::peers_help() + diagnostics_help +
                  "\n\nErrata (--errata) and what they are without it:" + errata_help() + "\n" + examples);
  command->callback([args, &exit_status] { exit_status = run(*args); });
}

}  // namespace avrlan
