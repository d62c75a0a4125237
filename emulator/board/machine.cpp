#include "emulator/board/machine.hpp"

#include <fmt/format.h>
#include <simavr/avr_flash.h>
#include <simavr/avr_uart.h>
#include <simavr/avr_watchdog.h>
#include <simavr/sim_avr.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <deque>

#include "emulator/board/call_chain.hpp"
#include "emulator/board/mcu_clock.hpp"
#include "emulator/board/pin_trace.hpp"
#include "emulator/board/simavr_chip.hpp"
#include "emulator/cpu/data_space.hpp"
#include "emulator/cpu/exact_engine.hpp"
#include "emulator/cpu/fault.hpp"
#include "emulator/cpu/interrupts.hpp"
#include "emulator/cpu/mcu.hpp"
#include "emulator/cpu/simavr_vectors.hpp"
#include "emulator/peripherals/adc.hpp"
#include "emulator/peripherals/analog_comparator.hpp"
#include "emulator/peripherals/analog_inputs.hpp"
#include "emulator/peripherals/eeprom.hpp"
#include "emulator/peripherals/external_interrupts.hpp"
#include "emulator/peripherals/flash_memory.hpp"
#include "emulator/peripherals/gpio.hpp"
#include "emulator/peripherals/part.hpp"
#include "emulator/peripherals/port_bus.hpp"
#include "emulator/peripherals/reset_control.hpp"
#include "emulator/peripherals/simavr_modules.hpp"
#include "emulator/peripherals/spi.hpp"
#include "emulator/peripherals/system_clock.hpp"
#include "emulator/peripherals/timers.hpp"
#include "emulator/peripherals/usart.hpp"
#include "emulator/peripherals/watchdog.hpp"
#include "nic-model/rtl8019as/rtl8019as.hpp"

