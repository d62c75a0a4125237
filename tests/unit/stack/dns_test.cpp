#include "stack/udp/dns.hpp"

#include "tests/unit/stack/bench.hpp"

namespace avrlan::test {
namespace {

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr bool udp = true;
  using UdpApplications = tcpip::List<tcpip::DnsClient>;
};

constexpr Ipv4Address servers[2] = {{{10, 0, 0, 53}}, {{10, 0, 0, 54}}};
constexpr uint16_t cname = 5, type_a = 1;

std::string be(uint32_t value, int octets) {
  std::string text;
  while (octets--) text.push_back(static_cast<char>(value >> 8 * octets));
  return text;
}

// "\4host\7example\0" of "host.example".
std::string wire_name(const std::string& dotted) {
  std::string text;
  size_t from = 0;
  while (from < dotted.size()) {
    const size_t dot = std::min(dotted.find('.', from), dotted.size());
    text += static_cast<char>(dot - from) + dotted.substr(from, dot - from);
    from = dot + 1;
  }
  return text + '\0';
}

std::string pointer(unsigned to) {
  return be(0xc000 | to, 2);
}

std::string record(const std::string& owner, uint16_t type, uint32_t ttl, const std::string& data,
                   uint16_t of_class = 1) {
  return owner + be(type, 2) + be(of_class, 2) + be(ttl, 4) + be(static_cast<uint32_t>(data.size()), 2) + data;
}

std::string address(uint8_t last) {
  return {10, 1, 1, static_cast<char>(last)};
}

struct DnsTest : testing::Test {
  Bench<Config> bench;
  tcpip::DnsClient& dns = bench.stack.udp_application<tcpip::DnsClient>();
  std::string query;  // the last one: its message
  uint16_t from = 0;
  Ipv4Address to{};

  DnsTest() {
    for (const Ipv4Address& server : servers) bench.introduce(server);
  }

  void resolve(const char* name = "host.example", uint8_t n = 2) { dns.resolve(bench.stack, name, servers, n); }

  // The name that is asked for, of whom: "host.example of 10.0.0.53", or "nothing".
  std::string next(uint32_t within = 0) {
    const uint32_t until = bench.now + within;
    while (bench.silent() && bench.now < until) bench.run_for(8);
    if (bench.silent()) return "nothing";
    const Octets frame = bench.next_frame();
    const Tins::EthernetII packet = parse(frame);
    const auto* udp = packet.find_pdu<Tins::UDP>();
    if (!udp) return "no UDP";
    EXPECT_EQ(udp->dport(), 53);
    from = udp->sport();
    std::memcpy(to.octet, &frame[30], 4);
    const auto& payload = packet.rfind_pdu<Tins::RawPDU>().payload();
    query.assign(payload.begin(), payload.end());
    EXPECT_EQ(query.substr(2, 10), be(0x0100, 2) + be(1, 2) + std::string(6, 0));
    EXPECT_EQ(query.substr(query.size() - 4), be(0x00010001, 4));
    std::string name;
    for (size_t at = 12; query[at]; at += 1 + static_cast<size_t>(query[at]))
      name += (name.empty() ? "" : ".") + query.substr(at + 1, static_cast<size_t>(query[at]));
    return name + " of " + packet.rfind_pdu<Tins::IP>().dst_addr().to_string();
  }

  // An answer to the query with so many records.
  std::string answer(uint16_t count, const std::string& records, uint16_t flags = 0x8180) const {
    return query.substr(0, 2) + be(flags, 2) + be(1, 2) + be(count, 2) + be(0, 4) + query.substr(12) + records;
  }
  void receive(const std::string& message, Ipv4Address source, uint16_t to_port, uint16_t from_port = 53) {
    bench.receive(Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(source)) /
                  Tins::UDP(to_port, from_port) / Tins::RawPDU(message));
  }
  void receive(const std::string& message) { receive(message, to, from); }

  std::string state() const {
    switch (dns.status()) {
      case tcpip::DnsStatus::found:
        return tins(dns.address()).to_string() + " for " + std::to_string(dns.ttl());
      case tcpip::DnsStatus::asking:
        return "asking";
      case tcpip::DnsStatus::no_address:
        return "no address";
      case tcpip::DnsStatus::no_answer:
        return "no answer";
      default:
        return "idle";
    }
  }
};

