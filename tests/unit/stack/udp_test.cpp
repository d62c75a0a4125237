#include "stack/app/echo.hpp"
#include "tests/unit/stack/bench.hpp"

namespace avrlan::test {
namespace {

// Remembers what came, and sends a datagram of its own when told.
struct Logger : tcpip::UdpApplication {
  static constexpr uint16_t port = 514;
  std::vector<std::string> heard;
  int seconds = 0;

  template <class Message>
  void received(Message& message) {
    std::string text(message.left(), 0);
    message.read(text.data(), message.left());
    heard.push_back(text + (message.broadcast() ? " (to all)" : ""));
  }
  template <class Stack>
  void every_second(Stack& stack) {
    ++seconds;
    auto datagram = stack.datagram(peer_ip, 123, 514);
    datagram.write("tick", 4);
    datagram.send();
  }
};

struct WithUdp : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr bool udp = true, counters = true;
  using UdpApplications = tcpip::List<tcpip::UdpEcho, Logger>;
};

struct UdpTest : testing::Test {
  Bench<WithUdp> bench;

  UdpTest() { bench.introduce(); }

  static Tins::EthernetII datagram(const std::string& data, uint16_t port = 7, Ipv4Address to = our_ip,
                                   uint16_t from = 5000) {
    return Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(to), tins(peer_ip)) / Tins::UDP(port, from) /
           Tins::RawPDU(data);
  }
  static Octets frame(const std::string& data) {
    auto packet = datagram(data);
    return bytes(packet);
  }
  // The data of the echo to `frame`, or "nothing".
  std::string echo(const Octets& request) {
    bench.receive(request);
    if (bench.silent()) return "nothing";
    const Octets reply_frame = bench.next_frame();
    const Tins::EthernetII reply = parse(reply_frame);
    EXPECT_EQ(reply.rfind_pdu<Tins::UDP>().sport(), 7);
    EXPECT_EQ(reply.rfind_pdu<Tins::UDP>().dport(), 5000);
    EXPECT_NE(reply.rfind_pdu<Tins::UDP>().checksum(), 0);
    const auto* raw = reply.find_pdu<Tins::RawPDU>();
    return raw ? std::string(raw->payload().begin(), raw->payload().end()) : "";
  }
  static Octets with_length(Octets request, uint16_t length) {
    request[38] = static_cast<uint8_t>(length >> 8);
    request[39] = static_cast<uint8_t>(length);
    request[40] = request[41] = 0;
    return request;
  }
};

TEST_F(UdpTest, EchoesEveryLength) {
  for (size_t n = 0; n <= 1472; n += n < 40 ? 1 : 179) {
    const std::string data(n, static_cast<char>('a' + n % 26));
    ASSERT_EQ(echo(frame(data)), data);
  }
}

// UD-1
TEST_F(UdpTest, VerifiesTheChecksumUnlessThereIsNone) {
  Octets request = frame("hello");
  request[41] ^= 1;
  EXPECT_EQ(echo(request), "nothing");
  request[40] = request[41] = 0;
  EXPECT_EQ(echo(request), "hello");
}

// UD-2
TEST_F(UdpTest, ChecksumZeroGoesOutAsAllOnes) {
  // Chosen so that the reply's sum is 0: find the two octets that make it so.
  std::string data = {0, 0};
  Octets request = frame(data);
  bench.receive(request);
  const uint16_t sum = parse(bench.next_frame()).rfind_pdu<Tins::UDP>().checksum();
  data = {static_cast<char>(sum >> 8), static_cast<char>(sum & 0xff)};
  bench.receive(frame(data));
  const Octets reply = bench.next_frame();
  EXPECT_EQ(reply[40] << 8 | reply[41], 0xffff);
}

// UD-3, U-1
TEST_F(UdpTest, ChecksItsLength) {
  const Octets request = frame("sixteen octets!!");
  for (const int length : {0, 1, 7, 25, 60, 0xffff})
    EXPECT_EQ(echo(with_length(request, static_cast<uint16_t>(length))), "nothing") << length;
  EXPECT_EQ(echo(with_length(request, 12)), "sixt");
  EXPECT_EQ(echo(with_length(request, 8)), "");
  EXPECT_EQ(echo(with_length(request, 24)), "sixteen octets!!");
}

// UD-4
TEST_F(UdpTest, ChoosesByPort) {
  bench.receive(datagram("one", 514));
  bench.receive(datagram("two", 515));
  EXPECT_TRUE(bench.silent());
  EXPECT_EQ(bench.stack.udp_application<Logger>().heard, std::vector<std::string>{"one"});
  EXPECT_EQ(bench.stack.counters().dropped(tcpip::Drop::udp_port), 1);
}

// IP-24, C-7
TEST_F(UdpTest, DeliversBroadcastsButDoesNotEchoThem) {
  for (const Ipv4Address to : {Ipv4Address{{255, 255, 255, 255}}, Ipv4Address{{10, 0, 0, 255}}}) {
    bench.receive(datagram("all", 514, to));
    bench.receive(datagram("all", 7, to));
  }
  bench.receive(datagram("loop", 7, our_ip, 7));
  bench.receive(datagram("loop", 7, our_ip, 19));
  EXPECT_TRUE(bench.silent());
  EXPECT_EQ(bench.stack.udp_application<Logger>().heard, (std::vector<std::string>{"all (to all)", "all (to all)"}));
}

TEST_F(UdpTest, ApplicationsSendOnTheirOwn) {
  bench.run_for(2500);
  EXPECT_EQ(bench.stack.udp_application<Logger>().seconds, 2);
  ASSERT_EQ(bench.sent().size(), 2u);
  const Tins::EthernetII packet = parse(bench.next_frame());
  EXPECT_EQ(packet.rfind_pdu<Tins::UDP>().dport(), 123);
  EXPECT_EQ(packet.rfind_pdu<Tins::UDP>().sport(), 514);
  const auto& payload = packet.rfind_pdu<Tins::RawPDU>().payload();
  EXPECT_EQ(std::string(payload.begin(), payload.end()), "tick");
}

TEST_F(UdpTest, ShortDatagramsAreDropped) {
  for (uint8_t n = 0; n < 8; ++n) {
    Octets request = frame("");
    request[17] = static_cast<uint8_t>(20 + n);
    request[24] = request[25] = 0;
    const auto sum = static_cast<uint16_t>(~reference_sum(request.data() + 14, 20));
    request[24] = static_cast<uint8_t>(sum >> 8);
    request[25] = static_cast<uint8_t>(sum);
    EXPECT_EQ(echo(request), "nothing");
  }
  EXPECT_EQ(bench.stack.counters().dropped(tcpip::Drop::udp), 8);
}

}  // namespace
}  // namespace avrlan::test
