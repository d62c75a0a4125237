#include "emulator/net/gateway.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "emulator/board/firmware.hpp"
#include "tests/unit/emulator/net/guest.hpp"

namespace avrlan::net {
namespace {

using Flag = Tins::TCP::Flags;
using testing::HasSubstr;

const std::string nothing = "(nothing)";  // what there is to receive

// A socket of the host, bound or connected to 127.0.0.1.
class HostSocket {
 public:
  explicit HostSocket(int type) : fd_(::socket(AF_INET, type, 0)) {}
  // What `listener` has to accept.
  static std::unique_ptr<HostSocket> accepted(const HostSocket& listener) {
    return std::unique_ptr<HostSocket>(new HostSocket(Accepted{}, ::accept(listener.fd_, nullptr, nullptr)));
  }
  ~HostSocket() { ::close(fd_); }
  HostSocket(const HostSocket&) = delete;
  HostSocket& operator=(const HostSocket&) = delete;

  int fd() const { return fd_; }
  std::uint16_t bind_any() {
    sockaddr_in name = address(0);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    return port();
  }
  void listen() { EXPECT_EQ(::listen(fd_, 4), 0); }
  bool connect(std::uint16_t to) {
    const timeval limit{1, 0};  // for a listener that takes no more
    EXPECT_EQ(::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit), 0);
    sockaddr_in name = address(to);
    return ::connect(fd_, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0;
  }
  std::uint16_t port() const {
    sockaddr_in name{};
    socklen_t length = sizeof name;
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&name), &length), 0);
    return ntohs(name.sin_port);
  }
  // Receives a datagram and answers it.
  std::string answer(const std::string& text) {
    sockaddr_in from{};
    socklen_t length = sizeof from;
    char buffer[2048];
    const ssize_t n = ::recvfrom(fd_, buffer, sizeof buffer, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from), &length);
    if (n < 0) return nothing;
    ::sendto(fd_, text.data(), text.size(), 0, reinterpret_cast<sockaddr*>(&from), length);
    return {buffer, static_cast<std::size_t>(n)};
  }
  bool readable() const {
    pollfd p{fd_, POLLIN, 0};
    return ::poll(&p, 1, 0) == 1;
  }
  void send(const std::string& text) {
    EXPECT_EQ(::send(fd_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  std::string receive() {
    char buffer[2048];
    const ssize_t n = ::recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
    return n < 0 ? nothing : std::string(buffer, static_cast<std::size_t>(n));
  }

 private:
  static sockaddr_in address(std::uint16_t port) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return name;
  }
  struct Accepted {};
  HostSocket(Accepted, int fd) : fd_(fd) {}
  int fd_;
};

class GatewayTest : public testing::Test {
 protected:
  Gateway& start(const GatewayOptions& options = {}) {
    gateway_ = std::make_unique<Gateway>(scheduler_, inbox_, options);
    return *gateway_;
  }
  static GatewayOptions forward(const std::string& text) {
    GatewayOptions options;
    options.forwards.push_back(HostForward::parse(text));
    return options;
  }
  void pass(Duration time) { scheduler_.run_until(scheduler_.now() + time); }
  void send(const EthernetFrame& frame) {
    gateway_->deliver(frame);
    pass(Duration());
  }
  // A client has connected to port 80 of the guest, whose hardware address is known; slirp's SYN is under way.
  void call() {
    Gateway& gateway = start(forward("tcp::0-:80"));
    client_ = std::make_unique<HostSocket>(SOCK_STREAM);
    ASSERT_TRUE(client_->connect(gateway.forwards()[0].host_port));
    send(arp_reply());
    ASSERT_TRUE(host());
  }
  // Waits (wall time, bounded) for the host's kernel to have something for the gateway.
  bool host() {
    const bool ready = gateway_->poll_host(2000);
    pass(Duration());
    return ready;
  }
  // The next segment for the guest, decoded.
  std::unique_ptr<Tins::EthernetII> segment() { return inbox_.take<Tins::TCP>(); }

  Scheduler scheduler_;
  Inbox inbox_;
  std::unique_ptr<Gateway> gateway_;
  std::unique_ptr<HostSocket> client_;
};

TEST_F(GatewayTest, GivesTheFirstLeaseByDhcp) {
  start();
  send(dhcp(Tins::DHCP::DISCOVER));
  auto offer = inbox_.take<Tins::UDP>();
  ASSERT_TRUE(offer);
  EXPECT_EQ(offer->rfind_pdu<Tins::UDP>().sport(), 67);
  Tins::DHCP message(offer->rfind_pdu<Tins::RawPDU>().payload().data(),
                     static_cast<std::uint32_t>(offer->rfind_pdu<Tins::RawPDU>().payload().size()));
  EXPECT_EQ(message.type(), Tins::DHCP::OFFER);
  EXPECT_EQ(message.yiaddr(), "10.0.2.15");

  send(dhcp(Tins::DHCP::REQUEST, "10.0.2.15"));
  auto ack = inbox_.take<Tins::UDP>();
  ASSERT_TRUE(ack);
  Tins::DHCP lease(ack->rfind_pdu<Tins::RawPDU>().payload().data(),
                   static_cast<std::uint32_t>(ack->rfind_pdu<Tins::RawPDU>().payload().size()));
  EXPECT_EQ(lease.type(), Tins::DHCP::ACK);
  EXPECT_EQ(lease.routers(), std::vector<Tins::IPv4Address>{"10.0.2.2"});
  EXPECT_EQ(lease.domain_name_servers(), std::vector<Tins::IPv4Address>{"10.0.2.3"});
  EXPECT_EQ(lease.subnet_mask(), "255.255.255.0");
  EXPECT_EQ(gateway_->host_state(), HostState::idle);
}

TEST_F(GatewayTest, AnswersArpWithAPaddedFrame) {
  start();
  send(arp_request("10.0.2.2"));
  ASSERT_EQ(inbox_.frames.size(), 1U);
  EXPECT_GE(inbox_.frames[0].octets.size(), 60U);
  EXPECT_TRUE(inbox_.frames[0].fcs_ok());
  auto reply = inbox_.take<Tins::ARP>();
  EXPECT_EQ(reply->rfind_pdu<Tins::ARP>().sender_hw_addr().to_string(), gateway_mac);
}

TEST_F(GatewayTest, NeverDeliversFromInsideDeliver) {
  start();
  gateway_->deliver(arp_request("10.0.2.2"));
  EXPECT_TRUE(inbox_.frames.empty());
  EXPECT_EQ(scheduler_.next(), scheduler_.now());
  pass(Duration());
  EXPECT_EQ(inbox_.frames.size(), 1U);
}

TEST_F(GatewayTest, AnswersAPingToItself) {
  start();
  send(arp_request("10.0.2.2"));
  send(ping("10.0.2.2", 7, 1, "abcdefgh"));
  EXPECT_EQ(inbox_.frames.back().octets.size(), 60U) << "50 octets from slirp";
  EXPECT_TRUE(inbox_.frames.back().fcs_ok());
  auto reply = inbox_.take<Tins::ICMP>();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->rfind_pdu<Tins::ICMP>().type(), Tins::ICMP::ECHO_REPLY);
  EXPECT_EQ(reply->rfind_pdu<Tins::ICMP>().id(), 7);
  EXPECT_EQ(text_of(*reply), "abcdefgh");
  EXPECT_EQ(gateway_->host_state(), HostState::idle);
}

