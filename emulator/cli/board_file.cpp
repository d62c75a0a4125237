#include "emulator/cli/board_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "emulator/board/firmware.hpp"
#include "emulator/board/machine.hpp"
#include "emulator/board/nearest_name.hpp"
#include "emulator/board/nic_chip.hpp"
#include "emulator/board/read_file.hpp"
#include "emulator/board/station_name.hpp"
#include "emulator/cli/toml_table.hpp"
#include "emulator/cli/units.hpp"
#include "emulator/cpu/core_traits.hpp"
#include "emulator/cpu/mcu.hpp"
#include "emulator/net/address_text.hpp"
#include "emulator/peripherals/gpio.hpp"

namespace avrlan {

namespace {

constexpr std::string_view io_bases = "use 0x200, 0x220, ... 0x2E0, 0x300, ... 0x3E0";
constexpr std::string_view ports_example =
    "ports = { data = \"A\", address = \"PC0\", read = \"PC5\", write = \"PC6\" }";
constexpr std::int64_t page = 256, data_space = 0x10000;
// ECOCON at power-on (ENC28J60 data sheet, section 2.3).
constexpr std::int64_t clkout_at_power_on = 6'250'000;

using Eeprom = Rtl8019asOptions::Eeprom;

struct EepromName {
  std::string_view name;
  Eeprom eeprom;
};
constexpr EepromName eeproms[] = {{"absent", Eeprom::absent},
                                  {"blank", Eeprom::blank},
                                  {"programmed", Eeprom::programmed},
                                  {"external", Eeprom::external}};

// By CONFIG2.PL.
constexpr std::string_view media[] = {"auto", "10base-t", "10base-5", "10base-2"};

constexpr unsigned io_base_of(unsigned ios) {
  return (ios < 8 ? 0x300 : 0x200) + 0x20 * (ios % 8);
}
// What the address lines 9 to 5 are compared with.
constexpr unsigned io_lines = 0x3E0;

unsigned io_base(const Rtl8019asOptions& chip) {
  if (chip.jumper_mode) return io_base_of(chip.ios);
  constexpr unsigned all_ones = 15, as_programmed = 0;
  return io_base_of(chip.eeprom == Eeprom::programmed ? as_programmed : all_ones);
}

std::string quoted_toml(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    constexpr char first_printable = 0x20, del = 0x7F;
    if ((c >= 0 && c < first_printable) || c == del) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

// One of `names`, by its index.
std::size_t choose(const Placed<std::string>& value, std::string_view key, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), value.value);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw value.place.error(fmt::format("there is no {} '{}'", key, value.value), did_you_mean(value.value, names));
}

// The board's MCU, to ask what it has.
class McuPins {
 public:
  explicit McuPins(const std::string& mcu) : mcu_(mcu), machine_(bare(mcu), Firmware{}, scheduler_) {}

  Machine& machine() { return machine_; }
  void take_for_bus() { bus_ = true; }

  std::optional<Pin> read(TomlTable& nic, const std::string& key) {
    const auto text = nic.text(key);
    if (!text) return std::nullopt;
    const auto pin = Pin::parse(text->value);
    if (!pin)
      throw text->place.error(fmt::format("'{}' is no pin", text->value), fmt::format("write {} = \"PB2\"", key));
    take(*pin, key, text->place);
    return pin;
  }
  // The MCU's own, by their names.
  void take_alternates(const std::vector<std::string>& names) {
    for (const auto& alternate : machine_.gpio().alternates()) {
      if (std::find(names.begin(), names.end(), alternate.name) != names.end())
        taken_.emplace_back(alternate.pin, alternate.name);
    }
  }
  void take(Pin pin, const std::string& use, const Place& place) {
    if (!machine_.gpio().has(pin))
      throw place.error(fmt::format("the {} has no pin {}", mcu_, pin.name()), "it has " + all());
    if (bus_ && (pin.port == 'A' || (pin.port == 'G' && pin.bit <= 2)))
      throw place.error(fmt::format("{} is a line of the external bus", pin.name()),
                        "port A and PG0 to PG2 are, and of port C what the firmware does not release");
    for (const auto& [other, name] : taken_) {
      if (other == pin) throw place.error(fmt::format("{} is {} already", pin.name(), name), "take another pin");
    }
    taken_.emplace_back(pin, use);
  }

