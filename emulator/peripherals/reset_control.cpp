#include "emulator/peripherals/reset_control.hpp"

#include <simavr/sim_avr.h>

#include <utility>

namespace avrlan::peripherals {

namespace {

constexpr std::uint16_t MCUSR = 0x54;
constexpr std::uint8_t causes = 0x1f;  // JTRF, WDRF, BORF, EXTRF, PORF
constexpr std::uint8_t IVSEL = 0x02;
constexpr std::uint8_t IVCE = 0x01;

// Called by the engine in place of avr_t::run.
void reset_mcu(avr_t* avr) {
  avr->run = avr_callback_run_raw;
  avr_reset(avr);
}

}  // namespace

ResetControl::ResetControl(const McuContext& mcu, const Part& part, const Fuses& fuses)
    : mcu_(mcu),
      part_(part),
      source_(clock_source(part, fuses)),
      boot_section_(boot_section_start(part, fuses, mcu.avr.flashend + 1) / 2),
      mcusr_target_(mcu.avr, MCUSR),
      ivsel_target_(mcu.avr, part.ivsel != 0 ? part.ivsel : MCUSR),
      ivce_(mcu, {part.ivsel, IVCE}, [this] { mcu_.interrupts.hold(false); }) {
  on_store<&ResetControl::store_mcusr>(mcu.avr, MCUSR, *this);
  if (part.ivsel != 0) on_store<&ResetControl::store_ivsel>(mcu.avr, part.ivsel, *this);
  mcu.avr.reset_pc = part.bootrst.programmed(fuses) ? 2 * boot_section_ : 0;
}

void ResetControl::request(ResetCause cause) {
  cause_ = cause;
  requested_ = mcu_.clock.first_at(mcu_.scheduler.now());
  mcu_.avr.run = reset_mcu;
}

void ResetControl::reset() {
  const ResetCause cause = std::exchange(cause_, ResetCause::power_on);
  causes_ = static_cast<std::uint8_t>((cause == ResetCause::power_on ? 0 : causes_) | static_cast<std::uint8_t>(cause));
  mcu_.data(MCUSR) = causes_;
  if (part_.ivsel != 0) ivce_.close();
  mcu_.interrupts.hold(false);
  mcu_.interrupts.set_table(0);
  mcu_.avr.pc = mcu_.avr.reset_pc;
  if (cause == ResetCause::power_on) return;
  constexpr std::int64_t delay_cycles = 14;
  const Cycles start = requested_ + Cycles{source_.start_up_cycles + delay_cycles};
  mcu_.avr.cycle =
      static_cast<avr_cycle_count_t>(mcu_.clock.first_at(mcu_.clock.at(start) + source_.reset_delay).count);
}

// A cause is cleared by writing a zero to it; the other bits of MCUCSR are not ours.
void ResetControl::store_mcusr(std::uint16_t address, std::uint8_t value) {
  causes_ = static_cast<std::uint8_t>(causes_ & value);
  mcusr_target_.store(address, static_cast<std::uint8_t>((value & ~causes) | causes_));
}

void ResetControl::store_ivsel(std::uint16_t address, std::uint8_t value) {
  const auto others = static_cast<std::uint8_t>(value & ~(IVSEL | IVCE));
  const auto now = static_cast<std::uint8_t>(mcu_.data(address) & (IVSEL | IVCE));
  ivsel_target_.store(address, static_cast<std::uint8_t>(others | now));
  if ((value & IVCE) != 0) {
    ivce_.open();
    mcu_.interrupts.hold(true);
  } else if (ivce_.is_open(mcu_.store_done())) {
    ivce_.close();
    mcu_.set_bits(address, IVSEL, (value & IVSEL) != 0);
    mcu_.interrupts.set_table((value & IVSEL) != 0 ? boot_section_ : 0);
    // One instruction follows, and takes a cycle at least.
    mcu_.at(mcu_.store_done() + Cycles{1}, [this] { mcu_.interrupts.hold(false); });
  }
}

}  // namespace avrlan::peripherals
