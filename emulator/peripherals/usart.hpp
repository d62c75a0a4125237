#pragma once
// One USART in asynchronous mode (ATmega328P datasheet section "USART0", ATmega2560 the same): frames of 5 to 9 bits,
// parity, one or two stop bits, normal and double speed, a transmit buffer of one byte and a receive buffer of two,
// each beside its shift register.
//
// Phase. A store to UDRn takes effect at the end of its instruction; the start bit begins there when the shift register
// is free. A bit takes 16 (8 with U2Xn) times UBRRn + 1 cycles, taken when the frame begins. UDREn is set when the
// buffer moves to the shift register, TXCn at the end of the last stop bit when the buffer is empty; RXCn at the end of
// the frame. Where clkIO stops, frames stand still and go on with it, those of a sender on RxD too.
// Not modelled: synchronous and SPI master mode (UMSELn other than 0 behaves as asynchronous), the alignment of the start
// bit to the free-running baud rate generator, frame and parity errors and the baud rate of a sender, the ninth data bit of a received frame, multi-processor mode, RxD and TxD as pins.

#include <cstdint>
#include <deque>
#include <functional>

#include "emulator/peripherals/io_event.hpp"
#include "emulator/peripherals/mcu_context.hpp"

struct avr_irq_t;
struct avr_uart_t;

namespace avrlan::peripherals {

class Usart {
 public:
  // `module` is simavr's USART, whose place this one takes.
  Usart(const McuContext& mcu, avr_uart_t& module);
  Usart(const Usart&) = delete;
  Usart& operator=(const Usart&) = delete;

  // Every frame sent, its lowest eight bits, at the end of its last stop bit.
  void on_sent(std::function<void(std::uint8_t)> byte) { sent_ = std::move(byte); }
  bool sending() const { return sending_.pending(); }
  // A sender on RxD, at the baud rate and with the frame format that are set here: frames follow each other without a
  // gap. Bytes that are clocked while RXENn is 0 are lost.
  void receive(std::uint8_t byte);
  // After avr_reset().
  void reset();

 private:
  struct Received {
    std::uint8_t byte;
    std::uint8_t status;  // DORn as UCSRnA shows it while this frame is at the head
  };

  std::uint8_t load_ucsra(std::uint16_t address);
  std::uint8_t load_udr(std::uint16_t address);
  void store_ucsra(std::uint16_t address, std::uint8_t value);
  void store_ucsrb(std::uint16_t address, std::uint8_t value);
  void store_udr(std::uint16_t address, std::uint8_t value);

  std::uint8_t& ucsra() const { return mcu_.data(ucsra_); }
  std::uint8_t& ucsrb() const { return mcu_.data(ucsrb_); }
  unsigned data_bits() const;
  Cycles frame_time() const;
  void send(std::uint8_t byte, Cycles start);
  void frame_sent(Cycles end);
  void expect_frame(Cycles start);
  void frame_received(Cycles end);
  void show_receive_buffer();
  void update_requests();

  const McuContext& mcu_;
  std::uint16_t udr_;
  std::uint16_t ucsra_;
  std::uint16_t ucsrb_;
  std::uint16_t ucsrc_;
  std::uint16_t ubrrl_;
  std::uint16_t ubrrh_;
  unsigned rx_vector_;
  unsigned udre_vector_;
  unsigned tx_vector_;
  avr_irq_t* output_;  // simavr's, for whoever watches it

  std::function<void(std::uint8_t)> sent_;
  IoEvent sending_{mcu_, [this](Cycles end) { frame_sent(end); }};
  std::uint8_t tx_shift_ = 0;
  std::uint8_t tx_buffer_ = 0;

  std::deque<std::uint8_t> line_;  // what the sender on RxD has not sent completely
  IoEvent receiving_{mcu_, [this](Cycles end) { frame_received(end); }};
  std::deque<Received> rx_buffer_;
};

}  // namespace avrlan::peripherals
