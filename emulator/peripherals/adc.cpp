#include "emulator/peripherals/adc.hpp"

#include <simavr/avr_adc.h>

#include <algorithm>
#include <string_view>

#include "emulator/peripherals/simavr_modules.hpp"

namespace avrlan::peripherals {

namespace {

// ADCSRA
constexpr std::uint8_t ADEN = 0x80;
constexpr std::uint8_t ADSC = 0x40;
constexpr std::uint8_t ADATE = 0x20;  // ADFR on the ATmega8 and 128
constexpr std::uint8_t ADIF = 0x10;
constexpr std::uint8_t ADIE = 0x08;
constexpr std::uint8_t ADPS = 0x07;
// ADMUX
constexpr std::uint8_t ADLAR = 0x20;

constexpr std::uint16_t SFIOR = 0x50;
constexpr std::int64_t twenty_five_degrees =
    314'000;  // microvolts: table "Temperature vs. Sensor Output Voltage (Typical Case)"

bool is_older_differential(const McuContext& mcu) {
  return mcu.mcu.name == "atmega16" || mcu.mcu.name == "atmega32";
}

}  // namespace

Adc::Adc(const McuContext& mcu, const Part& part, const AnalogInputs& inputs)
    : Adc(mcu, part, inputs, *simavr_modules<avr_adc_t>(mcu.avr, "adc").at(0)) {}

Adc::Adc(const McuContext& mcu, const Part& part, const AnalogInputs& inputs, avr_adc_t& module)
    : mcu_(mcu),
      inputs_(inputs),
      adcsra_(module.r_adcsra),
      admux_(module.r_admux),
      adcl_(module.r_adcl),
      adch_(module.r_adch),
      mux5_(register_bit(module.mux[5])),
      adts_register_(is_older_differential(mcu) ? SFIOR : module.r_adcsrb),
      adts_shift_(is_older_differential(mcu) ? 5 : 0),
      mux_mask_(is_older_differential(mcu) || module.mux[4].reg != 0 ? 0x1f : 0x0f),
      channels_(channels_of(module, is_older_differential(mcu))),
      references_{module.ref_values[0], module.ref_values[1], module.ref_values[2], module.ref_values[3]},
      bandgap_(part.bandgap.microvolts),
      vector_(module.adc.vector),
      event_(
          mcu, [this](Cycles due) { step(due); }, ClockDomain::adc) {
  module.io.reset = nullptr;
  avr_t& avr = mcu.avr;
  on_store<&Adc::store_adcsra>(avr, adcsra_, *this);
  on_store<&Adc::store_admux>(avr, admux_, *this);
  if (module.r_adcsrb != 0) on_store<&Adc::store_admux>(avr, module.r_adcsrb, *this);
  on_load<&Adc::load_adcl>(avr, adcl_, *this);
  on_load<&Adc::load_adch>(avr, adch_, *this);
  mcu.interrupts.connect(vector_, [this] {
    mcu_.set_bits(adcsra_, ADIF, false);
    update_request();
  });
  // "... a conversion starts automatically when this mode is entered."
  mcu.clocks.watch(ClockDomain::io, [this](bool runs, Cycles at) {
    if (!runs && mcu_.clocks.runs(ClockDomain::adc) && enabled() && phase_ == Phase::idle) start(at, false);
  });
}

// simavr's own table, where it is right. Those with five bits of MUX are alike.
std::array<Adc::Channel, 64> Adc::channels_of(const avr_adc_t& module, bool older_differential) {
  std::array<Channel, 64> channels;
  using Kind = Channel::Kind;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const avr_adc_mux_t& mux = module.muxmode[i];
    const auto input = static_cast<std::uint8_t>(mux.src);
    if (mux.kind == ADC_MUX_SINGLE) channels[i] = {Kind::single, input, 0, 1};
    if (mux.kind == ADC_MUX_TEMP) channels[i] = {Kind::temperature, 0, 0, 1};
    if (mux.kind == ADC_MUX_REF && mux.src != 0) channels[i] = {Kind::bandgap, 0, 0, 1};
    if (mux.kind == ADC_MUX_DIFF) {
      channels[i] = {Kind::differential, input, static_cast<std::uint8_t>(mux.diff),
                     static_cast<std::uint8_t>(mux.gain)};
    }
  }
  if (!older_differential) return channels;
  // ATmega16 and 32: table "Input Channel and Gain Selections".
  for (std::uint8_t i = 8; i < 16; ++i) {
    const auto negative = static_cast<std::uint8_t>(i < 12 ? 0 : 2);
    channels[i] = {Kind::differential, static_cast<std::uint8_t>(negative + (i & 1)), negative,
                   static_cast<std::uint8_t>((i & 2) != 0 ? 200 : 10)};
  }
  for (std::uint8_t i = 16; i < 30; ++i) {
    channels[i] = {Kind::differential, static_cast<std::uint8_t>(i & 7), static_cast<std::uint8_t>(i < 24 ? 1 : 2), 1};
  }
  channels[30] = {Kind::bandgap, 0, 0, 1};
  channels[31] = {};
  return channels;
}

