#include <numeric>

#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/dhcp_server.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr bool udp = true, dhcp = true, counters = true;
  using TcpApplications = tcpip::List<Notes>;
};

constexpr Ipv4Address nobody = {{0, 0, 0, 0}};
constexpr uint32_t cookie_at = 14 + 20 + 8 + 236;

template <class C>
struct DhcpTestOf : testing::Test {
  Bench<C> bench{false};
  Tins::DHCP last;  // what the client sent
  Tins::IP last_ip;
  Octets last_frame;

  // The next message of the client within `within` ms: "DISCOVER", "REQUEST 10.0.0.1 of 10.0.0.254", ...
  std::string next(uint32_t within = 0) {
    const uint32_t until = bench.now + within;
    for (;;) {
      while (!bench.silent()) {
        last_frame = bench.next_frame();
        if (describe_arp(last_frame) != "no ARP") {
          bench.receive(
              Tins::ARP::make_arp_reply(tins(bench.stack.address()), tins(server_ip), tins(our_mac), tins(server_mac)));
          continue;
        }
        return describe(parse(last_frame));
      }
      if (bench.now >= until) return "nothing";
      bench.run_for(8);
    }
  }

  std::string describe(const Tins::EthernetII& packet) {
    last_ip = packet.rfind_pdu<Tins::IP>();
    const auto& udp = packet.rfind_pdu<Tins::UDP>();
    EXPECT_EQ(udp.dport(), 67);
    EXPECT_EQ(udp.sport(), 68);
    last = packet.rfind_pdu<Tins::RawPDU>().to<Tins::DHCP>();
    EXPECT_EQ(last.opcode(), 1);
    EXPECT_EQ(last.hlen(), 6);
    EXPECT_EQ(Tins::HWAddress<6>(last.chaddr().begin()), tins(our_mac));
    EXPECT_GE(packet.rfind_pdu<Tins::RawPDU>().payload_size(), 300u);
    std::string text = last.type() == Tins::DHCP::DISCOVER  ? "DISCOVER"
                       : last.type() == Tins::DHCP::REQUEST ? "REQUEST"
                                                            : "?";
    if (last.search_option(Tins::DHCP::DHCP_REQUESTED_ADDRESS))
      text += " " + last.requested_ip().to_string() + " of " + last.server_identifier().to_string();
    if (last.ciaddr() != Tins::IPv4Address(0u)) text += " keep " + last.ciaddr().to_string();
    text += " to " + last_ip.dst_addr().to_string();
    return text;
  }

  Tins::DHCP reply(Tins::DHCP::Flags type) { return server_reply(last, type); }
  Octets frame(Tins::DHCP dhcp, Ipv4Address to = {{255, 255, 255, 255}}) {
    dhcp.end();
    auto packet = Tins::EthernetII(to.octet[0] == 255 ? everybody : tins(our_mac), tins(server_mac)) /
                  Tins::IP(tins(to), tins(server_ip)) / Tins::UDP(68, 67) / dhcp;
    return bytes(packet);
  }
  // Octets from `at` of the frame on, with the UDP checksum left out.
  static Octets changed(Octets octets, size_t at, const Octets& to) {
    if (octets.size() < at + to.size()) octets.resize(at + to.size());
    std::copy(to.begin(), to.end(), octets.begin() + static_cast<ptrdiff_t>(at));
    octets[40] = octets[41] = 0;
    return octets;
  }
  void receive(const Tins::DHCP& dhcp) { bench.receive(frame(dhcp)); }

  // Gets the address with a lease of so many seconds.
  void bind(uint32_t lease = 3600) {
    ASSERT_EQ(next(8).substr(0, 8), "DISCOVER");
    receive(reply(Tins::DHCP::OFFER));
    ASSERT_EQ(next().substr(0, 7), "REQUEST");
    Tins::DHCP ack = reply(Tins::DHCP::ACK);
    ack.remove_option(Tins::DHCP::DHCP_LEASE_TIME);
    ack.lease_time(lease);
    receive(ack);
    ASSERT_TRUE(bench.stack.is_configured());
  }
};

