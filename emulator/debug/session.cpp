#include "emulator/debug/session.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "emulator/board/hex.hpp"
#include "emulator/debug/packet.hpp"

namespace avrlan::debug {

namespace {

constexpr int sigtrap = 5;
const Answer ok{Action::stay, "OK"};
const Answer error{Action::stay, "E01"};
const Answer unknown{Action::stay, ""};

std::optional<std::uint32_t> parse_hex(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (failure != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// "A,B" or "A:B": what stands before the first separator, and behind it.
std::pair<std::string_view, std::string_view> split(std::string_view text, char separator) {
  const std::size_t at = std::min(text.find(separator), text.size());
  return {text.substr(0, at), text.substr(std::min(at + 1, text.size()))};
}

struct Range {
  std::uint32_t address;
  std::uint32_t size;
};

std::optional<Range> parse_range(std::string_view text) {
  const auto [first, second] = split(text, ',');
  const auto address = parse_hex(first);
  const auto size = parse_hex(second);
  if (!address || !size) return std::nullopt;
  return Range{*address, *size};
}

// CRC-32 without reflection, as qCRC has it.
std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t polynomial = 0x04C11DB7;
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    crc ^= static_cast<std::uint32_t>(byte) << 24;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc >> 31) != 0 ? polynomial : 0);
  }
  return crc;
}

}  // namespace

Concern concern_of(std::string_view packet) {
  if (packet == "bs" || packet == "bc") return Concern::back;
  if (packet.starts_with("vCont;")) return Concern::resume;
  for (const std::string_view begin : {"qCRC", "vFlash"}) {
    if (packet.starts_with(begin)) return Concern::target;
  }
  for (const std::string_view begin : {"vRun", "vKill"}) {
    if (packet.starts_with(begin)) return Concern::leave;
  }
  constexpr std::string_view of_target = "gGpPmMX", of_run = "cCsS", of_end = "DkR";
  if (packet.empty()) return Concern::other;
  if (of_target.find(packet.front()) != std::string_view::npos) return Concern::target;
  if (of_run.find(packet.front()) != std::string_view::npos) return Concern::resume;
  return of_end.find(packet.front()) != std::string_view::npos ? Concern::leave : Concern::other;
}

std::string Session::stopped(int signal, const std::string& reason) {
  last_stop_ = fmt::format("T{:02x}{}", signal, reason);
  for (const unsigned number : {Target::sreg, Target::sp, Target::pc})
    last_stop_ += fmt::format("{:x}:{};", number, to_hex(*target_.read_register(number)));
  return last_stop_ += "thread:1;";
}

Answer Session::handle(std::string_view packet) {
  if (packet.empty()) return unknown;
  const std::string_view argument = packet.substr(1);
  switch (packet.front()) {
    case '?':
      return {Action::stay, last_stop_.empty() ? stopped(sigtrap, {}) : last_stop_};
    case '!':
      extended_ = true;
      return ok;
    case 'g':
      return read_registers();
    case 'G':
      return write_registers(argument);
    case 'p':
      return read_register(argument);
    case 'P':
      return write_register(argument);
    case 'm':
      return read_memory(argument);
    case 'M':
    case 'X':
      return write_memory(argument, packet.front() == 'X');
    case 'c':
    case 's':
      return resume(packet.substr(0, 1), argument);
    case 'C':
    case 'S':
      return resume(packet.front() == 'C' ? "c" : "s", split(argument, ';').second);
    case 'Z':
    case 'z':
      return point(argument, packet.front() == 'Z');
    case 'H':
    case 'T':
      return ok;
    case 'q':
    case 'Q':
      return query(packet);
    case 'v':
      return verbose(packet);
    case 'D':
      return {Action::detach, "OK"};
    case 'k':
      return {Action::kill, std::nullopt};
    case 'R':
      restart();
      return {Action::stay, std::nullopt};
    default:
      return unknown;
  }
}

Answer Session::read_registers() {
  std::string all;
  for (unsigned number = 0; number < Target::registers; ++number) all += to_hex(*target_.read_register(number));
  return {Action::stay, all};
}

Answer Session::write_registers(std::string_view hex) {
  const auto bytes = from_hex(hex);
  if (!bytes) return error;
  std::span<const std::uint8_t> rest = *bytes;
  for (unsigned number = 0; number < Target::registers; ++number) {
    const std::size_t size = target_.read_register(number)->size();
    if (rest.size() < size || !target_.write_register(number, rest.first(size))) return error;
    rest = rest.subspan(size);
  }
  return ok;
}

Answer Session::read_register(std::string_view argument) {
  const auto number = parse_hex(argument);
  const auto value = number ? target_.read_register(*number) : std::nullopt;
  return value ? Answer{Action::stay, to_hex(*value)} : error;
}

Answer Session::write_register(std::string_view argument) {
  const auto [digits, hex] = split(argument, '=');
  const auto number = parse_hex(digits);
  const auto value = from_hex(hex);
  return number && value && target_.write_register(*number, *value) ? ok : error;
}

Answer Session::read_memory(std::string_view argument) {
  const auto range = parse_range(argument);
  const auto bytes = range ? target_.read(range->address, range->size) : std::nullopt;
  return bytes ? Answer{Action::stay, to_hex(*bytes)} : error;
}

Answer Session::write_memory(std::string_view argument, bool binary) {
  const auto [place, data] = split(argument, ':');
  const auto range = parse_range(place);
  const auto bytes = binary ? unescape(data) : from_hex(data);
  if (!range || !bytes || bytes->size() != range->size) return error;
  if (bytes->empty()) return ok;
  return target_.write(range->address, *bytes) ? ok : error;
}

