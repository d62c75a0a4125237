#ifndef TCPIP_TCP_TCP_HPP
#define TCPIP_TCP_TCP_HPP
// TCP: RFC 9293 with RFC 5961 (blind attacks), 6298 (retransmission timer), 6528 (sequence numbers), 6056 (ports) and
// 1337 (TIME-WAIT). This is the receiving half and the state machine; stop_and_wait.hpp or sliding_window.hpp is the
// other. Not here: window scale, timestamps, SACK.
#include "stack/tcp/reordering.hpp"

namespace tcpip {

template <class Config>
class Tcp : public Reordering<Config, Config::reorder_size != 0> {
 public:
  // Opens a connection to `port` of `to` for application A. Null: none is free, or we have no address.
  template <class A>
  Connection* connect(Ipv4Address to, uint16_t port) {
    this->route(to);
    Slot* slot = this->network_.address.is_zero() ? nullptr : allocate();
    if (!slot) return nullptr;
    Slot& c = *slot;
    TcpEndpoints ends = {};
    ends.remote_ = to;
    ends.local_ = this->network_.address;
    ends.remote_port_ = port;
    do ends.local_port_ = static_cast<uint16_t>(0xc000 | this->random());
    while (find(ends));
    start(c, IndexOf<A, Apps>::value, TcpState::syn_sent, ends);
    c.flags_ = Connection::active;
    this->send_syn(c);
    return &c;
  }

 protected:
  using Base = Reordering<Config, Config::reorder_size != 0>;
  using Base::applications_;
  using Base::broadcast_;
  using Base::connections_;
  using Base::counters_;
  using Base::device_;
  using Base::packet_;
  using Base::payload_length_;
  using Base::payload_offset_;
  using typename Base::Apps;
  using typename Base::Device;
  using typename Base::Slot;

  __attribute__((noinline)) void tcp_input() {
    Segment s;
    if (!parse(s)) {
      counters_.count(Drop::tcp);
      return;
    }
    Slot* c = find(s.ends);
    // A new connection may follow one in TIME-WAIT at once when its numbers are higher (RFC 9293 3.6.1).
    if (c && c->state_ == TcpState::time_wait && (s.flags & (tcp_syn | tcp_ack | tcp_rst)) == tcp_syn &&
        distance(s.seq, c->rcv_nxt_) > 0) {
      c->state_ = TcpState::closed;
      c = nullptr;
    }
    if (!c)
      listen(s);
    else if (c->state_ == TcpState::syn_sent)
      syn_sent(*c, s);
    else if (acceptable(*c, s) && acknowledge(*c, s))
      receive(*c, s);
  }

  // packet_ has the headers of a segment of ours that could not be delivered, which the peer or a router says for good. Only
  // a connection being opened ends by that, and only when it has sent that segment (RFC 5927 4).
  void tcp_refused() {
    const TcpEndpoints ends = {packet_.ip.destination, packet_.ip.source, packet_.ip.tcp.destination_port,
                               packet_.ip.tcp.source_port};
    Slot* c = find(ends);
    if (c && c->state_ == TcpState::syn_sent && packet_.ip.tcp.seq == c->una_) this->end(*c, TcpEvent::aborted);
  }

 private:
  struct Segment {
    // As on the wire from the addresses on, kept here because what is sent overwrites packet_.
    TcpEndpoints ends;
    Be32 seq;
    Be32 ack;
    uint8_t header;  // octets
    uint8_t flags;
    Be16 window_field;
    Be16 checksum;
    Be16 urgent;

    uint16_t length;  // of the data, which is at `offset` of the frame
    uint16_t offset;
    uint16_t window;
    uint16_t span;  // of sequence numbers: data, SYN and FIN
    int16_t ahead;  // of what is expected next
  };

  bool parse(Segment& s) {
    if (broadcast_ || payload_length_ < tcp_size) return false;
    memcpy(&s, &packet_.ip.source, 2 * sizeof(Ipv4Address) + tcp_size);
    s.header = static_cast<uint8_t>((s.header >> 2) & 0x3c);
    s.length = static_cast<uint16_t>(payload_length_ - s.header);
    if (s.header < tcp_size || static_cast<int16_t>(s.length) < 0 || !this->received_sum_is_right(tcp_size))
      return false;
    s.offset = static_cast<uint16_t>(payload_offset_ + s.header);
    // Less than 32 KB is ever in flight, so that distances to what is expected fit in 16 bits.
    s.window = smaller(s.window_field, 0x7fff);
    s.span = static_cast<uint16_t>(s.length + (s.flags & tcp_fin));
    if (s.flags & tcp_syn) ++s.span;
    return true;
  }

