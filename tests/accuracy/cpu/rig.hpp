#pragma once
// An MCU of simavr's under the exact engine, without board or NIC; and opcodes for programs of a few words.

#include <simavr/sim_avr.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/cpu/data_space.hpp"
#include "emulator/cpu/exact_engine.hpp"
#include "emulator/cpu/interrupts.hpp"
#include "emulator/cpu/mcu.hpp"
#include "emulator/cpu/simavr_vectors.hpp"

namespace avrlan::cpu::test {

// Opcodes as DS40002198 prints them, independent of the decoder.
namespace op {
using Word = std::uint16_t;
constexpr Word nop = 0x0000, ret = 0x9508, reti = 0x9518, sei = 0x9478, cli = 0x94F8, sleep = 0x9588, wdr = 0x95A8,
               spm = 0x95E8, ijmp = 0x9409, icall = 0x9509, brk = 0x9598, set = 0x9468, lpm = 0x95C8;
constexpr Word ldi(unsigned d, unsigned k) {
  return static_cast<Word>(0xE000 | (k & 0xF0) << 4 | (d - 16) << 4 | (k & 0x0F));
}
constexpr Word in(unsigned d, unsigned a) {
  return static_cast<Word>(0xB000 | (a & 0x30) << 5 | d << 4 | (a & 0x0F));
}
constexpr Word out(unsigned a, unsigned r) {
  return static_cast<Word>(0xB800 | (a & 0x30) << 5 | r << 4 | (a & 0x0F));
}
constexpr Word sbi(unsigned a, unsigned b) {
  return static_cast<Word>(0x9A00 | a << 3 | b);
}
constexpr Word cbi(unsigned a, unsigned b) {
  return static_cast<Word>(0x9800 | a << 3 | b);
}
constexpr Word rjmp(int words) {
  return static_cast<Word>(0xC000 | (static_cast<unsigned>(words) & 0x0FFF));
}
constexpr Word rcall(int words) {
  return static_cast<Word>(0xD000 | (static_cast<unsigned>(words) & 0x0FFF));
}
constexpr Word inc(unsigned d) {
  return static_cast<Word>(0x9403 | d << 4);
}
constexpr Word dec(unsigned d) {
  return static_cast<Word>(0x940A | d << 4);
}
constexpr Word brne(int words) {
  return static_cast<Word>(0xF401 | (static_cast<unsigned>(words) & 0x7F) << 3);
}
constexpr Word push(unsigned r) {
  return static_cast<Word>(0x920F | r << 4);
}
constexpr Word pop(unsigned d) {
  return static_cast<Word>(0x900F | d << 4);
}
constexpr Word mul(unsigned d, unsigned r) {
  return static_cast<Word>(0x9C00 | (r & 0x10) << 5 | d << 4 | (r & 0x0F));
}
constexpr Word st_x(unsigned r) {
  return static_cast<Word>(0x920C | r << 4);
}
constexpr Word ld_x(unsigned d) {
  return static_cast<Word>(0x900C | d << 4);
}
// First words; the address follows as a second.
constexpr Word lds(unsigned d) {
  return static_cast<Word>(0x9000 | d << 4);
}
constexpr Word sts(unsigned r) {
  return static_cast<Word>(0x9200 | r << 4);
}
constexpr Word jmp = 0x940C;
constexpr Word call = 0x940E;
}  // namespace op

// A row for an MCU of any name, as find_mcu() gives for the supported ones.
Mcu mcu_row(const std::string& name);

class Rig : public FaultSink {
 public:
  explicit Rig(const std::string& mcu, ExactOptions options = {});
  ~Rig() override;
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  avr_t& avr() { return *avr_; }
  std::uint8_t* data() { return avr_->data; }
  Interrupts& interrupts() { return interrupts_; }
  ExactEngine& engine() { return *engine_; }
  DataSpace& space() const { return engine_->data_space(); }

  void load(std::uint32_t word_address, std::span<const std::uint16_t> words);
  void load(std::uint32_t word_address, std::initializer_list<std::uint16_t> words) {
    load(word_address, std::span<const std::uint16_t>{words.begin(), words.size()});
  }

  std::int64_t cycle() const { return static_cast<std::int64_t>(avr_->cycle); }
  std::uint32_t pc() const { return avr_->pc / 2; }  // in words
  void set_pc(std::uint32_t word) { avr_->pc = 2 * word; }
  std::uint16_t sp() const { return static_cast<std::uint16_t>(avr_->data[0x5D] | avr_->data[0x5E] << 8); }
  void set_sp(std::uint16_t sp) { set_pair(0x5D, sp); }
  void set_pair(std::uint16_t address, std::uint16_t value);
  std::uint8_t sreg() const;
  void set_sreg(std::uint8_t value);

  Halt run_to(std::int64_t cycle) { return engine_->run_until(Cycles{cycle}); }
  // One instruction or one interrupt entry; the cycles it took.
  std::int64_t step();
  Halt halt() const { return halt_; }  // of the last step

  // The line of `vector` goes up at `cycle` and down when it is served.
  void request_at(std::int64_t cycle, unsigned vector);
  std::vector<Fault> faults;
  Verdict verdict = Verdict::halt;

 private:
  struct Request {
    Rig* rig;
    unsigned vector;
  };
  Verdict on_fault(const Fault& fault) override;
  static avr_cycle_count_t raise(avr_t*, avr_cycle_count_t, void* request);

  avr_t* avr_;
  Mcu mcu_;
  Interrupts interrupts_;
  std::unique_ptr<SimavrVectors> vectors_;
  std::unique_ptr<ExactEngine> engine_;
  std::vector<std::unique_ptr<Request>> requests_;
  Halt halt_ = Halt::none;
};

// An MCU without an engine: quiet, and without the pauses that simavr takes on the host. `ramend`: instead of the MCU's own.
avr_t* make_avr(const std::string& mcu, std::optional<std::uint16_t> ramend = std::nullopt);

}  // namespace avrlan::cpu::test
