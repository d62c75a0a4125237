#include "emulator/peripherals/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace avrlan::peripherals {

namespace {

// TCCRnB
constexpr std::uint8_t ICNC = 0x80;
constexpr std::uint8_t ICES = 0x40;
constexpr std::uint8_t CS = 0x07;
constexpr unsigned external_falling = 6;
constexpr unsigned external_rising = 7;

// "... a delay of 2.5 to 3.5 system clock cycles from an edge at the pin to the counter's update": 0.5 to 1.5 of them are the
// synchroniser, the same as PINxn's.
constexpr Cycles edge_detection{2};
// "The noise canceler ... four successive equal valued samples": four cycles more.
constexpr Cycles noise_cancelling{4};

// Two positive edges of TOSC1 take a store into the timer.
constexpr std::int64_t latch_edges = 2;

constexpr std::uint8_t not_divided = 0xff;

// CSn2:0 as a power of two.
std::uint8_t divider(unsigned cs, bool own_prescaler) {
  static constexpr std::array<std::uint8_t, 8> shared = {not_divided, 0, 3, 6, 8, 10, not_divided, not_divided};
  static constexpr std::array<std::uint8_t, 8> own = {not_divided, 0, 3, 5, 6, 7, 8, 10};
  return own_prescaler ? own[cs] : shared[cs];
}

}  // namespace

Timer::Timer(const McuContext& mcu, Gpio& gpio, TimerClock& clock, const TimerLayout& layout)
    : mcu_(mcu),
      gpio_(gpio),
      clock_(clock),
      layout_(layout),
      counter_(layout.wide ? 0xffff : 0xff, static_cast<unsigned>(layout.channels.size())) {
  std::vector<std::uint16_t> registers = {layout_.tccra, layout_.tccrb, layout_.tcnt};
  for (const auto& channel : layout_.channels) {
    registers.push_back(channel.ocr);
    if (channel.force.address != 0) registers.push_back(channel.force.address);
    if (layout_.wide) registers.push_back(static_cast<std::uint16_t>(channel.ocr + 1));
  }
  if (layout_.wide) registers.push_back(static_cast<std::uint16_t>(layout_.tcnt + 1));
  if (layout_.icr != 0) registers.insert(registers.end(), {layout_.icr, static_cast<std::uint16_t>(layout_.icr + 1)});
  for (const auto address : registers) {
    on_load<&Timer::load>(mcu.avr, address, *this);
    on_store<&Timer::store>(mcu.avr, address, *this);
  }
  if (layout_.own_prescaler()) {
    on_load<&Timer::load_assr>(mcu.avr, layout_.asynchronous.assr, *this);
    on_store<&Timer::store_assr>(mcu.avr, layout_.asynchronous.assr, *this);
  }
  connect(TimerCounter::TOV, layout_.overflow);
  connect(TimerCounter::ICF, layout_.capture);
  for (unsigned channel = 0; channel < layout_.channels.size(); ++channel)
    connect(TimerCounter::OCF(channel), layout_.channels[channel].compare);
  for (const auto& source : sources_) {
    mcu_.interrupts.connect(source.vector, [this, &source] { acknowledge(source); });
  }
  for (unsigned channel = 0; channel < layout_.channels.size(); ++channel) {
    const auto& pin = layout_.channels[channel].pin;
    if (!pin || !gpio_.has(*pin)) continue;
    std::string name = std::string{"OC"} + layout_.name;
    if (layout_.channels.size() > 1) name += static_cast<char>('A' + channel);
    outputs_.push_back({channel, &gpio_.alternate(*pin, std::move(name))});
    outputs_.back().pin->on_watched([this](bool) {
      settle(mcu_.cycle());
      show_outputs(mcu_.cycle());
      update();
    });
  }
}

void Timer::connect(TimerCounter::Events event, const InterruptSource& source) {
  if (source.vector == 0) return;
  sources_.push_back({event, source.vector, source.flag, source.enable, &mcu_.data(source.flag.address),
                      &mcu_.data(source.enable.address)});
}

