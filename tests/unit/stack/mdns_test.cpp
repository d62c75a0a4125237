#include "stack/udp/mdns.hpp"

#include "tests/unit/stack/bench.hpp"

namespace avrlan::test {
namespace {

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr bool udp = true;
  using UdpApplications = tcpip::List<tcpip::MdnsResponder>;
};

constexpr Ipv4Address group_ip = {{224, 0, 0, 251}};
constexpr MacAddress group_mac = {{0x01, 0x00, 0x5e, 0, 0, 0xfb}};
constexpr uint16_t type_a = 1, any = 255, in = 1, top = 0x8000;
const std::string ours("\3avr\5local\0", 11), second("\5avr-2\5local\0", 13);

std::string be(uint32_t value, int octets) {
  std::string text;
  while (octets--) text.push_back(static_cast<char>(value >> 8 * octets));
  return text;
}
std::string text(Ipv4Address a) {
  return {reinterpret_cast<const char*>(a.octet), 4};
}
std::string header(uint16_t flags, uint16_t questions, uint16_t answers, uint16_t authorities = 0, uint16_t id = 0) {
  return be(id, 2) + be(flags, 2) + be(questions, 2) + be(answers, 2) + be(authorities, 2) + be(0, 2);
}
std::string question(const std::string& name, uint16_t type = type_a, uint16_t of_class = in) {
  return name + be(type, 2) + be(of_class, 2);
}
std::string record(const std::string& name, Ipv4Address address, uint32_t ttl = 120, uint16_t of_class = in | top) {
  return name + be(type_a, 2) + be(of_class, 2) + be(ttl, 4) + be(4, 2) + text(address);
}
std::string announcement(const std::string& name = ours) {
  return header(0x8400, 0, 1) + record(name, our_ip);
}
std::string probe(const std::string& name = ours) {
  return header(0, 1, 0, 1) + question(name, any, in | top) + record("\xc0\x0c", our_ip, 120, in);
}

struct MdnsTest : testing::Test {
  Bench<Config> bench{false};
  tcpip::MdnsResponder& mdns = bench.stack.udp_application<tcpip::MdnsResponder>();

  MdnsTest() { mdns.name = "avr"; }

