#ifndef TCPIP_TCP_OUTPUT_HPP
#define TCPIP_TCP_OUTPUT_HPP
// What both ways of sending have in common (stop_and_wait.hpp, sliding_window.hpp): the connections, a segment, and the
// retransmission timer (RFC 6298). Data is sent again by asking the application for it again.
#include "stack/base/applications.hpp"
#include "stack/base/stream.hpp"
#include "stack/tcp/application.hpp"
#include "stack/tcp/preload.hpp"
#include "stack/tcp/windowed_connection.hpp"
#include "stack/udp/link_local.hpp"

namespace tcpip {

constexpr uint16_t smaller(uint16_t a, uint16_t b) {
  return a < b ? a : b;
}

// Room for the state of any one of the applications.
template <class L>
union States;
template <>
union States<List<>> {
  uint8_t none;
};
template <class A, class... Rest>
union States<List<A, Rest...>> {
  typename A::State& of(A&) { return first; }
  template <class Other>
  typename Other::State& of(Other& other) {
    return rest.of(other);
  }

  typename A::State first;
  States<List<Rest...>> rest;
};

template <class Config>
class TcpOutput : public LinkLocal<Config, Config::link_local>, protected Preload<Config::preload> {
 protected:
  using Base = LinkLocal<Config, Config::link_local>;
  using Base::device_;
  using Base::packet_;
  using Device = typename Config::Device;
  using Apps = typename Config::TcpApplications;

  struct Slot : ConnectionOf<Config::sliding_window>::Type, AckHabit<Config::preload> {
    States<Apps> states;
  };

  __attribute__((noinline)) void tell(Slot& c, TcpEvent event) {
    Tell tell = {c, event};
    applications_.visit(c.application_, tell);
  }
  // Nobody is told of a connection that a peer has begun to open.
  void end(Slot& c, TcpEvent event) {
    const bool known = c.state_ != TcpState::syn_received || (c.flags_ & Connection::active);
    c.state_ = TcpState::closed;
    if (known) tell(c, event);
  }

  void reset(Slot& c) {
    c.flags_ |= Connection::aborting;
    answer(c);
    c.state_ = TcpState::closed;
  }

  // RFC 6298 (2): a measured round trip, in ticks.
  static void measured(Slot& c, uint16_t ticks) {
    if (ticks == 0) ticks = 1;
    if (c.srtt_ == 0) {
      c.srtt_ = static_cast<uint16_t>(ticks * 8);
      c.rttvar_ = static_cast<uint16_t>(ticks * 2);
    } else {
      int16_t error = static_cast<int16_t>(ticks - (c.srtt_ >> 3));
      c.srtt_ = static_cast<uint16_t>(c.srtt_ + error);
      if (error < 0) error = static_cast<int16_t>(-error);
      c.rttvar_ = static_cast<uint16_t>(c.rttvar_ + error - (c.rttvar_ >> 2));
    }
    c.backoff_ = 0;
  }

  // RFC 6298 (2.3), (5.5).
  static Tick timeout(const Slot& c) {
    Tick timeout = static_cast<Tick>((c.srtt_ >> 3) + c.rttvar_);
    if (timeout < shortest_timeout) timeout = shortest_timeout;
    for (uint8_t i = c.backoff_; i && timeout < longest_timeout; --i) timeout = static_cast<Tick>(timeout << 1);
    return timeout < longest_timeout ? timeout : longest_timeout;
  }
  __attribute__((noinline)) void arm(Slot& c) { arm(c, timeout(c)); }
  __attribute__((noinline)) void arm(Slot& c, Tick timeout) {
    c.deadline_ = static_cast<Tick>(this->now_ + timeout);
    c.flags_ |= Connection::timer;
  }

  // The timer counts anew for what is in flight.
  void watch(Slot& c) {
    if (c.in_flight_)
      arm(c);
    else
      clear(c, Connection::timer);
  }
  // In FIN-WAIT-2 and TIME-WAIT: until nobody is waited for any more.
  __attribute__((noinline)) void linger(Slot& c) {
    arm(c, c.state_ == TcpState::time_wait ? seconds(Config::time_wait_s) : seconds(60));
  }

  // The timer of a connection has expired. True: that was all; false: what is in flight has to be sent again.
  bool expired(Slot& c) {
    clear(c, Connection::timer);
    if (c.state_ == TcpState::time_wait) {
      c.state_ = TcpState::closed;
      return true;
    }
    if (c.state_ == TcpState::fin_wait_2 || (c.in_flight_ && c.retries_ == Config::retransmissions)) {
      end(c, TcpEvent::timed_out);
      return true;
    }
    if (c.in_flight_) ++c.retries_;
    if (c.backoff_ < 6) ++c.backoff_;
    return false;
  }

  // n octets more than before are acknowledged.
  static void advance(Slot& c, uint16_t n) {
    c.una_ += n;
    c.in_flight_ = static_cast<uint16_t>(c.in_flight_ - n);
  }

  void tcp_second() {
    for (Slot& c : connections_) {
      clear(c, Connection::challenged);
      if (c.state_ < TcpState::established || c.state_ == TcpState::time_wait) continue;
      tell(c, TcpEvent::poll);
    }
  }

  // Our address is gone.
  void tcp_abandon() {
    for (Slot& c : connections_)
      if (c.state_ != TcpState::closed) end(c, TcpEvent::aborted);
  }

  static void clear(Slot& c, uint8_t flag) { c.flags_ &= static_cast<uint8_t>(~flag); }

