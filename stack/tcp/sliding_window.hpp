#ifndef TCPIP_TCP_SLIDING_WINDOW_HPP
#define TCPIP_TCP_SLIDING_WINDOW_HPP
// The sending half of TCP with several segments in flight, and the acknowledgements of the receiving half: RFC 9293 3.8,
// congestion.hpp, the Nagle algorithm, delayed acknowledgements and keep-alive.
#include "stack/tcp/output.hpp"

namespace tcpip {

template <class Config>
class SlidingWindow : public TcpOutput<Config> {
 protected:
  using Base = TcpOutput<Config>;
  using Base::connections_;
  using Base::hold;
  using Base::must_go;
  using Base::whole;
  using typename Base::Slot;

  // Sends what there is to send: what is lost, new data and FIN as far as both windows let it, an acknowledgement when
  // `acknowledge` or when our window has opened.
  void output(Slot& c, bool acknowledge) {
    this->clear(c, Connection::wanted);
    if (c.flags_ & Connection::aborting) {
      this->reset(c);
      return;
    }
    if (c.state_ < TcpState::established) return;
    // A sender that still has room is not told of each bit more, but with the acknowledgement.
    if (this->open_window(c, c.receive_window_ < Config::mss ? Config::mss : 2 * Config::mss)) acknowledge = true;
    if (c.switches_ & Slot::lost) {
      c.choose(Slot::lost, false);
      c.timed_ = 0;
      if (segment(c, 0, smaller(c.mss_, c.in_flight_), 0)) acknowledge = false;
    }
    if (c.state_ != TcpState::fin_wait_2 && c.state_ != TcpState::time_wait)
      fill(c, false, acknowledge);
    else if (acknowledge)
      segment(c, 0, 0, must_go);
  }

  // Sends our SYN, with an acknowledgement when the peer's has come.
  void send_syn(Slot& c) {
    c.timed_ = c.retries_ == 0;
    c.sent_at_ = this->now_;
    segment(c, 0, 0, must_go);
    this->arm(c);
  }

  // Our SYN was acknowledged; `lost`: not the first one, perhaps.
  void opened(Slot& c, bool lost) {
    c.congestion_.open(c.mss_, Config::initial_window, lost);
    c.window_from_ = c.rcv_nxt_ - 1;
  }

  // n octets more than before are acknowledged.
  void acknowledged(Slot& c, uint16_t n) {
    this->advance(c, n);
    c.next_ = beyond(c.next_, n);
    if (c.timed_ && n >= c.timed_) this->measured(c, static_cast<Tick>(this->now_ - c.sent_at_));
    c.timed_ = beyond(c.timed_, n);
    c.retries_ = 0;
    if (c.congestion_.acknowledged(n, c.in_flight_, c.mss_, Config::congestion_window)) c.choose(Slot::lost, true);
    this->watch(c);
  }

  // The acknowledgement that came says nothing new (RFC 5681 2).
  void duplicate(Slot& c) {
    if (c.congestion_.duplicate(c.in_flight_, c.mss_, Config::congestion_window)) c.choose(Slot::lost, true);
  }

  // The peer's window was closed and has opened: what is in flight did not fit.
  void window_opened(Slot& c) {
    c.next_ = 0;
    c.timed_ = 0;
  }

  // Whether a segment that takes `span` of sequence space is acknowledged now. Every second one is; the others wait for
  // data to go with.
  bool acknowledges(Slot& c, uint16_t span, bool at_once) {
    if (span == 0) return false;
    if (at_once || Config::delayed_ack_ms == 0 || (c.switches_ & Slot::ack_delayed)) return true;
    c.choose(Slot::ack_delayed, true);
    c.acknowledge_at_ = static_cast<Tick>(this->now_ + to_tick(Config::delayed_ack_ms));
    return false;
  }

  // Whether the window of a segment with this sequence number is to be believed (RFC 9293 3.10.7.4).
  static bool takes_window(Slot& c, uint32_t seq) {
    if (static_cast<int32_t>(seq - c.window_from_) < 0) return false;
    c.window_from_ = seq;
    return true;
  }

  // The peer is there.
  static void heard(Slot& c) {
    c.silent_s_ = 0;
    c.unanswered_ = 0;
  }
  static bool is_deaf(const Slot& c) { return c.switches_ & Slot::deaf; }

  uint16_t segment(Slot& c, uint16_t from, uint16_t room, uint8_t how) {
    this->open_window(c);
    const uint16_t n = Base::segment(c, from, room, how);
    if (n || (how & must_go)) c.choose(Slot::ack_delayed, false);
    if (n) c.unsent_s_ = 0;
    return n;
  }
  void answer(Slot& c) { segment(c, c.in_flight_, 0, must_go); }

