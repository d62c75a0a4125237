#pragma once
// A Machine as gdb sees an AVR: its 35 registers, the memories in one address space, breakpoints, watchpoints, and why it stopped.
//
// Addresses are those of avr-gcc's ELF files: the flash from 0 on, the data space from 0x800000, EEPROM 0x810000, fuses 0x820000 (low,
// high, extended), lock bits 0x830000, signature 0x840000. At 0x8A0000, our own: the Ethernet chip's registers, at
// NicRegister::place; they can only be read. Reading has no side effects; writing to an I/O register has those of a store.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/board/machine.hpp"
#include "emulator/debug/watcher.hpp"

namespace avrlan::debug {

using Bytes = std::vector<std::uint8_t>;

// As in Z and z packets.
enum class PointKind : std::uint8_t { software, hardware, write, read, access };

class Target {
 public:
  // r0 to r31, SREG, SP (2 bytes), PC (4 bytes, a byte address), as avr-gdb numbers them.
  static constexpr unsigned sreg = 32, sp = 33, pc = 34, registers = 35;

  // Both must outlive the target, which takes the chip's on_register_access().
  Target(Machine& machine, Nic& nic);
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  // Leaves the machine without breakpoints and unobserved.
  ~Target();

  // Little-endian. nullopt, false: there is no such register.
  std::optional<Bytes> read_register(unsigned number) const;
  bool write_register(unsigned number, std::span<const std::uint8_t> value);

  // As much as there is from `address` on, at most `size`; nullopt: nothing is there.
  std::optional<Bytes> read(std::uint32_t address, std::size_t size) const;
  // All of it, or false: nothing, but for external memory up to where it is not. Fuses, lock bits, signature and the chip can
  // only be written with what they are.
  bool write(std::uint32_t address, std::span<const std::uint8_t> bytes);
  // To 0xFF.
  bool erase_flash(std::uint32_t address, std::size_t size);

  // For qXfer.
  std::string description_xml() const;
  std::string memory_map_xml() const;

  // Inserting twice is inserting once. False: there is nothing at that address.
  bool insert(PointKind kind, std::uint32_t address, std::size_t size);
  void remove(PointKind kind, std::uint32_t address, std::size_t size);
  void remove_all();
  // All of them as text without line feeds, for insert_all().
  std::string points() const;
  void insert_all(std::string_view points);
  bool breaks_at(std::uint32_t address) const { return breakpoints_.contains(address); }

  // To be called before the Machine runs again.
  void resume(const Resume& resume);
  // After it has stopped by itself: what a stop reply says of the reason, for example "swbreak:;" or "watch:800100;".
  std::string stop_reason() const;
  // Whether it was a step, a breakpoint or a watchpoint of this target that stopped the machine.
  bool stopped_it() const;
  // Whether a watched byte has been touched, even though the run has ended before that could stop it.
  bool touched() { return watcher_.touched(); }
  // When the instruction began that is to be gone back to: the next one, or the one that touched a watched byte.
  Cycles stop_cycle() const;
  // See Watcher.
  std::optional<Cycles> last_instruction() const { return watcher_.last_instruction(); }

  // A low pulse on RESET; the program counter is where the reset leads on return, and some cycles of the start-up time have passed.
  void reset();

  // From the next resume() on; nullptr: no longer. The profiler must live until then.
  void profile(profile::Profiler* profiler) { watcher_.profile(profiler); }

  // Nothing of the above changes the machine any more.
  void freeze() {
    frozen_ = true;
    watcher_.profile(nullptr);
  }
  bool frozen() const { return frozen_; }
  // Whether registers or memories were written, or the MCU was reset, since the last call.
  bool take_changed() {
    has_changed_ = has_changed_ || changed_;
    return std::exchange(changed_, false);
  }
  // Whether the run is not what it would have been: ever since.
  bool has_changed() const { return has_changed_ || changed_; }

  Machine& machine() { return machine_; }
  const Machine& machine() const { return machine_; }

 private:
  enum class Memory : std::uint8_t { flash, data, eeprom, fuses, lock, signature, chip };
  struct Region {
    Memory memory;
    std::uint32_t first;
    std::size_t size;
  };
  struct Points {
    bool software = false;
    bool hardware = false;
  };

  const Region* region_at(std::uint32_t address) const;
  std::uint8_t read_byte(Memory memory, std::size_t offset) const;

  Machine& machine_;
  Nic& nic_;
  std::vector<Region> regions_;
  std::map<std::uint32_t, Points> breakpoints_;  // by byte address
  Watcher watcher_;
  struct Watchpoint {
    Access access;
    std::uint32_t address;
    std::size_t size;
  };
  std::vector<Watchpoint> watchpoints_;
  bool frozen_ = false;
  bool changed_ = false;
  bool has_changed_ = false;
};

}  // namespace avrlan::debug
