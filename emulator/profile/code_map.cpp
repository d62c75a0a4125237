#include "emulator/profile/code_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "emulator/board/demangle.hpp"

namespace avrlan::profile {

namespace {

using cpu::Op;
using cpu::Slot;

constexpr std::uint32_t none = 0x7FFFFFFF;
constexpr std::int32_t longest_loop = 16;          // that waits
constexpr std::int32_t longest_walk = 32;          // through memory
constexpr std::uint8_t pointers[] = {26, 28, 30};  // X, Y, Z

// What the loops and the vectors are read from: every opcode that any core has.
cpu::Decoder decoder_of(const std::vector<std::uint8_t>& flash) {
  return {flash, {.multiply = true, .long_jumps = true, .extended_load = true, .extended_call = true}};
}

std::vector<std::uint8_t> even(std::vector<std::uint8_t> flash) {
  if (flash.size() % 2 != 0) flash.push_back(0xFF);
  return flash;
}

bool is_jump(Op op) {
  return op == Op::rjmp || op == Op::jmp;
}

bool is_branch(Op op) {
  return op >= Op::brcs && op <= Op::brid;
}

bool is_skip(Op op) {
  return op == Op::cpse || op == Op::sbrc || op == Op::sbrs || op == Op::sbic || op == Op::sbis;
}

// Reads or tests, and leaves nothing changed but registers and flags that the next round sets again.
bool only_reads(Op op) {
  switch (op) {
    case Op::nop:
    case Op::and_:
    case Op::or_:
    case Op::eor:
    case Op::clr:
    case Op::cp:
    case Op::cpc:
    case Op::cpse:
    case Op::mov:
    case Op::movw:
    case Op::cpi:
    case Op::ori:
    case Op::andi:
    case Op::ldi:
    case Op::com:
    case Op::swap:
    case Op::bst:
    case Op::sbrc:
    case Op::sbrs:
    case Op::ld_x:
    case Op::ldd_y:
    case Op::ldd_z:
    case Op::lds:
    case Op::in:
    case Op::in_sreg:
    case Op::sbic:
    case Op::sbis:
    case Op::wdr:
      return true;
    default:
      return is_branch(op) || is_jump(op);
  }
}

bool loads_and_moves_on(Op op) {
  return op == Op::ld_x_inc || op == Op::ld_y_inc || op == Op::ld_z_inc || op == Op::lpm_inc || op == Op::elpm_inc;
}
bool stores_and_moves_on(Op op) {
  return op == Op::st_x_inc || op == Op::st_y_inc || op == Op::st_z_inc;
}
bool loads_with(Op op, std::uint8_t pointer) {
  return op == (pointer == 26 ? Op::ld_x : pointer == 28 ? Op::ldd_y : Op::ldd_z);
}
bool stores_with(Op op, std::uint8_t pointer) {
  return op == (pointer == 26 ? Op::st_x : pointer == 28 ? Op::std_y : Op::std_z);
}

bool is_input(Op op) {
  return op == Op::ld_x || op == Op::ldd_y || op == Op::ldd_z || op == Op::lds || op == Op::in || op == Op::sbic ||
         op == Op::sbis;
}

bool only_counts_down(const Slot& slot) {
  return slot.op == Op::dec || slot.op == Op::sbiw || slot.op == Op::subi || slot.op == Op::sbci ||
         slot.op == Op::nop || (slot.op == Op::rjmp && slot.k == 1) || is_branch(slot.op);
}

bool waits(const Slot* first, const Slot* last) {
  bool reads = true;
  bool input = false;
  bool counts = is_branch(last->op);
  bool steps = false;
  for (const Slot* slot = first; slot <= last; slot += cpu::words_of(slot->op)) {
    reads = reads && only_reads(slot->op);
    input = input || is_input(slot->op);
    counts = counts && only_counts_down(*slot);
    steps = steps || slot->op == Op::dec || slot->op == Op::sbiw || slot->op == Op::subi;
  }
  return (reads && input) || (counts && steps);
}

// Code that no symbol covers, after `before`.
std::string gap_name(const Symbol* before, std::uint32_t address) {
  if (before == nullptr) return fmt::format("{:#x}", address);
  return fmt::format("{}+{:#x}", demangled(before->name), address - before->address);
}

}  // namespace

CodeMap::CodeMap(const Firmware& firmware, const MemoryMap& memory)
    : words_(memory.flash_words, none), instructions_(memory.flash_words) {
  image_words_ = static_cast<std::uint32_t>((firmware.flash.size() + 1) / 2);
  if (firmware.functions.empty()) {
    find_functions(firmware);
  } else {
    name_functions(firmware);
  }
  resolve_vectors(firmware, memory.vector_words);
  for (const std::uint32_t function : words_) functions_[function].size += 2;
  for (auto& word : words_) word <<= 1;
  find_waiting_loops(firmware);
  time_instructions(firmware, memory.pc_bytes);
  find_moving_pointers(firmware);

  std::map<std::string, unsigned> namesakes;
  for (auto& function : functions_) {
    function.name = demangled(function.symbol);
    if (const unsigned n = ++namesakes[function.name]; n > 1) function.name += fmt::format(" #{}", n);
  }
}

void CodeMap::name_functions(const Firmware& firmware) {
  std::map<const Symbol*, std::uint32_t> known;
  const auto image = static_cast<std::uint32_t>(firmware.flash.size() / 2);
  const Symbol* before = nullptr;
  for (std::uint32_t word = 0; word < flash_words(); ++word) {
    const Symbol* symbol = word < image ? firmware.function_at(2 * word) : nullptr;
    if (symbol == nullptr) {
      if (word == 0 || before != nullptr) functions_.push_back({gap_name(before, 2 * word), {}, 2 * word});
      words_[word] = static_cast<std::uint32_t>(functions_.size() - 1);
    } else {
      const auto [at, is_new] = known.try_emplace(symbol, static_cast<std::uint32_t>(functions_.size()));
      if (is_new) functions_.push_back({symbol->name, {}, symbol->address});
      words_[word] = at->second;
    }
    before = symbol;
  }
}

void CodeMap::find_functions(const Firmware& firmware) {
  const auto flash = even(firmware.flash);
  const auto decoder = decoder_of(flash);
  const std::uint32_t image = decoder.flash_words();
  std::set<std::uint32_t> starts{0};
  bool table = true;  // the run of jumps at the start is the vector table
  for (std::uint32_t word = 0; word < image;) {
    const Slot& slot = decoder.slots()[word];
    table = table && (is_jump(slot.op) || slot.op == Op::nop);
    const auto to = static_cast<std::int64_t>(word) + slot.k;
    const bool calls = slot.op == Op::call || (slot.op == Op::rcall && slot.k != 1);
    if ((calls || (table && is_jump(slot.op))) && to >= 0 && to < image) starts.insert(static_cast<std::uint32_t>(to));
    word += cpu::words_of(slot.op);
  }
  for (const std::uint32_t start : starts) functions_.push_back({fmt::format("{:#x}", 2 * start), {}, 2 * start});
  std::uint32_t function = 0;
  for (std::uint32_t word = 0; word < flash_words(); ++word) {
    if (function + 1 < functions_.size() && 2 * word == functions_[function + 1].address) ++function;
    words_[word] = function;
  }
}

void CodeMap::resolve_vectors(const Firmware& firmware, unsigned vector_words) {
  const auto flash = even(firmware.flash);
  const auto decoder = decoder_of(flash);
  const std::uint32_t table = words_[0];
  for (std::uint32_t word = 0; word < decoder.flash_words() && words_[word] == table; word += vector_words) {
    const Slot& slot = decoder.slots()[word];
    const auto to = static_cast<std::int64_t>(word) + slot.k;
    if (!is_jump(slot.op) || to < 0 || to >= decoder.flash_words()) return;
    const std::uint32_t function = words_[static_cast<std::uint32_t>(to)];
    Function& target = functions_[function];
    if (word != 0) target.interrupt = function != table;
    // avr-libc's, whose label is local.
    if (word == 0 && function != table && target.symbol.starts_with("0x")) target.symbol = "__init";
    if (function == table) continue;
    for (unsigned i = 0; i < vector_words && words_[word + i] == table; ++i) words_[word + i] = function;
  }
}

void CodeMap::find_waiting_loops(const Firmware& firmware) {
  const auto flash = even(firmware.flash);
  const auto decoder = decoder_of(flash);
  for (std::uint32_t word = 0; word < decoder.flash_words(); ++word) {
    const Slot* const last = decoder.slots() + word;
    if (last->op == Op::rjmp_self || last->op == Op::jmp_self) words_[word] |= 1;
    if (!(is_branch(last->op) || is_jump(last->op)) || last->k >= 0 || last->k < -longest_loop) continue;
    const auto first = static_cast<std::int64_t>(word) + last->k;
    if (first < 0 || !profile::waits(decoder.slots() + first, last)) continue;
    const std::uint32_t end = word + cpu::words_of(last->op);
    for (auto at = static_cast<std::uint32_t>(first); at < end; ++at) words_[at] |= 1;
  }
}

// Loops over memory as compilers write them: LDD Z+1, LD Z, ADIW Z, 2.
void CodeMap::find_moving_pointers(const Firmware& firmware) {
  const auto flash = even(firmware.flash);
  const auto decoder = decoder_of(flash);
  const Slot* const slots = decoder.slots();
  const auto moves = [](const Slot& slot, std::uint8_t pointer) {
    return (slot.op == Op::adiw || slot.op == Op::subi) && slot.a == pointer;
  };
  for (std::uint32_t word = 0; word < decoder.flash_words(); ++word) {
    instructions_[word].loads_on |= loads_and_moves_on(slots[word].op);
    instructions_[word].stores_on |= stores_and_moves_on(slots[word].op);
    const Slot& last = slots[word];
    const auto first = static_cast<std::int64_t>(word) + last.k;
    if (!(is_branch(last.op) || is_jump(last.op)) || last.k >= 0 || last.k < -longest_walk || first < 0) continue;
    for (const std::uint8_t pointer : pointers) {
      const auto in_loop = [&](auto visit) {
        for (auto at = static_cast<std::uint32_t>(first); at < word; at += cpu::words_of(slots[at].op)) visit(at);
      };
      bool moving = false;
      in_loop([&](std::uint32_t at) { moving |= moves(slots[at], pointer); });
      if (!moving) continue;
      in_loop([&](std::uint32_t at) {
        instructions_[at].loads_on |= loads_with(slots[at].op, pointer);
        instructions_[at].stores_on |= stores_with(slots[at].op, pointer);
      });
    }
  }
}

void CodeMap::time_instructions(const Firmware& firmware, unsigned pc_bytes) {
  const auto flash = even(firmware.flash);
  const auto decoder = decoder_of(flash);
  const auto wider = static_cast<std::uint8_t>(pc_bytes - 2);
  for (std::uint32_t word = 0; word < flash_words(); ++word) {
    const Slot slot = word < decoder.flash_words() ? decoder.slots()[word] : Slot{Op::cpse, 0, 0, 1, 0};
    Instruction& instruction = instructions_[word];
    instruction.op = slot.op;
    instruction.cycles = cpu::cycles_of(slot.op);
    if (slot.op >= Op::rcall && slot.op <= Op::reti)
      instruction.cycles = static_cast<std::uint8_t>(instruction.cycles + wider);
    instruction.taken_cycles = is_branch(slot.op) ? cpu::kTakenBranch : slot.skip;
    instruction.conditional = is_branch(slot.op) || is_skip(slot.op);
  }
}

}  // namespace avrlan::profile
