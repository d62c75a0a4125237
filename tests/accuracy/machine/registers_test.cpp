// simavr's tables, as SimavrChip corrects them, against avr-libc's headers: two transcriptions of the same datasheets.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simavr/avr_acomp.h>
#include <simavr/avr_adc.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_extint.h>
#include <simavr/avr_flash.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_spi.h>
#include <simavr/avr_twi.h>
#include <simavr/avr_uart.h>
#include <simavr/avr_watchdog.h>

#include <fstream>
#include <map>
#include <optional>

#include "emulator/board/simavr_chip.hpp"
#include "emulator/cpu/core_traits.hpp"
#include "emulator/cpu/mcu.hpp"
#include "emulator/peripherals/simavr_modules.hpp"
#include "emulator/peripherals/timer_layout.hpp"
#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::peripherals {
namespace {

// The spellings that avr-libc has for one thing.
using Names = std::vector<std::string>;

class Registers : public ::testing::TestWithParam<cpu::Mcu> {
 protected:
  Registers() {
    std::ifstream file(fmt::format("{}/registers_{}.txt", AVRLAN_ASSEMBLED_DIR, GetParam().name));
    std::string name;
    unsigned value = 0;
    while (file >> name >> value) header_[name] = value;
  }

  avr_t& avr() { return chip_.avr(); }
  std::optional<unsigned> find(const Names& names) const {
    for (const auto& name : names) {
      if (const auto found = header_.find(name); found != header_.end()) return found->second;
    }
    return std::nullopt;
  }
  bool has(const std::string& name) const { return header_.contains(name); }

  void expect(unsigned simavr, const Names& names) const {
    const auto value = find(names);
    EXPECT_EQ(simavr, value.value_or(0)) << names.front() << (value ? "" : " is not in the header");
  }
  // The bit, and its register.
  void expect(avr_regbit_t bit, const Names& registers, const Names& names) const {
    if (!find(names)) {
      EXPECT_EQ(bit.reg, 0u) << names.front() << " is not in the header";
      return;
    }
    SCOPED_TRACE(names.front());
    expect(bit.reg, registers);
    EXPECT_EQ(bit.bit, *find(names));
  }
  void expect(const avr_int_vector_t& vector, const Names& names) const {
    Names numbers;
    for (const auto& name : names) numbers.push_back(name + "_vect_num");
    expect(vector.vector, numbers);
  }

