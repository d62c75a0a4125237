// The exact engine and simavr 1.6's interpreter, instruction by instruction: registers, SREG, the whole data space, program
// counter and cycle are compared at every boundary. What 1.6 gets wrong is made right around it, each by its name in Quirks;
// emulator/cpu/README.md has the reasons.
//
//   cpu_lockstep MCU [--instructions N] [--seed S] [--image FILE] [--without QUIRK] [--waits N]
//
// Without an image the flash is full of random instructions. --waits puts RAM on the whole external bus, with so many wait states;
// simavr, which knows no such memory, is given a flat data space, and the datasheet's cycles are added to its count. Exit status 1 at the first difference.

#include <simavr/avr_adc.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_flash.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_twi.h>
#include <simavr/avr_watchdog.h>
#include <simavr/sim_core.h>

#include <bitset>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <stdexcept>
#include <string_view>

#include "emulator/cpu/core_traits.hpp"
#include "emulator/cpu/decoder.hpp"
#include "emulator/cpu/interpreter.hpp"
#include "tests/accuracy/cpu/random_code.hpp"
#include "tests/accuracy/cpu/rig.hpp"

namespace avrlan::cpu::test {
namespace {

// 1.6's known bugs that this comparison meets, by name; without one of them the bare interpreter is compared, and differs.
struct Quirks {
  bool skip_over_adiw = true;      // a skip over ADIW or SBIW with K's low nibble C to F skips two words
  bool interrupt_entry = true;     // an interrupt's entry takes no cycles
  bool sleep_enable = true;        // SLEEP sleeps without SE
  bool bit_writes = true;          // SBI and CBI write all bits of PINx and of the flag registers
  bool old_pin_writes = true;      // writing PINx toggles PORTx on the parts where it cannot be written
  bool pointer_write_back = true;  // ST X writes X back, even over what it has just stored there
  bool branch_wrap = true;         // a conditional branch does not wrap at the end of flash

  // False when there is none of that name.
  bool without(std::string_view name) {
    const std::pair<std::string_view, bool*> all[] = {
        {"skip-over-adiw", &skip_over_adiw}, {"interrupt-entry", &interrupt_entry},
        {"sleep-enable", &sleep_enable},     {"bit-writes", &bit_writes},
        {"old-pin-writes", &old_pin_writes}, {"pointer-write-back", &pointer_write_back},
        {"branch-wrap", &branch_wrap}};
    for (const auto& [known, quirk] : all) {
      if (known == name) return !(*quirk = false);
    }
    return false;
  }
};

constexpr std::uint16_t kSpl = 0x5D, kSph = 0x5E, kSreg = 0x5F;
constexpr std::uint16_t kFirstIo = 0x20;

struct InterruptProbe {
  static constexpr bool instructions = false;
  static constexpr bool memory = false;
  static constexpr bool timing = false;
  static constexpr bool calls = false;
  static constexpr bool stack = false;
  static constexpr bool interrupts = true;
  static constexpr bool sleep = false;
  std::optional<unsigned> entered;
  void interrupt(const InterruptEntry& entry) { entered = entry.vector; }
  void reset() {}
};

bool is_skip(Op op) {
  return op == Op::cpse || op == Op::sbrc || op == Op::sbrs || op == Op::sbic || op == Op::sbis;
}

class Lockstep {
 public:
  Lockstep(const std::string& mcu, std::uint64_t seed, const char* image, const Quirks& quirks,
           std::optional<unsigned> waits);
  ~Lockstep() { avr_terminate(ref_); }
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;

  // False at a difference, which it prints.
  bool run(std::int64_t instructions);
  std::int64_t steps() const { return steps_; }
  std::int64_t interrupts() const { return interrupts_; }

 private:
  struct Access {
    std::uint16_t address;
    bool write;
  };

  unsigned random(unsigned below) { return static_cast<unsigned>(random_() % below); }
  void solder_ram();
  void forbid_registers();
  std::uint16_t random_address();
  bool allowed(const Access& access) const;

