#include "emulator/peripherals/usart.hpp"

#include <fmt/format.h>
#include <simavr/avr_uart.h>

#include <algorithm>

#include "emulator/peripherals/simavr_modules.hpp"
#include "emulator/peripherals/usart_bits.hpp"

namespace avrlan::peripherals {

namespace {

// RxD, TxD and XCK by the pin tables of the datasheets: "Alternate Port Functions".
UsartPins pins_of(const McuContext& mcu, const Gpio& gpio, char name) {
  const bool has_port_e = gpio.has({'E', 0});
  switch (name) {
    case '0':
      if (has_port_e) return {{'E', 0}, {'E', 1}, {'E', 2}};
      // 28 pins (ATmega8, 168, 328P) or 40 (ATmega32, 644P, 1284P), which differ in SS, too.
      return {{'D', 0}, {'D', 1}, mcu.mcu.spi_ss_bit == 2 ? Pin{'D', 4} : Pin{'B', 0}};
    case '1':
      return {{'D', 2}, {'D', 3}, {'D', static_cast<std::uint8_t>(has_port_e ? 5 : 4)}};
    case '2':
      return {{'H', 0}, {'H', 1}, {'H', 2}};
    default:
      return {{'J', 0}, {'J', 1}, {'J', 2}};
  }
}

}  // namespace

Usart::Usart(const McuContext& mcu, Gpio& gpio, avr_uart_t& module)
    : mcu_(mcu),
      gpio_(gpio),
      number_(static_cast<unsigned>(module.name - '0')),
      pins_(pins_of(mcu, gpio, module.name)),
      udr_(module.r_udr),
      ucsra_(module.r_ucsra),
      ucsrb_(module.r_ucsrb),
      ucsrc_(module.r_ucsrc),
      ubrrl_(static_cast<std::uint16_t>(module.ubrrl.reg)),
      ubrrh_(static_cast<std::uint16_t>(module.ubrrh.reg)),
      power_reduction_(register_bit(module.disabled)),
      rx_vector_(module.rxc.vector),
      udre_vector_(module.udrc.vector),
      tx_vector_(module.txc.vector),
      output_(module.io.irq + UART_IRQ_OUTPUT),
      rxd_pin_(gpio.alternate(pins_.rxd, fmt::format("RxD{}", number_))),
      txd_pin_(gpio.alternate(pins_.txd, fmt::format("TxD{}", number_))),
      xck_pin_(gpio.alternate(pins_.xck, fmt::format("XCK{}", number_))),
      target_(mcu, gpio) {
  module.io.reset = nullptr;
  avr_t& avr = mcu.avr;
  on_load<&Usart::load_ucsra>(avr, ucsra_, *this);
  on_load<&Usart::load_udr>(avr, udr_, *this);
  on_store<&Usart::store_ucsra>(avr, ucsra_, *this);
  on_store<&Usart::store_ucsrb>(avr, ucsrb_, *this);
  on_store<&Usart::store_udr>(avr, udr_, *this);
  on_store<&Usart::store_ubrrl>(avr, ubrrl_, *this);
  if (ucsrc_ == ubrrh_) {
    on_load<&Usart::load_ubrrh_or_ucsrc>(avr, ubrrh_, *this);
    on_store<&Usart::store_ubrrh_or_ucsrc>(avr, ubrrh_, *this);
  } else {
    on_store<&Usart::store_ubrrh>(avr, ubrrh_, *this);
    on_store<&Usart::store_ucsrc>(avr, ucsrc_, *this);
  }
  // RXC and UDRE are conditions, not events: nothing to acknowledge.
  mcu.interrupts.connect(rx_vector_, [] {});
  mcu.interrupts.connect(udre_vector_, [] {});
  mcu.interrupts.connect(tx_vector_, [this] {
    ucsra() = static_cast<std::uint8_t>(ucsra() & ~TXC);
    update_requests();
  });
  gpio.watch(pins_.rxd, [this](bool high) { rxd_changed(high); });
  txd_pin_.on_watched([this](bool) { watchers_changed(); });
  xck_pin_.on_watched([this](bool) { watchers_changed(); });
  mcu.clocks.watch(ClockDomain::io, [this](bool runs, Cycles at) { io_clock(runs, at); });
}

void Usart::reset() {
  const Cycles now = mcu_.cycle();
  mcu_.cancel(sending_);
  mcu_.cancel(receiving_);
  mcu_.cancel(xck_edge_);
  tx_ = {};
  early_data_.clear();
  rx_buffer_.clear();
  overrun_ = false;
  ucsra() = UDRE;
  ucsrb() = 0;
  mcu_.data(ubrrl_) = 0;
  mcu_.data(ubrrh_) = 0;
  shared_ubrrh_ = 0;
  shared_ucsrc_ = UCSZ1 | UCSZ0;
  if (ucsrc_ != ubrrh_) mcu_.data(ucsrc_) = UCSZ1 | UCSZ0;
  generator_.reset(now);
  rxd_pin_.release(now);
  apply_settings(now);
  update_requests();
}

std::uint8_t Usart::ucsrc() const {
  return ucsrc_ == ubrrh_ ? shared_ucsrc_ : mcu_.data(ucsrc_);
}

unsigned Usart::ubrr() const {
  const unsigned high = ucsrc_ == ubrrh_ ? shared_ubrrh_ : mcu_.data(ubrrh_);
  return high << 8 | mcu_.data(ubrrl_);
}

// XCKn as an input clocks the synchronous mode from outside.
bool Usart::is_slave() const {
  return mode_ == Mode::synchronous && !gpio_.is_output(pins_.xck);
}

void Usart::settle(Cycles now) {
  mcu_.sync();
  catch_up_transmitter(now);
  catch_up_receiver(now);
}

void Usart::apply_settings(Cycles now) {
  const std::uint8_t c = ucsrc();
  const Mode before = mode_;
  // Parts without a power reduction register have no SPI mode; bit 7 is URSEL or reserved there.
  const bool has_spi_mode = power_reduction_.address != 0;
  if (has_spi_mode && (c & (UMSEL1 | UMSEL0)) == (UMSEL1 | UMSEL0)) {
    mode_ = Mode::spi;
  } else {
    mode_ = (c & UMSEL0) != 0 ? Mode::synchronous : Mode::asynchronous;
  }
  const bool doubled = (ucsra() & U2X) != 0;
  slave_ = is_slave();
  divider_ = mode_ != Mode::asynchronous ? 2 : doubled ? 8 : 16;
  tx_.clock = clocks(now);

  const unsigned size = (c & (UCSZ1 | UCSZ0)) >> 1 | ((ucsrb() & UCSZ2) != 0 ? 4u : 0u);
  receiver_.format.data_bits = size == 7 ? 9 : 5 + static_cast<int>(size & 3);
  receiver_.format.parity = (c & UPM1) == 0 ? Parity::none : (c & UPM0) != 0 ? Parity::odd : Parity::even;
  receiver_.format.stop_bits = (c & USBS) != 0 ? 2 : 1;
  receiver_.sampling = mode_ == Mode::synchronous ? sampling_once : doubled ? sampling_8 : sampling_16;
  if (mode_ != before) restart_receiver(now);
  if (mode_ == Mode::synchronous) watch_xck();
  override_pins(now);
  schedule_transmitter();
  schedule_receiver(now);
}

// In the sleep modes without clkIO a frame stands still, and goes on with the clock.
void Usart::io_clock(bool runs, Cycles at) {
  catch_up_transmitter(at);
  catch_up_receiver(at);
  runs ? generator_.go_on(at) : generator_.stop(at);
  schedule_xck(at);
  schedule_transmitter();
  schedule_receiver(at);
}

std::uint8_t Usart::load_ucsra(std::uint16_t) {
  const Cycles now = mcu_.load_sampled();
  catch_up_transmitter(now);
  catch_up_receiver(now);
  return ucsra();
}

// "... reading the I/O location once returns the UBRRH Register contents. If the register location was read in previous
// system clock cycle, reading the register in the current clock cycle will return the UCSRC contents."
std::uint8_t Usart::load_ubrrh_or_ucsrc(std::uint16_t) {
  const Cycles now = mcu_.load_sampled();
  const bool again = now == last_shared_load_ + Cycles{1};
  last_shared_load_ = now;
  return again ? static_cast<std::uint8_t>(URSEL | shared_ucsrc_) : shared_ubrrh_;
}

void Usart::store_ubrrh_or_ucsrc(std::uint16_t address, std::uint8_t value) {
  if ((value & URSEL) != 0) {
    store_ucsrc(address, value);
  } else {
    store_ubrrh(address, value);
  }
}

void Usart::store_ucsra(std::uint16_t, std::uint8_t value) {
  const Cycles now = mcu_.store_done();
  settle(now);
  // TXC is cleared by writing a one; the other flags are read-only.
  const auto kept = static_cast<std::uint8_t>(ucsra() & ~(U2X | MPCM | (value & TXC)));
  ucsra() = static_cast<std::uint8_t>(kept | (value & (U2X | MPCM)));
  apply_settings(now);
  update_requests();
}

void Usart::store_ucsrb(std::uint16_t, std::uint8_t value) {
  const Cycles now = mcu_.store_done();
  const std::uint8_t before = ucsrb();
  settle(now);
  ucsrb() = static_cast<std::uint8_t>((value & ~RXB8) | (before & RXB8));
  rxd_pin_.direction((value & RXEN) != 0 ? std::optional{false} : std::nullopt, now);
  if (((value ^ before) & RXEN) != 0) restart_receiver(now);
  apply_settings(now);
  if ((value & RXEN) == 0) {
    rx_buffer_.clear();
    overrun_ = false;
    show_receive_buffer();
  }
  if ((value & TXEN) != 0 && !early_data_.empty()) {
    const std::uint16_t data = early_data_.front();
    early_data_.clear();
    write(data, now);
  }
  update_requests();
}

void Usart::store_ucsrc(std::uint16_t, std::uint8_t value) {
  const Cycles now = mcu_.store_done();
  settle(now);
  if (ucsrc_ == ubrrh_) {
    shared_ucsrc_ = static_cast<std::uint8_t>(value & ~URSEL);
  } else {
    mcu_.data(ucsrc_) = value;
  }
  apply_settings(now);
}

void Usart::store_ubrrh(std::uint16_t, std::uint8_t value) {
  const Cycles now = mcu_.store_done();
  settle(now);
  shared_ubrrh_ = mcu_.data(ubrrh_) = value & 0x0f;
  generator_.load_at_next_tick(now, ubrr());
  apply_settings(now);
}

void Usart::store_ubrrl(std::uint16_t, std::uint8_t value) {
  const Cycles now = mcu_.store_done();
  settle(now);
  mcu_.data(ubrrl_) = value;
  generator_.load(now, ubrr());
  apply_settings(now);
}

void Usart::store_udr(std::uint16_t, std::uint8_t value) {
  if (!powered()) return;
  mcu_.sync();
  const Cycles now = mcu_.store_done();
  catch_up_transmitter(now - Cycles{1});
  const bool ninth = (ucsrb() & TXB8) != 0;
  write(static_cast<std::uint16_t>(value | (ninth ? 0x100 : 0)), now);
}

void Usart::write(std::uint16_t data, Cycles now) {
  if ((ucsrb() & TXEN) == 0) {
    early_data_.assign(1, data);
  } else if (!tx_.active) {
    // The start bit begins with a clock that is still to come.
    tx_ = {true, -1, clocks(now), data};
    begin_frame();
    if (mode_ == Mode::spi) schedule_xck(now);
  } else if ((ucsra() & UDRE) != 0) {
    tx_buffer_ = data;
    ucsra() = static_cast<std::uint8_t>(ucsra() & ~UDRE);
    update_requests();
  }
  // "... if UDREn is not set when UDRn is written, the data is ignored."
  schedule_transmitter();
}

void Usart::begin_frame() {
  target_.byte_begins();
  check_host_baud(false);
}

void Usart::catch_up_transmitter(Cycles now) {
  while (tx_.active && !slave_) {
    const std::int64_t end = tx_.clock + std::max(1, frame_bits() - tx_.bit);
    const std::int64_t clock = clocks(now);
    if (clock < end) {
      tx_.bit += static_cast<int>(clock - tx_.clock);
      tx_.clock = clock;
      return;
    }
    tx_.clock = end;
    mcu_.scheduler.set_now(mcu_.clock.at(generator_.at(end * divider_)));
    frame_sent();
  }
}

void Usart::schedule_transmitter() {
  mcu_.cancel(sending_);
  if (!tx_.active || slave_ || generator_.stopped()) return;
  const int bits = txd_pin_.watched() ? 1 : std::max(1, frame_bits() - tx_.bit);
  const Cycles when = generator_.at((tx_.clock + bits) * divider_);
  sending_ = mcu_.at(when, [this, when] {
    sending_ = {};
    catch_up_transmitter(when);
    show_pins(when);
    schedule_transmitter();
  });
}

void Usart::frame_sent() {
  const auto data =
      static_cast<std::uint16_t>(mode_ == Mode::spi ? tx_.data & 0xff : tx_.data & receiver_.format.data_mask());
  if (mode_ == Mode::spi) exchange(static_cast<std::uint8_t>(data));
  if ((ucsra() & UDRE) == 0) {
    tx_.data = tx_buffer_;
    tx_.bit = 0;
    ucsra() |= UDRE;
    begin_frame();
  } else {
    tx_.active = false;
    ucsra() |= TXC;
  }
  update_requests();
  avr_raise_irq(output_, data & 0xff);
  if (sent_) sent_(data);
}

// SPI mode. Without a device MISO is RxD, sampled in the middle of each bit.
void Usart::exchange(std::uint8_t sent) {
  const std::uint8_t c = ucsrc();
  const bool lsb_first = (c & UDORD) != 0;
  const std::uint8_t mosi = lsb_first ? reversed_bits(sent) : sent;
  const auto answer = target_.exchange(mosi, (c & (UCPHA | UCPOL)) == 0);
  std::uint8_t miso = answer.value_or(0);
  if (!answer) {
    for (std::int64_t bit = 0; bit < 8; ++bit) {
      const Cycles sampled = generator_.at((tx_.clock - 8 + bit) * divider_ + 1);
      miso = static_cast<std::uint8_t>(miso << 1 | (rxd_.level(mcu_.clock.at(sampled)) ? 1 : 0));
    }
  }
  rxd_.forget(mcu_.scheduler.now());
  if ((ucsrb() & RXEN) != 0) push({lsb_first ? reversed_bits(miso) : miso, 0});
}

// Datasheet, "Alternate Functions of Port D": TXENn makes TxD an output and RXENn makes RxD an input, whatever DDRx says.
void Usart::override_pins(Cycles now) {
  const bool transmits = (ucsrb() & TXEN) != 0 || tx_.active;
  if (!transmits) {
    txd_pin_.release(now);
  } else {
    txd_pin_.direction(true, now);
    if (txd_pin_.watched() || slave_) {
      txd_pin_.value(txd_level(now), now);
    } else {
      txd_pin_.value_on_demand([this](Cycles cycle) { return txd_level(cycle); }, now);
    }
  }
  const bool clocks_others = mode_ == Mode::spi || (mode_ == Mode::synchronous && !slave_);
  if (!clocks_others) {
    xck_pin_.release(now);
  } else if (xck_pin_.watched()) {
    xck_pin_.value(xck_level(now), now);
  } else {
    xck_pin_.value_on_demand([this](Cycles cycle) { return xck_level(cycle); }, now);
  }
  schedule_xck(now);
}

void Usart::watchers_changed() {
  const Cycles now = mcu_.cycle();
  catch_up_transmitter(now);
  override_pins(now);
  schedule_transmitter();
}

// Tells whoever watches.
void Usart::show_pins(Cycles now) {
  const bool transmits = (ucsrb() & TXEN) != 0 || tx_.active;
  if (!transmits) {
    override_pins(now);
  } else if (txd_pin_.watched() || slave_) {
    txd_pin_.value(txd_level(now), now);
  }
}

bool Usart::txd_level(Cycles at) const {
  if (!tx_.active) return true;
  const int bit = slave_ ? tx_.bit : tx_.bit + static_cast<int>(clocks(at) - tx_.clock);
  if (mode_ != Mode::spi) return bit < 0 || bit >= frame_bits() || receiver_.format.level(tx_.data, bit);
  if (bit < 0 || bit > 7) return true;
  return (tx_.data >> ((ucsrc() & UDORD) != 0 ? bit : 7 - bit) & 1) != 0;
}

// TxD changes with every second tick, and RxD is sampled with those in between. In synchronous mode the clock always runs,
// in SPI mode while a byte is sent, with its leading edge at the sample or, with UCPHAn, at the change.
bool Usart::xck_level(Cycles at) const {
  const std::uint8_t c = ucsrc();
  const bool polarity = (c & UCPOL) != 0;
  const bool second_half = (generator_.ticks(at) & 1) != 0;
  if (mode_ == Mode::synchronous) return second_half == polarity;
  const int bit = tx_.bit + static_cast<int>(clocks(at) - tx_.clock);
  if (!tx_.active || bit < 0 || bit > 7) return polarity;
  const bool active = second_half != ((c & UCPHA) != 0);
  return active != polarity;
}

void Usart::schedule_xck(Cycles now) {
  mcu_.cancel(xck_edge_);
  const bool runs = mode_ == Mode::spi ? tx_.active : mode_ == Mode::synchronous && !slave_;
  if (!runs || !xck_pin_.watched() || generator_.stopped()) return;
  const Cycles when = generator_.at(generator_.ticks(now) + 1);
  xck_edge_ = mcu_.at(when, [this, when] {
    xck_edge_ = {};
    catch_up_transmitter(when);
    xck_pin_.value(xck_level(when), when);
    schedule_transmitter();
    schedule_xck(when);
  });
}

void Usart::update_requests() {
  const auto active = [&](std::uint8_t enable, std::uint8_t flag) {
    return (ucsrb() & enable) != 0 && (ucsra() & flag) != 0;
  };
  mcu_.interrupts.request(rx_vector_, active(RXCIE, RXC));
  mcu_.interrupts.request(udre_vector_, active(UDRIE, UDRE));
  mcu_.interrupts.request(tx_vector_, active(TXCIE, TXC));
}

}  // namespace avrlan::peripherals
