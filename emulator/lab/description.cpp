#include "emulator/lab/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "emulator/board/nearest_name.hpp"
#include "emulator/board/read_file.hpp"
#include "emulator/board/station_name.hpp"
#include "emulator/cli/board_file.hpp"
#include "emulator/cli/nic_options.hpp"
#include "emulator/cli/units.hpp"

namespace avrlan::lab {

namespace {

void check_name(const Placed<std::string>& name) {
  if (is_station_name(name.value)) return;
  throw name.place.error(fmt::format("'{}' is no name", name.value), "take letters, digits, - and _, 64 at most");
}

net::LinkOptions read_link(TomlTable& station) {
  net::LinkOptions options;
  options.delay = default_delay;
  auto table = station.table("link", "link");
  if (!table) return options;
  const Place place = table->place();
  for (const auto& [key, value] : table->rest()) {
    if (key.value == "seed")
      throw key.place.error("a link has no seed of its own here", "write seed = N at the top of the file");
    key.place.located([&, &name = key.value, &text = value] { options.set(name, text); });
  }
  if (options.delay < least_delay) {
    throw place.error("the delay of a link is less than 1us, and boards wait for each other once a delay",
                      "write delay = \"50us\", or leave it out");
  }
  return options;
}

std::optional<Cable> read_cable(TomlTable& station) {
  const auto to = station.text("connect");
  const net::LinkOptions link = read_link(station);
  if (to) return Cable{to->value, link, to->place};
  if (station.has("link"))
    throw station.place().error(fmt::format("this {} has a link to nowhere", station.what()),
                                "write connect = \"NAME\" of a switch or a board");
  return std::nullopt;
}

std::string text_of(const std::optional<Placed<std::string>>& value, std::string otherwise) {
  return value ? value->value : std::move(otherwise);
}

BoardDescription read_board(TomlTable& table, const std::filesystem::path& directory) {
  BoardDescription board;
  const auto name = table.required_text("name", "server");
  check_name(name);
  board.name = name.value;
  board.place = name.place;
  const auto firmware = table.required_text("firmware", "web.elf");
  const auto kind = table.text("board");
  const Place& kind_place = kind ? kind->place : table.place();
  board.board = kind_place.located([&] { return board_of(text_of(kind, "uno-enc28j60"), directory); });
  board.firmware =
      firmware.place.located([&] { return Firmware::load_elf((directory / firmware.value).lexically_normal()); });

  SimulationOptions& options = board.options;
  options.net = std::monostate{};
  // What the machine refuses is about the key that was read last.
  const auto try_out = [&](const Place& place) {
    place.located([&] {
      Scheduler scheduler;
      Machine(board.board, board.firmware, scheduler, options.machine);
    });
  };
  const auto mcu = table.text("mcu");
  options.machine.mcu = text_of(mcu, "");
  try_out(mcu ? mcu->place : firmware.place);
  if (const auto freq = table.scalar("freq")) {
    options.machine.hz = freq->place.located([&] { return parse_frequency("freq", freq->value); });
    try_out(freq->place);
  }
  if (const auto engine = table.text("engine")) {
    if (engine->value != "exact" && engine->value != "simavr")
      throw engine->place.error(fmt::format("there is no engine '{}'", engine->value), "use exact or simavr");
    options.machine.engine = engine->value == "simavr" ? EngineKind::simavr : EngineKind::exact;
    try_out(engine->place);
  }
  if (const auto uart = table.number("uart", 0, 3)) {
    options.machine.uart = static_cast<unsigned>(uart->value);
    try_out(uart->place);
  }
  if (const auto baud = table.number("uart-baud", 1, 10'000'000)) options.machine.uart_baud = baud->value;
  for (const auto& eeprom : table.texts("eeprom")) {
    options.machine.eeprom.push_back(eeprom.place.located([&] { return EepromPatch::parse(eeprom.value, directory); }));
    try_out(eeprom.place);
  }
  for (const auto& analog : table.texts("analog")) {
    options.machine.analog.push_back(analog.place.located([&] { return AnalogSignal::parse(analog.value); }));
    try_out(analog.place);
  }
  const auto revision = table.text("chip-rev"), errata = table.text("errata");
  const Place& chip_place = errata ? errata->place : revision ? revision->place : table.place();
  options.nic = chip_place.located(
      [&] { return parse_nic_options(board.board.nic, text_of(revision, ""), text_of(errata, "")); });
  for (const auto& rules : table.texts("diag")) rules.place.located([&] { options.diagnostics.add(rules.value); });
  table.place().located([&] { options.diagnostics.use(options.machine.engine); });
  board.cable = read_cable(table);
  table.finish();
  return board;
}

SwitchDescription read_switch(TomlTable& table) {
  const auto name = table.required_text("name", "hall");
  check_name(name);
  SwitchDescription one{name.value, read_cable(table), name.place};
  table.finish();
  return one;
}

std::optional<Cable> read_needed_cable(TomlTable& table) {
  if (!table.has("connect"))
    throw table.place().error(fmt::format("this {} is connected to nobody", table.what()),
                              "add connect = \"NAME\" of a switch or a board");
  return read_cable(table);
}

BackendDescription read_backend(TomlTable& table) {
  const auto name = table.required_text("name", "internet");
  check_name(name);
  const auto net = table.required_text("net", "user");
  if (net.value == "peers")
    throw net.place.error("peers are stations of a lab themselves", "write a [[peer]] for each");
  BackendDescription one{name.value, net.place.located([&] { return net::parse_far_end(net.value); }),
                         read_needed_cable(table), name.place};
  if (std::holds_alternative<std::monostate>(one.net))
    throw net.place.error("a backend without a network", "use user, tap or socket, or leave the backend out");
  const auto forwards = table.texts("hostfwd");
  const auto access = table.flag("host-access");
  auto* const user = std::get_if<net::GatewayOptions>(&one.net);
  if (user == nullptr && (access || !forwards.empty()))
    throw table.place().error("hostfwd and host-access are of net = \"user\" alone", "leave them out");
  for (const auto& forward : forwards)
    user->forwards.push_back(forward.place.located([&] { return net::HostForward::parse(forward.value); }));
  if (user != nullptr && access) user->host_access = access->value;
  table.finish();
  return one;
}

PeerDescription read_peer(TomlTable& table, const std::filesystem::path& directory) {
  const auto kind = table.required_text("kind", "http");
  const auto cable = read_needed_cable(table);
  peers::KeyValues values;
  for (const auto& [key, value] : table.rest()) {
    const bool is_path = key.value == "dir" || key.value == "zone";
    values.emplace_back(key.value, is_path ? (directory / value).lexically_normal().string() : value);
  }
  PeerDescription peer{kind.place.located([&] { return peers::PeerOptions::parse("peer", kind.value, values); }), cable,
                       kind.place};
  return peer;
}

// Names, MAC and IP addresses to those who have none.
void complete_peers(std::vector<PeerDescription>& peers) {
  std::vector<peers::PeerOptions> options;
  for (const auto& peer : peers) options.push_back(peer.options);
  if (!peers.empty()) peers.front().place.located([&] { peers::complete(options); });
  for (std::size_t n = 0; n < peers.size(); ++n) peers[n].options = options[n];
}

FaultDescription read_fault(TomlTable& table) {
  using Kind = FaultDescription::Kind;
  static constexpr std::pair<std::string_view, Kind> kinds[] = {{"link-down", Kind::link_down},
                                                                {"link-up", Kind::link_up},
                                                                {"power-cycle", Kind::power_cycle},
                                                                {"reset-mcu", Kind::reset_mcu},
                                                                {"reset-chip", Kind::reset_chip}};
  FaultDescription fault;
  const auto kind = table.required_text("kind", "link-down");
  const auto known =
      std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& one) { return one.first == kind.value; });
  if (known == std::end(kinds)) {
    throw kind.place.error(fmt::format("there is no fault '{}'", kind.value),
                           "use link-down, link-up, power-cycle, reset-mcu or reset-chip");
  }
  fault.kind = known->second;
  const auto station = table.required_text("station", "server");
  fault.station = station.value;
  fault.place = station.place;
  const auto at = table.time("at");
  if (!at) throw table.place().error("this fault has no time", "add at = \"2s\"");
  fault.at = Instant::at(at->value);
  constexpr Duration usual_off = Duration::milliseconds(100);
  const auto off = fault.kind == Kind::power_cycle ? table.time("off") : std::nullopt;
  fault.off = off ? off->value : usual_off;
  table.finish();
  return fault;
}