namespace avrlan {

namespace {

constexpr std::uint16_t r24 = 24;
constexpr std::uint16_t sreg = 0x5f;

const cpu::Mcu& supported_mcu(const std::string& name) {
  if (const cpu::Mcu* mcu = cpu::find_mcu(name)) return *mcu;
  std::string names;
  for (const auto& mcu : cpu::mcus()) names += (names.empty() ? "" : ", ") + std::string{mcu.name};
  throw UsageError(fmt::format("MCU '{}' is not supported", name), fmt::format("supported are {}", names));
}

const cpu::Mcu& mcu_for(const Board& board, const Firmware& firmware, const MachineOptions& options) {
  const cpu::Mcu& mcu = supported_mcu(options.mcu.empty() ? board.mcu : options.mcu);
  if (!firmware.mcu || cpu::find_mcu(*firmware.mcu) == &mcu) return mcu;
  std::string advice = fmt::format("rebuild it with -mmcu={}", mcu.name);
  std::string fitting;
  for (const Board& other : boards()) {
    if (cpu::find_mcu(other.mcu) == cpu::find_mcu(*firmware.mcu) && other.name != board.name)
      fitting += (fitting.empty() ? "" : " or ") + other.name;
  }
  if (!options.mcu.empty() && cpu::find_mcu(board.mcu) == cpu::find_mcu(*firmware.mcu)) {
    advice += ", or leave the board its own MCU";
  } else if (!fitting.empty()) {
    advice += ", or take board " + fitting;
  }
  throw UsageError(fmt::format("{} is built for an {}, but {} has an {}", firmware.path.string(), *firmware.mcu,
                               options.mcu.empty() ? "board " + board.name : "this run", mcu.name),
                   advice);
}

void check_size(const Firmware& firmware, std::string_view memory, std::size_t needs, std::size_t has,
                std::string_view mcu) {
  if (needs <= has) return;
  throw UsageError(
      fmt::format("{} needs {} bytes of {}, but the {} has {}", firmware.path.string(), needs, memory, mcu, has),
      "make the firmware smaller, or pick a board with a larger MCU (`avrlan boards`)");
}

std::vector<std::uint8_t> eeprom_at_power_on(const Firmware& firmware, const std::vector<EepromPatch>& patches,
                                             std::size_t size, std::string_view mcu) {
  std::vector<std::uint8_t> content = firmware.eeprom;
  for (const EepromPatch& patch : patches) {
    const std::size_t end = patch.address + patch.octets.size();
    if (end > size) {
      throw UsageError(fmt::format("octets for 0x{:X} to 0x{:X} of the EEPROM, but the {} has {}", patch.address,
                                   end - 1, mcu, size),
                       "give fewer, or a lower address");
    }
    if (content.size() < end) content.resize(end, 0xFF);
    std::copy(patch.octets.begin(), patch.octets.end(), content.begin() + patch.address);
  }
  return content;
}

void check_analog(const std::vector<AnalogSignal>& signals, const cpu::Mcu& mcu) {
  std::string names = "aref, avcc, ain0, ain1";
  for (unsigned channel = 0; channel < AnalogPin::ain(0).index; ++channel) {
    if ((mcu.adc_pins >> channel & 1) != 0) names += ", " + AnalogPin::adc(channel).name();
  }
  for (auto signal = signals.begin(); signal != signals.end(); ++signal) {
    const AnalogPin pin = signal->pin;
    if (pin.index < AnalogPin::ain(0).index && (mcu.adc_pins >> pin.index & 1) == 0) {
      throw UsageError(fmt::format("--analog {}: the {} has no such pin", pin.name(), mcu.name), "it has " + names);
    }
    if (std::any_of(signals.begin(), signal, [&](const AnalogSignal& before) { return before.pin == pin; })) {
      throw UsageError(fmt::format("--analog {} is given twice", pin.name()),
                       "one voltage for each pin; one that changes is a file: " + pin.name() + "=@FILE");
    }
  }
}

// What BOOTRST starts has to be there.
void check_boot_section(const Firmware& firmware, const peripherals::Part& part, const peripherals::Fuses& fuses,
                        std::size_t flash_size) {
  if (!part.bootrst.programmed(fuses)) return;
  const std::size_t start = peripherals::boot_section_start(part, fuses, static_cast<std::uint32_t>(flash_size));
  const auto& flash = firmware.flash;
  if (std::any_of(flash.begin() + static_cast<std::ptrdiff_t>(std::min(start, flash.size())), flash.end(),
                  [](std::uint8_t byte) { return byte != 0xff; })) {
    return;
  }
  throw UsageError(fmt::format("the fuses of {} start the boot loader at {:#x} (BOOTRST), where it has no code",
                               firmware.path.string(), start),
                   "leave BOOTRST out of its FUSES, or link the boot loader with it");
}

// The firmware's own, or what the board has.
peripherals::Fuses fuses_of(const Firmware& firmware, const peripherals::Part& part) {
  peripherals::Fuses fuses = part.board_fuses;
  std::copy_n(firmware.fuses.begin(), std::min(firmware.fuses.size(), fuses.size()), fuses.begin());
  if (part.m103c.programmed(fuses)) {
    throw UsageError(fmt::format("the fuses of {} ask for the ATmega103 compatibility mode, which is not modelled",
                                 firmware.path.string()),
                     "leave FUSE_M103C out of its FUSES");
  }
  return fuses;
}

// An internal oscillator's frequency is its own.
std::int64_t source_hz(const Board& board, const MachineOptions& options, const peripherals::ClockSource& source) {
  if (options.hz != 0) return options.hz;
  return source.hz != 0 ? source.hz : board.hz;
}

// What the exact engine finds ends the run, after it was told, unless the run is to go on.
class FaultReporter : public cpu::FaultSink {
 public:
  explicit FaultReporter(const MachineOptions& options)
      : diagnostics_(options.diagnostics), goes_on_(options.goes_on) {}
  cpu::Verdict on_fault(const cpu::Fault& fault) override {
    if (diagnostics_ != nullptr) diagnostics_->report(cpu::to_diagnostic(fault));
    return goes_on_ && goes_on_(to_string(fault.kind)) ? cpu::Verdict::resume : cpu::Verdict::halt;
  }