  // How far a number in a header is ahead of one of ours; what does not fit in 16 bits is the nearest that does.
  __attribute__((noinline, noclone)) static int16_t distance(const Be32& field, const uint32_t& from) {
    const uint32_t distance = field - from;
    const int16_t low = static_cast<int16_t>(distance);
    const int16_t high = static_cast<int16_t>(distance >> 16);
    if (high == (low < 0 ? -1 : 0)) return low;
    return high < 0 ? -0x8000 : 0x7fff;
  }

  Slot* find(const TcpEndpoints& ends) {
    for (Slot& c : connections_)
      if (c.state_ != TcpState::closed && memcmp(static_cast<TcpEndpoints*>(&c), &ends, sizeof ends) == 0) return &c;
    return nullptr;
  }

  // A free connection, or one that can be given up for a new one: first the oldest in TIME-WAIT, then one that was opened
  // by a peer who does not answer, then one whose peer has kept us waiting, closing or with a closed window.
  __attribute__((noinline)) Slot* allocate() {
    Slot* best = nullptr;
    uint8_t best_rank = 0;
    for (Slot& c : connections_) {
      if (c.state_ == TcpState::closed) return &c;
      uint8_t rank = 0;
      if (c.state_ == TcpState::time_wait)
        rank = 3;
      else if (c.state_ == TcpState::syn_received && c.retries_)
        rank = 2;
      else if (c.state_ == TcpState::fin_wait_2 ||
               (c.backoff_ > 2 && (c.send_window_ == 0 || (c.flags_ & Connection::fin_sent))))
        rank = 1;
      if (rank > best_rank || (rank && rank == best_rank && !is_due(c.deadline_, best->deadline_))) {
        best = &c;
        best_rank = rank;
      }
    }
    if (best_rank == 1) {
      this->tell(*best, TcpEvent::aborted);
      this->reset(*best);
    }
    return best;
  }

  void start(Slot& c, uint8_t application, TcpState state, const TcpEndpoints& ends) {
    this->forget(c);
    memset(static_cast<void*>(&c), 0, sizeof c);
    c.application_ = application;
    if (Config::interfaces > 1) c.interface_ = this->local();
    c.state_ = state;
    static_cast<TcpEndpoints&>(c) = ends;
    // RFC 6528: a clock of about 4 us, and a secret place for each pair of sockets.
    uint32_t who[3];
    memcpy(who, &ends, sizeof who);
    c.una_ = this->hash_(who[0] ^ who[1], who[2]) + (this->now_ms_ << 8);
    c.syn_ = c.una_;
    c.in_flight_ = 1;
    c.mss_ = 536;
    this->open_window(c);
  }

  void listen(const Segment& s) {
    Listener listener = {s.ends.local_port_, 0};
    if (!(s.flags & (tcp_ack | tcp_rst)) && applications_.find(listener)) {
      if (!(s.flags & tcp_syn)) {
        counters_.count(Drop::tcp);
        return;
      }
      Slot* c = allocate();
      if (!c) {
        counters_.count(Drop::tcp_full);
        return;
      }
      start(*c, listener.index, TcpState::syn_received, s.ends);
      synchronize(*c, s);
      this->send_syn(*c);
      return;
    }
    refuse(s);
  }

  struct Listener {
    Be16 port;
    uint8_t index;
    template <class A>
    bool operator()(A& application) {
      if (application.port && port == application.port) return true;
      ++index;
      return false;
    }
  };

  // Takes what a SYN says.
  void synchronize(Slot& c, const Segment& s) {
    c.rcv_nxt_ = s.seq + 1;
    c.send_window_ = c.max_send_window_ = s.window;
    uint8_t left = static_cast<uint8_t>(s.header - tcp_size);
    while (left) {
      struct {
        uint8_t kind;
        uint8_t length;
        Be16 value;
      } option;
      device_.rx_read(static_cast<uint16_t>(s.offset - left), &option, left < sizeof option ? left : sizeof option);
      if (option.kind == 0) break;
      uint8_t length = 1;
      if (option.kind != 1) {
        length = option.length;
        if (length < 2 || length > left) break;
        if (option.kind == 2 && length == 4) {
          c.mss_ = smaller(option.value, Config::mss);
          if (c.mss_ < smallest_mss) c.mss_ = smallest_mss;
        }
      }
      left = static_cast<uint8_t>(left - length);
    }
  }

