// RFC 5227 and RFC 3927: an address is looked for before it is taken, announced, defended and given up.
#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/dhcp_server.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct Detecting : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr bool udp = true, dhcp = true, conflict_detection = true, dhcp_reboot = true;
  using TcpApplications = tcpip::List<Notes>;
};
struct Choosing : Detecting {
  static constexpr bool link_local = true;
};
struct Alone : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr bool conflict_detection = true, link_local = true;
};

constexpr Ipv4Address none = {{0, 0, 0, 0}};
constexpr Ipv4Address chosen = {{169, 254, 1, 1}};  // by our_mac

template <class C>
struct AddressTestOf : testing::Test {
  Bench<C> bench{false};
  Tins::DHCP last;
  std::vector<std::string> log;

  // What was sent until `ms` from now, with the time in s since `start`.
  uint32_t start = 0;
  std::vector<double> at;
  void run(uint32_t ms) {
    log.clear();
    at.clear();
    const uint32_t until = bench.now + ms;
    collect();
    while (bench.now < until) {
      bench.run_for(8);
      collect();
    }
  }
  void collect() {
    while (!bench.silent()) {
      const Octets frame = bench.next_frame();
      const std::string arp = describe_arp(frame);
      log.push_back(arp == "no ARP" ? describe(parse(frame)) : arp);
      at.push_back((bench.now - start) / 1000.0);
    }
  }
  std::string describe(const Tins::EthernetII& packet) {
    const auto& ip = packet.rfind_pdu<Tins::IP>();
    last = packet.rfind_pdu<Tins::RawPDU>().to<Tins::DHCP>();
    const auto option = [this](Tins::DHCP::OptionTypes type, const std::string& name) {
      const auto* found = last.search_option(type);
      if (!found) return std::string();
      const uint8_t* a = found->data_ptr();
      return " " + name + " " + Tins::IPv4Address(Ipv4Address{{a[0], a[1], a[2], a[3]}}.raw()).to_string();
    };
    static const std::map<int, std::string> types = {{1, "DISCOVER"}, {3, "REQUEST"}, {4, "DECLINE"}, {7, "RELEASE"}};
    std::string text = types.at(last.type()) + option(Tins::DHCP::DHCP_REQUESTED_ADDRESS, "address") +
                       option(Tins::DHCP::DHCP_SERVER_IDENTIFIER, "server");
    if (last.ciaddr() != Tins::IPv4Address(0u)) text += " keep " + last.ciaddr().to_string();
    text += " from " + ip.src_addr().to_string() + " to " + ip.dst_addr().to_string();
    if (last.type() == 4 || last.type() == 7) {
      EXPECT_FALSE(last.search_option(Tins::DHCP::DHCP_PARAMETER_REQUEST_LIST)) << "RFC 2131 table 5";
      EXPECT_EQ(last.padding(), 0) << "flags";
    }
    return text;
  }

