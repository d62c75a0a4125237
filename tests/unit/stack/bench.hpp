#ifndef AVRLAN_TESTS_UNIT_STACK_BENCH_HPP
#define AVRLAN_TESTS_UNIT_STACK_BENCH_HPP
// A stack on a RAM device, driven in virtual time, and peers that talk to it. Frames are made and read by libtins, which
// knows nothing of the stack's own idea of a header.
#include <gtest/gtest.h>
#include <tins/tins.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "stack/stack.hpp"
#include "tests/unit/stack/ram_device.hpp"

namespace avrlan::test {

using tcpip::Ipv4Address;
using tcpip::MacAddress;

constexpr MacAddress our_mac = {{0x02, 0, 0, 0, 0, 0x01}};
constexpr MacAddress peer_mac = {{0x02, 0, 0, 0, 0, 0x99}};
constexpr Ipv4Address our_ip = {{10, 0, 0, 1}};
constexpr Ipv4Address peer_ip = {{10, 0, 0, 9}};
constexpr Ipv4Address gateway_ip = {{10, 0, 0, 254}};
constexpr Ipv4Address net_mask = {{255, 255, 255, 0}};
constexpr uint8_t secret[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

inline Tins::IPv4Address tins(Ipv4Address a) {
  return Tins::IPv4Address(a.raw());
}
inline Tins::HWAddress<6> tins(const MacAddress& a) {
  return Tins::HWAddress<6>(a.octet);
}
inline const Tins::HWAddress<6> everybody("ff:ff:ff:ff:ff:ff");

inline Octets bytes(Tins::PDU& pdu) {
  Octets frame = pdu.serialize();
  if (frame.size() < 60) frame.resize(60);
  return frame;
}

// Reads a frame of ours; fails when libtins would have made other octets (checksums, lengths) of the same packet.
inline Tins::EthernetII parse(const Octets& frame) {
  Tins::EthernetII packet(frame.data(), static_cast<uint32_t>(frame.size()));
  Tins::EthernetII again(frame.data(), static_cast<uint32_t>(frame.size()));
  Octets made = again.serialize();
  made.resize(frame.size());
  EXPECT_EQ(made, frame) << "a wrong checksum, length or padding";
  return packet;
}

template <class Config>
class Bench {
 public:
  tcpip::Stack<Config> stack;
  uint32_t now = 1000;

  explicit Bench(bool configured = true) {
    EXPECT_TRUE(stack.begin(our_mac, secret, now));
    if (configured) stack.configure(our_ip, net_mask, gateway_ip);
  }

  void receive(const Octets& frame) {
    stack.device().waiting.push_back(frame);
    stack.poll(now);
  }
  void receive(Tins::PDU&& packet) { receive(bytes(packet)); }

  // Lets time pass; `until` is absolute.
  void run_until(uint32_t until) {
    while (now < until) {
      now = std::min(now + 8, until);
      stack.poll(now);
    }
  }
  void run_for(uint32_t ms) { run_until(now + ms); }

  std::deque<Octets>& sent() { return stack.device().sent; }
  bool silent() { return sent().empty(); }
  Octets next_frame() {
    if (sent().empty()) return {};
    Octets frame = sent().front();
    sent().pop_front();
    return frame;
  }

  // Answers the stack's ARP requests for `ip` from now on, each time at once.
  void introduce(Ipv4Address ip = peer_ip, const MacAddress& mac = peer_mac) {
    receive(Tins::ARP::make_arp_request(tins(our_ip), tins(ip), tins(mac)));
    sent().clear();
  }
};

// "10.0.0.9 is-at" ...: what an ARP frame of ours says.
inline std::string describe_arp(const Octets& frame) {
  if (frame.empty()) return "nothing";
  const Tins::EthernetII packet = parse(frame);
  const auto* arp = packet.find_pdu<Tins::ARP>();
  if (!arp) return "no ARP";
  const std::string to = packet.dst_addr() == everybody ? "all" : packet.dst_addr().to_string();
  if (arp->opcode() == Tins::ARP::REQUEST)
    return to + ": who-has " + arp->target_ip_addr().to_string() + " tell " + arp->sender_ip_addr().to_string();
  return to + ": " + arp->sender_ip_addr().to_string() + " is-at " + arp->sender_hw_addr().to_string();
}

// One end of a TCP connection with the stack. Sequence numbers are relative: to the peer's own ISN in what it sends, to
// the stack's in what it gets.
template <class B>
class TcpPeer {
 public:
  uint32_t isn = 0x10000000;
  uint32_t stack_isn = 0;
  uint16_t port = 40000;
  uint16_t stack_port = 80;
  Ipv4Address ip = peer_ip;
  MacAddress mac = peer_mac;
  uint16_t window = 8000;

  explicit TcpPeer(B& bench, uint16_t to_port = 80, uint16_t from_port = 40000)
      : port(from_port), stack_port(to_port), bench_(bench) {}

  struct Options {
    std::optional<uint16_t> mss{};
    std::function<void(Tins::TCP&)> change{};
  };

  // flags as in "SYN ACK".
  void send(const std::string& flags, uint32_t seq, uint32_t ack, const std::string& payload = "",
            const Options& options = {}) {
    Tins::TCP tcp(stack_port, port);
    tcp.flags(0);
    for (const auto& [name, flag] : flag_names())
      if (flags.find(name) != std::string::npos) tcp.set_flag(flag, 1);
    tcp.seq(isn + seq);
    tcp.ack_seq(flags.find("ACK") != std::string::npos ? stack_isn + ack : 0);
    tcp.window(window);
    if (options.mss) tcp.mss(*options.mss);
    if (options.change) options.change(tcp);
    bench_.receive(Tins::EthernetII(tins(our_mac), tins(mac)) / Tins::IP(tins(our_ip), tins(ip)) / tcp /
                   Tins::RawPDU(payload));
  }

  // The next segment the stack has sent: "SYN ACK 0+0 ack 1 win 1460 mss 1460", seq+length; "nothing" if there is none.
  std::string next() {
    data.clear();
    if (bench_.silent()) return "nothing";
    const Tins::EthernetII packet = parse(bench_.next_frame());
    const auto* tcp = packet.find_pdu<Tins::TCP>();
    if (!tcp) return "no TCP";
    EXPECT_EQ(packet.dst_addr(), tins(mac));
    EXPECT_EQ(packet.rfind_pdu<Tins::IP>().dst_addr(), tins(ip));
    EXPECT_EQ(tcp->dport(), port);
    EXPECT_EQ(tcp->sport(), stack_port);
    std::string text;
    for (const auto& [name, flag] : flag_names())
      if (tcp->get_flag(flag)) text += name + " ";
    if (tcp->get_flag(Tins::TCP::SYN)) stack_isn = tcp->seq();
    if (const auto* raw = packet.find_pdu<Tins::RawPDU>()) data.assign(raw->payload().begin(), raw->payload().end());
    text += std::to_string(tcp->seq() - stack_isn) + "+" + std::to_string(data.size());
    if (tcp->get_flag(Tins::TCP::ACK)) text += " ack " + std::to_string(tcp->ack_seq() - isn);
    if (!tcp->get_flag(Tins::TCP::RST)) text += " win " + std::to_string(tcp->window());
    if (tcp->search_option(Tins::TCP::MSS)) text += " mss " + std::to_string(tcp->mss());
    return text;
  }
  std::string data;  // of the segment that next() gave

  // Opens a connection to the stack.
  void open(uint16_t mss = 1460) {
    send("SYN", 0, 0, "", {mss});
    ASSERT_EQ(next().substr(0, 17), "SYN ACK 0+0 ack 1");
    send("ACK", 1, 1);
  }

 private:
  static const std::vector<std::pair<std::string, Tins::TCP::Flags>>& flag_names() {
    static const std::vector<std::pair<std::string, Tins::TCP::Flags>> names = {
        {"SYN", Tins::TCP::SYN}, {"FIN", Tins::TCP::FIN}, {"RST", Tins::TCP::RST}, {"PSH", Tins::TCP::PSH},
        {"URG", Tins::TCP::URG}, {"ACK", Tins::TCP::ACK}, {"ECE", Tins::TCP::ECE}, {"CWR", Tins::TCP::CWR}};
    return names;
  }

  B& bench_;
};

}  // namespace avrlan::test

#endif