// "c", "s" with the address to go on from; "r" with FIRST,END.
Answer Session::resume(std::string_view kind, std::string_view argument) {
  if (kind == "r") {
    const auto range = parse_range(argument);
    if (!range) return error;
    target_.resume({Resume::Kind::range, range->address, range->size});
    return {Action::resume, std::nullopt};
  }
  if (!argument.empty()) {
    const auto address = parse_hex(argument);
    if (!address) return error;
    Bytes pc;
    for (unsigned byte = 0; byte < 4; ++byte) pc.push_back(static_cast<std::uint8_t>(*address >> 8 * byte));
    if (!target_.write_register(Target::pc, pc)) return error;
  }
  target_.resume({kind == "s" ? Resume::Kind::step : Resume::Kind::go});
  return {Action::resume, std::nullopt};
}

// TYPE,ADDRESS,KIND; the kind of a watchpoint is its size.
Answer Session::point(std::string_view argument, bool insert) {
  const auto [digits, rest] = split(argument, ',');
  const auto type = parse_hex(digits);
  const auto range = parse_range(split(rest, ';').first);
  if (!type || !range) return error;
  if (*type > static_cast<std::uint32_t>(PointKind::access)) return unknown;
  const auto kind = static_cast<PointKind>(*type);
  if (insert) return target_.insert(kind, range->address, range->size) ? ok : error;
  target_.remove(kind, range->address, range->size);
  return ok;
}

Answer Session::query(std::string_view packet) {
  const auto [name, argument] = split(packet, ':');
  if (name == "qSupported") {
    return {Action::stay,
            fmt::format("PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;qXfer:memory-map:read+;swbreak+;"
                        "hwbreak+;vContSupported+;ReverseStep+;ReverseContinue+",
                        packet_size)};
  }
  if (packet == "QStartNoAckMode") return {Action::no_acks, "OK"};
  if (name == "qXfer") return transfer(argument);
  if (name == "qCRC") return checksum(argument);
  if (name == "qAttached") return {Action::stay, "1"};
  if (name == "qSymbol") return ok;
  if (packet == "qC") return {Action::stay, "QC1"};
  if (packet == "qfThreadInfo") return {Action::stay, "m1"};
  if (packet == "qsThreadInfo") return {Action::stay, "l"};
  constexpr std::string_view rcmd = "qRcmd,";
  if (packet.starts_with(rcmd)) {
    const auto command = from_hex(packet.substr(rcmd.size()));
    if (!command) return error;
    const std::string text = monitor_({reinterpret_cast<const char*>(command->data()), command->size()});
    return text.empty() ? ok : Answer{Action::stay, to_hex(text)};
  }
  return unknown;
}

// OBJECT:read:ANNEX:OFFSET,LENGTH
Answer Session::transfer(std::string_view argument) {
  const auto [object, rest] = split(argument, ':');
  const auto [operation, place] = split(rest, ':');
  const auto [annex, numbers] = split(place, ':');
  if (operation != "read") return unknown;
  std::string content;
  if (object == "features" && annex == "target.xml") {
    content = target_.description_xml();
  } else if (object == "memory-map" && annex.empty()) {
    content = target_.memory_map_xml();
  } else {
    return object == "features" ? Answer{Action::stay, "E00"} : unknown;
  }
  const auto range = parse_range(numbers);
  if (!range || range->address > content.size()) return error;
  const bool last = range->size >= content.size() - range->address;
  return {Action::stay, (last ? "l" : "m") + escape(std::string_view(content).substr(range->address, range->size))};
}

Answer Session::checksum(std::string_view argument) {
  const auto range = parse_range(argument);
  const auto bytes = range ? target_.read(range->address, range->size) : std::nullopt;
  if (!bytes || bytes->size() != range->size) return error;
  return {Action::stay, fmt::format("C{:x}", crc32(*bytes))};
}

Answer Session::verbose(std::string_view packet) {
  if (packet == "vCont?") return {Action::stay, "vCont;c;C;s;S;r"};
  constexpr std::string_view vcont = "vCont;";
  if (packet.starts_with(vcont)) {
    // The leftmost action that is for the one thread there is.
    const std::string_view action = split(split(packet.substr(vcont.size()), ';').first, ':').first;
    if (action.empty()) return error;
    switch (action.front()) {
      case 'c':
      case 'C':
        return resume("c", {});
      case 's':
      case 'S':
        return resume("s", {});
      case 'r':
        return resume("r", action.substr(1));
      default:
        return error;
    }
  }
  if (packet.starts_with("vKill")) return {Action::kill, "OK"};
  if (packet.starts_with("vRun")) return restart();
  if (packet.starts_with("vFlash")) return flash(packet);
  return unknown;
}

Answer Session::flash(std::string_view packet) {
  const auto [name, argument] = split(packet, ':');
  if (name == "vFlashDone") return ok;
  if (name == "vFlashErase") {
    const auto range = parse_range(argument);
    return range && target_.erase_flash(range->address, range->size) ? ok : error;
  }
  const auto [digits, data] = split(argument, ':');
  const auto address = parse_hex(digits);
  const auto bytes = unescape(data);
  if (name != "vFlashWrite" || !address || !bytes) return error;
  // Nothing but flash: E.memtype is what gdb expects for any other memory.
  if (*address >= data_space) return {Action::stay, "E.memtype"};
  return bytes->empty() || target_.write(*address, *bytes) ? ok : error;
}

Answer Session::restart() {
  target_.reset();
  return {Action::stay, stopped(sigtrap, {})};
}

}  // namespace avrlan::debug
