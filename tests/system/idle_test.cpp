// A day in the life of a firmware that has nothing to do.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

TEST(Idle, KeepsItsLeaseForADay) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "takes minutes under the sanitizers";
#endif
  const std::filesystem::path capture = testing::TempDir() + "idle-" + std::to_string(::getpid()) + ".pcapng";
  const auto done = run({AVRLAN_PROGRAM, "run", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/idle.elf", "--pace", "max",
                         "--timeout", "24h", "--diag", "all=error", "--pcap", capture.string()});
  EXPECT_EQ(done.status, 42) << done.err;
  EXPECT_EQ(done.out, "avrlan idle on uno-enc28j60\naddress 10.0.2.15\n");

  // Discover, request, and the renewal when half of the lease of a day is over (RFC 2131 4.4.5).
  const auto dhcp = run({"tshark", "-r", capture.string(), "-Y", "dhcp.option.dhcp == 3 || dhcp.option.dhcp == 5", "-T",
                         "fields", "-e", "frame.time_relative", "-e", "dhcp.option.dhcp"});
  std::filesystem::remove(capture);
  std::vector<double> requests, acks;
  std::istringstream lines(dhcp.out);
  double when = 0;
  for (int type = 0; lines >> when >> type;) (type == 3 ? requests : acks).push_back(when);
  ASSERT_EQ(requests.size(), 2U) << dhcp.out << dhcp.err;
  EXPECT_EQ(acks.size(), 2U) << dhcp.out;
  EXPECT_NEAR(requests[1] - requests[0], 12 * 3600, 2);
}

}  // namespace
}  // namespace avrlan::test