  // Answers a segment that belongs to no connection, or acknowledges what was not sent, with a reset (RFC 9293 3.5.2).
  void refuse(const Segment& s) {
    if (s.flags & tcp_rst) return;
    counters_.count(Drop::tcp_refused);
    if (!this->ipv4_open(s.ends.remote_, protocol_tcp, tcp_size)) return;
    TcpHeader& tcp = packet_.ip.tcp;
    tcp.source_port = s.ends.local_port_;
    tcp.destination_port = s.ends.remote_port_;
    const bool ack = s.flags & tcp_ack;
    tcp.seq = ack ? static_cast<uint32_t>(s.ack) : 0;
    tcp.ack = s.seq + s.span;
    tcp.window = 0;
    this->tcp_send(ack ? tcp_rst : tcp_rst | tcp_ack, tcp_size, 0, 0);
  }

  // RFC 9293 3.10.7.3.
  void syn_sent(Slot& c, const Segment& s) {
    const bool ack = s.flags & tcp_ack;
    if (ack && distance(s.ack, c.una_) != 1) {
      refuse(s);
      return;
    }
    if (s.flags & tcp_rst) {
      if (ack) this->end(c, TcpEvent::aborted);
      return;
    }
    if (!(s.flags & tcp_syn)) return;
    synchronize(c, s);
    if (ack) {
      established(c);
      this->output(c, true);
    } else {
      c.state_ = TcpState::syn_received;
      this->send_syn(c);
    }
  }

  // Our SYN was acknowledged.
  void established(Slot& c) {
    c.state_ = TcpState::established;
    const bool lost = c.retries_;
    if (lost) c.rttvar_ = seconds(3);  // RFC 6298 (5.7)
    this->acknowledged(c, 1);
    this->opened(c, lost);
    this->tell(c, TcpEvent::connected);
  }

  // Checks the sequence number, RST and SYN (RFC 9293 3.10.7.4, RFC 5961 3 and 4), and answers what is not acceptable.
  bool acceptable(Slot& c, Segment& s) {
    static_assert(Config::receive_window <= 0x7fff, "distances are kept in 16 bits");
    s.ahead = distance(s.seq, c.rcv_nxt_);
    if (s.ahead == -1 && c.state_ == TcpState::syn_received && (s.flags & tcp_syn)) {
      // The peer's SYN again. With an ACK of ours it completes a simultaneous open.
      if (s.flags & tcp_ack)
        s.ahead = 0;
      else
        this->send_syn(c);
      return s.flags & tcp_ack;
    }
    const bool inside = s.ahead >= 0 && (s.ahead == 0 || s.ahead < static_cast<int16_t>(c.receive_window_));
    if (s.flags & tcp_rst) {
      if (inside && c.state_ != TcpState::time_wait) {
        if (s.ahead == 0)
          this->end(c, TcpEvent::aborted);
        else
          challenge(c);
      }
      return false;
    }
    const bool overlaps = static_cast<uint16_t>(-s.ahead) < s.span;
    if (!inside && !overlaps) {
      if (c.state_ == TcpState::time_wait && (s.flags & tcp_fin)) this->linger(c);
      if (s.span && !(s.flags & tcp_syn))
        this->answer(c);
      else
        challenge(c);
      return false;
    }
    if (s.flags & tcp_syn) {
      challenge(c);
      return false;
    }
    return s.flags & tcp_ack;
  }

  // An acknowledgement with our numbers, at most one a second for each connection.
  void challenge(Slot& c) {
    if (c.flags_ & Connection::challenged) return;
    c.flags_ |= Connection::challenged;
    this->answer(c);
  }

  // Takes the acknowledgement and the window. False: the segment ends here.
  bool acknowledge(Slot& c, const Segment& s) {
    this->heard(c);
    const int16_t more = distance(s.ack, c.una_);
    if (c.state_ == TcpState::syn_received) {
      if (more != 1) {
        refuse(s);
        return false;
      }
      established(c);
    } else if (more > static_cast<int16_t>(c.in_flight_) || more < -static_cast<int16_t>(c.max_send_window_)) {
      challenge(c);  // RFC 5961 5
      return false;
    } else if (more > 0) {
      this->acknowledged(c, static_cast<uint16_t>(more));
      if (c.in_flight_ == 0 && (c.flags_ & Connection::fin_sent)) return fin_acknowledged(c);
      this->tell(c, TcpEvent::acked);
    } else if (Config::sliding_window && more == 0 && s.span == 0 && c.in_flight_ && s.window == c.send_window_ &&
               s.window) {
      this->duplicate(c);
    }
    if (more >= 0 && this->takes_window(c, s.seq)) update_window(c, s.window);
    return true;
  }

  void update_window(Slot& c, uint16_t window) {
    const bool was_closed = c.send_window_ == 0;
    c.send_window_ = window;
    if (window > c.max_send_window_) c.max_send_window_ = window;
    if (window == 0) {
      c.retries_ = 0;  // the peer is there: probe on (RFC 9293 3.8.6.1)
    } else if (was_closed) {
      c.backoff_ = 0;
      this->window_opened(c);
    }
  }

