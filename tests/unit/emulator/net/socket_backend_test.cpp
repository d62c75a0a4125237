// Real sockets on the loopback or in a directory, both ends in this process. poll_host() waits for the kernel, bounded by
// two seconds that only a failure needs.
#include "emulator/net/socket_backend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "emulator/board/host_error.hpp"
#include "tests/unit/emulator/net/guest.hpp"

namespace avrlan::net {
namespace {

using testing::HasSubstr;
using Octets = std::vector<std::uint8_t>;

constexpr int patience = 2000;  // of wall time, used up by a failure only

Octets octets(std::uint8_t mark, std::size_t size = 60) {
  Octets result(size);
  for (std::size_t i = 0; i != size; ++i) result[i] = static_cast<std::uint8_t>(mark + i);
  return result;
}
EthernetFrame frame(std::uint8_t mark, std::size_t size = 60) {
  return EthernetFrame::with_fcs(octets(mark, size));
}
// As QEMU sends it.
Octets framed(const Octets& content) {
  Octets result = {0, 0, static_cast<std::uint8_t>(content.size() >> 8), static_cast<std::uint8_t>(content.size())};
  result.insert(result.end(), content.begin(), content.end());
  return result;
}

SocketOptions listen_at(const std::string& address) {
  SocketOptions options;
  options.local = *SocketAddress::parse(address);
  return options;
}
SocketOptions connect_to(const std::string& address, std::optional<Duration> reconnect = {}) {
  SocketOptions options;
  options.kind = SocketOptions::Kind::connect;
  options.remote = *SocketAddress::parse(address);
  options.reconnect = reconnect;
  return options;
}
SocketOptions datagrams(const std::string& local, const std::string& remote) {
  SocketOptions options;
  options.kind = SocketOptions::Kind::datagram;
  options.local = *SocketAddress::parse(local);
  options.remote = *SocketAddress::parse(remote);
  return options;
}

// A board's end of the cable.
template <class Backend>
struct End {
  explicit End(const SocketOptions& options) : backend(scheduler, inbox, options) {}
  // Waits until so many frames have come.
  void expect(std::size_t frames) {
    for (int tries = 0; inbox.frames.size() < frames && tries != 10; ++tries) {
      backend.poll_host(patience);
      scheduler.run_until(scheduler.now());
    }
    EXPECT_EQ(inbox.frames.size(), frames);
  }
  // Takes what is there already.
  bool poll() {
    const bool spoke = backend.poll_host(0);
    scheduler.run_until(scheduler.now());
    return spoke;
  }
  std::uint64_t dropped(DropReason reason) const { return backend.drops().of(reason); }

