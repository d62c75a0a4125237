#pragma once
// One USART (ATmega328P datasheet, sections "USART0" and "USART in SPI Mode"; ATmega8, 32, 128, 644P, 2560, 32U4 alike):
// asynchronous at normal and double speed, synchronous as master and slave, and SPI master mode where the part has it.
//
// Phase. A store takes effect at the end of its instruction. The transmitter's clock is every 16th (8th with U2Xn, 2nd in
// the other modes) tick of the baud rate generator, and free-running: a frame written while nothing is sent begins at
// the first such clock after the store, frames written meanwhile follow without a gap. UDREn is set when the buffer
// moves to the shift register, TXCn at the end of the last stop bit when the buffer is empty. RXCn is set at the last
// sample of the first stop bit, about 9.6 bits after the start edge of an 8N1 frame. In SPI mode a byte takes 8 bits of
// 2 (UBRRn + 1) cycles, and UDREn, TXCn, RXCn and the device's exchange are at its end.
//
// Certain (datasheet): the division, the double buffer, the sampling, the FIFO and its flags, the shared address of
// UBRRH and UCSRC. Measured by others on an ATmega328P (simavr's pull request 408): what is written to UDRn while TXENn
// is 0 replaces what was written before, leaves UDREn set and is sent as soon as TXENn is 1. Inferred: the wait for the
// transmitter's clock (up to one bit); settings that change within a frame apply to the bits to come; a new start bit
// with a full receive buffer overwrites the waiting frame, and DORn comes with the frame that did it.
// Not modelled: RxD's synchroniser; a change of the clock's frequency within a received frame, whose earlier samples are
// then taken as if the new frequency had held; the noise that a change of UBRRn may make on XCKn.

#include <cstdint>
#include <deque>
#include <functional>

#include "emulator/peripherals/baud_generator.hpp"
#include "emulator/peripherals/frame_receiver.hpp"
#include "emulator/peripherals/gpio.hpp"
#include "emulator/peripherals/mcu_context.hpp"
#include "emulator/peripherals/serial_line.hpp"
#include "emulator/peripherals/spi_target.hpp"

struct avr_irq_t;
struct avr_uart_t;

namespace avrlan::peripherals {

struct UsartPins {
  Pin rxd;
  Pin txd;
  Pin xck;
};

class Usart {
 public:
  // `module` is simavr's USART, whose place this one takes.
  Usart(const McuContext& mcu, Gpio& gpio, avr_uart_t& module);
  Usart(const Usart&) = delete;
  Usart& operator=(const Usart&) = delete;

  // Its number in the part: 1 for USART1.
  unsigned number() const { return number_; }
  // The data bits of every frame sent, at the end of its last stop bit.
  void on_sent(std::function<void(std::uint16_t)> frame) { sent_ = std::move(frame); }
  bool sending() const { return tx_.active; }
  // Gives the frame to a sender on RxD, who sends one after the other without a gap, in the format that is set here when
  // a frame begins. What is on the line while RXENn is 0 is lost.
  void receive(std::uint16_t data);
  // The sender's baud rate, and that at which the host reads: frames that are not within the tolerance are a diagnostic.
  // 0: the rate that is set here.
  void set_host_baud(std::int64_t baud) { host_baud_ = baud; }
  // A device on TxD (MOSI), RxD (MISO) and XCK (SCK) in SPI mode; `select` is the pin on its chip select.
  void attach(SpiDevice& device, Pin select) { target_.attach(device, select); }
  // After avr_reset().
  void reset();

 private:
  enum class Mode : std::uint8_t { asynchronous, synchronous, spi };
  struct Received {
    std::uint16_t data;
    std::uint8_t status;  // FE, DOR and UPE as UCSRnA shows them while this frame is at the head
  };

  std::uint8_t load_ucsra(std::uint16_t address);
  std::uint8_t load_udr(std::uint16_t address);
  std::uint8_t load_ubrrh_or_ucsrc(std::uint16_t address);
  void store_ucsra(std::uint16_t address, std::uint8_t value);
  void store_ucsrb(std::uint16_t address, std::uint8_t value);
  void store_ucsrc(std::uint16_t address, std::uint8_t value);
  void store_ubrrh(std::uint16_t address, std::uint8_t value);
  void store_ubrrl(std::uint16_t address, std::uint8_t value);
  void store_ubrrh_or_ucsrc(std::uint16_t address, std::uint8_t value);
  void store_udr(std::uint16_t address, std::uint8_t value);