Pace read_pace(TomlTable& root) {
  const auto pace = root.text("pace");
  if (!pace || pace->value == "max") return Pace::max;
  if (pace->value == "real") return Pace::real;
  throw pace->place.error(fmt::format("there is no pace '{}'", pace->value), "use max or real");
}

// Of everything that a cable can go to.
class Stations {
 public:
  void add(const std::string& name, const Place& place, std::string_view kind) {
    const auto [known, fresh] = stations_.try_emplace(name, Station{place, std::string(kind), 0, false, name});
    if (!fresh)
      throw place.error(fmt::format("there are two stations called '{}'", name),
                        fmt::format("the other one is at {}", known->second.place.text));
  }
  void connect(const std::string& from, const Place& from_place, const Cable& cable) {
    if (cable.to == from) throw cable.place.error(fmt::format("a cable from '{}' to itself", from), "name another one");
    plug_in(from, from_place);
    plug_in(cable.to, cable.place);
    if (root(from) == root(cable.to)) {
      throw cable.place.error(fmt::format("the cable from '{}' to '{}' closes a loop of switches", from, cable.to),
                              "leave out a `connect`: in a loop a broadcast would never end");
    }
    stations_.at(root(from)).joined_to = root(cable.to);
    stations_.at(from).has_cable = true;
    Station& to = stations_.at(cable.to);
    to.has_cable |= to.kind != "switch";
  }
  // One that set_link() of a lab finds: a board's, or one whose `connect` is of this station.
  bool has_cable(const std::string& name) const { return stations_.at(name).has_cable; }
  const std::string& kind(const std::string& name, const Place& place) { return find(name, place).kind; }

