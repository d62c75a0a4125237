#include "emulator/board/eeprom_patch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "emulator/board/hex.hpp"
#include "emulator/board/host_error.hpp"

namespace avrlan {
namespace {

using Octets = std::vector<std::uint8_t>;

TEST(Hex, IsTwoDigitsAnOctet) {
  EXPECT_EQ(to_hex("Az"), "417a");
  EXPECT_EQ(from_hex("0aFf"), (Octets{0x0a, 0xff}));
  EXPECT_FALSE(from_hex("0a1"));
  EXPECT_FALSE(from_hex("0g"));
}

TEST(EepromPatch, IsOctetsInHex) {
  const EepromPatch mac = EepromPatch::parse("02:41:56:00:00:01");
  EXPECT_EQ(mac.address, 0);
  EXPECT_EQ(mac.octets, (Octets{0x02, 0x41, 0x56, 0, 0, 1}));
  EXPECT_EQ(EepromPatch::parse("02-41 56").octets, (Octets{0x02, 0x41, 0x56}));
  const EepromPatch high = EepromPatch::parse("0x10=cafe");
  EXPECT_EQ(high.address, 0x10);
  EXPECT_EQ(high.octets, (Octets{0xca, 0xfe}));
  EXPECT_EQ(EepromPatch::parse("16=00").address, 16);
  EXPECT_EQ(EepromPatch::parse("4095=00").address, 4095);
}

TEST(EepromPatch, CanBeAFile) {
  const auto directory = std::filesystem::temp_directory_path();
  const std::string name = "avrlan-eeprom-" + std::to_string(::getpid());
  std::ofstream(directory / name, std::ios::binary) << "a=\n";
  EXPECT_EQ(EepromPatch::parse("@" + (directory / name).string()).octets, (Octets{'a', '=', '\n'}));
  const EepromPatch patch = EepromPatch::parse("0x7=@" + name, directory);
  EXPECT_EQ(patch.address, 7);
  EXPECT_EQ(patch.octets.size(), 3u);
  std::ofstream(directory / name, std::ios::binary);
  EXPECT_THROW(EepromPatch::parse("@" + name, directory), UsageError);
  std::filesystem::remove(directory / name);
  EXPECT_THROW(EepromPatch::parse("@" + name, directory), UsageError);
}

TEST(EepromPatch, RefusesWhatCannotBe) {
  for (const char* bad : {"", "0", "02:4", "0:24", ":02", "02::41", "xy", "=", "=00", "0x10=", "4096=00", "4095=0000",
                          "-1=00", "0x=00", "1 =00", "@", "0=@", "@/dev/zero"}) {
    EXPECT_THROW(EepromPatch::parse(bad), UsageError) << bad;
  }
}

}  // namespace
}  // namespace avrlan
