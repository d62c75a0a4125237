#include "emulator/cli/trace_header.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "emulator/board/hex.hpp"
#include "emulator/board/host_error.hpp"
#include "emulator/board/sha256.hpp"
#include "emulator/cli/board_file.hpp"
#include "emulator/cli/nic_options.hpp"
#include "emulator/cli/units.hpp"
#include "emulator/profile/json_file.hpp"

namespace avrlan {

namespace {

using profile::Json;
using profile::JsonValue;

// Names of files need not be UTF-8.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json analog_json(const std::vector<AnalogSignal>& signals) {
  Json all = Json::array();
  for (const AnalogSignal& signal : signals) {
    Json steps = Json::array();
    for (const auto& step : signal.steps)
      steps.push_back(
          {{"ps", step.from.since_start().picoseconds()}, {"voltage", fmt::format("{}uV", step.voltage.microvolts)}});
    all.push_back({{"pin", signal.pin.name()}, {"steps", steps}});
  }
  return all;
}

Json eeprom_json(const std::vector<EepromPatch>& patches) {
  Json all = Json::array();
  for (const EepromPatch& patch : patches)
    all.push_back({{"address", patch.address}, {"octets", to_hex(patch.octets)}});
  return all;
}

std::vector<EepromPatch> read_eeprom(const JsonValue& json) {
  std::vector<EepromPatch> all;
  for (const JsonValue& item : json.items())
    all.push_back(EepromPatch::parse(fmt::format("{}={}", item["address"].count(), item["octets"].name())));
  return all;
}

std::vector<AnalogSignal> read_analog(const JsonValue& json) {
  std::vector<AnalogSignal> all;
  for (const JsonValue& item : json.items()) {
    AnalogSignal signal = AnalogSignal::parse(item["pin"].name() + "=0");
    signal.steps.clear();
    for (const JsonValue& step : item["steps"].items()) {
      signal.steps.push_back(
          {Instant::at(Duration::picoseconds(step["ps"].whole())), parse_voltage("analog", step["voltage"].text())});
    }
    if (signal.steps.empty()) item.damaged("has no steps");
    all.push_back(std::move(signal));
  }
  return all;
}

Json chip_json(const std::string& chip, const NicOptions& options) {
  if (chip == "rtl8019as") return {{"errata", errata_text(options.rtl8019as)}};
  return {{"revision", revision_text(options.enc28j60)}, {"errata", errata_text(options.enc28j60)}};
}

SimulationOptions read_options(const JsonValue& json) {
  SimulationOptions options;
  options.net = {};
  options.machine.mcu = json["mcu"].text();
  options.machine.hz = json["hz"].count();
  constexpr std::int64_t highest_hz = 100'000'000, usarts = 4;
  if (options.machine.hz > highest_hz) json["hz"].damaged("is more than 100 MHz");
  const std::string engine = json["engine"].text();
  options.machine.engine = engine == to_string(EngineKind::simavr) ? EngineKind::simavr : EngineKind::exact;
  if (engine != to_string(options.machine.engine)) json["engine"].damaged("is neither exact nor simavr");
  if (const JsonValue uart = json["uart"]; !uart.is_null()) {
    if (uart.count() >= usarts) uart.damaged("is no USART of an AVR");
    options.machine.uart = static_cast<unsigned>(uart.count());
  }
  options.machine.uart_baud = json["uart_baud"].count();
  // Recordings of before there was one have none.
  if (json.has("eeprom")) options.machine.eeprom = read_eeprom(json["eeprom"]);
  options.machine.analog = read_analog(json["analog"]);
  if (json.has("rtl8019as")) {
    options.nic = parse_nic_options("rtl8019as", "", json["rtl8019as"]["errata"].text());
  } else {
    const JsonValue chip = json["enc28j60"];
    options.nic = parse_nic_options("enc28j60", chip["revision"].text(), chip["errata"].text());
  }
  for (const JsonValue& event : json["cable"].items())
    options.cable.push_back({Instant::at(Duration::picoseconds(event["ps"].whole())), event["in"].flag()});
  if (const std::string rules = json["diagnostics"].text(); !rules.empty()) options.diagnostics.add(rules);
  options.diagnostics.use(options.machine.engine);
  return options;
}

// A recording of a built-in board names it; any other one is in the recording.
Board read_board(const JsonValue& json) {
  const std::string name = json["board"].name();
  if (!json.has("board_toml")) return find_board(name);
  return parse_board(json["board_toml"].raw_text(), "board_toml");
}

Json parsed(const std::string& file, const std::string& comment) {
  Json json = Json::parse(comment, nullptr, false);
  const bool ours = json.is_object() && json.contains("schema") && json["schema"].is_string();
  const auto refuse = [&](const std::string& why) {
    return UsageError(fmt::format("{} {}", file, why), "record it anew with `avrlan run FIRMWARE --record FILE`");
  };
  if (!ours) throw refuse("was not recorded for a replay: it does not say what was run");
  const auto& schema = json["schema"].get_ref<const std::string&>();
  if (schema != trace_schema)
    throw refuse(fmt::format("is of another version of avrlan ({}, not {})", schema, trace_schema));
  return json;
}

}  // namespace

