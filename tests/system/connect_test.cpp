// The firmware as a client: image `connect` opens 10.0.2.2:7777, which is this host's own loopback. Each run has a network
// namespace of its own, so that the port is free and nothing outside can be reached.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/system/own_network.hpp"
#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

const std::string program = AVRLAN_PROGRAM;
const std::string connect_image = AVRLAN_FIRMWARE_DIR "/uno-enc28j60/connect.elf";
constexpr std::uint16_t port = 7777;

// A server that answers one connection: echoes what it gets until the other side closes, in a child of the child, so that
// it lives in the namespace of the emulator that is about to be started.
void serve_once() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || ::listen(listener, 1) != 0) {
    ::_exit(99);
  }
  if (::fork() != 0) return;
  // Holds nothing of the test's pipes open, so that the test sees the emulator end.
  ::dup2(listener, STDIN_FILENO);
  ::close_range(STDOUT_FILENO, ~0U, 0);
  ::alarm(60);
  const int connection = ::accept(STDIN_FILENO, nullptr, nullptr);
  char buffer[512];
  for (ssize_t n; (n = ::read(connection, buffer, sizeof buffer)) > 0;) {
    if (::write(connection, buffer, static_cast<std::size_t>(n)) != n) break;
  }
  ::_exit(0);
}

Completed connect_with(std::vector<std::string> options, bool with_server) {
  std::vector<std::string> command{program, "run", connect_image, "--timeout", "30s", "--diag", "all=error"};
  command.insert(command.end(), options.begin(), options.end());
  return run(command, [with_server] {
    if (!enter_own_network()) ::_exit(98);
    if (with_server) serve_once();
  });
}

class Connect : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_have_own_network()) GTEST_SKIP() << "this user may not make a network namespace";
  }
};

TEST_F(Connect, ReachesAServerOnTheHostWhenAllowed) {
  const auto done = connect_with({"--host-access"}, true);
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  EXPECT_NE(done.out.find("connected"), std::string::npos) << done.out;
  EXPECT_EQ(done.err.find("host-access-refused"), std::string::npos) << done.err;
}

TEST_F(Connect, IsRefusedWithACountedReasonWhenNotAllowed) {
  const auto done = connect_with({}, true);
  EXPECT_EQ(done.status, 1) << done.out << done.err;
  EXPECT_NE(done.out.find("refused"), std::string::npos) << done.out;
  EXPECT_NE(done.err.find("host-access-refused 1"), std::string::npos) << done.err;
}

TEST_F(Connect, IsRefusedByAHostWithoutAServer) {
  const auto done = connect_with({"--host-access"}, false);
  EXPECT_EQ(done.status, 1) << done.out << done.err;
  EXPECT_NE(done.out.find("refused"), std::string::npos) << done.out;
}

}  // namespace
}  // namespace avrlan::test
