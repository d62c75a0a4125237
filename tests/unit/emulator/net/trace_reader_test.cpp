#include "emulator/net/trace_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "emulator/board/host_error.hpp"
#include "emulator/board/read_file.hpp"
#include "emulator/board/write_file.hpp"
#include "emulator/net/recorder.hpp"
#include "tests/unit/emulator/net/guest.hpp"

namespace avrlan::net {
namespace {

using testing::HasSubstr;

class TraceReaderTest : public testing::Test {
 protected:
  TraceReaderTest() {
    Scheduler scheduler;
    std::int64_t cycle = 0;
    Inbox board, network;
    Recorder recorder(
        file_, scheduler, [&] { return cycle; }, "header");
    FrameSink& in = recorder.inbound(board);
    FrameSink& entry = recorder.entry(network);
    FrameSink& out = recorder.outbound(network);
    const auto at = [&](std::int64_t picoseconds, std::int64_t n) {
      scheduler.run_until(Instant::at(Duration::picoseconds(picoseconds)));
      cycle = n;
    };
    at(1'000'500, 16);
    entry.deliver(reply_);
    entry.deliver(damaged());
    at(50'000'500, 800);
    in.deliver(reply_);
    at(60'000'000, 960);
    out.deliver(ping_);
    at(70'000'000, 1120);
    in.deliver(damaged());
    at(80'000'999, 1280);
    recorder.finish("end");
    whole_ = read_file(file_, "");
  }
  ~TraceReaderTest() override { std::filesystem::remove(file_); }

  EthernetFrame damaged() const {
    EthernetFrame frame = reply_;
    frame.octets[20] ^= 1;
    return frame;
  }
  // What is said of a file of these octets.
  std::string complaint(const std::string& octets) const {
    write_file(file_, octets);
    try {
      read_trace(file_);
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(file_.string()));
      return error.what();
    }
    return "none";
  }
  std::string changed(std::size_t at, const std::string& octets) const {
    std::string text = whole_;
    return complaint(text.replace(at, octets.size(), octets));
  }
  // Where the n-th block of a type begins.
  std::size_t block(std::uint32_t type, int n = 0) const {
    for (std::size_t at = 0; at < whole_.size(); at += number(at + 4)) {
      if (number(at) == type && n-- == 0) return at;
    }
    ADD_FAILURE() << "no block " << type;
    return 0;
  }
  std::uint32_t number(std::size_t at) const {
    std::uint32_t value = 0;
    for (std::size_t n = 4; n-- > 0;) value = value << 8 | static_cast<std::uint8_t>(whole_[at + n]);
    return value;
  }

