#include "emulator/board/board.hpp"

#include <gtest/gtest.h>

#include "emulator/board/firmware.hpp"

namespace avrlan {
namespace {

TEST(Pin, IsParsedAndNamed) {
  EXPECT_EQ(Pin::parse("PB2")->port, 'B');
  EXPECT_EQ(Pin::parse("PL7")->bit, 7);
  EXPECT_EQ((Pin{'E', 4}.name()), "PE4");
  for (const char* none : {"", "P", "PB", "PB8", "PM0", "pb2", "PB22", "XB2", "PB-"}) {
    EXPECT_FALSE(Pin::parse(none)) << none;
  }
}

TEST(Boards, HaveTheWiringOfTheIssue) {
  const Board& uno = find_board("uno-enc28j60");
  EXPECT_EQ(uno.mcu, "atmega328p");
  EXPECT_EQ(uno.hz, 16'000'000);
  EXPECT_EQ(uno.nic_select->name(), "PB2");
  EXPECT_EQ(uno.nic_int->name(), "PD2");
  EXPECT_FALSE(uno.nic_reset);
  const Board& mega = find_board("mega-enc28j60");
  EXPECT_EQ(mega.mcu, "atmega2560");
  EXPECT_EQ(mega.nic_select->name(), "PB0");
  EXPECT_EQ(mega.nic_int->name(), "PE4");
  const Board& ethernut = find_board("ethernut1");
  EXPECT_EQ(ethernut.mcu, "atmega128");
  EXPECT_EQ(ethernut.hz, 14'745'600);
  EXPECT_FALSE(ethernut.nic_select);
  EXPECT_EQ(ethernut.nic_int->name(), "PE5");
  EXPECT_TRUE(ethernut.nic_int_inverted);
  EXPECT_EQ(ethernut.external_ram, 32'768u);
}

TEST(Boards, AnUnknownNameIsAnsweredWithTheNearest) {
  const auto hint = [](const char* name) {
    try {
      find_board(name);
    } catch (const HostError& error) {
      EXPECT_NE(std::string{error.what()}.find(name), std::string::npos);
      return error.hint();
    }
    return std::string{};
  };
  EXPECT_NE(hint("mega-enc28j6").find("'mega-enc28j60'"), std::string::npos);
  EXPECT_NE(hint("uno").find("'uno-enc28j60'"), std::string::npos);
  EXPECT_NE(hint("").find("avrlan boards"), std::string::npos);
}

}  // namespace
}  // namespace avrlan
