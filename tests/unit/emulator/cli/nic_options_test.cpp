#include "emulator/cli/nic_options.hpp"

#include <gtest/gtest.h>

#include "emulator/board/host_error.hpp"

namespace avrlan {
namespace {

TEST(NicOptions, RevisionIsWhatErevidReads) {
  EXPECT_EQ(parse_nic_options("enc28j60", "B1", "").enc28j60.revision, 2);
  EXPECT_EQ(parse_nic_options("enc28j60", "B4", "").enc28j60.revision, 4);
  EXPECT_EQ(parse_nic_options("enc28j60", "B5", "").enc28j60.revision, 5);
  EXPECT_EQ(parse_nic_options("enc28j60", "B7", "").enc28j60.revision, 6);
}

TEST(NicOptions, ErrataAreSwitches) {
  const auto options =
      parse_nic_options("enc28j60", "B7", "even-erxrdpt-corrupts=off,pktif-reads-zero,link-pulse-collision-every=100")
          .enc28j60;
  EXPECT_FALSE(options.errata.even_erxrdpt_corrupts);
  EXPECT_TRUE(options.errata.pktif_reads_zero);
  EXPECT_EQ(options.errata.link_pulse_collision_every, 100u);
  EXPECT_TRUE(options.errata.checksum_aborts_reception) << "as it is without being named";
}

TEST(NicOptions, AllComesFirst) {
  const auto options = parse_nic_options("enc28j60", "B7", "all=off,latecol-unreliable=on").enc28j60;
  EXPECT_TRUE(options.errata.latecol_unreliable);
  EXPECT_FALSE(options.errata.clkrdy_survives_reset);
  EXPECT_FALSE(options.errata.reset_ignored_in_power_save);
  EXPECT_TRUE(parse_nic_options("enc28j60", "B7", "all=on").enc28j60.errata.receive_start_lost);
}

TEST(NicOptions, CableIsPulledAndPluggedIn) {
  const auto events = parse_cable("out,in@1.5s,out@2s");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].when, Instant{});
  EXPECT_FALSE(events[0].in);
  EXPECT_EQ(events[1].when, Instant::at(Duration::milliseconds(1500)));
  EXPECT_TRUE(events[1].in);
  EXPECT_FALSE(events[2].in);
  for (const char* bad : {"", "up", "out@", "out@soon", "in,", "in@-1s", "in@3s,out@2s", "out@1s,in@1s", "out,in"})
    EXPECT_THROW(parse_cable(bad), UsageError) << bad;
}

TEST(NicOptions, SaysWhatIsWrong) {
  const auto said = [](const char* revision, const char* errata, const char* chip = "enc28j60") {
    try {
      parse_nic_options(chip, revision, errata);
    } catch (const UsageError& error) {
      return std::string(error.what()) + "; " + error.hint();
    }
    return std::string();
  };
  EXPECT_NE(said("B6", "").find("B1, B4, B5, B7"), std::string::npos);
  EXPECT_NE(said("B7", "latecol=on").find("did you mean 'latecol-unreliable'?"), std::string::npos);
  EXPECT_NE(said("B4", "link-pulse-collision-every=5").find("--chip-rev"), std::string::npos);
  for (const char* bad :
       {"latecol-unreliable=5", "link-pulse-collision-every=on", "link-pulse-collision-every=5x", "all=3", "=on"}) {
    EXPECT_NE(said("B7", bad), "") << bad;
  }
  EXPECT_EQ(said("B5", "link-pulse-collision-every=5"), "");
  EXPECT_NE(said("B5", "", "rtl8019as").find("ENC28J60"), std::string::npos);
  EXPECT_NE(said("", "latecol-unreliable", "rtl8019as").find("has no 'latecol-unreliable'"), std::string::npos);
  EXPECT_NE(said("", "overflow-stops-receiver=5", "rtl8019as").find("on or off"), std::string::npos);
}

TEST(NicOptions, EachChipHasItsOwnErrata) {
  EXPECT_TRUE(parse_nic_options("rtl8019as", "", "overflow-stops-receiver").rtl8019as.overflow_stops_receiver);
  const auto all = parse_nic_options("rtl8019as", "", "all=on,next-page-one-late=off").rtl8019as;
  EXPECT_TRUE(all.stop_waits_for_remote_count);
  EXPECT_FALSE(all.next_page_one_late);
}

}  // namespace
}  // namespace avrlan
