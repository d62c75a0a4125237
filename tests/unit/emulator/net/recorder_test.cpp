#include "emulator/net/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>

#include "emulator/board/firmware.hpp"
#include "tests/unit/emulator/net/guest.hpp"

namespace avrlan::net {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What a command prints on both channels, without the warning that root gets.
std::vector<std::string> lines_of(const std::string& command) {
  std::vector<std::string> lines;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return lines;
  char buffer[1024];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) {
    std::string line(buffer);
    if (!line.empty() && line.back() == '\n') line.pop_back();
    if (line.rfind("Running as user", 0) != 0) lines.push_back(line);
  }
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return lines;
}

class RecorderTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  std::unique_ptr<Recorder> make(const std::string& comment = "") {
    return std::make_unique<Recorder>(
        file_, scheduler_, [this] { return cycle_; }, comment);
  }
  void at(std::int64_t nanoseconds, std::int64_t cycle) {
    scheduler_.run_until(Instant::at(Duration::nanoseconds(nanoseconds)));
    cycle_ = cycle;
  }
  std::vector<std::string> tshark(const std::string& fields) const {
    return lines_of("tshark -n -r " + file_.string() + " -T fields -E separator=/s " + fields);
  }

  Scheduler scheduler_;
  std::int64_t cycle_ = 0;
  Inbox board_, network_;
  std::filesystem::path file_ = std::filesystem::temp_directory_path() /
                                ("recorder-" + std::to_string(::getpid()) + "-" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name() + ".pcapng");
};

TEST_F(RecorderTest, PassesOnWhatItRecords) {
  const auto recorder = make();
  recorder->inbound(board_).deliver(arp_reply());
  recorder->outbound(network_).deliver(ping(gateway_ip, 1, 1, "x"));
  EXPECT_THAT(board_.frames, ElementsAre(arp_reply()));
  EXPECT_THAT(network_.frames, ElementsAre(ping(gateway_ip, 1, 1, "x")));
  EXPECT_EQ(recorder->frames(), 2U);
}

TEST_F(RecorderTest, TsharkReadsTimeDirectionCycleAndOctets) {
  auto recorder = make();
  FrameSink& in = recorder->inbound(board_);
  FrameSink& out = recorder->outbound(network_);
  at(1, 16);
  in.deliver(arp_reply());
  at(5'000'000'123, 80'000'001);
  out.deliver(ping(gateway_ip, 1, 1, "abcdefghi"));  // 51 octets, padded to 60
  at(86'400'000'000'007, 5'000'000'000);             // a day: more than 32 bits of nanoseconds
  in.deliver(arp_reply());
  recorder.reset();
  EXPECT_THAT(tshark("-e frame.time_epoch -e frame.packet_flags_direction -e frame.packet_id -e frame.len -e "
                     "frame.interface_name -e frame.protocols"),
              ElementsAre("0.000000001 0x00000001 16 60 nic eth:ethertype:arp",
                          "5.000000123 0x00000002 80000001 60 nic eth:ethertype:ip:icmp:data",
                          "86400.000000007 0x00000001 5000000000 60 nic eth:ethertype:arp"));
}

TEST_F(RecorderTest, NothingInTheFileIsFoundWanting) {
  auto recorder = make("firmware web.elf");
  FrameSink& out = recorder->outbound(network_);
  for (int i = 0; i < 20; ++i) out.deliver(ping(gateway_ip, 1, 1, std::string(static_cast<std::size_t>(40 + i), 'x')));
  recorder.reset();
  EXPECT_THAT(lines_of("tshark -r " + file_.string() + " -q -z expert,error"), IsEmpty());
  EXPECT_THAT(lines_of("capinfos -T -r -M -c -t -E -K " + file_.string()),
              ElementsAre(file_.string() + "\tpcapng\tether\t20"));
  const auto comment = lines_of("capinfos -k " + file_.string());
  EXPECT_THAT(comment, testing::Contains(HasSubstr("firmware web.elf")));
}

TEST_F(RecorderTest, MarksAFrameWithAWrongFcsAndKeepsItsOctets) {
  EthernetFrame damaged = arp_reply();
  damaged.octets[59] ^= 0x10;
  auto recorder = make();
  recorder->inbound(board_).deliver(damaged);
  recorder->inbound(board_).deliver(arp_reply());
  recorder.reset();
  EXPECT_THAT(tshark("-e frame.packet_flags -e frame.packet_flags_crc_error -e frame.len -e eth.trailer -e eth.fcs"),
              ElementsAre("0x01000001 1 60 " + std::string(34, '0') + "10 ", "0x00000001 0 60  "));
}

TEST_F(RecorderTest, IsCompleteAfterFlushEvenIfTheProcessIsKilled) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto recorder = make();
    FrameSink& in = recorder->inbound(board_);
    for (int i = 0; i < 3; ++i) in.deliver(arp_reply());
    recorder->flush();
    in.deliver(arp_reply());
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_THAT(tshark("-e frame.number"), ElementsAre("1", "2", "3"));
}

TEST_F(RecorderTest, EndsWithAWholeBlockAtEveryMoment) {
  const auto recorder = make();
  FrameSink& in = recorder->inbound(board_);
  const EthernetFrame large = EthernetFrame::with_fcs(std::vector<std::uint8_t>(1514, 0xff));
  for (int i = 0; i < 100; ++i) in.deliver(large);  // more than is buffered
  const auto frames = tshark("-e frame.number");
  EXPECT_GT(frames.size(), 10U);
  EXPECT_LE(frames.size(), 100U);
}

TEST_F(RecorderTest, SaysWhichFileItCannotWrite) {
  try {
    Recorder recorder(
        "/nonexistent/trace.pcapng", scheduler_, [] { return 0; }, "");
    FAIL();
  } catch (const HostError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nonexistent/trace.pcapng"));
    EXPECT_THAT(error.what(), HasSubstr("No such file"));
    EXPECT_THAT(error.hint(), HasSubstr("directory that exists"));
  }
}

TEST_F(RecorderTest, AFullDiskIsAnErrorAndNotASilentlyCutFile) {
  try {
    Recorder recorder(
        "/dev/full", scheduler_, [] { return 0; }, "");
    FAIL();
  } catch (const HostError& error) {
    EXPECT_THAT(error.what(), HasSubstr("No space left"));
  }
}

}  // namespace
}  // namespace avrlan::net
