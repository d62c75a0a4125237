#include "emulator/debug/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace avrlan::debug {

namespace {

constexpr std::uint16_t sp_address = 0x5D, sreg_address = 0x5F;
constexpr unsigned registers_of_file = 32;

Access access_of(PointKind kind) {
  switch (kind) {
    case PointKind::write:
      return Access::write;
    case PointKind::read:
      return Access::read;
    default:
      return Access::any;
  }
}

PointKind kind_of(Access access) {
  switch (access) {
    case Access::write:
      return PointKind::write;
    case Access::read:
      return PointKind::read;
    default:
      return PointKind::access;
  }
}

bool is_breakpoint(PointKind kind) {
  return kind == PointKind::software || kind == PointKind::hardware;
}

// Behind the last register.
std::size_t places_of(const Nic& nic) {
  std::size_t end = 0;
  for (const NicRegister& reg : nic.register_values()) end = std::max<std::size_t>(end, reg.place + reg.octets);
  return end;
}

bool are_registers(const Nic& nic, std::size_t first, std::size_t size) {
  std::size_t there = 0;
  for (const NicRegister& reg : nic.register_values()) {
    for (std::size_t place = reg.place; place < reg.place + reg.octets; ++place)
      there += place >= first && place < first + size ? 1 : 0;
  }
  return there == size;
}

}  // namespace

Target::Target(Machine& machine, Nic& nic)
    : machine_(machine), nic_(nic), watcher_(machine.memory_map().pc_bytes, nic) {
  const MemoryMap map = machine.memory_map();
  regions_ = {{Memory::flash, 0, std::size_t{2} * map.flash_words},
              {Memory::data, data_space, map.data_end},
              {Memory::eeprom, 0x810000, machine.eeprom().size()},
              {Memory::fuses, 0x820000, machine.fuses().size()},
              {Memory::lock, 0x830000, 1},
              {Memory::signature, 0x840000, machine.signature().size()},
              {Memory::chip, chip_registers, places_of(nic)}};
  nic.on_register_access([this](std::uint16_t place, bool written) {
    if (watcher_.chip_accessed(place, written ? Access::write : Access::read)) machine_.stop();
  });
  resume({});
}

Target::~Target() {
  remove_all();
  machine_.observe({});
  nic_.on_register_access({});
}

std::optional<Bytes> Target::read_register(unsigned number) const {
  if (number < registers_of_file) return Bytes{machine_.peek(static_cast<std::uint16_t>(number))};
  switch (number) {
    case sreg:
      return Bytes{machine_.peek(sreg_address)};
    case sp:
      return Bytes{machine_.peek(sp_address), machine_.peek(sp_address + 1)};
    case pc: {
      Bytes bytes;
      for (unsigned byte = 0; byte < 4; ++byte) bytes.push_back(static_cast<std::uint8_t>(machine_.pc() >> 8 * byte));
      return bytes;
    }
    default:
      return std::nullopt;
  }
}

bool Target::write_register(unsigned number, std::span<const std::uint8_t> value) {
  if (frozen_) return false;
  changed_ = true;
  const auto size = read_register(number);
  if (!size || size->size() != value.size()) return false;
  if (number == pc) {
    std::uint32_t address = 0;
    for (unsigned byte = 0; byte < 4; ++byte) address |= static_cast<std::uint32_t>(value[byte]) << 8 * byte;
    if (address % 2 != 0 || address / 2 >= machine_.memory_map().flash_words) return false;
    machine_.set_pc(address);
    return true;
  }
  const auto first = static_cast<std::uint16_t>(number == sreg ? sreg_address : number == sp ? sp_address : number);
  for (unsigned byte = 0; byte < value.size(); ++byte)
    machine_.poke(static_cast<std::uint16_t>(first + byte), value[byte]);
  return true;
}

const Target::Region* Target::region_at(std::uint32_t address) const {
  const auto at = std::find_if(regions_.begin(), regions_.end(), [address](const Region& region) {
    return address >= region.first && address - region.first < region.size;
  });
  return at == regions_.end() ? nullptr : &*at;
}