  Scheduler scheduler;
  Inbox inbox;
  Backend backend;
};
using Stream = End<StreamBackend>;
using Datagrams = End<DatagramBackend>;

// A peer by hand, blocking.
class RawPeer {
 public:
  RawPeer() = default;
  explicit RawPeer(const SocketAddress& address) {
    const ResolvedAddress resolved = resolve(address);
    socket_ = FileDescriptor(::socket(resolved.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval limit{patience / 1000, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    EXPECT_EQ(::connect(socket_.get(), resolved.get(), resolved.length), 0);
  }
  void send(const Octets& data) {
    EXPECT_EQ(::send(socket_.get(), data.data(), data.size(), MSG_NOSIGNAL), static_cast<ssize_t>(data.size()));
  }
  Octets receive(std::size_t size) {
    Octets data(size);
    EXPECT_EQ(::recv(socket_.get(), data.data(), size, MSG_WAITALL), static_cast<ssize_t>(size));
    return data;
  }
  void close() { socket_.close(); }
  int fd() const { return socket_.get(); }

 private:
  FileDescriptor socket_;
};

class SocketBackendTest : public testing::Test {
 protected:
  SocketBackendTest() {
    std::string name = (std::filesystem::temp_directory_path() / "avrlan-test-XXXXXX").string();
    directory = ::mkdtemp(name.data());
  }
  ~SocketBackendTest() override { std::filesystem::remove_all(directory); }
  std::string file(const std::string& name) const { return "unix:" + (directory / name).string(); }
  // Until the backend has taken notice.
  static void wait_for(Stream& end, bool peer) {
    for (int tries = 0; end.backend.has_peer() != peer && tries != 5; ++tries) end.backend.poll_host(patience);
    ASSERT_EQ(end.backend.has_peer(), peer);
  }

  std::filesystem::path directory;
};

class StreamTest : public SocketBackendTest, public testing::WithParamInterface<std::string> {
 protected:
  StreamTest() : board(listen_at(GetParam() == "tcp" ? "127.0.0.1:0" : file("cable"))) {}
  void let_in() {
    peer = RawPeer(board.backend.address());
    wait_for(board, true);
  }
  Stream board;
  RawPeer peer;
};

TEST_P(StreamTest, FramesArePrecededByTheirLength) {
  let_in();
  board.backend.deliver(frame(1, 0x123));
  EXPECT_EQ(peer.receive(4), (Octets{0, 0, 1, 0x23}));
  EXPECT_EQ(peer.receive(0x123), octets(1, 0x123));

  peer.send(framed(octets(2, 1514)));
  board.expect(1);
  EXPECT_EQ(board.inbox.frames[0], frame(2, 1514));
  EXPECT_EQ(board.backend.drops().total(), 0U);
}

TEST_P(StreamTest, TwoBackendsUnderstandEachOther) {
  Stream other(connect_to(board.backend.address().to_string()));
  wait_for(board, true);
  EXPECT_EQ(other.backend.announcements(), (std::vector{"connected to " + board.backend.address().to_string()}));
  other.backend.deliver(frame(1));
  board.expect(1);
  board.backend.deliver(frame(2));
  board.backend.deliver(frame(3));
  other.expect(2);
  EXPECT_EQ(other.inbox.frames[1], frame(3));
}

TEST_P(StreamTest, WhatComesOctetByOctetIsAFrameWhenItIsWhole) {
  let_in();
  Octets all = framed(octets(7));
  for (std::size_t i = 0; i + 1 != all.size(); ++i) {
    peer.send({all[i]});
    EXPECT_FALSE(board.backend.poll_host(patience));
  }
  peer.send({all.back()});
  EXPECT_TRUE(board.backend.poll_host(patience));
  EXPECT_TRUE(board.inbox.frames.empty()) << "not from inside poll_host()";
  EXPECT_EQ(board.scheduler.next(), board.scheduler.now());
  board.scheduler.run_until(board.scheduler.now());
  ASSERT_EQ(board.inbox.frames.size(), 1U);
  EXPECT_EQ(board.inbox.frames[0], frame(7));
}

TEST_P(StreamTest, SeveralFramesInOneReadAreSeveral) {
  let_in();
  Octets all;
  for (std::uint8_t n = 0; n != 10; ++n) {
    const Octets one = framed(octets(n, 60U + n));
    all.insert(all.end(), one.begin(), one.end());
  }
  const Octets part = framed(octets(10, 100));
  all.insert(all.end(), part.begin(), part.begin() + 50);
  peer.send(all);
  board.expect(10);
  for (std::uint8_t n = 0; n != 10; ++n) EXPECT_EQ(board.inbox.frames[n], frame(n, 60U + n));
  peer.send({part.begin() + 50, part.end()});
  board.expect(11);
}

TEST_P(StreamTest, ShortFramesArePaddedAndWhatIsNoneIsDropped) {
  let_in();
  peer.send(framed({}));
  peer.send(framed(octets(1, 13)));
  peer.send(framed(octets(2, 1515)));
  peer.send(framed(octets(3, 14)));
  board.expect(1);
  EXPECT_EQ(board.inbox.frames[0].octets.size(), 60U);
  EXPECT_TRUE(board.inbox.frames[0].fcs_ok());
  EXPECT_EQ(board.dropped(DropReason::malformed), 2U);
  EXPECT_EQ(board.dropped(DropReason::giant), 1U);
}

TEST_P(StreamTest, AStreamOutOfStepIsClosedAndTheNextPeerIsTaken) {
  let_in();
  peer.send({0, 1, 0x10, 1});  // 69633
  peer.send(octets(0));
  wait_for(board, false);
  EXPECT_EQ(board.dropped(DropReason::malformed), 1U);
  EXPECT_TRUE(board.inbox.frames.empty());
  let_in();
  peer.send(framed(octets(5)));
  board.expect(1);
}

TEST_P(StreamTest, OnlyWholeSoundFramesGoOut) {
  let_in();
  EthernetFrame damaged = frame(1);
  damaged.octets[3] ^= 1;
  board.backend.deliver(damaged);
  board.backend.deliver(frame(2, 59));
  board.backend.deliver(frame(3, 1515));
  board.backend.deliver(frame(4));
  EXPECT_EQ(peer.receive(64), framed(octets(4)));
  EXPECT_EQ(board.dropped(DropReason::bad_fcs), 1U);
  EXPECT_EQ(board.dropped(DropReason::runt), 1U);
  EXPECT_EQ(board.dropped(DropReason::giant), 1U);
}

TEST_P(StreamTest, WithoutAPeerTheCableIsNotPluggedIn) {
  board.backend.deliver(frame(1));
  EXPECT_EQ(board.dropped(DropReason::link_down), 1U);
  let_in();
  board.backend.deliver(frame(2));
  EXPECT_EQ(peer.receive(64), framed(octets(2))) << "nothing of before";
}

TEST_P(StreamTest, APeerThatGoesLeavesNothingBehind) {
  let_in();
  peer.send({0, 0, 0, 60, 1, 2, 3});
  EXPECT_FALSE(board.backend.poll_host(patience));
  peer.close();
  wait_for(board, false);
  EXPECT_EQ(board.dropped(DropReason::malformed), 1U) << "the frame that was cut off";
  board.backend.deliver(frame(1));
  EXPECT_EQ(board.dropped(DropReason::link_down), 1U);

  let_in();
  peer.send(framed(octets(2)));
  board.expect(1);
  EXPECT_EQ(board.inbox.frames[0], frame(2));
}

TEST_P(StreamTest, OthersWaitUntilThePeerHasGone) {
  let_in();
  RawPeer other(board.backend.address());
  other.send(framed(octets(9)));
  EXPECT_FALSE(board.backend.poll_host(0));
  EXPECT_TRUE(board.inbox.frames.empty());
  peer.close();
  wait_for(board, false);
  wait_for(board, true);
  board.expect(1);
}

// More than any socket buffer holds: what is kept arrives whole and in order, the rest is counted.
TEST_P(StreamTest, WhatThePeerDoesNotTakeWaitsUpToALimit) {
  let_in();
  std::uint32_t sent = 0;
  while (board.dropped(DropReason::backend_full) == 0 && sent != 100'000) {
    Octets content(1500);
    for (std::size_t i = 0; i != 4; ++i) content[i] = static_cast<std::uint8_t>(sent >> (8 * i));
    board.backend.deliver(EthernetFrame::with_fcs(content));
    ++sent;
  }
  ASSERT_EQ(board.dropped(DropReason::backend_full), 1U);
  for (std::uint32_t n = 0; n != sent - 1; ++n) {
    // What is in the kernel is less than what has been sent: let the rest go on its way, never waiting.
    board.backend.poll_host(0);
    const Octets got = peer.receive(1504);
    ASSERT_EQ(got[2] << 8 | got[3], 1500);
    ASSERT_EQ(got[4] | got[5] << 8 | got[6] << 16 | got[7] << 24, static_cast<int>(n));
  }
  board.backend.deliver(frame(1));
  EXPECT_EQ(peer.receive(64), framed(octets(1)));
}

TEST_P(StreamTest, WhatWaitsWhenThePeerGoesIsCounted) {
  let_in();
  while (board.dropped(DropReason::backend_full) == 0) board.backend.deliver(frame(1, 1500));
  peer.close();
  wait_for(board, false);
  EXPECT_EQ(board.dropped(DropReason::link_down), StreamBackend::longest_queue);
  let_in();
  board.backend.deliver(frame(2));
  EXPECT_EQ(peer.receive(64), framed(octets(2)));
}

INSTANTIATE_TEST_SUITE_P(Sockets, StreamTest, testing::Values("tcp", "unix"),
                         [](const auto& kind) { return kind.param; });

TEST_F(SocketBackendTest, SaysWhichPortWasPicked) {
  Stream board(listen_at("127.0.0.1:0"));
  const SocketAddress address = board.backend.address();
  EXPECT_NE(address.port, 0);
  EXPECT_EQ(board.backend.announcements(), (std::vector{"waiting for a peer at " + address.to_string()}));
  EXPECT_EQ(board.backend.name(), "the peer at the socket " + address.to_string());
}

TEST_F(SocketBackendTest, SomebodyHasToBeThereToConnectTo) {
  std::string address;
  {
    const Stream gone(listen_at("127.0.0.1:0"));
    address = gone.backend.address().to_string();
  }
  for (const std::string& nobody : {address, file("nothing")}) {
    try {
      Stream board(connect_to(nobody));
      FAIL() << "no error";
    } catch (const HostError& error) {
      EXPECT_THAT(error.what(), HasSubstr("nobody at " + nobody));
      EXPECT_THAT(error.hint(), HasSubstr("reconnect=1"));
    }
  }
}

TEST_F(SocketBackendTest, ReconnectsInVirtualTime) {
  Stream board(connect_to(file("late"), Duration::seconds(2)));
  EXPECT_EQ(board.backend.announcements(), (std::vector{"connecting to " + file("late")}));
  board.backend.deliver(frame(1));
  EXPECT_EQ(board.dropped(DropReason::link_down), 1U);
  board.scheduler.run_until(Instant::at(Duration::seconds(2)));
  EXPECT_FALSE(board.backend.has_peer());

  std::optional<Stream> peer(listen_at(file("late")));
  board.scheduler.run_until(Instant::at(Duration::milliseconds(3999)));
  EXPECT_FALSE(board.backend.has_peer());
  board.scheduler.run_until(Instant::at(Duration::seconds(4)));
  wait_for(board, true);
  wait_for(*peer, true);
  board.backend.deliver(frame(2));
  peer->expect(1);

  peer.reset();
  wait_for(board, false);
  peer.emplace(listen_at(file("late")));
  board.scheduler.run_until(Instant::at(Duration::seconds(6)));
  wait_for(board, true);
}

TEST_F(SocketBackendTest, ReconnectsOverTcpToo) {
  std::optional<Stream> peer(listen_at("127.0.0.1:0"));
  const std::string address = peer->backend.address().to_string();
  peer.reset();
  Stream board(connect_to(address, Duration::seconds(1)));
  board.backend.poll_host(patience);
  EXPECT_FALSE(board.backend.has_peer());
  peer.emplace(listen_at(address));
  board.scheduler.run_until(Instant::at(Duration::seconds(1)));
  wait_for(board, true);
}

TEST_F(SocketBackendTest, WithoutReconnectAPeerThatIsGoneStaysSo) {
  std::optional<Stream> peer(listen_at(file("cable")));
  Stream board(connect_to(file("cable")));
  peer.reset();
  wait_for(board, false);
  EXPECT_TRUE(board.scheduler.next().is_never());
  EXPECT_FALSE(board.backend.poll_host(0));
  board.backend.deliver(frame(1));
  EXPECT_EQ(board.dropped(DropReason::link_down), 1U);
}

TEST_F(SocketBackendTest, TakesOverTheFileOfAProcessThatWasKilled) {
  const auto path = directory / "cable";
  { BoundSocket live(*SocketAddress::parse(file("cable")), SOCK_STREAM); }
  EXPECT_FALSE(std::filesystem::exists(path)) << "removed by its owner";

  const ResolvedAddress resolved = resolve(*SocketAddress::parse(file("cable")));
  ASSERT_EQ(::bind(open_socket(resolved, SOCK_STREAM).get(), resolved.get(), resolved.length), 0);
  ASSERT_TRUE(std::filesystem::exists(path));
  const Stream board(listen_at(file("cable")));
  EXPECT_THROW(Stream(listen_at(file("cable"))), HostError) << "this one is alive";
  EXPECT_TRUE(std::filesystem::exists(path));
  const BoundSocket other(*SocketAddress::parse(file("other")), SOCK_DGRAM);
  EXPECT_THROW(Stream(listen_at(file("other"))), HostError) << "of another kind, and alive";
  EXPECT_TRUE(std::filesystem::exists(directory / "other"));
}

TEST_F(SocketBackendTest, LeavesOtherFilesAlone) {
  std::ofstream(directory / "text") << "text";
  try {
    Stream board(listen_at(file("text")));
    FAIL() << "no error";
  } catch (const HostError& error) {
    EXPECT_THAT(error.hint(), HasSubstr("the file exists"));
  }
  EXPECT_TRUE(std::filesystem::is_regular_file(directory / "text"));
  EXPECT_THROW(Stream(listen_at(file("none/cable"))), HostError);
}

TEST_F(SocketBackendTest, SaysWhatIsWrongWithAnAddress) {
  const Stream busy(listen_at("127.0.0.1:0"));
  const auto problem = [](const std::string& address) -> std::string {
    try {
      Stream board(listen_at(address));
    } catch (const HostError& error) {
      return std::string(error.what()) + "; " + error.hint();
    }
    return "none";
  };
  EXPECT_THAT(problem(busy.backend.address().to_string()), HasSubstr("in use; end what uses the port"));
  EXPECT_THAT(problem("192.0.2.1:0"), HasSubstr("127.0.0.1 always works"));
  EXPECT_THAT(problem("no-such-host.invalid:1"), HasSubstr("give the address itself"));
}

class DatagramTest : public SocketBackendTest, public testing::WithParamInterface<std::string> {
 protected:
  bool udp() const { return GetParam() == "udp"; }
  // Where nothing is until `there` is made.
  std::string free_address(const std::string& name) {
    if (!udp()) return file(name);
    return BoundSocket(*SocketAddress::parse("127.0.0.1:0"), SOCK_DGRAM).address().to_string();
  }
  const std::string here = free_address("here"), there = free_address("there");
};

TEST_P(DatagramTest, EachIsAFrame) {
  Datagrams a(datagrams(here, there)), b(datagrams(there, here));
  EXPECT_EQ(a.backend.announcements(), (std::vector{"datagrams from " + here + " to " + there}));
  a.backend.deliver(frame(1, 1514));
  a.backend.deliver(frame(2, 60));
  b.expect(2);
  EXPECT_EQ(b.inbox.frames[0], frame(1, 1514));
  EXPECT_EQ(b.inbox.frames[1], frame(2));
  b.backend.deliver(frame(3));
  a.expect(1);
  EXPECT_EQ(a.backend.drops().total() + b.backend.drops().total(), 0U);
}

TEST_P(DatagramTest, WithoutAPeerTheCableIsNotPluggedIn) {
  Datagrams a(datagrams(here, there));
  a.backend.deliver(frame(1));
  a.backend.poll_host(udp() ? patience : 0);
  EXPECT_EQ(a.dropped(DropReason::link_down), 1U);
  a.backend.deliver(frame(2));
  // UDP hears of it when it has sent; the loopback tells at once.
  Datagrams b(datagrams(there, here));
  a.backend.deliver(frame(3));
  b.expect(1);
  EXPECT_EQ(b.inbox.frames[0], frame(3));
  EXPECT_EQ(a.dropped(DropReason::link_down), 2U);
}

TEST_P(DatagramTest, WhatIsNoFrameIsDropped) {
  Datagrams a(datagrams(here, there));
  const SocketAddress from = *SocketAddress::parse(there);
  const BoundSocket raw(from, SOCK_DGRAM);
  const ResolvedAddress to = resolve(*SocketAddress::parse(here));
  for (const std::size_t size : {0U, 13U, 1515U, 3000U, 42U}) {
    const Octets data = octets(1, size);
    ASSERT_EQ(::sendto(raw.fd(), data.data(), size, 0, to.get(), to.length), static_cast<ssize_t>(size));
  }
  a.expect(1);
  EXPECT_EQ(a.inbox.frames[0].octets.size(), 60U);
  EXPECT_EQ(a.dropped(DropReason::malformed), 2U);
  EXPECT_EQ(a.dropped(DropReason::giant), 2U);
}

INSTANTIATE_TEST_SUITE_P(Sockets, DatagramTest, testing::Values("udp", "unix"),
                         [](const auto& kind) { return kind.param; });

TEST_F(SocketBackendTest, UdpListensToItsPeerOnly) {
  const SocketAddress any = *SocketAddress::parse("127.0.0.1:0");
  const BoundSocket peer(any, SOCK_DGRAM), stranger(any, SOCK_DGRAM);
  Datagrams a(datagrams("127.0.0.1:0", peer.address().to_string()));
  const ResolvedAddress to = resolve(a.backend.local());
  const Octets data = octets(1);
  ::sendto(stranger.fd(), data.data(), data.size(), 0, to.get(), to.length);
  ::sendto(peer.fd(), data.data(), data.size(), 0, to.get(), to.length);
  a.expect(1);
  EXPECT_FALSE(a.poll());
}

TEST_F(SocketBackendTest, AFullQueueOfThePeerIsCounted) {
  const BoundSocket slow(*SocketAddress::parse(file("slow")), SOCK_DGRAM);
  Datagrams a(datagrams(file("fast"), file("slow")));
  for (int n = 0; n != 10'000 && a.backend.drops().total() == 0; ++n) a.backend.deliver(frame(1));
  EXPECT_EQ(a.dropped(DropReason::backend_full), 1U);
}

}  // namespace
}  // namespace avrlan::net
