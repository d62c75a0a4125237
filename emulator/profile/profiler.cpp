#include "emulator/profile/profiler.hpp"

#include <algorithm>

#include "emulator/cpu/decoder.hpp"

namespace avrlan::profile {

Profiler::Profiler(const CodeMap& map, unsigned pc_bytes, const std::vector<std::uint8_t>& kinds)
    : map_(map),
      pc_bytes_(pc_bytes),
      segments_(map.flash_words() + cpu::Decoder::kGuardSlots, map.segment(map.flash_words() - 1)),
      counts_(segments_.size()),
      taken_(segments_.size()),
      stalled_(segments_.size()) {
  for (std::uint32_t word = 0; word < map.flash_words(); ++word) {
    const std::uint32_t kind = word < kinds.size() ? kinds[word] : 0;
    segments_[word] = map.segment(word) | kind << kind_shift;
  }
  nodes_.push_back({0, 0, 0});
  suspended_.emplace_back();
  stacks_.emplace_back();
  frames_.push_back({child(0, map.function_of(0), 0), 0, 0xFFFF});
  node_ = frames_.back().node;
}

void Profiler::charge(std::int64_t cycle) {
  Node& node = nodes_[node_];
  const std::int64_t passed = cycle - node_since_;
  node.own.cycles += passed;
  spent_.work[kind_] += passed;
  if (waiting_) node.own.wait += passed;
  node.own.instructions += instructions_ - node_instructions_;
  node_since_ = cycle;
  node_instructions_ = instructions_;
}

Place Profiler::place(std::uint32_t word) const {
  Place place{counts_[word], taken_[word], stalled_[word]};
  const Instruction& instruction = map_.instruction(word);
  place.cycles += place.count * instruction.cycles + place.taken * instruction.taken_cycles;
  return place;
}

void Profiler::moved(std::uint32_t pc, std::uint32_t segment, std::int64_t cycle) {
  charge(cycle);
  const std::uint32_t function = (segment & ((1U << kind_shift) - 1)) >> 1;
  if (nodes_[frames_.back().node].function != function) jumped(pc, function);
  segment_ = segment;
  waiting_ = (segment & 1) != 0;
  kind_ = segment >> kind_shift;
  node_ = frames_.back().node;
  lowest_sp_ = nodes_[node_].lowest_sp;
  if (most_moments_ != 0 && node_ != last_moment_) note_moment(cycle);
}

void Profiler::note_moment(std::int64_t cycle) {
  last_moment_ = node_;
  if (timeline_.size() < most_moments_) {
    timeline_.push_back({cycle, node_});
  } else {
    ++moments_left_out_;
  }
}

// Into another function, without call or return: a longjmp to one further out, or in place of the innermost.
void Profiler::jumped(std::uint32_t pc, std::uint32_t function) {
  if (stack_was_set_) {
    drop_frames_below(set_sp_);
    if (nodes_[frames_.back().node].function == function) return;
  }
  Frame& frame = frames_.back();
  const Node left = nodes_[frame.node];
  frame.node = child(left.parent, function, left.site);
  if (map_.functions()[function].address == 2 * pc) ++nodes_[frame.node].calls;
}

std::uint32_t Profiler::child(std::uint32_t parent, std::uint32_t function, std::uint32_t site) {
  for (std::uint32_t at = nodes_[parent].first_child; at != 0; at = nodes_[at].next_sibling) {
    if (nodes_[at].function == function && nodes_[at].site == site) return at;
  }
  const auto made = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({parent, function, site});
  nodes_[made].next_sibling = nodes_[parent].first_child;
  nodes_[parent].first_child = made;
  return made;
}

// A call made at a higher stack pointer is over, however it ended.
void Profiler::drop_frames_below(std::uint16_t sp) {
  while (frames_.size() > 1 && frames_.back().sp < sp) frames_.pop_back();
}

void Profiler::call(std::uint32_t from, std::uint32_t to, std::uint16_t sp) {
  if (to == from + 1) return;  // RCALL .+0 reserves stack
  if (stack_was_set_) keep_stack_set();
  if (sp < lowest_sp_) note_stack(sp);
  drop_frames_below(static_cast<std::uint16_t>(sp + 1));
  const std::uint32_t function = map_.function_of(std::min(to, map_.flash_words() - 1));
  const std::uint32_t node = child(frames_.back().node, function, from);
  ++nodes_[node].calls;
  frames_.push_back({node, from + 1, sp});
  segment_ = elsewhere;
}

void Profiler::unusual_return(std::uint32_t to, std::uint16_t sp) {
  segment_ = elsewhere;
  const auto made_at = static_cast<std::uint16_t>(sp - pc_bytes_);
  for (std::size_t i = frames_.size(); i-- > 1;) {
    if (frames_[i].sp != made_at) continue;
    frames_.resize(i);
    return;
  }
  if (switch_back(to, made_at)) return;
  if (stack_was_set_ && stacks_.size() < most_stacks) begin_stack(std::min(to, map_.flash_words() - 1));
}

bool Profiler::switch_back(std::uint32_t to, std::uint16_t made_at) {
  for (std::size_t other = 0; other < suspended_.size(); ++other) {
    if (other == stack_) continue;
    for (std::size_t i = suspended_[other].size(); i-- > 1;) {
      const Frame& frame = suspended_[other][i];
      if (frame.sp != made_at || to - frame.return_pc > 1) continue;
      suspended_[stack_] = std::move(frames_);
      frames_ = std::move(suspended_[other]);
      frames_.resize(i);
      stack_ = other;
      stack_was_set_ = false;
      return true;
    }
  }
  return false;
}

void Profiler::begin_stack(std::uint32_t to) {
  suspended_[stack_] = std::move(frames_);
  stack_ = suspended_.size();
  suspended_.emplace_back();
  stacks_.emplace_back();
  const std::uint32_t node = child(0, map_.function_of(to), static_cast<std::uint32_t>(stack_));
  ++nodes_[node].calls;
  frames_.assign(1, {node, 0, 0xFFFF});
  stack_was_set_ = false;
}

// A frame is set up and given back by writing SP: how deep it went counts as soon as it is known to be no switch.
void Profiler::keep_stack_set() {
  stack_was_set_ = false;
  if (set_sp_ < lowest_sp_) note_stack(set_sp_);
}

void Profiler::stack_set(std::uint16_t address, std::uint16_t sp) {
  if (half_set_ == 0 || half_set_ == address) {
    half_set_ = address;
    return;
  }
  half_set_ = 0;
  if (stack_was_set_) keep_stack_set();
  set_sp_ = sp;
  stack_was_set_ = true;
}

void Profiler::note_stack(std::uint16_t sp) {
  nodes_[node_].lowest_sp = std::min(nodes_[node_].lowest_sp, sp);
  lowest_sp_ = nodes_[node_].lowest_sp;
  StackUse& use = stacks_[stack_];
  if (sp >= use.lowest_sp) return;
  use.lowest_sp = sp;
  use.chain.clear();
  for (const Frame& frame : frames_) use.chain.push_back(nodes_[frame.node].function);
}

void Profiler::interrupt(const cpu::InterruptEntry& entry) {
  charge(entry.started);
  if (entry.sp < lowest_sp_) note_stack(entry.sp);
  drop_frames_below(static_cast<std::uint16_t>(entry.sp + 1));
  const std::uint32_t node = child(0, map_.function_of(entry.vector_pc), 0);
  ++nodes_[node].calls;
  frames_.push_back({node, entry.return_pc, entry.sp});
  stalled_[entry.vector_pc] += entry.over - entry.started;
  node_ = node;
  kind_ = segments_[entry.vector_pc] >> kind_shift;
  waiting_ = false;
  lowest_sp_ = nodes_[node].lowest_sp;
  segment_ = elsewhere;
  if (most_moments_ != 0) note_moment(entry.started);
}

void Profiler::reset() {
  frames_.resize(1);
  segment_ = elsewhere;
  stack_was_set_ = false;
}

void Profiler::slept(std::uint32_t next_pc, std::int64_t from, std::int64_t cycles) {
  if (cycles == 0) return;
  charge(from);
  sleep_by_word_[next_pc - 1] += cycles;
  nodes_[node_].own.sleep += cycles;
  spent_.sleep += cycles;
  node_since_ += cycles;
  if (on_sleep_) on_sleep_(from, from + cycles);
}

}  // namespace avrlan::profile
