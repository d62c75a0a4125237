#include "emulator/peripherals/usart.hpp"

#include <simavr/avr_uart.h>

#include "emulator/peripherals/simavr_modules.hpp"

namespace avrlan::peripherals {

namespace {

// UCSRnA
constexpr std::uint8_t RXC = 0x80;
constexpr std::uint8_t TXC = 0x40;
constexpr std::uint8_t UDRE = 0x20;
constexpr std::uint8_t FE = 0x10;
constexpr std::uint8_t DOR = 0x08;
constexpr std::uint8_t UPE = 0x04;
constexpr std::uint8_t U2X = 0x02;
constexpr std::uint8_t MPCM = 0x01;
// UCSRnB
constexpr std::uint8_t RXCIE = 0x80;
constexpr std::uint8_t TXCIE = 0x40;
constexpr std::uint8_t UDRIE = 0x20;
constexpr std::uint8_t RXEN = 0x10;
constexpr std::uint8_t TXEN = 0x08;
constexpr std::uint8_t UCSZ2 = 0x04;
constexpr std::uint8_t RXB8 = 0x02;
// UCSRnC
constexpr std::uint8_t UPM1 = 0x20;
constexpr std::uint8_t USBS = 0x08;
constexpr std::uint8_t UCSZ10 = 0x06;

// The receive buffer of two, and one that waits in the shift register.
constexpr std::size_t receive_frames = 3;

}  // namespace

Usart::Usart(const McuContext& mcu, avr_uart_t& module)
    : mcu_(mcu),
      udr_(module.r_udr),
      ucsra_(module.r_ucsra),
      ucsrb_(module.r_ucsrb),
      ucsrc_(module.r_ucsrc),
      ubrrl_(static_cast<std::uint16_t>(module.ubrrl.reg)),
      ubrrh_(static_cast<std::uint16_t>(module.ubrrh.reg)),
      rx_vector_(module.rxc.vector),
      udre_vector_(module.udrc.vector),
      tx_vector_(module.txc.vector),
      output_(module.io.irq + UART_IRQ_OUTPUT) {
  module.io.reset = nullptr;
  avr_t& avr = mcu.avr;
  on_load<&Usart::load_ucsra>(avr, ucsra_, *this);
  on_load<&Usart::load_udr>(avr, udr_, *this);
  on_store<&Usart::store_ucsra>(avr, ucsra_, *this);
  on_store<&Usart::store_ucsrb>(avr, ucsrb_, *this);
  on_store<&Usart::store_udr>(avr, udr_, *this);
  // simavr computes its own byte time from these.
  for (const auto address : {ucsrc_, ubrrl_, ubrrh_}) set_store_handler(avr, address, nullptr, nullptr);
  // RXC and UDRE are conditions, not events: nothing to acknowledge.
  mcu.interrupts.connect(rx_vector_, [] {});
  mcu.interrupts.connect(udre_vector_, [] {});
  mcu.interrupts.connect(tx_vector_, [this] {
    ucsra() = static_cast<std::uint8_t>(ucsra() & ~TXC);
    update_requests();
  });
}

void Usart::reset() {
  sending_.cancel();
  rx_buffer_.clear();
  ucsra() = UDRE;
  ucsrb() = 0;
  mcu_.data(ucsrc_) = UCSZ10;
  mcu_.data(ubrrl_) = 0;
  mcu_.data(ubrrh_) = 0;
  update_requests();
}

unsigned Usart::data_bits() const {
  const unsigned size = (mcu_.data(ucsrc_) & UCSZ10) >> 1 | ((ucsrb() & UCSZ2) != 0 ? 4u : 0u);
  return size == 7 ? 9 : 5 + (size & 3);
}

Cycles Usart::frame_time() const {
  const std::uint8_t ucsrc = mcu_.data(ucsrc_);
  const unsigned bits = 1 + data_bits() + ((ucsrc & UPM1) != 0 ? 1 : 0) + ((ucsrc & USBS) != 0 ? 2 : 1);
  const unsigned ubrr = (mcu_.data(ubrrh_) & 0x0fu) << 8 | mcu_.data(ubrrl_);
  const unsigned samples = (ucsra() & U2X) != 0 ? 8 : 16;
  return Cycles{std::int64_t{bits} * samples * (ubrr + 1)};
}

std::uint8_t Usart::load_ucsra(std::uint16_t) {
  return ucsra();
}

void Usart::store_ucsra(std::uint16_t, std::uint8_t value) {
  // TXC is cleared by writing a one; the other flags are read-only.
  const auto kept = static_cast<std::uint8_t>(ucsra() & ~(U2X | MPCM | (value & TXC)));
  ucsra() = static_cast<std::uint8_t>(kept | (value & (U2X | MPCM)));
  update_requests();
}

void Usart::store_ucsrb(std::uint16_t, std::uint8_t value) {
  ucsrb() = static_cast<std::uint8_t>((value & ~RXB8) | (ucsrb() & RXB8));
  if ((value & RXEN) == 0) {
    rx_buffer_.clear();
    show_receive_buffer();
  }
  update_requests();
}

void Usart::store_udr(std::uint16_t, std::uint8_t value) {
  // "... if UDREn is not set when UDRn is written, the data is ignored."
  if ((ucsrb() & TXEN) == 0 || (ucsra() & UDRE) == 0) return;
  mcu_.sync();
  if (sending()) {
    tx_buffer_ = value;
    ucsra() = static_cast<std::uint8_t>(ucsra() & ~UDRE);
    update_requests();
  } else {
    send(value, mcu_.store_done());
  }
}

void Usart::send(std::uint8_t byte, Cycles start) {
  tx_shift_ = static_cast<std::uint8_t>(byte & ((1u << data_bits()) - 1));
  sending_.at(start + frame_time());
}

void Usart::frame_sent(Cycles end) {
  const std::uint8_t byte = tx_shift_;
  if ((ucsra() & UDRE) == 0) {
    send(tx_buffer_, end);
    ucsra() |= UDRE;
  } else {
    ucsra() |= TXC;
  }
  update_requests();
  avr_raise_irq(output_, byte);
  if (sent_) sent_(byte);
}

void Usart::receive(std::uint8_t byte) {
  line_.push_back(byte);
  if (!receiving_.pending()) expect_frame(mcu_.clock.first_at(mcu_.scheduler.now()));
}

void Usart::expect_frame(Cycles start) {
  receiving_.at(start + frame_time());
}

void Usart::frame_received(Cycles end) {
  const std::uint8_t byte = line_.front();
  line_.pop_front();
  if (!line_.empty()) expect_frame(end);
  if ((ucsrb() & RXEN) == 0) return;
  const auto data = static_cast<std::uint8_t>(byte & ((1u << data_bits()) - 1));
  if (rx_buffer_.size() < receive_frames) {
    rx_buffer_.push_back({data, 0});
  } else {
    // The frame in the shift register is overwritten; DOR tells of a loss before the frame it is read with.
    rx_buffer_.back() = {data, DOR};
  }
  show_receive_buffer();
}

std::uint8_t Usart::load_udr(std::uint16_t) {
  if (rx_buffer_.empty()) return 0;
  const std::uint8_t byte = rx_buffer_.front().byte;
  rx_buffer_.pop_front();
  show_receive_buffer();
  return byte;
}

void Usart::show_receive_buffer() {
  ucsra() = static_cast<std::uint8_t>(ucsra() & ~(RXC | FE | DOR | UPE));
  if (!rx_buffer_.empty()) ucsra() = static_cast<std::uint8_t>(ucsra() | RXC | rx_buffer_.front().status);
  update_requests();
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