std::uint8_t Target::read_byte(Memory memory, std::size_t offset) const {
  switch (memory) {
    case Memory::flash:
      return machine_.flash()[offset];
    case Memory::data:
      return machine_.peek(static_cast<std::uint16_t>(offset));
    case Memory::eeprom:
      return machine_.eeprom()[offset];
    case Memory::fuses:
      return machine_.fuses()[offset];
    case Memory::lock:
      return machine_.lock_bits();
    case Memory::signature:
      return machine_.signature()[offset];
    case Memory::chip:
      return nic_.register_octet(static_cast<std::uint16_t>(offset));
  }
  return 0;
}

std::optional<Bytes> Target::read(std::uint32_t address, std::size_t size) const {
  const Region* region = region_at(address);
  if (region == nullptr) return std::nullopt;
  const std::size_t offset = address - region->first;
  Bytes bytes(std::min(size, region->size - offset));
  for (std::size_t n = 0; n < bytes.size(); ++n) bytes[n] = read_byte(region->memory, offset + n);
  return bytes;
}

bool Target::write(std::uint32_t address, std::span<const std::uint8_t> bytes) {
  const Region* region = region_at(address);
  if (region == nullptr || bytes.size() > region->size - (address - region->first)) return false;
  if (frozen_) return false;
  changed_ = true;
  const std::size_t offset = address - region->first;
  switch (region->memory) {
    case Memory::flash:
      machine_.program_flash(address, bytes);
      return true;
    case Memory::data:
      for (std::size_t n = 0; n < bytes.size(); ++n) {
        if (!machine_.poke(static_cast<std::uint16_t>(offset + n), bytes[n])) return false;
      }
      return true;
    case Memory::eeprom:
      machine_.program_eeprom(static_cast<std::uint16_t>(offset), bytes);
      return true;
    default:
      return std::ranges::equal(bytes, *read(address, bytes.size()));
  }
}

bool Target::erase_flash(std::uint32_t address, std::size_t size) {
  const std::size_t flash_size = regions_.front().size;
  if (frozen_ || address >= flash_size || size > flash_size - address) return false;
  changed_ = true;
  machine_.program_flash(address, Bytes(size, 0xFF));
  return true;
}

// avr-gdb has its registers built in, and does not like to be told of them.
std::string Target::description_xml() const {
  const std::size_t flash_size = regions_.front().size;
  const char* const architecture = machine_.memory_map().pc_bytes == 3 ? "avr:6"
                                   : flash_size > 0x10000              ? "avr:51"
                                   : flash_size > 0x2000               ? "avr:5"
                                                                       : "avr:4";
  return fmt::format(
      "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
      "<architecture>{}</architecture></target>",
      architecture);
}

std::string Target::memory_map_xml() const {
  std::string xml =
      "<?xml version=\"1.0\"?><!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" "
      "\"http://sourceware.org/gdb/gdb-memory-map.dtd\"><memory-map>";
  for (const Region& region : regions_) {
    if (region.memory == Memory::flash) {
      xml += fmt::format(
          "<memory type=\"flash\" start=\"{:#x}\" length=\"{:#x}\"><property "
          "name=\"blocksize\">{:#x}</property></memory>",
          region.first, region.size, machine_.description().flash_page);
    } else {
      xml += fmt::format("<memory type=\"{}\" start=\"{:#x}\" length=\"{:#x}\"/>",
                         region.memory == Memory::chip ? "rom" : "ram", region.first, region.size);
    }
  }
  return xml + "</memory-map>";
}