void Timer::reset() {
  mcu_.cancel(capture_);
  counter_ = TimerCounter(layout_.wide ? 0xffff : 0xff, static_cast<unsigned>(layout_.channels.size()));
  counted_ = outputs_changed_ = clock_.count(mcu_.cycle());
  divided_ = false;
  control_a_ = control_b_ = temp_ = 0;
  delayed_.clear();
  stale_count_.reset();
  show_outputs(mcu_.cycle());
  update();
}

// --- Counting

std::int64_t Timer::ticks_to(Cycles at) const {
  const std::int64_t count = clock_.count(at);
  if (!ticking() || count <= counted_) return 0;
  return clock_.ticks(count, shift_) - clock_.ticks(counted_, shift_);
}

void Timer::settle(Cycles at) {
  const std::int64_t count = clock_.count(at);
  while (!delayed_.empty() && delayed_.front().latched <= count) {
    const Delayed store = delayed_.front();
    delayed_.pop_front();
    count_to(store.latched);
    mcu_.set_bits(layout_.asynchronous.assr, busy_bit(store.address), false);
    write(store.address, store.value);
  }
  count_to(count);
}

void Timer::count_to(std::int64_t count) {
  if (count <= counted_) return;
  if (ticking()) tick(clock_.ticks(count, shift_) - clock_.ticks(counted_, shift_), count);
  counted_ = count;
}

void Timer::tick(std::int64_t ticks, std::int64_t count) {
  if (ticks <= 0) return;
  const std::uint8_t before = counter_.outputs();
  raise(counter_.advance(ticks));
  if (counter_.outputs() == before) return;
  outputs_before_ = before;
  outputs_changed_ = count;
}

void Timer::raise(TimerCounter::Events events) {
  if (events == 0) return;
  for (const auto& source : sources_) {
    if ((events & source.event) != 0) *source.tifr |= source.flag.mask;
  }
}

void Timer::catch_up(Cycles at) {
  for (Cycles cycle = mcu_.cycle(); cycle <= at; cycle += Cycles{1}) {
    settle(cycle);
    show_outputs(cycle);
  }
}

std::uint16_t Timer::count_at(Cycles at) {
  settle(mcu_.cycle());
  if (stale_count_ && clock_.count(at) < stale_until_) return *stale_count_;
  TimerCounter ahead = counter_;
  ahead.advance(ticks_to(at));
  return ahead.count();
}

std::uint8_t Timer::flags_ahead(std::uint16_t tifr, Cycles at) const {
  TimerCounter ahead = counter_;
  const TimerCounter::Events events = ahead.advance(ticks_to(at));
  std::uint8_t flags = 0;
  for (const auto& source : sources_) {
    if (source.flag.address == tifr && (events & source.event) != 0) flags |= source.flag.mask;
  }
  return flags;
}

bool Timer::has_flags_in(std::uint16_t tifr) const {
  return flag_mask(tifr) != 0;
}

std::uint8_t Timer::flag_mask(std::uint16_t tifr) const {
  std::uint8_t mask = 0;
  for (const auto& source : sources_) {
    if (source.flag.address == tifr) mask |= source.flag.mask;
  }
  return mask;
}

std::uint8_t Timer::enable_mask(std::uint16_t timsk) const {
  std::uint8_t mask = 0;
  for (const auto& source : sources_) {
    if (source.enable.address == timsk) mask |= source.enable.mask;
  }
  return mask;
}

void Timer::show() {
  const std::uint16_t count = count_at(mcu_.cycle());
  mcu_.data(layout_.tcnt) = static_cast<std::uint8_t>(count);
  if (layout_.wide) mcu_.data(static_cast<std::uint16_t>(layout_.tcnt + 1)) = static_cast<std::uint8_t>(count >> 8);
}

// --- Interrupts, pins, and what to wake up for

TimerCounter::Events Timer::awaited() const {
  TimerCounter::Events events = 0;
  for (const auto& source : sources_) {
    if (source.enabled() && !source.raised()) events |= source.event;
  }
  return events;
}

std::uint8_t Timer::awaited_outputs() const {
  std::uint8_t channels = 0;
  for (const auto& output : outputs_) {
    if (output.attached == Attached::telling) channels = static_cast<std::uint8_t>(channels | 1U << output.channel);
  }
  return channels;
}

void Timer::update() {
  for (const auto& source : sources_) {
    mcu_.interrupts.request(source.vector, source.raised() && source.enabled());
  }
  schedule();
}

