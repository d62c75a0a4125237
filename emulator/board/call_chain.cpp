#include "emulator/board/call_chain.hpp"

#include <algorithm>
#include <optional>

namespace avrlan {

namespace {

constexpr int most_tail_calls = 3;

std::uint32_t opcode_at(const Firmware& firmware, std::uint32_t address) {
  return static_cast<std::uint32_t>(firmware.flash[address] | firmware.flash[address + 1] << 8);
}

// Byte addresses that a jump or call goes to.
std::uint32_t absolute_target(std::uint32_t first, std::uint32_t second) {
  return 2 * (((first & 0x1F0) >> 3 | (first & 1)) << 16 | second);
}
std::uint32_t relative_target(std::uint32_t opcode, std::uint32_t after) {
  const auto offset = static_cast<std::int32_t>((opcode & 0xFFF) ^ 0x800) - 0x800;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(after) + 2 * offset);
}

struct Call {
  std::uint32_t at;
  std::optional<std::uint32_t> target;  // nullopt: by a pointer
};

// The call that returns to byte address `back`, taken for one of two words or one of one word.
std::optional<Call> call_before(const Firmware& firmware, std::uint32_t back, bool two_words) {
  if (back < (two_words ? 4 : 2) || back > firmware.flash.size()) return std::nullopt;
  const std::uint32_t last = opcode_at(firmware, back - 2);
  if (two_words) {
    const std::uint32_t first = opcode_at(firmware, back - 4);
    if ((first & 0xFE0E) != 0x940E) return std::nullopt;  // CALL
    return Call{back - 4, absolute_target(first, last)};
  }
  if (last == 0x9509 || last == 0x9519) return Call{back - 2, std::nullopt};          // ICALL, EICALL
  if ((last & 0xF000) == 0xD000) return Call{back - 2, relative_target(last, back)};  // RCALL
  return std::nullopt;
}

// The jumps by which function `from` ends in `function`, each in the place of a call and a return; the last one first.
std::vector<std::uint32_t> tail_calls(const Firmware& firmware, std::uint32_t from, std::uint32_t function, int most) {
  const Symbol* caller = firmware.function_at(from);
  if (most == 0 || caller == nullptr || caller->address != from) return {};
  const auto flash_end = static_cast<std::uint32_t>(firmware.flash.size());
  const std::uint32_t end = std::min(from + caller->size, flash_end);
  for (std::uint32_t at = from; at + 2 <= end; at += 2) {
    const std::uint32_t opcode = opcode_at(firmware, at);
    std::uint32_t target = from;
    if ((opcode & 0xF000) == 0xC000) target = relative_target(opcode, at + 2);  // RJMP
    if ((opcode & 0xFE0E) == 0x940C && at + 4 <= end)
      target = absolute_target(opcode, opcode_at(firmware, at + 2));  // JMP
    if (target == function) return {at};
    if (target >= from && target < end) continue;
    std::vector<std::uint32_t> way = tail_calls(firmware, target, function, most - 1);
    if (way.empty()) continue;
    way.push_back(at);
    return way;
  }
  return {};
}

// The instructions that led into `function` when a word on the stack returns to byte address `back`: the call, before it
// the jump of a tail call. Empty when it is no return address from there.
std::vector<std::uint32_t> way_into(const Firmware& firmware, std::uint32_t function, std::uint32_t back) {
  for (const bool two_words : {false, true}) {
    const std::optional<Call> call = call_before(firmware, back, two_words);
    if (!call) continue;
    if (!call->target || *call->target == function) return {call->at};
    std::vector<std::uint32_t> way = tail_calls(firmware, *call->target, function, most_tail_calls);
    if (way.empty()) continue;
    way.push_back(call->at);
    return way;
  }
  return {};
}

}  // namespace

std::vector<std::uint32_t> call_chain(const Firmware& firmware, std::uint32_t pc, std::uint16_t sp,
                                      std::uint16_t ram_end, bool wide_pc,
                                      const std::function<std::uint8_t(std::uint16_t)>& read) {
  constexpr std::size_t longest = 16;
  const std::uint32_t size = wide_pc ? 3 : 2;
  std::vector<std::uint32_t> chain;
  std::uint32_t at = sp + 1u;
  while (chain.size() < longest) {
    const Symbol* function = firmware.function_at(pc);
    if (function == nullptr || function->name == "main") break;
    std::vector<std::uint32_t> way;
    for (; way.empty() && at + size - 1 <= ram_end; ++at) {
      std::uint32_t word = 0;  // pushed low byte first, so that the high byte comes first
      for (std::uint32_t n = 0; n < size; ++n) word = word << 8 | read(static_cast<std::uint16_t>(at + n));
      way = way_into(firmware, function->address, 2 * word);
    }
    if (way.empty()) break;
    chain.insert(chain.end(), way.begin(), way.end());
    pc = chain.back();
    at += size - 1;
  }
  return chain;
}

}  // namespace avrlan
