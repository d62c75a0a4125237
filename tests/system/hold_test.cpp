// Pace `max` with a host that takes its time: image `fetch` asks a DNS server and an HTTP server on this host four times, and
// each of them waits before it answers. Each run has a network namespace of its own.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tests/system/own_network.hpp"
#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

const std::string program = AVRLAN_PROGRAM;
constexpr std::uint16_t dns_port = 53, http_port = 8080;

int listen_on(int type, std::uint16_t port) {
  const int fd = ::socket(AF_INET, type, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) ::_exit(99);
  if (type == SOCK_STREAM && ::listen(fd, 8) != 0) ::_exit(99);
  return fd;
}

void answer_question(int fd, int latency) {
  std::array<char, 512> message;
  sockaddr_in from{};
  socklen_t length = sizeof from;
  const ssize_t n = ::recvfrom(fd, message.data(), message.size(), 0, reinterpret_cast<sockaddr*>(&from), &length);
  if (n < 12) return;
  ::poll(nullptr, 0, latency);
  std::string reply(message.data(), static_cast<std::size_t>(n));
  reply[2] = static_cast<char>(0x81);  // response, recursion desired
  reply[3] = static_cast<char>(0x80);  // recursion available
  reply[7] = 1;                        // one answer: the question's name, A, IN, 60 s, 10.0.2.2
  reply += std::string_view("\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x0a\0\2\2", 16);
  ::sendto(fd, reply.data(), reply.size(), 0, reinterpret_cast<sockaddr*>(&from), length);
}

void answer_request(int listener, int latency) {
  const int connection = ::accept(listener, nullptr, nullptr);
  std::string request;
  std::array<char, 512> part;
  while (request.find("\r\n\r\n") == std::string::npos) {
    const ssize_t n = ::read(connection, part.data(), part.size());
    if (n <= 0) break;
    request.append(part.data(), static_cast<std::size_t>(n));
  }
  ::poll(nullptr, 0, latency);
  const std::string reply = "HTTP/1.0 200 OK\r\nServer: test\r\n\r\n" + std::string(1000, 'x');
  [[maybe_unused]] const ssize_t written = ::write(connection, reply.data(), reply.size());
  ::close(connection);
}

// In a child of the emulator's process-to-be, in its network, until that ends.
void serve(int latency) {
  const int dns = listen_on(SOCK_DGRAM, dns_port);
  const int http = listen_on(SOCK_STREAM, http_port);
  if (::fork() != 0) {
    ::close(dns);
    ::close(http);
    return;
  }
  // Holds nothing of the test's pipes open, so that the test sees the emulator end.
  ::dup2(dns, STDIN_FILENO);
  ::dup2(http, STDOUT_FILENO);
  ::close_range(STDERR_FILENO, ~0U, 0);
  ::alarm(60);
  for (;;) {
    std::array<pollfd, 2> ready = {{{STDIN_FILENO, POLLIN, 0}, {STDOUT_FILENO, POLLIN, 0}}};
    ::poll(ready.data(), ready.size(), -1);
    if (ready[0].revents != 0) answer_question(STDIN_FILENO, latency);
    if (ready[1].revents != 0) answer_request(STDOUT_FILENO, latency);
  }
}

struct Fetched {
  Completed done;
  nlohmann::json run;
};

Fetched fetch(int latency, const std::vector<std::string>& options = {}) {
  const std::filesystem::path out = testing::TempDir() + "fetch-" + std::to_string(::getpid());
  std::filesystem::remove_all(out);
  std::vector<std::string> command{program,  "run",           AVRLAN_VARIANT_DIR "/fetch.elf",
                                   "-b",     "mega-enc28j60", "--host-access",
                                   "--pace", "max",           "--timeout",
                                   "300s",   "--diag",        "all=error",
                                   "--out",  out.string()};
  command.insert(command.end(), options.begin(), options.end());
  Fetched result;
  result.done = run(command, [latency] {
    if (!enter_own_network()) ::_exit(98);
    serve(latency);
  });
  if (std::ifstream file(out / "run.json"); file) result.run = nlohmann::json::parse(file);
  std::filesystem::remove_all(out);
  return result;
}

class Hold : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_have_own_network()) GTEST_SKIP() << "this user may not make a network namespace";
  }
};

TEST_F(Hold, MakesFourExchangesTakeTheSameCyclesHoweverSlowTheHostIs) {
  std::string first;
  for (const int latency : {0, 50, 300}) {
    const Fetched got = fetch(latency);
    ASSERT_EQ(got.done.status, 0) << got.done.out << got.done.err;
    const std::string line = "10.0.2.2 port 8080: status 200, 1000 octets, closed\n";
    EXPECT_NE(got.done.out.find(line + line + line + line), std::string::npos) << got.done.out;
    const std::string figures = got.run["cycles"].dump() + got.run["nic"].dump();
    if (first.empty()) first = figures;
    EXPECT_EQ(figures, first) << "with a latency of " << latency << " ms";
    EXPECT_FALSE(got.run["deterministic"]["value"].get<bool>());
    EXPECT_EQ(got.run["deterministic"]["why"], "sockets of the host took part");
  }
}

// The firmware asks again after two seconds, and the host's answer to the first question comes in the meantime.
TEST_F(Hold, EndsAtItsLimitAndSaysSo) {
  const Fetched got = fetch(50, {"--hold-limit", "10ms"});
  ASSERT_FALSE(got.run.is_null()) << got.done.err;
  EXPECT_FALSE(got.run["deterministic"]["value"].get<bool>());
  EXPECT_EQ(got.run["deterministic"]["why"], "a reply from the host was not waited for: the hold limit was hit");
}

}  // namespace
}  // namespace avrlan::test
