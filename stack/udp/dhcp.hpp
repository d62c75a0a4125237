#ifndef TCPIP_UDP_DHCP_HPP
#define TCPIP_UDP_DHCP_HPP
// DHCP client (RFC 2131): address, mask and router, renewed, rebound and given up. Not here: INIT-REBOOT, DECLINE after
// probing the address (RFC 5227), RELEASE, INFORM.
#include "stack/base/flash.hpp"
#include "stack/udp/udp.hpp"
#include "stack/wire/dhcp.hpp"

namespace tcpip {

template <class Config, bool enabled>
class Dhcp : public Udp<Config> {
 protected:
  void dhcp_start() {}
  bool dhcp_received(bool&) { return false; }
  void dhcp_poll() {}
  bool dhcp_second() { return false; }
};

template <class Config>
class Dhcp<Config, true> : public Udp<Config> {
 public:
  enum class State : uint8_t { selecting, requesting, bound, renewing, rebinding };

  State dhcp_state() const { return state_; }

 protected:
  using Base = Udp<Config>;
  using Base::device_;
  using Base::mac_;
  using Base::network_;
  using Base::now_;
  using Base::packet_;
  using Base::payload_length_;
  using Base::payload_offset_;

  void dhcp_start() { restart(now_); }

  // Takes the datagram at hand if it is for us and sets `address_changed`.
  bool dhcp_received(bool& address_changed) {
    const UdpHeader& udp = packet_.ip.udp;
    if (udp.destination_port != dhcp_client_port || udp.source_port != dhcp_server_port) return false;
    Reply reply = Reply();
    if (read_reply(reply)) address_changed = act(reply);
    return true;
  }

  void dhcp_poll() {
    if (state_ > State::requesting || !is_due(now_, retry_at_)) return;
    if (state_ == State::requesting && tries_ >= 4) {
      restart(now_);
      return;
    }
    // RFC 2131 4.1: 4, 8, ... 64 s, each less or more by up to a second.
    const Tick earliest =
        static_cast<Tick>(now_ + seconds(static_cast<uint16_t>(4u << (tries_ < 4 ? tries_ : 4))) - 62u);
    retry_at_ = static_cast<Tick>(earliest + (this->random() & 0x7f) % 125);
    if (tries_ < 255) ++tries_;
    send(state_ == State::selecting ? dhcp_discover : dhcp_request);
  }

  // True: the lease is over and the address given up.
  bool dhcp_second() {
    if (state_ < State::bound) return false;
    if (--left_ == 0) {
      if (state_ == State::rebinding) {
        give_up();
        return true;
      }
      if (state_ == State::bound) xid_ = this->random();
      left_ = phases_[state_ == State::bound ? 0 : 1];
      state_ = state_ == State::bound ? State::renewing : State::rebinding;
      wait_ = 1;
    }
    if (state_ != State::bound && --wait_ == 0) {
      // RFC 2131 4.4.5: again after half of the time that remains, but not within a minute. An address that has to be
      // resolved first is worth another try at once.
      wait_ = left_ / 2;
      if (wait_ < 60) wait_ = 60;
      if (!send(dhcp_request)) wait_ = 1;
    }
    return false;
  }

 private:
  // What a message says; numbers are kept as they came.
  struct Reply {
    enum Field : uint8_t { mask, router, server, lease, t1, t2, count };

    uint8_t type;
    uint8_t overload;
    Ipv4Address address;
    Ipv4Address field[count];

    uint32_t number(Field f) const {
      Be32 value;
      memcpy(&value, &field[f], sizeof value);
      return value;
    }
  };

  void restart(Tick at) {
    state_ = State::selecting;
    tries_ = 0;
    retry_at_ = at;
    xid_ = this->random();
  }

  void give_up() {
    network_ = Ipv4Network();
    restart(static_cast<Tick>(now_ + seconds(1)));
  }

  // False: not an answer to what we have sent. Out of line for its stack frame, like the other user of the header.
  __attribute__((noinline)) bool read_header(uint16_t at, Ipv4Address& address) {
    DhcpHeader header;
    device_.rx_read(at, &header, sizeof header);
    Be32 cookie;
    device_.rx_read(static_cast<uint16_t>(at + dhcp_cookie_at), &cookie, sizeof cookie);
    address = header.yiaddr;
    return header.op == dhcp_boot_reply && header.htype == 1 && header.hlen == sizeof(MacAddress) &&
           header.xid == xid_ && header.chaddr == mac_ && cookie == dhcp_cookie;
  }

  bool read_reply(Reply& reply) {
    const uint16_t at = static_cast<uint16_t>(payload_offset_ + udp_size);
    const uint16_t end = static_cast<uint16_t>(payload_offset_ + payload_length_);
    if (end - at < dhcp_options_at) return false;
    if (!read_header(at, reply.address)) return false;
    read_options(static_cast<uint16_t>(at + dhcp_options_at), end, reply);
    const uint8_t overload = reply.overload;
    if (overload & 1)
      read_options(static_cast<uint16_t>(at + dhcp_file_at), static_cast<uint16_t>(at + dhcp_cookie_at), reply);
    if (overload & 2)
      read_options(static_cast<uint16_t>(at + dhcp_sname_at), static_cast<uint16_t>(at + dhcp_file_at), reply);
    return true;
  }