  void reply(Tins::DHCP::Flags type, Ipv4Address address = our_ip) {
    bench.receive(Tins::EthernetII(everybody, tins(server_mac)) / Tins::IP("255.255.255.255", tins(server_ip)) /
                  Tins::UDP(68, 67) / server_reply(last, type, address));
  }
  // Through offer and acknowledgement; the probes follow.
  void lease() {
    run(8);
    reply(Tins::DHCP::OFFER);
    run(0);
    reply(Tins::DHCP::ACK);
    start = bench.now;
  }
  void bind() {
    lease();
    run(8'000);
    ASSERT_EQ(bench.stack.address(), our_ip);
    run(3'000);
  }

  void receive_arp(uint16_t operation, Ipv4Address sender, Ipv4Address target, const MacAddress& mac = peer_mac) {
    Tins::ARP arp(tins(target), tins(sender), everybody, tins(mac));
    arp.opcode(static_cast<Tins::ARP::Flags>(operation));
    bench.receive(Tins::EthernetII(everybody, tins(mac)) / arp);
  }
  Ipv4Address address() { return bench.stack.address(); }
};

using Detection = AddressTestOf<Detecting>;

// DH-5, RFC 5227 2.1.1 and 2.3
TEST_F(Detection, ProbesThenTakesThenAnnounces) {
  lease();
  EXPECT_EQ(address(), none);
  run(12'000);
  const std::string probe = "all: who-has 10.0.0.1 tell 0.0.0.0", announcement = "all: who-has 10.0.0.1 tell 10.0.0.1";
  EXPECT_EQ(log, (std::vector<std::string>{probe, probe, probe, announcement, announcement}));
  EXPECT_LE(at[0], 1.02);
  for (const size_t i : {0u, 1u}) {
    EXPECT_GE(at[i + 1] - at[i], 0.98);
    EXPECT_LE(at[i + 1] - at[i], 2.02);
  }
  EXPECT_NEAR(at[3] - at[2], 2, 0.02);
  EXPECT_NEAR(at[4] - at[3], 2, 0.02);
  EXPECT_EQ(address(), our_ip);
  EXPECT_EQ(bench.stack.gateway(), gateway_ip);
}

// DH-5: any ARP from the address, and anybody else's probe for it.
TEST_F(Detection, DeclinesAnAddressThatIsTaken) {
  for (const bool by_probe : {false, true}) {
    lease();
    run(3'000);
    if (by_probe)
      receive_arp(1, none, our_ip);
    else
      receive_arp(2, our_ip, our_ip);
    run(9'900);
    EXPECT_EQ(log,
              std::vector<std::string>{"DECLINE address 10.0.0.1 server 10.0.0.254 from 0.0.0.0 to 255.255.255.255"});
    EXPECT_EQ(address(), none);
    run(200);
    EXPECT_EQ(log, std::vector<std::string>{"DISCOVER from 0.0.0.0 to 255.255.255.255"});
    bench.stack.begin(our_mac, secret, bench.now);
  }
}

TEST_F(Detection, ItsOwnProbesAndOthersAddressesAreNoConflict) {
  lease();
  run(3'000);
  receive_arp(1, none, our_ip, our_mac);
  receive_arp(1, none, peer_ip);
  receive_arp(2, peer_ip, our_ip);
  Tins::ARP malformed(tins(our_ip), tins(our_ip), everybody, tins(peer_mac));
  malformed.hw_addr_length(5);
  bench.receive(Tins::EthernetII(everybody, tins(peer_mac)) / malformed);
  run(5'000);
  EXPECT_EQ(address(), our_ip);
}

// AR-9, RFC 5227 2.4(b)
TEST_F(Detection, DefendsItsAddressOnceInTenSeconds) {
  bind();
  receive_arp(2, our_ip, our_ip);
  run(5'000);
  EXPECT_EQ(log, std::vector<std::string>{"all: who-has 10.0.0.1 tell 10.0.0.1"});
  run(6'000);
  receive_arp(1, our_ip, peer_ip);
  run(9'000);
  EXPECT_EQ(log, std::vector<std::string>{"all: who-has 10.0.0.1 tell 10.0.0.1"});
  EXPECT_EQ(address(), our_ip);
  bench.stack.connect<Notes>(peer_ip, 99);
  receive_arp(1, our_ip, peer_ip);
  run(0);
  EXPECT_EQ(log.back(), "DECLINE address 10.0.0.1 server 10.0.0.254 from 0.0.0.0 to 255.255.255.255");
  EXPECT_EQ(address(), none);
  EXPECT_EQ(bench.stack.tcp_application<Notes>().events, "aborted ");
}

// RFC 2131 4.4.6
TEST_F(Detection, GivesItsAddressBack) {
  bind();
  EXPECT_FALSE(bench.stack.release()) << "the server's MAC address is not known yet";
  bench.receive(Tins::ARP::make_arp_reply(tins(our_ip), tins(server_ip), tins(our_mac), tins(server_mac)));
  run(0);
  EXPECT_TRUE(bench.stack.release());
  run(200'000);
  EXPECT_EQ(log, std::vector<std::string>{"RELEASE server 10.0.0.254 keep 10.0.0.1 from 10.0.0.1 to 10.0.0.254"});
  EXPECT_EQ(address(), none);
  reply(Tins::DHCP::ACK);
  run(10'000);
  EXPECT_EQ(address(), none);
}

// RFC 2131 3.2
TEST_F(Detection, AsksForTheAddressItHad) {
  bench.stack.ask_again(our_ip);
  run(8);
  EXPECT_EQ(log, std::vector<std::string>{"REQUEST address 10.0.0.1 from 0.0.0.0 to 255.255.255.255"});
  reply(Tins::DHCP::ACK);
  run(8'000);
  EXPECT_EQ(address(), our_ip);
}

TEST_F(Detection, AServerMayRefuseTheAddressItHad) {
  bench.stack.ask_again(our_ip);
  run(8);
  reply(Tins::DHCP::NAK);
  run(1'100);
  EXPECT_EQ(log, std::vector<std::string>{"DISCOVER from 0.0.0.0 to 255.255.255.255"});
}

TEST_F(Detection, NobodyMayKnowTheAddressItHad) {
  bench.stack.ask_again(our_ip);
  run(70'000);
  ASSERT_EQ(log.size(), 6u);
  EXPECT_EQ(log[3], "REQUEST address 10.0.0.1 from 0.0.0.0 to 255.255.255.255");
  EXPECT_EQ(log[4], "DISCOVER from 0.0.0.0 to 255.255.255.255");
}

using LinkLocal = AddressTestOf<Choosing>;

// RFC 3927 2.2
TEST_F(LinkLocal, ChoosesAnAddressWhenNobodyAnswers) {
  run(8'000);
  EXPECT_EQ(address(), none);
  run(20'000);
  EXPECT_EQ(address(), chosen);
  EXPECT_EQ(bench.stack.mask(), (Ipv4Address{{255, 255, 0, 0}}));
  EXPECT_EQ(std::count(log.begin(), log.end(), "all: who-has 169.254.1.1 tell 0.0.0.0"), 3);
  EXPECT_EQ(std::count(log.begin(), log.end(), "all: who-has 169.254.1.1 tell 169.254.1.1"), 2);
}

TEST_F(LinkLocal, GivesItUpForAnAddressByDhcp) {
  run(20'000);
  ASSERT_EQ(address(), chosen);
  run(70'000);
  EXPECT_EQ(log.back(), "DISCOVER from 0.0.0.0 to 255.255.255.255") << "without the address it has chosen";
  reply(Tins::DHCP::OFFER);
  run(0);
  EXPECT_EQ(log.back(), "REQUEST address 10.0.0.1 server 10.0.0.254 from 0.0.0.0 to 255.255.255.255");
  reply(Tins::DHCP::ACK);
  run(3'000);
  EXPECT_EQ(address(), chosen) << "while the other is probed for";
  receive_arp(1, peer_ip, chosen);
  run(5'000);
  EXPECT_EQ(address(), our_ip);
  EXPECT_EQ(bench.stack.mask(), net_mask);
}

TEST_F(LinkLocal, KeepsItWhenTheAddressByDhcpIsTaken) {
  run(90'000);
  reply(Tins::DHCP::OFFER);
  run(0);
  reply(Tins::DHCP::ACK);
  run(2'000);
  receive_arp(2, our_ip, our_ip);
  run(8);
  EXPECT_EQ(log,
            std::vector<std::string>{"DECLINE address 10.0.0.1 server 10.0.0.254 from 0.0.0.0 to 255.255.255.255"});
  EXPECT_EQ(address(), chosen);
}

using LinkLocalAlone = AddressTestOf<Alone>;

TEST_F(LinkLocalAlone, NeedsNoDhcp) {
  run(8'000);
  EXPECT_EQ(address(), chosen);
}

// RFC 3927 2.5
TEST_F(LinkLocalAlone, AnswersArpToEverybody) {
  run(12'000);
  receive_arp(1, Ipv4Address{{169, 254, 7, 7}}, chosen);
  run(0);
  EXPECT_EQ(log, std::vector<std::string>{"all: 169.254.1.1 is-at 02:00:00:00:00:01"});
}

// RFC 3927 2.2.1: after ten conflicts no more than one address a minute.
TEST_F(LinkLocalAlone, TakesAnotherAddressAfterAConflict) {
  std::set<std::string> tried;
  Ipv4Address last_probe{};
  start = bench.now;
  for (int i = 0; i < 11; ++i) {
    while (bench.silent()) bench.run_for(8);
    const Octets frame = bench.next_frame();
    tried.insert(describe_arp(frame));
    std::memcpy(last_probe.octet, &frame[38], 4);
    ASSERT_TRUE(last_probe.is_link_local());
    EXPECT_NE(last_probe.octet[2], 0);
    EXPECT_NE(last_probe.octet[2], 255);
    receive_arp(2, last_probe, last_probe);
  }
  EXPECT_EQ(tried.size(), 11u);
  EXPECT_LE(bench.now - start, 12'000u);
  run(59'000);
  EXPECT_TRUE(log.empty());
  run(10'000);
  EXPECT_TRUE(address().is_link_local());
}

TEST_F(LinkLocalAlone, GivesUpAnAddressThatIsContested) {
  run(12'000);
  receive_arp(2, chosen, chosen);
  run(1'000);
  EXPECT_EQ(log, std::vector<std::string>{"all: who-has 169.254.1.1 tell 169.254.1.1"});
  EXPECT_EQ(address(), chosen);
  receive_arp(2, chosen, chosen);
  run(8);
  EXPECT_EQ(address(), none);
  run(8'000);
  EXPECT_TRUE(address().is_link_local());
  EXPECT_NE(address(), chosen);
}

}  // namespace
}  // namespace avrlan::test