void Timer::schedule() {
  mcu_.cancel(event_);
  mcu_.scheduler.cancel(crystal_event_);
  Cycles next = Cycles::never();
  if (ticking()) {
    const auto events = awaited();
    const auto outputs = awaited_outputs();
    const auto ticks = (events | outputs) != 0 ? counter_.ticks_until(events, outputs) : std::nullopt;
    if (ticks) next = clock_.cycle_of(clock_.count_of(clock_.ticks(counted_, shift_) + *ticks, shift_));
  }
  if (!delayed_.empty() && !clock_.stands()) next = std::min(next, clock_.cycle_of(delayed_.front().latched));
  if (next == Cycles::never()) return;
  if (clock_.counts_crystal()) {
    // At its own time, whatever the MCU's clock does until then.
    crystal_event_ = mcu_.scheduler.at(mcu_.clock.at(next), [this] { due(mcu_.clock.first_at(mcu_.scheduler.now())); });
  } else {
    event_ = mcu_.at(next, [this, next] { due(next); });
  }
}

void Timer::due(Cycles at) {
  event_ = {};
  crystal_event_ = {};
  settle(at);
  show_outputs(at);
  update();
}

void Timer::show_outputs(Cycles at) {
  for (auto& output : outputs_) attach(output, at);
}

void Timer::attach(Output& output, Cycles at) {
  auto wanted = Attached::no;
  if (counter_.connected(output.channel)) wanted = output.pin->watched() ? Attached::telling : Attached::on_demand;
  const bool high = counter_.output(output.channel);
  if (wanted == output.attached && (wanted != Attached::telling || high == output.shown)) return;
  output.attached = wanted;
  output.shown = high;
  if (wanted == Attached::no) {
    output.pin->release(at);
  } else if (wanted == Attached::telling) {
    output.pin->value(high, at);
  } else {
    output.pin->value_on_demand([this, channel = output.channel](Cycles when) { return output_at(channel, when); }, at);
  }
}

// As far back as the last change.
bool Timer::output_at(unsigned channel, Cycles at) const {
  const std::int64_t count = clock_.count(at);
  if (count <= counted_) {
    const std::uint8_t outputs = count < outputs_changed_ ? outputs_before_ : counter_.outputs();
    return (outputs >> channel & 1) != 0;
  }
  TimerCounter ahead = counter_;
  ahead.advance(ticks_to(at));
  return ahead.output(channel);
}

// The flag is cleared as the response begins: what is set in its four or five cycles stays.
void Timer::acknowledge(const Source& source) {
  settle(mcu_.response_started());
  mcu_.set_bits(source.flag.address, source.flag.mask, false);
  update();
}

// --- Registers

std::uint8_t Timer::writable(std::uint16_t address) const {
  if (layout_.wide) {
    if (address == layout_.tccrb) return 0xdf;
    return layout_.channels.size() == 3 ? 0xff : 0xf3;
  }
  switch (layout_.mode_bits) {
    case ModeBits::none:
      return CS;
    case ModeBits::one_register:
      return 0x7f;
    case ModeBits::two_registers:
      break;
  }
  return address == layout_.tccra ? 0xf3 : 0x0f;
}

std::uint8_t Timer::load(std::uint16_t address) {
  if (!powered()) return 0;
  if (address == layout_.tcnt || (address == layout_.icr && layout_.icr != 0)) {
    settle(mcu_.cycle());
    const std::uint16_t value = address == layout_.icr ? counter_.icr() : count_at(mcu_.load_sampled());
    temp_ = static_cast<std::uint8_t>(value >> 8);
    return static_cast<std::uint8_t>(value);
  }
  const bool high_byte = layout_.wide && (address == layout_.tcnt + 1 || address == layout_.icr + 1);
  return high_byte ? temp_ : mcu_.data(address);
}

// True when the store completes a register: the low byte of a 16-bit one takes TEMP with it.
bool Timer::store_16bit(std::uint16_t address, std::uint8_t value, std::uint16_t& whole) {
  if (!layout_.wide) {
    whole = value;
    return true;
  }
  const auto is_high_of = [&](std::uint16_t low) { return low != 0 && address == low + 1; };
  const bool high_byte = is_high_of(layout_.tcnt) || is_high_of(layout_.icr) ||
                         std::any_of(layout_.channels.begin(), layout_.channels.end(),
                                     [&](const TimerChannel& channel) { return is_high_of(channel.ocr); });
  if (high_byte) {
    temp_ = value;
    return false;
  }
  whole = static_cast<std::uint16_t>(temp_ << 8 | value);
  return true;
}