 private:
  struct Station {
    Place place;
    std::string kind;
    int cables = 0;
    bool has_cable = false;
    std::string joined_to;  // by cables; itself: it stands for all that are joined to it
  };
  Station& find(const std::string& name, const Place& place) {
    const auto found = stations_.find(name);
    if (found != stations_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [known, station] : stations_) names.push_back(known);
    throw place.error(fmt::format("there is no station '{}'", name), did_you_mean(name, names));
  }
  // One end of a cable, or the other.
  void plug_in(const std::string& name, const Place& place) {
    Station& station = find(name, place);
    if (station.kind != "switch" && ++station.cables > 1)
      throw place.error(fmt::format("a second cable to {} '{}', which has one socket", station.kind, name),
                        "put a [[switch]] between them; of two boards on one cable only one has a `connect`");
  }
  std::string root(std::string name) const {
    while (stations_.at(name).joined_to != name) name = stations_.at(name).joined_to;
    return name;
  }

  std::map<std::string, Station> stations_;
};

void check_fault(Stations& stations, const FaultDescription& fault, const std::optional<Duration>& timeout) {
  using Kind = FaultDescription::Kind;
  const std::string& kind = stations.kind(fault.station, fault.place);
  const bool of_link = fault.kind == Kind::link_down || fault.kind == Kind::link_up;
  if (timeout && fault.at.since_start() > *timeout)
    throw fault.place.error("this fault comes after the lab's timeout", "make the timeout longer");
  if (!of_link && kind != "board")
    throw fault.place.error(fmt::format("'{}' is a {}, no board", fault.station, kind), "name a board");
  if (of_link && !stations.has_cable(fault.station))
    throw fault.place.error(fmt::format("'{}' has no cable of its own", fault.station), "name the one with `connect`");
}

void check_power_cycles(const std::vector<FaultDescription>& faults) {
  for (const auto& one : faults) {
    for (const auto& other : faults) {
      if (&one == &other || one.kind != FaultDescription::Kind::power_cycle || other.kind != one.kind ||
          other.station != one.station || other.at < one.at || other.at > one.at + one.off)
        continue;
      throw other.place.error(fmt::format("'{}' is off then, by the power cycle at {}", one.station, one.place.text),
                              "leave time between them");
    }
  }
}

void check_backends(const LabDescription& lab) {
  const BackendDescription* user = nullptr;
  for (const auto& one : lab.backends) {
    if (net::needs_real_pace(one.net) && lab.pace != Pace::real)
      throw one.place.error(fmt::format("what is behind '{}' keeps the wall clock's time", one.name),
                            "write pace = \"real\" at the top of the file");
    if (!std::holds_alternative<net::GatewayOptions>(one.net)) continue;
    if (user != nullptr)
      throw one.place.error(fmt::format("a second net = \"user\" beside '{}'", user->name),
                            "one is all that a process can have: connect the boards to it by a [[switch]]");
    user = &one;
  }
}