TEST_F(GatewayTest, ForwardsATcpConnectionBothWaysAndCloses) {
  Gateway& gateway = start(forward("tcp::0-:80"));
  ASSERT_NE(gateway.forwards()[0].host_port, 0);
  HostSocket client(SOCK_STREAM);
  ASSERT_TRUE(client.connect(gateway.forwards()[0].host_port));

  ASSERT_TRUE(host());
  ASSERT_TRUE(inbox_.take<Tins::ARP>()) << "slirp does not know the guest yet";
  send(arp_reply());
  auto syn = segment();
  ASSERT_TRUE(syn);
  EXPECT_EQ(syn->rfind_pdu<Tins::IP>().src_addr(), "10.0.2.2");
  EXPECT_EQ(syn->rfind_pdu<Tins::TCP>().dport(), 80);
  EXPECT_EQ(gateway.host_state(), HostState::connected);

  const std::uint16_t port = syn->rfind_pdu<Tins::TCP>().sport();
  std::uint32_t expected = syn->rfind_pdu<Tins::TCP>().seq() + 1;
  const auto reply = [&](std::uint16_t flags, std::uint32_t sequence, const std::string& data) {
    send(tcp({.destination_port = port,
              .source_port = 80,
              .sequence = sequence,
              .acknowledgment = expected,
              .flags = flags,
              .data = data}));
  };
  reply(Flag::SYN | Flag::ACK, 1000, "");
  client.send("GET /\r\n");
  ASSERT_TRUE(host());
  std::string request;
  while (auto next = segment()) request += text_of(*next);
  EXPECT_EQ(request, "GET /\r\n");
  expected += 7;
  reply(Flag::ACK | Flag::PSH, 1001, "page");
  EXPECT_EQ(client.receive(), "page");
  reply(Flag::ACK | Flag::FIN, 1005, "");
  EXPECT_EQ(client.receive(), "") << "end of file";
  EXPECT_EQ(gateway.host_state(), HostState::connected);

  inbox_.frames.clear();
  ASSERT_EQ(::shutdown(client.fd(), SHUT_WR), 0);
  ASSERT_TRUE(host());
  auto fin = segment();
  ASSERT_TRUE(fin);
  EXPECT_TRUE(has_flags(*fin, Flag::FIN));
  EXPECT_EQ(gateway.host_state(), HostState::idle);
  EXPECT_EQ(gateway.drops().total(), 0U);
}