  avr_t& ours() { return rig_.avr(); }
  std::uint16_t word(std::uint32_t pc) const {
    return static_cast<std::uint16_t>(ref_->flash[2 * pc] | ref_->flash[2 * pc + 1] << 8);
  }
  std::uint16_t pair(std::uint16_t address) const {
    return static_cast<std::uint16_t>(ref_->data[address] | ref_->data[address + 1] << 8);
  }
  // RAM outside the MCU, as the engine sees it; only with --waits.
  std::uint16_t external() const {
    return waits_ ? static_cast<std::uint16_t>(rig_.space().ram_last() + 1) : std::uint16_t{0xFFFF};
  }
  std::uint8_t* external_ram() { return rig_.space().page(external()).memory; }
  std::int64_t byte_cycles(std::uint16_t address) const { return waits_ && address >= external() ? 1 + *waits_ : 0; }
  std::int64_t program_counter_cycles(std::uint16_t address) const {
    return waits_ && address >= external() ? 3 + 2 * *waits_ : 0;
  }
  std::int64_t waiting_cycles(const Slot& slot) const;
  void poke(std::uint16_t address, std::uint8_t value) {
    ref_->data[address] = value;
    (address > ours().ramend ? external_ram()[address - external()] : ours().data[address]) = value;
  }
  void poke_pair(std::uint16_t address, std::uint16_t value) {
    poke(address, static_cast<std::uint8_t>(value));
    poke(static_cast<std::uint16_t>(address + 1), static_cast<std::uint8_t>(value >> 8));
  }
  void jump_elsewhere() { ref_->pc = ours().pc = 2 * random(flash_words_ - 2); }

  const Slot& slot() const { return decoder_->slots()[ref_->pc / 2]; }
  std::optional<Access> access_of(const Slot& slot) const;
  void keep_safe();
  bool safe_as_it_is(const Slot& slot);
  void aim(const Slot& slot);
  void process_timers() {
    if (ref_->cycle_timers.timer != nullptr && ref_->cycle_timers.timer->when <= ref_->cycle)
      avr_cycle_timer_process(ref_);
  }
  void step_both();
  void sleep_both();
  void enter_interrupt(unsigned vector);
  void execute_reference();
  bool same();
  void describe(std::uint32_t pc);

