#include <simavr/avr_watchdog.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "emulator/cpu/engine.hpp"
#include "emulator/cpu/interrupts.hpp"
#include "emulator/cpu/mcu.hpp"
#include "emulator/cpu/wake_up.hpp"

namespace avrlan::cpu {

namespace {

constexpr std::uint16_t opcode_sleep = 0x9588;
constexpr std::uint16_t opcode_reti = 0x9518;
constexpr std::uint16_t opcode_rjmp_to_self = 0xcfff;

const avr_watchdog_t* find_watchdog(const avr_t& avr) {
  for (const avr_io_t* io = avr.io_port; io != nullptr; io = io->next) {
    if (io->kind != nullptr && std::string_view{io->kind} == "watchdog") {
      return reinterpret_cast<const avr_watchdog_t*>(io);
    }
  }
  return nullptr;
}

class SimavrEngine final : public Engine {
 public:
  SimavrEngine(avr_t& avr, Interrupts& interrupts, const Mcu& mcu, const SleepOptions& sleep)
      : avr_(avr),
        interrupts_(interrupts),
        mcu_(mcu),
        sleep_(sleep),
        traits_(core_traits(avr.mmcu)),
        wake_up_(avr, mcu),
        run_(avr.run),
        watchdog_(find_watchdog(avr)) {}

  Halt run_until(Cycles limit) override;
  void shorten(Cycles limit) override { limit_ = std::min(limit_, limit); }
  CycleTotals totals() const override;
  void flash_changed(std::uint32_t, std::uint32_t) override {}
  void read_flash_by(FlashReader reader) override { flash_reader_ = std::move(reader); }
  void close_flash(std::uint32_t end) override { closed_end_ = end; }

 private:
  Cycles now() const { return Cycles{static_cast<std::int64_t>(avr_.cycle)}; }
  // "Interrupt Response Time": 4 cycles, 5 with a 3-byte program counter; as many in addition from sleep.
  std::int64_t response_cycles() const { return avr_.address_size + 2; }
  bool interrupts_enabled() const { return avr_.sreg[S_I] != 0; }
  void advance(std::int64_t cycles) { avr_.cycle += static_cast<avr_cycle_count_t>(cycles); }
  bool timer_due() const { return avr_.cycle_timers.timer != nullptr && avr_.cycle_timers.timer->when <= avr_.cycle; }
  bool watchdog_resets() const;
  bool jumps_to_self(std::uint16_t opcode) const;
  std::uint16_t word_at(std::uint32_t address) const {
    return static_cast<std::uint16_t>(avr_.flash[address] | avr_.flash[address + 1] << 8);
  }

  void reset();
  void sleep();
  void wake();
  void respond();
  Halt step();
  Halt execute_sleep();
  bool execute_load_program(std::uint16_t opcode);
  void enter_interrupt();
  void leave_interrupt();
  Cycles interrupt_cycles() const;

  avr_t& avr_;
  Interrupts& interrupts_;
  const Mcu& mcu_;
  const SleepOptions sleep_;
  const CoreTraits traits_;
  const WakeUpSources wake_up_;
  const avr_run_t run_;
  const avr_watchdog_t* watchdog_;

  FlashReader flash_reader_;
  std::uint32_t closed_end_ = 0;
  Cycles limit_;
  Cycles held_until_;  // by a reset, or a start-up
  bool sleeping_ = false;
  bool waking_ = false;  // no longer asleep, not yet running
  SleepMode mode_ = SleepMode::idle;
  // The last instruction set I, or was RETI: one more is executed before an interrupt is served.
  bool shadow_ = false;

