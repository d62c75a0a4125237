#include "stack/udp/ntp.hpp"

#include "tests/unit/stack/bench.hpp"

namespace avrlan::test {
namespace {

using Client = tcpip::NtpClient<64>;

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr bool udp = true;
  using UdpApplications = tcpip::List<Client>;
};

constexpr Ipv4Address server = {{10, 0, 0, 123}};
constexpr uint32_t in_2026 = 1795000000;  // since 1970
constexpr uint32_t epoch_1970 = 2208988800u;

struct NtpTest : testing::Test {
  Bench<Config> bench;
  Client& ntp = bench.stack.udp_application<Client>();
  std::string query;
  uint16_t from = 0;

  NtpTest() { bench.introduce(server); }

  // Whether a request goes out within so many ms.
  bool next(uint32_t within = 0) {
    const uint32_t until = bench.now + within;
    Octets frame;
    for (;;) {
      while (bench.silent() && bench.now < until) bench.run_for(8);
      if (bench.silent()) return false;
      frame = bench.next_frame();
      if (describe_arp(frame) == "no ARP") break;
      bench.receive(Tins::ARP::make_arp_reply(tins(our_ip), tins(server), tins(our_mac), tins(peer_mac)));
    }
    const Tins::EthernetII packet = parse(frame);
    const auto* udp = packet.find_pdu<Tins::UDP>();
    EXPECT_EQ(udp->dport(), 123);
    from = udp->sport();
    const auto& payload = packet.rfind_pdu<Tins::RawPDU>().payload();
    query.assign(payload.begin(), payload.end());
    EXPECT_EQ(query.size(), 48u);
    EXPECT_EQ(query[0], 0x23) << "version 4, client";
    EXPECT_EQ(query.substr(1, 39), std::string(39, 0)) << "tells nothing of itself";
    return true;
  }

  static std::string be(uint32_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) text.push_back(static_cast<char>(value >> shift));
    return text;
  }

  // What the server says at `seconds` since 1970 and so many 1/2^32 of one.
  std::string answer(uint32_t seconds = in_2026, uint32_t fraction = 0, uint8_t stratum = 2,
                     uint8_t first = 0x24) const {
    std::string message(48, 0);
    message[0] = static_cast<char>(first);
    message[1] = static_cast<char>(stratum);
    message.replace(24, 8, query.substr(40));
    message.replace(40, 8, be(seconds + epoch_1970) + be(fraction));
    return message;
  }
  static std::string kiss(std::string message, const std::string& code) {
    message[1] = 0;
    return message.replace(12, 4, code);
  }
  void receive(const std::string& message, Ipv4Address source = server, int to_port = 0, uint16_t from_port = 123) {
    bench.receive(Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(source)) /
                  Tins::UDP(static_cast<uint16_t>(from + to_port), from_port) / Tins::RawPDU(message));
  }
};