  // The next message to the group within `within` ms, or "nothing".
  std::string next(uint32_t within = 0, bool to_group = true, uint16_t port = 5353) {
    const uint32_t until = bench.now + within;
    while (bench.silent() && bench.now < until) bench.run_for(8);
    if (bench.silent()) return "nothing";
    const Tins::EthernetII packet = parse(bench.next_frame());
    const auto& ip = packet.rfind_pdu<Tins::IP>();
    EXPECT_EQ(packet.dst_addr(), tins(to_group ? group_mac : peer_mac));
    EXPECT_EQ(ip.dst_addr(), tins(to_group ? group_ip : peer_ip));
    EXPECT_EQ(ip.ttl(), to_group ? 255 : 64);
    EXPECT_EQ(packet.rfind_pdu<Tins::UDP>().sport(), 5353);
    EXPECT_EQ(packet.rfind_pdu<Tins::UDP>().dport(), port);
    const auto& payload = packet.rfind_pdu<Tins::RawPDU>().payload();
    return std::string(payload.begin(), payload.end());
  }
  void receive(const std::string& message, uint16_t port = 5353) {
    bench.receive(Tins::EthernetII(tins(group_mac), tins(peer_mac)) / Tins::IP(tins(group_ip), tins(peer_ip)) /
                  Tins::UDP(5353, port) / Tins::RawPDU(message));
  }
  void configure() { bench.stack.configure(our_ip, net_mask, gateway_ip); }
  void begin() {
    configure();
    bench.run_for(3'000);
    bench.introduce();
    ASSERT_STREQ(mdns.full_name(), "avr.local");
  }
};

// RFC 6762 8.1 and 8.3
TEST_F(MdnsTest, ProbesThenAnnounces) {
  EXPECT_EQ(next(2'000), "nothing") << "without an address";
  configure();
  const uint32_t start = bench.now;
  std::vector<uint32_t> at;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(next(300), probe());
    at.push_back(bench.now);
  }
  EXPECT_LE(at[0] - start, 260u);
  EXPECT_NEAR(at[1] - at[0], 250, 8);
  EXPECT_NEAR(at[2] - at[1], 250, 8);
  EXPECT_STREQ(mdns.full_name(), "");
  EXPECT_EQ(next(300), announcement());
  EXPECT_EQ(next(1'100), announcement());
  EXPECT_STREQ(mdns.full_name(), "avr.local");
  EXPECT_EQ(next(200'000), "nothing");
}

TEST_F(MdnsTest, AnswersItsNameAndNoOther) {
  begin();
  bench.run_for(2'000);
  receive(header(0, 1, 0) + question(ours));
  EXPECT_EQ(next(), announcement());
  bench.run_for(1'000);
  receive(header(0, 2, 0) + question("\3xyz\5local" + std::string(1, 0)) +
          question("\3AVR\5Local" + std::string(1, 0), any));
  EXPECT_EQ(next(), announcement());
  bench.run_for(1'000);
  receive(header(0, 1, 0) + question(second));
  receive(header(0, 1, 0) + question(ours, 28));
  receive(header(0, 1, 0) + question(ours, type_a, 3));
  receive(header(0x0800, 1, 0) + question(ours));
  receive(header(0x0003, 1, 0) + question(ours));
  EXPECT_EQ(next(1'000), "nothing");
}

// RFC 6762 6: not twice in a second.
TEST_F(MdnsTest, DoesNotRepeatItself) {
  begin();
  bench.run_for(2'000);
  for (int i = 0; i < 5; ++i) receive(header(0, 1, 0) + question(ours));
  EXPECT_EQ(next(), announcement());
  EXPECT_EQ(next(900), "nothing");
  EXPECT_EQ(next(200), announcement());
  EXPECT_EQ(next(3'000), "nothing");
}

// RFC 6762 5.4
TEST_F(MdnsTest, AnswersOneAloneWhenAllHaveHeardItLately) {
  begin();
  receive(header(0, 1, 0) + question(ours, type_a, in | top));
  EXPECT_EQ(next(0, false), announcement());
  bench.run_for(31'000);
  receive(header(0, 1, 0) + question(ours, type_a, in | top));
  EXPECT_EQ(next(), announcement());
}

// RFC 6762 6.7
TEST_F(MdnsTest, AnswersPlainResolvers) {
  begin();
  receive(header(0x0100, 1, 0, 0, 0x1234) + question(ours), 40000);
  EXPECT_EQ(next(0, false, 40000),
            header(0x8400, 1, 1, 0, 0x1234) + question(ours) + record("\xc0\x0c", our_ip, 10, in));
}

// RFC 6762 7.1
TEST_F(MdnsTest, DoesNotTellWhatIsKnown) {
  begin();
  bench.run_for(2'000);
  receive(header(0, 1, 1) + question(ours) + record("\xc0\x0c", our_ip, 60));
  EXPECT_EQ(next(100), "nothing");
  receive(header(0, 1, 1) + question(ours) + record("\xc0\x0c", our_ip, 59));
  EXPECT_EQ(next(), announcement());
  bench.run_for(2'000);
  receive(header(0, 1, 1) + question(ours) + record("\xc0\x0c", peer_ip, 120));
  EXPECT_EQ(next(), announcement());
}

// RFC 6762 9
TEST_F(MdnsTest, TakesAnotherNameWhenItsOwnIsTaken) {
  configure();
  ASSERT_EQ(next(300), probe());
  receive(header(0x8400, 0, 1) + record(ours, peer_ip), 5354);
  receive(header(0x8400, 0, 1) + record(ours, our_ip));
  receive(header(0x8400, 0, 1) + record(second, peer_ip));
  ASSERT_EQ(next(300), probe()) << "none of these is a conflict";
  receive(header(0x8400, 0, 1) + record(ours, peer_ip));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(next(300), probe(second));
  EXPECT_EQ(next(300), announcement(second));
  bench.run_for(2'000);
  EXPECT_STREQ(mdns.full_name(), "avr-2.local");
}

TEST_F(MdnsTest, ProbesAgainWhenItsNameIsContested) {
  begin();
  receive(header(0x8400, 0, 1) + record(ours, peer_ip));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(next(300), probe());
  EXPECT_EQ(next(300), announcement());
}

TEST_F(MdnsTest, ChangesItsNameLessOftenAfterFifteenConflicts) {
  configure();
  for (int i = 0; i < 15; ++i) {
    std::string message = next(300);
    ASSERT_NE(message, "nothing");
    receive(header(0x8400, 0, 1) + record(message.substr(12, message.find('\0', 12) - 11), peer_ip));
  }
  while (next() != "nothing") {
  }
  EXPECT_EQ(next(4'900), "nothing");
  EXPECT_EQ(next(200).substr(12, 14), std::string("\6avr-16\5local\0", 14));
}

// RFC 6762 8.2: of two that probe at once the greater address has the name.
TEST_F(MdnsTest, GivesWayToAGreaterAddress) {
  for (const bool greater : {true, false}) {
    bench.stack.configure(Ipv4Address{}, net_mask, gateway_ip);
    bench.run_for(100);
    configure();
    ASSERT_EQ(next(300), probe());
    const Ipv4Address theirs = greater ? peer_ip : Ipv4Address{{9, 255, 255, 255}};
    receive(header(0, 1, 0, 1) + question(ours, any, in | top) + record("\xc0\x0c", theirs, 120, in));
    const uint32_t start = bench.now;
    EXPECT_EQ(next(1'100), probe());
    EXPECT_NEAR(bench.now - start, greater ? 1'000 : 250, 10);
    while (next(300) != "nothing") {
    }
  }
}

TEST_F(MdnsTest, OtherGroupsAreNotOurs) {
  begin();
  bench.run_for(2'000);
  bench.receive(Tins::EthernetII(tins(group_mac), tins(peer_mac)) / Tins::IP("224.128.0.251", tins(peer_ip)) /
                Tins::UDP(5353, 5353) / Tins::RawPDU(header(0, 1, 0) + question(ours)));
  EXPECT_EQ(next(100), "nothing");
}

// Whatever the octets of a message, nothing is read outside of it (RamDevice), and the responder goes on.
TEST_F(MdnsTest, Mutants) {
  begin();
  uint32_t x = 5;
  const auto random = [&x](size_t below) { return static_cast<size_t>((x = x * 1664525 + 1013904223) >> 8) % below; };
  for (int i = 0; i < 20'000; ++i) {
    std::string message = header(random(2) ? 0 : 0x8400, 1, 1, 1) + question(ours) + record("\xc0\x0c", peer_ip) +
                          record("\3xyz\xc0\x10", peer_ip);
    for (size_t n = random(4); n; --n) message[random(message.size())] = static_cast<char>(random(256));
    if (random(4) == 0) message.resize(random(message.size()));
    receive(message);
    bench.sent().clear();
  }
  bench.run_for(20'000);
  bench.sent().clear();
  const std::string name = mdns.full_name();
  ASSERT_NE(name, "");
}

}  // namespace
}  // namespace avrlan::test
