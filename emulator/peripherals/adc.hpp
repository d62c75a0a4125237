#pragma once
// The analog to digital converter (ATmega328P and ATmega2560 datasheets, section "Analog to Digital Converter"; ATmega8, 16,
// 32 and 128 alike, with ADFR or SFIOR).
//
// Phase. ADPS divides the MCU's clock from the end of the store that sets ADEN; a conversion starts at the first rise of that
// clock at or after the end of the store that sets ADSC. From there, in ADC clocks: the input is held after 1.5 and the result
// is there after 13; 13.5 and 25 for the first after ADEN. An automatic trigger restarts the divider: held after 2, there after
// 13.5. Running free, the next one starts with the end of the last.
// Single-ended: floor(1024 V / Vref), at most 1023. Differential: floor(512 gain (Vp - Vn) / Vref), -512 to 511.
// Not modelled: noise, offset, non-linearity, the settling of channels and references, too fast an ADC clock, the extra
// clocks of differential channels, the three cycles by which a trigger is synchronised, PRADC, ADHSM; the temperature sensor
// shows 25 degrees.

#include <array>
#include <cstdint>

#include "emulator/peripherals/analog_inputs.hpp"
#include "emulator/peripherals/io_event.hpp"
#include "emulator/peripherals/mcu_context.hpp"
#include "emulator/peripherals/part.hpp"

struct avr_adc_t;

namespace avrlan::peripherals {

// What ADTS2:0 can choose: the rising edge of that flag.
enum class AdcTrigger : std::uint8_t {
  free_running,
  analog_comparator,
  external_0,
  timer_0_compare_a,
  timer_0_overflow,
  timer_1_compare_b,
  timer_1_overflow,
  timer_1_capture
};

class Adc {
 public:
  Adc(const McuContext& mcu, const Part& part, const AnalogInputs& inputs);
  Adc(const Adc&) = delete;
  Adc& operator=(const Adc&) = delete;

  // The flag of this source has gone from 0 to 1.
  void trigger(AdcTrigger source);
  // Called after every store to a register of the ADC: the comparator shares its multiplexer.
  void on_change(std::function<void()> changed) { changed_ = std::move(changed); }
  bool enabled() const;
  // MUX: 0 to 15 where it names a single input.
  unsigned channel() const;
  // After avr_reset().
  void reset();

 private:
  struct Channel {
    enum class Kind : std::uint8_t { none, single, differential, bandgap, temperature } kind = Kind::none;
    std::uint8_t positive = 0;
    std::uint8_t negative = 0;
    std::uint8_t gain = 0;
  };
  enum class Phase : std::uint8_t { idle, waiting, sampling, converting };

  Adc(const McuContext& mcu, const Part& part, const AnalogInputs& inputs, avr_adc_t& module);
  static std::array<Channel, 64> channels_of(const avr_adc_t& module, bool older_differential);
  void store_adcsra(std::uint16_t address, std::uint8_t value);
  void store_admux(std::uint16_t address, std::uint8_t value);
  std::uint8_t load_adcl(std::uint16_t address);
  std::uint8_t load_adch(std::uint16_t address);

  std::uint8_t& adcsra() const { return mcu_.data(adcsra_); }
  std::int64_t divider() const;
  bool auto_triggered() const;
  bool free_running() const;
  unsigned mux() const;
  void start(Cycles when, bool triggered);
  void step(Cycles due);
  void begin(Cycles when);
  void complete(Cycles when);
  void stop();
  std::int64_t reference(Instant when) const;
  std::int64_t microvolts(std::uint8_t pin, Instant when) const;
  std::uint16_t convert(Instant when) const;
  void show();
  void update_request();

  const McuContext& mcu_;
  const AnalogInputs& inputs_;
  const std::uint16_t adcsra_;
  const std::uint16_t admux_;
  const std::uint16_t adcl_;
  const std::uint16_t adch_;
  const RegisterBit mux5_;
  const std::uint16_t adts_register_;  // 0: bit 5 of ADCSRA is ADFR
  const std::uint8_t adts_shift_;
  const std::uint8_t mux_mask_;
  const std::array<Channel, 64> channels_;
  const std::array<std::int32_t, 4> references_;  // by REFS1:0, in millivolts; AREF and AVCC: below 100
  const std::int64_t bandgap_;                    // in microvolts
  const unsigned vector_;
  std::function<void()> changed_;

  IoEvent event_;
  Phase phase_ = Phase::idle;
  Cycles enabled_at_;
  bool first_ = true;  // since ADEN
  bool triggered_ = false;
  Channel selected_;  // as the conversion began
  unsigned refs_ = 0;
  std::int64_t clock_ = 0;  // cycles of one ADC clock in this conversion
  Cycles begun_;
  std::uint16_t held_ = 0;
  std::uint16_t result_ = 0;
  bool locked_ = false;  // ADCL was read, ADCH not yet
};

}  // namespace avrlan::peripherals