  const Quirks quirks_;
  const std::optional<unsigned> waits_;
  const std::string mcu_;
  Rig rig_;
  avr_t* ref_;
  const CoreTraits traits_;
  const bool synthetic_;
  std::uint32_t flash_words_;
  std::optional<Decoder> decoder_;
  std::mt19937_64 random_;
  InterruptProbe probe_;
  std::bitset<0x200> forbidden_, pins_, flags_;
  std::int64_t steps_ = 0;
  std::int64_t interrupts_ = 0;
};

Lockstep::Lockstep(const std::string& mcu, std::uint64_t seed, const char* image, const Quirks& quirks,
                   std::optional<unsigned> waits)
    : quirks_(quirks),
      waits_(waits),
      mcu_(mcu),
      rig_(mcu),
      ref_(make_avr(mcu, waits ? std::optional<std::uint16_t>{0xFFFF} : std::nullopt)),
      traits_(core_traits(mcu)),
      synthetic_(image == nullptr),
      flash_words_((ref_->flashend + 1) / 2),
      random_(seed) {
  forbid_registers();
  if (synthetic_) {
    fill_with_code({ref_->flash, ref_->flashend + 1}, random_, [this] { return random_address(); });
  } else {
    std::ifstream in(image, std::ios::binary);
    if (!in) throw std::runtime_error(std::string("cannot read ") + image);
    std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    if (bytes.size() > ref_->flashend + 1) throw std::runtime_error(std::string(image) + " is larger than the flash");
    std::memcpy(ref_->flash, bytes.data(), bytes.size());
  }
  std::memcpy(ours().flash, ref_->flash, ref_->flashend + 1);
  decoder_.emplace(
      std::span<const std::uint8_t>{ref_->flash, ref_->flashend + 1},
      CoreFeatures{true, flash_words_ > 4096, ref_->rampz != 0 && flash_words_ > 0x8000, ref_->address_size == 3});
  rig_.engine().observe(instrument(probe_));
  if (waits_) solder_ram();
  if (!synthetic_) return;
  for (std::uint32_t address = 0; address < 32; ++address)
    poke(static_cast<std::uint16_t>(address), static_cast<std::uint8_t>(random_()));
  for (std::uint32_t address = ref_->ioend + 1U; address <= ref_->ramend; ++address) {
    poke(static_cast<std::uint16_t>(address), static_cast<std::uint8_t>(random_()));
  }
}

void Lockstep::solder_ram() {
  if (traits_.external_memory == ExternalMemory::none)
    throw std::runtime_error(mcu_ + " has no external memory interface");
  rig_.space().add_ram(0x0000, 0xFFFF);
  const auto set = [&](std::uint16_t address, unsigned value) {
    ref_->data[address] = ours().data[address] = static_cast<std::uint8_t>(value);
  };
  if (traits_.external_memory == ExternalMemory::mega128) {
    set(0x55, 0x80 | (*waits_ & 1) << 6);
    set(0x6D, *waits_ & 2);
  } else {
    set(0x74, 0x80 | *waits_ << 2);
  }
  rig_.space().update_external_bus();
  poke_pair(kSpl, 0x0400);
}

// What simavr's modules must not be driven into at random: resets, the host's terminal, memory past their arrays (a conversion of
// ADC8 to ADC15 reads past the array of eight channels: host pointers).
void Lockstep::forbid_registers() {
  const auto forbid = [&](unsigned address) {
    if (address >= kFirstIo && address < forbidden_.size()) forbidden_.set(address);
  };
  for (avr_io_t* io = ref_->io_port; io != nullptr; io = io->next) {
    const std::string_view kind = io->kind;
    if (kind == "flash") forbid(reinterpret_cast<avr_flash_t*>(io)->r_spm);
    if (kind == "watchdog") forbid(reinterpret_cast<avr_watchdog_t*>(io)->wdce.reg);
    if (kind == "eeprom") forbid(reinterpret_cast<avr_eeprom_t*>(io)->r_eecr);
    if (kind == "twi") forbid(reinterpret_cast<avr_twi_t*>(io)->r_twcr);
    if (kind == "adc") {
      forbid(reinterpret_cast<avr_adc_t*>(io)->r_adcl);
      forbid(reinterpret_cast<avr_adc_t*>(io)->r_adch);
    }
    if (kind == "port") pins_.set(reinterpret_cast<avr_ioport_t*>(io)->r_pin);
  }
  for (unsigned n = 0; n < ref_->interrupts.vector_count; ++n) flags_.set(ref_->interrupts.vector[n]->raised.reg);
  for (const unsigned address : {0x55U, 0x6CU, 0x6DU, 0x74U, 0x75U}) {
    if (traits_.external_memory != ExternalMemory::none) forbid(address);
  }
}

std::uint16_t Lockstep::random_address() {
  for (;;) {
    const bool io = random(4) == 0;
    const auto address = static_cast<std::uint16_t>(io ? random(ref_->ioend + 1U)
                                                       : ref_->ioend + 1U + random(ref_->ramend - ref_->ioend));
    if (address >= forbidden_.size() || !forbidden_[address]) return address;
  }
}

// The data-space access of the instruction at hand, stack apart.
std::optional<Lockstep::Access> Lockstep::access_of(const Slot& s) const {
  const auto offset = [&](std::uint16_t base, int displacement) {
    return static_cast<std::uint16_t>(pair(base) + displacement);
  };
  const auto k = static_cast<std::uint16_t>(s.k);
  switch (s.op) {
    case Op::ld_x:
    case Op::ld_x_inc:
      return Access{offset(26, 0), false};
    case Op::ld_x_dec:
      return Access{offset(26, -1), false};
    case Op::ld_y_inc:
      return Access{offset(28, 0), false};
    case Op::ld_y_dec:
      return Access{offset(28, -1), false};
    case Op::ld_z_inc:
      return Access{offset(30, 0), false};
    case Op::ld_z_dec:
      return Access{offset(30, -1), false};
    case Op::ldd_y:
      return Access{offset(28, s.b), false};
    case Op::ldd_z:
      return Access{offset(30, s.b), false};
    case Op::lds:
      return Access{k, false};
    case Op::st_x:
    case Op::st_x_inc:
      return Access{offset(26, 0), true};
    case Op::st_x_dec:
      return Access{offset(26, -1), true};
    case Op::st_y_inc:
      return Access{offset(28, 0), true};
    case Op::st_y_dec:
      return Access{offset(28, -1), true};
    case Op::st_z_inc:
      return Access{offset(30, 0), true};
    case Op::st_z_dec:
      return Access{offset(30, -1), true};
    case Op::std_y:
      return Access{offset(28, s.b), true};
    case Op::std_z:
      return Access{offset(30, s.b), true};
    case Op::sts:
      return Access{k, true};
    case Op::sbi:
    case Op::cbi:
      return Access{k, true};
    case Op::out:
      return Access{k, true};
    case Op::in:
    case Op::sbic:
    case Op::sbis:
      return Access{k, false};
    default:
      return std::nullopt;
  }
}

bool Lockstep::allowed(const Access& access) const {
  if (access.address > ref_->ramend) return false;
  if (access.address > ref_->ioend || access.address < kFirstIo) return true;
  if (forbidden_[access.address]) return false;
  return !(quirks_.old_pin_writes && !traits_.bit_writes && access.write && pins_[access.address]);
}

// Whether both can execute the instruction at hand with the registers as they are.
bool Lockstep::safe_as_it_is(const Slot& s) {
  switch (s.op) {
    case Op::illegal:
    case Op::outside_flash:
    case Op::spm:
    case Op::rjmp_self:
    case Op::jmp_self:
      return false;
    case Op::sleep:
      return (ref_->data[mcu_row(mcu_).sleep_register] & mcu_row(mcu_).sleep_enable) == 0;
    case Op::sbi:
    case Op::cbi: {
      const auto address = static_cast<std::uint16_t>(s.k);
      if (quirks_.bit_writes && traits_.bit_writes && (pins_[address] || flags_[address])) return false;
      break;
    }
    default:
      break;
  }
  if (quirks_.branch_wrap && s.op >= Op::brcs && s.op <= Op::brid && std::abs(s.k) > 64) return false;
  const auto access = access_of(s);
  if (quirks_.pointer_write_back && s.op == Op::st_x && (access->address == 26 || access->address == 27)) return false;
  return !access || allowed(*access);
}

// Points pointers, the stack pointer and return addresses at what exists.
void Lockstep::aim(const Slot& s) {
  const auto stack = [&](std::uint32_t target) {
    auto at = static_cast<std::uint16_t>(pair(kSpl) + 1);
    if (ref_->address_size == 3) poke(at++, static_cast<std::uint8_t>(target >> 16));
    poke(at++, static_cast<std::uint8_t>(target >> 8));
    poke(at, static_cast<std::uint8_t>(target));
  };
  const std::uint32_t target = random(flash_words_ - 2);
  switch (s.op) {
    case Op::ret:
    case Op::reti:
      stack(target);
      break;
    case Op::eijmp:
    case Op::eicall:
      poke(ref_->eind, static_cast<std::uint8_t>(target >> 16));
      [[fallthrough]];
    case Op::ijmp:
    case Op::icall:
      poke_pair(30, static_cast<std::uint16_t>(target));
      break;
    case Op::lpm:
    case Op::lpm_inc:
      if (pair(30) > ref_->flashend) poke_pair(30, static_cast<std::uint16_t>(random(ref_->flashend)));
      break;
    case Op::elpm:
    case Op::elpm_inc:
      poke(ref_->rampz, static_cast<std::uint8_t>(random((ref_->flashend + 1) >> 16)));
      break;
    default:
      if (const auto access = access_of(s); access && !allowed(*access)) {
        const std::uint16_t address = random_address();
        poke_pair(26, address);
        poke_pair(28, address);
        poke_pair(30, address);
      }
  }
}

void Lockstep::keep_safe() {
  // A program counter lies in one memory: not on the way from internal to external.
  const auto in_the_open = [&](unsigned sp) {
    return sp >= ref_->ioend + 8U && sp + 8U <= ref_->ramend && (sp + 8U < external() || sp >= external() + 8U);
  };
  while (!in_the_open(pair(kSpl))) poke_pair(kSpl, static_cast<std::uint16_t>(random(ref_->ramend)));
  constexpr unsigned leave_loops = 64;
  if (random(leave_loops) == 0) jump_elsewhere();
  for (;;) {
    if (ref_->pc / 2 >= flash_words_ - 2) jump_elsewhere();
    aim(slot());
    if (safe_as_it_is(slot())) return;
    jump_elsewhere();
  }
}

void Lockstep::enter_interrupt(unsigned vector) {
  ++interrupts_;
  ref_->cycle += static_cast<avr_cycle_count_t>(program_counter_cycles(pair(kSpl)));
  _avr_push_addr(ref_, ref_->pc);
  ref_->sreg[S_I] = 0;
  ref_->interrupt_state = 0;
  ref_->pc = vector * ref_->vector_size;
  if (quirks_.interrupt_entry) ref_->cycle += 2U + ref_->address_size;
  for (unsigned n = 0; n < ref_->interrupts.vector_count; ++n) {
    if (ref_->interrupts.vector[n]->vector == vector) avr_clear_interrupt(ref_, ref_->interrupts.vector[n]);
  }
  ref_->interrupts.pending.read = ref_->interrupts.pending.write;
}

// What the datasheet adds for external memory.
std::int64_t Lockstep::waiting_cycles(const Slot& s) const {
  const std::uint16_t sp = pair(kSpl), top = static_cast<std::uint16_t>(sp + 1);
  switch (s.op) {
    case Op::push:
      return byte_cycles(sp);
    case Op::pop:
      return byte_cycles(top);
    case Op::rcall:
    case Op::call:
    case Op::icall:
    case Op::eicall:
      return program_counter_cycles(sp);
    case Op::ret:
    case Op::reti:
      return program_counter_cycles(top);
    default: {
      const auto access = access_of(s);
      return access ? byte_cycles(access->address) : 0;
    }
  }
}

void Lockstep::execute_reference() {
  const Slot& s = slot();
  const std::int64_t waiting = waiting_cycles(s);
  const std::uint32_t pc = ref_->pc;
  ref_->run_cycle_count = 1;
  ref_->pc = avr_run_one(ref_);
  ref_->interrupt_state = 0;
  ref_->cycle += static_cast<avr_cycle_count_t>(waiting);
  if (quirks_.skip_over_adiw && is_skip(s.op) && ref_->pc == pc + 6 && (word(pc / 2 + 1) & 0xFE0C) == 0x960C) {
    ref_->pc -= 2;
    ref_->cycle -= 1;
  }
  if (quirks_.sleep_enable && s.op == Op::sleep) ref_->state = ours().state;
}

void Lockstep::sleep_both() {
  const auto next = static_cast<std::int64_t>(ours().cycle_timers.timer->when);
  rig_.run_to(std::max(next, rig_.cycle()) + 1);
  ref_->cycle = static_cast<avr_cycle_count_t>(next);
  process_timers();
  ref_->cycle = ours().cycle;
  ref_->state = ours().state;
}

void Lockstep::step_both() {
  if (ours().state == cpu_Sleeping) {
    sleep_both();
    return;
  }
  process_timers();
  probe_.entered.reset();
  rig_.step();
  if (probe_.entered) {
    enter_interrupt(*probe_.entered);
  } else {
    execute_reference();
  }
}

bool Lockstep::same() {
  if (ours().pc != ref_->pc || ours().cycle != ref_->cycle || ours().state != ref_->state) return false;
  if (rig_.halt() != Halt::none) return false;
  if (std::memcmp(ours().sreg, ref_->sreg, sizeof ref_->sreg) != 0) return false;
  const std::size_t after = kSreg + 1U;
  return std::memcmp(ours().data, ref_->data, kSreg) == 0 &&
         std::memcmp(ours().data + after, ref_->data + after, ours().ramend + 1U - after) == 0 &&
         (!waits_ || std::memcmp(external_ram(), ref_->data + external(), 0x10000U - external()) == 0);
}

void Lockstep::describe(std::uint32_t pc) {
  std::printf("  at %05x: %04x %04x (operation %d)\n", pc, word(pc / 2), word(pc / 2 + 1),
              static_cast<int>(decoder_->slots()[pc / 2].op));
  std::printf("  pc %05x, simavr %05x; cycle %lld, simavr %lld; halt %d\n", ours().pc, ref_->pc,
              static_cast<long long>(ours().cycle), static_cast<long long>(ref_->cycle), static_cast<int>(rig_.halt()));
  for (unsigned bit = 0; bit < 8; ++bit) {
    if (ours().sreg[bit] != ref_->sreg[bit])
      std::printf("  SREG bit %u: %d, simavr %d\n", bit, ours().sreg[bit], ref_->sreg[bit]);
  }
  for (unsigned address = 0; address <= ref_->ramend; ++address) {
    const std::uint8_t our = address > ours().ramend ? external_ram()[address - external()] : ours().data[address];
    if (address == kSreg || our == ref_->data[address]) continue;
    std::printf("  data %04x: %02x, simavr %02x\n", address, our, ref_->data[address]);
  }
}

bool Lockstep::run(std::int64_t instructions) {
  for (std::int64_t n = 0; n < instructions; ++n) {
    if (synthetic_) keep_safe();
    const std::uint32_t pc = ref_->pc;
    step_both();
    ++steps_;
    // The jump to itself that ends a firmware is taken by simavr alone.
    if (!synthetic_ && rig_.halt() == Halt::jump_to_self && ref_->pc == pc) return true;
    if (same()) continue;
    std::printf("%s: difference after %lld instructions\n", mcu_.c_str(), static_cast<long long>(n));
    describe(pc);
    return false;
  }
  return true;
}

}  // namespace
}  // namespace avrlan::cpu::test