bool Target::insert(PointKind kind, std::uint32_t address, std::size_t size) {
  const Region* region = region_at(address);
  if (region == nullptr) return false;
  if (is_breakpoint(kind)) {
    if (region->memory != Memory::flash || address % 2 != 0) return false;
    Points& points = breakpoints_[address];
    (kind == PointKind::software ? points.software : points.hardware) = true;
    machine_.add_breakpoint(address);
    return true;
  }
  const std::size_t offset = address - region->first;
  if (size == 0 || size > region->size - offset) return false;
  if (region->memory != Memory::data && !(region->memory == Memory::chip && are_registers(nic_, offset, size)))
    return false;
  remove(kind, address, size);
  watchpoints_.push_back({access_of(kind), address, size});
  for (std::uint32_t n = 0; n < size; ++n) watcher_.watch(address + n, access_of(kind));
  return true;
}

void Target::remove(PointKind kind, std::uint32_t address, std::size_t size) {
  if (is_breakpoint(kind)) {
    const auto at = breakpoints_.find(address);
    if (at == breakpoints_.end()) return;
    (kind == PointKind::software ? at->second.software : at->second.hardware) = false;
    if (at->second.software || at->second.hardware) return;
    machine_.remove_breakpoint(address);
    breakpoints_.erase(at);
    return;
  }
  const auto at = std::find_if(watchpoints_.begin(), watchpoints_.end(), [&](const Watchpoint& w) {
    return w.access == access_of(kind) && w.address == address && w.size == size;
  });
  if (at == watchpoints_.end()) return;
  for (std::uint32_t n = 0; n < size; ++n) watcher_.unwatch(address + n, access_of(kind));
  watchpoints_.erase(at);
}

void Target::remove_all() {
  for (const auto& [address, points] : breakpoints_) machine_.remove_breakpoint(address);
  breakpoints_.clear();
  while (!watchpoints_.empty()) {
    const Watchpoint w = watchpoints_.back();
    remove(kind_of(w.access), w.address, w.size);
  }
}

std::string Target::points() const {
  std::string text;
  for (const auto& [address, points] : breakpoints_) {
    const PointKind kind = points.hardware ? PointKind::hardware : PointKind::software;
    text += fmt::format("{:x},{:x},2;", static_cast<unsigned>(kind), address);
  }
  for (const Watchpoint& w : watchpoints_)
    text += fmt::format("{:x},{:x},{:x};", static_cast<unsigned>(kind_of(w.access)), w.address, w.size);
  return text;
}

void Target::insert_all(std::string_view points) {
  for (std::string_view rest = points; !rest.empty();) {
    std::array<std::uint32_t, 3> numbers{};
    for (std::uint32_t& number : numbers) {
      const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), number, 16);
      rest.remove_prefix(std::min(static_cast<std::size_t>(end - rest.data()) + 1, rest.size()));
    }
    insert(static_cast<PointKind>(numbers[0]), numbers[1], numbers[2]);
  }
}

void Target::resume(const Resume& resume) {
  watcher_.begin(resume, machine_.cycle());
  if (watcher_.is_needed() || resume.kind != Resume::Kind::go) {
    machine_.observe(instrument_of(watcher_));
  } else {
    machine_.observe({});
  }
}

std::string Target::stop_reason() const {
  if (const auto& hit = watcher_.hit()) {
    const char* const name = hit->watched == Access::write  ? "watch"
                             : hit->watched == Access::read ? "rwatch"
                                                            : "awatch";
    return fmt::format("{}:{:x};", name, hit->address);
  }
  if (watcher_.stepped()) return {};
  const auto at = breakpoints_.find(machine_.pc());
  if (at == breakpoints_.end()) return {};
  return at->second.hardware ? "hwbreak:;" : "swbreak:;";
}

bool Target::stopped_it() const {
  return watcher_.hit() || watcher_.stepped() || breaks_at(machine_.pc());
}

Cycles Target::stop_cycle() const {
  return watcher_.hit() ? watcher_.hit()->cycle : machine_.cycle();
}

// The start-up time after a reset is longer than the cycle that has to pass here.
void Target::reset() {
  if (frozen_) return;
  changed_ = true;
  machine_.observe({});
  machine_.reset();
  machine_.run_until(machine_.now() + Duration::picoseconds(1));
}

}  // namespace avrlan::debug