// A forwarded connection up to the guest's handshake.
class ForwardedTest : public GatewayTest {
 protected:
  // The guest's data begin at `first`.
  void open(std::uint32_t first) {
    ASSERT_NO_FATAL_FAILURE(call());
    auto syn = segment();
    ASSERT_TRUE(syn);
    port_ = syn->rfind_pdu<Tins::TCP>().sport();
    acknowledgment_ = syn->rfind_pdu<Tins::TCP>().seq() + 1;
    reply(Flag::SYN | Flag::ACK, first - 1, "");
    inbox_.frames.clear();
  }
  // The client closes its direction: slirp then takes its slow path (tcp_reass) for every segment of the guest.
  void half_close() {
    ASSERT_EQ(::shutdown(client_->fd(), SHUT_WR), 0);
    ASSERT_TRUE(host());
    ++acknowledgment_;
  }
  void reply(std::uint16_t flags, std::uint32_t sequence, const std::string& data, std::uint16_t window = 4096) {
    send(tcp({.destination_port = port_,
              .source_port = 80,
              .sequence = sequence,
              .acknowledgment = acknowledgment_,
              .flags = flags,
              .window = window,
              .data = data}));
  }
  std::uint16_t port_ = 0;
  std::uint32_t acknowledgment_ = 0;
};

TEST_F(ForwardedTest, DelayedAcknowledgmentsComeInVirtualTime) {
  open(1000);
  reply(Flag::ACK, 1000, "page", 4000);  // a changed window leads past slirp's fast path
  EXPECT_FALSE(segment());
  pass(Duration::milliseconds(1));
  EXPECT_FALSE(segment());
  pass(Duration::milliseconds(1));
  auto ack = segment();
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->rfind_pdu<Tins::TCP>().ack_seq(), 1004U);
}

// The guest has lost the ACK of its SYN and the data behind it, and sends its SYN again.
TEST_F(ForwardedTest, SendsDataAgainAfterARepeatedSyn) {
  open(1000);
  client_->send("request");
  ASSERT_TRUE(host());
  ASSERT_TRUE(segment());
  pass(Duration::milliseconds(300));
  send(tcp({.destination_port = port_,
            .source_port = 80,
            .sequence = 999,
            .acknowledgment = acknowledgment_,
            .flags = Flag::SYN | Flag::ACK,
            .mss = 1460}));
  ASSERT_TRUE(segment());
  pass(Duration::seconds(2));
  const auto again = segment();
  ASSERT_TRUE(again);
  EXPECT_EQ(text_of(*again), "request");
}

