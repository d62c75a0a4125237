// --net tap: the web and echo images as stations on Linux's own network stack, in a network namespace of this process.

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <net/if.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "emulator/net/file_descriptor.hpp"
#include "emulator/net/packet.hpp"
#include "tests/system/own_network.hpp"
#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

using net::FileDescriptor;

const std::string board_address = "10.0.2.15";

sockaddr_in address(const std::string& host, std::uint16_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  ::inet_pton(AF_INET, host.c_str(), &name.sin_addr);
  return name;
}

template <class Call>
auto with(const sockaddr_in& name, Call call) {
  return call(reinterpret_cast<const sockaddr*>(&name), socklen_t{sizeof name});
}

// Gives whoever asks the one address that there is (RFC 2131), by broadcast, on a thread of its own.
class DhcpServer {
 public:
  explicit DhcpServer(const std::string& interface) : socket_(::socket(AF_INET, SOCK_DGRAM, 0)) {
    const int on = 1;
    EXPECT_EQ(::setsockopt(socket_.get(), SOL_SOCKET, SO_BROADCAST, &on, sizeof on), 0);
    EXPECT_EQ(::setsockopt(socket_.get(), SOL_SOCKET, SO_BINDTODEVICE, interface.c_str(),
                           static_cast<socklen_t>(interface.size())),
              0);
    EXPECT_EQ(with(address("0.0.0.0", 67), [&](auto... name) { return ::bind(socket_.get(), name...); }), 0);
    EXPECT_EQ(::pipe(end_), 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~DhcpServer() {
    ::close(end_[1]);
    thread_.join();
    ::close(end_[0]);
  }
  DhcpServer(const DhcpServer&) = delete;
  DhcpServer& operator=(const DhcpServer&) = delete;

 private:
  static constexpr std::size_t options = 240;

  void serve() {
    while (true) {
      pollfd fds[] = {{socket_.get(), POLLIN, 0}, {end_[0], POLLIN, 0}};
      ::poll(fds, 2, -1);
      if (fds[1].revents != 0) return;
      std::uint8_t request[1500];
      const ssize_t size = ::recv(socket_.get(), request, sizeof request, 0);
      // The type comes first in what the stack sends.
      if (size > 243 && request[options] == 53) answer(request, request[options + 2] == 1 ? 2 : 5);
    }
  }
  void answer(const std::uint8_t* request, std::uint8_t type) {
    std::vector<std::uint8_t> reply(request, request + options);
    reply[0] = 2;
    const auto put = [&](std::size_t at, const std::string& ip) { ::inet_pton(AF_INET, ip.c_str(), &reply[at]); };
    put(16, board_address);
    for (const std::initializer_list<std::uint8_t> option : {std::initializer_list<std::uint8_t>{53, 1, type},
                                                             {54, 4, 10, 0, 2, 2},
                                                             {51, 4, 0, 0, 14, 16},
                                                             {1, 4, 255, 255, 255, 0},
                                                             {255}})
      reply.insert(reply.end(), option);
    with(address("255.255.255.255", 68),
         [&](auto... name) { return ::sendto(socket_.get(), reply.data(), reply.size(), 0, name...); });
  }

  FileDescriptor socket_;
  int end_[2] = {-1, -1};
  std::thread thread_;
};

class TapNet : public testing::Test {
 protected:
  void SetUp() override {
    if (!enter_own_network()) GTEST_SKIP() << "needs a network namespace: " << std::strerror(errno);
    if (!FileDescriptor(::open("/dev/net/tun", O_RDWR))) GTEST_SKIP() << "needs /dev/net/tun: " << std::strerror(errno);
    std::string name = (std::filesystem::temp_directory_path() / "avrlan-test-XXXXXX").string();
    out = ::mkdtemp(name.data());
  }
  ~TapNet() override {
    if (!out.empty()) std::filesystem::remove_all(out);
  }

  static std::vector<std::string> command(const std::string& image, const std::string& net) {
    return {AVRLAN_PROGRAM, "run", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/" + image + ".elf", "--net", net};
  }
  void start(const std::string& image) {
    auto words = command(image, "tap,ifname=cable,addr=10.0.2.2/24");
    words.insert(words.end(), {"--out", out.string(), "--diag", "all=error,enc28j60-overflow*=note"});
    board = std::make_unique<Process>(words);
    ASSERT_TRUE(board->wait_for_err("tap interface cable, made for this run, 10.0.2.2/24\n")) << board->err();
    dhcp = std::make_unique<DhcpServer>("cable");
    ASSERT_TRUE(board->wait_for_out(board_address)) << board->out() << board->err();
  }
  // Ends the run; its run.json.
  nlohmann::json stop() {
    board->signal(SIGINT);
    const Completed done = board->finish();
    EXPECT_EQ(done.status, 130) << done.err;
    std::ifstream in(out / "run.json");
    return nlohmann::json::parse(in);
  }
  FileDescriptor connected(int type, std::uint16_t port) {
    FileDescriptor socket(::socket(AF_INET, type, 0));
    const timeval limit{30, 0};  // against a hang
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    EXPECT_EQ(with(address(board_address, port), [&](auto... name) { return ::connect(socket.get(), name...); }), 0)
        << std::strerror(errno);
    return socket;
  }

  std::filesystem::path out;
  std::unique_ptr<Process> board;
  std::unique_ptr<DhcpServer> dhcp;
};

void expect_told(const Completed& done, const std::string& what, const std::string& hint) {
  EXPECT_EQ(done.status, 71);
  EXPECT_NE(done.err.find(what), std::string::npos) << done.err;
  EXPECT_NE(done.err.find(hint), std::string::npos) << done.err;
}

// Root of the namespace, but for this one capability, which its children do not get.
void give_up_network_administration() {
  if (::prctl(PR_CAPBSET_DROP, CAP_NET_ADMIN, 0, 0, 0) != 0) ::_exit(77);
}

TEST_F(TapNet, LinuxPingsTheBoard) {
  start("web");
  const FileDescriptor icmp(::socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
  ASSERT_TRUE(icmp);
  std::vector<std::uint8_t> echo(8 + 500);
  for (std::uint8_t sequence = 1; sequence != 6; ++sequence) {
    echo[0] = ICMP_ECHO;
    echo[5] = 77;
    echo[7] = sequence;
    for (std::size_t i = 8; i != echo.size(); ++i) echo[i] = static_cast<std::uint8_t>(i * sequence);
    net::write16(echo, 2, 0);
    net::write16(echo, 2, net::internet_checksum(echo));
    ASSERT_GT(with(address(board_address, 0),
                   [&](auto... name) { return ::sendto(icmp.get(), echo.data(), echo.size(), 0, name...); }),
              0);
    std::uint8_t reply[1500];
    constexpr std::size_t ip_header = 20;
    ASSERT_EQ(::recv(icmp.get(), reply, sizeof reply, 0), static_cast<ssize_t>(ip_header + echo.size()));
    EXPECT_EQ(reply[ip_header], ICMP_ECHOREPLY);
    EXPECT_TRUE(std::equal(echo.begin() + 4, echo.end(), reply + ip_header + 4));
  }
  const auto json = stop();
  EXPECT_EQ(json["deterministic"]["value"], false);
  EXPECT_EQ(json["deterministic"]["why"], "the run was ended from outside, at a moment of wall-clock time");
}

TEST_F(TapNet, CurlFetchesAPage) {
  start("web");
  const auto curl = [](const std::string& path) {
    const Completed done = run({"curl", "--silent", "--show-error", "--fail", "--max-time", "50", "--noproxy", "*",
                                "http://" + board_address + path});
    EXPECT_EQ(done.status, 0) << done.err;
    return done.out;
  };
  EXPECT_NE(curl("/").find("address    " + board_address), std::string::npos);
  EXPECT_EQ(curl("/bytes?n=30000").size(), 30000U);
  const auto json = stop();
  EXPECT_EQ(json["nic"]["drops"].value("bad-fcs", 0), 0)
      << "Linux gets whole frames with right checksums, and so do we";
}

TEST_F(TapNet, TheEchoServiceAnswersTcpAndUdp) {
  start("echo");
  for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
    const FileDescriptor socket = connected(type, 7);
    const std::string text = "what nc would send\n";
    ASSERT_EQ(::send(socket.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    std::string echo(text.size(), '\0');
    ASSERT_EQ(::recv(socket.get(), echo.data(), echo.size(), MSG_WAITALL), static_cast<ssize_t>(text.size()));
    EXPECT_EQ(echo, text);
  }
  stop();
}

TEST_F(TapNet, TheInterfaceGoesWithTheRun) {
  start("web");
  EXPECT_NE(::if_nametoindex("cable"), 0U);
  stop();
  EXPECT_EQ(::if_nametoindex("cable"), 0U);
}

TEST_F(TapNet, SaysWhoFromTheHostTookPart) {
  auto words = command("web", "tap,addr=10.0.2.2/24");
  words.insert(words.end(), {"--timeout", "1s", "--out", out.string()});
  EXPECT_EQ(run(words).status, 42);
  std::ifstream in(out / "run.json");
  EXPECT_EQ(nlohmann::json::parse(in)["deterministic"]["why"], "the host's network at the interface avrlan0 took part")
      << "Linux asks for routers by itself";
}

TEST_F(TapNet, SaysWhatIsInTheWay) {
  start("web");
  expect_told(run(command("web", "tap,ifname=cable")), "cannot take the interface cable", "another program has cable");
  expect_told(run(command("web", "tap,ifname=lo")), "cannot take the interface lo", "lo is no TAP interface");
  stop();
  const auto as_nobody = [] {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(77);
  };
  const Completed done = run(command("web", "tap"), as_nobody);
  if (done.status != 77) expect_told(done, "--net tap: cannot", "--net user needs no privilege");
}

TEST_F(TapNet, TakesAnInterfaceThatIsThereWithoutPrivilege) {
  expect_told(
      run(command("web", "tap,ifname=mine"), give_up_network_administration), "cannot make the interface mine",
      "CAP_NET_ADMIN is missing; have root make the interface for you: `ip tuntap add mine mode tap user $USER`");
  const std::string user = std::to_string(::getuid());
  ASSERT_EQ(run({"ip", "tuntap", "add", "mine", "mode", "tap", "user", user}).status, 0);
  auto words = command("web", "tap,ifname=mine");
  words.insert(words.end(), {"--timeout", "100ms"});
  Completed done = run(words, give_up_network_administration);
  EXPECT_EQ(done.status, 42) << done.err;
  EXPECT_NE(done.err.find("avrlan: tap interface mine\navrlan: mine is down: `ip link set mine up`\n"),
            std::string::npos)
      << done.err;
  EXPECT_NE(done.err.find("frames    0 in"), std::string::npos) << done.err;

  ASSERT_EQ(run({"ip", "link", "set", "mine", "up"}).status, 0);
  done = run(words, give_up_network_administration);
  EXPECT_EQ(done.err.find("is down"), std::string::npos) << done.err;
  EXPECT_EQ(done.status, 42) << done.err;
  EXPECT_NE(::if_nametoindex("mine"), 0U) << "it was not ours to remove";
  expect_told(run(command("web", "tap,ifname=mine,addr=10.0.2.2/24"), give_up_network_administration),
              "cannot give mine its address", "CAP_NET_ADMIN is missing");
}

TEST_F(TapNet, AnInterfaceThatIsTakenAwayEndsTheRun) {
  start("web");
  ASSERT_EQ(run({"ip", "link", "delete", "cable"}).status, 0);
  expect_told(board->finish(), "the interface cable is gone", "leave it alone");
}

}  // namespace
}  // namespace avrlan::test
