#include "emulator/board/vcd.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "emulator/board/host_error.hpp"
#include "tests/accuracy/machine/bench.hpp"

namespace avrlan {
namespace {

Instant at(std::int64_t nanoseconds) {
  return Instant{} + Duration::nanoseconds(nanoseconds);
}

std::string read(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

class VcdTest : public ::testing::Test {
 protected:
  ~VcdTest() override { std::filesystem::remove(file); }
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() /
      (std::string{"vcd_test_"} + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".vcd");
};

TEST_F(VcdTest, IsWhatTheStandardSays) {
  Vcd vcd(file, "atmega328p");
  const auto select = vcd.add("PB2", "select", true);
  const auto txd = vcd.add("PD1", "", false);
  vcd.change(select, at(100), false, at(100));
  vcd.change(txd, at(100), true, at(100));
  vcd.change(txd, at(200), true, at(200));
  vcd.flush(at(300));
  EXPECT_EQ(read(file),
            "$comment levels of pins by avrlan $end\n"
            "$timescale 1 ps $end\n"
            "$scope module atmega328p $end\n"
            "$comment PB2 is select $end\n"
            "$var wire 1 ! PB2 $end\n"
            "$var wire 1 \" PD1 $end\n"
            "$upscope $end\n"
            "$enddefinitions $end\n"
            "#0\n$dumpvars\n1!\n0\"\n$end\n"
            "#100000\n0!\n1\"\n"
            "#300000\n");
}

// A store tells of its change when it begins.
TEST_F(VcdTest, PutsChangesInOrder) {
  Vcd vcd(file, "m");
  const auto a = vcd.add("a", "", false);
  const auto b = vcd.add("b", "", false);
  vcd.change(a, at(125), true, at(0));
  vcd.change(b, at(30), true, at(30));
  vcd.change(b, at(125), false, at(125));
  vcd.flush(at(125));
  const std::string text = read(file);
  EXPECT_EQ(text.substr(text.find("$dumpvars")), "$dumpvars\n0!\n0\"\n$end\n#30000\n1\"\n#125000\n1!\n0\"\n");
}

TEST_F(VcdTest, ManySignalsHaveDifferentIdentifiers) {
  {
    Vcd vcd(file, "m");
    for (int n = 0; n < 200; ++n) vcd.add("s" + std::to_string(n), "", false);
  }
  std::istringstream lines(read(file));
  std::set<std::string> identifiers;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("$var wire 1 ")) identifiers.insert(line.substr(12, line.find(' ', 12) - 12));
  }
  EXPECT_EQ(identifiers.size(), 200u);
}

TEST_F(VcdTest, AFileThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(Vcd(file / "none" / "x.vcd", "m"), HostError);
}

// spi_bus.S moves the select pin with OUT and SBI: the change is at the instruction's end.
TEST_F(VcdTest, ShowsThePinsOfAMachine) {
  using namespace avrlan::testing;
  Bench bench("spi_bus_atmega328p", "atmega328p");
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  bench.machine.trace_pins(file, {});
  bench.run_to("low");
  const auto select = chip.events.front();
  ASSERT_EQ(select.what, "select");
  const std::int64_t cycle = bench.cycle_of(select.when).count;
  bench.machine.flush_trace();
  const std::string text = read(file);
  EXPECT_NE(text.find(" PB2 $end\n"), std::string::npos);
  EXPECT_NE(text.find(" PD2 $end\n"), std::string::npos);
  // CBI takes two cycles of 62.5 ns.
  EXPECT_NE(text.find("#" + std::to_string((cycle + 2) * 62'500) + "\n0!\n"), std::string::npos) << text;
}

TEST_F(VcdTest, RefusesPinsThatTheMcuDoesNotHave) {
  using namespace avrlan::testing;
  Bench bench("spi_bus_atmega328p", "atmega328p");
  EXPECT_THROW(bench.machine.trace_pins(file, {Pin{'A', 0}}), UsageError);
  EXPECT_THROW(bench.machine.trace_pins(file, {Pin{'C', 7}}), UsageError);
  EXPECT_NO_THROW(bench.machine.trace_pins(file, {Pin{'C', 6}}));
}

}  // namespace
}  // namespace avrlan
