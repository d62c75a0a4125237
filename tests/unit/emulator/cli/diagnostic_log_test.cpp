#include "emulator/cli/diagnostic_log.hpp"

#include <gtest/gtest.h>

namespace avrlan {
namespace {

class DiagnosticLogTest : public testing::Test {
 protected:
  DiagnosticLogTest() {
    firmware.functions = {{"main", 0x100, 0x40}, {"_ZN5tcpip4pollEv", 0x140, 0x20}};
    log.locate([this] { return here; });
  }
  void report(std::uint32_t pc, const char* code, Severity severity = Severity::warning) {
    here = {Cycles{here.cycle.count + 10}, {pc}};
    log.report({severity, code, "message"});
  }
  Firmware firmware;
  CodePlace here;
  DiagnosticLog log{firmware};
};

TEST_F(DiagnosticLogTest, CountsRepeatsOfACodeAtAPlace) {
  report(0x104, "x");
  report(0x104, "x");
  report(0x106, "x");
  report(0x104, "y");
  ASSERT_EQ(log.entries().size(), 3u);
  EXPECT_EQ(log.entries()[0].count, 2u);
  EXPECT_EQ(log.entries()[0].first.cycle.count, 10);
  EXPECT_EQ(log.count(Severity::warning), 4u);
  EXPECT_EQ(log.count(Severity::error), 0u);
}

TEST_F(DiagnosticLogTest, NamesTheFunctionAsWrittenInTheSource) {
  report(0x11c, "x");
  report(0x140, "x");
  report(0x160, "x");
  EXPECT_EQ(log.entries()[0].lines[0].function, "main+0x1c");
  EXPECT_EQ(log.entries()[1].lines[0].function, "tcpip::poll()+0x0");
  EXPECT_EQ(log.entries()[2].lines[0].function, "");
}

TEST_F(DiagnosticLogTest, TellsTheFirstOfEachOnly) {
  int told = 0;
  log.on_first([&](const DiagnosticLog::Entry&) { ++told; });
  report(0x104, "x");
  report(0x104, "x");
  report(0x104, "y");
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace avrlan
