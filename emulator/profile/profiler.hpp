#pragma once
// Where every cycle of a run goes: an observer of the exact engine (emulator/cpu/observer.hpp).
//
// While the firmware runs, each instruction costs a count and a comparison; all else happens only where the function
// changes. Cycles are attributed twice, to the same sum:
//   - to the instruction: place(), by how often it was executed and the manual's cycles; lines and branches come from it;
//   - to the chain of calls: Node, a tree of who called whom from where, by the engine's time.
// The cycles of a call belong to the caller, those of RET and RETI to the function that they end. An interrupt's entry
// and its jump in the vector table belong to its handler, which is a root of its own: an interrupted function does not
// include it. Sleep is counted apart, at the SLEEP and the chain that slept; it is not among the cycles.
//
// A call is told from what only looks like one (RCALL .+0, which reserves stack) by its target. A return is recognised by
// the stack pointer at which its call was made:
//   - the same as the innermost call's: that call ends;
//   - an outer call's of the same stack (longjmp, return addresses dropped): the calls inside end with it;
//   - a call's on another stack, while this one is left as it is: a context switch back to a thread that was left in the
//     middle (FreeRTOS, Nut/OS: a stack a thread);
//   - nobody's, directly after OUT to SPL and SPH: a thread begins;
//   - else it is a jump (PUSH, PUSH, RET).
// A function left by a jump (tail call, longjmp, code that runs on) is replaced by the one that is entered.
// Not recognised: SP written with ST or STS; a thread whose first instruction is jumped to instead of returned to is
// reported under the one that started it.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "emulator/cpu/exact_engine.hpp"
#include "emulator/cpu/observer.hpp"
#include "emulator/profile/code_map.hpp"

namespace avrlan::profile {

// One instruction: how often it was executed, and in how many cycles. `taken`: branches and skips, how often.
struct Place {
  std::int64_t count = 0;
  std::int64_t taken = 0;
  std::int64_t cycles = 0;
};

struct Cost {
  std::int64_t cycles = 0;
  std::int64_t instructions = 0;
  std::int64_t sleep = 0;
  std::int64_t wait = 0;  // the part of cycles that passed in waiting loops

  Cost& operator+=(const Cost& other) {
    cycles += other.cycles;
    instructions += other.instructions;
    sleep += other.sleep;
    wait += other.wait;
    return *this;
  }
  friend bool operator==(const Cost&, const Cost&) = default;
};

// A function as it was reached through one chain of calls.
struct Node {
  std::uint32_t parent;
  std::uint32_t function;
  std::uint32_t site;  // the calling instruction's word address; for threads and interrupts of no meaning
  std::uint32_t first_child = 0;
  std::uint32_t next_sibling = 0;
  std::uint16_t lowest_sp = 0xFFFF;
  std::int64_t calls = 0;
  Cost own{};
};

// From this cycle on the innermost call was another one.
struct Moment {
  std::int64_t cycle = 0;
  std::uint32_t node = 0;
};

// Cycles up to some moment: by kind of code, and asleep.
inline constexpr std::size_t most_kinds = 16;
struct Spent {
  std::array<std::int64_t, most_kinds> work{};
  std::int64_t sleep = 0;
};

// The deepest that a stack was used, and who did: outermost first, an interrupt's handler after what it interrupted.
struct StackUse {
  std::uint16_t lowest_sp = 0xFFFF;
  std::vector<std::uint32_t> chain;  // functions
};

class Profiler {
 public:
  static constexpr bool instructions = true;
  static constexpr bool memory = false;
  static constexpr bool timing = true;
  static constexpr bool calls = true;
  static constexpr bool stack = true;
  static constexpr bool interrupts = true;
  static constexpr bool sleep = true;

  // `map` must outlive the profiler. `pc_bytes` is the size of a return address on the stack. `kinds` has a number less
  // than most_kinds for each word of the flash, by which spent() is told; none: all are 0.
  Profiler(const CodeMap& map, unsigned pc_bytes, const std::vector<std::uint8_t>& kinds = {});
  virtual ~Profiler() = default;

  bool instruction(std::uint32_t pc, std::int64_t cycle) {
    const std::uint32_t segment = segments_[pc];
    if (segment != segment_) [[unlikely]]
      moved(pc, segment, cycle);
    ++counts_[pc];
    ++instructions_;
    return false;
  }
  void taken(std::uint32_t pc) { ++taken_[pc]; }
  void stalled(std::uint32_t pc, std::int64_t cycles) { stalled_[pc] += cycles; }
  void call(std::uint32_t from, std::uint32_t to, std::uint16_t sp);
  void ret(std::uint32_t, std::uint32_t to, std::uint16_t sp) {
    if (frames_.back().sp + pc_bytes_ == sp) [[likely]] {
      frames_.pop_back();
      segment_ = elsewhere;
      if (stack_was_set_) keep_stack_set();
    } else {
      unusual_return(to, sp);
    }
  }
  void push(std::uint16_t sp) {
    if (stack_was_set_) [[unlikely]]
      keep_stack_set();
    if (sp < lowest_sp_) [[unlikely]]
      note_stack(sp);
  }
  void stack_set(std::uint16_t address, std::uint16_t sp);
  void interrupt(const cpu::InterruptEntry& entry);
  void reset();
  void slept(std::uint32_t next_pc, std::int64_t from, std::int64_t cycles);

