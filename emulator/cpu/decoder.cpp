#include "emulator/cpu/decoder.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace avrlan::cpu {

namespace {

constexpr std::uint8_t kIoBase = 0x20;  // of the I/O space in the data space
constexpr std::uint8_t kSpl = 0x5D;
constexpr std::uint8_t kSph = 0x5E;
constexpr std::uint8_t kSreg = 0x5F;

// Operand fields, named as in DS40002198: d, r, K, A, b, q.
constexpr std::uint8_t d5(unsigned o) {
  return static_cast<std::uint8_t>(o >> 4 & 0x1F);
}
constexpr std::uint8_t r5(unsigned o) {
  return static_cast<std::uint8_t>((o >> 5 & 0x10) | (o & 0x0F));
}
constexpr std::uint8_t d4(unsigned o) {
  return static_cast<std::uint8_t>(16 + (o >> 4 & 0x0F));
}
constexpr std::uint8_t k8(unsigned o) {
  return static_cast<std::uint8_t>((o >> 4 & 0xF0) | (o & 0x0F));
}
constexpr std::uint8_t a6(unsigned o) {
  return static_cast<std::uint8_t>(kIoBase + ((o >> 5 & 0x30) | (o & 0x0F)));
}
constexpr std::uint8_t a5(unsigned o) {
  return static_cast<std::uint8_t>(kIoBase + (o >> 3 & 0x1F));
}
constexpr std::uint8_t q6(unsigned o) {
  return static_cast<std::uint8_t>((o >> 8 & 0x20) | (o >> 7 & 0x18) | (o & 0x07));
}
constexpr std::uint8_t bit_mask(unsigned bit) {
  return static_cast<std::uint8_t>(1U << (bit & 7));
}
constexpr std::int32_t sign_extend(unsigned value, unsigned bits) {
  const auto sign = 1U << (bits - 1);
  return static_cast<std::int32_t>((value & (2 * sign - 1)) ^ sign) - static_cast<std::int32_t>(sign);
}

Slot slot(Op op, std::uint8_t a = 0, std::uint8_t b = 0, std::int32_t k = 0) {
  return Slot{op, a, b, 0, k};
}
Slot illegal(std::uint16_t opcode) {
  return slot(Op::illegal, 0, 0, opcode);
}

// 0000 ... to 0010 ...: two registers.
std::optional<Slot> two_registers(std::uint16_t o, const CoreFeatures& features) {
  static constexpr std::array<Op, 12> by_group = {Op::nop, Op::cpc, Op::sbc,  Op::add, Op::cpse, Op::cp,
                                                  Op::sub, Op::adc, Op::and_, Op::eor, Op::or_,  Op::mov};
  const unsigned group = o >> 10;
  if (group >= by_group.size()) return std::nullopt;
  if (group != 0) {
    if (by_group[group] == Op::eor && d5(o) == r5(o)) return slot(Op::clr, d5(o));
    return slot(by_group[group], d5(o), r5(o));
  }
  if (o == 0) return slot(Op::nop);
  if (o >> 8 == 0x01) {
    return slot(Op::movw, static_cast<std::uint8_t>((o >> 4 & 0x0F) * 2), static_cast<std::uint8_t>((o & 0x0F) * 2));
  }
  if (!features.multiply) return illegal(o);
  if (o >> 8 == 0x02) return slot(Op::muls, d4(o), static_cast<std::uint8_t>(16 + (o & 0x0F)));
  if (o >> 8 != 0x03) return illegal(o);
  static constexpr std::array<Op, 4> fractional = {Op::mulsu, Op::fmul, Op::fmuls, Op::fmulsu};
  return slot(fractional[(o >> 6 & 2) | (o >> 3 & 1)], static_cast<std::uint8_t>(16 + (o >> 4 & 7)),
              static_cast<std::uint8_t>(16 + (o & 7)));
}

// 0011 ... to 0111 ..., and 1110 ...: a register of the upper half and a constant.
std::optional<Slot> register_and_constant(std::uint16_t o) {
  switch (o >> 12) {
    case 0x3:
      return slot(Op::cpi, d4(o), k8(o));
    case 0x4:
      return slot(Op::sbci, d4(o), k8(o));
    case 0x5:
      return slot(Op::subi, d4(o), k8(o));
    case 0x6:
      return slot(Op::ori, d4(o), k8(o));
    case 0x7:
      return slot(Op::andi, d4(o), k8(o));
    case 0xE:
      return slot(Op::ldi, d4(o), k8(o));
    default:
      return std::nullopt;
  }
}

// 10q0 qq.. .... ....
std::optional<Slot> displaced(std::uint16_t o) {
  if ((o & 0xD000) != 0x8000) return std::nullopt;
  const bool store = (o & 0x0200) != 0;
  const bool y = (o & 0x0008) != 0;
  const Op op = store ? (y ? Op::std_y : Op::std_z) : (y ? Op::ldd_y : Op::ldd_z);
  return slot(op, d5(o), q6(o));
}

// 1001 00.. .... ....
Slot load_or_store(std::uint16_t o, std::uint16_t next, const CoreFeatures& features) {
  const bool store = (o & 0x0200) != 0;
  static constexpr std::array<Op, 16> loads = {
      Op::lds,     Op::ld_z_inc, Op::ld_z_dec, Op::illegal, Op::lpm,  Op::lpm_inc,  Op::elpm,     Op::elpm_inc,
      Op::illegal, Op::ld_y_inc, Op::ld_y_dec, Op::illegal, Op::ld_x, Op::ld_x_inc, Op::ld_x_dec, Op::pop};
  static constexpr std::array<Op, 16> stores = {
      Op::sts,     Op::st_z_inc, Op::st_z_dec, Op::illegal, Op::illegal, Op::illegal,  Op::illegal,  Op::illegal,
      Op::illegal, Op::st_y_inc, Op::st_y_dec, Op::illegal, Op::st_x,    Op::st_x_inc, Op::st_x_dec, Op::push};
  const Op op = (store ? stores : loads)[o & 0x0F];
  if (op == Op::illegal) return illegal(o);
  if ((op == Op::elpm || op == Op::elpm_inc) && !features.extended_load) return illegal(o);
  return slot(op, d5(o), 0, op == Op::lds || op == Op::sts ? next : 0);
}

Slot flag_instruction(std::uint16_t o) {
  const unsigned flag = o >> 4 & 7;
  const bool clear = (o & 0x0080) != 0;
  static constexpr unsigned c = 0, t = 6, i = 7;
  switch (flag) {
    case c:
      return slot(clear ? Op::clc : Op::sec);
    case t:
      return slot(clear ? Op::clt : Op::set);
    case i:
      return slot(clear ? Op::cli : Op::sei);
    default:
      return slot(clear ? Op::bclr : Op::bset, 0, bit_mask(flag));
  }
}

// 1001 010. .... 1000 and 1001: no operand.
Slot without_operand(std::uint16_t o, const CoreFeatures& features) {
  if ((o & 0xFF0F) == 0x9408) return flag_instruction(o);
  switch (o) {
    case 0x9409:
      return slot(Op::ijmp);
    case 0x9419:
      return features.extended_call ? slot(Op::eijmp) : illegal(o);
    case 0x9508:
      return slot(Op::ret);
    case 0x9509:
      return slot(Op::icall);
    case 0x9518:
      return slot(Op::reti);
    case 0x9519:
      return features.extended_call ? slot(Op::eicall) : illegal(o);
    case 0x9588:
      return slot(Op::sleep);
    case 0x9598:
      return slot(Op::break_);
    case 0x95A8:
      return slot(Op::wdr);
    case 0x95C8:
      return slot(Op::lpm, 0);
    case 0x95D8:
      return features.extended_load ? slot(Op::elpm, 0) : illegal(o);
    case 0x95E8:
      return slot(Op::spm);
    default:
      return illegal(o);
  }
}

// 1001 010d dddd ....: one register.
std::optional<Slot> one_register(std::uint16_t o) {
  switch (o & 0x0F) {
    case 0x0:
      return slot(Op::com, d5(o));
    case 0x1:
      return slot(Op::neg, d5(o));
    case 0x2:
      return slot(Op::swap, d5(o));
    case 0x3:
      return slot(Op::inc, d5(o));
    case 0x5:
      return slot(Op::asr, d5(o));
    case 0x6:
      return slot(Op::lsr, d5(o));
    case 0x7:
      return slot(Op::ror, d5(o));
    case 0xA:
      return slot(Op::dec, d5(o));
    default:
      return std::nullopt;
  }
}

// 1001 011. .... .... to 1001 11.. .... ....
Slot word_and_bit(std::uint16_t o, const CoreFeatures& features) {
  if ((o & 0xFC00) == 0x9C00) return features.multiply ? slot(Op::mul, d5(o), r5(o)) : illegal(o);
  if ((o & 0xFE00) == 0x9600) {
    const auto pair = static_cast<std::uint8_t>(24 + (o >> 3 & 6));
    const auto k = static_cast<std::uint8_t>((o >> 2 & 0x30) | (o & 0x0F));
    return slot(o & 0x0100 ? Op::sbiw : Op::adiw, pair, k);
  }
  static constexpr std::array<Op, 4> by_field = {Op::cbi, Op::sbic, Op::sbi, Op::sbis};
  return slot(by_field[o >> 8 & 3], bit_mask(o), 0, a5(o));
}

Slot in_or_out(std::uint16_t o) {
  const bool out = (o & 0x0800) != 0;
  const std::uint8_t address = a6(o);
  if (address == kSreg) return slot(out ? Op::out_sreg : Op::in_sreg, d5(o));
  if (address == kSpl || address == kSph) return slot(out ? Op::out_sp : Op::in_sp, d5(o), 0, address);
  return slot(out ? Op::out : Op::in, d5(o), 0, address);
}

// 1111 1... .... 0bbb: a bit of a register.
Slot register_bit(std::uint16_t o) {
  if (o & 0x0008) return illegal(o);
  switch (o >> 9 & 3) {
    case 0:
      return slot(Op::bld, d5(o), bit_mask(o));
    case 1:
      return slot(Op::bst, d5(o), static_cast<std::uint8_t>(o & 7));
    case 2:
      return slot(Op::sbrc, d5(o), bit_mask(o));
    default:
      return slot(Op::sbrs, d5(o), bit_mask(o));
  }
}

Op branch_operation(std::uint16_t o) {
  static constexpr std::array<Op, 8> when_set = {Op::brcs, Op::breq, Op::brmi, Op::brvs,
                                                 Op::brlt, Op::brhs, Op::brts, Op::brie};
  static constexpr std::array<Op, 8> when_clear = {Op::brcc, Op::brne, Op::brpl, Op::brvc,
                                                   Op::brge, Op::brhc, Op::brtc, Op::brid};
  return (o & 0x0400 ? when_clear : when_set)[o & 7];
}

}  // namespace