  void tcp_poll() {
    for (Slot& c : connections_) {
      if (c.state_ == TcpState::closed) continue;
      if (c.flags_ & Connection::wanted) output(c, false);
      if ((c.flags_ & Connection::timer) && c.state_ != TcpState::closed && is_due(this->now_, c.deadline_)) expire(c);
      if ((c.switches_ & Slot::ack_delayed) && c.state_ != TcpState::closed && is_due(this->now_, c.acknowledge_at_))
        answer(c);
    }
  }

  void tcp_second() {
    Base::tcp_second();
    for (Slot& c : connections_) {
      if (c.state_ < TcpState::established || c.state_ == TcpState::time_wait) continue;
      if (c.unsent_s_ != 0xff) ++c.unsent_s_;
      if ((c.switches_ & Slot::kept_alive) && c.in_flight_ == 0) keep_alive(c);
    }
  }

  // A next hop is known now.
  void tcp_resolved() {
    for (Slot& c : connections_) {
      if (c.state_ == TcpState::closed || !(c.flags_ & Connection::unresolved)) continue;
      this->clear(c, Connection::unresolved);
      if (c.state_ < TcpState::established)
        send_syn(c);
      else if (c.in_flight_)
        fill(c, true, true);
      else if (c.unanswered_)
        probe(c);
      else
        output(c, true);
    }
  }

 private:
  static_assert(Config::congestion_window <= 0x7fff - Config::mss, "distances are kept in 16 bits");
  static_assert(Config::delayed_ack_ms < 500, "RFC 9293 3.8.6.3");

  static uint16_t beyond(uint16_t place, uint16_t n) { return place > n ? static_cast<uint16_t>(place - n) : 0; }

  // Sends from next_ on, as much as both windows let it, and sees to the timer. `forced`: whatever the peer's window.
  void fill(Slot& c, bool forced, bool acknowledge) {
    if (c.in_flight_ == 0 && seconds(c.unsent_s_) > this->timeout(c))
      c.congestion_.restart(c.mss_, Config::initial_window);
    uint16_t window = smaller(c.congestion_.window(c.mss_), c.send_window_);
    if (forced && window == 0) window = 1;
    bool waits = window == 0;
    while (c.next_ < window) {
      const bool again = c.next_ < c.in_flight_;
      if (!again && (c.flags_ & Connection::fin_sent)) break;
      uint16_t room = smaller(c.mss_, static_cast<uint16_t>(window - c.next_));
      uint8_t how = acknowledge ? must_go : 0;
      if (again) {
        room = smaller(room, static_cast<uint16_t>(c.in_flight_ - c.next_));
      } else if (!forced) {
        // Silly window avoidance (RFC 9293 3.8.6.2.1).
        if (room < smaller(c.mss_, c.max_send_window_ / 2)) how |= hold;
        if (c.in_flight_ && !(c.switches_ & Slot::undelayed)) how |= whole;
        // An acknowledgement will come: no data is made that could not go before.
        if (c.in_flight_ && room < c.mss_ && (how & (hold | whole))) break;
      }
      const uint16_t n = segment(c, c.next_, room, how);
      acknowledge = false;
      if (n == 0) {
        waits = (how & hold) || (c.flags_ & Connection::unresolved);
        break;
      }
      forced = false;
      c.next_ = static_cast<uint16_t>(c.next_ + n);
      if (again) continue;
      c.in_flight_ = c.next_;
      if (c.timed_) continue;
      c.timed_ = c.next_;
      c.sent_at_ = this->now_;
    }
    if (acknowledge) answer(c);
    if (c.in_flight_ == 0 && !waits)
      this->clear(c, Connection::timer);
    else if (!(c.flags_ & Connection::timer))
      this->arm(c);
  }

  void expire(Slot& c) {
    const bool again = c.retries_;
    if (this->expired(c)) return;
    if (c.state_ < TcpState::established) {
      send_syn(c);
      return;
    }
    c.next_ = 0;
    c.timed_ = 0;
    if (c.in_flight_ && c.send_window_) c.congestion_.timeout(c.in_flight_, c.mss_, again);
    fill(c, true, false);
  }

  // RFC 9293 3.8.4, once a second.
  void keep_alive(Slot& c) {
    if (++c.silent_s_ < Config::keep_alive_s) return;
    if (c.unanswered_ == Config::keep_alive_probes) {
      this->end(c, TcpEvent::timed_out);
      return;
    }
    ++c.unanswered_;
    c.silent_s_ = static_cast<uint16_t>(Config::keep_alive_s - Config::keep_alive_interval_s);
    probe(c);
  }

  // Sends a segment that is old for the peer, so that it answers.
  void probe(Slot& c) {
    --c.una_;
    segment(c, 0, 0, must_go);
    ++c.una_;
  }
};

}  // namespace tcpip

#endif