std::string trace_header(const Board& board, const Firmware& firmware, const SimulationOptions& options,
                         const std::string& network) {
  Json cable = Json::array();
  for (const CableEvent& event : options.cable)
    cable.push_back({{"ps", event.when.since_start().picoseconds()}, {"in", event.in}});
  const auto& machine = options.machine;
  Json json = {{"schema", trace_schema},
               {"firmware", {{"name", firmware.path.filename().string()}, {"sha256", firmware.sha256}}},
               {"board", board.name},
               {"network", network},
               {"mcu", machine.mcu},
               {"hz", machine.hz},
               {"engine", to_string(machine.engine)},
               {"uart", machine.uart ? Json(*machine.uart) : Json(nullptr)},
               {"uart_baud", machine.uart_baud},
               {"eeprom", eeprom_json(machine.eeprom)},
               {"analog", analog_json(machine.analog)},
               {board.nic, chip_json(board.nic, options.nic)},
               {"cable", cable},
               {"diagnostics", options.diagnostics.text()}};
  if (!is_built_in(board)) json["board_toml"] = to_toml(board);
  std::string header = dump(json);
  constexpr std::size_t longest = 0xFFFF;  // of a capture's comment
  if (header.size() > longest) {
    throw UsageError(fmt::format("the settings of this run are {} octets of text, and a recording has room for {}",
                                 header.size(), longest),
                     "give less in --eeprom and --analog, in --peer, and in the board file's summary");
  }
  return header;
}

std::string trace_end(const Simulation& simulation, std::string_view reason, int firmware_status,
                      const std::string& uart) {
  const std::vector<std::uint8_t> octets(uart.begin(), uart.end());
  return dump({{"schema", trace_schema},
               {"reason", reason},
               {"firmware_status", firmware_status},
               {"cycles", simulation.machine().cycle().count},
               {"uart", {{"octets", uart.size()}, {"sha256", sha256(octets)}}}});
}

TraceRun read_trace_run(const std::string& file, const net::Trace& trace) {
  const Json json = parsed(file, trace.comment);
  const JsonValue root(json, file, "");
  TraceRun run;
  run.firmware_name = root["firmware"]["name"].text();
  run.firmware_sha256 = root["firmware"]["sha256"].text();
  run.board = from_recording(file, [&] { return read_board(root); });
  run.network = root["network"].text();
  run.options = from_recording(file, [&] { return read_options(root); });
  if (!trace.end) return run;
  const Json end_json = parsed(file, trace.end->comment);
  const JsonValue end(end_json, file, "end");
  run.end = TraceRun::End{end["reason"].name(), static_cast<int>(end["firmware_status"].count()),
                          Cycles{end["cycles"].count()}, static_cast<std::uint64_t>(end["uart"]["octets"].count()),
                          end["uart"]["sha256"].text()};
  return run;
}

}  // namespace avrlan
