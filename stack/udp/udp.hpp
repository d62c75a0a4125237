#ifndef TCPIP_UDP_UDP_HPP
#define TCPIP_UDP_UDP_HPP
// RFC 768. A datagram goes to the first application whose port it names.
#include "stack/base/applications.hpp"
#include "stack/base/stream.hpp"
#include "stack/netif/reassembly.hpp"

namespace tcpip {

// What a UDP application has; derive and redefine. One whose port changes has a member `port`; 0: nothing is received.
struct UdpApplication {
  static constexpr uint16_t port = 0;
  // A group whose datagrams are received, as a number (to_address); the driver has to take them in. 0: none.
  static constexpr uint32_t group = 0;

  // A datagram came: see Udp::Message.
  template <class Message>
  void received(Message&) {}
  // Once a second; for timers and for datagrams that answer nothing (Stack::datagram).
  template <class Stack>
  void every_second(Stack&) {}
  // At each Stack::poll; for what cannot wait so long.
  template <class Stack>
  void poll(Stack&) {}
};

template <class Config>
class Udp : public Reassembly<Config, Config::reassembly> {
 public:
  using Device = typename Config::Device;

  // A datagram being sent: write, then send(). True when it can be written; otherwise it was counted as dropped.
  class Outgoing : public Writer<Device> {
   public:
    Outgoing(Udp& udp, bool open) : Writer<Device>(udp.device_, open ? max_data : 0), udp_(udp), open_(open) {}
    explicit operator bool() const { return open_; }
    void send() {
      if (open_ && !this->failed()) udp_.udp_send(this->written(), this->sum());
    }

   private:
    Udp& udp_;
    bool open_;
  };

  // A datagram that was received.
  class Message : public Reader<Device> {
   public:
    explicit Message(Udp& udp)
        : Reader<Device>(udp.device_, static_cast<uint16_t>(udp.payload_offset_ + udp_size),
                         static_cast<uint16_t>(udp.payload_length_ - udp_size)),
          source(udp.packet_.ip.source),
          source_port(udp.packet_.ip.udp.source_port),
          udp_(udp),
          port_(udp.packet_.ip.udp.destination_port) {}

    const Ipv4Address source;
    const uint16_t source_port;

    // That it was sent to.
    uint16_t destination_port() const { return port_; }
    // Whether it was sent to more hosts than us.
    bool broadcast() const { return udp_.broadcast_; }
    uint32_t now_ms() const { return udp_.now_ms(); }
    Outgoing reply() { return udp_.datagram(source, source_port, port_); }

   private:
    Udp& udp_;
    uint16_t port_;
  };

  // A datagram to `port` of `to` from our port `from`.
  Outgoing datagram(const Ipv4Address& to, uint16_t port, uint16_t from) {
    const bool open = this->ipv4_open(to, protocol_udp, udp_size);
    if (open) {
      packet_.ip.udp.source_port = from;
      packet_.ip.udp.destination_port = port;
    }
    return Outgoing(*this, open);
  }

 protected:
  using Base = Reassembly<Config, Config::reassembly>;
  using Base::counters_;
  using Base::packet_;
  using Base::payload_length_;

  static constexpr uint16_t max_data = Base::mtu - ipv4_size - udp_size;

  // Checks the datagram in packet_. What follows its length is cut off.
  bool udp_input() {
    const UdpHeader& udp = packet_.ip.udp;
    if (payload_length_ >= udp_size) {
      const uint16_t length = udp.length;
      if (length >= udp_size && length <= payload_length_) {
        payload_length_ = length;
        if (udp.checksum.raw() == 0 || this->received_sum_is_right(udp_size)) return true;
      }
    }
    counters_.count(Drop::udp);
    return false;
  }

  bool udp_deliver() {
    Deliver deliver = {*this};
    return applications_.find(deliver);
  }

  template <class Stack>
  void udp_second(Stack& stack) {
    Second<Stack> second = {stack};
    applications_.each(second);
  }

  template <class Stack>
  void udp_poll(Stack& stack) {
    Poll<Stack> poll = {stack};
    applications_.each(poll);
  }

  Applications<typename Config::UdpApplications> applications_;

 private:
  struct Deliver {
    Udp& udp;
    template <class A>
    bool operator()(A& application) {
      if (udp.packet_.ip.udp.destination_port != application.port) return false;
      Message message(udp);
      application.received(message);
      return true;
    }
  };

  template <class Stack>
  struct Second {
    Stack& stack;
    template <class A>
    void operator()(A& application) {
      application.every_second(stack);
    }
  };

  template <class Stack>
  struct Poll {
    Stack& stack;
    template <class A>
    void operator()(A& application) {
      application.poll(stack);
    }
  };

  void udp_send(uint16_t n, uint16_t data_sum) {
    UdpHeader& udp = packet_.ip.udp;
    const uint16_t length = static_cast<uint16_t>(udp_size + n);
    udp.length = length;
    udp.checksum = 0;
    const uint16_t sum = static_cast<uint16_t>(~this->transport_sum(udp_size, length, data_sum));
    udp.checksum = sum ? sum : static_cast<uint16_t>(0xffff);
    this->ipv4_send(udp_size, length);
  }
};

}  // namespace tcpip

#endif
