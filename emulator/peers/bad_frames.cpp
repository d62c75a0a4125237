#include "emulator/peers/bad_frames.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "emulator/net/link.hpp"
#include "emulator/net/packet.hpp"

namespace avrlan::peers {

namespace {

using Octets = std::vector<std::uint8_t>;
using Frames = std::vector<Octets>;
using Edit = std::function<void(Octets&)>;

constexpr MacAddress everybody{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
// In the frame.
constexpr std::size_t ip_at = net::ethernet_header, ip_end = ip_at + 20;
constexpr std::uint16_t more_fragments = 0x2000;
constexpr std::uint8_t ip_in_ip = 4, unknown_protocol = 253;
constexpr std::uint8_t fin = net::tcp_flag::fin, syn = net::tcp_flag::syn, rst = net::tcp_flag::rst, psh = 0x08,
                       ack = net::tcp_flag::ack, urg = net::tcp_flag::urg;

Octets filled(std::size_t n) {
  Octets octets(n);
  for (std::size_t i = 0; i != n; ++i) octets[i] = static_cast<std::uint8_t>(i * 37 + 1);
  return octets;
}

class Maker {
 public:
  Maker(const Station& from, const Station& to, std::uint16_t tcp_port) : from_(from), to_(to), tcp_port_(tcp_port) {}

  Octets arp(const Edit& edit = {}) const {
    Octets frame(42);
    std::ranges::copy(everybody, frame.begin());
    std::ranges::copy(from_.mac, frame.begin() + 6);
    constexpr std::array<std::uint8_t, 10> request{8, 6, 0, 1, 8, 0, 6, 4, 0, 1};
    std::ranges::copy(request, frame.begin() + 12);
    std::ranges::copy(from_.mac, frame.begin() + 22);
    net::write32(frame, 28, from_.address);
    net::write32(frame, 38, to_.address);
    if (edit) edit(frame);
    return frame;
  }
  // `edit` changes the header, whose checksum is right afterwards.
  Octets ip(std::uint8_t protocol, const Octets& payload, const Edit& edit = {}) const {
    Octets frame = net::make_ipv4_frame(to_.mac, from_.mac, from_.address, to_.address, protocol, payload);
    if (!edit) return frame;
    edit(frame);
    const std::size_t header = std::min<std::size_t>((frame[ip_at] & 15u) * 4u, frame.size() - ip_at);
    net::write16(frame, ip_at + 10, 0);
    net::write16(frame, ip_at + 10, net::internet_checksum(std::span(frame).subspan(ip_at, header)));
    return frame;
  }
  Octets fragment(const Octets& payload, std::size_t offset, bool more, std::uint16_t id,
                  std::uint8_t protocol = net::protocol_icmp) const {
    return ip(protocol, payload, [&](Octets& frame) {
      net::write16(frame, ip_at + 4, id);
      net::write16(frame, ip_at + 6, static_cast<std::uint16_t>(offset / 8 | (more ? more_fragments : 0)));
    });
  }
  static Octets icmp(std::uint8_t type, std::uint8_t code, const Octets& rest) {
    Octets message{type, code, 0, 0};
    message.insert(message.end(), rest.begin(), rest.end());
    net::write16(message, 2, net::internet_checksum(message));
    return message;
  }
  Octets udp(std::uint16_t from, std::uint16_t to, const Octets& data, const Edit& edit = {}) const {
    Octets datagram(8);
    net::write16(datagram, 0, from);
    net::write16(datagram, 2, to);
    net::write16(datagram, 4, static_cast<std::uint16_t>(8 + data.size()));
    datagram.insert(datagram.end(), data.begin(), data.end());
    if (edit) edit(datagram);
    return ip(net::protocol_udp, datagram);
  }
  // The checksum is right after `edit`.
  Octets tcp(std::uint16_t from, std::uint8_t flags, const Octets& options = {}, const Edit& edit = {}) const {
    Octets segment(20);
    net::write16(segment, 0, from);
    net::write16(segment, 2, tcp_port_);
    net::write32(segment, 4, 0x10000000u + from);
    segment[12] = static_cast<std::uint8_t>((5 + options.size() / 4) << 4);
    segment[13] = flags;
    net::write16(segment, 14, 4000);
    segment.insert(segment.end(), options.begin(), options.end());
    if (edit) edit(segment);
    if (segment.size() >= 18) {
      net::write16(segment, 16, 0);
      net::write16(segment, 16,
                   net::internet_checksum(
                       segment, net::pseudo_header_sum(from_.address, to_.address, net::protocol_tcp, segment.size())));
    }
    return ip(net::protocol_tcp, segment);
  }
  Octets echo(std::size_t n = 32) const { return ip(net::protocol_icmp, icmp(8, 0, filled(n))); }

  const Station from_, to_;
  const std::uint16_t tcp_port_;
};

Octets cut(Octets frame, std::size_t n) {
  frame.resize(n);
  return frame;
}

void add_link(const Maker& make, std::vector<BadClass>& all) {
  Frames runts;
  for (const std::size_t n : {14u, 15u, 20u, 33u, 34u, 41u}) runts.push_back(cut(make.echo(), n));
  all.push_back({"ethernet-runt", runts});
  Frames arps{cut(make.arp(), 22), cut(make.arp(), 41)};
  for (const std::size_t at : {14u, 16u, 18u, 19u, 20u}) arps.push_back(make.arp([at](Octets& f) { f[at] = 255; }));
  arps.push_back(make.arp([&](Octets& f) { net::write32(f, 28, make.to_.address); }));
  arps.push_back(make.arp([](Octets& f) { std::ranges::copy(everybody, f.begin() + 22); }));
  all.push_back({"arp-malformed", arps});
  Frames flood;
  for (std::uint32_t n = 1; n != 60; ++n) {
    flood.push_back(make.arp([&](Octets& f) {
      f[26] = f[10] = 0x77;
      f[27] = f[11] = static_cast<std::uint8_t>(n);
      net::write32(f, 28, (make.from_.address & 0xffffff00) | (190 + n % 60));
    }));
  }
  all.push_back({"arp-flood", flood});
}

void add_ipv4(const Maker& make, std::vector<BadClass>& all) {
  const Octets ping = Maker::icmp(8, 0, filled(24));
  const auto field = [&](std::size_t at, std::initializer_list<std::uint16_t> values) {
    Frames frames;
    for (const std::uint16_t value : values)
      frames.push_back(make.ip(net::protocol_icmp, ping, [&](Octets& f) { net::write16(f, ip_at + at, value); }));
    return frames;
  };
  all.push_back({"ipv4-total-length", field(2, {0, 1, 10, 19, 20, 24, 1500, 0xffff})});
  Frames headers;
  for (const std::uint8_t first : std::initializer_list<std::uint8_t>{0x40, 0x44, 0x4f, 0x55, 0x05, 0x60, 0xff})
    headers.push_back(make.ip(net::protocol_icmp, ping, [&](Octets& f) { f[ip_at] = first; }));
  Octets wrong_sum = make.echo();
  wrong_sum[ip_at + 10] ^= 0xff;
  headers.push_back(wrong_sum);
  all.push_back({"ipv4-header", headers});
  Frames options;
  for (const Octets& option : {Octets{7, 0, 0, 0}, Octets{7, 1, 4, 0}, Octets{131, 7, 4, 0}, Octets{137, 255, 4, 0},
                               Octets{68, 3, 5, 0}, Octets{1, 1, 1, 131}}) {
    options.push_back(make.ip(net::protocol_icmp, ping, [&](Octets& f) {
      f[ip_at] = 0x46;
      f.insert(f.begin() + ip_end, option.begin(), option.end());
      net::write16(f, ip_at + 2, static_cast<std::uint16_t>(f.size() - ip_at));
    }));
  }
  all.push_back({"ipv4-options", options});
  Frames sources;
  for (const std::uint32_t source :
       {make.to_.address, 0xffffffffu, 0xe0000001u, 0x7f000001u, 0u, make.from_.address | 0xffu})
    sources.push_back(Maker({make.from_.mac, source}, make.to_, make.tcp_port_).tcp(40'000, syn));
  all.push_back({"ipv4-source", sources});
  Octets nested = ping;
  for (int level = 0; level != 20; ++level) {
    const Octets outer = make.ip(ip_in_ip, nested);
    nested.assign(outer.begin() + ip_at, outer.end());
  }
  Frames protocols{make.ip(ip_in_ip, nested)};
  protocols.insert(protocols.end(), 200, make.ip(unknown_protocol, filled(8)));
  all.push_back({"ipv4-protocol", protocols});
}

void add_fragments(const Maker& make, std::vector<BadClass>& all) {
  const Octets octets = filled(400);
  const auto part = [&](std::size_t n) {
    return Octets(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(n));
  };
  all.push_back({"fragment-ping-of-death", {make.fragment(part(400), 65'480, false, 1)}});
  Frames tails;
  for (std::uint16_t n = 0; n != 30; ++n)
    tails.push_back(make.fragment(part(22), 128u * n, false, static_cast<std::uint16_t>(100 + n)));
  all.push_back({"fragment-tail", tails});
  all.push_back(
      {"fragment-overlap",
       {make.fragment(part(40), 0, true, 2), make.fragment(part(8), 24, false, 2), make.fragment(part(40), 0, true, 3),
        make.fragment(filled(41), 0, true, 3), make.fragment(part(16), 32, false, 3)}});
  all.push_back({"fragment-length",
                 {make.fragment(part(13), 0, true, 4), make.fragment(part(8), 8, false, 4),
                  make.fragment({}, 0, true, 5), make.fragment({}, 8, false, 5), make.fragment(part(2), 0, true, 6),
                  make.fragment(part(2), 8, false, 6, net::protocol_udp)}});
  all.push_back({"fragment-two-ends",
                 {make.fragment(part(16), 0, true, 7), make.fragment(part(16), 32, false, 7),
                  make.fragment(part(16), 16, false, 7)}});
  Frames flood;
  for (std::uint16_t id = 200; id != 260; ++id) flood.push_back(make.fragment(part(40), 0, true, id));
  all.push_back({"fragment-flood", flood});
}

void add_icmp_udp(const Maker& make, std::vector<BadClass>& all) {
  Octets wrong = Maker::icmp(8, 0, filled(8));
  wrong[2] ^= 1;
  all.push_back({"icmp-short",
                 {make.ip(net::protocol_icmp, {}), make.ip(net::protocol_icmp, Maker::icmp(8, 0, {})),
                  make.ip(net::protocol_icmp, Maker::icmp(13, 0, {})), make.ip(net::protocol_icmp, wrong),
                  make.ip(net::protocol_icmp, cut(Maker::icmp(8, 0, {}), 1))}});
  const Octets tcp = make.tcp(40'001, syn);
  const Octets quote(tcp.begin() + ip_at, tcp.begin() + ip_end + 8);
  Frames errors;
  for (const std::uint8_t type : std::initializer_list<std::uint8_t>{3, 4, 5, 9, 11, 12, 18})
    for (const std::size_t n : {4u, 5u, 24u, 32u})
      for (const std::uint8_t code : std::initializer_list<std::uint8_t>{0, 2, 3, 4}) {
        Octets rest(4);
        rest.insert(rest.end(), quote.begin(), quote.end());
        errors.push_back(make.ip(net::protocol_icmp, Maker::icmp(type, code, cut(rest, n))));
      }
  all.push_back({"icmp-errors", errors});
  Frames lengths;
  for (const std::uint16_t length : std::initializer_list<std::uint16_t>{0, 7, 60, 0xffff})
    lengths.push_back(make.udp(4000, 7, filled(20), [&](Octets& d) { net::write16(d, 4, length); }));
  lengths.push_back(make.ip(net::protocol_udp, filled(4)));
  all.push_back({"udp-length", lengths});
  Frames storm(200, make.udp(4000, 40'404, filled(20)));
  storm.push_back(make.udp(7, 7, filled(20)));
  storm.push_back(make.udp(19, 7, filled(20)));
  all.push_back({"udp-storm", storm});
}

void add_tcp(const Maker& make, std::vector<BadClass>& all) {
  Frames lengths{make.ip(net::protocol_tcp, {}), make.ip(net::protocol_tcp, filled(10))};
  std::uint16_t port = 41'000;
  for (const std::uint8_t words : std::initializer_list<std::uint8_t>{0, 1, 4, 6, 15})
    lengths.push_back(make.tcp(++port, syn, {}, [&](Octets& s) { s[12] = static_cast<std::uint8_t>(words << 4); }));
  all.push_back({"tcp-data-offset", lengths});
  Frames options;
  for (const Octets& option : {Octets{8, 0, 0, 0}, Octets{8, 1, 0, 0}, Octets{1, 8, 255, 0}, Octets{1, 1, 2, 4},
                               Octets{2, 4, 0, 0}, Octets{2, 4, 0, 1}, Octets{2, 3, 5, 0}, Octets{5, 11, 1, 1},
                               Octets{3, 3, 255, 0}, Octets{29, 3, 1, 0}, Octets{2, 255, 255, 255}})
    options.push_back(make.tcp(++port, syn, option));
  all.push_back({"tcp-options", options});
  Frames urgent;
  for (const std::uint16_t pointer : std::initializer_list<std::uint16_t>{0, 1, 0x7fff, 0xffff})
    urgent.push_back(make.tcp(++port, syn | urg, {}, [&](Octets& s) { net::write16(s, 18, pointer); }));
  all.push_back({"tcp-urgent", urgent});
  Frames soup;
  for (const int flags : {0, int{fin}, syn | fin, syn | rst, fin | psh | urg, int{rst}, int{ack}, 0x3f, 0xff})
    soup.push_back(make.tcp(++port, static_cast<std::uint8_t>(flags)));
  all.push_back({"tcp-flags", soup});
  Frames flood;
  for (int i = 0; i != 60; ++i) flood.push_back(make.tcp(++port, syn));
  all.push_back({"tcp-syn-flood", flood});
}

// Of each frame one to four octets behind the addresses are others.
void add_mutated(const Maker& make, std::uint64_t seed, std::vector<BadClass>& all) {
  net::LinkRandom random(seed);
  const Frames valid{make.arp(), make.echo(), make.udp(4000, 7, filled(20)), make.tcp(45'000, syn, {2, 4, 5, 180}),
                     make.fragment(filled(64), 0, true, 9)};
  Frames frames;
  for (int i = 0; i != 300; ++i) {
    Octets frame = valid[random.next() % valid.size()];
    for (std::uint64_t n = random.next() % 4 + 1; n != 0; --n) {
      const std::size_t at = 12 + random.next() % (frame.size() - 12);
      frame[at] = static_cast<std::uint8_t>(random.next());
    }
    if (random.next() % 4 == 0) frame.resize(14 + random.next() % (frame.size() - 13));
    // Half of them get past the header's checksum.
    if (random.next() % 2 == 0 && frame.size() >= ip_end && net::read16(frame, 12) == net::ethertype_ipv4) {
      net::write16(frame, ip_at + 10, 0);
      net::write16(frame, ip_at + 10, net::internet_checksum(std::span(frame).subspan(ip_at, 20)));
    }
    frames.push_back(std::move(frame));
  }
  all.push_back({"mutated", frames});
}

}  // namespace

std::vector<BadClass> bad_frames(const Station& from, const Station& to, std::uint16_t tcp_port, std::uint64_t seed) {
  const Maker make(from, to, tcp_port);
  std::vector<BadClass> all;
  add_link(make, all);
  add_ipv4(make, all);
  add_fragments(make, all);
  add_icmp_udp(make, all);
  add_tcp(make, all);
  add_mutated(make, seed, all);
  return all;
}

}  // namespace avrlan::peers
