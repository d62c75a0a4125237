#ifndef TCPIP_TCP_STOP_AND_WAIT_HPP
#define TCPIP_TCP_STOP_AND_WAIT_HPP
// The sending half of TCP with one segment's worth of data in flight (RFC 9293 3.8).
#include "stack/tcp/output.hpp"

namespace tcpip {

template <class Config>
class StopAndWait : public TcpOutput<Config> {
 protected:
  using Base = TcpOutput<Config>;
  using Base::connections_;
  using Base::device_;
  using Base::hold;
  using Base::loaded;
  using Base::must_go;
  using typename Base::Slot;

  // Sends what there is to send: new data and FIN when nothing is in flight, an acknowledgement when `acknowledge` or
  // when our window has opened.
  void output(Slot& c, bool acknowledge) {
    this->clear(c, Connection::wanted);
    if (c.flags_ & Connection::aborting) {
      this->reset(c);
      return;
    }
    if (c.state_ < TcpState::established) return;
    if (this->open_window(c)) acknowledge = true;
    if (c.in_flight_ == 0 && (c.state_ == TcpState::established || c.state_ == TcpState::close_wait))
      transmit(c, false, acknowledge);
    else if (acknowledge)
      this->answer(c);
  }

  // Sends our SYN, with an acknowledgement when the peer's has come.
  void send_syn(Slot& c) { transmit(c, true, true); }

  // Sends from the oldest octet that is not acknowledged on, and sees to the timer. `forced`: whatever the peer's
  // window.
  void transmit(Slot& c, bool forced, bool acknowledge) {
    if (c.retries_ == 0) c.sent_at_ = this->now_;
    uint16_t room = smaller(c.mss_, c.send_window_);
    // Silly window avoidance (RFC 9293 3.8.6.2.1): less than a segment goes only when it is all there is, or when the
    // timer has expired. With a closed window that is the probe.
    const bool small = room == 0 || room < smaller(c.mss_, c.max_send_window_ / 2);
    if (forced && room == 0) room = 1;
    const uint16_t first = Config::split_segments && room == c.mss_ && room >= 128 && !c.acknowledges_each()
                               ? static_cast<uint16_t>(room / 2)
                               : room;
    const bool full = first == c.mss_;
    uint8_t how = static_cast<uint8_t>((acknowledge ? must_go : 0) | (small && !forced ? hold : 0));
    if (full && !forced && this->is_preloaded(c))
      how |= loaded;
    else
      drop_preloaded(c);
    uint16_t sent = this->segment(c, 0, first, how);
    if (sent == first && first < room)
      sent = static_cast<uint16_t>(sent + this->segment(c, sent, static_cast<uint16_t>(room - first), 0));
    if (sent > c.in_flight_) c.in_flight_ = sent;
    if (c.in_flight_ || !(small || (c.flags_ & Connection::unresolved)))
      this->watch(c);
    else if (!(c.flags_ & Connection::timer))
      this->arm(c);
    if (Config::preload && full && sent == first && (!Config::split_segments || c.acknowledges_each()))
      this->preload_after(c);
  }

  void tcp_poll() {
    for (Slot& c : connections_) {
      if (c.state_ == TcpState::closed) {
        drop_preloaded(c);
        continue;
      }
      if (c.flags_ & Connection::wanted) output(c, false);
      if ((c.flags_ & Connection::timer) && c.state_ != TcpState::closed && is_due(this->now_, c.deadline_)) expire(c);
      if (this->preload_is_due(c)) preload(c);
    }
  }

  // A next hop is known now.
  void tcp_resolved() {
    for (Slot& c : connections_) {
      if (c.state_ == TcpState::closed || !(c.flags_ & Connection::unresolved)) continue;
      this->clear(c, Connection::unresolved);
      if (c.in_flight_)
        transmit(c, true, false);
      else
        output(c, true);
    }
  }

  // Our SYN was acknowledged.
  void opened(Slot&, bool /*lost*/) {}

  // n octets more than before are acknowledged.
  void acknowledged(Slot& c, uint16_t n) {
    this->advance(c, n);
    if (c.retries_ == 0) {
      const Tick after = static_cast<Tick>(this->now_ - c.sent_at_);
      c.learn(c.in_flight_ != 0, after);
      this->measured(c, after);
    }
    c.retries_ = 0;
    this->watch(c);
  }
  // The acknowledgement that came says nothing new.
  void duplicate(Slot&) {}

  // The peer's window was closed and has opened.
  void window_opened(Slot& c) {
    if (c.in_flight_ == 0) return;
    c.retries_ = 1;  // what follows is no new segment: no measurement (Karn)
    transmit(c, true, false);
  }

  // Whether a segment that takes `span` of sequence space is acknowledged now.
  static bool acknowledges(Slot&, uint16_t span, bool /*at_once*/) { return span != 0; }

  // Every acceptable segment brings a window that is not older than the one before.
  static bool takes_window(Slot&, uint32_t /*seq*/) { return true; }

  static void heard(Slot&) {}
  static bool is_deaf(const Slot&) { return false; }

 private:
  // Writes the segment after the one in flight, when the application has a full one.
  void preload(Slot& c) {
    this->take_preloaded();
    if (!this->open(ethernet_size + ipv4_size + tcp_size)) return;
    Writer<typename Config::Device> writer(device_, c.mss_);
    if (this->produce(c, c.in_flight_, writer) == c.mss_ && device_.tx_hold()) this->keep_preloaded(writer.sum());
  }
  __attribute__((noinline)) void drop_preloaded(const Slot& c) {
    if (this->is_preloaded(c)) device_.tx_resume();
    if (this->is_preloaded(c) || this->preload_is_due(c)) this->take_preloaded();
  }

  void expire(Slot& c) {
    if (!this->expired(c)) transmit(c, true, false);
  }
};

}  // namespace tcpip

#endif