 private:
  static Board bare(const std::string& mcu) {
    Board board = boards().front();
    board.mcu = mcu;
    return board;
  }
  // "PB0 to PB7, PC0 to PC6".
  std::string all() {
    std::string text;
    for (char port = 'A'; port <= 'L'; ++port) {
      for (std::uint8_t bit = 0; bit < 8; ++bit) {
        const auto has = [&](int n) {
          return n >= 0 && n < 8 && machine_.gpio().has({port, static_cast<std::uint8_t>(n)});
        };
        if (!has(bit)) continue;
        if (!has(bit - 1)) text += fmt::format("{}P{}{}", text.empty() ? "" : ", ", port, bit);
        if (has(bit - 1) && !has(bit + 1)) text += fmt::format(" to P{}{}", port, bit);
      }
    }
    return text;
  }

  std::string mcu_;
  Scheduler scheduler_;
  Machine machine_;
  bool bus_ = false;
  std::vector<std::pair<Pin, std::string>> taken_;
};

void read_name(TomlTable& root, const std::filesystem::path& file, Board& board) {
  const auto given = root.text("name");
  board.name = given ? given->value : file.stem().string();
  if (!is_station_name(board.name) || board.name.empty())
    throw(given ? given->place : root.place())
        .error(fmt::format("'{}' is no name of a board", board.name),
               "write name = \"my-board\": up to 64 letters, digits, - and _");
}

void read_mcu(TomlTable& root, Board& board) {
  const auto mcu = root.required_text("mcu", "atmega328p");
  std::vector<std::string> names;
  for (const auto& known : cpu::mcus()) {
    names.emplace_back(known.name);
    if (!known.same_die.empty()) names.emplace_back(known.same_die);
  }
  choose(mcu, "MCU", names);
  board.mcu = mcu.value;
}

void read_frequency(TomlTable& root, Board& board) {
  const auto freq = root.scalar("freq");
  if (board.nic_clock) {
    if (freq)
      throw freq->place.error("a board that runs from its chip's CLKOUT has no freq", "leave out freq or clkout");
    board.hz = clkout_at_power_on;
    return;
  }
  if (!freq) throw root.place().error("this board has no freq", "add freq = \"16MHz\"");
  board.hz = freq->place.located([&] { return parse_frequency("freq", freq->value); });
}

void read_spi(TomlTable& nic, McuPins& pins, Board& board) {
  if (const auto usart = nic.number("usart", 0, 3)) {
    board.nic_usart = static_cast<unsigned>(usart->value);
    const auto numbers = pins.machine().usarts();
    if (std::find(numbers.begin(), numbers.end(), *board.nic_usart) == numbers.end())
      throw usart->place.error(
          fmt::format("the {} has no USART{}", board.mcu, *board.nic_usart),
          fmt::format("it has USART{}; without usart the chip is at the SPI", fmt::join(numbers, ", USART")));
    if (!cpu::core_traits(board.mcu).bit_writes)
      throw usart->place.error(fmt::format("the {}'s USARTs have no SPI mode", board.mcu), "leave out usart");
  }
  if (board.nic_usart) {
    pins.take_alternates({fmt::format("TxD{}", *board.nic_usart), fmt::format("RxD{}", *board.nic_usart),
                          fmt::format("XCK{}", *board.nic_usart)});
  } else {
    pins.take_alternates({"SCK", "MOSI", "MISO"});
  }
  board.nic_select = pins.read(nic, "select");
  if (!board.nic_select)
    throw nic.place().error(fmt::format("an {} without select", board.nic), "add select = \"PB2\"");
  if (const auto clkout = nic.flag("clkout")) board.nic_clock = clkout->value;
}

Placed<std::int64_t> required_address(TomlTable& range, std::string_view key) {
  const auto address = range.number(key, 0, data_space - 1, "write bus = { first = 0x8000, last = 0xFFFF }");
  if (!address)
    throw range.place().error(fmt::format("this range has no {}", key),
                              "write bus = { first = 0x8000, last = 0xFFFF }");
  return *address;
}

void read_bus(TomlTable& nic, McuPins& pins, Board& board) {
  auto range = nic.table("bus", "bus");
  if (!range)
    throw nic.place().error(fmt::format("an {} without bus or ports", board.nic),
                            fmt::format("add bus = {{ first = 0x8000, last = 0xFFFF }}, where it is on the external "
                                        "bus, or {}",
                                        ports_example));
  const auto first = required_address(*range, "first"), last = required_address(*range, "last");
  range->finish();
  if (!pins.machine().description().external_memory)
    throw range->place().error(fmt::format("the {} has no external bus", board.mcu),
                               "take an atmega128, atmega1280, atmega1281 or atmega2560");
  if (first.value % page != 0 || last.value % page != page - 1 || first.value > last.value)
    throw range->place().error(fmt::format("{:#06x} to {:#06x} is no range of whole pages", first.value, last.value),
                               "a page is 256 addresses: first = 0x8000, last = 0x83FF");
  const std::int64_t internal = pins.machine().memory_map().ram_last;
  if (last.value <= internal)
    throw range->place().error(
        fmt::format("the {}'s own memory hides {:#06x} to {:#06x}", board.mcu, first.value, last.value),
        fmt::format("begin behind {:#06x}", internal));
  if (first.value < board.external_ram)
    throw range->place().error(
        fmt::format("bus begins at {:#06x}, where external-ram is up to {:#06x}", first.value, board.external_ram - 1),
        board.external_ram == data_space
            ? fmt::format("write external-ram = {}", first.value)
            : fmt::format("begin at {:#06x}, or write external-ram = {}", board.external_ram, first.value));
  board.nic_range = BusRange{static_cast<std::uint16_t>(first.value), static_cast<std::uint16_t>(last.value)};
}

Pin required_pin(TomlTable& ports, McuPins& pins, const std::string& key) {
  if (const auto pin = pins.read(ports, key)) return *pin;
  throw ports.place().error(fmt::format("this bus on ports has no {}", key), fmt::format("write {}", ports_example));
}

void read_ports(TomlTable& ports, McuPins& pins, Board& board) {
  const auto data = ports.required_text("data", "A");
  if (data.value.size() != 1 || data.value[0] < 'A' || data.value[0] > 'L')
    throw data.place.error(fmt::format("'{}' is no port", data.value), "write data = \"A\" for PA0 to PA7");
  PortBusPins bus{.data = data.value[0], .address = {}, .read = {}, .write = {}};
  for (std::uint8_t line = 0; line < 8; ++line) pins.take({bus.data, line}, fmt::format("D{}", line), data.place);
  const auto address = ports.required_text("address", "PC0");
  const auto first = Pin::parse(address.value);
  if (!first || first->bit + PortBusPins::address_lines > 8)
    throw address.place.error(fmt::format("'{}' is no pin with four more above it in its port", address.value),
                              "A0 to A4 are five pins in a row: write address = \"PC0\" for PC0 to PC4");
  bus.address = *first;
  for (std::uint8_t line = 0; line < PortBusPins::address_lines; ++line) {
    const Pin pin{first->port, static_cast<std::uint8_t>(first->bit + line)};
    pins.take(pin, fmt::format("A{}", line), address.place);
  }
  bus.read = required_pin(ports, pins, "read");
  bus.write = required_pin(ports, pins, "write");
  ports.finish();
  board.nic_ports = bus;
}

MacAddress read_mac(const Placed<std::string>& text) {
  if (const auto mac = net::parse_mac(text.value)) return *mac;
  throw text.place.error(fmt::format("'{}' is no MAC address of one host", text.value),
                         "write mac = \"02:00:00:00:00:64\"");
}

void read_jumpers(TomlTable& nic, Rtl8019asOptions& chip) {
  const auto jumpers = nic.flag("jumpers");
  const auto base = nic.number("io-base", 0, io_lines, std::string(io_bases)), line = nic.number("int-line", 0, 7);
  const auto medium = nic.text("medium");
  if (jumpers) chip.jumper_mode = jumpers->value;
  if (!chip.jumper_mode && (base || line || medium))
    throw jumpers->place.error("without jumpers, io-base, int-line and medium come from the EEPROM",
                               "leave them out, or write jumpers = true");
  if (base) {
    chip.ios = 0;
    while (chip.ios < 16 && io_base_of(chip.ios) != base->value) ++chip.ios;
    if (chip.ios == 16)
      throw base->place.error(fmt::format("{:#x} is no I/O base of an RTL8019AS", base->value), std::string(io_bases));
  }
  if (line) chip.irqs = static_cast<unsigned>(line->value);
  if (medium) chip.pl = static_cast<unsigned>(choose(*medium, "medium", {std::begin(media), std::end(media)}));
}

// The EEPROM's pins, if the MCU plays it.
void read_eeprom_pins(TomlTable& nic, McuPins& pins, Board& board) {
  board.nic_eesk = pins.read(nic, "eesk");
  board.nic_eedo = pins.read(nic, "eedo");
  board.nic_eemu = pins.read(nic, "eemu");
  const bool external = board.rtl8019as.eeprom == Eeprom::external;
  if (external != board.nic_eesk.has_value() || external != board.nic_eedo.has_value() || (!external && board.nic_eemu))
    throw nic.place().error("eesk and eedo are the pins of an EEPROM that the MCU plays, eeprom = \"external\"",
                            "write all three, as in eesk = \"PC5\" and eedo = \"PC6\", or none");
}

void read_rtl8019as(TomlTable& nic, McuPins& pins, Board& board) {
  Rtl8019asOptions& chip = board.rtl8019as;
  if (const auto eeprom = nic.text("eeprom")) {
    std::vector<std::string> names;
    for (const auto& known : eeproms) names.emplace_back(known.name);
    chip.eeprom = eeproms[choose(*eeprom, "eeprom", names)].eeprom;
  }
  const auto mac = nic.text("mac");
  if (mac && chip.eeprom != Eeprom::programmed)
    throw mac->place.error("the chip has its mac from an EEPROM", "write eeprom = \"programmed\", or leave mac out");
  if (mac) chip.mac = read_mac(*mac);
  read_eeprom_pins(nic, pins, board);
  read_jumpers(nic, chip);
  if (const auto seed = nic.number("memory-seed", 0, INT64_MAX))
    chip.memory_seed = static_cast<std::uint64_t>(seed->value);
  const unsigned base = io_base(chip);
  if (board.nic_ports) {
    board.nic_ports->base = static_cast<std::uint16_t>(base);
    return;
  }
  bool reached = false;
  const unsigned internal = pins.machine().memory_map().ram_last;
  for (unsigned address = board.nic_range->first; address <= board.nic_range->last;
       address += io_base_of(1) - io_base_of(0))
    reached |= (address & io_lines) == base && address > internal;
  if (!reached)
    throw nic.place_of_key("bus").error(
        fmt::format("{:#06x} to {:#06x} has no address at which the chip answers: its I/O base is {:#x}",
                    board.nic_range->first, board.nic_range->last, base),
        fmt::format("A9 to A5 have to be the base's, as in {:#06x}", 0x8000 | base));
}

void read_external_ram(TomlTable& root, McuPins& pins, Board& board) {
  const auto ram = root.number("external-ram", 0, data_space, "write external-ram = 32768");
  if (!ram || ram->value == 0) return;
  if (!pins.machine().description().external_memory)
    throw ram->place.error(fmt::format("the {} has no external bus", board.mcu), "leave out external-ram");
  if (const std::int64_t internal = pins.machine().memory_map().ram_last; ram->value <= internal)
    throw ram->place.error(fmt::format("the {}'s own memory hides all of it, up to {:#06x}", board.mcu, internal),
                           "write external-ram = 32768, or leave it out");
  if (ram->value % page != 0)
    throw ram->place.error("external-ram is no multiple of 256 octets", "write external-ram = 32768");
  board.external_ram = static_cast<std::uint32_t>(ram->value);
  pins.take_for_bus();
}

bool flag_of_pin(TomlTable& nic, const std::string& key, const std::string& pin_key, const std::optional<Pin>& pin) {
  const auto flag = nic.flag(key);
  if (flag && !pin)
    throw flag->place.error(fmt::format("{} without {}", key, pin_key), fmt::format("add {} = \"PD2\"", pin_key));
  return flag && flag->value;
}

void read_nic(TomlTable& root, McuPins& pins, Board& board) {
  auto any = root.table("nic", "nic");
  if (!any) throw root.place().error("this board has no chip", "add a line [nic], and behind it chip = \"enc28j60\"");
  const auto chip = any->required_text("chip", "enc28j60");
  std::vector<std::string> names;
  for (const auto& kind : nic_kinds()) names.emplace_back(kind.name);
  choose(chip, "chip", names);
  board.nic = chip.value;
  // By its chip, so that a message about a key says whose keys those are.
  TomlTable nic = *root.table("nic", "nic with chip = " + chip.value);
  nic.required_text("chip", chip.value);
  if (board.nic == "rtl8019as") {
    if (auto ports = nic.table("ports", "bus on ports")) {
      if (nic.has("bus"))
        throw ports->place().error("a chip is on the external bus or on ports", "leave out bus, or ports");
      read_ports(*ports, pins, board);
    } else {
      read_bus(nic, pins, board);
      pins.take_for_bus();
    }
    read_rtl8019as(nic, pins, board);
  } else {
    read_spi(nic, pins, board);
  }
  board.nic_int = pins.read(nic, "int");
  board.nic_int_inverted = flag_of_pin(nic, "int-inverted", "int", board.nic_int);
  board.nic_reset = pins.read(nic, "reset");
  board.nic_reset_high = flag_of_pin(nic, "reset-high", "reset", board.nic_reset);
  nic.finish();
}

std::string nic_toml(const Board& board) {
  std::string text = fmt::format("\n[nic]\nchip = \"{}\"\n", board.nic);
  const auto pin = [&](std::string_view key, const std::optional<Pin>& at) {
    if (at) text += fmt::format("{} = \"{}\"\n", key, at->name());
  };
  const auto flag = [&](std::string_view key, bool value, bool otherwise = false) {
    if (value != otherwise) text += fmt::format("{} = {}\n", key, value);
  };
  pin("select", board.nic_select);
  if (board.nic_usart) text += fmt::format("usart = {}\n", *board.nic_usart);
  flag("clkout", board.nic_clock);
  if (board.nic_range)
    text +=
        fmt::format("bus = {{ first = 0x{:04X}, last = 0x{:04X} }}\n", board.nic_range->first, board.nic_range->last);
  if (const auto& bus = board.nic_ports)
    text += fmt::format("ports = {{ data = \"{}\", address = \"{}\", read = \"{}\", write = \"{}\" }}\n", bus->data,
                        bus->address.name(), bus->read.name(), bus->write.name());
  pin("int", board.nic_int);
  flag("int-inverted", board.nic_int_inverted);
  pin("reset", board.nic_reset);
  flag("reset-high", board.nic_reset_high);
  if (board.nic != "rtl8019as") return text;
  const Rtl8019asOptions& chip = board.rtl8019as;
  const auto eeprom = std::find_if(std::begin(eeproms), std::end(eeproms),
                                   [&](const EepromName& known) { return known.eeprom == chip.eeprom; });
  text += fmt::format("eeprom = \"{}\"\n", eeprom->name);
  pin("eesk", board.nic_eesk);
  pin("eedo", board.nic_eedo);
  pin("eemu", board.nic_eemu);
  if (chip.mac != MacAddress{}) text += fmt::format("mac = \"{}\"\n", net::mac_text(chip.mac));
  flag("jumpers", chip.jumper_mode, true);
  if (chip.jumper_mode)
    text += fmt::format("io-base = 0x{:X}\nint-line = {}\nmedium = \"{}\"\n", io_base_of(chip.ios), chip.irqs,
                        media[chip.pl]);
  if (chip.memory_seed != 0) text += fmt::format("memory-seed = {}\n", chip.memory_seed);
  return text;
}

}  // namespace

