#include "emulator/cpu/exact_engine.hpp"

#include <simavr/avr_flash.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_watchdog.h>
#include <simavr/sim_avr.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/cpu/core.hpp"
#include "emulator/cpu/cycle_account.hpp"
#include "emulator/cpu/data_space.hpp"
#include "emulator/cpu/interpreter.hpp"
#include "emulator/cpu/interrupts.hpp"
#include "emulator/cpu/mcu.hpp"
#include "emulator/cpu/wake_up.hpp"

namespace avrlan::cpu {

namespace {

constexpr std::uint16_t kSp = 0x5D;
constexpr std::uint16_t kSreg = 0x5F;
constexpr std::uint16_t kRegisters = 32;
constexpr std::uint16_t kZ = 30;

template <class Module>
Module* find_module(const avr_t& avr, std::string_view kind) {
  for (avr_io_t* io = avr.io_port; io != nullptr; io = io->next) {
    if (io->kind != nullptr && kind == io->kind) return reinterpret_cast<Module*>(io);
  }
  return nullptr;
}

class Exact final : public ExactEngine, private Core {
 public:
  Exact(avr_t& avr, Interrupts& requests, const Mcu& mcu, const ExactOptions& options);

  Halt run_until(Cycles limit) override;
  void shorten(Cycles limit) override { limit_ = std::min(limit_, limit.count); }
  CycleTotals totals() const override { return account_.totals(now()); }
  DataSpace& data_space() override { return space_; }
  void flash_changed(std::uint32_t first, std::uint32_t size) override;
  void read_flash_by(FlashReader reader) override;
  void close_flash(std::uint32_t end) override;
  void observe(const Instrument& instrument) override { instrument_ = instrument; }
  void add_breakpoint(std::uint32_t byte_pc) override;
  void remove_breakpoint(std::uint32_t byte_pc) override;
  bool stopped() const override { return stop; }

 private:
  // Core: the ways out of the interpreter.
  std::uint8_t load(std::uint16_t address) override;
  void store(std::uint16_t address, std::uint8_t value) override;
  std::uint8_t in(std::uint16_t address) override { return read_io(address); }
  void out(std::uint16_t address, std::uint8_t value) override { write_io(address, value); }
  void set_bit(std::uint16_t address, std::uint8_t mask) override;
  void clear_bit(std::uint16_t address, std::uint8_t mask) override;
  void push(std::uint16_t sp, std::uint8_t value) override;
  void push_pc(std::uint16_t sp, std::uint32_t return_pc) override;
  std::uint32_t pop_pc(std::uint16_t sp) override;
  std::uint8_t read_flash(std::uint32_t address) override;
  void store_program() override;
  void leave_interrupt() override;
  void sleep() override;
  void reset_watchdog() override;
  bool halt_in_loop() override;
  void illegal(std::uint16_t opcode) override;
  void outside_flash(std::uint32_t target) override;

  void prepare();
  void choose_slots();
  void set_stack_floor(std::uint16_t floor);

  void take_state();
  void give_state();
  void synchronise();
  bool timer_due() const { return avr_.cycle_timers.timer != nullptr && avr_.cycle_timers.timer->when <= avr_.cycle; }
  std::int64_t next_event() const;
  bool disturbed() const { return avr_.run != run_ || (avr_.state != cpu_Running && avr_.state != cpu_Sleeping); }

  bool settle();
  bool settle_asleep();
  void hold();
  void reset();
  void wake();
  void respond();
  void slept(std::uint32_t next_pc, std::int64_t from, std::int64_t cycles);
  void enter_interrupt();
  void run_slice();

  void end_access();
  std::uint8_t read_io(std::uint16_t address);
  void write_io(std::uint16_t address, std::uint8_t value);
  bool is_strobe(std::uint16_t address) const;
  std::uint8_t load_byte(std::uint16_t address);
  void store_byte(std::uint16_t address, std::uint8_t value);
  bool grows_into_data(std::uint16_t sp);
  bool watchdog_resets() const;
  Verdict fault(FaultKind kind, std::uint32_t address, std::uint16_t value);

