// Malformed frames that no other test names, and mutations of good ones. After each the stack must still serve a new
// client; that nothing is read or sent that should not be is seen to by RamDevice and the sanitizers.
#include "stack/app/echo.hpp"
#include "stack/app/http_server.hpp"
#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct Site {
  void request(const char* path, const char*, tcpip::HttpResponse& response) {
    if (path[1] == 0) response.status = 200;
  }
  template <class Text>
  void body(const tcpip::HttpResponse&, Text& out) {
    out << TCPIP_TEXT("alive\n");
  }
};

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr bool udp = true, counters = true;
  using TcpApplications = tcpip::List<tcpip::HttpServer<Site>, tcpip::TcpEcho<64>>;
  using UdpApplications = tcpip::List<tcpip::UdpEcho>;
};

struct BadInputTest : testing::Test {
  Bench<Config> bench;
  uint16_t port = 20'000;

  // The liveness probe: an echo, and a page on a fresh connection. The frames before it are forgotten.
  void expect_alive(const std::string& after) {
    bench.stack.configure(our_ip, net_mask, gateway_ip);
    bench.run_for(1100);
    bench.introduce();
    bench.sent().clear();
    Tins::ICMP icmp(Tins::ICMP::ECHO_REQUEST);
    bench.receive(Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) / icmp /
                  Tins::RawPDU("probe"));
    ASSERT_EQ(bench.sent().size(), 1u) << after;
    bench.sent().clear();
    TcpPeer<Bench<Config>> peer(bench, 80, ++port);
    peer.open();
    peer.send("ACK", 1, 1, "GET / HTTP/1.0\r\n\r\n");
    peer.next();
    ASSERT_NE(peer.data.find("\r\n\r\nalive\n"), std::string::npos) << after;
    peer.send("RST", 20, 0);
    peer.send("RST", 19, 0);
    bench.sent().clear();
  }

  static Octets udp(const std::string& data, uint16_t to = 7) {
    auto packet = Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) /
                  Tins::UDP(to, 5000) / Tins::RawPDU(data);
    return bytes(packet);
  }
  static Octets icmp(const std::string& data) {
    Tins::ICMP echo(Tins::ICMP::ECHO_REQUEST);
    auto packet = Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) / echo /
                  Tins::RawPDU(data);
    return bytes(packet);
  }
  static Octets fragment(size_t offset, bool more, size_t length, uint16_t id = 77) {
    Octets frame = icmp(std::string(length, 'f'));
    frame.resize(34 + length);
    frame[16] = static_cast<uint8_t>((20 + length) >> 8);
    frame[17] = static_cast<uint8_t>(20 + length);
    frame[18] = static_cast<uint8_t>(id >> 8);
    frame[19] = static_cast<uint8_t>(id);
    frame[20] = static_cast<uint8_t>((more ? 0x20 : 0) | (offset / 8) >> 8);
    frame[21] = static_cast<uint8_t>(offset / 8);
    mend_checksum(frame);
    return frame;
  }
  static void mend_checksum(Octets& frame) {
    frame[24] = frame[25] = 0;
    const auto sum = static_cast<uint16_t>(~reference_sum(frame.data() + 14, 20));
    frame[24] = static_cast<uint8_t>(sum >> 8);
    frame[25] = static_cast<uint8_t>(sum);
    if (frame.size() < 60) frame.resize(60);
  }
};