  static constexpr uint8_t must_go = 1;  // also without data
  static constexpr uint8_t hold = 2;     // not when it fills the room
  static constexpr uint8_t whole = 4;    // nothing but a full segment, or the last one
  static constexpr uint8_t loaded = 8;   // the data is what is preloaded, and fills the room

  // Sends one segment with at most `room` octets of what the application has from octet una + from on, and with FIN when
  // there is no more. Returns the octets of sequence space in it.
  uint16_t segment(Slot& c, uint16_t from, uint16_t room, uint8_t how) {
    uint8_t header = tcp_size;
    uint8_t flags = tcp_ack;
    if (c.flags_ & Connection::aborting) {
      flags = tcp_rst | tcp_ack;
      room = 0;
    } else if (c.state_ < TcpState::established) {
      flags = c.state_ == TcpState::syn_sent ? tcp_syn : tcp_syn | tcp_ack;
      header = tcp_size + 4;
      how = must_go;
      room = from = 0;
    }
    this->send_from(c.interface_);
    if (!this->ipv4_open(c.remote_, protocol_tcp, header)) {
      c.flags_ |= Connection::unresolved;
      return 0;
    }
    uint16_t n = 0;
    uint16_t sum = 0;
    if (room) {
      uint16_t most = room;
      // Nothing takes the place of a FIN that was sent.
      if (c.flags_ & Connection::fin_sent) most = smaller(room, static_cast<uint16_t>(c.in_flight_ - 1 - from));
      if (Config::preload && (how & loaded)) {
        device_.tx_resume();
        n = room;
        sum = this->take_preloaded();
      } else {
        Writer<Device> writer(device_, most);
        n = produce(c, from, writer);
        sum = writer.sum();
      }
      if (n < room) {
        if (c.flags_ & Connection::closing) flags |= tcp_fin;
      } else if (how & hold) {
        n = sum = 0;
      }
      if (Config::sliding_window && (how & whole) && n < c.mss_ && !(flags & tcp_fin)) n = sum = 0;
      if (n) flags |= tcp_psh;
    }
    const uint16_t taken = static_cast<uint16_t>(n + (flags & tcp_fin));
    if (taken == 0 && !(how & must_go)) return 0;
    if ((flags & tcp_fin) && !(c.flags_ & Connection::fin_sent)) {
      c.flags_ |= Connection::fin_sent;
      c.state_ = static_cast<TcpState>(static_cast<uint8_t>(c.state_) + 1);
    }
    TcpHeader& tcp = packet_.ip.tcp;
    tcp.source_port = c.local_port_;
    tcp.destination_port = c.remote_port_;
    tcp.seq = c.una_ + from;
    tcp.ack = c.rcv_nxt_;
    tcp.window = c.receive_window_;
    if (flags & tcp_syn) {
      tcp.mss_kind = 0x0204;
      tcp.mss = Config::mss;
    }
    tcp_send(flags, header, n, sum);
    return taken;
  }

  // An acknowledgement, or a reset when the connection is being aborted.
  __attribute__((noinline)) void answer(Slot& c) { segment(c, c.in_flight_, 0, must_go); }

  // Writes what the application has from octet una + from on; returns how much.
  uint16_t produce(Slot& c, uint16_t from, Writer<Device>& writer) {
    Produce produce = {c, c.acknowledged() + from, writer};
    applications_.visit(c.application_, produce);
    return writer.written();
  }

  // Sends what is in packet_ with n octets of data behind it.
  void tcp_send(uint8_t flags, uint8_t header, uint16_t n, uint16_t sum) {
    TcpHeader& tcp = packet_.ip.tcp;
    tcp.offset = static_cast<uint8_t>(header << 2);
    tcp.flags = flags;
    tcp.urgent = 0;
    tcp.checksum = 0;
    const uint16_t length = static_cast<uint16_t>(header + n);
    tcp.checksum = static_cast<uint16_t>(~this->transport_sum(header, length, sum));
    this->ipv4_send(header, length);
  }

  // Raises the window we advertise when it grows by `step` or half of the buffer (RFC 9293 3.8.6.2.2).
  __attribute__((noinline)) bool open_window(Slot& c, uint16_t step = Config::mss) {
    Space space = {c, 0, 0};
    applications_.visit(c.application_, space);
    if (space.now < c.receive_window_ ||
        space.now - c.receive_window_ < smaller(step, static_cast<uint16_t>((space.all + 1) / 2)))
      return false;
    c.receive_window_ = space.now;
    return true;
  }

  Slot connections_[Config::connections] = {};
  Applications<Apps> applications_;

 private:
  static constexpr Tick shortest_timeout = seconds(1);
  static constexpr Tick longest_timeout = seconds(60);

  struct Space {
    Slot& c;
    uint16_t all;
    uint16_t now;
    template <class A>
    void operator()(A& application) {
      all = application.buffer ? application.buffer : Config::receive_window;
      now = application.buffer ? application.space(c.states.of(application)) : Config::receive_window;
    }
  };

  struct Produce {
    Slot& c;
    uint32_t offset;
    Writer<Device>& writer;
    template <class A>
    void operator()(A& application) {
      application.produce(c, c.states.of(application), offset, writer);
    }
  };

  struct Tell {
    Slot& c;
    TcpEvent event;
    template <class A>
    void operator()(A& application) {
      application.event(c, c.states.of(application), event);
    }
  };
};

}  // namespace tcpip

#endif
