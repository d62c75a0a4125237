#include "emulator/peripherals/spi.hpp"

#include <simavr/avr_spi.h>

#include <algorithm>
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

constexpr int byte_halves = 16;

// MOSI, MISO and SCK lie beside SS in one of two orders: datasheets, "Alternate Functions of Port B".
Pin beside(Pin ss, int distance, int distance_at_pb0) {
  return {ss.port, static_cast<std::uint8_t>(ss.bit + (ss.bit == 0 ? distance_at_pb0 : distance))};
}

}  // namespace

Spi::Spi(const McuContext& mcu, Gpio& gpio)
    : mcu_(mcu),
      gpio_(gpio),
      ss_{mcu.mcu.spi_ss_port, mcu.mcu.spi_ss_bit},
      mosi_(beside(ss_, 1, 2)),
      miso_(beside(ss_, 2, 3)),
      sck_(beside(ss_, 3, 1)),
      ss_pin_(gpio.alternate(ss_, "SS")),
      mosi_pin_(gpio.alternate(mosi_, "MOSI")),
      miso_pin_(gpio.alternate(miso_, "MISO")),
      sck_pin_(gpio.alternate(sck_, "SCK")),
      target_(mcu, gpio) {
  auto& module = *simavr_modules<avr_spi_t>(mcu.avr, "spi").at(0);
  module.io.reset = nullptr;
  spcr_ = module.r_spcr;
  spsr_ = module.r_spsr;
  spdr_ = module.r_spdr;
  power_reduction_ = register_bit(module.disabled);
  vector_ = module.spi.vector;
  sent_ = module.io.irq + SPI_IRQ_OUTPUT;

  on_store<&Spi::store_spcr>(mcu.avr, spcr_, *this);
  on_load<&Spi::load_spsr>(mcu.avr, spsr_, *this);
  on_store<&Spi::store_spsr>(mcu.avr, spsr_, *this);
  on_load<&Spi::load_spdr>(mcu.avr, spdr_, *this);
  on_store<&Spi::store_spdr>(mcu.avr, spdr_, *this);
  mcu.interrupts.connect(vector_, [this] {
    spsr() = static_cast<std::uint8_t>(spsr() & ~SPIF);
    update_request();
  });
  for (auto* pin : {&mosi_pin_, &sck_pin_}) pin->on_watched([this](bool) { watchers_changed(); });
  mcu.clocks.watch(ClockDomain::io, [this](bool runs, Cycles at) { io_clock(runs, at); });
}

void Spi::reset() {
  abort();
  received_ = 0;
  shift_ = 0;
  flags_seen_ = 0;
  slave_bits_ = 0;
  completed_ = Cycles{-1};
  override_pins(mcu_.cycle());
  update_request();
}

bool Spi::master() const {
  return (spcr() & (SPE | MSTR)) == (SPE | MSTR) && !mcu_.is_set(power_reduction_);
}

bool Spi::slave() const {
  return (spcr() & (SPE | MSTR)) == SPE && !mcu_.is_set(power_reduction_);
}

std::uint8_t Spi::load_spsr(std::uint16_t) {
  catch_up(mcu_.load_sampled());
  flags_seen_ = spsr() & (SPIF | WCOL);
  return spsr();
}

std::uint8_t Spi::load_spdr(std::uint16_t) {
  catch_up(mcu_.load_sampled());
  clear_flags_seen();
  return received_;
}

void Spi::store_spcr(std::uint16_t, std::uint8_t value) {
  mcu_.sync();
  const Cycles now = mcu_.store_done();
  catch_up(now);
  spcr() = value;
  if ((value & SPE) != 0) watch_pins();
  if (!master()) abort();
  if (!slave()) slave_bits_ = 0;
  override_pins(now);
  schedule();
  check_mode_fault();
  update_request();
}

void Spi::store_spsr(std::uint16_t, std::uint8_t value) {
  catch_up(mcu_.store_done());
  spsr() = static_cast<std::uint8_t>((spsr() & ~SPI2X) | (value & SPI2X));
  schedule();
}

void Spi::store_spdr(std::uint16_t, std::uint8_t value) {
  mcu_.sync();
  const Cycles now = mcu_.store_done();
  catch_up(now - Cycles{1});
  clear_flags_seen();
  if (transferring_ || (slave() && slave_bits_ > 0)) {
    spsr() |= WCOL;
    return;
  }
  if (now != completed_ + Cycles{1}) {
    shift_ = value;
  } else if (mcu_.diagnostics != nullptr) {
    mcu_.diagnostics->report({Severity::warning, "spi-early-store",
                              "SPDR is stored in the cycle in which SPIF is set: silicon clocks a byte, but not this "
                              "one; store at least a cycle later (at fosc/2, 18 cycles after the store before)."});
  }
  if (master()) start(now);
  if (slave()) show_miso(now);
}