void Timer::store(std::uint16_t address, std::uint8_t value) {
  if (!powered()) return;
  mcu_.sync();
  const Cycles at = mcu_.store_done();
  catch_up(at);
  if (address == layout_.tccra || address == layout_.tccrb) {
    mcu_.data(address) = value & writable(address);
    asynchronous() ? write_delayed(address, value, at) : write(address, value);
    force(address, value);
  } else if (std::any_of(layout_.channels.begin(), layout_.channels.end(),
                         [&](const TimerChannel& channel) { return channel.force.address == address; })) {
    force(address, value);
  } else if (std::uint16_t whole = 0; store_16bit(address, value, whole)) {
    asynchronous() ? write_delayed(address, whole, at) : write(address, whole);
  }
  show_outputs(at);
  update();
}

void Timer::write(std::uint16_t address, std::uint16_t value) {
  if (address == layout_.tccra || address == layout_.tccrb) {
    if (address == layout_.tccra) control_a_ = static_cast<std::uint8_t>(value & writable(address));
    if (address == layout_.tccrb) control_b_ = static_cast<std::uint8_t>(value & writable(address));
    write_control();
    return;
  }
  if (address == layout_.tcnt) {
    counter_.write_count(value);
    return;
  }
  if (address == layout_.icr && layout_.icr != 0) {
    // "The ICRn register can only be written when using a waveform generation mode that utilizes it for the TOP value."
    if (counter_.mode().top_source == TopSource::icr) counter_.set_icr(value);
    return;
  }
  for (unsigned channel = 0; channel < layout_.channels.size(); ++channel) {
    if (layout_.channels[channel].ocr != address) continue;
    counter_.write_compare(channel, value);
    mcu_.data(address) = static_cast<std::uint8_t>(value);
    if (layout_.wide) mcu_.data(static_cast<std::uint16_t>(address + 1)) = static_cast<std::uint8_t>(value >> 8);
  }
}

void Timer::write_control() {
  watch_input_pins();
  const std::uint8_t power = divider(control_b_ & CS, layout_.own_prescaler());
  divided_ = power != not_divided;
  if (divided_) shift_ = power;
  unsigned output_shift = 6;
  switch (layout_.mode_bits) {
    case ModeBits::none:
      break;
    case ModeBits::one_register:  // FOC WGM0 COM1 COM0 WGM1 CS2 CS1 CS0
      counter_.set_mode(timer_mode_8bit((control_a_ >> 6 & 1U) | (control_a_ >> 2 & 2U)));
      output_shift = 4;
      break;
    case ModeBits::two_registers:
      if (layout_.wide) {
        counter_.set_mode(timer_mode_16bit((control_a_ & 3U) | (control_b_ >> 1 & 0xcU)));
      } else {
        counter_.set_mode(timer_mode_8bit((control_a_ & 3U) | (control_b_ >> 1 & 4U)));
      }
      break;
  }
  for (unsigned channel = 0; channel < layout_.channels.size(); ++channel) {
    counter_.set_output_mode(channel, control_a_ >> (output_shift - 2 * channel) & 3);
  }
}

// In the PWM modes FOCnx has no effect.
void Timer::force(std::uint16_t address, std::uint8_t value) {
  for (unsigned channel = 0; channel < layout_.channels.size(); ++channel) {
    const RegisterBit bit = layout_.channels[channel].force;
    if (bit.address == address && (value & bit.mask) != 0) counter_.force(channel);
  }
}

// --- The asynchronous timer

std::uint8_t Timer::busy_bit(std::uint16_t address) const {
  const AsynchronousTimer& bits = layout_.asynchronous;
  if (address == layout_.tcnt) return bits.tcnt_busy;
  if (address == layout_.tccra) return bits.tccra_busy;
  if (address == layout_.tccrb) return bits.tccrb_busy;
  return address == layout_.channels[0].ocr ? bits.ocr_busy[0] : bits.ocr_busy[1];
}