bool is_board_file(const std::string& name) {
  return name.ends_with(".toml");
}

Board board_of(const std::string& name, const std::filesystem::path& directory) {
  if (!is_board_file(name)) return find_board(name);
  const auto file = (directory / name).lexically_normal();
  return parse_board(read_file(file, "give a board's file, or a name of `avrlan boards`"), file);
}

Board parse_board(const std::string& text, const std::filesystem::path& file) {
  const std::string name = file.string();
  const toml::table parsed = parse_toml(text, name, "`avrlan boards --toml uno-enc28j60` prints a board to begin with");
  TomlTable root(name, parsed, "board");
  Board board{};
  read_name(root, file, board);
  if (const auto summary = root.text("summary")) board.summary = summary->value;
  read_mcu(root, board);
  if (const auto waits = root.scalar("wait-states"))
    throw waits->place.error("wait states are the firmware's, which sets them in XMCRA and MCUCR",
                             "leave out wait-states");
  McuPins pins(board.mcu);
  read_external_ram(root, pins, board);
  read_nic(root, pins, board);
  read_frequency(root, board);
  root.finish();
  return board;
}

std::string to_toml(const Board& board) {
  std::string text = fmt::format("name = {}\n", quoted_toml(board.name));
  if (!board.summary.empty()) text += fmt::format("summary = {}\n", quoted_toml(board.summary));
  text += fmt::format("mcu = \"{}\"\n", board.mcu);
  if (!board.nic_clock) text += fmt::format("freq = {}\n", board.hz);
  if (board.external_ram != 0) text += fmt::format("external-ram = {}\n", board.external_ram);
  return text + nic_toml(board);
}

bool is_built_in(const Board& board) {
  return std::find(boards().begin(), boards().end(), board) != boards().end();
}

}  // namespace avrlan
