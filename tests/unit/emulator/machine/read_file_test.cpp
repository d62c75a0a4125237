#include "emulator/board/read_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "emulator/board/host_error.hpp"

namespace avrlan {
namespace {

// Sparse: it takes no room on the disk.
TEST(ReadFile, TakesUpTo64MebibytesAndNoMore) {
  const auto path = std::filesystem::path(testing::TempDir()) / ("avrlan-read-" + std::to_string(::getpid()));
  std::ofstream(path) << "begins";
  constexpr std::uintmax_t most = 64 * 1024 * 1024;
  std::filesystem::resize_file(path, most);
  const std::string text = read_file(path, "");
  EXPECT_EQ(text.size(), most);
  EXPECT_EQ(text.substr(0, 6), "begins");
  std::filesystem::resize_file(path, most + 1);
  try {
    read_file(path, "take a smaller one");
    ADD_FAILURE() << "it was read";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("67108865 bytes, more than 64 MiB"), std::string::npos) << error.what();
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace avrlan
