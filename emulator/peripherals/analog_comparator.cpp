#include "emulator/peripherals/analog_comparator.hpp"

namespace avrlan::peripherals {

namespace {

// ACSR
constexpr std::uint8_t ACD = 0x80;
constexpr std::uint8_t ACBG = 0x40;
constexpr std::uint8_t ACO = 0x20;
constexpr std::uint8_t ACI = 0x10;
constexpr std::uint8_t ACIE = 0x08;
constexpr std::uint8_t ACIS = 0x03;

enum class Sense : std::uint8_t { toggle, reserved, falling_edge, rising_edge };

}  // namespace

AnalogComparator::AnalogComparator(const McuContext& mcu, const Part& part, AnalogInputs& inputs, Adc& adc)
    : mcu_(mcu), part_(part), inputs_(inputs), adc_(adc), acme_target_(mcu.avr, part.acme.address) {
  on_store<&AnalogComparator::store_acme>(mcu.avr, part.acme.address, *this);
  on_store<&AnalogComparator::store_acsr>(mcu.avr, part.acsr, *this);
  mcu.interrupts.connect(part.comparator_vector, [this] {
    mcu_.set_bits(part_.acsr, ACI, false);
    update_request();
  });
  inputs.on_step([this] { compare(); });
  adc.on_change([this] { compare(); });
}

void AnalogComparator::reset() {
  compare();
  mcu_.set_bits(part_.acsr, ACI, false);
  update_request();
}

void AnalogComparator::store_acsr(std::uint16_t, std::uint8_t value) {
  const auto kept = static_cast<std::uint8_t>(acsr() & (ACO | (ACI & ~value)));
  acsr() = static_cast<std::uint8_t>((value & ~(ACO | ACI)) | kept);
  mcu_.sync();
  compare();
}

void AnalogComparator::store_acme(std::uint16_t address, std::uint8_t value) {
  acme_target_.store(address, value);
  mcu_.sync();
  compare();
}

void AnalogComparator::compare() {
  const Instant now = mcu_.scheduler.now();
  const bool multiplexed = mcu_.is_set(part_.acme) && !adc_.enabled();
  const AnalogPin negative = multiplexed ? AnalogPin::adc(adc_.channel()) : AnalogPin::ain(1);
  const Voltage positive = (acsr() & ACBG) != 0 ? part_.bandgap : inputs_.at(AnalogPin::ain(0), now);
  const bool before = (acsr() & ACO) != 0;
  const bool high = (acsr() & ACD) == 0 && positive > inputs_.at(negative, now);
  if (high != before) {
    mcu_.set_bits(part_.acsr, ACO, high);
    const auto sense = static_cast<Sense>(acsr() & ACIS);
    const bool event = sense == Sense::toggle || sense == (high ? Sense::rising_edge : Sense::falling_edge);
    if (event && (acsr() & ACI) == 0) {
      acsr() |= ACI;
      adc_.trigger(AdcTrigger::analog_comparator);
    }
  }
  update_request();
}

void AnalogComparator::update_request() {
  mcu_.interrupts.request(part_.comparator_vector, (acsr() & (ACI | ACIE)) == (ACI | ACIE));
}

}  // namespace avrlan::peripherals
