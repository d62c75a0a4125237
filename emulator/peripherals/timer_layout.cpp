#include "emulator/peripherals/timer_layout.hpp"

#include <array>

namespace avrlan::peripherals {

namespace {

using MaybePin = std::optional<Pin>;

MaybePin pin(const char* name) {
  return Pin::parse(name);
}

// The megaAVRs with TIFRn and TIMSKn have all registers of a timer at the same places.

constexpr std::uint16_t tifr(unsigned timer) {
  return static_cast<std::uint16_t>(0x35 + timer);
}
constexpr std::uint16_t timsk(unsigned timer) {
  return static_cast<std::uint16_t>(0x6e + timer);
}

InterruptSource source(unsigned timer, unsigned vector, std::uint8_t bit) {
  return {vector, {tifr(timer), bit}, {timsk(timer), bit}};
}

struct NewTimer {
  unsigned number;
  std::uint16_t base;  // TCCRnA
  RegisterBit power_reduction;
  MaybePin clock_pin;
};

// `vectors`: COMPA, COMPB, OVF.
TimerLayout new_8bit(const NewTimer& is, std::array<unsigned, 3> vectors, std::array<MaybePin, 2> pins) {
  const auto at = [&](unsigned offset) { return static_cast<std::uint16_t>(is.base + offset); };
  TimerLayout timer;
  timer.name = static_cast<char>('0' + is.number);
  timer.tccra = at(0);
  timer.tccrb = at(1);
  timer.tcnt = at(2);
  timer.channels = {{at(3), pins[0], source(is.number, vectors[0], 0x02), {at(1), 0x80}},
                    {at(4), pins[1], source(is.number, vectors[1], 0x04), {at(1), 0x40}}};
  timer.overflow = source(is.number, vectors[2], 0x01);
  timer.clock_pin = is.clock_pin;
  timer.power_reduction = is.power_reduction;
  return timer;
}

TimerLayout new_asynchronous(const NewTimer& is, std::array<unsigned, 3> vectors, std::array<MaybePin, 2> pins) {
  TimerLayout timer = new_8bit(is, vectors, pins);
  timer.asynchronous = {0xb6, 0x20, 0x10, {0x08, 0x04}, 0x02, 0x01};
  return timer;
}

// `vectors`: CAPT, COMPA, COMPB, COMPC (0: the timer has two channels), OVF.
TimerLayout new_16bit(const NewTimer& is, std::array<unsigned, 5> vectors, std::array<MaybePin, 3> pins,
                      MaybePin capture_pin) {
  const auto at = [&](unsigned offset) { return static_cast<std::uint16_t>(is.base + offset); };
  TimerLayout timer;
  timer.name = static_cast<char>('0' + is.number);
  timer.wide = true;
  timer.tccra = at(0);
  timer.tccrb = at(1);
  timer.tcnt = at(4);
  timer.icr = at(6);
  for (unsigned channel = 0; channel < (vectors[3] != 0 ? 3U : 2U); ++channel) {
    timer.channels.push_back({at(8 + 2 * channel),
                              pins[channel],
                              source(is.number, vectors[1 + channel], static_cast<std::uint8_t>(0x02 << channel)),
                              {at(2), static_cast<std::uint8_t>(0x80 >> channel)}});
  }
  timer.overflow = source(is.number, vectors[4], 0x01);
  timer.capture = source(is.number, vectors[0], 0x20);
  timer.clock_pin = is.clock_pin;
  timer.capture_pin = capture_pin;
  timer.power_reduction = is.power_reduction;
  return timer;
}

constexpr std::uint16_t PRR0 = 0x64;
constexpr std::uint16_t PRR1 = 0x65;
constexpr RegisterBit PRTIM0{PRR0, 0x20}, PRTIM1{PRR0, 0x08}, PRTIM2{PRR0, 0x40};

TimersLayout with_gtccr(std::vector<TimerLayout> timers) {
  return {std::move(timers), 0x43, 0x80};
}

// ATmega48/88/168/328: 48PA/88PA/168PA/328P (DS40002061).
TimersLayout atmega_x8() {
  return with_gtccr(
      {new_8bit({0, 0x44, PRTIM0, pin("PD4")}, {14, 15, 16}, {pin("PD6"), pin("PD5")}),
       new_16bit({1, 0x80, PRTIM1, pin("PD5")}, {10, 11, 12, 0, 13}, {pin("PB1"), pin("PB2")}, pin("PB0")),
       new_asynchronous({2, 0xb0, PRTIM2, {}}, {7, 8, 9}, {pin("PB3"), pin("PD3")})});
}

// ATmega164/324/644/1284: 164A...1284P (DS40002070).
TimersLayout atmega_x4(bool timer3) {
  auto layout =
      with_gtccr({new_8bit({0, 0x44, PRTIM0, pin("PB0")}, {16, 17, 18}, {pin("PB3"), pin("PB4")}),
                  new_16bit({1, 0x80, PRTIM1, pin("PB1")}, {12, 13, 14, 0, 15}, {pin("PD5"), pin("PD4")}, pin("PD6")),
                  new_asynchronous({2, 0xb0, PRTIM2, {}}, {9, 10, 11}, {pin("PD7"), pin("PD6")})});
  if (timer3) {
    layout.timers.push_back(
        new_16bit({3, 0x90, {PRR1, 0x01}, pin("PD0")}, {31, 32, 33, 0, 34}, {pin("PB6"), pin("PB7")}, pin("PB5")));
  }
  return layout;
}

// ATmega640/1280/1281/2560/2561 (2549). With 64 pins timers 4 and 5 have no pins, and no interrupt of the capture unit.
TimersLayout atmega_xx0(bool has_100_pins) {
  auto layout = with_gtccr(
      {new_8bit({0, 0x44, PRTIM0, pin("PD7")}, {21, 22, 23}, {pin("PB7"), pin("PG5")}),
       new_16bit({1, 0x80, PRTIM1, pin("PD6")}, {16, 17, 18, 19, 20}, {pin("PB5"), pin("PB6"), pin("PB7")}, pin("PD4")),
       new_asynchronous({2, 0xb0, PRTIM2, {}}, {13, 14, 15}, {pin("PB4"), pin("PH6")}),
       new_16bit({3, 0x90, {PRR1, 0x08}, pin("PE6")}, {31, 32, 33, 34, 35}, {pin("PE3"), pin("PE4"), pin("PE5")},
                 pin("PE7")),
       new_16bit({4, 0xa0, {PRR1, 0x10}, pin("PH7")}, {41, 42, 43, 44, 45}, {pin("PH3"), pin("PH4"), pin("PH5")},
                 pin("PL0")),
       new_16bit({5, 0x120, {PRR1, 0x20}, pin("PL2")}, {46, 47, 48, 49, 50}, {pin("PL3"), pin("PL4"), pin("PL5")},
                 pin("PL1"))});
  if (!has_100_pins) {
    for (auto& timer : layout.timers) {
      if (timer.name == '4' || timer.name == '5') timer.capture = {};
    }
  }
  return layout;
}

// ATmega16U4/32U4 (7766): timer 3 has no T3 and only OC3A on a pin.
TimersLayout atmega_xxu4() {
  return with_gtccr(
      {new_8bit({0, 0x44, PRTIM0, pin("PD7")}, {21, 22, 23}, {pin("PB7"), pin("PD0")}),
       new_16bit({1, 0x80, PRTIM1, pin("PD6")}, {16, 17, 18, 19, 20}, {pin("PB5"), pin("PB6"), pin("PB7")}, pin("PD4")),
       new_16bit({3, 0x90, {PRR1, 0x08}, {}}, {31, 32, 33, 34, 35}, {pin("PC6")}, pin("PC7"))});
}

// The older ones have all flags in TIFR and all enable bits in TIMSK, at the same places in both.

struct OldRegisters {
  std::uint16_t tifr;
  std::uint16_t timsk;
  InterruptSource source(unsigned vector, std::uint8_t bit) const { return {vector, {tifr, bit}, {timsk, bit}}; }
};

struct OldTimer {
  char name;
  std::uint16_t tccr;
  std::uint16_t tcnt;
  std::uint16_t ocr;
  InterruptSource compare;
  InterruptSource overflow;
  MaybePin pin;
  MaybePin clock_pin;
};

TimerLayout old_8bit(const OldTimer& is) {
  TimerLayout timer;
  timer.name = is.name;
  timer.mode_bits = is.ocr != 0 ? ModeBits::one_register : ModeBits::none;
  timer.tccra = timer.tccrb = is.tccr;
  timer.tcnt = is.tcnt;
  if (is.ocr != 0) timer.channels = {{is.ocr, is.pin, is.compare, {is.tccr, 0x80}}};
  timer.overflow = is.overflow;
  timer.clock_pin = is.clock_pin;
  return timer;
}

TimerLayout old_asynchronous(const OldTimer& is, std::uint16_t assr) {
  TimerLayout timer = old_8bit(is);
  timer.asynchronous = {assr, 0x08, 0x04, {0x02, 0}, 0x01, 0x01};
  return timer;
}

// Timer 1 without its third channel. `vectors`: CAPT, COMPA, COMPB, OVF.
TimerLayout old_timer1(const OldRegisters& in, std::array<unsigned, 4> vectors, std::array<MaybePin, 2> pins,
                       MaybePin capture_pin, MaybePin clock_pin) {
  TimerLayout timer;
  timer.name = '1';
  timer.wide = true;
  timer.tccra = 0x4f;
  timer.tccrb = 0x4e;
  timer.tcnt = 0x4c;
  timer.icr = 0x46;
  timer.channels = {{0x4a, pins[0], in.source(vectors[1], 0x10), {0x4f, 0x08}},
                    {0x48, pins[1], in.source(vectors[2], 0x08), {0x4f, 0x04}}};
  timer.overflow = in.source(vectors[3], 0x04);
  timer.capture = in.source(vectors[0], 0x20);
  timer.capture_pin = capture_pin;
  timer.clock_pin = clock_pin;
  return timer;
}

// ATmega8 (2486).
TimersLayout atmega8() {
  const OldRegisters in{0x58, 0x59};
  return {{old_8bit({'0', 0x53, 0x52, 0, {}, in.source(9, 0x01), {}, pin("PD4")}),
           old_timer1(in, {5, 6, 7, 8}, {pin("PB1"), pin("PB2")}, pin("PB0"), pin("PD5")),
           old_asynchronous({'2', 0x45, 0x44, 0x43, in.source(3, 0x80), in.source(4, 0x40), pin("PB3"), {}}, 0x42)},
          0x50};
}

// ATmega16 (2466) and 32 (2503), which differ in their vectors.
TimersLayout atmega32(bool is_16) {
  const OldRegisters in{0x58, 0x59};
  const auto timer1 = is_16 ? std::array{5U, 6U, 7U, 8U} : std::array{6U, 7U, 8U, 9U};
  return {{old_8bit({'0', 0x53, 0x52, 0x5c, in.source(is_16 ? 19 : 10, 0x02), in.source(is_16 ? 9 : 11, 0x01),
                     pin("PB3"), pin("PB0")}),
           old_timer1(in, timer1, {pin("PD5"), pin("PD4")}, pin("PD6"), pin("PB1")),
           old_asynchronous(
               {'2', 0x45, 0x44, 0x43, in.source(is_16 ? 3 : 4, 0x80), in.source(is_16 ? 4 : 5, 0x40), pin("PD7"), {}},
               0x42)},
          0x50};
}

// ATmega64 (2490) and 128 (2467): timer 0 is the asynchronous one; timer 3 and channel 1C have ETIFR and ETIMSK.
TimersLayout atmega128() {
  const OldRegisters in{0x56, 0x57};
  const OldRegisters extended{0x7c, 0x7d};

  auto timer1 = old_timer1(in, {11, 12, 13, 14}, {pin("PB5"), pin("PB6")}, pin("PD4"), pin("PD6"));
  timer1.channels.push_back({0x78, pin("PB7"), extended.source(24, 0x01), {}});

  TimerLayout timer3;
  timer3.name = '3';
  timer3.wide = true;
  timer3.tccra = 0x8b;
  timer3.tccrb = 0x8a;
  timer3.tcnt = 0x88;
  timer3.icr = 0x80;
  timer3.channels = {{0x86, pin("PE3"), extended.source(26, 0x10), {}},
                     {0x84, pin("PE4"), extended.source(27, 0x08), {}},
                     {0x82, pin("PE5"), extended.source(28, 0x02), {}}};
  timer3.overflow = extended.source(29, 0x04);
  timer3.capture = extended.source(25, 0x20);
  timer3.capture_pin = pin("PE7");
  timer3.clock_pin = pin("PE6");

  for (auto* timer : {&timer1, &timer3}) {
    const std::uint16_t tccrc = timer == &timer1 ? 0x7a : 0x8c;
    for (unsigned channel = 0; channel < 3; ++channel)
      timer->channels[channel].force = {tccrc, static_cast<std::uint8_t>(0x80 >> channel)};
  }
  return {{old_asynchronous({'0', 0x53, 0x52, 0x51, in.source(15, 0x02), in.source(16, 0x01), pin("PB4"), {}}, 0x50),
           timer1, old_8bit({'2', 0x45, 0x44, 0x43, in.source(9, 0x80), in.source(10, 0x40), pin("PB7"), pin("PD7")}),
           timer3},
          0x40,
          0x80};
}

}  // namespace

TimersLayout timers_layout(std::string_view mcu) {
  const auto is = [&](auto... names) { return ((mcu == names) || ...); };
  if (is("atmega48", "atmega48p", "atmega48pa", "atmega88", "atmega88p", "atmega88pa", "atmega168", "atmega168p",
         "atmega168pa", "atmega328", "atmega328p"))
    return atmega_x8();
  if (is("atmega164", "atmega164p", "atmega164pa", "atmega324", "atmega324p", "atmega324a", "atmega324pa", "atmega644",
         "atmega644p"))
    return atmega_x4(false);
  if (is("atmega1284", "atmega1284p")) return atmega_x4(true);
  if (is("atmega640", "atmega1280", "atmega2560")) return atmega_xx0(true);
  if (is("atmega1281", "atmega2561")) return atmega_xx0(false);
  if (is("atmega16u4", "atmega32u4")) return atmega_xxu4();
  if (is("atmega8")) return atmega8();
  if (is("atmega16")) return atmega32(true);
  if (is("atmega32")) return atmega32(false);
  if (is("atmega64", "atmega128")) return atmega128();
  return {};
}

}  // namespace avrlan::peripherals
