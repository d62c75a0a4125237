#pragma once
// The observer behind single steps, steps over a range of addresses, watchpoints and `monitor profile`. A run that needs none
// of them is not observed.
//
// A register of the chip is touched when the firmware has read or written it (Nic::on_register_access), and written to when
// its value is another one before the next instruction, whoever did it.
//
// Not seen: what peripherals do to I/O registers by themselves, and the register file as operands of instructions. When an
// interrupt is entered right behind the instruction that has touched a watched byte, the run stops at its vector.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/cpu/exact_engine.hpp"
#include "emulator/profile/profiler.hpp"
#include "nic-model/core/nic.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan::debug {

// Addresses as Target's.
inline constexpr std::uint32_t data_space = 0x800000, chip_registers = 0x8A0000;

enum class Access : std::uint8_t { write = 1, read = 2, any = 3 };

// How a run begins.
struct Resume {
  enum class Kind : std::uint8_t {
    go,
    trace,  // as `go`, but last_instruction() is wanted
    step,   // one instruction, or into an interrupt
    range   // until an instruction outside [first, end) is next; interrupts are served on the way, unseen
  };
  Kind kind = Kind::go;
  std::uint32_t first = 0;  // byte addresses
  std::uint32_t end = 0;
};

// The first byte that was touched.
struct WatchHit {
  Access watched;
  std::uint32_t address;
  Cycles cycle;  // at which the instruction began that touched it, or during which it was touched
};

class Watcher {
 public:
  static constexpr bool instructions = true;
  static constexpr bool memory = true;
  static constexpr bool timing = false;
  static constexpr bool calls = true;
  static constexpr bool stack = false;
  static constexpr bool interrupts = true;
  static constexpr bool sleep = true;

  // The size of a return address on the stack, in bytes; the chip must outlive the watcher.
  Watcher(unsigned pc_bytes, const Nic& nic) : pc_bytes_(pc_bytes), nic_(nic) {}

  // Each byte counts how often it is watched. They are in the data space, or registers of the chip.
  void watch(std::uint32_t address, Access access);
  void unwatch(std::uint32_t address, Access access);
  // Where the cycles go that pass; nullptr: nobody asks.
  void profile(profile::Profiler* profiler) { profiler_ = profiler; }
  bool is_needed() const { return watched_ != 0 || profiler_ != nullptr; }

  void begin(const Resume& resume, Cycles now);
  // Of the run that has ended last; nullopt: it was no watchpoint that ended it.
  const std::optional<WatchHit>& hit() const { return hit_; }
  bool stepped() const { return stepped_; }
  // The same, but for what happened last, which no instruction has followed.
  bool touched();
  // When the last instruction of this run began.
  std::optional<Cycles> last_instruction() const {
    return instruction_cycle_ < 0 ? std::nullopt : std::optional(Cycles{instruction_cycle_});
  }

  // True: somebody watches that.
  bool chip_accessed(std::uint16_t place, Access access);

  bool instruction(std::uint32_t pc, std::int64_t cycle) {
    if (!chip_values_.empty()) [[unlikely]]
      look_at_chip();
    if (hit_) [[unlikely]]
      return true;
    if (resume_.kind >= Resume::Kind::step && step_ends(2 * pc)) [[unlikely]]
      return true;
    instruction_cycle_ = cycle;
    if (profiler_ != nullptr) [[unlikely]]
      profiler_->instruction(pc, cycle);
    return false;
  }
  void load(std::uint16_t address, std::uint8_t) { touch(address, Access::read); }
  void store(std::uint16_t address, std::uint8_t) { touch(address, Access::write); }
  void call(std::uint32_t from, std::uint32_t to, std::uint16_t sp) {
    touch_return_address(sp, Access::write);
    if (profiler_ != nullptr) [[unlikely]]
      profiler_->call(from, to, sp);
  }
  void ret(std::uint32_t from, std::uint32_t to, std::uint16_t sp) {
    if (profiler_ != nullptr) [[unlikely]]
      profiler_->ret(from, to, sp);
    touch_return_address(static_cast<std::uint16_t>(sp - pc_bytes_), Access::read);
    while (!handlers_.empty() && sp > handlers_.back()) handlers_.pop_back();
  }
  void interrupt(const cpu::InterruptEntry& entry);
  void reset();
  void slept(std::uint32_t next_pc, std::int64_t from, std::int64_t cycles) {
    if (profiler_ != nullptr) profiler_->slept(next_pc, from, cycles);
  }

 private:
  void touch(std::uint16_t address, Access access) {
    if (watched_ != 0 && (kinds_[address] & static_cast<std::uint8_t>(access)) != 0) [[unlikely]]
      note(data_space + address, access);
  }
  // `sp` is below the address.
  void touch_return_address(std::uint16_t sp, Access access) {
    for (unsigned byte = 1; byte <= pc_bytes_; ++byte) touch(static_cast<std::uint16_t>(sp + byte), access);
  }
  void note(std::uint32_t address, Access access);
  void look_at_chip();
  bool step_ends(std::uint32_t pc);

  const unsigned pc_bytes_;
  const Nic& nic_;
  profile::Profiler* profiler_ = nullptr;
  std::array<std::uint8_t, 0x10000> kinds_{};  // of the data space
  struct Watched {
    std::uint32_t address;
    Access access;
  };
  std::vector<Watched> list_;
  std::size_t watched_ = 0;
  struct ChipValue {
    std::uint16_t place;
    std::uint8_t value;
  };
  std::vector<ChipValue> chip_values_;  // of what is watched for writes, when the run began
  Resume resume_;
  Cycles began_at_{};
  std::int64_t instruction_cycle_ = -1;  // of the last instruction, or entry of an interrupt, since then
  bool begun_ = false;
  bool stepped_ = false;
  std::optional<WatchHit> hit_;
  // Stack pointers on entry of the interrupts that have come since the step began.
  std::vector<std::uint16_t> handlers_;
};

// To give to Machine::observe().
cpu::Instrument instrument_of(Watcher& watcher);

}  // namespace avrlan::debug