  std::map<std::string, unsigned> header_;
  SimavrChip chip_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Mcus, Registers, ::testing::ValuesIn(cpu::mcus()),
                         [](const auto& test) { return std::string{test.param.name}; });

TEST_P(Registers, MemoriesAndSignature) {
  ASSERT_GT(header_.size(), 300u);
  expect(avr().flashend, {"FLASHEND"});
  expect(avr().ramend, {"RAMEND"});
  EXPECT_EQ(avr().ioend + 1, find({"RAMSTART"}).value_or(avr().ioend >= 0xff ? 0x100 : 0x60));
  expect(avr().e2end, {"E2END"});
  for (unsigned n = 0; n < 3; ++n) expect(avr().signature[n], {fmt::format("SIGNATURE_{}", n)});
  expect(avr().rampz, {"RAMPZ"});
  // Without EICALL it is a byte that nobody reads.
  if (avr().address_size == 3) expect(avr().eind, {"EIND"});
  EXPECT_EQ(avr().address_size, avr().flashend >= 0x20000 ? 3 : 2);
  // One word a vector where RJMP reaches everything.
  EXPECT_EQ(avr().vector_size, avr().flashend < 0x2000 ? 2 : 4);
  const unsigned vectors = find({"_VECTORS_SIZE"}).value() / avr().vector_size;
  for (unsigned n = 0; n < avr().interrupts.vector_count; ++n) {
    EXPECT_LT(avr().interrupts.vector[n]->vector, vectors);
  }
}

TEST_P(Registers, SleepAndExternalMemory) {
  const cpu::CoreTraits traits = cpu::core_traits(GetParam().name);
  expect(GetParam().sleep_register, {"SMCR", "MCUCR"});
  EXPECT_EQ(GetParam().sleep_enable, 1u << find({"SE"}).value());
  expect(traits.sm0, {"SM0"});
  expect(traits.sm1, {"SM1"});
  expect(traits.sm2, {"SM2"});
  EXPECT_EQ(traits.external_memory != cpu::ExternalMemory::none, has("XMCRA"));
  EXPECT_EQ(traits.external_memory == cpu::ExternalMemory::mega2560, find({"XMCRA"}) == 0x74u);
}

TEST_P(Registers, Ports) {
  std::string ports;
  for (const auto* port : simavr_modules<avr_ioport_t>(avr(), "port")) {
    ports += port->name;
    expect(port->r_port, {fmt::format("PORT{}", port->name)});
    expect(port->r_ddr, {fmt::format("DDR{}", port->name)});
    expect(port->r_pin, {fmt::format("PIN{}", port->name)});
    for (unsigned bit = 0; bit < 8; ++bit) {
      const bool exists =
          find({fmt::format("PORT{}{}", port->name, bit), fmt::format("P{}{}", port->name, bit)}).has_value();
      EXPECT_EQ((GetParam().pins_of(port->name) >> bit & 1) != 0, exists) << port->name << bit;
    }
  }
  for (char name = 'A'; name <= 'L'; ++name) {
    EXPECT_EQ(ports.find(name) != std::string::npos, has(fmt::format("PORT{}", name))) << name;
  }
}

TEST_P(Registers, ExternalInterrupts) {
  auto& module = *simavr_modules<avr_extint_t>(avr(), "extint").at(0);
  for (unsigned n = 0; n < EXTINT_COUNT; ++n) {
    SCOPED_TRACE(n);
    const auto& line = module.eint[n];
    EXPECT_EQ(line.port_ioctl != 0, has(fmt::format("INT{}_vect_num", n)));
    if (line.port_ioctl == 0) continue;
    expect(line.vector, {fmt::format("INT{}", n)});
    const Names control = n == 2 && !has("EICRA") ? Names{"MCUCSR"}
                          : n >= 4                ? Names{"EICRB"}
                          : has("EICRA")          ? Names{"EICRA"}
                                                  : Names{"MCUCR"};
    expect(line.isc[0], control, {fmt::format("ISC{}0", n), fmt::format("ISC{}", n)});
    expect(line.isc[1], control, {fmt::format("ISC{}1", n)});
    expect(line.vector.enable, {"EIMSK", "GICR"}, {fmt::format("INT{}", n)});
    expect(line.vector.raised, {"EIFR", "GIFR"}, {fmt::format("INTF{}", n)});
  }
}

TEST_P(Registers, PinChangeInterrupts) {
  for (unsigned n = 0; n < 4; ++n) {
    SCOPED_TRACE(n);
    const auto& groups = GetParam().pin_changes;
    if (n >= groups.size()) {
      EXPECT_FALSE(has(fmt::format("PCINT{}_vect_num", n)));
      continue;
    }
    const auto& group = groups[n];
    expect(group.mask_register, {fmt::format("PCMSK{}", n)});
    expect(group.bit, {fmt::format("PCIE{}", n)});
    expect(group.bit, {fmt::format("PCIF{}", n)});
    expect(group.vector, {fmt::format("PCINT{}_vect_num", n)});
    expect(0x68, {"PCICR"});
    expect(0x3b, {"PCIFR"});
    ASSERT_EQ(group.pins.size(), 16u);
    for (unsigned bit = 0; bit < 8; ++bit) {
      const char port = group.pins[2 * bit];
      if (port == '.') continue;
      EXPECT_NE(GetParam().pins_of(port) >> (group.pins[2 * bit + 1] - '0') & 1, 0);
      expect(bit, {fmt::format("PCINT{}", 8 * n + bit)});
    }
  }
}

TEST_P(Registers, Usarts) {
  std::string usarts;
  for (const auto* uart : simavr_modules<avr_uart_t>(avr(), "uart")) {
    const char n = uart->name;
    usarts += n;
    SCOPED_TRACE(n);
    // "UCSRA" of a part with one, "UCSR0A" of the others.
    const auto names = [&](const char* before, const char* after) {
      return Names{fmt::format("{}{}{}", before, n, after), fmt::format("{}{}", before, after)};
    };
    const Names a = names("UCSR", "A"), b = names("UCSR", "B"), c = names("UCSR", "C");
    expect(uart->r_udr, names("UDR", ""));
    expect(uart->r_ucsra, a);
    expect(uart->r_ucsrb, b);
    expect(uart->r_ucsrc, c);
    expect(uart->ubrrl.reg, names("UBRR", "L"));
    expect(uart->ubrrh.reg, names("UBRR", "H"));
    expect(uart->rxen, b, names("RXEN", ""));
    expect(uart->txen, b, names("TXEN", ""));
    expect(uart->ucsz2, b, {fmt::format("UCSZ{}2", n), "UCSZ2"});
    expect(uart->ucsz, c, {fmt::format("UCSZ{}0", n), "UCSZ0"});
    expect(uart->usbs, c, names("USBS", ""));
    expect(uart->u2x, a, names("U2X", ""));
    const auto vectors = [&](const char* event) {
      return Names{fmt::format("USART{}_{}", n, event), fmt::format("USART_{}", event),
                   fmt::format("USART_{}C", event)};
    };
    expect(uart->rxc, vectors("RX"));
    expect(uart->rxc.enable, b, names("RXCIE", ""));
    expect(uart->rxc.raised, a, names("RXC", ""));
    expect(uart->udrc, vectors("UDRE"));
    expect(uart->udrc.enable, b, names("UDRIE", ""));
    expect(uart->udrc.raised, a, names("UDRE", ""));
    expect(uart->txc, vectors("TX"));
    expect(uart->txc.enable, b, names("TXCIE", ""));
    expect(uart->txc.raised, a, names("TXC", ""));
    const bool in_prr1 = has("PRR1") && (n > '1' || (n == '1' && !has("UCSR0A")) || has("XMCRA"));
    if (uart->disabled.reg != 0 || find({fmt::format("PRUSART{}", n)})) {
      expect(uart->disabled, n != '0' && in_prr1 ? Names{"PRR1"} : Names{"PRR0", "PRR"}, {fmt::format("PRUSART{}", n)});
    }
  }
  for (char n = '0'; n <= '3'; ++n) {
    const bool in_header = has(fmt::format("UDR{}", n)) || (n == '0' && has("UDR"));
    EXPECT_EQ(usarts.find(n) != std::string::npos, in_header) << n;
  }
}

TEST_P(Registers, Spi) {
  const auto& spi = *simavr_modules<avr_spi_t>(avr(), "spi").at(0);
  expect(spi.r_spcr, {"SPCR", "SPCR0"});
  expect(spi.r_spsr, {"SPSR", "SPSR0"});
  expect(spi.r_spdr, {"SPDR", "SPDR0"});
  expect(spi.spi, {"SPI_STC"});
  expect(spi.spe, {"SPCR", "SPCR0"}, {"SPE", "SPE0"});
  expect(spi.mstr, {"SPCR", "SPCR0"}, {"MSTR", "MSTR0"});
  expect(spi.spi.enable, {"SPCR", "SPCR0"}, {"SPIE", "SPIE0"});
  expect(spi.spi.raised, {"SPSR", "SPSR0"}, {"SPIF", "SPIF0"});
  expect(spi.disabled, {"PRR0", "PRR"}, {"PRSPI"});
}

// Timers have a table of their own, transcribed from the datasheets.
TEST_P(Registers, Timers) {
  std::string timers;
  for (const auto& timer : timers_layout(GetParam().name).timers) {
    const char n = timer.name;
    timers += n;
    SCOPED_TRACE(fmt::format("timer {}", n));
    const auto name = [&](const char* before, const std::string& after = "") {
      return fmt::format("{}{}{}", before, n, after);
    };
    EXPECT_EQ(timer.wide, has(name("TCNT", "H")));
    expect(timer.tcnt, {name("TCNT", "L"), name("TCNT")});
    expect(timer.tccra, {name("TCCR", "A"), name("TCCR")});
    expect(timer.tccrb, {name("TCCR", "B"), name("TCCR")});
    if (timer.icr != 0) expect(timer.icr, {name("ICR", "L"), name("ICR")});
    // Timer 3 and channel 1C of the ATmega128.
    const auto check = [&](const InterruptSource& source, bool extended, const Names& vectors, const Names& flags,
                           const Names& enables) {
      Names numbers;
      for (const auto& vector : vectors) numbers.push_back(vector + "_vect_num");
      expect(source.vector, numbers);
      const bool in_extended = extended && has("ETIFR");
      expect(source.flag.address, {in_extended ? "ETIFR" : name("TIFR"), "TIFR"});
      expect(source.enable.address, {in_extended ? "ETIMSK" : name("TIMSK"), "TIMSK"});
      EXPECT_EQ(source.flag.mask, 1u << find(flags).value_or(8)) << flags.front();
      EXPECT_EQ(source.enable.mask, 1u << find(enables).value_or(8)) << enables.front();
    };
    check(timer.overflow, n == '3', {name("TIMER", "_OVF")}, {name("TOV")}, {name("TOIE")});
    // "Only available in ATmega640/1280/2560": those with pins for it.
    const bool no_capture = GetParam().name == "atmega1281" && n >= '4';
    if (timer.icr != 0 && !no_capture) {
      check(timer.capture, n == '3', {name("TIMER", "_CAPT")}, {name("ICF")}, {name("ICIE"), name("TICIE")});
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string letter(1, static_cast<char>('A' + i));
      SCOPED_TRACE(letter);
      const bool in_header = has(name("OCR", letter)) || has(name("OCR", letter + "L")) || (i == 0 && has(name("OCR")));
      ASSERT_EQ(i < timer.channels.size(), in_header);
      if (!in_header) continue;
      const auto& channel = timer.channels[i];
      expect(channel.ocr, {name("OCR", letter + "L"), name("OCR", letter), name("OCR")});
      check(channel.compare, n == '3' || i == 2, {name("TIMER", "_COMP" + letter), name("TIMER", "_COMP")},
            {name("OCF", letter), name("OCF")}, {name("OCIE", letter), name("OCIE")});
      const Names force = {name("FOC", letter), name("FOC")};
      if (find(force)) {
        EXPECT_EQ(channel.force.mask, 1u << *find(force));
        expect(channel.force.address, {name("TCCR", "C"), name("TCCR", timer.wide ? "A" : "B"), name("TCCR")});
      }
    }
    if (const auto bit = find({name("PRTIM")})) {
      EXPECT_EQ(timer.power_reduction.mask, 1u << *bit);
    }
    const auto as = find({name("AS")});
    EXPECT_EQ(timer.asynchronous.assr != 0, as.has_value());
    if (as) {
      expect(timer.asynchronous.assr, {"ASSR"});
      EXPECT_EQ(timer.asynchronous.as, 1u << *as) << "the crystal's bit";
    }
  }
  for (char n = '0'; n <= '5'; ++n) {
    const bool known = GetParam().timers.find(n) != std::string_view::npos;
    EXPECT_EQ(known, has(fmt::format("TCNT{}", n))) << n;
    const bool not_modelled = GetParam().name == "atmega32u4" && n == '4';
    EXPECT_EQ(timers.find(n) != std::string::npos, known && !not_modelled) << n;
  }
}

TEST_P(Registers, Adc) {
  const auto& adc = *simavr_modules<avr_adc_t>(avr(), "adc").at(0);
  expect(adc.adc, {"ADC"});
  expect(adc.r_admux, {"ADMUX"});
  expect(adc.r_adcsra, {"ADCSRA"});
  expect(adc.r_adcl, {"ADCL"});
  expect(adc.r_adch, {"ADCH"});
  if (adc.r_adcsrb != 0) expect(adc.r_adcsrb, {"ADCSRB"});
  expect(adc.aden, {"ADCSRA"}, {"ADEN"});
  expect(adc.adsc, {"ADCSRA"}, {"ADSC"});
  expect(adc.adlar, {"ADMUX"}, {"ADLAR"});
  expect(adc.adc.enable, {"ADCSRA"}, {"ADIE"});
  expect(adc.adc.raised, {"ADCSRA"}, {"ADIF"});
}

TEST_P(Registers, AnalogComparator) {
  const auto modules = simavr_modules<avr_acomp_t>(avr(), "ac");
  ASSERT_EQ(modules.empty(), GetParam().name == "atmega2560") << "simavr has forgotten it";
  if (modules.empty()) return;
  const auto& comparator = *modules.front();
  expect(comparator.r_acsr, {"ACSR"});
  expect(comparator.ac, {"ANALOG_COMP", "ANA_COMP"});
  expect(comparator.ac.enable, {"ACSR"}, {"ACIE"});
  expect(comparator.ac.raised, {"ACSR"}, {"ACI"});
}

TEST_P(Registers, Eeprom) {
  const auto& eeprom = *simavr_modules<avr_eeprom_t>(avr(), "eeprom").at(0);
  EXPECT_EQ(eeprom.size, find({"E2END"}).value() + 1);
  expect(eeprom.r_eecr, {"EECR"});
  expect(eeprom.r_eearl, {"EEARL"});
  if (has("EEARH")) expect(eeprom.r_eearh, {"EEARH"});
  expect(eeprom.r_eedr, {"EEDR"});
  expect(eeprom.eempe, {"EECR"}, {"EEMPE", "EEMWE"});
  expect(eeprom.eepe, {"EECR"}, {"EEPE", "EEWE"});
  expect(eeprom.eere, {"EECR"}, {"EERE"});
  // The ATmega128's header has the macro for C only.
  EXPECT_EQ(eeprom.ready.vector, find({"EE_READY_vect_num", "EE_RDY_vect_num"}).value_or(22));
  expect(eeprom.ready.enable, {"EECR"}, {"EERIE"});
}

TEST_P(Registers, Flash) {
  const auto& flash = *simavr_modules<avr_flash_t>(avr(), "flash").at(0);
  expect(flash.spm_pagesize, {"SPM_PAGESIZE"});
  const Names control = {"SPMCSR", "SPMCR"};
  expect(flash.r_spm, control);
  expect(flash.selfprgen, control, {"SPMEN", "SELFPRGEN"});
  expect(flash.pgers, control, {"PGERS"});
  expect(flash.pgwrt, control, {"PGWRT"});
  expect(flash.blbset, control, {"BLBSET"});
  expect(flash.flash, {"SPM_READY", "SPM_RDY"});
  expect(flash.flash.enable, control, {"SPMIE"});
}

TEST_P(Registers, Watchdog) {
  const auto& watchdog = *simavr_modules<avr_watchdog_t>(avr(), "watchdog").at(0);
  const Names control = {"WDTCSR", "WDTCR"};
  expect(watchdog.wde, control, {"WDE"});
  expect(watchdog.wdce, control, {"WDCE", "WDTOE"});
  expect(watchdog.wdrf, {"MCUSR", "MCUCSR"}, {"WDRF"});
  for (unsigned bit = 0; bit < 4; ++bit) expect(watchdog.wdp[bit], control, {fmt::format("WDP{}", bit)});
  if (has("WDIE")) {
    expect(watchdog.watchdog, {"WDT"});
    expect(watchdog.watchdog.enable, control, {"WDIE"});
    expect(watchdog.watchdog.raised, control, {"WDIF"});
  }
}

TEST_P(Registers, Twi) {
  const auto& twi = *simavr_modules<avr_twi_t>(avr(), "twi").at(0);
  expect(twi.twi, {"TWI"});
  expect(twi.r_twbr, {"TWBR"});
  expect(twi.r_twcr, {"TWCR"});
  expect(twi.r_twsr, {"TWSR"});
  expect(twi.r_twar, {"TWAR"});
  expect(twi.r_twdr, {"TWDR"});
  expect(twi.twen, {"TWCR"}, {"TWEN"});
  expect(twi.twi.enable, {"TWCR"}, {"TWIE"});
  expect(twi.twi.raised, {"TWCR"}, {"TWINT"});
}

}  // namespace
}  // namespace avrlan::peripherals