TEST_F(ForwardedTest, SurvivesAClientThatIsGone) {
  open(1000);
  client_.reset();
  for (std::uint32_t i = 0; i < 4; ++i) reply(Flag::ACK, 1000 + i * 4, "page");
  host();
  EXPECT_TRUE(segment());
}

TEST_F(ForwardedTest, StaysConnectedWhileTheHostHasNotTakenEverything) {
  open(1000);
  const std::string large(1400, 'x');
  std::uint32_t sequence = 1000;
  // Until neither the kernel nor slirp takes more.
  for (std::uint16_t window = 4096; window >= large.size();) {
    inbox_.frames.clear();
    reply(Flag::ACK, sequence, large);
    sequence += static_cast<std::uint32_t>(large.size());
    pass(Duration::milliseconds(2));
    auto ack = segment();
    ASSERT_TRUE(ack);
    ASSERT_EQ(ack->rfind_pdu<Tins::TCP>().ack_seq(), sequence);
    window = ack->rfind_pdu<Tins::TCP>().window();
  }
  half_close();
  reply(Flag::ACK | Flag::FIN, sequence, "");
  EXPECT_EQ(gateway_->host_state(), HostState::connected) << "both ends have closed, and data are still under way";
  for (int i = 0; i < 10'000 && gateway_->host_state() == HostState::connected; ++i) {
    while (client_->receive() != nothing) {
    }
    gateway_->poll_host(100);
  }
  EXPECT_EQ(gateway_->host_state(), HostState::idle);
}

TEST_F(ForwardedTest, DataThatEndAtSequenceNumberZeroDoNotReachSlirp) {
  open(0xfffffffc);
  half_close();
  reply(Flag::ACK, 0xfffffffc, "page");
  EXPECT_EQ(gateway_->drops().of(DropReason::backend_full), 1U);
  reply(Flag::ACK, 0xfffffffc, "pages");
  EXPECT_EQ(client_->receive(), "pages") << "more data make the segment harmless";
  EXPECT_EQ(gateway_->drops().total(), 1U);
}

TEST_F(ForwardedTest, DataAcrossSequenceNumberZeroPassInsideTheWindowOnly) {
  open(0xfffffffe);
  half_close();
  reply(Flag::ACK | Flag::FIN, 0xfffffffe, "page");
  EXPECT_EQ(client_->receive(), "page");
  EXPECT_EQ(client_->receive(), "");
  EXPECT_EQ(gateway_->drops().total(), 0U);
}

TEST_F(GatewayTest, HoldsManyConnectionsThatArriveAtOnce) {
  Gateway& gateway = start(forward("tcp::0-:80"));
  std::vector<std::unique_ptr<HostSocket>> clients;
  for (int i = 0; i < 16; ++i) {
    clients.push_back(std::make_unique<HostSocket>(SOCK_STREAM));
    ASSERT_TRUE(clients.back()->connect(gateway.forwards()[0].host_port)) << i;
  }
  send(arp_reply());
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(host());
  int syns = 0;
  while (segment()) ++syns;
  EXPECT_EQ(syns, 16);
}

TEST_F(GatewayTest, RetransmitsItsSynInVirtualTime) {
  ASSERT_NO_FATAL_FAILURE(call());
  ASSERT_TRUE(segment());
  pass(Duration::seconds(4));
  EXPECT_FALSE(segment());
  pass(Duration::seconds(3));
  EXPECT_TRUE(segment()) << "first retransmission after 6 s: no round trip was measured";
}