TEST_F(NtpTest, SetsTheTimeAndCarriesItOn) {
  EXPECT_EQ(ntp.time(), 0u);
  ntp.start(bench.stack, server);
  EXPECT_TRUE(next());
  EXPECT_EQ(ntp.status(), tcpip::NtpStatus::asking);
  receive(answer());
  EXPECT_EQ(ntp.status(), tcpip::NtpStatus::set);
  EXPECT_EQ(ntp.time(), in_2026);
  bench.run_for(999);
  EXPECT_EQ(ntp.time(), in_2026);
  bench.run_for(1);
  EXPECT_EQ(ntp.time(), in_2026 + 1);
  bench.run_for(30'000);
  EXPECT_EQ(ntp.time(), in_2026 + 31);
}

// RFC 4330 5: half of the round trip has passed since the server wrote its time.
TEST_F(NtpTest, CountsTheWayBack) {
  ntp.start(bench.stack, server);
  next();
  bench.run_for(400);
  receive(answer(in_2026, 0x80000000));  // .5 s
  bench.run_for(299);
  EXPECT_EQ(ntp.time(), in_2026);
  bench.run_for(1);
  EXPECT_EQ(ntp.time(), in_2026 + 1);
}

TEST_F(NtpTest, BelievesOnlyTheAnswerToItsRequest) {
  ntp.start(bench.stack, server);
  next();
  const std::string good = answer();
  receive(good, peer_ip);
  receive(good, server, 1);
  receive(good, server, 0, 124);
  receive(good.substr(0, 47));
  for (const size_t at : {24u, 27u, 28u, 31u}) {
    std::string changed = good;
    changed[at] = static_cast<char>(~changed[at]);
    receive(changed);
  }
  receive(answer(in_2026, 0, 2, 0x23));
  receive(answer(in_2026, 0, 2, 0x25));
  receive(answer(in_2026, 0, 2, 0xe4));  // not synchronized
  receive(answer(in_2026, 0, 16));
  receive(answer(0u - epoch_1970, 0));           // no time at all
  receive(answer(0x80000000u - epoch_1970, 0));  // 1968
  EXPECT_EQ(ntp.status(), tcpip::NtpStatus::asking);
  EXPECT_EQ(ntp.time(), 0u);
  receive(good);
  EXPECT_EQ(ntp.time(), in_2026);
  receive(answer(in_2026 + 100));
  EXPECT_EQ(ntp.time(), in_2026) << "a second answer";
}

TEST_F(NtpTest, RequestsCannotBeGuessed) {
  std::set<std::string> transmit;
  std::set<uint16_t> ports;
  for (int i = 0; i < 100; ++i) {
    ntp.start(bench.stack, server);
    next();
    transmit.insert(query.substr(40));
    ports.insert(from);
  }
  EXPECT_EQ(transmit.size(), 100u);
  EXPECT_GT(ports.size(), 95u);
}

// RFC 4330 3: the seconds begin again in 2036.
TEST_F(NtpTest, GoesOnIn2036) {
  ntp.start(bench.stack, server);
  next();
  receive(answer(0xffffffffu - epoch_1970));
  EXPECT_EQ(ntp.time(), 2085978495u);
  bench.run_for(1000);
  EXPECT_EQ(ntp.time(), 2085978496u);
  ntp.start(bench.stack, server);
  next();
  receive(answer(5 - epoch_1970));
  EXPECT_EQ(ntp.time(), 2085978501u);
}

// RFC 4330 10: not within 15 s, and less and less often.
TEST_F(NtpTest, AsksLessAndLessOftenWithoutAnAnswer) {
  ntp.start(bench.stack, server);
  std::vector<uint32_t> at;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(next(70'000));
    at.push_back(bench.now);
  }
  const double expected[] = {16, 32, 64, 64, 64};
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR((at[i + 1] - at[i]) / 1000.0, expected[i], 1.01);
}

TEST_F(NtpTest, AsksAgainAndTellsOfSilence) {
  ntp.start(bench.stack, server);
  next();
  receive(answer());
  EXPECT_FALSE(next(63'000));
  EXPECT_TRUE(next(1'100));
  receive(answer(in_2026 + 5));
  EXPECT_EQ(ntp.time(), in_2026 + 5) << "set back";
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(next(65'000));
  EXPECT_EQ(ntp.status(), tcpip::NtpStatus::set);
  EXPECT_TRUE(next(65'000));
  EXPECT_EQ(ntp.status(), tcpip::NtpStatus::asking);
  EXPECT_GT(ntp.time(), in_2026 + 200);
}

// RFC 4330 8
TEST_F(NtpTest, ObeysTheKissOfDeath) {
  for (const std::string code : {"DENY", "RSTR"}) {
    ntp.start(bench.stack, server);
    next();
    std::string forged = kiss(answer(), code);
    forged[24] = static_cast<char>(~forged[24]);
    receive(forged);
    EXPECT_EQ(ntp.status(), tcpip::NtpStatus::asking);
    receive(kiss(answer(), code));
    EXPECT_EQ(ntp.status(), tcpip::NtpStatus::refused);
    EXPECT_FALSE(next(200'000));
    receive(answer());
    EXPECT_EQ(ntp.time(), 0u);
  }
  ntp.start(bench.stack, server);
  next();
  receive(kiss(answer(), "RATE"));
  EXPECT_EQ(ntp.status(), tcpip::NtpStatus::asking);
  EXPECT_FALSE(next(63'000)) << "the longest interval at once";
  EXPECT_TRUE(next(1'100));
}

TEST_F(NtpTest, WaitsForTheServersMacAddress) {
  ntp.start(bench.stack, peer_ip);
  EXPECT_EQ(describe_arp(bench.next_frame()), "all: who-has 10.0.0.9 tell 10.0.0.1");
  bench.run_for(500);
  bench.receive(Tins::ARP::make_arp_reply(tins(our_ip), tins(peer_ip), tins(our_mac), tins(peer_mac)));
  EXPECT_TRUE(next()) << "at once";
  receive(answer(in_2026), peer_ip);
  bench.run_for(990);
  EXPECT_EQ(ntp.time(), in_2026) << "counted from when it was sent";
}

}  // namespace
}  // namespace avrlan::test
