#ifndef TCPIP_UDP_DHCP_HPP
#define TCPIP_UDP_DHCP_HPP
// DHCP client (RFC 2131): address, mask and router, renewed, rebound and given up. Not here: INIT-REBOOT, DECLINE after
// probing the address (RFC 5227), RELEASE, INFORM.
#include "stack/udp/udp.hpp"
#include "stack/wire/dhcp.hpp"

namespace tcpip {

template <class Config, bool enabled>
class Dhcp : public Udp<Config> {
 protected:
  void dhcp_start() {}
  bool dhcp_received(bool&) { return false; }
  void dhcp_poll(Tick) {}
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
  using Base::packet_;
  using Base::payload_length_;
  using Base::payload_offset_;

  void dhcp_start() { restart(to_tick(this->now_ms_)); }

  // Takes the datagram at hand if it is for us and sets `address_changed`.
  bool dhcp_received(bool& address_changed) {
    const UdpHeader& udp = packet_.ip.udp;
    if (udp.destination_port != dhcp_client_port || udp.source_port != dhcp_server_port) return false;
    Reply reply = Reply();
    if (read_reply(reply)) address_changed = act(reply);
    return true;
  }

  void dhcp_poll(Tick now) {
    if (state_ > State::requesting || !is_due(now, retry_at_)) return;
    if (state_ == State::requesting && tries_ >= 4) {
      restart(now);
      return;
    }
    // RFC 2131 4.1: 4, 8, ... 64 s, each less or more by up to a second.
    const Tick earliest =
        static_cast<Tick>(now + seconds(static_cast<uint16_t>(4u << (tries_ < 4 ? tries_ : 4))) - 62u);
    retry_at_ = static_cast<Tick>(earliest + (this->random() & 0x7f) % 125);
    if (tries_ < 255) ++tries_;
    send(state_ == State::selecting ? dhcp_discover : dhcp_request);
  }

  // True: the lease is over and the address given up.
  bool dhcp_second() {
    if (state_ < State::bound || lease_ == forever) return false;
    ++age_;
    if (age_ >= lease_) {
      give_up();
      return true;
    }
    if (state_ == State::bound && age_ >= t1_) {
      state_ = State::renewing;
      next_ = age_;
      xid_ = this->random();
    }
    if (state_ == State::renewing && age_ >= t2_) {
      state_ = State::rebinding;
      next_ = age_;
    }
    if (state_ != State::bound && age_ >= next_) {
      // RFC 2131 4.4.5: after half of the time that remains, but not within a minute.
      const uint32_t half = ((state_ == State::renewing ? t2_ : lease_) - age_) / 2;
      next_ = age_ + (half < 60 ? 60 : half);
      if (!send(dhcp_request)) next_ = age_ + 1;
    }
    return false;
  }

 private:
  static constexpr uint32_t forever = 0xffffffff;

  struct Reply {
    uint8_t type;
    uint8_t overload;
    Ipv4Address address;
    Ipv4Address mask;
    Ipv4Address router;
    Ipv4Address server;
    Be32 lease;
    Be32 t1;
    Be32 t2;
  };

  void restart(Tick at) {
    state_ = State::selecting;
    tries_ = 0;
    retry_at_ = at;
    xid_ = this->random();
  }

  void give_up() {
    network_ = Ipv4Network();
    restart(static_cast<Tick>(to_tick(this->now_ms_) + seconds(1)));
  }

  bool read_reply(Reply& reply) {
    const uint16_t at = static_cast<uint16_t>(payload_offset_ + udp_size);
    const uint16_t end = static_cast<uint16_t>(payload_offset_ + payload_length_);
    if (end - at < dhcp_options_at) return false;
    DhcpHeader header;
    device_.rx_read(at, &header, sizeof header);
    Be32 cookie;
    device_.rx_read(static_cast<uint16_t>(at + dhcp_cookie_at), &cookie, sizeof cookie);
    if (header.op != dhcp_boot_reply || header.htype != 1 || header.hlen != sizeof(MacAddress) || header.xid != xid_ ||
        header.chaddr != mac_ || cookie != dhcp_cookie)
      return false;
    reply.address = header.yiaddr;
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
      uint8_t option[2];
      device_.rx_read(at, option, 1);
      ++at;
      if (option[0] == option_pad) continue;
      if (option[0] == option_end || at == end) return;
      device_.rx_read(at, option + 1, 1);
      ++at;
      if (option[1] > end - at) return;
      read_option(option[0], option[1], at, reply);
      at = static_cast<uint16_t>(at + option[1]);
    }
  }

