#include "emulator/peripherals/spi_master.hpp"

#include <simavr/avr_spi.h>

#include <array>
#include <utility>

#include "emulator/peripherals/simavr_modules.hpp"

namespace avrlan::peripherals {

namespace {

// SPCR
constexpr std::uint8_t SPIE = 0x80;
constexpr std::uint8_t SPE = 0x40;
constexpr std::uint8_t DORD = 0x20;
constexpr std::uint8_t MSTR = 0x10;
constexpr std::uint8_t CPOL = 0x08;
constexpr std::uint8_t CPHA = 0x04;
constexpr std::uint8_t SPR = 0x03;
// SPSR
constexpr std::uint8_t SPIF = 0x80;
constexpr std::uint8_t WCOL = 0x40;
constexpr std::uint8_t SPI2X = 0x01;

std::uint8_t reversed(std::uint8_t value) {
  std::uint8_t result = 0;
  for (int bit = 0; bit < 8; ++bit) result = static_cast<std::uint8_t>(result << 1 | (value >> bit & 1));
  return result;
}

}  // namespace

SpiMaster::SpiMaster(const McuContext& mcu, Gpio& gpio)
    : mcu_(mcu), gpio_(gpio), ss_{mcu.mcu.spi_ss_port, mcu.mcu.spi_ss_bit} {
  auto& module = *simavr_modules<avr_spi_t>(mcu.avr, "spi").at(0);
  module.io.reset = nullptr;
  spcr_ = module.r_spcr;
  spsr_ = module.r_spsr;
  spdr_ = module.r_spdr;
  power_reduction_ = register_bit(module.disabled);
  vector_ = module.spi.vector;
  sent_ = module.io.irq + SPI_IRQ_OUTPUT;

  on_store<&SpiMaster::store_spcr>(mcu.avr, spcr_, *this);
  on_load<&SpiMaster::load_spsr>(mcu.avr, spsr_, *this);
  on_store<&SpiMaster::store_spsr>(mcu.avr, spsr_, *this);
  on_load<&SpiMaster::load_spdr>(mcu.avr, spdr_, *this);
  on_store<&SpiMaster::store_spdr>(mcu.avr, spdr_, *this);
  mcu.interrupts.connect(vector_, [this] {
    spsr() = static_cast<std::uint8_t>(spsr() & ~SPIF);
    update_request();
  });
  gpio.watch_direction(ss_, [this](bool) { check_mode_fault(); });
}

void SpiMaster::attach(SpiDevice& device, Pin select) {
  device_ = &device;
  gpio_.watch(select, [this](bool high) { selected(high); });
  selected(gpio_.level(select));
}

void SpiMaster::reset() {
  abort();
  received_ = 0;
  flags_seen_ = 0;
  update_request();
}

void SpiMaster::selected(bool select_high) {
  if (select_high == !selected_) return;
  selected_ = !select_high;
  undisturbed_ = false;
  selected_ ? device_->select() : device_->deselect();
}

std::uint8_t SpiMaster::load_spsr(std::uint16_t) {
  flags_seen_ = spsr() & (SPIF | WCOL);
  return spsr();
}

std::uint8_t SpiMaster::load_spdr(std::uint16_t) {
  clear_flags_seen();
  return received_;
}

void SpiMaster::store_spcr(std::uint16_t, std::uint8_t value) {
  mcu_.sync();
  spcr() = value;
  if ((value & SPE) == 0) abort();
  check_mode_fault();
  update_request();
}

void SpiMaster::store_spsr(std::uint16_t, std::uint8_t value) {
  spsr() = static_cast<std::uint8_t>((spsr() & ~SPI2X) | (value & SPI2X));
}

void SpiMaster::store_spdr(std::uint16_t, std::uint8_t value) {
  mcu_.sync();
  clear_flags_seen();
  if (transferring()) {
    spsr() |= WCOL;
  } else if ((spcr() & (SPE | MSTR)) == (SPE | MSTR) && !mcu_.is_set(power_reduction_)) {
    start(value);
  }
}

// "... by first reading SPSR with SPIF (or WCOL) set, then accessing SPDR."
void SpiMaster::clear_flags_seen() {
  spsr() = static_cast<std::uint8_t>(spsr() & ~std::exchange(flags_seen_, std::uint8_t{0}));
  update_request();
}

std::int64_t SpiMaster::divider() const {
  static constexpr std::array<std::int64_t, 4> dividers = {4, 16, 64, 128};
  const std::int64_t divider = dividers[spcr() & SPR];
  return (spsr() & SPI2X) != 0 ? divider / 2 : divider;
}

void SpiMaster::start(std::uint8_t value) {
  shift_ = value;
  undisturbed_ = true;
  transfer_.at(mcu_.store_done() + Cycles{8 * divider()});
}

void SpiMaster::complete() {
  const bool lsb_first = (spcr() & DORD) != 0;
  const std::uint8_t mosi = lsb_first ? reversed(shift_) : shift_;
  // Nobody drives MISO: the pull-up does.
  std::uint8_t miso = 0xff;
  if (selected_ && undisturbed_) miso = clock_byte(mosi);
  received_ = lsb_first ? reversed(miso) : miso;
  last_mosi_ = mosi;
  spsr() |= SPIF;
  update_request();
  avr_raise_irq(sent_, shift_);
}

std::uint8_t SpiMaster::clock_byte(std::uint8_t mosi) {
  if ((spcr() & (CPOL | CPHA)) == 0) return device_->exchange(mosi);
  if (mcu_.diagnostics != nullptr) {
    mcu_.diagnostics->report({Severity::warning, "spi-mode",
                              "The SPI clocks a byte in a mode other than 0 while the Ethernet chip is selected, which "
                              "shifts every byte by a bit; clear CPOL and CPHA in SPCR."});
  }
  const std::uint8_t miso = device_->exchange(static_cast<std::uint8_t>((last_mosi_ & 1) << 7 | mosi >> 1));
  return static_cast<std::uint8_t>(miso << 1 | 1);
}

void SpiMaster::abort() {
  transfer_.cancel();
}

// "If SS is configured as an input and is driven low while MSTR is set, MSTR will be cleared, and SPIF in SPSR will
// become set."
void SpiMaster::check_mode_fault() {
  if ((spcr() & (SPE | MSTR)) != (SPE | MSTR) || gpio_.is_output(ss_) || gpio_.level(ss_)) return;
  // What a floating SS does on silicon is chance; most firmware that forgets it gets away with it.
  if (gpio_.is_floating(ss_)) return;
  abort();
  spcr() = static_cast<std::uint8_t>(spcr() & ~MSTR);
  spsr() |= SPIF;
  update_request();
}

void SpiMaster::update_request() {
  mcu_.interrupts.request(vector_, (spcr() & SPIE) != 0 && (spsr() & SPIF) != 0);
}

}  // namespace avrlan::peripherals