  // What passes from `cycle` on counts, in the middle of a run. Chains of calls begin where the program is, so that what a
  // function costs with those it calls is not known of those that have been entered already.
  void begin(std::int64_t cycle) { node_since_ = cycle; }

  // Attributes what has passed up to now to the chain of calls. Between two instructions.
  void charge(std::int64_t cycle);

  // Remembers the first `most` moments from now on; how many there were after them is counted.
  void keep_timeline(std::size_t most) { most_moments_ = most; }
  const std::vector<Moment>& timeline() const { return timeline_; }
  std::int64_t moments_left_out() const { return moments_left_out_; }

  // Up to `cycle`, the start of the instruction that is being executed or the next.
  const Spent& spent(std::int64_t cycle) {
    charge(cycle);
    return spent_;
  }
  const Spent& spent() const { return spent_; }  // up to the last charge
  // Called when cycles have been slept. A long sleep is told in pieces, one directly after the other.
  void on_sleep(std::function<void(std::int64_t from, std::int64_t to)> slept) { on_sleep_ = std::move(slept); }

  const CodeMap& map() const { return map_; }
  // The instruction at this word of flash, as the firmware was loaded. Sleep is not among its cycles.
  Place place(std::uint32_t word) const;
  // Cycles of sleep at the SLEEP instructions that slept.
  const std::map<std::uint32_t, std::int64_t>& sleep_by_word() const { return sleep_by_word_; }
  // The first is the root, which is no function; a parent comes before its children.
  const std::vector<Node>& nodes() const { return nodes_; }
  // One a stack, the firmware's first one first.
  const std::vector<StackUse>& stacks() const { return stacks_; }

 private:
  struct Frame {
    std::uint32_t node;
    std::uint32_t return_pc;  // in words; of a call, the word after its first one
    std::uint16_t sp;         // after the return address was pushed
  };
  // A segment is CodeMap's with the kind of code above it.
  static constexpr unsigned kind_shift = 28;
  static constexpr std::uint32_t elsewhere = 0xFFFFFFFF;  // no segment: the next instruction is in another chain
  static constexpr std::size_t most_stacks = 256;

  void moved(std::uint32_t pc, std::uint32_t segment, std::int64_t cycle);
  void jumped(std::uint32_t pc, std::uint32_t function);
  void unusual_return(std::uint32_t to, std::uint16_t sp);
  bool switch_back(std::uint32_t to, std::uint16_t sp);
  void begin_stack(std::uint32_t to);
  void drop_frames_below(std::uint16_t sp);
  std::uint32_t child(std::uint32_t parent, std::uint32_t function, std::uint32_t site);
  void note_stack(std::uint16_t sp);
  void keep_stack_set();
  void note_moment(std::int64_t cycle);

  const CodeMap& map_;
  const unsigned pc_bytes_;
  // By word of flash, and of what the engine has behind it.
  std::vector<std::uint32_t> segments_;
  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> taken_;
  std::vector<std::int64_t> stalled_;
  std::vector<Node> nodes_;
  std::map<std::uint32_t, std::int64_t> sleep_by_word_;

  std::uint32_t segment_ = elsewhere;
  std::int64_t instructions_ = 0;

  std::uint32_t node_ = 0;  // whose cycles pass
  std::uint32_t kind_ = 0;
  bool waiting_ = false;
  std::int64_t node_since_ = 0;
  std::int64_t node_instructions_ = 0;

  Spent spent_;
  std::function<void(std::int64_t, std::int64_t)> on_sleep_;

  std::size_t most_moments_ = 0;
  std::vector<Moment> timeline_;
  std::int64_t moments_left_out_ = 0;
  std::uint32_t last_moment_ = 0;  // its node

  std::vector<Frame> frames_;  // of the stack in use; the first is no call and never ends
  std::vector<std::vector<Frame>> suspended_;
  std::vector<StackUse> stacks_;
  std::size_t stack_ = 0;  // the one in use
  std::uint16_t lowest_sp_ = 0xFFFF;
  std::uint16_t half_set_ = 0;  // SPL or SPH, when the other half is still to come
  std::uint16_t set_sp_ = 0;
  bool stack_was_set_ = false;
};

// To give to ExactEngine::observe().
cpu::Instrument instrument_of(Profiler& profiler);

}  // namespace avrlan::profile