// "... by first reading SPSR with SPIF (or WCOL) set, then accessing SPDR."
void Spi::clear_flags_seen() {
  spsr() = static_cast<std::uint8_t>(spsr() & ~std::exchange(flags_seen_, std::uint8_t{0}));
  update_request();
}

std::int64_t Spi::half_period() const {
  static constexpr std::array<std::int64_t, 4> halves = {2, 8, 32, 64};
  const std::int64_t half = halves[spcr() & SPR];
  return (spsr() & SPI2X) != 0 ? half / 2 : half;
}

void Spi::start(Cycles now) {
  last_mosi_ = mosi_level(now);
  transferring_ = true;
  halves_ = 0;
  half_began_ = now;
  format_ = spcr() & (DORD | CPOL | CPHA);
  sent_byte_ = shift_;
  sampled_ = 0xff;
  target_.byte_begins();
  show_pins(now);
  schedule();
}

void Spi::catch_up(Cycles now) {
  while (transferring_) {
    const Cycles half{half_period()};
    const std::int64_t halves = std::min<std::int64_t>((now - half_began_).count / half.count, byte_halves - halves_);
    halves_ += static_cast<int>(halves);
    half_began_ += Cycles{halves * half.count};
    if (halves_ < byte_halves) return;
    complete(half_began_);
  }
}

// One event a byte, or sixteen: while somebody watches SCK or MOSI, or something other than the device drives MISO.
void Spi::schedule() {
  mcu_.cancel(transfer_);
  if (!transferring_ || !io_runs_) return;
  const int halves = edge_by_edge() ? 1 : byte_halves - halves_;
  const Cycles when = half_began_ + Cycles{halves * half_period()};
  transfer_ = mcu_.at(when, [this, when] {
    transfer_ = {};
    catch_up(when);
    if (transferring_) sample_miso();
    show_pins(when);
    schedule();
  });
}

bool Spi::shown() const {
  return sck_pin_.watched() || mosi_pin_.watched();
}

bool Spi::edge_by_edge() const {
  return shown() || (!target_.selected() && !gpio_.is_floating(miso_));
}

// The master samples at the leading edges, the odd ones, or with CPHA at the trailing ones.
void Spi::sample_miso() {
  const bool leading = (halves_ & 1) != 0;
  if (leading == ((format_ & CPHA) != 0)) return;
  const bool high = gpio_.is_floating(miso_) || gpio_.level(miso_);
  sampled_ = static_cast<std::uint8_t>(sampled_ << 1 | (high ? 1 : 0));
}

void Spi::complete(Cycles now) {
  if ((format_ & CPHA) != 0 && edge_by_edge()) sample_miso();
  transferring_ = false;
  completed_ = now;
  mcu_.scheduler.set_now(mcu_.clock.at(now));
  const bool lsb_first = (format_ & DORD) != 0;
  const std::uint8_t mosi = lsb_first ? reversed_bits(sent_byte_) : sent_byte_;
  const std::uint8_t miso = target_.exchange(mosi, (format_ & (CPOL | CPHA)) == 0).value_or(sampled_);
  received_ = shift_ = lsb_first ? reversed_bits(miso) : miso;
  set_spif();
  avr_raise_irq(sent_, sent_byte_);
}

void Spi::abort() {
  mcu_.cancel(transfer_);
  transferring_ = false;
}

// In the sleep modes without clkIO a byte stands still, and goes on with the clock.
void Spi::io_clock(bool runs, Cycles at) {
  if (runs) {
    half_began_ += at - stopped_;
  } else {
    catch_up(at);
    stopped_ = at;
  }
  io_runs_ = runs;
  schedule();
}

void Spi::set_spif() {
  spsr() |= SPIF;
  update_request();
}

// "If SS is configured as an input and is driven low while MSTR is set, MSTR will be cleared, and SPIF in SPSR will
// become set."
void Spi::check_mode_fault() {
  if ((spcr() & (SPE | MSTR)) != (SPE | MSTR) || gpio_.is_output(ss_) || gpio_.level(ss_)) return;
  // What a floating SS does on silicon is chance; most firmware that forgets it gets away with it.
  if (gpio_.is_floating(ss_)) return;
  abort();
  spcr() = static_cast<std::uint8_t>(spcr() & ~MSTR);
  override_pins(mcu_.cycle());
  set_spif();
}