  bool fin_acknowledged(Slot& c) {
    this->clear(c, Connection::fin_sent);
    if (c.state_ == TcpState::fin_wait_1) {
      c.state_ = TcpState::fin_wait_2;
      this->linger(c);
      return true;
    }
    if (c.state_ == TcpState::closing)
      time_wait(c);
    else
      this->end(c, TcpEvent::closed);
    return false;
  }

  void time_wait(Slot& c) {
    c.state_ = TcpState::time_wait;
    this->linger(c);
    this->tell(c, TcpEvent::closed);
  }

  // Takes data and FIN, and sends what is to be sent then.
  __attribute__((always_inline)) void receive(Slot& c, Segment& s) {
    const bool receiving =
        c.state_ >= TcpState::established && c.state_ <= TcpState::fin_wait_2 && !(c.flags_ & Connection::aborting);
    bool at_once = s.ahead != 0 || (s.flags & tcp_fin);
    if (receiving && s.ahead <= 0) {
      const uint16_t old = smaller(static_cast<uint16_t>(-s.ahead), s.length);
      uint16_t length = static_cast<uint16_t>(s.length - old);
      bool fin = s.flags & tcp_fin;
      const uint16_t gap = Base::distance(c);
      const uint16_t room = Config::reorder_size ? smaller(c.receive_window_, gap) : c.receive_window_;
      if (length > room) {
        length = room;
        fin = false;
        at_once = true;
      }
      if (length && this->is_deaf(c)) {
        this->tell(c, TcpEvent::aborted);
        this->reset(c);
        return;
      }
      if (length) {
        const uint16_t urgent = (s.flags & tcp_urg) && s.urgent > old ? static_cast<uint16_t>(s.urgent - old) : 0;
        if (!deliver(c, static_cast<uint16_t>(s.offset + old), length, urgent)) {
          fin = false;
          at_once = true;
        }
      }
      if (Config::reorder_size && gap != this->none) {
        fin = deliver_kept(c);
        at_once = true;
      }
      if (fin) peer_closed(c);
    } else if (Config::reorder_size && receiving && s.ahead < static_cast<int16_t>(c.receive_window_)) {
      const uint16_t room = static_cast<uint16_t>(c.receive_window_ - s.ahead);
      this->keep(c, s.seq, s.offset, smaller(s.length, room), (s.flags & tcp_fin) && s.length <= room);
    }
    this->output(c, this->acknowledges(c, s.span, at_once));
  }

  // Gives the application `length` octets of the open frame, all there is room for. False: it has not taken all.
  bool deliver(Slot& c, uint16_t offset, uint16_t length, uint16_t urgent) {
    Reader<Device> reader(device_, offset, length, urgent);
    Receive receive = {c, reader};
    applications_.visit(c.application_, receive);
    const uint16_t taken = static_cast<uint16_t>(length - reader.left());
    c.rcv_nxt_ += taken;
    c.receive_window_ = static_cast<uint16_t>(c.receive_window_ - taken);
    if (c.state_ == TcpState::fin_wait_2) this->linger(c);
    return reader.left() == 0;
  }

  // Delivers what was kept and is in order now. True: FIN follows.
  bool deliver_kept(Slot& c) {
    while (!(c.flags_ & Connection::aborting)) {
      const auto run = this->take(c);
      if (run.length == 0 || !deliver(c, 0, smaller(run.length, c.receive_window_), 0)) break;
      if (run.fin) return true;
    }
    return false;
  }

  void peer_closed(Slot& c) {
    ++c.rcv_nxt_;
    if (c.state_ == TcpState::fin_wait_2) {
      time_wait(c);
      return;
    }
    c.state_ = c.state_ == TcpState::established ? TcpState::close_wait : TcpState::closing;
    this->tell(c, TcpEvent::peer_closed);
  }

  struct Receive {
    Slot& c;
    Reader<Device>& reader;
    template <class A>
    void operator()(A& application) {
      application.received(c, c.states.of(application), reader);
    }
  };

  static constexpr uint16_t smallest_mss = 64;
};

// The layer that a configuration has: TCP, or what stands in for it.
template <class Config, bool enabled>
class TcpLayer : public Tcp<Config> {};

template <class Config>
class TcpLayer<Config, false> : public LinkLocal<Config, Config::link_local> {
 protected:
  void tcp_input() {}
  void tcp_refused() {}
  void tcp_poll() {}
  void tcp_second() {}
  void tcp_resolved() {}
  void tcp_abandon() {}
};

}  // namespace tcpip

#endif