// So a run whose virtual time went on while the firmware stood still would lose a connection that came meanwhile.
TEST_F(GatewayTest, GivesAnUnansweredConnectionUpAfter75Seconds) {
  ASSERT_NO_FATAL_FAILURE(call());
  pass(Duration::seconds(74));
  gateway_->poll_host(0);
  EXPECT_EQ(client_->receive(), nothing);
  pass(Duration::seconds(2));
  EXPECT_EQ(client_->receive(), "") << "is still open";
}

TEST_F(GatewayTest, OffersNoWindowScale) {
  ASSERT_NO_FATAL_FAILURE(call());
  const auto syn = segment();
  ASSERT_TRUE(syn);
  const auto& options = syn->rfind_pdu<Tins::TCP>();
  EXPECT_NE(options.search_option(Tins::TCP::MSS), nullptr);
  EXPECT_EQ(options.search_option(Tins::TCP::WSCALE), nullptr);
}

TEST_F(GatewayTest, HasSixteenLeases) {
  start();
  for (int board = 1; board <= 17; ++board) {
    Tins::HWAddress<6> mac("02:00:00:00:00:00");
    *(mac.end() - 1) = static_cast<std::uint8_t>(board);
    for (const auto type : {Tins::DHCP::DISCOVER, Tins::DHCP::REQUEST}) {
      const std::string wanted = type == Tins::DHCP::REQUEST ? "10.0.2." + std::to_string(14 + board) : "";
      send(dhcp(type, wanted, mac.to_string()));
      EXPECT_EQ(inbox_.take<Tins::UDP>() != nullptr, board <= 16) << "board " << board << ", message " << type;
      if (board == 17) break;
    }
  }
}

TEST_F(GatewayTest, ForwardsUdpBothWays) {
  Gateway& gateway = start(forward("udp::0-:7"));
  HostSocket client(SOCK_DGRAM);
  ASSERT_TRUE(client.connect(gateway.forwards()[0].host_port));
  send(arp_reply());
  client.send("ahoy");
  ASSERT_TRUE(host());
  auto datagram = inbox_.take<Tins::UDP>();
  ASSERT_TRUE(datagram);
  EXPECT_EQ(datagram->rfind_pdu<Tins::IP>().src_addr(), "10.0.2.2");
  EXPECT_EQ(text_of(*datagram), "ahoy");
  EXPECT_EQ(gateway.host_state(), HostState::connected);

  send(udp("10.0.2.2", datagram->rfind_pdu<Tins::UDP>().sport(), 7, "ahoy back"));
  EXPECT_EQ(client.receive(), "ahoy back");
  EXPECT_EQ(gateway.drops().total(), 0U);
}

TEST_F(GatewayTest, SaysWhichPortIsBusy) {
  HostSocket other(SOCK_STREAM);
  const std::uint16_t port = other.bind_any();
  other.listen();
  try {
    start(forward("tcp:127.0.0.1:" + std::to_string(port) + "-:80"));
    FAIL() << "the port is busy";
  } catch (const HostError& error) {
    EXPECT_THAT(error.what(), HasSubstr("127.0.0.1:" + std::to_string(port)));
    EXPECT_THAT(error.what(), HasSubstr("in use"));
    EXPECT_THAT(error.hint(), HasSubstr("--hostfwd tcp:127.0.0.1:0-:80"));
  }
  HostSocket datagrams(SOCK_DGRAM);
  const std::uint16_t udp_port = datagrams.bind_any();
  EXPECT_THROW(start(forward("udp::" + std::to_string(udp_port) + "-:7")), HostError);
}

TEST_F(GatewayTest, RefusesTheHostsLoopbackAtOnce) {
  HostSocket server(SOCK_STREAM);
  const std::uint16_t port = server.bind_any();
  server.listen();
  Gateway& gateway = start();
  send(arp_request("10.0.2.2"));
  send(tcp({.destination_port = port, .source_port = 5000, .sequence = 77, .flags = Flag::SYN}));
  auto reset = segment();
  ASSERT_TRUE(reset);
  EXPECT_TRUE(has_flags(*reset, Flag::RST | Flag::ACK));
  EXPECT_EQ(reset->rfind_pdu<Tins::TCP>().ack_seq(), 78U);
  EXPECT_EQ(gateway.drops().of(DropReason::host_access_refused), 1U);
  EXPECT_FALSE(server.readable());
  EXPECT_EQ(gateway.host_state(), HostState::idle);
}

