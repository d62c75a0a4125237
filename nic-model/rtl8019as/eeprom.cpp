#include "nic-model/rtl8019as/eeprom.hpp"

namespace avrlan::rtl8019as {

namespace {

constexpr unsigned command_bits = 8;  // opcode and address
constexpr unsigned write_bits = command_bits + 16;

}  // namespace

Eeprom93c46::Words Eeprom93c46::blank() {
  Words words;
  words.fill(0xFFFF);
  return words;
}

Eeprom93c46::Words Eeprom93c46::programmed(const MacAddress& mac) {
  Words words = blank();
  words[0] = 0x0080;  // CONFIG2: medium found by itself; CONFIG1: IRQEN, INT0, 0x300
  words[1] = 0x0010;  // CONFIG4; CONFIG3: LED0 shows the link
  for (unsigned n = 0; n < 3; ++n) words[2 + n] = static_cast<std::uint16_t>(mac[2 * n] | mac[2 * n + 1] << 8);
  return words;
}

bool Eeprom93c46::pins(bool cs, bool sk, bool di) {
  if (!cs) {
    if (cs_) finish();
    started_ = reading_ = false;
    out_ = true;
  } else if (sk && !sk_) {
    clock(di);
  }
  cs_ = cs;
  sk_ = sk;
  return out_;
}

void Eeprom93c46::clock(bool di) {
  if (reading_) {
    const std::size_t word = (address_ + read_bit_ / 16) % words_.size();
    out_ = (words_[word] >> (15 - read_bit_ % 16) & 1) != 0;
    ++read_bit_;
    return;
  }
  if (!started_) {
    started_ = di;
    bits_ = 0;
    shift_ = 0;
    return;
  }
  if (bits_ == write_bits) return;
  shift_ = shift_ << 1 | (di ? 1u : 0u);
  if (++bits_ == command_bits && shift_ >> 6 == 2) {  // READ: a 0 comes before the word
    address_ = shift_ & 0x3F;
    reading_ = true;
    read_bit_ = 0;
    out_ = false;
  }
}

// CS falls: what does not read is done.
void Eeprom93c46::finish() {
  if (!started_ || reading_ || bits_ < command_bits) return;
  const std::uint32_t instruction = bits_ == write_bits ? shift_ >> 16 : shift_;
  const auto data = static_cast<std::uint16_t>(shift_);
  const unsigned address = instruction & 0x3F;
  const bool all = (address & 0x30) == (bits_ == write_bits ? 0x10u : 0x20u);
  switch (instruction >> 6 & 3) {
    case 0:
      if ((address & 0x30) == 0x30) enabled_ = true;                                         // EWEN
      if ((address & 0x30) == 0x00) enabled_ = false;                                        // EWDS
      if (enabled_ && all) words_.fill(bits_ == write_bits ? data : std::uint16_t{0xFFFF});  // WRAL, ERAL
      break;
    case 1:
      if (enabled_ && bits_ == write_bits) words_[address] = data;  // WRITE
      break;
    case 3:
      if (enabled_) words_[address] = 0xFFFF;  // ERASE
      break;
    default:
      break;
  }
}

}  // namespace avrlan::rtl8019as