void Adc::reset() {
  stop();
  result_ = 0;
  locked_ = false;
  update_request();
}

bool Adc::enabled() const {
  return (adcsra() & ADEN) != 0;
}

unsigned Adc::mux() const {
  return (mcu_.data(admux_) & mux_mask_) | (mcu_.is_set(mux5_) ? 0x20u : 0u);
}

unsigned Adc::channel() const {
  return (mcu_.data(admux_) & 7u) | (mcu_.is_set(mux5_) ? 8u : 0u);
}

std::int64_t Adc::divider() const {
  return std::int64_t{1} << std::max(1, adcsra() & ADPS);
}

bool Adc::auto_triggered() const {
  return (adcsra() & ADATE) != 0;
}

bool Adc::free_running() const {
  return auto_triggered() && (adts_register_ == 0 || (mcu_.data(adts_register_) >> adts_shift_ & 7) == 0);
}

void Adc::store_adcsra(std::uint16_t, std::uint8_t value) {
  const bool was_enabled = enabled();
  const auto kept = static_cast<std::uint8_t>(adcsra() & (ADSC | (ADIF & ~value)));
  adcsra() = static_cast<std::uint8_t>((value & (ADEN | ADATE | ADIE | ADPS)) | kept);
  if (!enabled()) {
    stop();
  } else {
    if (!was_enabled) {
      first_ = true;
      enabled_at_ = mcu_.store_done();
    }
    if ((value & ADSC) != 0 && phase_ == Phase::idle) start(mcu_.store_done(), false);
  }
  update_request();
  if (changed_) changed_();
}

void Adc::store_admux(std::uint16_t address, std::uint8_t value) {
  mcu_.data(address) = value;
  show();
  if (changed_) changed_();
}

void Adc::trigger(AdcTrigger source) {
  if (!enabled() || !auto_triggered() || adts_register_ == 0 || phase_ != Phase::idle) return;
  if ((mcu_.data(adts_register_) >> adts_shift_ & 7) != static_cast<unsigned>(source)) return;
  start(mcu_.clock.first_at(mcu_.scheduler.now()), true);
}

// ADSC reads as one while a conversion is under way.
void Adc::start(Cycles when, bool triggered) {
  adcsra() |= ADSC;
  phase_ = Phase::waiting;
  triggered_ = triggered && !first_;
  if (triggered) return begin(when);
  const std::int64_t since = (when - enabled_at_).count;
  event_.at(enabled_at_ + Cycles{(since + divider() - 1) / divider() * divider()});
}

