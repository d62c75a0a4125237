#include "emulator/cli/diagnostic_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace avrlan {
namespace {

class DiagnosticText : public testing::Test {
 protected:
  DiagnosticText() {
    firmware.path = "/somewhere/web.elf";
    entry.diagnostic = {Severity::warning, "enc28j60-rx-pointer-even", "ERXRDPT is even: 100 % wrong"};
    entry.first = {Cycles{1234}, {0x1c2, 0x300}};
    entry.lines = {{0x1c2, "write+0x12", SourceLine{"driver.hpp", 260}}, {0x300, "main+0x4", std::nullopt}};
  }
  Firmware firmware;
  DiagnosticLog::Entry entry;
};

TEST_F(DiagnosticText, ReadsLikeACompilers) {
  EXPECT_EQ(to_text(entry, firmware, DiagnosticFormat::gcc),
            "driver.hpp:260: warning: ERXRDPT is even: 100 % wrong [enc28j60-rx-pointer-even]\n"
            "  in write+0x12, pc 0x01c2, cycle 1234\n"
            "  from main+0x4\n");
}

TEST_F(DiagnosticText, NamesTheFirmwareWhereNoSourceLineIsKnown) {
  entry.lines[0].source.reset();
  EXPECT_TRUE(to_text(entry, firmware, DiagnosticFormat::gcc).starts_with("web.elf: warning: "));
  entry.lines.clear();
  EXPECT_EQ(to_text(entry, firmware, DiagnosticFormat::gcc),
            "web.elf: warning: ERXRDPT is even: 100 % wrong [enc28j60-rx-pointer-even]\n"
            "  cycle 1234, by no instruction\n");
}

TEST_F(DiagnosticText, IsAnAnnotationOfOneLineForGitHub) {
  entry.lines[0].source->file = "a,b:c.hpp";
  EXPECT_EQ(to_text(entry, firmware, DiagnosticFormat::github),
            "::warning file=a%2Cb%3Ac.hpp,line=260,title=enc28j60-rx-pointer-even::ERXRDPT is even: 100 %25 wrong%0A"
            "  in write+0x12, pc 0x01c2, cycle 1234%0A  from main+0x4%0A\n");
  entry.diagnostic.severity = Severity::note;
  EXPECT_TRUE(to_text(entry, firmware, DiagnosticFormat::github).starts_with("::notice file="));
}

TEST_F(DiagnosticText, IsCompleteInJson) {
  firmware.functions = {{"main", 0x300, 0x40}};
  DiagnosticLog log(firmware);
  log.report(entry.diagnostic, {Cycles{7}, {0x304}});
  log.report(entry.diagnostic, {Cycles{9}, {0x304}});
  const auto json = diagnostics_json(log, firmware);
  EXPECT_EQ(json["schema"], "avrlan-diagnostics-1");
  ASSERT_EQ(json["diagnostics"].size(), 1u);
  const auto& first = json["diagnostics"][0];
  EXPECT_EQ(first["name"], "enc28j60-rx-pointer-even");
  EXPECT_EQ(first["severity"], "warning");
  EXPECT_EQ(first["count"], 2);
  EXPECT_EQ(first["first"]["cycle"], 7);
  EXPECT_EQ(first["first"]["calls"][0]["pc"], 0x304);
  EXPECT_EQ(first["first"]["calls"][0]["function"], "main+0x4");
  EXPECT_TRUE(first["first"]["calls"][0]["file"].is_null());
  EXPECT_TRUE(first["first"]["calls"][0]["line"].is_null());
}

}  // namespace
}  // namespace avrlan
