// What the command line tells about what there is, and what it writes about pins.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

const std::string program = AVRLAN_PROGRAM;
const std::string hello = AVRLAN_FIRMWARE_DIR "/uno-enc28j60/hello.elf";

TEST(Mcus, AreListedWithWhatTheyHave) {
  const Completed done = run({program, "mcus", "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  const auto all = nlohmann::json::parse(done.out);
  const auto find = [&](const std::string& name) {
    for (const auto& mcu : all) {
      if (mcu["name"] == name) return mcu;
    }
    return nlohmann::json{};
  };
  for (const char* name : {"atmega8", "atmega32", "atmega128", "atmega168", "atmega328p", "atmega644p", "atmega1284p",
                           "atmega1280", "atmega2560", "atmega32u4"}) {
    ASSERT_FALSE(find(name).is_null()) << name;
    EXPECT_EQ(find(name)["models"]["ports"], "ours") << name;
  }
  const auto mega = find("atmega128");
  EXPECT_EQ(mega["flash"], 131'072);
  EXPECT_EQ(mega["sram"], 4'096);
  EXPECT_EQ(mega["external_memory"], true);
  EXPECT_EQ(mega["timers"][0]["asynchronous"], true);
  EXPECT_EQ(find("atmega32u4")["models"]["USB"], "not modelled");

  const Completed text = run({program, "mcus"});
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("atmega1284p"), std::string::npos);
  EXPECT_NE(text.out.find("\nnot modelled: "), std::string::npos);
}

TEST(Vcd, HasThePinsThatWereAskedFor) {
  const auto file = std::filesystem::temp_directory_path() / "avrlan_list_test.vcd";
  const Completed done = run(
      {program, "run", hello, "--net", "none", "--pace", "max", "--timeout", "100ms", "--vcd", file.string() + ",PB2"});
  EXPECT_TRUE(done.status == 0 || done.status == 42) << done.err;
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  EXPECT_NE(text.str().find("$var wire 1 ! PB2 $end"), std::string::npos) << text.str();
  EXPECT_EQ(text.str().find("PD2"), std::string::npos);
}

}  // namespace
}  // namespace avrlan::test