int main(int argc, char** argv) {
  std::int64_t instructions = 200'000;
  std::uint64_t seed = 1;
  const char* image = nullptr;
  avrlan::cpu::test::Quirks quirks;
  std::optional<unsigned> waits;
  for (int n = 2; n + 1 < argc; n += 2) {
    const std::string_view option = argv[n];
    if (option == "--instructions") instructions = std::atoll(argv[n + 1]);
    if (option == "--seed") seed = static_cast<std::uint64_t>(std::atoll(argv[n + 1]));
    if (option == "--image") image = argv[n + 1];
    if (option == "--waits") waits = static_cast<unsigned>(std::atoi(argv[n + 1]));
    if (option == "--without" && !quirks.without(argv[n + 1])) {
      std::fprintf(stderr, "cpu_lockstep: no quirk is called %s\n", argv[n + 1]);
      return 64;
    }
  }
  if (argc < 2) {
    std::fprintf(
        stderr, "usage: cpu_lockstep MCU [--instructions N] [--seed S] [--image FILE] [--without QUIRK] [--waits N]\n");
    return 64;
  }
  try {
    avrlan::cpu::test::Lockstep lockstep(argv[1], seed, image, quirks, waits);
    if (!lockstep.run(instructions)) {
      std::printf("  seed %llu\n", static_cast<unsigned long long>(seed));
      return 1;
    }
    std::printf("%s: %lld steps alike, %lld of them interrupts\n", argv[1], static_cast<long long>(lockstep.steps()),
                static_cast<long long>(lockstep.interrupts()));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cpu_lockstep: %s\n", error.what());
    return 2;
  }
}
