// The USART's receiver, and who sends to it.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/peripherals/usart.hpp"
#include "emulator/peripherals/usart_bits.hpp"

namespace avrlan::peripherals {

namespace {

// Both, and the one that waits in the shift register.
constexpr std::size_t receive_frames = 3;

}  // namespace

bool Usart::receiving() const {
  return (ucsrb() & RXEN) != 0 && mode_ != Mode::spi && !slave_ && powered();
}

// In synchronous mode RxD is sampled at the edges of XCKn between those at which TxD changes.
Cycles Usart::sample_time(std::int64_t sample) const {
  return generator_.at(mode_ == Mode::synchronous ? 2 * sample + 1 : sample);
}

std::int64_t Usart::samples_until(Cycles now) const {
  const std::int64_t ticks = generator_.ticks(now);
  return mode_ == Mode::synchronous ? (ticks - 1) >> 1 : ticks;
}

std::int64_t Usart::first_sample(Instant from) const {
  return samples_until(mcu_.clock.first_at(from) - Cycles{1}) + 1;
}

// A frame that was under way is lost.
void Usart::restart_receiver(Cycles now) {
  receiver_.hunt(samples_until(now) + 1, rxd_.level(mcu_.clock.at(now)));
}

void Usart::catch_up_receiver(Cycles now) {
  if (!receiving()) return;
  const std::int64_t last = samples_until(now);
  while (receiver_.next() <= last) {
    const Instant time = mcu_.clock.at(sample_time(receiver_.next()));
    const bool high = rxd_.level(time);
    if (!receiver_.hunting() || high != receiver_.waits_at()) {
      take_sample(high);
      continue;
    }
    const Instant edge = rxd_.next_edge(time);
    receiver_.skip_to(edge.is_never() ? last + 1 : std::clamp(first_sample(edge), receiver_.next() + 1, last + 1));
  }
  rxd_.forget(mcu_.clock.at(sample_time(last)));
}

// One event a frame: when its last sample is taken, if nothing else happens.
void Usart::schedule_receiver(Cycles now) {
  mcu_.cancel(receiving_);
  if (!receiving() || generator_.stopped()) return;
  std::int64_t sample = 0;
  if (receiver_.hunting()) {
    if (!receiver_.waits_at() || rxd_.level(mcu_.clock.at(now))) return;
    sample = receiver_.last_sample(receiver_.next());
  } else {
    sample = std::max(receiver_.next(), receiver_.last_sample());
  }
  const Cycles when = sample_time(sample);
  receiving_ = mcu_.at(when, [this, when] {
    receiving_ = {};
    catch_up_receiver(when);
    schedule_receiver(when);
  });
}

void Usart::take_sample(bool high) {
  switch (receiver_.step(high)) {
    case FrameReceiver::Event::none:
      break;
    case FrameReceiver::Event::start:
      // "A Data OverRun occurs when the receive buffer is full (two characters), it is a new character waiting in the
      // Receive Shift Register, and a new start bit is detected."
      if (rx_buffer_.size() == receive_frames) {
        rx_buffer_.pop_back();
        overrun_ = true;
      }
      break;
    case FrameReceiver::Event::frame:
      frame_received();
      break;
  }
}

void Usart::frame_received() {
  const FrameReceiver::Frame& frame = receiver_.frame();
  // Multi-processor Communication mode: of 9 data bits the ninth, of fewer the first stop bit is one in an address frame.
  const bool address = receiver_.format.data_bits == 9 ? (frame.data & 0x100) != 0 : frame.stop_bit;
  if ((ucsra() & MPCM) != 0 && !address) return;
  push({frame.data, static_cast<std::uint8_t>((frame.stop_bit ? 0 : FE) | (frame.parity_error ? UPE : 0))});
}

void Usart::push(Received frame) {
  if (rx_buffer_.size() == receive_frames) rx_buffer_.pop_back();
  if (overrun_) frame.status |= DOR;
  overrun_ = false;
  rx_buffer_.push_back(frame);
  show_receive_buffer();
}

std::uint8_t Usart::load_udr(std::uint16_t) {
  catch_up_receiver(mcu_.load_sampled());
  if (rx_buffer_.empty()) return 0;
  const auto byte = static_cast<std::uint8_t>(rx_buffer_.front().data);
  rx_buffer_.pop_front();
  show_receive_buffer();
  return byte;
}

void Usart::show_receive_buffer() {
  ucsra() = static_cast<std::uint8_t>(ucsra() & ~(RXC | FE | DOR | UPE));
  bool ninth = false;
  if (!rx_buffer_.empty()) {
    ucsra() = static_cast<std::uint8_t>(ucsra() | RXC | rx_buffer_.front().status);
    ninth = (rx_buffer_.front().data & 0x100) != 0;
  }
  mcu_.set_bits(ucsrb_, RXB8, ninth);
  update_requests();
}

void Usart::rxd_changed(bool high) {
  const Instant when = gpio_.changed_at();
  // What nobody drives is at rest.
  rxd_.set(when, high || gpio_.is_floating(pins_.rxd));
  if (!receiving()) {
    if (mode_ != Mode::spi) rxd_.forget(when);
  } else if (!receiving_) {
    // A sample at this very time sees the new level.
    const Cycles now = mcu_.clock.first_at(when);
    catch_up_receiver(now - Cycles{1});
    schedule_receiver(now);
  }
}

void Usart::receive(std::uint16_t data) {
  if (sender_queue_.empty()) gpio_.drive(pins_.rxd, true);
  sender_queue_.push_back(data);
  if (sender_bit_ < 0 && sender_queue_.size() == 1) start_sender(mcu_.clock.first_at(mcu_.scheduler.now()));
}

void Usart::start_sender(Cycles now) {
  if (slave_) return;  // XCKn clocks it
  sender_time_ = mode_ == Mode::synchronous ? generator_.at((clocks(now) + 1) * divider_) : now;
  sender_ = mcu_.at(sender_time_, [this] { sender_bit(); });
}

// The sender on RxD begins its next bit.
void Usart::sender_bit() {
  ++sender_bit_;
  if (sender_bit_ == sender_format_.bits()) {
    sender_queue_.pop_front();
    sender_bit_ = sender_queue_.empty() ? -1 : 0;
  }
  if (sender_bit_ < 0) return;
  if (sender_bit_ == 0) {
    sender_format_ = receiver_.format;
    sender_began_ = mcu_.scheduler.now();
    check_host_baud(true);
  }
  if (!slave_) schedule_sender();
  gpio_.drive(pins_.rxd, sender_format_.level(sender_queue_.front(), sender_bit_));
}

void Usart::schedule_sender() {
  if (host_baud_ != 0 && mode_ == Mode::asynchronous) {
    const std::int64_t bits = sender_bit_ + 1;
    const Instant next = sender_began_ + Duration::picoseconds(bits * Duration::seconds(1).picoseconds() / host_baud_);
    host_sender_ = mcu_.scheduler.at(next, [this] { sender_bit(); });
  } else {
    sender_time_ += Cycles{divider_ * generator_.period().count};
    sender_ = mcu_.at(sender_time_, [this] { sender_bit(); });
  }
}

void Usart::watch_xck() {
  if (std::exchange(watches_xck_, true)) return;
  gpio_.watch_port(pins_.xck.port, [this](std::uint8_t changed) {
    if ((changed >> pins_.xck.bit & 1) != 0) xck_changed(gpio_.level(pins_.xck));
  });
}

// As a synchronous slave: TxD changes at one edge of XCKn, RxD is sampled at the other. "UCPOLn: 0: rising XCKn edge,
// falling XCKn edge".
void Usart::xck_changed(bool high) {
  const Cycles now = mcu_.clock.first_at(gpio_.changed_at());
  if (slave_ != is_slave()) {
    settle(now);
    apply_settings(now);
  }
  if (!slave_ || !powered() || generator_.stopped()) return;
  const bool changing_edge = high != ((ucsrc() & UCPOL) != 0);
  if (!changing_edge) {
    if ((ucsrb() & RXEN) != 0) take_sample(rxd_.level(mcu_.clock.at(now)));
    return;
  }
  if (tx_.active && ++tx_.bit >= frame_bits()) frame_sent();
  show_pins(now);
  if (!sender_queue_.empty()) sender_bit();
}

// Datasheet, "Asynchronous Operational Range": Rslow and Rfast bound the ratio of the sender's rate to the receiver's.
void Usart::check_host_baud(bool host_sends) {
  if (host_baud_ == 0 || mode_ != Mode::asynchronous || mcu_.diagnostics == nullptr) return;
  const Cycles now = mcu_.clock.first_at(mcu_.scheduler.now());
  const Duration bit = mcu_.clock.at(now + Cycles{divider_ * generator_.period().count}) - mcu_.clock.at(now);
  const double own = 1 / bit.seconds();
  const auto host = static_cast<double>(host_baud_);
  const Sampling& sampling = host_sends ? receiver_.sampling : sampling_16;
  const double bits = receiver_.format.bits_before_stop() - 1;
  const double s = sampling.per_bit;
  const double slow = (bits + 1) * s / (s - 1 + bits * s + sampling.first_vote + 1);
  const double fast = (bits + 2) * s / ((bits + 1) * s + sampling.first_vote + 2);
  const double ratio = host_sends ? host / own : own / host;
  if (ratio >= slow && ratio <= fast) return;
  mcu_.diagnostics->report(
      {Severity::warning, "uart-baud",
       fmt::format(
           "USART{} is set to {:.0f} baud, but the other end of the line {} at {} (--uart-baud), {:+.1f} % off: "
           "frames are read wrong; set UBRR{}H:UBRR{}L and U2X{} for that rate.",
           number_, own, host_sends ? "sends" : "reads", host_baud_, 100 * (own / host - 1), number_, number_,
           number_)});
}

}  // namespace avrlan::peripherals