  void read_option(uint8_t option, uint8_t length, uint16_t at, Reply& reply) {
    void* to;
    uint8_t size = 4;
    switch (option) {
      case option_type:
        to = &reply.type;
        size = 1;
        break;
      case option_overload:
        to = &reply.overload;
        size = 1;
        break;
      case option_mask:
        to = &reply.mask;
        break;
      case option_router:
        to = &reply.router;
        break;
      case option_server:
        to = &reply.server;
        break;
      case option_lease:
        to = &reply.lease;
        break;
      case option_t1:
        to = &reply.t1;
        break;
      case option_t2:
        to = &reply.t2;
        break;
      default:
        return;
    }
    // A list of routers has the preferred one first.
    if (length == size || (option == option_router && length > size)) device_.rx_read(at, to, size);
  }

  // True: our address is another one now, or none.
  bool act(Reply& reply) {
    const bool had_address = !network_.address.is_zero();
    if (state_ == State::selecting) {
      if (reply.type == dhcp_offer && is_usable(reply)) {
        state_ = State::requesting;
        tries_ = 0;
        retry_at_ = to_tick(this->now_ms_);
        server_ = reply.server;
        offered_ = reply.address;
      }
      return false;
    }
    if (state_ == State::bound || (state_ != State::rebinding && reply.server != server_)) return false;
    if (reply.type == dhcp_nak) {
      give_up();
      return had_address;
    }
    if (reply.type != dhcp_ack || !is_usable(reply)) return false;
    return bind(reply);
  }

  bool bind(const Reply& reply) {
    const bool changed = network_.address != reply.address;
    state_ = State::bound;
    server_ = reply.server;
    network_ = Ipv4Network{reply.address, reply.mask, reply.router};
    age_ = 0;
    lease_ = reply.lease;
    t1_ = reply.t1;
    t2_ = reply.t2;
    if (t2_ == 0 || t2_ >= lease_) t2_ = lease_ - lease_ / 8;
    if (t1_ == 0 || t1_ >= t2_) t1_ = lease_ / 2;
    return changed;
  }

  // Refuses what no host can have, and completes what is missing.
  static bool is_usable(Reply& reply) {
    const Ipv4Address a = reply.address;
    Be32 mask;
    memcpy(&mask, &reply.mask, sizeof mask);
    if (mask == 0) mask = 0xffffff00;
    const uint32_t host_bits = ~static_cast<uint32_t>(mask);
    if (host_bits & (host_bits + 1)) return false;
    memcpy(&reply.mask, &mask, sizeof mask);
    const uint32_t network = reply.mask.raw();
    if ((reply.router.raw() ^ a.raw()) & network) reply.router = Ipv4Address();
    return a.octet[0] != 0 && a.octet[0] != 127 && !a.is_multicast_or_above() && (a.raw() | network) != 0xffffffff &&
           reply.lease != 0 && !reply.server.is_zero();
  }

  // False: the server's address has to be resolved first.
  bool send(uint8_t type) {
    const bool renewing = state_ == State::renewing;
    auto message =
        this->datagram(renewing ? server_ : Ipv4Address::from_raw(0xffffffff), dhcp_server_port, dhcp_client_port);
    if (!message) return false;
    DhcpHeader header = DhcpHeader();
    header.op = dhcp_boot_request;
    header.htype = 1;
    header.hlen = sizeof(MacAddress);
    header.xid = xid_;
    header.ciaddr = network_.address;
    header.chaddr = mac_;
    if (network_.address.is_zero()) header.flags = dhcp_broadcast;
    message.write(&header, sizeof header);
    zeros(message, dhcp_cookie_at - sizeof header);
    struct {
      Be32 cookie;
      uint8_t type[3];
      uint8_t parameters[6];
      uint8_t requested[2];
      Ipv4Address address;
      uint8_t server[2];
      Ipv4Address server_id;
    } options = {{{0x63, 0x82, 0x53, 0x63}},
                 {option_type, 1, type},
                 {option_parameters, 4, option_mask, option_router, option_t1, option_t2},
                 {option_requested, 4},
                 offered_,
                 {option_server, 4},
                 server_};
    const uint16_t without_address = 13;
    static_assert(sizeof options == without_address + 12, "no padding");
    message.write(&options, state_ == State::requesting ? sizeof options : without_address);
    const uint8_t end = option_end;
    message.write(&end, 1);
    zeros(message, static_cast<uint16_t>(dhcp_minimum - message.written()));
    message.send();
    return true;
  }

  template <class Message>
  static void zeros(Message& message, uint16_t n) {
    const uint8_t zero[4] = {0, 0, 0, 0};
    for (; n; n = static_cast<uint16_t>(n - (n < 4 ? n : 4))) message.write(zero, n < 4 ? n : 4);
  }

  State state_ = State::selecting;
  uint8_t tries_ = 0;
  Tick retry_at_ = 0;
  uint32_t xid_ = 0;
  Ipv4Address server_{};
  Ipv4Address offered_{};
  // In seconds since the lease was given; next_: when to ask again.
  uint32_t age_ = 0;
  uint32_t next_ = 0;
  uint32_t t1_ = 0;
  uint32_t t2_ = 0;
  uint32_t lease_ = 0;
};

}  // namespace tcpip

#endif