 private:
  DiagnosticSink* diagnostics_;
  std::function<bool(std::string_view)> goes_on_;
};

}  // namespace

std::string_view to_string(EngineKind kind) {
  return kind == EngineKind::exact ? "exact" : "simavr";
}

class Machine::Impl {
 public:
  Impl(const Board& board, const Firmware& firmware, Scheduler& scheduler, const MachineOptions& options);
  ~Impl() { scheduler_.on_earlier(nullptr); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void attach(Nic& nic, SpiDevice& spi);
  void attach(Nic& nic, BusDevice& bus);
  std::optional<MachineEnd> run_until(Instant limit);
  Instant now() const {
    const Instant cycle = clock_.at(context_.cycle());
    return clock_.hz() == 0 ? std::max(cycle, scheduler_.now()) : cycle;
  }
  std::optional<Origin> origin() const {
    if (behind_) return behind_;
    return executing_ ? std::optional(context_.origin()) : std::nullopt;
  }
  Instant next_activity() const;
  std::uint8_t peek(std::uint16_t address);
  bool poke(std::uint16_t address, std::uint8_t value);
  void stop() {
    stopped_ = true;
    engine_->shorten(context_.cycle());
  }
  cpu::ExactEngine& exact_engine(std::string_view what);

  const Board board;
  const cpu::Mcu& mcu;
  const std::string mcu_name{mcu.name};

 private:
  friend class Machine;

  // The last module of simavr's list, so that avr_reset() ends with it; and what SPM and WDR reach.
  struct Hook {
    explicit Hook(Impl& owner) : machine(owner) {
      io.kind = "avrlan";
      io.reset = [](avr_io_t* self) { reinterpret_cast<Hook*>(self)->machine.reset_peripherals(); };
      io.ioctl = [](avr_io_t* self, std::uint32_t what, void*) {
        return reinterpret_cast<Hook*>(self)->machine.execute(what) ? 0 : -1;
      };
    }
    avr_io_t io{};
    Impl& machine;
  };

  // The chip as the engine sees it: an access happens in the scheduler's time.
  struct BusChip : BusDevice {
    explicit BusChip(const peripherals::McuContext& context) : mcu(context) {}
    std::uint8_t read(std::uint16_t address) override {
      mcu.sync();
      return chip->read(address);
    }
    void write(std::uint16_t address, std::uint8_t value) override {
      mcu.sync();
      chip->write(address, value);
    }
    std::uint8_t peek(std::uint16_t address) const override { return chip->peek(address); }
    const peripherals::McuContext& mcu;
    BusDevice* chip = nullptr;
  };

  std::vector<std::unique_ptr<peripherals::Usart>> make_usarts();
  peripherals::Usart& usart(std::optional<unsigned> number);
  std::unique_ptr<cpu::Engine> make_engine(std::uint32_t data_end);
  void connect_pins(Nic& nic);
  void connect_eeprom(Rtl8019as& chip);
  void reset_peripherals();
  bool execute(std::uint32_t instruction);
  bool sends_rest() const;
  void follow_clkout(std::int64_t hz);
  MachineEnd end();
  void report_crash();

  DiagnosticSink* diagnostics_;
  Scheduler& scheduler_;
  Hook hook_{*this};
  SimavrChip chip_;
  avr_t& avr_ = chip_.avr();
  const avr_run_t run_ = avr_.run;  // replaced while a reset is asked for
  const peripherals::Part part_{peripherals::part(mcu.name, static_cast<std::uint32_t>(chip_.flash_size()))};
  const peripherals::Fuses fuses_;
  McuClock clock_;
  peripherals::CycleEvents events_{scheduler_, clock_};
  peripherals::ClockDomains clocks_;
  std::optional<Origin> behind_;
  cpu::Interrupts interrupts_;
  const peripherals::McuContext context_{avr_,    mcu,         scheduler_,   clock_,  events_,
                                         clocks_, interrupts_, diagnostics_, &behind_};
  peripherals::Gpio gpio_{context_};
  peripherals::ExternalInterrupts external_interrupts_{context_, gpio_};
  peripherals::Spi spi_{context_, gpio_};
  peripherals::Timers timers_{context_, gpio_};
  std::vector<std::unique_ptr<peripherals::Usart>> usarts_ = make_usarts();
  peripherals::Usart& console_;
  peripherals::SystemClock system_clock_{context_, part_, fuses_};
  peripherals::ResetControl resets_{context_, part_, fuses_};
  peripherals::Watchdog watchdog_{context_, part_, fuses_, resets_};
  peripherals::Eeprom eeprom_{context_, part_};
  peripherals::FlashMemory flash_{context_, part_, fuses_, eeprom_};
  peripherals::AnalogInputs analog_inputs_;
  peripherals::Adc adc_{context_, part_, analog_inputs_};
  peripherals::AnalogComparator comparator_{context_, part_, analog_inputs_, adc_};
  // Takes the vectors that those above have left.
  cpu::SimavrVectors vectors_{avr_, interrupts_};
  FaultReporter faults_;
  const EngineKind engine_kind_;
  std::unique_ptr<cpu::Engine> engine_;
  BusChip bus_chip_{context_};
  std::optional<peripherals::PortBus> port_bus_;
  std::unique_ptr<PinTrace> trace_;
  bool executing_ = false;
  bool stopped_ = false;
  cpu::Halt halt_ = cpu::Halt::none;
  std::optional<MachineEnd> end_;
};

Machine::Impl::Impl(const Board& on, const Firmware& firmware, Scheduler& scheduler, const MachineOptions& options)
    : board(on),
      mcu(mcu_for(on, firmware, options)),
      diagnostics_(options.diagnostics),
      scheduler_(scheduler),
      chip_(mcu),
      fuses_(fuses_of(firmware, part_)),
      clock_(source_hz(on, options, peripherals::clock_source(part_, fuses_)), scheduler.now()),
      console_(usart(options.uart)),
      analog_inputs_(scheduler, options.analog),
      faults_(options),
      engine_kind_(options.engine) {
  if (board.nic_clock && options.hz != 0) {
    throw UsageError(fmt::format("board {} runs from its chip's CLKOUT, which no option sets", board.name),
                     "leave out --freq");
  }
  check_size(firmware, "flash", firmware.flash.size(), chip_.flash_size(), mcu.name);
  check_size(firmware, "EEPROM", firmware.eeprom.size(), chip_.eeprom_size(), mcu.name);
  const std::vector<std::uint8_t> eeprom = eeprom_at_power_on(firmware, options.eeprom, chip_.eeprom_size(), mcu.name);
  check_boot_section(firmware, part_, fuses_, chip_.flash_size());
  check_analog(options.analog, mcu);
  chip_.load_flash(firmware.flash);
  chip_.load_eeprom(eeprom);
  console_.set_host_baud(options.uart_baud);
  avr_.frequency = static_cast<std::uint32_t>(clock_.hz());
  engine_ = make_engine(firmware.data_end);
  if (board.external_ram != 0) {
    exact_engine("given external memory").data_space().add_ram(0, static_cast<std::uint16_t>(board.external_ram - 1));
  }
  flash_.connect(*engine_);

  avr_io_t** last = &avr_.io_port;
  while (*last != nullptr) last = &(*last)->next;
  *last = &hook_.io;
  events_.on_change([this] { engine_->shorten(context_.cycle()); });
  reset_peripherals();
  scheduler_.on_earlier([this](Instant when) { engine_->shorten(clock_.first_at(when)); });
}

std::vector<std::unique_ptr<peripherals::Usart>> Machine::Impl::make_usarts() {
  auto modules = peripherals::simavr_modules<avr_uart_t>(avr_, "uart");
  std::sort(modules.begin(), modules.end(), [](auto* a, auto* b) { return a->name < b->name; });
  std::vector<std::unique_ptr<peripherals::Usart>> usarts;
  for (auto* module : modules) usarts.push_back(std::make_unique<peripherals::Usart>(context_, gpio_, *module));
  return usarts;
}

peripherals::Usart& Machine::Impl::usart(std::optional<unsigned> number) {
  if (!number) return *usarts_.front();
  std::string numbers;
  for (const auto& usart : usarts_) {
    if (usart->number() == *number) return *usart;
    numbers += fmt::format("{}USART{}", numbers.empty() ? "" : ", ", usart->number());
  }
  throw UsageError(fmt::format("the {} has no USART{}", mcu.name, *number), fmt::format("it has {}", numbers));
}

// Made when the flash is loaded: the exact engine decodes it at once. The stack may grow down to `data_end`, unless that is
// in external RAM and the stack below it.
std::unique_ptr<cpu::Engine> Machine::Impl::make_engine(std::uint32_t data_end) {
  cpu::SleepOptions sleep;
  sleep.listener = &clocks_;
  sleep.start_up_cycles = peripherals::clock_source(part_, fuses_).start_up_cycles;
  if (engine_kind_ == EngineKind::simavr) return cpu::make_simavr_engine(avr_, interrupts_, mcu, sleep);
  cpu::ExactOptions options;
  options.sleep = sleep;
  options.faults = &faults_;
  const bool data_is_external = board.external_ram != 0 && data_end > avr_.ramend;
  options.stack_floor =
      static_cast<std::uint16_t>(data_is_external ? 0 : std::min<std::uint32_t>(data_end, avr_.ramend));
  return cpu::make_exact_engine(avr_, interrupts_, mcu, options);
}

void Machine::Impl::reset_peripherals() {
  gpio_.reset();
  external_interrupts_.reset();
  spi_.reset();
  timers_.reset();
  for (auto& usart : usarts_) usart->reset();
  system_clock_.reset();
  resets_.reset();
  watchdog_.reset();
  eeprom_.reset();
  flash_.reset();
  adc_.reset();
  comparator_.reset();
  vectors_.reset();
}

// What simavr's cores, and ours, ask the modules of an avr_t for.
bool Machine::Impl::execute(std::uint32_t instruction) {
  switch (instruction) {
    case AVR_IOCTL_WATCHDOG_RESET:
      watchdog_.restart();
      return true;
    case AVR_IOCTL_FLASH_SPM:
      flash_.store_program();
      return true;
    default:
      return false;
  }
}

void Machine::Impl::attach(Nic& nic, SpiDevice& spi) {
  const Pin select = board.nic_select.value();
  gpio_.pull_up(select);
  if (board.nic_usart) {
    usart(*board.nic_usart).attach(spi, select);
  } else {
    spi_.attach(spi, select);
  }
  connect_pins(nic);
}

void Machine::Impl::attach(Nic& nic, BusDevice& bus) {
  if (board.nic_ports) {
    port_bus_.emplace(context_, gpio_, *board.nic_ports, bus);
  } else {
    bus_chip_.chip = &bus;
    const BusRange range = board.nic_range.value();
    exact_engine("given an external bus").data_space().add_device(range.first, range.last, bus_chip_);
  }
  connect_pins(nic);
  if (auto* const chip = dynamic_cast<Rtl8019as*>(&nic); chip != nullptr && board.nic_eesk && board.nic_eedo)
    connect_eeprom(*chip);
}

// The chip's EEPROM pins; EEDO has a pull-up at the chip.
void Machine::Impl::connect_eeprom(Rtl8019as& chip) {
  const Pin eesk = *board.nic_eesk, eedo = *board.nic_eedo;
  const auto connected = [this] { return !board.nic_eemu || gpio_.level(*board.nic_eemu); };
  const auto show_eesk = [this, &chip, eesk, connected] {
    if (connected()) {
      gpio_.drive(eesk, chip.eesk());
    } else {
      gpio_.release(eesk);
    }
  };
  const auto take_eedo = [this, &chip, eedo, connected] { chip.set_eedo(!connected() || gpio_.level(eedo)); };
  gpio_.pull_up(eedo);
  chip.on_eesk([show_eesk](bool) { show_eesk(); });
  gpio_.watch(eedo, [take_eedo](bool) { take_eedo(); });
  if (board.nic_eemu) {
    gpio_.watch(*board.nic_eemu, [show_eesk, take_eedo](bool) {
      show_eesk();
      take_eedo();
    });
  }
  show_eesk();
  take_eedo();
}

void Machine::Impl::connect_pins(Nic& nic) {
  if (board.nic_int) {
    gpio_.drive(*board.nic_int, nic.int_pin() != board.nic_int_inverted);
    nic.on_int_pin([this](bool high) { gpio_.drive(*board.nic_int, high != board.nic_int_inverted); });
  }
  if (board.nic_clock) {
    events_.set_hz(nic.clkout_hz(), context_.cycle());
    nic.on_clkout([this](std::int64_t hz) { follow_clkout(hz); });
  }
  if (board.nic_reset) {
    if (!board.nic_reset_high) gpio_.pull_up(*board.nic_reset);
    gpio_.watch(*board.nic_reset, [this, &nic](bool high) { nic.reset_pin(high == board.nic_reset_high); });
    nic.reset_pin(gpio_.level(*board.nic_reset) == board.nic_reset_high);
  }
}

void Machine::Impl::follow_clkout(std::int64_t hz) {
  if (clock_.hz() == 0) {
    events_.start(hz, scheduler_.now());
    return;
  }
  events_.set_hz(hz, context_.cycle());
  if (hz != 0 || diagnostics_ == nullptr) return;
  diagnostics_->report(
      {Severity::error, "mcu-clock-stopped",
       "the chip has stopped CLKOUT (ECOCON, or power save), from which the MCU runs: nothing but a reset "
       "of the chip brings it back"});
}

std::optional<MachineEnd> Machine::Impl::run_until(Instant limit) {
  stopped_ = false;
  while (!end_) {
    scheduler_.run_until(now());
    if (halt_ != cpu::Halt::none && !sends_rest()) {
      end_ = end();
      break;
    }
    if (stopped_ || now() >= limit) return std::nullopt;
    if (clock_.hz() == 0) {
      scheduler_.run_until(std::min(limit, scheduler_.next()));
      continue;
    }
    const Cycles target = clock_.first_at(std::min(limit, scheduler_.next()));
    if (halt_ == cpu::Halt::none) {
      executing_ = true;
      halt_ = engine_->run_until(target);
      executing_ = false;
      if (engine_kind_ == EngineKind::exact) stopped_ |= static_cast<const cpu::ExactEngine&>(*engine_).stopped();
    } else {
      avr_.cycle = static_cast<avr_cycle_count_t>(target.count);
    }
  }
  return end_;
}

Instant Machine::Impl::next_activity() const {
  if (end_) return Instant::never();
  if (clock_.hz() == 0) return scheduler_.next();
  const bool asleep = avr_.state == cpu_Sleeping && avr_.run == run_ && !interrupts_.any();
  if (!asleep || halt_ != cpu::Halt::none) return now();
  const avr_cycle_timer_slot_p timer = avr_.cycle_timers.timer;
  constexpr avr_cycle_count_t far = avr_cycle_count_t{1} << 40;
  const Instant simavr_timer = timer == nullptr || timer->when > avr_.cycle + far
                                   ? Instant::never()
                                   : clock_.at(Cycles{static_cast<std::int64_t>(timer->when)});
  return std::min(scheduler_.next(), simavr_timer);
}

// The peripherals' clock goes on after the last instruction.
bool Machine::Impl::sends_rest() const {
  return (halt_ == cpu::Halt::jump_to_self || halt_ == cpu::Halt::sleep) && console_.sending();
}

MachineEnd Machine::Impl::end() {
  if (halt_ == cpu::Halt::crashed && engine_kind_ == EngineKind::simavr) report_crash();
  return {halt_, halt_ == cpu::Halt::jump_to_self ? avr_.data[r24] : 0};
}

// simavr's interpreter says in its log what happened: "... Address 1234=56 ...".
void Machine::Impl::report_crash() {
  const std::string& reason = chip_.last_error();
  const auto says = [&](const char* what) { return reason.find(what) != std::string::npos; };
  cpu::Fault fault{cpu::FaultKind::jump_outside_flash, avr_.pc, avr_.pc, 0, context_.cycle()};
  if (flash_.closed(avr_.pc)) {
    fault.kind = cpu::FaultKind::closed_flash;
  } else if (says("Invalid Opcode")) {
    fault.kind = cpu::FaultKind::illegal_opcode;
    fault.value = static_cast<std::uint16_t>(avr_.flash[avr_.pc] | avr_.flash[avr_.pc + 1] << 8);
  } else if (const auto at = reason.find("Address "); at != std::string::npos) {
    fault.kind = says("write address") ? cpu::FaultKind::wild_store : cpu::FaultKind::wild_load;
    unsigned address = 0;
    unsigned value = 0;
    std::sscanf(reason.c_str() + at, "Address %x=%x", &address, &value);
    fault.address = address;
    fault.value = static_cast<std::uint16_t>(value);
  }
  behind_ = context_.origin();
  faults_.on_fault(fault);
  behind_.reset();
}

std::uint8_t Machine::Impl::peek(std::uint16_t address) {
  if (address > avr_.ramend) {
    if (engine_kind_ != EngineKind::exact) return 0xff;
    const cpu::DataSpace& space = exact_engine("looked into").data_space();
    return space.page(address).external ? space.peek(address) : std::uint8_t{0xff};
  }
  if (address <= avr_.ioend) timers_.show();
  if (address != sreg) return avr_.data[address];
  std::uint8_t flags = 0;
  for (unsigned bit = 0; bit < 8; ++bit) flags = static_cast<std::uint8_t>(flags | (avr_.sreg[bit] & 1u) << bit);
  return flags;
}

// A register whose flags are cleared by writing 1 to them takes the write as the CPU's.
bool Machine::Impl::poke(std::uint16_t address, std::uint8_t value) {
  if (address > avr_.ramend)
    return engine_kind_ == EngineKind::exact && exact_engine("written to").data_space().poke(address, value);
  if (address == sreg) {
    for (unsigned bit = 0; bit < 8; ++bit) avr_.sreg[bit] = value >> bit & 1u;
  }
  constexpr unsigned registers = 32;
  if (address >= registers && address <= avr_.ioend && address < registers + MAX_IOs) {
    if (const auto& handler = avr_.io[address - registers].w; handler.c != nullptr) {
      const avr_cycle_count_t now = avr_.cycle;
      handler.c(&avr_, address, value, handler.param);
      avr_.cycle = now;
      return true;
    }
  }
  avr_.data[address] = value;
  return true;
}

cpu::ExactEngine& Machine::Impl::exact_engine(std::string_view what) {
  if (engine_kind_ != EngineKind::exact)
    throw UsageError(fmt::format("simavr's interpreter cannot be {}", what), "leave out --engine simavr");
  return static_cast<cpu::ExactEngine&>(*engine_);
}

Machine::Machine(const Board& board, const Firmware& firmware, Scheduler& scheduler, const MachineOptions& options)
    : impl_(std::make_unique<Impl>(board, firmware, scheduler, options)) {}

Machine::~Machine() = default;

void Machine::attach(Nic& nic, SpiDevice& spi) {
  impl_->attach(nic, spi);
}

void Machine::attach(Nic& nic, BusDevice& bus) {
  impl_->attach(nic, bus);
}

std::vector<unsigned> Machine::usarts() const {
  std::vector<unsigned> numbers;
  for (const auto& usart : impl_->usarts_) numbers.push_back(usart->number());
  return numbers;
}

void Machine::on_uart(std::function<void(std::uint16_t)> frame, std::optional<unsigned> usart) {
  (usart ? impl_->usart(usart) : impl_->console_).on_sent(std::move(frame));
}

void Machine::uart_receive(std::uint16_t frame, std::optional<unsigned> usart) {
  (usart ? impl_->usart(usart) : impl_->console_).receive(frame);
}

peripherals::Gpio& Machine::gpio() {
  return impl_->gpio_;
}

void Machine::trace_pins(const std::filesystem::path& file, const std::vector<Pin>& pins) {
  impl_->trace_ =
      std::make_unique<PinTrace>(file, impl_->mcu_name, impl_->board, pins, impl_->gpio_, impl_->scheduler_);
}

void Machine::flush_trace() {
  if (impl_->trace_) impl_->trace_->flush();
}

std::optional<MachineEnd> Machine::run_until(Instant limit) {
  return impl_->run_until(limit);
}

void Machine::observe(const cpu::Instrument& instrument) {
  impl_->exact_engine("observed").observe(instrument);
}

void Machine::add_breakpoint(std::uint32_t pc) {
  impl_->exact_engine("stopped").add_breakpoint(pc);
}

void Machine::remove_breakpoint(std::uint32_t pc) {
  impl_->exact_engine("stopped").remove_breakpoint(pc);
}

void Machine::stop() {
  impl_->stop();
}

bool Machine::stopped() const {
  return impl_->stopped_;
}

void Machine::set_pc(std::uint32_t pc) {
  impl_->avr_.pc = pc;
}

bool Machine::poke(std::uint16_t data_address, std::uint8_t value) {
  return impl_->poke(data_address, value);
}

void Machine::program_flash(std::uint32_t address, std::span<const std::uint8_t> bytes) {
  impl_->flash_.program(address, bytes);
}

void Machine::program_eeprom(std::uint16_t address, std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t byte : bytes) impl_->eeprom_.program(address++, byte);
}

MemoryMap Machine::memory_map() const {
  const avr_t& avr = impl_->avr_;
  const Board& board = impl_->board;
  const std::uint32_t chip_end = board.nic_range ? board.nic_range->last + 1u : 0;
  return {.flash_words = (avr.flashend + 1) / 2,
          .vector_words = avr.vector_size / 2U,
          .pc_bytes = avr.address_size,
          .ram_first = static_cast<std::uint16_t>(avr.ioend + 1),
          .ram_last = avr.ramend,
          .data_end = std::max({avr.ramend + 1u, std::uint32_t{board.external_ram}, chip_end})};
}

Instant Machine::now() const {
  return impl_->now();
}

Instant Machine::next_activity() const {
  return impl_->next_activity();
}

Cycles Machine::cycle() const {
  return impl_->context_.cycle();
}

std::uint32_t Machine::pc() const {
  return impl_->avr_.pc;
}

std::optional<Origin> Machine::origin() const {
  return impl_->origin();
}

std::vector<std::uint32_t> Machine::call_chain(const Firmware& firmware, const Origin& origin) const {
  const avr_t& avr = impl_->avr_;
  const auto stack_last = std::max<std::uint32_t>(avr.ramend + 1u, impl_->board.external_ram) - 1;
  return avrlan::call_chain(firmware, origin.pc, origin.sp, static_cast<std::uint16_t>(stack_last),
                            avr.address_size == 3, [this](std::uint16_t address) { return peek(address); });
}

std::int64_t Machine::hz() const {
  return impl_->clock_.hz();
}

const std::string& Machine::mcu() const {
  return impl_->mcu_name;
}

McuDescription Machine::description() const {
  return describe(impl_->avr_, impl_->mcu);
}

EngineKind Machine::engine() const {
  return impl_->engine_kind_;
}

cpu::CycleTotals Machine::totals() const {
  return impl_->engine_->totals();
}

std::uint8_t Machine::peek(std::uint16_t data_address) const {
  return impl_->peek(data_address);
}

std::span<const std::uint8_t> Machine::eeprom() const {
  return impl_->eeprom_.contents();
}

std::span<const std::uint8_t> Machine::flash() const {
  return {impl_->avr_.flash, impl_->chip_.flash_size()};
}

std::array<std::uint8_t, 3> Machine::fuses() const {
  return impl_->flash_.fuses();
}

std::uint8_t Machine::lock_bits() const {
  return impl_->flash_.lock_bits();
}

std::array<std::uint8_t, 3> Machine::signature() const {
  const auto& bytes = impl_->avr_.signature;
  return {bytes[0], bytes[1], bytes[2]};
}

void Machine::reset() {
  impl_->resets_.request(peripherals::ResetCause::external);
}

}  // namespace avrlan
