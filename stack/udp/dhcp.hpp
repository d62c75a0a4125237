#ifndef TCPIP_UDP_DHCP_HPP
#define TCPIP_UDP_DHCP_HPP
// DHCP client (RFC 2131): address, mask and router, renewed, rebound and given up; with Config::conflict_detection probed
// for, and declined when another host has it. Not here: INFORM, options that are split (RFC 3396).
#include "stack/base/flash.hpp"
#include "stack/udp/udp.hpp"
#include "stack/wire/dhcp.hpp"

namespace tcpip {

// Room for n addresses.
template <uint8_t n>
struct DhcpServers {
  Ipv4Address servers[n];
};
template <>
struct DhcpServers<0> {};

// Room for a lease whose address is still being probed for.
template <bool enabled>
struct DhcpLease {
  void keep(const Ipv4Network& network) { kept_ = network; }
  const Ipv4Network& kept() const { return kept_; }

 private:
  Ipv4Network kept_{};
};
template <>
struct DhcpLease<false> {
  static void keep(const Ipv4Network&) {}
  static Ipv4Network kept() { return Ipv4Network(); }
};

template <class Config, bool enabled>
class Dhcp : public Udp<Config> {
 protected:
  void dhcp_start() {}
  bool dhcp_received(bool&) { return false; }
  static bool dhcp_poll(AddressFinding) { return false; }
  static constexpr bool dhcp_is_unanswered() { return true; }
  bool dhcp_second() { return false; }
};

template <class Config>
class Dhcp<Config, true>
    : public Udp<Config>, private DhcpServers<Config::dns_servers>, private DhcpLease<Config::conflict_detection> {
  using Servers = DhcpServers<Config::dns_servers>;

 public:
  enum class State : uint8_t { selecting, requesting, probing, released, bound, renewing, rebinding };

  State dhcp_state() const { return state_; }

  // Config::dns_servers addresses, 0.0.0.0 where there are fewer. Good while the stack has its address.
  const Ipv4Address* dns_servers() const { return Servers::servers; }

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

  // Asks for the address that we had, before anything else (INIT-REBOOT).
  void dhcp_ask_again(const Ipv4Address& address) {
    static_assert(Config::dhcp_reboot, "");
    restart(now_);
    state_ = State::requesting;
    offered_ = address;
    server_ = Ipv4Address();
  }

  // False: the server's address has to be resolved first.
  bool dhcp_give_back() {
    if (state_ < State::bound) return true;
    if (!farewell(dhcp_release, server_, Ipv4Address())) return false;
    network_ = Ipv4Network();
    state_ = State::released;
    xid_ = this->random();
    return true;
  }

  // Three times, since the last answer.
  bool dhcp_is_unanswered() const { return state_ == State::selecting && tries_ >= 3; }

  // True: our address is another one now, or none.
  bool dhcp_poll(AddressFinding finding) {
    if (Config::conflict_detection && finding != AddressFinding::none) return settle(finding);
    if (state_ > State::requesting || !is_due(now_, retry_at_)) return false;
    if (state_ == State::requesting && tries_ >= 4) {
      restart(now_);
      return false;
    }
    // RFC 2131 4.1: 4, 8, ... 64 s, each less or more by up to a second.
    const uint8_t jitter = this->random() & 0x7f;
    retry_at_ = static_cast<Tick>(now_ + (unsigned{four_seconds} << (tries_ < 4 ? tries_ : 4)) + jitter - 0x3fu);
    if (tries_ < 255) ++tries_;
    send(state_ == State::selecting ? dhcp_discover : dhcp_request);
    return false;
  }

  // True: the lease is over and the address given up.
  bool dhcp_second() {
    if (Config::conflict_detection && state_ == State::probing && left_ > 1) --left_;
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
  // What a message says.
  struct Reply {
    Ipv4Network network;  // its address, and options 1 and 3
    Ipv4Address server;
    Be32 lease;
    Be32 t1;
    Be32 t2;
    uint8_t type;
    uint8_t overload;
    Servers dns;
  };

  // Where an option goes. A list of routers or servers has the preferred one first.
  struct Option {
    uint8_t code;
    uint8_t size;
    uint8_t at;
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
    if (!read_header(at, reply.network.address)) return false;
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
      read_option(option[0], option[1], at, reply);
      at = static_cast<uint16_t>(at + option[1]);
    }
  }

  void read_option(uint8_t code, uint8_t length, uint16_t at, Reply& reply) {
    if (Config::dns_servers && code == option_dns && length % sizeof(Ipv4Address) == 0)
      device_.rx_read(at, &reply.dns, length < sizeof reply.dns ? length : sizeof reply.dns);
    static const Option options[] TCPIP_FLASH = {{option_mask, 4, offsetof(Reply, network.mask)},
                                                 {option_router, 4, offsetof(Reply, network.gateway)},
                                                 {option_server, 4, offsetof(Reply, server)},
                                                 {option_lease, 4, offsetof(Reply, lease)},
                                                 {option_t1, 4, offsetof(Reply, t1)},
                                                 {option_t2, 4, offsetof(Reply, t2)},
                                                 {option_type, 1, offsetof(Reply, type)},
                                                 {option_overload, 1, offsetof(Reply, overload)}};
    for (uint8_t i = 0; i != sizeof options / sizeof options[0]; ++i) {
      Option known;
      copy_from_flash(&known, options + i, sizeof known);
      if (known.code == code && (length == known.size || (code == option_router && length > known.size)))
        device_.rx_read(at, reinterpret_cast<uint8_t*>(&reply) + known.at, known.size);
    }
  }

  // True: our address is another one now, or none.
  bool act(Reply& reply) {
    if (state_ == State::bound) return false;
    if (state_ == State::selecting) {
      if (reply.type == dhcp_offer && is_usable(reply)) {
        state_ = State::requesting;
        tries_ = 0;
        retry_at_ = now_;
        server_ = reply.server;
        offered_ = reply.network.address;
      }
      return false;
    }
    const bool any_server = state_ == State::rebinding || (Config::dhcp_reboot && server_.is_zero());
    if (!any_server && reply.server != server_) return false;
    const Ipv4Address before = network_.address;
    if (reply.type == dhcp_nak)
      give_up();
    else if (reply.type == dhcp_ack && is_usable(reply))
      bind(reply);
    return network_.address != before;
  }

  void bind(const Reply& reply) {
    state_ = State::bound;
    server_ = reply.server;
    static_cast<Servers&>(*this) = reply.dns;
    if (Config::conflict_detection && reply.network.address != network_.address) {
      state_ = State::probing;
      this->keep(reply.network);
      this->probe(reply.network.address, 0);
      if (!network_.address.is_link_local()) network_ = Ipv4Network();
    } else {
      network_ = reply.network;
    }
    const uint32_t end = reply.lease;
    uint32_t rebind = reply.t2;
    uint32_t renew = reply.t1;
    if (rebind == 0 || rebind >= end) rebind = end - end / 8;
    if (renew == 0 || renew >= rebind) renew = end / 2;
    left_ = renew;
    phases_[0] = rebind - renew;
    phases_[1] = end - rebind;
  }

  // True: our address is another one now, or none.
  bool settle(AddressFinding finding) {
    if (state_ == State::probing && finding == AddressFinding::free) {
      state_ = State::bound;
      network_ = this->kept();
      this->announce();
      return true;
    }
    if (state_ == State::probing && finding == AddressFinding::taken) {
      decline(this->kept().address);
    } else if (state_ >= State::bound && finding == AddressFinding::lost) {
      const Ipv4Address address = network_.address;
      network_ = Ipv4Network();
      decline(address);
      return true;
    }
    return false;
  }

  // Somebody else has the address. RFC 2131 3.1 (5): begins anew after ten seconds.
  void decline(const Ipv4Address& address) {
    state_ = State::bound;  // as far as the flags of the message go
    WithoutAddress none(*this);
    farewell(dhcp_decline, Ipv4Address{{255, 255, 255, 255}}, address);
    restart(static_cast<Tick>(now_ + seconds(10)));
  }

  // Refuses what no host can have, and completes what is missing.
  static bool is_usable(Reply& reply) {
    Ipv4Network& network = reply.network;
    if (network.mask.is_zero()) network.mask = Ipv4Address{{255, 255, 255, 0}};
    if (!network.is_on_link(network.gateway)) network.gateway = Ipv4Address();
    Be32 mask;
    memcpy(&mask, &network.mask, sizeof mask);
    const uint32_t host_bits = ~static_cast<uint32_t>(mask);
    Be32 address;
    memcpy(&address, &network.address, sizeof address);
    return (host_bits & (host_bits + 1)) == 0 && !(Config::link_local && network.address.is_link_local()) &&
           network.address.octet[0] != 0 && network.address.octet[0] != 127 &&
           !network.address.is_multicast_or_above() && (address & host_bits) != host_bits &&
           reply.lease >= shortest_lease && !reply.server.is_zero();
  }

  // While it lives, a link-local address is not ours: RFC 2131 4.1 wants 0.0.0.0 as source.
  class WithoutAddress {
   public:
    explicit WithoutAddress(Dhcp& dhcp) : dhcp_(dhcp), network_(dhcp.network_) {
      if (network_.address.is_link_local()) dhcp_.network_ = Ipv4Network();
    }
    ~WithoutAddress() { dhcp_.network_ = network_; }

   private:
    Dhcp& dhcp_;
    const Ipv4Network network_;
  };

  // DHCPDECLINE, about `address`, or DHCPRELEASE. False: the server's MAC address has to be resolved first.
  bool farewell(uint8_t type, const Ipv4Address& to, const Ipv4Address& address) {
    static const uint8_t options_template[20] TCPIP_FLASH = {
        0x63, 0x82, 0x53, 0x63, option_type, 1,         0, option_server, 4, 0, 0, 0, 0, option_requested,
        4,    0,    0,    0,    0,           option_end};
    auto message = this->datagram(to, dhcp_server_port, dhcp_client_port);
    if (!message) return false;
    write_header(message);
    zeros(message, dhcp_cookie_at - sizeof(DhcpHeader));
    uint8_t options[sizeof options_template];
    copy_from_flash(options, options_template, sizeof options);
    options[6] = type;
    memcpy(options + 9, &server_, sizeof server_);
    memcpy(options + 15, &address, sizeof address);
    if (type == dhcp_release) options[13] = option_end;
    message.write(options, sizeof options);
    zeros(message, static_cast<uint16_t>(dhcp_minimum - message.written()));
    message.send();
    return true;
  }

  bool send(uint8_t type) {
    if (!Config::link_local || state_ >= State::bound) return send_now(type);
    WithoutAddress none(*this);
    return send_now(type);
  }

  // False: the server's address has to be resolved first.
  bool send_now(uint8_t type) {
    static const uint8_t options_template[25] TCPIP_FLASH = {
        0x63, 0x82, 0x53, 0x63, option_type, 1, 0, option_parameters, 4, option_mask, option_router, option_t1,
        // T2 is seven eighths of the lease when nobody says otherwise.
        Config::dns_servers ? option_dns : option_t2,
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
    const uint8_t without_server = Config::dhcp_reboot && server_.is_zero() ? 6 : 0;
    message.write(options, state_ == State::requesting ? static_cast<uint16_t>(sizeof options - without_server) : 13);
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

  static constexpr Tick four_seconds = 250;
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