  std::uint8_t& ucsra() const { return mcu_.data(ucsra_); }
  std::uint8_t& ucsrb() const { return mcu_.data(ucsrb_); }
  std::uint8_t ucsrc() const;
  unsigned ubrr() const;
  bool powered() const { return !mcu_.is_set(power_reduction_); }
  bool is_slave() const;

  // Around a change of any register: brings both halves up to `now`; goes on from there with what is set then.
  void settle(Cycles now);
  void apply_settings(Cycles now);
  void io_clock(bool runs, Cycles at);

  // The transmitter.
  std::int64_t clocks(Cycles now) const { return generator_.ticks(now) / divider_; }
  int frame_bits() const { return mode_ == Mode::spi ? 8 : receiver_.format.bits(); }
  void write(std::uint16_t data, Cycles now);
  void begin_frame();
  void catch_up_transmitter(Cycles now);
  void schedule_transmitter();
  void frame_sent();
  void exchange(std::uint8_t sent);

  // The pins.
  void override_pins(Cycles now);
  void watchers_changed();
  void show_pins(Cycles now);
  bool txd_level(Cycles at) const;
  bool xck_level(Cycles at) const;
  void schedule_xck(Cycles now);
  void rxd_changed(bool high);
  void watch_xck();
  void xck_changed(bool high);

  // The receiver.
  bool receiving() const;
  Cycles sample_time(std::int64_t sample) const;
  std::int64_t samples_until(Cycles now) const;
  std::int64_t first_sample(Instant from) const;
  void restart_receiver(Cycles now);
  void catch_up_receiver(Cycles now);
  void schedule_receiver(Cycles now);
  void take_sample(bool high);
  void frame_received();
  void push(Received frame);
  void show_receive_buffer();

  // The sender on RxD.
  void start_sender(Cycles now);
  void sender_bit();
  void schedule_sender();
  void check_host_baud(bool host_sends);

  void update_requests();

  const McuContext& mcu_;
  Gpio& gpio_;
  const unsigned number_;
  const UsartPins pins_;
  const std::uint16_t udr_;
  const std::uint16_t ucsra_;
  const std::uint16_t ucsrb_;
  const std::uint16_t ucsrc_;
  const std::uint16_t ubrrl_;
  const std::uint16_t ubrrh_;
  const RegisterBit power_reduction_;
  const unsigned rx_vector_;
  const unsigned udre_vector_;
  const unsigned tx_vector_;
  avr_irq_t* const output_;  // simavr's, for whoever watches it
  Gpio::Alternate& rxd_pin_;
  Gpio::Alternate& txd_pin_;
  Gpio::Alternate& xck_pin_;
  bool watches_xck_ = false;
  McuContext::EventId xck_edge_;  // while somebody watches

  Mode mode_ = Mode::asynchronous;
  bool slave_ = false;  // XCKn clocks the frames from outside
  int divider_ = 16;    // ticks a bit
  BaudGenerator generator_;
  // Where UCSRC shares the address of UBRRH, at which an engine leaves what was loaded last.
  std::uint8_t shared_ubrrh_ = 0;
  std::uint8_t shared_ucsrc_ = 0;
  Cycles last_shared_load_{-2};

  struct {
    bool active = false;
    int bit = -1;            // on the line; -1 before the start bit
    std::int64_t clock = 0;  // clocks() when `bit` was brought up to date
    std::uint16_t data = 0;
  } tx_;
  std::uint16_t tx_buffer_ = 0;           // valid while UDREn is 0
  std::deque<std::uint16_t> early_data_;  // at most one: written while TXENn was 0
  McuContext::EventId sending_;
  std::function<void(std::uint16_t)> sent_;
  SpiTarget target_;

  FrameReceiver receiver_;
  SerialLine rxd_;
  McuContext::EventId receiving_;
  std::deque<Received> rx_buffer_;  // two, and one that waits in the shift register
  bool overrun_ = false;

  std::int64_t host_baud_ = 0;
  std::deque<std::uint16_t> sender_queue_;  // the first is on the line while sender_bit_ is not -1
  int sender_bit_ = -1;
  FrameFormat sender_format_;
  McuContext::EventId sender_;
  Cycles sender_time_{};
  Scheduler::EventId host_sender_;  // instead, at a baud rate of its own
  Instant sender_began_{};
};

}  // namespace avrlan::peripherals