  avr_t& avr_;
  Interrupts& requests_;
  const Mcu& mcu_;
  const ExactOptions options_;
  const CoreTraits traits_;
  const avr_run_t run_;
  DataSpace space_;
  std::optional<Decoder> decoder_;
  std::optional<WakeUpSources> wake_up_;
  FlashReader flash_reader_;
  std::uint32_t closed_words_ = 0;  // from 0, that cannot be executed
  bool slots_stale_ = false;
  std::vector<Slot> slots_while_closed_;
  std::set<std::uint32_t> breakpoints_;      // in words
  std::optional<std::uint32_t> stopped_at_;  // by the last run, in words
  Instrument instrument_;

  avr_flash_t* flash_module_ = nullptr;
  avr_watchdog_t* watchdog_ = nullptr;
  std::bitset<256> pin_registers_;
  std::bitset<256> flag_registers_;
  std::array<avr_int_vector_t*, Interrupts::max_vectors> vectors_{};

  std::int64_t limit_ = 0;
  Halt halt_ = Halt::none;
  std::uint32_t fault_pc_ = 0;
  std::uint16_t stack_floor_ = 0;

  std::int64_t held_until_ = 0;  // by a reset, or a start-up
  bool sleeping_ = false;
  bool waking_ = false;  // no longer asleep, not yet running
  SleepMode mode_ = SleepMode::idle;
  CycleAccount account_;
};

Exact::Exact(avr_t& avr, Interrupts& requests, const Mcu& mcu, const ExactOptions& options)
    : avr_(avr),
      requests_(requests),
      mcu_(mcu),
      options_(options),
      traits_(core_traits(avr.mmcu)),
      run_(avr.run),
      space_(avr.data, avr.ioend, avr.ramend, traits_.external_memory) {
  data = avr.data;
  flash = avr.flash;
  flash_size = avr.flashend + 1;
  flash_words = flash_size / 2;
  readable_flash = flash_size;
  wide_pc = avr.address_size == 3 ? 1 : 0;
  rampz = avr.rampz;
  eind = avr.eind;
  interrupts = &requests;
  ram_first = space_.ram_first();
  ram_size = static_cast<std::uint32_t>(space_.ram_last() - space_.ram_first() + 1);
  set_stack_floor(std::max(options.stack_floor, space_.ram_first()));
}

// At the first run, when the flash is loaded and every peripheral has registered.
void Exact::prepare() {
  const std::string_view name = avr_.mmcu;
  decoder_.emplace(std::span<const std::uint8_t>{flash, flash_size},
                   CoreFeatures{.multiply = name.starts_with("atmega") || name.starts_with("at90can"),
                                .long_jumps = flash_size > 8 * 1024,
                                .extended_load = rampz != 0 && flash_size > 64 * 1024,
                                .extended_call = wide_pc != 0});
  slots = decoder_->slots();
  for (const auto word : breakpoints_) decoder_->slots()[word].op = Op::breakpoint;
  flash_module_ = find_module<avr_flash_t>(avr_, "flash");
  watchdog_ = find_module<avr_watchdog_t>(avr_, "watchdog");
  for (avr_io_t* io = avr_.io_port; io != nullptr; io = io->next) {
    if (io->kind == nullptr || std::string_view{io->kind} != "port") continue;
    if (const auto pin = reinterpret_cast<avr_ioport_t*>(io)->r_pin; pin < pin_registers_.size())
      pin_registers_.set(pin);
  }
  for (unsigned n = 0; n < avr_.interrupts.vector_count; ++n) {
    avr_int_vector_t& vector = *avr_.interrupts.vector[n];
    if (vector.vector < vectors_.size()) vectors_[vector.vector] = &vector;
    if (vector.raised.reg < flag_registers_.size()) flag_registers_.set(vector.raised.reg);
  }
  wake_up_.emplace(avr_, mcu_);
  space_.update_external_bus();
}

void Exact::set_stack_floor(std::uint16_t floor) {
  stack_floor_ = floor;
  const std::uint32_t first = std::max<std::uint32_t>(floor, ram_first);
  const std::uint32_t end = ram_first + ram_size;
  constexpr std::uint32_t unreachable = 0x10000, program_counter = 3;
  const bool usable = first + program_counter <= end;
  stack_first = usable ? first : unreachable;
  stack_size = usable ? end - first : program_counter;
}

Halt Exact::run_until(Cycles limit) {
  if (!decoder_) prepare();
  limit_ = limit.count;
  stop = false;
  if (halt_ != Halt::none) return halt_;
  take_state();
  const std::uint32_t start = pc;
  bool resuming = stopped_at_ == start && breakpoints_.contains(start);
  stopped_at_.reset();
  while (settle()) {
    if (resuming && pc == start) {
      decoder_->decode(start, 1);
      choose_slots();
      end_after_next();
      run_slice();
      if (start > 0 && breakpoints_.contains(start - 1)) decoder_->slots()[start - 1].op = Op::breakpoint;
      decoder_->slots()[start].op = Op::breakpoint;
      slots_stale_ = true;
    } else {
      run_slice();
    }
    resuming = false;
    if (stop || halt_ != Halt::none) break;
  }
  if (stop) stopped_at_ = pc;
  give_state();
  const Halt halt = halt_;
  if (halt_ == Halt::jump_to_self) halt_ = Halt::none;
  return halt;
}

void Exact::run_slice() {
  if (instrument_.interpret != nullptr) {
    instrument_.interpret(*this, instrument_.observer);
  } else {
    NoObserver nobody;
    interpret(static_cast<Core&>(*this), nobody);
  }
}

// What others may have changed since the last run: simavr keeps SREG as eight bytes.
void Exact::take_state() {
  pc = avr_.pc / 2;
  std::uint32_t sreg = 0;
  for (unsigned bit = 0; bit < 8; ++bit) sreg |= (avr_.sreg[bit] != 0 ? 1U : 0U) << bit;
  flags = Flags::from(sreg);
  t = sreg >> 6 & 1;
  i = sreg >> 7 & 1;
  deadline = static_cast<std::int64_t>(avr_.cycle);
  left = 0;
}

void Exact::give_state() {
  const std::uint32_t sreg = flags.bits() | static_cast<std::uint32_t>(t) << 6 | static_cast<std::uint32_t>(i) << 7;
  for (unsigned bit = 0; bit < 8; ++bit) avr_.sreg[bit] = sreg >> bit & 1;
  data[kSreg] = static_cast<std::uint8_t>(sreg);
  avr_.cycle = static_cast<avr_cycle_count_t>(now());
  avr_.pc = halt_ == Halt::crashed ? fault_pc_ : 2 * pc;
}

// Before simavr's code runs. The arithmetic flags of avr_t::sreg are current only between runs.
void Exact::synchronise() {
  avr_.cycle = static_cast<avr_cycle_count_t>(now());
  avr_.pc = 2 * pc;
  avr_.sreg[S_I] = i;
}

// Never later than an int64 can say: simavr's modules do register timers in the year 2^64.
std::int64_t Exact::next_event() const {
  constexpr auto never = static_cast<avr_cycle_count_t>(std::numeric_limits<std::int64_t>::max());
  const avr_cycle_timer_slot_p first = avr_.cycle_timers.timer;
  return static_cast<std::int64_t>(first == nullptr ? never : std::min(first->when, never));
}

// Everything that is due between two instructions. False when the run is over, else the next slice is set.
bool Exact::settle() {
  for (;;) {
    if (halt_ != Halt::none || now() >= limit_) return false;
    if (now() < held_until_) {
      hold();
      continue;
    }
    if (waking_) {
      respond();
      continue;
    }
    synchronise();
    if (timer_due()) avr_cycle_timer_process(&avr_);
    if (avr_.run != run_) {
      reset();
      continue;
    }
    if (avr_.state == cpu_Crashed || avr_.state == cpu_Done) {
      halt_ = avr_.state == cpu_Done ? Halt::done : Halt::crashed;
      fault_pc_ = avr_.pc;
      return false;
    }
    if (sleeping_) {
      if (!settle_asleep()) return false;
      continue;
    }
    const bool wanted = i != 0 && requests_.any();
    if (wanted && now() != shadow) {
      enter_interrupt();
      continue;
    }
    const std::int64_t from = now();
    deadline = std::min(limit_, next_event());
    left = deadline - from;
    if (wanted) end_after_next();
    if (slots_stale_) choose_slots();
    return true;
  }
}

// While the oscillator starts. In reset it is as if the first instruction slept.
void Exact::hold() {
  const std::int64_t until = std::min(limit_, held_until_);
  slept(waking_ ? pc : pc + 1, now(), until - now());
  deadline = until;
  left = 0;
}

// Either wakes, or sleeps on to the next event. False at the limit.
bool Exact::settle_asleep() {
  if (i != 0 && wake_up_->any(mode_, requests_)) {
    wake();
    return true;
  }
  const std::int64_t until = std::min(limit_, next_event());
  slept(pc, now(), until - now());
  deadline = until;
  left = 0;
  return until < limit_;
}

void Exact::slept(std::uint32_t next_pc, std::int64_t from, std::int64_t cycles) {
  account_.slept(cycles);
  if (instrument_.slept != nullptr) instrument_.slept(instrument_.observer, next_pc, from, cycles);
}

void Exact::wake() {
  sleeping_ = false;
  waking_ = true;
  avr_.state = cpu_Running;
  held_until_ = now() + start_up(mode_, options_.sleep);
}

// "Interrupt Response Time": asleep, as many cycles more as the response takes, on top of the oscillator's start-up.
void Exact::respond() {
  waking_ = false;
  const std::int64_t from = now();
  if (options_.sleep.listener != nullptr) options_.sleep.listener->woke(Cycles{now()});
  left -= avr_.address_size + 2;
  slept(pc, from, now() - from);
}

// A reset is asked for by replacing avr_t::run, which sets avr_t::cycle to when the CPU starts.
void Exact::reset() {
  const std::int64_t from = now();
  avr_.run(&avr_);
  held_until_ = static_cast<std::int64_t>(avr_.cycle);
  avr_.cycle = static_cast<avr_cycle_count_t>(from);
  account_.leave_all_interrupts(from);
  if (sleeping_ && options_.sleep.listener != nullptr) options_.sleep.listener->woke(Cycles{held_until_});
  sleeping_ = false;
  waking_ = false;
  shadow = -1;
  take_state();
  space_.update_external_bus();
  if (instrument_.reset != nullptr) instrument_.reset(instrument_.observer);
}

void Exact::enter_interrupt() {
  const unsigned vector = requests_.highest();
  const std::int64_t started = now();
  account_.enter_interrupt(started);
  const std::uint32_t return_pc = pc;
  const auto sp = static_cast<std::uint16_t>(load16(data + kSp));
  push_pc(sp, return_pc);
  store16(data + kSp, sp - avr_.address_size);
  i = 0;
  pc = requests_.table() + vector * avr_.vector_size / 2;
  left -= avr_.address_size + 2;
  synchronise();
  if (avr_int_vector_t* const entered = vectors_[vector]) {
    auto& table = avr_.interrupts;
    avr_raise_irq(entered->irq + AVR_INT_IRQ_RUNNING, 1);
    avr_raise_irq(table.irq + AVR_INT_IRQ_RUNNING, vector);
    if (table.running_ptr < ARRAY_SIZE(table.running)) table.running[table.running_ptr++] = entered;
  }
  requests_.acknowledge(vector);
  if (instrument_.interrupt != nullptr) {
    instrument_.interrupt(instrument_.observer,
                          {vector, pc, return_pc, static_cast<std::uint16_t>(load16(data + kSp)), started, now()});
  }
}

void Exact::leave_interrupt() {
  avr_interrupt_reti(&avr_);
  avr_.sreg[S_I] = 1;
  account_.leave_interrupt(now());
  interrupts_enabled();
}

void Exact::sleep() {
  if ((data[mcu_.sleep_register] & mcu_.sleep_enable) == 0) return;
  end_now();
  if (i == 0 && !watchdog_resets()) {
    halt_ = Halt::sleep;
    return;
  }
  sleeping_ = true;
  mode_ = sleep_mode(traits_, data[mcu_.sleep_register]);
  avr_.state = cpu_Sleeping;
  if (options_.sleep.listener != nullptr) options_.sleep.listener->fell_asleep(mode_, Cycles{now()});
}

// `while (1);` under a watchdog is how firmware resets itself, not how it ends.
bool Exact::watchdog_resets() const {
  return watchdog_ != nullptr && watchdog_->wde.reg != 0 && (data[watchdog_->wde.reg] >> watchdog_->wde.bit & 1) != 0;
}

bool Exact::halt_in_loop() {
  if (watchdog_resets()) return false;
  halt_ = Halt::jump_to_self;
  end_now();
  return true;
}

void Exact::reset_watchdog() {
  synchronise();
  avr_ioctl(&avr_, AVR_IOCTL_WATCHDOG_RESET, nullptr);
  end_access();
}

// simavr's erase takes Z as it is and trusts it: the page's start is given, and what lies outside is not.
void Exact::store_program() {
  if (flash_module_ == nullptr) return;
  const std::uint32_t z = load16(data + kZ) | (rampz != 0 ? static_cast<std::uint32_t>(data[rampz]) << 16 : 0);
  const std::uint32_t page = flash_module_->spm_pagesize;
  if (z >= flash_size) {
    fault(FaultKind::flash_write_outside, z, static_cast<std::uint16_t>(load16(data)));
    return;
  }
  const bool erase = avr_regbit_get(&avr_, flash_module_->pgers) != 0;
  synchronise();
  if (erase) store16(data + kZ, z & ~(page - 1));
  avr_ioctl(&avr_, AVR_IOCTL_FLASH_SPM, nullptr);
  if (erase) store16(data + kZ, z);
  end_access();
  // Whoever has taken the module's place tells by itself what has changed.
  if (flash_module_->io.ioctl != nullptr) flash_changed(z & ~(page - 1), page);
}

void Exact::flash_changed(std::uint32_t first, std::uint32_t size) {
  if (!decoder_) return;
  decoder_->decode(first / 2, (first % 2 + size + 1) / 2);
  for (const auto word : breakpoints_) decoder_->slots()[word].op = Op::breakpoint;
  slots_stale_ = true;
}

void Exact::read_flash_by(FlashReader reader) {
  readable_flash = reader != nullptr ? 0 : flash_size;
  flash_reader_ = std::move(reader);
}

void Exact::close_flash(std::uint32_t end) {
  if (end / 2 == closed_words_) return;
  closed_words_ = end / 2;
  slots_stale_ = true;
  shorten(Cycles{now()});
}

// Between two slices. While a section is closed, the rest is a copy.
void Exact::choose_slots() {
  slots_stale_ = false;
  slots = decoder_->slots();
  if (closed_words_ == 0) return;
  Slot nothing{};
  nothing.op = Op::illegal;
  slots_while_closed_.assign(decoder_->slots(), decoder_->slots() + flash_words + Decoder::kGuardSlots);
  std::fill_n(slots_while_closed_.begin(), closed_words_, nothing);
  slots = slots_while_closed_.data();
}

void Exact::add_breakpoint(std::uint32_t byte_pc) {
  const std::uint32_t word = byte_pc / 2;
  if (word >= flash_words) return;
  breakpoints_.insert(word);
  if (decoder_) decoder_->slots()[word].op = Op::breakpoint;
  slots_stale_ = true;
}

void Exact::remove_breakpoint(std::uint32_t byte_pc) {
  if (breakpoints_.erase(byte_pc / 2) != 0) flash_changed(byte_pc, 2);
}

// After simavr's code, or a peripheral's, has run inside an instruction: it may have set timers, raised interrupts or ended the
// run. By adding to avr_t::cycle it stalls the CPU.
void Exact::end_access() {
  left -= static_cast<std::int64_t>(avr_.cycle) - now();
  if (disturbed() || (i != 0 && requests_.any())) {
    end_now();
    return;
  }
  const std::int64_t from = now();
  deadline = std::min(limit_, next_event());
  left = deadline - from;
}

void raise_register_irqs(avr_irq_t* irq, std::uint8_t value) {
  avr_raise_irq(irq + AVR_IOMEM_IRQ_ALL, value);
  for (unsigned bit = 0; bit < 8; ++bit) avr_raise_irq(irq + bit, (unsigned{value} >> bit) & 1U);
}

std::uint8_t Exact::read_io(std::uint16_t address) {
  if (address >= kRegisters + MAX_IOs) return data[address];
  const auto& io = avr_.io[address - kRegisters];
  if (io.r.c == nullptr && io.irq == nullptr) return data[address];
  synchronise();
  if (io.r.c != nullptr) data[address] = io.r.c(&avr_, address, io.r.param);
  const std::uint8_t value = data[address];
  if (io.irq != nullptr) raise_register_irqs(io.irq, value);
  end_access();
  return value;
}

void Exact::write_io(std::uint16_t address, std::uint8_t value) {
  if (!traits_.bit_writes && address < pin_registers_.size() && pin_registers_[address]) return;
  const auto* const io = address < kRegisters + MAX_IOs ? &avr_.io[address - kRegisters] : nullptr;
  if (io == nullptr || (io->w.c == nullptr && io->irq == nullptr)) {
    data[address] = value;
  } else {
    synchronise();
    if (io->w.c != nullptr) {
      io->w.c(&avr_, address, value, io->w.param);
    } else {
      data[address] = value;
    }
    if (io->irq != nullptr) raise_register_irqs(io->irq, value);
    end_access();
  }
  if (space_.controls_external_bus(address)) space_.update_external_bus();
}

// On the parts with bit writes, flags that are cleared by writing 1 and PINx see only the addressed bit.
bool Exact::is_strobe(std::uint16_t address) const {
  return traits_.bit_writes && (pin_registers_[address] || flag_registers_[address]);
}

void Exact::set_bit(std::uint16_t address, std::uint8_t mask) {
  const std::uint8_t old = is_strobe(address) ? std::uint8_t{0} : read_io(address);
  write_io(address, old | mask);
}

void Exact::clear_bit(std::uint16_t address, std::uint8_t mask) {
  if (!is_strobe(address)) write_io(address, static_cast<std::uint8_t>(read_io(address) & ~mask));
}

std::uint8_t Exact::load_byte(std::uint16_t address) {
  if (address < kRegisters) return data[address];
  if (address <= space_.io_last()) return read_io(address);
  const DataSpace::Page& page = space_.page(address);
  if (page.memory != nullptr && (page.external || address <= space_.ram_last())) return page.memory[address & 0xFF];
  if (page.device != nullptr) {
    synchronise();
    const std::uint8_t value = page.device->read(space_.bus_address(address));
    end_access();
    return value;
  }
  fault(FaultKind::wild_load, address, 0);
  return 0;
}

void Exact::store_byte(std::uint16_t address, std::uint8_t value) {
  const DataSpace::Page& page = space_.page(address);
  if (address < kRegisters) {
    data[address] = value;
  } else if (address <= space_.io_last()) {
    write_io(address, value);
  } else if (page.memory != nullptr && (page.external || address <= space_.ram_last())) {
    page.memory[address & 0xFF] = value;
  } else if (page.device != nullptr) {
    synchronise();
    page.device->write(space_.bus_address(address), value);
    end_access();
  } else {
    fault(FaultKind::wild_store, address, value);
  }
}

std::uint8_t Exact::load(std::uint16_t address) {
  const std::uint8_t value = load_byte(address);
  left -= DataSpace::byte_cycles(space_.page(address));
  return value;
}

void Exact::store(std::uint16_t address, std::uint8_t value) {
  store_byte(address, value);
  left -= DataSpace::byte_cycles(space_.page(address));
}

// Reported once: after a verdict to go on, the stack may grow as far as it likes.
bool Exact::grows_into_data(std::uint16_t sp) {
  if (sp >= stack_floor_) return false;
  const Verdict verdict = fault(FaultKind::stack_overflow, sp, 0);
  set_stack_floor(0);
  return verdict == Verdict::halt;
}

void Exact::push(std::uint16_t sp, std::uint8_t value) {
  if (!grows_into_data(sp)) store(sp, value);
}

void Exact::push_pc(std::uint16_t sp, std::uint32_t return_pc) {
  if (grows_into_data(static_cast<std::uint16_t>(sp - avr_.address_size + 1))) return;
  for (unsigned byte = 0; byte < avr_.address_size; ++byte) {
    store_byte(static_cast<std::uint16_t>(sp - byte), static_cast<std::uint8_t>(return_pc >> 8 * byte));
  }
  left -= DataSpace::program_counter_cycles(space_.page(sp));
}

std::uint32_t Exact::pop_pc(std::uint16_t sp) {
  std::uint32_t target = 0;
  for (unsigned byte = 1; byte <= avr_.address_size; ++byte) {
    target = target << 8 | load_byte(static_cast<std::uint16_t>(sp + byte));
  }
  left -= DataSpace::program_counter_cycles(space_.page(static_cast<std::uint16_t>(sp + 1)));
  return target;
}

std::uint8_t Exact::read_flash(std::uint32_t address) {
  if (address < flash_size) {
    synchronise();
    const FlashReader reader = flash_reader_;  // which may be replaced meanwhile
    return reader(address);
  }
  fault(FaultKind::flash_read_outside, address, 0);
  return 0xFF;
}

void Exact::illegal(std::uint16_t opcode) {
  fault(pc < closed_words_ ? FaultKind::closed_flash : FaultKind::illegal_opcode, 2 * pc, opcode);
  halt_ = Halt::crashed;
  end_now();
}

void Exact::outside_flash(std::uint32_t target) {
  fault(FaultKind::jump_outside_flash, 2 * target, 0);
  halt_ = Halt::crashed;
  end_now();
}

Verdict Exact::fault(FaultKind kind, std::uint32_t address, std::uint16_t value) {
  if (halt_ == Halt::crashed) return Verdict::halt;
  Verdict verdict = Verdict::halt;
  synchronise();
  if (options_.faults != nullptr) {
    verdict = options_.faults->on_fault({kind, 2 * pc, address, value, Cycles{now()}});
  }
  fault_pc_ = 2 * pc;
  if (verdict == Verdict::halt) {
    halt_ = Halt::crashed;
    end_now();
  }
  return verdict;
}

}  // namespace

std::unique_ptr<ExactEngine> make_exact_engine(avr_t& avr, Interrupts& interrupts, const Mcu& mcu,
                                               const ExactOptions& options) {
  return std::make_unique<Exact>(avr, interrupts, mcu, options);
}

}  // namespace avrlan::cpu