void Timer::write_delayed(std::uint16_t address, std::uint16_t value, Cycles at) {
  const auto pending =
      std::find_if(delayed_.begin(), delayed_.end(), [&](const Delayed& store) { return store.address == address; });
  if (pending != delayed_.end()) {
    delayed_.erase(pending);
    if (mcu_.diagnostics != nullptr) {
      mcu_.diagnostics->report({Severity::warning, "timer-busy",
                                fmt::format("Timer {} runs from its crystal and is written while ASSR says that this "
                                            "register is busy, which may corrupt it; wait for the flag to clear.",
                                            layout_.name)});
    }
  }
  delayed_.push_back({address, value, clock_.count(at) + latch_edges});
  mcu_.set_bits(layout_.asynchronous.assr, busy_bit(address), true);
  // OCRnx reads as the temporary register.
  if (address != layout_.tcnt && address != layout_.tccra && address != layout_.tccrb)
    mcu_.data(address) = static_cast<std::uint8_t>(value);
}

std::uint8_t Timer::load_assr(std::uint16_t address) {
  if (!powered()) return 0;
  settle(mcu_.cycle());
  update();
  return mcu_.data(address);
}

void Timer::store_assr(std::uint16_t address, std::uint8_t value) {
  if (!powered()) return;
  const Cycles at = mcu_.store_done();
  catch_up(at);
  const std::uint8_t as = layout_.asynchronous.as;
  const auto writable_bits = static_cast<std::uint8_t>(as | (as == 0x20 ? 0x40 : 0));  // EXCLK
  std::uint8_t& assr = mcu_.data(address);
  assr = static_cast<std::uint8_t>((assr & ~writable_bits) | (value & writable_bits));
  if (clock_.counts_crystal() != ((value & as) != 0)) {
    for (const auto& store : delayed_) write(store.address, store.value);
    delayed_.clear();
    assr &= writable_bits;
    clock_.select_crystal((value & as) != 0, at);
    counted_ = outputs_changed_ = clock_.count(at);
    stale_count_.reset();
  }
  update();
}

void Timer::io_clock_stops(Cycles at) {
  settle(at);
  if (asynchronous()) stale_count_ = counter_.count();
}

void Timer::io_clock_goes_on(Cycles at) {
  if (stale_count_) stale_until_ = clock_.count(at) + 1;
}

// --- Tn and ICPn

// At the first store to TCCRnA or TCCRnB: until then the pins' other users need not tell each change.
void Timer::watch_input_pins() {
  if (watches_inputs_) return;
  watches_inputs_ = true;
  if (layout_.clock_pin && gpio_.has(*layout_.clock_pin))
    gpio_.watch(*layout_.clock_pin, [this](bool high) { clock_pin_changed(high); });
  if (!layout_.capture_pin || !gpio_.has(*layout_.capture_pin)) return;
  capture_level_ = gpio_.level(*layout_.capture_pin);
  gpio_.watch(*layout_.capture_pin, [this](bool high) { capture_pin_changed(high); });
}

void Timer::clock_pin_changed(bool high) {
  if (external_edge() != (high ? external_rising : external_falling) || !sampling()) return;
  const Cycles at = gpio_.visible_from() + edge_detection;
  mcu_.at(at, [this, at] {
    if (external_edge() < external_falling || !powered()) return;
    settle(at);
    tick(1, counted_);
    show_outputs(at);
    update();
  });
}

void Timer::capture_pin_changed(bool high) {
  if (!sampling()) return;
  Cycles at = gpio_.visible_from() + edge_detection;
  if ((control_b_ & ICNC) != 0) {
    mcu_.cancel(capture_);
    if (high == capture_level_) return;
    at += noise_cancelling;
  }
  capture_ = mcu_.at(at, [this, at, high] { capture(at, high); });
}

void Timer::capture(Cycles at, bool high) {
  capture_level_ = high;
  const bool rising = (control_b_ & ICES) != 0;
  if (!powered() || high != rising || counter_.mode().top_source == TopSource::icr) return;
  settle(at - Cycles{1});
  counter_.set_icr(counter_.count());
  settle(at);
  raise(TimerCounter::ICF);
  update();
}

}  // namespace avrlan::peripherals