void Adc::begin(Cycles when) {
  begun_ = when;
  clock_ = divider();
  selected_ = channels_[mux()];
  refs_ = mcu_.data(admux_) >> 6;
  phase_ = Phase::sampling;
  const std::int64_t half_clocks = first_ ? 27 : triggered_ ? 4 : 3;
  event_.at(when + Cycles{half_clocks * clock_ / 2});
}

void Adc::step(Cycles due) {
  switch (phase_) {
    case Phase::idle:
      return;
    case Phase::waiting:
      return begin(due);
    case Phase::sampling: {
      held_ = convert(mcu_.clock.at(due));
      phase_ = Phase::converting;
      const std::int64_t half_clocks = first_ ? 50 : triggered_ ? 27 : 26;
      const std::int64_t sampled = first_ ? 27 : triggered_ ? 4 : 3;
      return event_.at(due + Cycles{(half_clocks - sampled) * clock_ / 2});
    }
    case Phase::converting:
      return complete(due);
  }
}

// "Once ADCL is read, ADC access to data registers is blocked ... neither register is updated and the result from the
// conversion is lost."
void Adc::complete(Cycles when) {
  phase_ = Phase::idle;
  first_ = false;
  if (!locked_) result_ = held_;
  show();
  adcsra() = static_cast<std::uint8_t>((adcsra() & ~ADSC) | ADIF);
  if (free_running()) {
    adcsra() |= ADSC;
    triggered_ = false;
    begin(when);
  }
  update_request();
}

void Adc::stop() {
  event_.cancel();
  phase_ = Phase::idle;
  mcu_.set_bits(adcsra_, ADSC, false);
}

// In microvolts.
std::int64_t Adc::reference(Instant when) const {
  const std::int32_t value = references_[refs_];
  if (value == ADC_VREF_AREF) return microvolts(AnalogPin::aref().index, when);
  if (value == ADC_VREF_AVCC || value == ADC_VREF_VCC) return microvolts(AnalogPin::avcc().index, when);
  return value * std::int64_t{1000};
}

std::int64_t Adc::microvolts(std::uint8_t pin, Instant when) const {
  return inputs_.at({pin}, when).microvolts;
}

std::uint16_t Adc::convert(Instant when) const {
  const std::int64_t vref = std::max<std::int64_t>(reference(when), 1);
  const auto floor = [](std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); };
  const auto single = [&](std::int64_t volts) {
    return static_cast<std::uint16_t>(std::clamp<std::int64_t>(floor(1024 * volts, vref), 0, 1023));
  };
  switch (selected_.kind) {
    case Channel::Kind::none:
      return 0;
    case Channel::Kind::single:
      return single(microvolts(selected_.positive, when));
    case Channel::Kind::bandgap:
      return single(bandgap_);
    case Channel::Kind::temperature:
      return single(twenty_five_degrees);
    case Channel::Kind::differential:
      break;
  }
  const std::int64_t difference = microvolts(selected_.positive, when) - microvolts(selected_.negative, when);
  const std::int64_t value = std::clamp<std::int64_t>(floor(512 * selected_.gain * difference, vref), -512, 511);
  return static_cast<std::uint16_t>(value & 0x3ff);
}

// ADLAR takes effect at once.
void Adc::show() {
  const unsigned value = (mcu_.data(admux_) & ADLAR) != 0 ? result_ << 6 : result_;
  mcu_.data(adcl_) = static_cast<std::uint8_t>(value);
  mcu_.data(adch_) = static_cast<std::uint8_t>(value >> 8);
}

std::uint8_t Adc::load_adcl(std::uint16_t address) {
  locked_ = true;
  return mcu_.data(address);
}

std::uint8_t Adc::load_adch(std::uint16_t address) {
  locked_ = false;
  return mcu_.data(address);
}

void Adc::update_request() {
  mcu_.interrupts.request(vector_, (adcsra() & (ADIF | ADIE)) == (ADIF | ADIE));
}

}  // namespace avrlan::peripherals