void check_stations(const LabDescription& lab) {
  Stations stations;
  for (const auto& board : lab.boards) stations.add(board.name, board.place, "board");
  for (const auto& one : lab.switches) stations.add(one.name, one.place, "switch");
  for (const auto& one : lab.backends) stations.add(one.name, one.place, "backend");
  for (const auto& one : lab.peers) stations.add(one.options.host.name, one.place, "peer");
  for (const auto& one : lab.switches) {
    if (one.cable) stations.connect(one.name, one.place, *one.cable);
  }
  for (const auto& board : lab.boards) {
    if (board.cable) stations.connect(board.name, board.place, *board.cable);
  }
  for (const auto& one : lab.backends) stations.connect(one.name, one.place, *one.cable);
  for (const auto& one : lab.peers) stations.connect(one.options.host.name, one.place, *one.cable);
  for (const auto& fault : lab.faults) check_fault(stations, fault, lab.timeout);
  check_power_cycles(lab.faults);
  for (const auto& one : lab.asserts) {
    const std::string& kind = stations.kind(one.station, one.place);
    const std::string_view wanted = one.of_peer ? "peer" : "board";
    if (kind != wanted)
      throw one.place.error(fmt::format("'{}' is a {}, no {}", one.station, kind, wanted),
                            "an assert has a board = or a peer =");
    if (std::holds_alternative<SuccessAssertion>(one.what)) {
      const auto peer = std::ranges::find(lab.peers, one.station, [](const auto& p) { return p.options.host.name; });
      if (peer != lab.peers.end() && !peer->options.is_client)
        throw one.place.error(fmt::format("'{}' is a service, which never succeeds", one.station),
                              "name a client, or assert a value of the service's figures");
    }
    if (one.by && lab.timeout && *one.by > *lab.timeout)
      throw one.place.error("this assert looks at a time after the lab's timeout", "make the timeout longer");
    if (std::holds_alternative<TextAssertion>(one.what) && !one.by && !lab.timeout)
      throw one.place.error("this assert may wait for ever", "add by = \"5s\", or timeout = \"10s\" to the lab");
  }
}

}  // namespace

LabDescription LabDescription::read(const std::filesystem::path& file) {
  const std::string name = file.string();
  const toml::table parsed = parse_toml(read_file(file, "give the path of a LAB.toml, see `avrlan lab --help`"), name,
                                        "this is no TOML; `avrlan lab --help` has an example");
  TomlTable root(name, parsed, "lab");
  LabDescription lab;
  lab.file = file;
  lab.pace = read_pace(root);
  if (const auto timeout = root.time("timeout")) lab.timeout = timeout->value;
  if (const auto seed = root.number("seed", 0, INT64_MAX)) lab.seed = static_cast<std::uint64_t>(seed->value);
  for (TomlTable& table : root.tables("board")) lab.boards.push_back(read_board(table, file.parent_path()));
  for (TomlTable& table : root.tables("switch")) lab.switches.push_back(read_switch(table));
  for (TomlTable& table : root.tables("backend")) lab.backends.push_back(read_backend(table));
  for (TomlTable& table : root.tables("peer")) lab.peers.push_back(read_peer(table, file.parent_path()));
  complete_peers(lab.peers);
  for (TomlTable& table : root.tables("fault")) lab.faults.push_back(read_fault(table));
  for (TomlTable& table : root.tables("assert")) lab.asserts.push_back(AssertDescription::read(table));
  root.finish();
  if (lab.boards.empty())
    throw UsageError(fmt::format("{}:1:1: there is no board", name), "add [[board]] with name and firmware");
  check_stations(lab);
  check_backends(lab);
  const auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };
  std::sort(lab.boards.begin(), lab.boards.end(), by_name);
  std::sort(lab.switches.begin(), lab.switches.end(), by_name);
  std::sort(lab.backends.begin(), lab.backends.end(), by_name);
  std::sort(lab.peers.begin(), lab.peers.end(),
            [](const auto& a, const auto& b) { return a.options.host.name < b.options.host.name; });
  std::stable_sort(lab.faults.begin(), lab.faults.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  return lab;
}

}  // namespace avrlan::lab