using DhcpTest = DhcpTestOf<Config>;

TEST_F(DhcpTest, GetsAnAddress) {
  EXPECT_EQ(next(8), "DISCOVER to 255.255.255.255");
  EXPECT_EQ(last_ip.src_addr().to_string(), "0.0.0.0");
  EXPECT_EQ(last.padding() & 0x8000, 0x8000) << "the broadcast flag";
  const uint32_t xid = last.xid();
  receive(reply(Tins::DHCP::OFFER));
  EXPECT_FALSE(bench.stack.is_configured());
  EXPECT_EQ(next(), "REQUEST 10.0.0.1 of 10.0.0.254 to 255.255.255.255");
  EXPECT_EQ(last.xid(), xid);
  receive(reply(Tins::DHCP::ACK));
  EXPECT_EQ(bench.stack.address(), our_ip);
  EXPECT_EQ(bench.stack.mask(), net_mask);
  EXPECT_EQ(bench.stack.gateway(), gateway_ip);
  EXPECT_EQ(next(), "nothing");
}

// DH-4
TEST_F(DhcpTest, AsksLessAndLessOftenWithoutAServer) {
  std::vector<uint32_t> at;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(next(70'000), "DISCOVER to 255.255.255.255");
    at.push_back(bench.now);
  }
  const double expected[] = {4, 8, 16, 32, 64, 64, 64};
  bool jitter = false;
  for (size_t i = 0; i < 7; ++i) {
    const double gap = (at[i + 1] - at[i]) / 1000.0;
    EXPECT_NEAR(gap, expected[i], 1.05);
    if (std::abs(gap - expected[i]) > 0.1) jitter = true;
  }
  EXPECT_TRUE(jitter);
}

TEST_F(DhcpTest, StartsAgainWhenTheRequestIsNotAnswered) {
  next(8);
  const uint32_t xid = last.xid();
  receive(reply(Tins::DHCP::OFFER));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(next(70'000).substr(0, 16), "REQUEST 10.0.0.1");
  EXPECT_EQ(next(70'000), "DISCOVER to 255.255.255.255");
  EXPECT_NE(last.xid(), xid);
}

// DH-1, D-3
TEST_F(DhcpTest, IgnoresWhatIsNotForIt) {
  next(8);
  Tins::DHCP offer = reply(Tins::DHCP::OFFER);
  offer.xid(offer.xid() + 1);
  receive(offer);
  offer = reply(Tins::DHCP::OFFER);
  offer.opcode(1);
  receive(offer);
  offer = reply(Tins::DHCP::OFFER);
  offer.chaddr(tins(server_mac));
  receive(offer);
  offer = reply(Tins::DHCP::OFFER);
  offer.hlen(16);
  receive(offer);
  receive(reply(Tins::DHCP::ACK));
  receive(reply(Tins::DHCP::NAK));
  bench.receive(changed(frame(reply(Tins::DHCP::OFFER)), cookie_at, {0x63, 0x82, 0x53, 0x64}));
  Octets other_port = frame(reply(Tins::DHCP::OFFER));
  other_port[35] = 66;
  other_port[40] = other_port[41] = 0;
  bench.receive(other_port);
  EXPECT_EQ(next(100), "nothing");
  receive(reply(Tins::DHCP::OFFER));
  EXPECT_EQ(next(), "REQUEST 10.0.0.1 of 10.0.0.254 to 255.255.255.255");
  Tins::DHCP rogue = reply(Tins::DHCP::ACK);
  rogue.remove_option(Tins::DHCP::DHCP_SERVER_IDENTIFIER);
  rogue.server_identifier(tins(peer_ip));
  receive(rogue);
  EXPECT_FALSE(bench.stack.is_configured());
}

// DH-2, D-1: options are taken one by one into the frame; what does not fit is not there.
TEST_F(DhcpTest, OptionsOfAnyLengthDoNoHarm) {
  next(8);
  const Octets offer = frame(reply(Tins::DHCP::OFFER));
  for (const Octets& options :
       {Octets{}, Octets{53}, Octets{53, 1}, Octets{53, 2, 2, 2, 255}, Octets{53, 0, 255}, Octets{53, 255, 2},
        Octets{53, 1, 2, 54, 1, 10, 255}, Octets{53, 1, 2, 54, 4, 10, 0, 0},
        Octets{53, 1, 2, 54, 4, 10, 0, 0, 254, 51, 1, 255, 255}, Octets(20, 0), Octets(20, 255)}) {
    Octets malformed = offer;
    malformed.resize(cookie_at + 4);
    malformed.insert(malformed.end(), options.begin(), options.end());
    const size_t udp_length = malformed.size() - 34;
    malformed[16] = static_cast<uint8_t>((udp_length + 20) >> 8);
    malformed[17] = static_cast<uint8_t>(udp_length + 20);
    malformed[24] = malformed[25] = 0;
    const auto sum = static_cast<uint16_t>(~reference_sum(malformed.data() + 14, 20));
    malformed[24] = static_cast<uint8_t>(sum >> 8);
    malformed[25] = static_cast<uint8_t>(sum);
    malformed[38] = static_cast<uint8_t>(udp_length >> 8);
    malformed[39] = static_cast<uint8_t>(udp_length);
    malformed[40] = malformed[41] = 0;
    bench.receive(malformed);
    EXPECT_EQ(next(), "nothing");
  }
  EXPECT_EQ(bench.stack.counters().dropped(tcpip::Drop::udp), 0);
  receive(reply(Tins::DHCP::OFFER));
  EXPECT_EQ(next(), "REQUEST 10.0.0.1 of 10.0.0.254 to 255.255.255.255");
}

// DH-2: options go on in the file and sname fields.
TEST_F(DhcpTest, ReadsOverloadedFields) {
  next(8);
  Octets offer = frame(reply(Tins::DHCP::OFFER));
  const size_t message = 14 + 20 + 8;
  offer = changed(offer, cookie_at + 4, {52, 1, 3, 53, 1, 2, 255});
  offer = changed(offer, message + 108, {51, 4, 0, 0, 1, 0, 0, 0, 54, 4, 10, 0, 0, 77, 255});
  offer = changed(offer, message + 44, {1, 4, 255, 255, 0, 0, 255});
  bench.receive(offer);
  EXPECT_EQ(next(), "REQUEST 10.0.0.1 of 10.0.0.77 to 255.255.255.255");
}

// D-2
TEST_F(DhcpTest, RefusesAbsurdOffers) {
  next(8);
  for (const Ipv4Address address : {Ipv4Address{{0, 0, 0, 0}}, Ipv4Address{{127, 0, 0, 1}}, Ipv4Address{{224, 0, 0, 1}},
                                    Ipv4Address{{255, 255, 255, 255}}, Ipv4Address{{10, 0, 0, 255}}}) {
    Tins::DHCP offer = reply(Tins::DHCP::OFFER);
    offer.yiaddr(tins(address));
    receive(offer);
    EXPECT_EQ(next(), "nothing") << tins(address);
  }
  Tins::DHCP offer = reply(Tins::DHCP::OFFER);
  offer.remove_option(Tins::DHCP::DHCP_LEASE_TIME);
  offer.lease_time(0);
  receive(offer);
  EXPECT_EQ(next(), "nothing");
  offer = reply(Tins::DHCP::OFFER);
  offer.remove_option(Tins::DHCP::SUBNET_MASK);
  offer.subnet_mask("255.0.255.0");
  receive(offer);
  EXPECT_EQ(next(), "nothing");
}

TEST_F(DhcpTest, CompletesWhatIsMissing) {
  next(8);
  receive(reply(Tins::DHCP::OFFER));
  next();
  Tins::DHCP ack = reply(Tins::DHCP::ACK);
  ack.remove_option(Tins::DHCP::SUBNET_MASK);
  ack.remove_option(Tins::DHCP::ROUTERS);
  ack.routers({"192.168.7.1"});
  receive(ack);
  EXPECT_EQ(bench.stack.mask(), net_mask);
  EXPECT_EQ(bench.stack.gateway(), nobody) << "a router off the link is of no use";
}

struct WithDns : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr bool udp = true, dhcp = true;
  static constexpr uint8_t dns_servers = 2;
};

using DhcpDnsTest = DhcpTestOf<WithDns>;

TEST_F(DhcpDnsTest, KeepsTheNameServers) {
  next(8);
  const auto asked = last.search_option(Tins::DHCP::DHCP_PARAMETER_REQUEST_LIST);
  ASSERT_TRUE(asked);
  EXPECT_EQ(std::count(asked->data_ptr(), asked->data_ptr() + asked->data_size(), 6), 1);
  receive(reply(Tins::DHCP::OFFER));
  next();
  Tins::DHCP ack = reply(Tins::DHCP::ACK);
  ack.domain_name_servers({"10.0.0.53", "10.0.0.54", "10.0.0.55"});
  receive(ack);
  EXPECT_EQ(bench.stack.dns_servers()[0], (Ipv4Address{{10, 0, 0, 53}}));
  EXPECT_EQ(bench.stack.dns_servers()[1], (Ipv4Address{{10, 0, 0, 54}}));
}

TEST_F(DhcpDnsTest, OneNameServerOrNoneOrHalfOfOne) {
  for (const std::vector<uint8_t>& octets : {std::vector<uint8_t>{10, 0, 0, 53}, {}, {10, 0, 0, 53, 10, 0}}) {
    bench.stack.begin(our_mac, secret, bench.now);
    next(8);
    receive(reply(Tins::DHCP::OFFER));
    next();
    Tins::DHCP ack = reply(Tins::DHCP::ACK);
    ack.add_option({Tins::DHCP::DOMAIN_NAME_SERVERS, octets.begin(), octets.end()});
    receive(ack);
    EXPECT_EQ(bench.stack.dns_servers()[0].is_zero(), octets.size() != 4);
    EXPECT_TRUE(bench.stack.dns_servers()[1].is_zero());
  }
}

// DH-3
TEST_F(DhcpTest, RenewsRebindsAndGivesUp) {
  bind(60);
  const uint32_t bound = bench.now;
  bench.stack.connect<Notes>(peer_ip, 99);
  bench.sent().clear();
  bench.run_until(bound + 29'000);
  bench.sent().clear();
  EXPECT_EQ(next(2'000), "REQUEST keep 10.0.0.1 to 10.0.0.254");
  EXPECT_NEAR(bench.now - bound, 30'000, 1'100);
  EXPECT_EQ(last_ip.src_addr().to_string(), "10.0.0.1");
  EXPECT_EQ(parse(last_frame).dst_addr(), tins(server_mac));
  bench.run_until(bound + 50'000);
  bench.sent().clear();
  EXPECT_EQ(next(5'000), "REQUEST keep 10.0.0.1 to 255.255.255.255");
  EXPECT_NEAR(bench.now - bound, 53'000, 1'100);
  bench.run_until(bound + 58'000);
  EXPECT_TRUE(bench.stack.is_configured());
  bench.sent().clear();
  bench.run_until(bound + 61'000);
  EXPECT_FALSE(bench.stack.is_configured());
  EXPECT_EQ(bench.stack.tcp_application<Notes>().events, "aborted ");
  EXPECT_EQ(next(3'000), "DISCOVER to 255.255.255.255");
}

TEST_F(DhcpTest, RenewalStartsTheLeaseAnew) {
  bind(60);
  EXPECT_EQ(next(31'500), "REQUEST keep 10.0.0.1 to 10.0.0.254");
  Tins::DHCP ack = reply(Tins::DHCP::ACK);
  ack.remove_option(Tins::DHCP::DHCP_LEASE_TIME);
  ack.lease_time(60);
  bench.receive(frame(ack, our_ip));
  const uint32_t renewed = bench.now;
  EXPECT_EQ(next(40'000), "REQUEST keep 10.0.0.1 to 10.0.0.254");
  EXPECT_NEAR(bench.now - renewed, 30'000, 1'100);
}

// RFC 2131 4.4.5: half of what remains, but not within a minute.
TEST_F(DhcpTest, RenewsInDecreasingSteps) {
  bind(3600);
  const uint32_t bound = bench.now;
  std::vector<uint32_t> at;
  for (;;) {
    const std::string message = next(2'000'000);
    if (message.substr(0, 7) != "REQUEST") break;
    at.push_back((bench.now - bound) / 1000);
  }
  // T1 = 1800, T2 = 3150.
  ASSERT_GE(at.size(), 8u);
  const double expected[] = {1800, 2475, 2812, 2981, 3065, 3125, 3150, 3375};
  for (size_t i = 0; i < 8; ++i) EXPECT_NEAR(at[i], expected[i], 2) << i;
}

// DH-6
TEST_F(DhcpTest, NakStartsOver) {
  bind(60);
  next(31'000);
  receive(reply(Tins::DHCP::NAK));
  EXPECT_FALSE(bench.stack.is_configured());
  EXPECT_EQ(next(2'000), "DISCOVER to 255.255.255.255");
}

TEST_F(DhcpTest, NakForTheRequestStartsOver) {
  next(8);
  receive(reply(Tins::DHCP::OFFER));
  next();
  receive(reply(Tins::DHCP::NAK));
  EXPECT_EQ(next(2'000), "DISCOVER to 255.255.255.255");
}

TEST_F(DhcpTest, InfiniteLeaseNeverEnds) {
  bind(0xffffffff);
  bench.now = 1u << 31;
  EXPECT_EQ(next(100'000), "nothing");
  EXPECT_TRUE(bench.stack.is_configured());
}

TEST_F(DhcpTest, LongLeaseDoesNotOverflow) {
  bind(0xfffffffe);
  EXPECT_EQ(next(100'000), "nothing");
  EXPECT_TRUE(bench.stack.is_configured());
}

TEST_F(DhcpTest, TakesTheTimesTheServerGives) {
  next(8);
  receive(reply(Tins::DHCP::OFFER));
  next();
  Tins::DHCP ack = reply(Tins::DHCP::ACK);
  ack.renewal_time(10);
  ack.rebind_time(20);
  receive(ack);
  const uint32_t bound = bench.now;
  EXPECT_EQ(next(12'000), "REQUEST keep 10.0.0.1 to 10.0.0.254");
  EXPECT_NEAR(bench.now - bound, 10'000, 1'100);
  EXPECT_EQ(next(12'000), "REQUEST keep 10.0.0.1 to 255.255.255.255");
  EXPECT_NEAR(bench.now - bound, 20'000, 1'100);
}

// Whatever the octets of an offer and of an acknowledgement, no absurd address is taken.
TEST_F(DhcpTest, Mutants) {
  uint32_t x = 99;
  const auto random = [&x](size_t below) { return static_cast<size_t>((x = x * 1664525 + 1013904223) >> 8) % below; };
  for (int i = 0; i < 20'000; ++i) {
    next(8);
    Octets message = frame(reply(i & 1 ? Tins::DHCP::ACK : Tins::DHCP::OFFER));
    for (size_t n = random(4); n; --n)
      message[34 + random(message.size() - 34)] = static_cast<uint8_t>(random(2) ? random(256) : 255 * random(2));
    bench.receive(changed(message, 40, {0, 0}));
    const Ipv4Address address = bench.stack.address();
    ASSERT_NE(address.octet[0], 127);
    ASSERT_FALSE(address.is_multicast_or_above());
    if (i % 16 == 15) bench.run_for(5000);
  }
}

}  // namespace
}  // namespace avrlan::test
