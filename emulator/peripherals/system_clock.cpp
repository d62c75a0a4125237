#include "emulator/peripherals/system_clock.hpp"

namespace avrlan::peripherals {

namespace {

constexpr std::uint8_t CLKPCE = 0x80;
constexpr std::uint8_t CLKPS = 0x0f;
constexpr unsigned largest_clkps = 8;  // division by 256; the values above are reserved
constexpr std::uint8_t XDIVEN = 0x80;

// The middle of the range, for want of a chip that was calibrated.
constexpr std::uint8_t calibration = 0x80;

}  // namespace

SystemClock::SystemClock(const McuContext& mcu, const Part& part, const Fuses& fuses)
    : mcu_(mcu), part_(part), ckdiv8_(part.ckdiv8.programmed(fuses)), clkpce_(mcu, {part.clkpr, CLKPCE}) {
  if (part.clkpr != 0) on_store<&SystemClock::store_clkpr>(mcu.avr, part.clkpr, *this);
  if (part.xdiv != 0) on_store<&SystemClock::store_xdiv>(mcu.avr, part.xdiv, *this);
}

void SystemClock::reset() {
  mcu_.data(part_.osccal) = calibration;
  if (part_.clkpr != 0) {
    clkpce_.close();
    mcu_.data(part_.clkpr) = ckdiv8_ ? 3 : 0;
  }
  mcu_.events.set_divider(ckdiv8_ ? 8 : 1, mcu_.cycle());
}

// "The CLKPCE bit is only updated when the other bits in CLKPR are simultaneously written to zero."
void SystemClock::store_clkpr(std::uint16_t address, std::uint8_t value) {
  if (value == CLKPCE) return clkpce_.open();
  if ((value & CLKPCE) != 0 || !clkpce_.is_open(mcu_.store_done())) return;
  clkpce_.close();
  const unsigned clkps = value & CLKPS;
  if (clkps > largest_clkps) return;
  mcu_.data(address) = static_cast<std::uint8_t>(clkps);
  mcu_.sync();
  mcu_.events.set_divider(std::int64_t{1} << clkps, mcu_.store_done());
}

// "The value of these bits can only be written when XDIVEN is zero."
void SystemClock::store_xdiv(std::uint16_t address, std::uint8_t value) {
  const std::uint8_t old = mcu_.data(address);
  const bool divided = (old & XDIVEN) != 0;
  const bool divides = (value & XDIVEN) != 0;
  if (divided && divides) return;
  const auto d = static_cast<std::uint8_t>((divided ? old : value) & ~XDIVEN);
  mcu_.data(address) = static_cast<std::uint8_t>(d | (value & XDIVEN));
  if (divided == divides) return;
  mcu_.sync();
  mcu_.events.set_divider(divides ? 129 - d : 1, mcu_.store_done());
}

}  // namespace avrlan::peripherals