  // An option that does not fit in what is left, or has not the length it must have, is as if it were not there.
  void read_options(uint16_t at, uint16_t end, Reply& reply) {
    while (at < end) {
      uint8_t option[2];  // and its length
      device_.rx_read(at, option, 1);
      ++at;
      if (option[0] == option_pad) continue;
      if (option[0] == option_end || at == end) return;
      device_.rx_read(at, option + 1, 1);
      ++at;
      if (option[1] > end - at) return;
      uint8_t size = 4;
      void* to = field_of(option[0], reply);
      if (option[0] == option_type || option[0] == option_overload) {
        size = 1;
        to = option[0] == option_type ? &reply.type : &reply.overload;
      }
      // A list of routers has the preferred one first.
      if (to && (option[1] == size || (option[0] == option_router && option[1] > size))) device_.rx_read(at, to, size);
      at = static_cast<uint16_t>(at + option[1]);
    }
  }

  static Ipv4Address* field_of(uint8_t option, Reply& reply) {
    static const uint8_t options[Reply::count] TCPIP_FLASH = {option_mask,  option_router, option_server,
                                                              option_lease, option_t1,     option_t2};
    for (uint8_t i = 0; i != Reply::count; ++i)
      if (octet_from_flash(options + i) == option) return &reply.field[i];
    return nullptr;
  }

  // True: our address is another one now, or none.
  bool act(Reply& reply) {
    if (state_ == State::bound) return false;
    if (state_ == State::selecting) {
      if (reply.type == dhcp_offer && is_usable(reply)) {
        state_ = State::requesting;
        tries_ = 0;
        retry_at_ = now_;
        server_ = reply.field[Reply::server];
        offered_ = reply.address;
      }
      return false;
    }
    if (state_ != State::rebinding && reply.field[Reply::server] != server_) return false;
    const Ipv4Address before = network_.address;
    if (reply.type == dhcp_nak)
      give_up();
    else if (reply.type == dhcp_ack && is_usable(reply))
      bind(reply);
    return network_.address != before;
  }

  void bind(const Reply& reply) {
    state_ = State::bound;
    server_ = reply.field[Reply::server];
    network_ = Ipv4Network{reply.address, reply.field[Reply::mask], reply.field[Reply::router]};
    const uint32_t end = reply.number(Reply::lease);
    uint32_t rebind = reply.number(Reply::t2);
    uint32_t renew = reply.number(Reply::t1);
    if (rebind == 0 || rebind >= end) rebind = end - end / 8;
    if (renew == 0 || renew >= rebind) renew = end / 2;
    left_ = renew;
    phases_[0] = rebind - renew;
    phases_[1] = end - rebind;
  }

  // Refuses what no host can have, and completes what is missing.
  static bool is_usable(Reply& reply) {
    const Ipv4Address& a = reply.address;
    if (reply.field[Reply::mask].is_zero()) reply.field[Reply::mask] = Ipv4Address{{255, 255, 255, 0}};
    const uint32_t host_bits = ~reply.number(Reply::mask);
    const Ipv4Network network = {a, reply.field[Reply::mask], Ipv4Address()};
    if (!network.is_on_link(reply.field[Reply::router])) reply.field[Reply::router] = Ipv4Address();
    return (host_bits & (host_bits + 1)) == 0 && a.octet[0] != 0 && a.octet[0] != 127 && !a.is_multicast_or_above() &&
           (a.raw() | reply.field[Reply::mask].raw()) != 0xffffffff && reply.number(Reply::lease) >= shortest_lease &&
           !reply.field[Reply::server].is_zero();
  }

  // False: the server's address has to be resolved first.
  bool send(uint8_t type) {
    static const uint8_t options_template[25] TCPIP_FLASH = {
        0x63, 0x82, 0x53, 0x63, option_type, 1, 0, option_parameters, 4, option_mask, option_router, option_t1,
        option_t2,
        // While requesting, also:
        option_requested, 4, 0, 0, 0, 0, option_server, 4, 0, 0, 0, 0};
    auto message = this->datagram(state_ == State::renewing ? server_ : Ipv4Address{{255, 255, 255, 255}},
                                  dhcp_server_port, dhcp_client_port);
    if (!message) return false;
    write_header(message);
    zeros(message, dhcp_cookie_at - sizeof(DhcpHeader));
    uint8_t options[sizeof options_template];
    copy_from_flash(options, options_template, sizeof options);
    options[6] = type;
    memcpy(options + 15, &offered_, sizeof offered_);
    memcpy(options + 21, &server_, sizeof server_);
    message.write(options, state_ == State::requesting ? sizeof options : 13);
    const uint8_t end = option_end;
    message.write(&end, 1);
    zeros(message, static_cast<uint16_t>(dhcp_minimum - message.written()));
    message.send();
    return true;
  }

  template <class Message>
  __attribute__((noinline)) void write_header(Message& message) {
    DhcpHeader header = DhcpHeader();
    header.op = dhcp_boot_request;
    header.htype = 1;
    header.hlen = sizeof(MacAddress);
    header.xid = xid_;
    header.ciaddr = network_.address;
    header.chaddr = mac_;
    if (state_ < State::bound) header.flags.octet[0] = dhcp_broadcast >> 8;
    message.write(&header, sizeof header);
  }

  template <class Message>
  static void zeros(Message& message, uint16_t n) {
    const uint8_t zero = 0;
    for (; n; --n) message.write(&zero, 1);
  }

  static constexpr uint32_t shortest_lease = 8;  // so that each phase of it has a second at least

  State state_ = State::selecting;
  uint8_t tries_ = 0;
  Tick retry_at_ = 0;
  uint32_t xid_ = 0;
  Ipv4Address server_{};
  Ipv4Address offered_{};
  // In seconds. RFC 2131 4.4.5: bound until T1, renewing until T2, rebinding until the lease ends.
  uint32_t left_ = 0;        // of this phase
  uint32_t wait_ = 0;        // until the next request
  uint32_t phases_[2] = {};  // lengths of renewing and rebinding
};

}  // namespace tcpip

#endif