// SS in both roles, SCK of a slave.
void Spi::watch_pins() {
  if (std::exchange(watches_pins_, true)) return;
  gpio_.watch_direction(ss_, [this](bool high) { ss_changed(high); });
  gpio_.watch_port(sck_.port, [this](std::uint8_t changed) {
    if ((changed >> sck_.bit & 1) != 0 && slave()) slave_clocked(gpio_.level(sck_));
  });
}

// Table "SPI Pin Overrides".
void Spi::override_pins(Cycles now) {
  const auto overridden = [](bool on) { return on ? std::optional{false} : std::nullopt; };
  ss_pin_.direction(overridden(slave()), now);
  mosi_pin_.direction(overridden(slave()), now);
  sck_pin_.direction(overridden(slave()), now);
  if (master()) {
    miso_pin_.value(std::nullopt, now);
    miso_pin_.direction(false, now);
    if (shown()) {
      show_pins(now);
    } else {
      mosi_pin_.value_on_demand([this](Cycles cycle) { return mosi_level(cycle); }, now);
      sck_pin_.value_on_demand([this](Cycles cycle) { return sck_level(cycle); }, now);
    }
    return;
  }
  mosi_pin_.value(std::nullopt, now);
  sck_pin_.value(std::nullopt, now);
  if (slave()) {
    show_miso(now);
  } else {
    miso_pin_.release(now);
  }
}

void Spi::watchers_changed() {
  const Cycles now = mcu_.cycle();
  catch_up(now);
  override_pins(now);
  schedule();
}

// Tells whoever watches.
void Spi::show_pins(Cycles now) {
  if (!master() || !shown()) return;
  mosi_pin_.value(mosi_level(now), now);
  sck_pin_.value(sck_level(now), now);
}

int Spi::halves(Cycles at) const {
  if (!transferring_) return byte_halves;
  if (!io_runs_) at = std::min(at, stopped_);
  const std::int64_t since = halves_ + (at - half_began_).count / half_period();
  return static_cast<int>(std::clamp<std::int64_t>(since, 0, byte_halves));
}

bool Spi::sck_level(Cycles at) const {
  const bool idle = ((transferring_ ? format_ : spcr()) & CPOL) != 0;
  return ((halves(at) & 1) != 0) != idle;
}

// A bit lasts from one trailing edge to the next or, with CPHA, from one leading edge to the next.
bool Spi::mosi_level(Cycles at) const {
  const int edges = halves(at);
  if ((format_ & CPHA) != 0 && edges == 0) return last_mosi_;
  const int bit = std::min(((format_ & CPHA) != 0 ? edges - 1 : edges) / 2, 7);
  return (sent_byte_ >> ((format_ & DORD) != 0 ? bit : 7 - bit) & 1) != 0;
}

// "When the SS pin is driven high, the SPI slave will immediately reset the send and receive logic, and drop any partially
// received data in the Shift Register."
void Spi::ss_changed(bool high) {
  check_mode_fault();
  if (high) slave_bits_ = 0;
  if (slave()) show_miso(mcu_.clock.first_at(gpio_.changed_at()));
}

void Spi::slave_clocked(bool sck_high) {
  if (!io_runs_ || gpio_.level(ss_)) return;
  const Cycles now = mcu_.clock.first_at(gpio_.changed_at());
  const bool leading = sck_high != ((spcr() & CPOL) != 0);
  const bool sampling = leading != ((spcr() & CPHA) != 0);
  if (sampling) {
    slave_sample();
  } else {
    show_miso(now);
  }
}

void Spi::slave_sample() {
  const unsigned bit = gpio_.level(mosi_) ? 1 : 0;
  shift_ = static_cast<std::uint8_t>((spcr() & DORD) != 0 ? shift_ >> 1 | bit << 7 : shift_ << 1 | bit);
  if (++slave_bits_ < 8) return;
  slave_bits_ = 0;
  received_ = shift_;
  set_spif();
}

// "When SS is held low, the SPI is activated, and MISO becomes an output if configured so by the user."
void Spi::show_miso(Cycles now) {
  const bool selected = !gpio_.level(ss_);
  miso_pin_.direction(selected ? std::nullopt : std::optional{false}, now);
  miso_pin_.value((shift_ & ((spcr() & DORD) != 0 ? 0x01 : 0x80)) != 0, now);
}

void Spi::update_request() {
  mcu_.interrupts.request(vector_, (spcr() & SPIE) != 0 && (spsr() & SPIF) != 0);
}

}  // namespace avrlan::peripherals
