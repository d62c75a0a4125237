// The examples of every --help, run as they stand there.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

const std::string program = AVRLAN_PROGRAM;

class Help : public testing::Test {
 protected:
  Help() {
    std::string name = (std::filesystem::temp_directory_path() / "avrlan-test-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    std::filesystem::create_symlink(program, directory_ / "avrlan");
    const std::string firmware = AVRLAN_FIRMWARE_DIR;
    std::filesystem::copy_file(firmware + "/uno-enc28j60/web.elf", directory_ / "web.elf");
    std::filesystem::copy_file(firmware + "/uno-enc28j60/hello.elf", directory_ / "app.elf");
    std::filesystem::copy_file(firmware + "/mega-enc28j60/web.elf", directory_ / "mega.elf");
  }
  ~Help() override { std::filesystem::remove_all(directory_); }

  // What a person has in this directory; never longer than a moment.
  Completed shell(std::string command) {
    if (command.starts_with("avrlan run") && command.find("--timeout") == std::string::npos) command += " --timeout 1s";
    const bool keeps_wall_time =
        command.find("--net tap") != std::string::npos || command.find("--net socket") != std::string::npos;
    if (command.starts_with("avrlan run") && command.find("--pace") == std::string::npos && !keeps_wall_time)
      command += " --pace max";
    // Nobody comes to debug it.
    if (const auto port = command.find("--gdb 1234"); port != std::string::npos)
      command.replace(port, 10, "--gdb 0 --wall-timeout 1s");
    if (command.ends_with(" --gdb")) command = "timeout -s TERM 1 " + command + " 0 || [ $? = 143 -o $? = 124 ]";
    if (const auto port = command.find(":8080-"); port != std::string::npos) command.replace(port, 6, ":0-");
    return run({"sh", "-c", "cd " + directory_.string() + " && PATH=.:$PATH && " + command});
  }
  // Lines "  avrlan ...", without what is said about them.
  static std::vector<std::string> examples(const std::string& help) {
    std::vector<std::string> all;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  avrlan ")) continue;
      all.push_back(line.substr(2, line.find("   ", 2) - 2));
    }
    return all;
  }
  void expect_to_work(const std::vector<std::string>& command, std::size_t at_least) {
    const auto help = run(command);
    EXPECT_EQ(help.status, 0) << help.err;
    const auto all = examples(help.out);
    EXPECT_GE(all.size(), at_least) << help.out;
    for (const auto& example : all) {
      const auto done = shell(example);
      EXPECT_TRUE(done.status == 0 || done.status == 42) << example << ": " << done.status << "\n" << done.err;
    }
  }

  std::filesystem::path directory_;
};

TEST_F(Help, OfTheProgram) {
  expect_to_work({program, "--help"}, 4);
}

TEST_F(Help, OfRun) {
  std::ofstream(directory_ / "app.c") << "#include <avr/io.h>\nint main() { UBRR0 = 8; UCSR0B = 8;\n"
                                         "for (const char* c = \"self test passed\"; *c; ++c) {\n"
                                         "while (!(UCSR0A & 32)) {}\nUDR0 = *c; } }\n";
  ASSERT_EQ(shell("avr-gcc -Os -mmcu=atmega328p app.c -o app.elf").status, 0);
  ASSERT_EQ(shell("avrlan boards --toml uno-enc28j60 > mine.toml").status, 0);
  expect_to_work({program, "run", "--help"}, 5);
}

TEST_F(Help, OfReplay) {
  std::filesystem::create_directory(directory_ / "build");
  std::filesystem::copy_file(directory_ / "web.elf", directory_ / "build" / "web.elf");
  expect_to_work({program, "replay", "--help"}, 5);
}

TEST_F(Help, OfReport) {
  expect_to_work({program, "report", "--help"}, 3);
}

TEST_F(Help, OfCompare) {
  for (const char* out : {"before", "after", "run"})
    EXPECT_EQ(shell(std::string("avrlan run web.elf --net none --profile --timeout 100ms --out ") + out).status, 42);
  EXPECT_EQ(shell("avrlan compare base.json run/run.json --update-baseline").status, 0);
  const std::string help = run({program, "compare", "--help"}).out;
  const auto first = help.find("  [function]");
  std::ofstream(directory_ / "limits.toml") << help.substr(first, help.find("\n\n", first) - first);
  expect_to_work({program, "compare", "--help"}, 4);
}

}  // namespace
}  // namespace avrlan::test
