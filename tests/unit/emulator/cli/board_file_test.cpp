#include "emulator/cli/board_file.hpp"

#include <gtest/gtest.h>

#include "emulator/board/host_error.hpp"

namespace avrlan {
namespace {

// What is wrong, and what to do about it; empty: nothing.
std::string said(const std::string& text) {
  try {
    parse_board(text, "b.toml");
  } catch (const UsageError& error) {
    return std::string(error.what()) + "; " + error.hint();
  }
  return "";
}

const std::string uno = "mcu = 'atmega328p'\nfreq = '16MHz'\n[nic]\nchip = 'enc28j60'\n";
const std::string ethernut = "mcu = 'atmega128'\nfreq = 14745600\nexternal-ram = 32768\n[nic]\nchip = 'rtl8019as'\n";
const std::string bus = "bus = { first = 0x8000, last = 0xFFFF }\n";

const std::string mega32 = "mcu = 'atmega32'\nfreq = 16000000\n[nic]\nchip = 'rtl8019as'\n";
const std::string on_ports =
    mega32 + "ports = { data = 'C', address = 'PA0', read = 'PB2', write = 'PB1' }\n";  // H. Buss's board
const std::string example = "ports = { data = \"A\", address = \"PC0\", read = \"PC5\", write = \"PC6\" }";

class BuiltIn : public testing::TestWithParam<Board> {};

TEST_P(BuiltIn, IsTheSameAfterPrintingAndReading) {
  EXPECT_EQ(parse_board(to_toml(GetParam()), "b.toml"), GetParam()) << to_toml(GetParam());
  EXPECT_TRUE(is_built_in(parse_board(to_toml(GetParam()), "b.toml")));
}

INSTANTIATE_TEST_SUITE_P(All, BuiltIn, testing::ValuesIn(boards()),
                         [](const auto& tested) { return std::to_string(tested.index); });

TEST(BoardFile, HasEveryFieldOfAnSpiChip) {
  const std::string text =
      uno + "select = 'PB1'\nusart = 0\nint = 'PC6'\nint-inverted = true\nreset = 'PD7'\nreset-high = true\n";
  const Board board = parse_board("name = 'mine'\nsummary = 'a \"board\" \\\\ of'\n" + text, "b.toml");
  EXPECT_EQ(board.name, "mine");
  EXPECT_EQ(board.mcu, "atmega328p");
  EXPECT_EQ(board.hz, 16'000'000);
  EXPECT_EQ(board.nic_select, (Pin{'B', 1}));
  EXPECT_EQ(board.nic_usart, 0U);
  EXPECT_EQ(board.nic_int, (Pin{'C', 6}));
  EXPECT_TRUE(board.nic_int_inverted);
  EXPECT_EQ(board.nic_reset, (Pin{'D', 7}));
  EXPECT_TRUE(board.nic_reset_high);
  EXPECT_FALSE(is_built_in(board));
  EXPECT_EQ(parse_board(to_toml(board), "other.toml"), board) << to_toml(board);
  EXPECT_EQ(parse_board(text, "dir/my-board.toml").name, "my-board");
}

TEST(BoardFile, HasEveryFieldOfABusChip) {
  const Board board = parse_board(ethernut +
                                      "bus = { first = 0x8000, last = 0x83FF }\nint = 'PE4'\neeprom = 'absent'\n"
                                      "io-base = 0x240\nint-line = 3\nmedium = '10base-t'\nmemory-seed = 9\n",
                                  "b.toml");
  EXPECT_EQ(board.nic_range, (BusRange{0x8000, 0x83FF}));
  EXPECT_EQ(board.external_ram, 0x8000U);
  EXPECT_EQ(board.rtl8019as.ios, 10U);
  EXPECT_EQ(board.rtl8019as.irqs, 3U);
  EXPECT_EQ(board.rtl8019as.pl, 1U);
  EXPECT_EQ(board.rtl8019as.memory_seed, 9U);
  EXPECT_EQ(parse_board(to_toml(board), "b.toml"), board) << to_toml(board);

  const Board programmed =
      parse_board(ethernut + bus + "eeprom = 'programmed'\nmac = '02:00:00:00:00:07'\njumpers = false\n", "b.toml");
  EXPECT_EQ(programmed.rtl8019as.mac, (MacAddress{2, 0, 0, 0, 0, 7}));
  EXPECT_FALSE(programmed.rtl8019as.jumper_mode);
  EXPECT_EQ(parse_board(to_toml(programmed), "b.toml"), programmed) << to_toml(programmed);

  const Board played =
      parse_board(ethernut + bus + "eeprom = 'external'\neesk = 'PC5'\needo = 'PC6'\neemu = 'PC7'\n", "b.toml");
  EXPECT_EQ(played.nic_eesk, (Pin{'C', 5}));
  EXPECT_EQ(played.nic_eedo, (Pin{'C', 6}));
  EXPECT_EQ(played.nic_eemu, (Pin{'C', 7}));
  EXPECT_EQ(parse_board(to_toml(played), "b.toml"), played) << to_toml(played);
}

TEST(BoardFile, HasAChipOnPorts) {
  const Board board = parse_board(on_ports + "int = 'PD2'\nio-base = 0x340\n", "b.toml");
  EXPECT_EQ(board.nic_ports, (PortBusPins{'C', {'A', 0}, {'B', 2}, {'B', 1}, 0x340}));
  EXPECT_FALSE(board.nic_range);
  EXPECT_EQ(parse_board(to_toml(board), "b.toml"), board) << to_toml(board);
}

TEST(BoardFile, RefusesPortsThatCannotBe) {
  EXPECT_EQ(said(mega32),
            "b.toml:3:1: an rtl8019as without bus or ports; add bus = { first = 0x8000, last = 0xFFFF }, "
            "where it is on the external bus, or " +
                example);
  const auto with = [](const std::string& ports) { return said(mega32 + "ports = { " + ports + " }\n"); };
  EXPECT_EQ(with("data = 'A'"), "b.toml:5:9: this bus on ports has no address; add address = \"PC0\"");
  EXPECT_EQ(with("data = 'PA'").substr(0, 28), "b.toml:5:18: 'PA' is no port");
  EXPECT_EQ(with("data = 'E'").substr(0, 40), "b.toml:5:18: the atmega32 has no pin PE0");
  EXPECT_EQ(with("data = 'A', address = 'PC4'"),
            "b.toml:5:33: 'PC4' is no pin with four more above it in its port; A0 to A4 are five pins in a row: write "
            "address = \"PC0\" for PC0 to PC4");
  EXPECT_EQ(with("data = 'A', address = 'PA0'"), "b.toml:5:33: PA0 is D0 already; take another pin");
  EXPECT_EQ(with("data = 'A', address = 'PC0', read = 'PC4', write = 'PD0'"),
            "b.toml:5:47: PC4 is A4 already; take another pin");
  EXPECT_EQ(with("data = 'A', address = 'PC0', read = 'PC5'"),
            "b.toml:5:9: this bus on ports has no write; write " + example);
  EXPECT_EQ(said(on_ports + "int = 'PB1'\n"), "b.toml:6:7: PB1 is write already; take another pin");
  EXPECT_EQ(said(on_ports + bus), "b.toml:5:9: a chip is on the external bus or on ports; leave out bus, or ports");
}

TEST(BoardFile, TellsWhereAMistakeIs) {
  EXPECT_EQ(said("mcu = 'atmega329p'\n"), "b.toml:1:7: there is no MCU 'atmega329p'; did you mean 'atmega328p'?");
  EXPECT_EQ(said("mcu = \n").substr(0, 9), "b.toml:1:");
  EXPECT_EQ(said("mpu = 'atmega328p'\n"), "b.toml:1:1: this board has no mcu; add mcu = \"atmega328p\"");
  EXPECT_EQ(said(uno + "selekt = 'PB2'\n"), "b.toml:3:1: an enc28j60 without select; add select = \"PB2\"");
  EXPECT_EQ(
      said(uno + "select = 'PB2'\nbus = 1\n"),
      "b.toml:6:1: there is no key 'bus' in 'nic with chip = enc28j60'; it is one of chip, usart, select, clkout, "
      "int, int-inverted, reset, reset-high");
  EXPECT_EQ(said("frq = 1\nfreq = 1000\nmcu = 'atmega8'\n[nic]\nchip = 'enc28j60'\nselect = 'PB2'\n"),
            "b.toml:1:1: there is no key 'frq' in 'board'; did you mean 'freq'?");
  EXPECT_EQ(said("name = 'a b'\n" + uno),
            "b.toml:1:8: 'a b' is no name of a board; write name = \"my-board\": up to 64 letters, digits, - and _");
  EXPECT_EQ(said("wait-states = 1\n" + uno),
            "b.toml:1:15: wait states are the firmware's, which sets them in XMCRA and MCUCR; leave out wait-states");
  EXPECT_EQ(said("mcu = 'atmega8'\nfreq = 1\n"),
            "b.toml:1:1: this board has no chip; add a line [nic], and behind it chip = \"enc28j60\"");
  EXPECT_EQ(said("mcu = 'atmega8'\n[nic]\nchip = 'enc28j60'\nselect = 'PB2'\n"),
            "b.toml:1:1: this board has no freq; add freq = \"16MHz\"");
}

TEST(BoardFile, RefusesPinsThatAreNotThere) {
  EXPECT_EQ(said(uno + "select = 'B2'\n"), "b.toml:5:10: 'B2' is no pin; write select = \"PB2\"");
  EXPECT_EQ(said(uno + "select = 'PE2'\n"),
            "b.toml:5:10: the atmega328p has no pin PE2; it has PB0 to PB7, PC0 to PC6, PD0 to PD7");
  EXPECT_EQ(said(uno + "select = 'PB2'\nint = 'PB2'\n"), "b.toml:6:7: PB2 is select already; take another pin");
  EXPECT_EQ(said(ethernut + bus + "int = 'PA3'\n").substr(0, 49), "b.toml:7:7: PA3 is a line of the external bus; po");
  EXPECT_EQ(said(ethernut + bus + "eesk = 'PC5'\n").substr(0, 14), "b.toml:4:1: ee");
}

TEST(BoardFile, RefusesWhatContradictsItself) {
  EXPECT_EQ(said("mcu = 'atmega128'\nfreq = 1000000\n[nic]\nchip = 'rtl8019as'\n"
                 "bus = { first = 0x300, last = 0x11FF }\n")
                .substr(0, 63),
            "b.toml:5:7: 0x0300 to 0x11ff has no address at which the chip a");
  EXPECT_EQ(
      said("mcu = 'atmega128'\nexternal-ram = 4096\n"),
      "b.toml:2:16: the atmega128's own memory hides all of it, up to 0x10ff; write external-ram = 32768, or leave "
      "it out");
  EXPECT_EQ(said("mcu = 'atmega128'\nexternal-ram = 65537\n"),
            "b.toml:2:16: external-ram has to be a whole number from 0 to 65536; write external-ram = 32768");
  EXPECT_EQ(said(uno + "select = 'PB2'\nint-inverted = true\n"),
            "b.toml:6:16: int-inverted without int; add int = \"PD2\"");
  EXPECT_EQ(said(uno + "select = 'PB2'\nreset-high = false\n"),
            "b.toml:6:14: reset-high without reset; add reset = \"PD2\"");
  EXPECT_EQ(said(uno + "select = 'PB5'\n"), "b.toml:5:10: PB5 is SCK already; take another pin");
  EXPECT_EQ(said(uno + "select = 'PB2'\nint = 'PB4'\n"), "b.toml:6:7: PB4 is MISO already; take another pin");
  EXPECT_EQ(said(uno + "select = 'PB2'\nusart = 0\nint = 'PD1'\n"),
            "b.toml:7:7: PD1 is TxD0 already; take another pin");
  EXPECT_EQ(said(uno + "select = \"PB2\\u0000\"\n"), "b.toml:5:10: select has a NUL in it; leave \\u0000 out");
  EXPECT_EQ(said(uno + "\"a\\u0000b\" = 1\nselect = 'PB2'\n").substr(0, 42),
            "b.toml:5:1: there is no key 'a\\x00b' in 'n");
  EXPECT_EQ(said(uno + "select = ''\n"), "b.toml:5:10: select is empty; leave it out, or write something");
  EXPECT_EQ(said("name = '" + std::string(65, 'n') + "'\n" + uno).substr(0, 13), "b.toml:1:8: '");
}

TEST(BoardFile, RefusesAChipThatDoesNotFit) {
  EXPECT_EQ(said("mcu = 'atmega8'\n[nic]\nchip = 'rtl8019'\n"),
            "b.toml:3:8: there is no chip 'rtl8019'; did you mean 'rtl8019as'?");
  EXPECT_EQ(said("mcu = 'atmega328p'\nfreq = 1\n[nic]\nchip = 'rtl8019as'\n" + bus),
            "b.toml:5:7: the atmega328p has no external bus; take an atmega128, atmega1280, atmega1281 or atmega2560");
  EXPECT_EQ(said(uno + "select = 'PB2'\nusart = 1\n"),
            "b.toml:6:9: the atmega328p has no USART1; it has USART0; without usart the chip is at the SPI");
  EXPECT_EQ(said("mcu = 'atmega8'\n[nic]\nchip = 'enc28j60'\nselect = 'PB2'\nusart = 0\n"),
            "b.toml:5:9: the atmega8's USARTs have no SPI mode; leave out usart");
  EXPECT_EQ(said(uno + "select = 'PB2'\nclkout = true\n"),
            "b.toml:2:8: a board that runs from its chip's CLKOUT has no freq; leave out freq or clkout");
}

TEST(BoardFile, RefusesRangesThatOverlapOrAreOutOfReach) {
  const auto range = [](const std::string& first, const std::string& last) {
    return said(ethernut + "bus = { first = " + first + ", last = " + last + " }\n");
  };
  EXPECT_EQ(range("0x8000", "0xFFFF"), "");
  EXPECT_EQ(
      range("0x7F00", "0xFFFF"),
      "b.toml:6:7: bus begins at 0x7f00, where external-ram is up to 0x7fff; begin at 0x8000, or write external-ram = "
      "32512");
  EXPECT_EQ(range("0x8010", "0xFFFF"),
            "b.toml:6:7: 0x8010 to 0xffff is no range of whole pages; a page is 256 addresses: first = 0x8000, last = "
            "0x83FF");
  EXPECT_EQ(range("0x0000", "0x10FF"),
            "b.toml:6:7: the atmega128's own memory hides 0x0000 to 0x10ff; begin behind 0x10ff");
  EXPECT_EQ(
      range("0x8000", "0x82FF"),
      "b.toml:6:7: 0x8000 to 0x82ff has no address at which the chip answers: its I/O base is 0x300; A9 to A5 have "
      "to be the base's, as in 0x8300");
  EXPECT_EQ(said(ethernut + bus + "io-base = 0x310\n").substr(0, 58),
            "b.toml:7:11: 0x310 is no I/O base of an RTL8019AS; use 0x2");
  EXPECT_EQ(said("mcu = 'atmega128'\nexternal-ram = 10000\n"),
            "b.toml:2:16: external-ram is no multiple of 256 octets; write external-ram = 32768");
}

}  // namespace
}  // namespace avrlan