  Cycles slept_;
  unsigned depth_ = 0;
  Cycles interrupted_;        // active cycles in interrupts that are over
  Cycles interrupt_started_;  // of the outermost one that is not
  Cycles slept_before_;       // slept_ at that moment
};

Halt SimavrEngine::run_until(Cycles limit) {
  limit_ = limit;
  while (now() < limit_) {
    if (avr_.state == cpu_Crashed) return Halt::crashed;
    if (avr_.state == cpu_Done) return Halt::done;
    if (now() < held_until_) {
      const Cycles until = std::min(limit_, held_until_);
      slept_ += until - now();
      advance((until - now()).count);
    } else if (waking_) {
      respond();
    } else if (avr_.run != run_) {
      reset();
    } else if (timer_due()) {
      avr_cycle_timer_process(&avr_);
    } else if (sleeping_) {
      sleep();
    } else if (interrupts_.any() && interrupts_enabled() && !shadow_) {
      enter_interrupt();
    } else if (const Halt halt = step(); halt != Halt::none) {
      return halt;
    }
  }
  return Halt::none;
}

// A reset is asked for by replacing avr_t::run, which sets avr_t::cycle to when the CPU starts; until then it counts as asleep.
void SimavrEngine::reset() {
  const Cycles from = now();
  avr_.run(&avr_);
  held_until_ = now();
  avr_.cycle = static_cast<avr_cycle_count_t>(from.count);
  if (depth_ > 0) interrupted_ = interrupt_cycles();
  depth_ = 0;
  if (sleeping_ && sleep_.listener != nullptr) sleep_.listener->woke(held_until_);
  sleeping_ = false;
  waking_ = false;
  shadow_ = false;
}

void SimavrEngine::sleep() {
  if (interrupts_enabled() && wake_up_.any(mode_, interrupts_)) return wake();
  Cycles until = limit_;
  if (avr_.cycle_timers.timer != nullptr) {
    until = std::min(until, Cycles{static_cast<std::int64_t>(avr_.cycle_timers.timer->when)});
  }
  slept_ += until - now();
  advance((until - now()).count);
}

void SimavrEngine::wake() {
  sleeping_ = false;
  avr_.state = cpu_Running;
  waking_ = true;
  held_until_ = now() + Cycles{start_up(mode_, sleep_)};
}

void SimavrEngine::respond() {
  waking_ = false;
  const Cycles from = now();
  if (sleep_.listener != nullptr) sleep_.listener->woke(now());
  advance(response_cycles());
  slept_ += now() - from;
}

Halt SimavrEngine::step() {
  const std::uint32_t start = avr_.pc;
  if (start < closed_end_) return Halt::crashed;
  // Beyond the flash avr_run_one() executes nothing and reports the crash.
  const std::uint16_t opcode = start < avr_.flashend ? word_at(start) : std::uint16_t{0};
  if (opcode == opcode_sleep) return execute_sleep();
  if (flash_reader_ && execute_load_program(opcode)) return Halt::none;
  const bool enabled = interrupts_enabled();
  if (!enabled && jumps_to_self(opcode) && !watchdog_resets()) return Halt::jump_to_self;

  avr_.run_cycle_count = 1;
  avr_.pc = avr_run_one(&avr_);
  avr_.interrupt_state = 0;
  if (avr_.state == cpu_Crashed) {
    avr_.pc = start;
    return Halt::crashed;
  }
  shadow_ = (!enabled && interrupts_enabled()) || opcode == opcode_reti;
  if (opcode == opcode_reti) leave_interrupt();
  return Halt::none;
}

Halt SimavrEngine::execute_sleep() {
  avr_.pc += 2;
  advance(1);
  shadow_ = false;
  if ((avr_.data[mcu_.sleep_register] & mcu_.sleep_enable) == 0) return Halt::none;
  if (!interrupts_enabled() && !watchdog_resets()) return Halt::sleep;
  sleeping_ = true;
  mode_ = sleep_mode(traits_, avr_.data[mcu_.sleep_register]);
  avr_.state = cpu_Sleeping;
  if (sleep_.listener != nullptr) sleep_.listener->fell_asleep(mode_, now());
  return Halt::none;
}

// LPM and ELPM as flash_reader_ has it; false when it is neither.
bool SimavrEngine::execute_load_program(std::uint16_t opcode) {
  constexpr std::uint16_t lpm_r0 = 0x95c8, elpm_r0 = 0x95d8, z_pair = 30;
  const unsigned form = opcode & 0xfe0f;
  const bool plain = opcode == lpm_r0 || opcode == elpm_r0;
  if (!plain && (form < 0x9004 || form > 0x9007)) return false;
  const bool extended = opcode == elpm_r0 || (!plain && (form & 2) != 0);
  const unsigned rd = plain ? 0 : opcode >> 4 & 0x1f;
  std::uint32_t address = avr_.data[z_pair] | static_cast<std::uint32_t>(avr_.data[z_pair + 1]) << 8;
  if (extended) address |= static_cast<std::uint32_t>(avr_.data[avr_.rampz]) << 16;
  const FlashReader reader = flash_reader_;
  avr_.data[rd] = reader(address & avr_.flashend);
  if (!plain && (form & 1) != 0) {
    ++address;
    avr_.data[z_pair] = static_cast<std::uint8_t>(address);
    avr_.data[z_pair + 1] = static_cast<std::uint8_t>(address >> 8);
    if (extended) avr_.data[avr_.rampz] = static_cast<std::uint8_t>(address >> 16);
  }
  avr_.pc += 2;
  advance(3);
  shadow_ = false;
  return true;
}

// `while (1);` under a watchdog is how firmware resets itself, not how it ends.
bool SimavrEngine::watchdog_resets() const {
  return watchdog_ != nullptr && (avr_.data[watchdog_->wde.reg] >> watchdog_->wde.bit & 1) != 0;
}

bool SimavrEngine::jumps_to_self(std::uint16_t opcode) const {
  if (opcode == opcode_rjmp_to_self) return true;
  if ((opcode & 0xfe0e) != 0x940c) return false;  // JMP k, 1001 010k kkkk 110k
  const std::uint32_t high = (opcode >> 3 & 0x3eu) | (opcode & 1u);
  return ((high << 16 | word_at(avr_.pc + 2)) << 1) == avr_.pc;
}

void SimavrEngine::enter_interrupt() {
  const unsigned vector = interrupts_.highest();
  if (depth_++ == 0) {
    interrupt_started_ = now();
    slept_before_ = slept_;
  }
  _avr_push_addr(&avr_, avr_.pc);
  avr_.sreg[S_I] = 0;
  avr_.pc = 2 * interrupts_.table() + vector * avr_.vector_size;
  advance(response_cycles());
  interrupts_.acknowledge(vector);
}

void SimavrEngine::leave_interrupt() {
  if (depth_ == 0) return;
  if (depth_ == 1) interrupted_ = interrupt_cycles();
  --depth_;
}

Cycles SimavrEngine::interrupt_cycles() const {
  if (depth_ == 0) return interrupted_;
  return interrupted_ + (now() - interrupt_started_) - (slept_ - slept_before_);
}

CycleTotals SimavrEngine::totals() const {
  return {now(), now() - slept_, slept_, interrupt_cycles()};
}

}  // namespace

std::unique_ptr<Engine> make_simavr_engine(avr_t& avr, Interrupts& interrupts, const Mcu& mcu,
                                           const SleepOptions& sleep) {
  return std::make_unique<SimavrEngine>(avr, interrupts, mcu, sleep);
}

}  // namespace avrlan::cpu