Decoder::Decoder(std::span<const std::uint8_t> flash, CoreFeatures features)
    : flash_(flash), features_(features), flash_words_(static_cast<std::uint32_t>(flash.size() / 2)) {
  slots_.assign(flash_words_ + kGuardSlots, slot(Op::outside_flash));
  for (std::uint32_t i = 0; i < kGuardSlots; ++i) {
    slots_[flash_words_ + i].k = static_cast<std::int32_t>(flash_words_ + i);
  }
  decode(0, flash_words_);
}

void Decoder::decode(std::uint32_t first, std::uint32_t count) {
  const std::uint32_t last = std::min(first + count, flash_words_);
  for (std::uint32_t pc = first == 0 ? 0 : first - 1; pc < last; ++pc) {
    slots_[pc] = decode_one(pc);
    slots_[pc].skip = pc + 1 < flash_words_ ? instruction_words(word(pc + 1)) : std::uint8_t{1};
  }
}

std::uint16_t Decoder::word(std::uint32_t address) const {
  return static_cast<std::uint16_t>(flash_[2 * address] | flash_[2 * address + 1] << 8);
}

Slot Decoder::decode_one(std::uint32_t pc) const {
  const std::uint16_t o = word(pc);
  if (instruction_words(o) == 2 && pc + 1 >= flash_words_)
    return slot(Op::outside_flash, 0, 0, static_cast<std::int32_t>(pc + 1));

  // The program counter has as many bits as flash has word addresses: relative jumps wrap at the end of flash.
  const auto relative = [&](Op op, std::int32_t words) {
    const auto size = static_cast<std::int32_t>(flash_words_);
    const auto here = static_cast<std::int32_t>(pc);
    const std::int32_t target = (here + 1 + words + size) % size;
    return slot(op, 0, 0, target - here);
  };

  if (const auto decoded = two_registers(o, features_)) return *decoded;
  if (const auto decoded = register_and_constant(o)) return *decoded;
  if (const auto decoded = displaced(o)) return *decoded;
  switch (o >> 12) {
    case 0xB:
      return in_or_out(o);
    case 0xC: {
      const std::int32_t words = sign_extend(o, 12);
      return relative(words == -1 ? Op::rjmp_self : Op::rjmp, words);
    }
    case 0xD:
      return relative(Op::rcall, sign_extend(o, 12));
    case 0xF:
      return o & 0x0800 ? register_bit(o) : relative(branch_operation(o), sign_extend(o >> 3, 7));
    default:
      break;
  }
  if ((o & 0xFC00) == 0x9000) return load_or_store(o, pc + 1 < flash_words_ ? word(pc + 1) : 0, features_);
  if ((o & 0xFE00) != 0x9400) return word_and_bit(o, features_);
  if (const auto decoded = one_register(o)) return *decoded;
  if ((o & 0x0C) == 0x0C) {
    if (!features_.long_jumps) return illegal(o);
    const std::uint32_t target = (static_cast<std::uint32_t>(o >> 3 & 0x3E) | (o & 1U)) << 16 | word(pc + 1);
    if (target >= flash_words_) return slot(Op::outside_flash, 0, 0, static_cast<std::int32_t>(target));
    const Op op = o & 0x02 ? Op::call : target == pc ? Op::jmp_self : Op::jmp;
    return slot(op, 0, 0, static_cast<std::int32_t>(target) - static_cast<std::int32_t>(pc));
  }
  return without_operand(o, features_);
}

}  // namespace avrlan::cpu