  const EthernetFrame reply_ = arp_reply();
  const EthernetFrame ping_ = ping(gateway_ip, 1, 1, "x");
  std::filesystem::path file_ = std::filesystem::temp_directory_path() /
                                ("trace-" + std::to_string(::getpid()) + "-" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name() + ".pcapng");
  std::string whole_;
};

TEST_F(TraceReaderTest, ReadsWhatTheRecorderWrote) {
  const Trace trace = read_trace(file_);
  EXPECT_EQ(trace.comment, "header");
  ASSERT_TRUE(trace.end);
  EXPECT_EQ(trace.end->comment, "end");
  EXPECT_EQ(trace.end->at, Instant::at(Duration::nanoseconds(80'000)));
  ASSERT_EQ(trace.frames.size(), 3U);
  const TraceFrame& first = trace.frames[0];
  EXPECT_TRUE(first.to_board);
  EXPECT_EQ(first.cycle, 800);
  EXPECT_EQ(first.at, Instant::at(Duration::nanoseconds(50'000)));
  EXPECT_EQ(first.entered, Instant::at(Duration::picoseconds(1'000'500)));
  EXPECT_EQ(first.frame, reply_);
  EXPECT_FALSE(trace.frames[1].to_board);
  EXPECT_EQ(trace.frames[1].frame, ping_);
  EXPECT_EQ(trace.frames[2].frame, damaged()) << "octets as they came, and the FCS that they had";
}

TEST_F(TraceReaderTest, ARunThatWasKilledHasNoEnd) {
  write_file(file_, whole_.substr(0, block(5)));
  const Trace trace = read_trace(file_);
  EXPECT_FALSE(trace.end);
  EXPECT_EQ(trace.frames.size(), 3U);
}

// The fields that the reader knows, each turned round.
TEST_F(TraceReaderTest, ReadsTheOtherByteOrder) {
  const Trace before = read_trace(file_);
  std::string text = whole_;
  const auto turn = [&](std::size_t at, std::size_t octets) {
    std::reverse(text.begin() + static_cast<std::ptrdiff_t>(at),
                 text.begin() + static_cast<std::ptrdiff_t>(at + octets));
  };
  const auto turn_options = [&](std::size_t at, std::size_t end) {
    while (at + 4 <= end) {
      const std::size_t code = number(at) & 0xffff, length = number(at) >> 16;
      turn(at, 2);
      turn(at + 2, 2);
      if (code != 1 && (length == 4 || length == 8)) turn(at + 4, length);
      at += 4 + (length + 3) / 4 * 4;
    }
  };
  for (std::size_t at = 0; at < whole_.size();) {
    const std::size_t length = number(at + 4), end = at + length - 4;
    const std::uint32_t type = number(at);
    for (const std::size_t place : {at, at + 4, end}) turn(place, 4);
    if (type == 0x0a0d0d0a) {
      turn(at + 8, 4);
      turn(at + 12, 2);
      turn(at + 14, 2);
    } else if (type == 1) {
      turn(at + 8, 2);
      turn_options(at + 16, end);
    } else if (type == 6) {
      const std::size_t octets = number(at + 20);
      for (std::size_t n = 8; n < 28; n += 4) turn(at + n, 4);
      turn_options(at + 28 + (octets + 3) / 4 * 4, end);
    } else {
      for (std::size_t n = 8; n < 20; n += 4) turn(at + n, 4);
      turn_options(at + 20, end);
    }
    if (type == 0x0a0d0d0a) {
      for (std::size_t option = at + 24; option + 4 <= end;) {
        const std::size_t octets = number(option) >> 16;
        turn(option, 2);
        turn(option + 2, 2);
        option += 4 + (octets + 3) / 4 * 4;
      }
    }
    at += length;
  }
  ASSERT_EQ(complaint(text), "none");
  const Trace after = read_trace(file_);
  EXPECT_EQ(after.comment, before.comment);
  ASSERT_EQ(after.frames.size(), before.frames.size());
  for (std::size_t n = 0; n < after.frames.size(); ++n) {
    EXPECT_EQ(after.frames[n].cycle, before.frames[n].cycle);
    EXPECT_EQ(after.frames[n].at, before.frames[n].at);
    EXPECT_EQ(after.frames[n].frame, before.frames[n].frame);
  }
}

TEST_F(TraceReaderTest, CutAnywhereItSaysSo) {
  for (std::size_t length = 1; length < whole_.size(); ++length) {
    const std::string said = complaint(whole_.substr(0, length));
    // Between two blocks it is the recording of a run that was killed.
    if (said == "none") continue;
    EXPECT_THAT(
        said, testing::AnyOf(HasSubstr("cut short"), HasSubstr("is no pcapng"), HasSubstr("ends before any interface")))
        << length;
  }
  EXPECT_THAT(complaint(""), HasSubstr("is empty"));
}

TEST_F(TraceReaderTest, SaysWhatAFileOfAnotherKindIs) {
  EXPECT_THAT(complaint(std::string("\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00", 16)),
              HasSubstr("is a classic pcap, which says nothing of cycles"));
  EXPECT_THAT(complaint(std::string("\xa1\xb2\x3c\x4d\x00\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00", 16)),
              HasSubstr("is a classic pcap"));
  EXPECT_THAT(complaint("this is a text"), HasSubstr("is no pcapng capture"));
}

TEST_F(TraceReaderTest, SaysWhereADamagedOneIsDamaged) {
  const std::size_t packet = block(6);
  const std::string at = "is damaged at octet " + std::to_string(packet);
  EXPECT_THAT(changed(packet + 4, "\x05"), HasSubstr(at + ": a block of 5 octets cannot be"));
  EXPECT_THAT(changed(packet + 20, "\xff"), HasSubstr(at + ": a frame is longer than its block"));
  EXPECT_THAT(changed(packet + 24, "\xff"), HasSubstr(at + ": a frame was not captured whole"));
  EXPECT_THAT(changed(packet + 8, "\x01"), HasSubstr(at + ": a frame of an interface that is not described"));
  EXPECT_THAT(changed(packet, "\x03"), HasSubstr(at + ": a frame without a cycle"));
  EXPECT_THAT(changed(8, "\x01"), HasSubstr("unknown byte order"));
  EXPECT_THAT(changed(block(1) + 8, "\x02"), HasSubstr("are not Ethernet's"));
  EXPECT_THAT(changed(block(6, 1) + 12 + 4, std::string(4, '\0')), HasSubstr("frame 2 lies before"));
}

TEST_F(TraceReaderTest, SaysWhatAReplayWouldMiss) {
  const std::size_t options = block(6) + 28 + 60;
  EXPECT_THAT(changed(options, "\x77"), HasSubstr("does not say which way frame 1 went"));
  EXPECT_THAT(changed(options + 8, "\x77"), HasSubstr("does not say at which cycle frame 1 passed"));
  EXPECT_THAT(changed(options + 24, "left"),
              HasSubstr("was not recorded for a replay: frame 1 does not say when it was given to the wire"));
}

}  // namespace
}  // namespace avrlan::net
