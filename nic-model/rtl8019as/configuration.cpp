// Page 3: the EEPROM's pins, what is loaded from it, power, medium and LEDs.

#include <utility>

#include "nic-model/rtl8019as/rtl8019as.hpp"

namespace avrlan {

using namespace rtl8019as;

namespace {

// As drivers that play the EEPROM count: nine words of 32 clocks, of which the 3rd to 11th carry the command.
constexpr unsigned loaded_words = 9;
constexpr unsigned clocks_a_word = 32;
constexpr unsigned command_start = 2;
constexpr unsigned data_start = 11;
constexpr unsigned data_bits = 16;
constexpr std::uint16_t read_command = 0x180;  // start bit, opcode 10b, six bits of address
// Half a clock: a load takes 1.8 ms.
constexpr Duration half_clock = Duration::nanoseconds(3'200);

}  // namespace

bool Rtl8019as::eeprom_pins(bool cs, bool sk, bool di) {
  const bool edge = sk != std::exchange(eesk_, sk);
  const bool out = eeprom_.pins(cs, sk, di);
  if (edge && eesk_changed_) eesk_changed_(sk);
  switch (options_.eeprom) {
    case Rtl8019asOptions::Eeprom::absent:
      return true;
    case Rtl8019asOptions::Eeprom::external:
      return external_eedo_;
    default:
      return out;
  }
}

// EEM: 01b loads from the EEPROM, 10b hands its pins to software, 11b opens CONFIG1 to 3.
void Rtl8019as::write_9346cr(std::uint8_t value) {
  scheduler_.cancel(load_event_);
  switch (value & R9346CR::EEM) {
    case R9346CR::EEM0:
      start_auto_load();
      break;
    case R9346CR::EEM1:
      eedo_ = eeprom_pins((value & R9346CR::EECS) != 0, (value & R9346CR::EESK) != 0, (value & R9346CR::EEDI) != 0);
      break;
    default:
      break;
  }
}

void Rtl8019as::start_auto_load() {
  load_half_clock_ = 0;
  loading_ = {};
  eedo_ = eeprom_pins(false, false, false);
  load_event_ = scheduler_.after(half_clock, [this] { clock_auto_load(); });
}

// Every half clock: EESK rises, or it falls and EEDO is taken.
void Rtl8019as::clock_auto_load() {
  const unsigned clock = load_half_clock_ / 2 % clocks_a_word;
  const unsigned word = load_half_clock_ / 2 / clocks_a_word;
  const bool rises = load_half_clock_ % 2 == 0;
  const bool commands = clock >= command_start && clock < data_start;
  const bool di = commands && ((read_command | word) >> (data_start - 1 - clock) & 1) != 0;
  const bool cs = clock < data_start + data_bits;
  if (!rises && clock >= data_start && cs) {
    loading_[word] = static_cast<std::uint16_t>(loading_[word] << 1 | (eeprom_pins(cs, true, di) ? 1 : 0));
  }
  eedo_ = eeprom_pins(cs, rises, di);
  if (++load_half_clock_ < 2 * clocks_a_word * loaded_words) {
    load_event_ = scheduler_.after(half_clock, [this] { clock_auto_load(); });
    return;
  }
  load_event_ = {};
  clear_bits(Reg::R9346CR, R9346CR::EEM);
  cell(Reg::CR) = CR::RD2 | CR::STP;
  running_ = false;
  take_configuration(loading_);
}

// CONFIG1 to 4, station address and product number; the PROM has each octet of the last two twice, and says how wide the
// slot is.
void Rtl8019as::take_configuration(const Eeprom93c46::Words& words) {
  const auto octet = [&](std::size_t n) { return static_cast<std::uint8_t>(words[n / 2] >> (8 * (n % 2))); };
  cell(Reg::CONFIG1) = octet(0);
  cell(Reg::CONFIG2) = octet(1);
  cell(Reg::CONFIG3) = octet(2);
  cell(Reg::CONFIG4) = octet(3) & 1;
  if (options_.jumper_mode) {
    cell(Reg::CONFIG1) = static_cast<std::uint8_t>(CONFIG1::IRQEN | options_.irqs << 4 | options_.ios);
    cell(Reg::CONFIG2) = static_cast<std::uint8_t>(options_.pl << 6);
  } else {
    set_bits(Reg::CONFIG1, CONFIG1::IRQEN);
  }
  constexpr std::size_t in_prom = 14;
  for (std::size_t n = 0; n < in_prom; ++n) prom_[2 * n] = prom_[2 * n + 1] = octet(4 + n);
  for (std::size_t n = 2 * in_prom; n < prom_.size(); ++n) {
    prom_[n] = options_.bus == Rtl8019asOptions::Bus::word ? 'W' : 'B';
  }
  update_medium();
  update_link();
  update_int();
}

void Rtl8019as::write_config(Reg reg, std::uint8_t value) {
  if (!is_set(Reg::R9346CR, R9346CR::EEM)) {
    report("rtl8019as-config-locked",
           "a CONFIG register was written, and has not changed: set 9346CR.EEM to 11b first");
    return;
  }
  const bool slept = asleep();
  cell(reg) = value;
  if (reg == Reg::CONFIG3 && slept != asleep()) update_link();
  update_medium();
  update_leds();
  update_int();
}

std::uint16_t Rtl8019as::io_base() const {
  const unsigned ios = cell(Reg::CONFIG1) & CONFIG1::IOS;
  return static_cast<std::uint16_t>((ios < 8 ? 0x300 : 0x200) + 0x20 * (ios % 8));
}

// CONFIG2.PL: with 01b the link test is off, and with the coaxial media nobody is there.
bool Rtl8019as::link_up() const {
  if (asleep()) return false;
  switch (cell(Reg::CONFIG2) & CONFIG2::PL) {
    case 0:
      return link_;
    case CONFIG2::PL0:
      return cable_;
    default:
      return false;
  }
}

std::span<const std::string_view> Rtl8019as::led_names() const {
  static constexpr std::string_view names[] = {"led0", "led1", "led2"};
  return names;
}

// CONFIG3.LEDS0: LED0 is link or collision. LEDS1: LED1 is carrier or reception, LED2 MCSB or transmission.
bool Rtl8019as::led(std::size_t number) const {
  const bool sends = outgoing_ && outgoing_->wired, receives = announced_ && link_up();
  switch (number) {
    case 0:
      return is_set(Reg::CONFIG3, CONFIG3::LEDS0) && link_up();
    case 1:
      return receives || (is_set(Reg::CONFIG3, CONFIG3::LEDS1) && sends);
    default:
      return !is_set(Reg::CONFIG3, CONFIG3::LEDS1) && sends;
  }
}

void Rtl8019as::update_leds() {
  for (std::size_t number = 0; number < leds_.size(); ++number) {
    const bool lit = led(number);
    if (lit != std::exchange(leds_[number], lit) && led_changed_) led_changed_(number, lit);
  }
}

}  // namespace avrlan