TEST_F(DnsTest, FindsAnAddress) {
  EXPECT_EQ(state(), "idle");
  resolve("Host.Example.");
  EXPECT_EQ(next(), "host.example of 10.0.0.53");
  EXPECT_EQ(state(), "asking");
  receive(answer(1, record(pointer(12), type_a, 300, address(7))));
  EXPECT_EQ(state(), "10.1.1.7 for 300");
  EXPECT_EQ(next(20'000), "nothing");
  EXPECT_EQ(state(), "10.1.1.7 for 280") << "what is left of its time to live";
}

TEST_F(DnsTest, RecordsOfAnotherClassAreNone) {
  resolve();
  next();
  const uint16_t chaos = 3;
  receive(
      answer(2, record(pointer(12), type_a, 300, address(66), chaos) + record(pointer(12), type_a, 300, address(7))));
  EXPECT_EQ(state(), "10.1.1.7 for 300");
}

// RFC 1035 4.1.4: a server may write the name as it likes.
TEST_F(DnsTest, NamesAreTheSameInAnyCase) {
  resolve();
  next();
  std::string reply = answer(1, record(wire_name("HOST.exAMPLE"), type_a, 1, address(7)));
  reply[13] = 'H';
  receive(reply);
  EXPECT_EQ(state(), "10.1.1.7 for 1");
}

// DN-1, D-7
TEST_F(DnsTest, BelievesOnlyTheAnswerToItsQuestion) {
  resolve();
  next();
  const std::string good = answer(1, record(pointer(12), type_a, 300, address(66)));
  const auto with = [&](size_t at, const std::string& octets) {
    std::string changed = good;
    changed.replace(at, octets.size(), octets);
    return changed;
  };
  receive(good, servers[1], from);
  receive(good, to, from, 54);
  receive(good, to, static_cast<uint16_t>(from + 1));
  receive(with(0, {static_cast<char>(~good[0])}));
  receive(with(1, {static_cast<char>(~good[1])}));
  receive(with(2, be(0x0180, 2)));
  receive(with(2, be(0x9180, 2)));
  receive(with(4, be(0, 2)));
  receive(with(4, be(2, 2)));
  receive(with(13, "x"));
  receive(with(12, {4, 'h', 'o', 's', 't', 0}));
  receive(with(query.size() - 4, be(28, 2)));
  receive(with(query.size() - 2, be(3, 2)));
  receive(good.substr(0, query.size() - 1));
  EXPECT_EQ(state(), "asking");
  receive(good);
  EXPECT_EQ(state(), "10.1.1.66 for 300");
  receive(answer(1, record(pointer(12), type_a, 300, address(67))));
  EXPECT_EQ(state(), "10.1.1.66 for 300") << "unsolicited";
}

// DN-1
TEST_F(DnsTest, IdAndPortAreNewForEachQuestion) {
  std::set<std::string> ids;
  std::set<uint16_t> ports;
  for (int i = 0; i < 200; ++i) {
    resolve();
    next();
    ids.insert(query.substr(0, 2));
    ports.insert(from);
    EXPECT_GE(from, 49152);
  }
  EXPECT_GT(ids.size(), 195u);
  EXPECT_GT(ports.size(), 190u);
}

// DN-5
TEST_F(DnsTest, AsksTheServersInTurnLessAndLessOften) {
  resolve();
  std::vector<std::string> asked;
  std::vector<uint32_t> at;
  for (;;) {
    const std::string query_text = next(40'000);
    if (query_text == "nothing") break;
    asked.push_back(query_text.substr(query_text.find(" of ") + 4));
    at.push_back(bench.now);
  }
  EXPECT_EQ(asked, (std::vector<std::string>{"10.0.0.53", "10.0.0.54", "10.0.0.53", "10.0.0.54", "10.0.0.53",
                                             "10.0.0.54", "10.0.0.53", "10.0.0.54"}));
  const double expected[] = {2, 2, 4, 4, 8, 8, 16};
  for (size_t i = 0; i < 7; ++i) EXPECT_NEAR((at[i + 1] - at[i]) / 1000.0, expected[i], 1.01) << i;
  EXPECT_EQ(state(), "no answer");
}

TEST_F(DnsTest, AnswersToAnEarlierQuestionAreNotTaken) {
  resolve("host.example", 1);
  next();
  const std::string late = answer(1, record(pointer(12), type_a, 300, address(7)));
  const uint16_t late_port = from;
  next(3000);
  receive(late, to, late_port);
  EXPECT_EQ(state(), "asking");
}

// DN-5: SERVFAIL, REFUSED and an answer cut short (TC) make it ask the next server.
TEST_F(DnsTest, AsksAnotherServerWhenOneFails) {
  for (const uint16_t flags : std::initializer_list<uint16_t>{0x8182, 0x8185, 0x8380}) {
    resolve();
    EXPECT_EQ(next(), "host.example of 10.0.0.53");
    receive(answer(1, record(pointer(12), type_a, 300, address(7)), flags));
    EXPECT_EQ(state(), "asking");
    EXPECT_EQ(next(1'010), "host.example of 10.0.0.54");
  }
}

TEST_F(DnsTest, TellsWhenThereIsNoAddress) {
  resolve();
  next();
  receive(answer(0, "", 0x8183));
  EXPECT_EQ(state(), "no address");
  resolve();
  next();
  receive(answer(0, ""));
  EXPECT_EQ(state(), "no address");
  resolve("host.example", 0);
  EXPECT_EQ(state(), "no answer");
}

TEST_F(DnsTest, NamesThatCannotBeAreNotAskedFor) {
  const std::string longest =
      std::string(63, 'a') + "." + std::string(63, 'b') + "." + std::string(63, 'c') + "." + std::string(61, 'd');
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".a"), std::string("a..b"), std::string(64, 'a'), longest + "d"}) {
    resolve(name.c_str());
    EXPECT_EQ(state(), "no address") << name;
    EXPECT_EQ(next(), "nothing");
  }
  resolve(longest.c_str());
  EXPECT_EQ(next(), longest + " of 10.0.0.53");
  receive(answer(1, record(pointer(12), type_a, 300, address(7))));
  EXPECT_EQ(state(), "10.1.1.7 for 300");
}

// DN-5: the least time to live of the chain counts.
TEST_F(DnsTest, FollowsAliases) {
  resolve();
  next();
  const std::string first = record(pointer(12), cname, 60, "\3www" + pointer(17));  // www.example
  receive(answer(3, record(wire_name("other.example"), type_a, 300, address(1)) + first +
                        record(wire_name("www.example"), type_a, 300, address(2))));
  EXPECT_EQ(state(), "10.1.1.2 for 60");
  resolve();
  next();
  receive(answer(2, record(wire_name("www.example"), type_a, 20, address(3)) + first));
  EXPECT_EQ(state(), "10.1.1.3 for 20") << "in any order";
  resolve();
  next();
  receive(answer(1, first));
  EXPECT_EQ(state(), "no address");
}

TEST_F(DnsTest, AliasesAreFollowedSevenTimes) {
  const auto chain = [](int n) {
    std::string records;
    for (int i = 0; i < n; ++i)
      records += record(i ? wire_name("a" + std::to_string(i)) : pointer(12), cname, 60,
                        wire_name("a" + std::to_string(i + 1)));
    return records + record(wire_name("a" + std::to_string(n)), type_a, 60, address(9));
  };
  resolve();
  next();
  receive(answer(8, chain(7)));
  EXPECT_EQ(state(), "10.1.1.9 for 60");
  resolve();
  next();
  receive(answer(9, chain(8)));
  EXPECT_EQ(state(), "no address");
  resolve();
  next();
  receive(answer(2, record(pointer(12), cname, 60, wire_name("b")) + record(wire_name("b"), cname, 60, pointer(12))));
  EXPECT_EQ(state(), "no address") << "a loop";
}

// DN-2, D-4: whatever a name points to, the walk ends and the answer counts for nothing.
TEST_F(DnsTest, PointersLeadBackwardsInsideTheMessage) {
  for (const unsigned behind : {0u, 1u, 2u, 100u, 0x3fffu - 31}) {
    resolve();
    next();
    const unsigned here = static_cast<unsigned>(query.size());
    receive(answer(1, record(pointer(here + behind), type_a, 300, address(66))));
    EXPECT_EQ(state(), "asking") << behind;
  }
  resolve();
  next();
  const unsigned here = static_cast<unsigned>(query.size());
  receive(answer(1, record("\1a" + pointer(here), type_a, 300, address(66))));
  EXPECT_EQ(state(), "asking") << "to the start of the name itself";
  receive(answer(1, record(pointer(0), type_a, 300, address(66))));
  EXPECT_EQ(state(), "asking") << "into the header";
  receive(answer(1, "\xc0"));
  EXPECT_EQ(state(), "asking") << "half a pointer";
  // Two aliases that point into each other.
  receive(
      answer(2, record(pointer(12), cname, 1, pointer(here + 14)) + record(pointer(12), cname, 1, pointer(here + 12))));
  EXPECT_EQ(state(), "no address");
}

// DN-3, D-5
TEST_F(DnsTest, LabelsAndNamesHaveLimits) {
  resolve();
  next();
  for (const int length : {64, 100, 128, 191}) {
    receive(answer(1, record(static_cast<char>(length) + std::string(static_cast<size_t>(length), 'a') + '\0', type_a,
                             300, address(66))));
    EXPECT_EQ(state(), "asking") << length;
  }
  std::string endless;
  for (int i = 0; i < 130; ++i) endless += "\1a";
  receive(answer(1, record(endless + '\0', type_a, 300, address(66))));
  EXPECT_EQ(state(), "asking") << "261 octets";
  receive(answer(1, endless.substr(0, 20)));
  EXPECT_EQ(state(), "asking") << "no end";
  receive(answer(2, record(endless.substr(0, 252) + '\0', type_a, 300, address(66)) +
                        record(pointer(12), type_a, 300, address(1))));
  EXPECT_EQ(state(), "10.1.1.1 for 300") << "253 octets";
}

// RFC 2181 11: a label may have any octets.
TEST_F(DnsTest, ZerosInLabelsDoNotEndAName) {
  resolve();
  next();
  const std::string odd = std::string("\2a\0\1", 4), alias = record(pointer(12), cname, 60, odd + "b" + '\0');
  receive(answer(2, alias + record(odd + "c" + '\0', type_a, 300, address(66))));
  EXPECT_EQ(state(), "no address");
}

// DN-4, D-6
TEST_F(DnsTest, CountsAndLengthsAreThoseOfThePacket) {
  resolve();
  next();
  const std::string good = record(pointer(12), type_a, 300, address(5));
  receive(answer(65535, record(wire_name("other"), type_a, 300, address(6))));
  EXPECT_EQ(state(), "asking");
  std::string lies = record(pointer(12), type_a, 300, address(5));
  lies[10] = lies[11] = static_cast<char>(0xff);
  receive(answer(1, lies));
  EXPECT_EQ(state(), "asking");
  for (size_t n = 1; n < good.size(); ++n) {
    receive(answer(1, good.substr(0, n)));
    EXPECT_EQ(state(), "asking") << n;
  }
  receive(answer(
      3, record(pointer(12), type_a, 300, "abc") + record(pointer(12), type_a, 300, std::string(16, 'x')) + good));
  EXPECT_EQ(state(), "10.1.1.5 for 300") << "an address has four octets";
}

// RFC 2181 8
TEST_F(DnsTest, TimeToLiveHas31Bits) {
  resolve();
  next();
  receive(answer(1, record(pointer(12), type_a, 0x80000000, address(7))));
  EXPECT_EQ(state(), "10.1.1.7 for 0");
  bench.run_for(2000);
  EXPECT_EQ(state(), "10.1.1.7 for 0");
}

TEST_F(DnsTest, WaitsForTheServersMacAddress) {
  static constexpr Ipv4Address unknown[] = {{{10, 0, 0, 77}}};
  dns.resolve(bench.stack, "host.example", unknown, 1);
  EXPECT_EQ(describe_arp(bench.next_frame()), "all: who-has 10.0.0.77 tell 10.0.0.1");
  bench.receive(Tins::ARP::make_arp_reply(tins(our_ip), tins(unknown[0]), tins(our_mac), tins(peer_mac)));
  EXPECT_EQ(next(), "host.example of 10.0.0.77") << "at once";
}

// Whatever the octets of an answer, nothing is read outside of it (RamDevice), and the client can be used again.
TEST_F(DnsTest, Mutants) {
  uint32_t x = 7;
  const auto random = [&x](size_t below) { return static_cast<size_t>((x = x * 1664525 + 1013904223) >> 8) % below; };
  for (int i = 0; i < 20'000; ++i) {
    resolve();
    next();
    std::string message = answer(3, record(wire_name("x.example"), cname, 300, pointer(12)) +
                                        record(pointer(12), cname, 60, "\3www" + pointer(17)) +
                                        record(wire_name("www.example"), type_a, 300, address(2)));
    for (size_t n = random(4); n; --n) message[12 + random(message.size() - 12)] = static_cast<char>(random(256));
    if (random(4) == 0) message.resize(random(message.size()));
    receive(message);
  }
  resolve();
  next();
  receive(answer(1, record(pointer(12), type_a, 300, address(7))));
  EXPECT_EQ(state(), "10.1.1.7 for 300");
}

}  // namespace
}  // namespace avrlan::test
