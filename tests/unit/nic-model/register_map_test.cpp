#include "nic-model/core/register_map.hpp"

#include <gtest/gtest.h>

namespace avrlan {
namespace {

enum class Kind : std::uint8_t { only };

constexpr RegisterRow<Kind> rows[] = {
    {"COMMON", all_banks, 3, 0x80, 0xF0, 0x0F, 0x00, Kind::only, "1.0"},
    {"LOW", 0, 0, 0x00, 0xFF, 0x00, 0x00, Kind::only, "1.1"},
    {"HIGH", 1, 2, 0x12, 0x0F, 0x00, 0x80, Kind::only, "1.2"},
};
constexpr RegisterMap<Kind, 2, 4> map{rows};

TEST(RegisterMap, FindsTheRowOfABankAndAddress) {
  EXPECT_EQ(map.find(0, 0)->name, "LOW");
  EXPECT_EQ(map.find(1, 2)->name, "HIGH");
  EXPECT_EQ(map.find(0, 3)->name, "COMMON");
  EXPECT_EQ(map.find(1, 3), map.find(0, 3));
  EXPECT_EQ(map.find(1, 0), nullptr);
  EXPECT_EQ(map.find(0, 2), nullptr);
}

TEST(RegisterRow, MergesByTheKindOfEachBit) {
  const RegisterRow<Kind>& common = *map.find(0, 3);
  EXPECT_EQ(common.merge(0x00, 0xFF), 0xF0) << "a clearable bit cannot be set";
  EXPECT_EQ(common.merge(0x0F, 0x05), 0x05) << "writing 0 clears it, writing 1 leaves it";
  EXPECT_EQ(map.find(1, 2)->merge(0xA0, 0xFF), 0xAF) << "what is neither stays";
}

}  // namespace
}  // namespace avrlan