// F-1 to F-12: nothing comes of them (see reassembly_test.cpp).
TEST_F(BadInputTest, Fragments) {
  const std::vector<std::vector<Octets>> all = {
      {fragment(65'480, false, 400)},                                          // F-1
      {fragment(0, true, 384), fragment(384, false, 22)},                      // F-2
      {fragment(0, true, 376), fragment(376, false, 24)},                      // F-3
      {fragment(0, true, 40), fragment(24, false, 4)},                         // F-4
      {fragment(0, true, 13), fragment(8, false, 8)},                          // F-5
      {fragment(0, true, 0), fragment(0, false, 0)},                           // F-6
      {fragment(0, true, 8), fragment(16, false, 8), fragment(24, false, 8)},  // F-7
      {fragment(0, true, 8), fragment(8, true, 8), fragment(16, false, 8)},    // F-9
      {fragment(0, true, 8), fragment(8, false, 4)},                           // F-12
  };
  for (const auto& frames : all) {
    for (const Octets& frame : frames) bench.receive(frame);
    EXPECT_TRUE(bench.silent());
    expect_alive("fragments");
  }
  for (uint16_t id = 0; id < 40; ++id) bench.receive(fragment(0, true, 8, id));  // F-8
  EXPECT_TRUE(bench.silent());
  expect_alive("a flood of fragments");
}

// I-8
TEST_F(BadInputTest, NestedDatagrams) {
  for (int levels = 1; levels <= 20; ++levels) {
    Octets frame = icmp("");
    frame.resize(34);
    frame[23] = 4;
    for (int i = 0; i < levels; ++i) frame.insert(frame.end(), frame.begin() + 14, frame.begin() + 34);
    frame[16] = static_cast<uint8_t>((frame.size() - 14) >> 8);
    frame[17] = static_cast<uint8_t>(frame.size() - 14);
    mend_checksum(frame);
    bench.receive(frame);
    EXPECT_TRUE(bench.silent());
  }
  expect_alive("nested datagrams");
}

// I-9, U-2
TEST_F(BadInputTest, Storms) {
  Octets frame = icmp("x");
  frame[23] = 253;
  mend_checksum(frame);
  for (int i = 0; i < 1000; ++i) {
    bench.receive(frame);
    bench.receive(udp("x", 9));
  }
  EXPECT_TRUE(bench.silent());
  expect_alive("storms");
}

// I-6
TEST_F(BadInputTest, Land) {
  Tins::TCP tcp(80, 80);
  tcp.flags(Tins::TCP::SYN);
  bench.receive(Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(our_ip)) / tcp);
  EXPECT_TRUE(bench.silent());
  expect_alive("land");
}

// Every length that each of these frames can be cut to.
TEST_F(BadInputTest, Truncated) {
  for (const Octets& whole : {udp("some data for the echo service, longer than a minimal frame"),
                              icmp("some data for the echo service, longer than a minimal frame")})
    for (size_t n = 1; n < whole.size(); ++n) {
      bench.receive(Octets(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(n)));
      EXPECT_TRUE(bench.silent()) << n;
    }
  expect_alive("truncated frames");
}

// Mutations of what a conversation is made of: octets changed, cut, repeated; the IP checksum, and in half of the cases
// the transport checksum, made right again, so that the mutants get in.
TEST_F(BadInputTest, Mutants) {
  uint32_t x = 12'345;
  const auto random = [&x](uint32_t below) {
    return static_cast<uint32_t>((x = x * 1664525 + 1013904223) >> 8) % below;
  };
  TcpPeer<Bench<Config>> peer(bench, 80, 30'000);
  std::vector<Octets> seeds = {udp("datagram"), icmp("echo"), fragment(0, true, 64)};
  const auto tcp = [&](int flags, uint32_t seq, const std::string& data, uint16_t to) {
    Tins::TCP segment(to, 30'000);
    segment.flags(static_cast<uint8_t>(flags));
    segment.seq(peer.isn + seq);
    segment.ack_seq(peer.stack_isn + 1);
    segment.window(8000);
    segment.mss(1460);
    auto packet = Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) / segment /
                  Tins::RawPDU(data);
    return bytes(packet);
  };
  auto arp = Tins::ARP::make_arp_request(tins(our_ip), tins(peer_ip), tins(peer_mac));
  seeds.push_back(bytes(arp));
  for (int round = 0; round < 400; ++round) {
    peer.send("SYN", 0, 0);
    if (bench.silent() || peer.next().substr(0, 7) != "SYN ACK") peer.stack_isn = random(1u << 24);
    peer.send("ACK", 1, 1);
    std::vector<Octets> all = seeds;
    for (const uint16_t to : {uint16_t{80}, uint16_t{7}}) {
      all.push_back(tcp(Tins::TCP::SYN, 0, "", to));
      all.push_back(tcp(Tins::TCP::ACK | Tins::TCP::PSH, 1, "GET / HTTP/1.0\r\n\r\n", to));
      all.push_back(tcp(Tins::TCP::ACK | Tins::TCP::FIN, 1, "data", to));
      all.push_back(tcp(Tins::TCP::RST, 1, "", to));
    }
    for (int i = 0; i < 60; ++i) {
      Octets frame = all[random(static_cast<uint32_t>(all.size()))];
      for (uint32_t n = random(4); n; --n)
        frame[random(8) ? 12 + random(static_cast<uint32_t>(frame.size()) - 12) : random(12)] =
            static_cast<uint8_t>(random(3) ? random(256) : random(2) * 255);
      if (random(6) == 0) frame.resize(1 + random(static_cast<uint32_t>(frame.size() + 40)));
      if (frame.size() >= 60 && frame[12] == 8 && frame[13] == 0 && random(8)) {
        mend_checksum(frame);
        const size_t length = std::min<size_t>(frame[16] * 256u + frame[17], frame.size() - 14);
        if (random(2) && length >= 40) {
          frame[50] = frame[51] = 0;
          const auto sum = static_cast<uint16_t>(
              ~reference_sum(frame.data() + 34, length - 20,
                             reference_sum(frame.data() + 26, 8, static_cast<uint32_t>(frame[23] + length - 20))));
          if (frame[23] == 6) {
            frame[50] = static_cast<uint8_t>(sum >> 8);
            frame[51] = static_cast<uint8_t>(sum);
          }
        }
      }
      bench.receive(frame);
      if (random(10) == 0) bench.run_for(random(3000));
    }
    // What the stack sent meanwhile is well-formed.
    while (!bench.silent()) parse(bench.next_frame());
    bench.stack.configure({{0, 0, 0, 0}}, net_mask, gateway_ip);  // forgets all connections
    expect_alive("round " + std::to_string(round));
    peer.port = ++port;
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace avrlan::test