TEST_F(GatewayTest, ReachesTheHostsLoopbackWhenAllowed) {
  HostSocket server(SOCK_STREAM);
  const std::uint16_t port = server.bind_any();
  server.listen();
  GatewayOptions options;
  options.host_access = true;
  Gateway& gateway = start(options);
  send(arp_request("10.0.2.2"));
  send(tcp({.destination_port = port, .source_port = 5000, .sequence = 77, .flags = Flag::SYN}));
  EXPECT_EQ(gateway.host_state(), HostState::reply_outstanding);
  ASSERT_TRUE(host());
  auto answer = segment();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(has_flags(*answer, Flag::SYN | Flag::ACK));
  EXPECT_EQ(gateway.host_state(), HostState::connected);
  const auto connection = HostSocket::accepted(server);

  const std::uint32_t expected = answer->rfind_pdu<Tins::TCP>().seq() + 1;
  send(tcp({.destination_port = port,
            .source_port = 5000,
            .sequence = 78,
            .acknowledgment = expected,
            .flags = Flag::ACK,
            .data = "question"}));
  EXPECT_EQ(connection->receive(), "question");
  EXPECT_EQ(gateway.host_state(), HostState::reply_outstanding) << "the firmware spoke last";
  gateway.give_up_waiting();
  EXPECT_EQ(gateway.host_state(), HostState::connected);
  connection->send("answer");
  inbox_.frames.clear();
  ASSERT_TRUE(host());
  auto data = segment();
  ASSERT_TRUE(data);
  EXPECT_EQ(text_of(*data), "answer");
  EXPECT_EQ(gateway.drops().total(), 0U);
}

TEST_F(GatewayTest, ReportsAClosedHostPortByReset) {
  HostSocket nobody(SOCK_STREAM);
  const std::uint16_t port = nobody.bind_any();
  GatewayOptions options;
  options.host_access = true;
  Gateway& gateway = start(options);
  send(arp_request("10.0.2.2"));
  send(tcp({.destination_port = port, .source_port = 5000, .sequence = 77, .flags = Flag::SYN}));
  auto reset = segment();
  if (!reset) {  // the kernel takes a moment to refuse
    ASSERT_TRUE(host());
    reset = segment();
  }
  ASSERT_TRUE(reset);
  EXPECT_TRUE(has_flags(*reset, Flag::RST));
  EXPECT_EQ(gateway.host_state(), HostState::idle);
}

TEST_F(GatewayTest, CarriesDatagramsToTheHostWhenAllowed) {
  HostSocket server(SOCK_DGRAM);
  const std::uint16_t port = server.bind_any();
  GatewayOptions options;
  options.host_access = true;
  Gateway& gateway = start(options);
  send(arp_request("10.0.2.2"));
  send(udp("10.0.2.2", port, 5000, "question"));
  EXPECT_EQ(gateway.host_state(), HostState::reply_outstanding);
  EXPECT_EQ(server.answer("answer"), "question");
  ASSERT_TRUE(host());
  auto datagram = inbox_.take<Tins::UDP>();
  ASSERT_TRUE(datagram);
  EXPECT_EQ(text_of(*datagram), "answer");
  EXPECT_EQ(gateway.host_state(), HostState::idle);
}

TEST_F(GatewayTest, ReportsAClosedHostPortToADatagram) {
  std::uint16_t port = 0;
  {
    HostSocket nobody(SOCK_DGRAM);
    port = nobody.bind_any();
  }
  GatewayOptions options;
  options.host_access = true;
  Gateway& gateway = start(options);
  send(arp_request("10.0.2.2"));
  send(udp("10.0.2.2", port, 5000, "question"));
  ASSERT_TRUE(host());
  EXPECT_TRUE(inbox_.take<Tins::ICMP>());
  EXPECT_EQ(gateway.host_state(), HostState::idle) << "an error is an answer";
}

