#pragma once
// The observer behind single steps, steps over a range of addresses, and watchpoints. A run that needs none of them is not observed.
//
// Not seen: what peripherals and the chip do to I/O registers by themselves, and the register file as operands of
// instructions. When an interrupt is entered right behind the instruction that has touched a watched byte, the run stops
// at its vector.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/cpu/exact_engine.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan::debug {

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
  std::uint16_t address;
  Cycles cycle;  // at which the instruction that touched it began
};

class Watcher {
 public:
  static constexpr bool instructions = true;
  static constexpr bool memory = true;
  static constexpr bool timing = false;
  static constexpr bool calls = true;
  static constexpr bool stack = false;
  static constexpr bool interrupts = true;
  static constexpr bool sleep = false;

  // The size of a return address on the stack, in bytes.
  explicit Watcher(unsigned pc_bytes) : pc_bytes_(pc_bytes) {}

  // Each byte counts how often it is watched.
  void watch(std::uint16_t address, Access access);
  void unwatch(std::uint16_t address, Access access);
  bool watches() const { return watched_ != 0; }

  void begin(const Resume& resume);
  // Of the run that has ended last; nullopt: it was no watchpoint that ended it.
  const std::optional<WatchHit>& hit() const { return hit_; }
  bool stepped() const { return stepped_; }
  // When the last instruction of this run began.
  std::optional<Cycles> last_instruction() const {
    return instruction_cycle_ < 0 ? std::nullopt : std::optional(Cycles{instruction_cycle_});
  }

  bool instruction(std::uint32_t pc, std::int64_t cycle) {
    if (hit_) [[unlikely]]
      return true;
    if (resume_.kind >= Resume::Kind::step && step_ends(2 * pc)) [[unlikely]]
      return true;
    instruction_cycle_ = cycle;
    return false;
  }
  void load(std::uint16_t address, std::uint8_t) { touch(address, Access::read); }
  void store(std::uint16_t address, std::uint8_t) { touch(address, Access::write); }
  void call(std::uint32_t, std::uint32_t, std::uint16_t sp) { touch_return_address(sp, Access::write); }
  void ret(std::uint32_t, std::uint32_t, std::uint16_t sp) {
    touch_return_address(static_cast<std::uint16_t>(sp - pc_bytes_), Access::read);
    while (!handlers_.empty() && sp > handlers_.back()) handlers_.pop_back();
  }
  void interrupt(const cpu::InterruptEntry& entry);
  void reset();

 private:
  void touch(std::uint16_t address, Access access) {
    if (watched_ != 0 && (kinds_[address] & static_cast<std::uint8_t>(access)) != 0) [[unlikely]]
      note(address, access);
  }
  // `sp` is below the address.
  void touch_return_address(std::uint16_t sp, Access access) {
    for (unsigned byte = 1; byte <= pc_bytes_; ++byte) touch(static_cast<std::uint16_t>(sp + byte), access);
  }
  void note(std::uint16_t address, Access access);
  bool step_ends(std::uint32_t pc);

  const unsigned pc_bytes_;
  std::array<std::uint8_t, 0x10000> kinds_{};
  struct Watched {
    std::uint16_t address;
    Access access;
  };
  std::vector<Watched> list_;
  std::size_t watched_ = 0;
  Resume resume_;
  std::int64_t instruction_cycle_ = -1;
  bool begun_ = false;
  bool stepped_ = false;
  std::optional<WatchHit> hit_;
  // Stack pointers on entry of the interrupts that have come since the step began.
  std::vector<std::uint16_t> handlers_;
};

// To give to Machine::observe().
cpu::Instrument instrument_of(Watcher& watcher);

}  // namespace avrlan::debug