TEST_F(GatewayTest, LetsNothingOutWhenRestricted) {
  HostSocket server(SOCK_STREAM);
  const std::uint16_t port = server.bind_any();
  server.listen();
  GatewayOptions options = forward("tcp::0-:80");
  options.restricted = true;
  options.host_access = true;
  Gateway& gateway = start(options);
  send(arp_request("10.0.2.2"));
  send(tcp({.destination_port = port, .source_port = 5000, .sequence = 77, .flags = Flag::SYN}));
  auto reset = segment();
  ASSERT_TRUE(reset);
  EXPECT_TRUE(has_flags(*reset, Flag::RST));
  EXPECT_FALSE(server.readable());
  HostSocket client(SOCK_STREAM);
  ASSERT_TRUE(client.connect(gateway.forwards()[0].host_port));
  send(arp_reply());
  ASSERT_TRUE(host());
  EXPECT_TRUE(segment()) << "forwards remain";
}

// Unguarded, Debian's libslirp 4.7.0 dies of these.
TEST_F(GatewayTest, OutlivesFragments) {
  Gateway& gateway = start();
  send(arp_request("10.0.2.2"));
  const EthernetFrame whole = ping("10.0.2.2", 1, 1, std::string(1000, 'x'));
  send(patched_ip(whole, 6, {0x00, 0x7d}));
  send(patched_ip(whole, 6, {0x20, 0x00}));
  send(patched_ip(whole, 6, {0x20, 0x7d}));
  pass(Duration::seconds(60));
  EXPECT_EQ(gateway.drops().of(DropReason::fragment_refused), 3U);
  send(ping("10.0.2.2", 1, 2, "x"));
  EXPECT_TRUE(inbox_.take<Tins::ICMP>());
}

TEST_F(GatewayTest, SecondGatewayOfAProcessStartsItsTimeAnew) {
  start();
  pass(Duration::seconds(1'000'000));
  gateway_.reset();
  Scheduler fresh;
  Gateway second(fresh, inbox_, forward("tcp::0-:80"));
  HostSocket client(SOCK_STREAM);
  ASSERT_TRUE(client.connect(second.forwards()[0].host_port));
  second.deliver(arp_reply());
  ASSERT_TRUE(second.poll_host(2000));
  fresh.run_until(Instant::at(Duration::seconds(5)));
  EXPECT_TRUE(segment());
  EXPECT_FALSE(segment());
  fresh.run_until(Instant::at(Duration::seconds(7)));
  EXPECT_TRUE(segment()) << "retransmitted after 6 s";
}

// slirp forgets a datagram's socket after 240 s, also when the gateway before has left a later time behind.
TEST_F(GatewayTest, SecondGatewayForgetsDatagramsInItsOwnTime) {
  start();
  pass(Duration::seconds(1'000'000));
  gateway_.reset();
  HostSocket server(SOCK_DGRAM);
  const std::uint16_t port = server.bind_any();
  GatewayOptions options;
  options.host_access = true;
  Scheduler fresh;
  Gateway second(fresh, inbox_, options);
  second.deliver(udp("10.0.2.2", port, 5000, "question"));
  fresh.run_until(Instant::at(Duration::seconds(242)));
  EXPECT_EQ(server.answer("too late"), "question");
  EXPECT_FALSE(second.poll_host(0));
}

TEST_F(GatewayTest, LeavesNothingInTheSchedulerWhenItGoes) {
  start();
  gateway_->deliver(arp_request("10.0.2.2"));
  gateway_.reset();
  EXPECT_TRUE(scheduler_.next().is_never());
  pass(Duration::seconds(1));
  EXPECT_TRUE(inbox_.frames.empty());
}

TEST_F(GatewayTest, WakesUpForTheCallersDescriptor) {
  start();
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  ASSERT_EQ(::write(pipe[1], "x", 1), 1);
  EXPECT_FALSE(gateway_->poll_host(-1, pipe[0]));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace avrlan::net
