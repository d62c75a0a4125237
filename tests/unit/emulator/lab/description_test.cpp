#include "emulator/lab/description.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace avrlan::lab {
namespace {

const std::string hello = AVRLAN_FIRMWARE_DIR "/mega-enc28j60/hello.elf";

class LabFile : public testing::Test {
 protected:
  ~LabFile() override { std::filesystem::remove(path_); }
  LabDescription read(const std::string& text) {
    std::ofstream(path_) << text;
    return LabDescription::read(path_);
  }
  // What is wrong, with "lab" for the path; empty: nothing.
  std::string said(const std::string& text) {
    try {
      read(text);
    } catch (const UsageError& error) {
      std::string what = std::string(error.what()) + "; " + error.hint();
      for (auto at = what.find(path_.string()); at != std::string::npos; at = what.find(path_.string()))
        what.replace(at, path_.string().size(), "lab");
      return what;
    }
    return "";
  }
  // A board of four lines, the first one blank.
  static std::string board(const std::string& name, const std::string& more = "") {
    return "\n[[board]]\nname = '" + name + "'\nfirmware = '" + hello + "'\nboard = 'mega-enc28j60'\n" + more;
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("avrlan-lab-" + std::to_string(::getpid()) + ".toml");
};

TEST_F(LabFile, SaysWhatThereIs) {
  const LabDescription lab = read("timeout = '5s'\npace = 'real'\nseed = 7\n" +
                                  board("b", "connect = 'a'\nlink = { delay = '2ms', loss = '1%', queue = 5 }\n") +
                                  board("a", "freq = 8000000\nuart = 1\ndiag = ['warning=error', 'note=ignore']\n"));
  EXPECT_EQ(lab.timeout, Duration::seconds(5));
  EXPECT_EQ(lab.pace, Pace::real);
  EXPECT_EQ(lab.seed, 7U);
  ASSERT_EQ(lab.boards.size(), 2U);
  EXPECT_EQ(lab.boards[0].name, "a") << "sorted";
  EXPECT_EQ(lab.boards[0].options.machine.hz, 8'000'000);
  EXPECT_EQ(lab.boards[0].options.machine.uart, 1U);
  EXPECT_EQ(lab.boards[0].options.diagnostics.severity("enc28j60-overflow", Severity::note), std::nullopt);
  ASSERT_TRUE(lab.boards[1].cable);
  EXPECT_EQ(lab.boards[1].cable->to, "a");
  EXPECT_EQ(lab.boards[1].cable->link.delay, Duration::milliseconds(2));
  EXPECT_EQ(lab.boards[1].cable->link.queue, 5U);
}

TEST_F(LabFile, ABoardCanHaveAFileOfItsOwn) {
  const auto own = std::filesystem::temp_directory_path() / ("avrlan-own-" + std::to_string(::getpid()) + ".toml");
  std::ofstream(own) << "mcu = 'atmega2560'\nfreq = '8MHz'\n[nic]\nchip = 'enc28j60'\nselect = 'PB0'\n";
  const std::string line = "\n[[board]]\nname = 'a'\nfirmware = '" + hello + "'\nboard = '";
  EXPECT_EQ(read(line + own.filename().string() + "'\n").boards.at(0).board.hz, 8'000'000) << "beside the lab";
  std::filesystem::remove(own);
  EXPECT_NE(said(line + "none.toml'\n").find("lab:5:9: cannot read"), std::string::npos) << said(line + "none.toml'\n");
}

TEST_F(LabFile, DelayIsThatOfASwitchIfNotSaid) {
  const LabDescription lab = read(board("a") + board("b", "connect = 'a'\n"));
  EXPECT_EQ(lab.boards[1].cable->link.delay, Duration::microseconds(50));
}

TEST_F(LabFile, EachMistakeIsALineWithItsPlace) {
  const std::string a = board("a");
  const std::string uno = "[[board]]\nname = 'u'\nfirmware = '" AVRLAN_FIRMWARE_DIR "/uno-enc28j60/hello.elf'\n";
  const std::pair<std::string, std::string> mistakes[] = {
      {"", "lab:1:1: there is no board; add [[board]]"},
      {"board = 5", "lab:1:9: board is no list of tables; begin each with a line [[board]]"},
      {"[board]\nname = 'a'", "lab:1:1: board is no list of tables"},
      {"seed = -1" + a, "lab:1:8: seed has to be a whole number from 0 to"},
      {"sed = 1" + a, "lab:1:1: there is no key 'sed' in 'lab'; did you mean 'seed'?"},
      {"timeout = 'soon'" + a, "lab:1:11: timeout 'soon' is not a time"},
      {"timeout = 5" + a, "lab:1:11: timeout has to be a text"},
      {"pace = 'fast'" + a, "lab:1:8: there is no pace 'fast'; use max or real"},
      {"seed = 1\nseed = 2" + a, "lab:2:"},
      {"[[board", "lab:1:8: "},
      {"[[board]]", "lab:1:1: this board has no name; add name = \"server\""},
      {"[[board]]\nname = 'a/b'", "lab:2:8: 'a/b' is no name"},
      {"[[board]]\nname = ''", "lab:2:8: name is empty; leave it out"},
      {"[[board]]\nname = 'a'", "lab:1:1: this board has no firmware"},
      {"[[board]]\nname = 'a'\nfirmware = 'nowhere.elf'", "lab:3:12: "},
      {a + "bord = 'x'", "lab:6:1: there is no key 'bord' in 'board'; did you mean 'board'?"},
      {a + "freq = 'fast'", "lab:6:8: freq 'fast' is not a frequency"},
      {a + "engine = 'quick'", "lab:6:10: there is no engine 'quick'"},
      {a + "uart = 7", "lab:6:8: uart has to be a whole number from 0 to 3"},
      {a + "chip-rev = 'B6'", "lab:6:12: --chip-rev 'B6' is no revision"},
      {a + "errata = 'latecol'", "lab:6:10: --errata: this board's chip has no 'latecol'"},
      {a + "diag = ['error']", "lab:6:9: "},
      {uno + "uart = 1", "lab:4:8: the atmega328p has no USART1"},
      {uno + "eeprom = '0x3FF=0000'", "lab:4:10: octets for 0x3FF to 0x400"},
      {uno + "eeprom = ['01', '0x3FF=0000']", "lab:4:17: octets for 0x3FF to 0x400"},
      {a + "analog = 'adc16=1V'", "lab:6:10: "},
      {a + "mcu = 'atmega328p'", "lab:6:7: "},
      {a + "diag = [5]", "lab:6:9: diag has to be a text, or a list of texts"},
      {a + "eeprom = ['00', '0:1']", "lab:6:17: '0:1' are no octets in hexadecimal"},
      {a + "analog = 'adc0=much'", "lab:6:10: "},
      {a + "link = { delay = '1ms' }", "lab:2:1: this board has a link to nowhere"},
      {a + "connect = 'c'" + board("b"), "lab:6:11: there is no station 'c'; did you mean 'a'?"},
      {a + "connect = 'a'", "lab:6:11: a cable from 'a' to itself"},
      {a + a, "lab:8:8: there are two stations called 'a'; the other one is at lab:3:8"},
      {a + "connect = 'b'\n" + board("b", "connect = 'a'"), "a second cable to board '"},
      {a + board("b", "connect = 'a'\n") + board("c", "connect = 'a'"), "lab:17:11: a second cable to board 'a'"},
      {a + board("b", "connect = 'a'\nlink = 5"), "lab:12:8: link has to be a table"},
      {a + board("b", "connect = 'a'\nlink = { delay = '0s' }"), "lab:12:8: the delay of a link is less than 1us"},
      {a + board("b", "connect = 'a'\nlink = { delai = '1s' }"), "lab:12:10: there is no key 'delai'"},
      {a + board("b", "connect = 'a'\nlink = { loss = '200%' }"), "lab:12:10: loss=200% is not a value"},
      {a + board("b", "connect = 'a'\nlink = { seed = 1 }"), "lab:12:10: a link has no seed of its own"},
      {a + "[[switch]]\nname = 'a'", "lab:7:8: there are two stations called 'a'"},
      {a + "connect = 's'\n[[switch]]\nname = 's'\nports = 5", "lab:9:1: there is no key 'ports' in 'switch'"},
      {a + "[[switch]]\nname = 's'\nconnect = 't'\n[[switch]]\nname = 't'\nconnect = 's'",
       "lab:11:11: the cable from 't' to 's' closes a loop of switches"},
      {a + "[[switch]]\nname = 's'\nconnect = 's'", "lab:8:11: a cable from 's' to itself"},
      {a + "[[fault]]\nat = '1s'\nstation = 'a'", "lab:6:1: this fault has no kind"},
      {a + "[[fault]]\nat = '1s'\nkind = 'fire'\nstation = 'a'", "lab:8:8: there is no fault 'fire'; use link-down"},
      {a + "[[fault]]\nkind = 'reset-mcu'\nstation = 'a'", "lab:6:1: this fault has no time"},
      {a + "[[fault]]\nat = '1s'\nkind = 'reset-mcu'\nstation = 'b'", "lab:9:11: there is no station 'b'"},
      {a + "[[fault]]\nat = '1s'\nkind = 'link-down'\nstation = 'a'", "lab:9:11: 'a' has no cable of its own"},
      {a + "[[fault]]\nat = '1s'\nkind = 'link-up'\noff = '1s'\nstation = 'a'",
       "lab:9:1: there is no key 'off' in 'fault'"},
      {a + "connect = 's'\n[[switch]]\nname = 's'\n[[fault]]\nat = '1s'\nkind = 'reset-mcu'\nstation = 's'",
       "lab:12:11: 's' is a switch, no board"},
      {a + "[[assert]]\ntext = 'x'", "lab:6:1: this assert has no board"},
      {a + "[[assert]]\nboard = 'a'", "lab:6:1: this assert says nothing"},
      {a + "[[assert]]\nboard = 'a'\ntext = 'x'\nstatus = 0", "lab:6:1: this assert says more than one thing"},
      {a + "[[assert]]\nboard = 'a'\ntext = 'x'", "lab:7:9: this assert may wait for ever"},
      {"timeout = '1s'" + a + "[[assert]]\nboard = 'a'\ntext = 'x'\nby = '2s'", "lab:7:9: this assert looks at a time"},
      {a + "[[assert]]\nboard = 'a'\nvalue = 'nic.frames'\nmin = 1", "lab:8:9: a board's results have no 'nic.frames'"},
      {a + "[[assert]]\nboard = 'a'\nvalue = 'nic.rx_frames'", "lab:6:1: this assert does not say what"},
      {a + "[[assert]]\nboard = 'a'\nvalue = 'nic.rx_frames'\nequals = 5\nmin = 3",
       "lab:6:1: this assert has equals and a bound"},
      {a + "[[assert]]\nboard = 'a'\npeer = 'b'\nsuccess = true", "lab:6:1: this assert is about a board and a peer"},
      {a + "[[peer]]\nkind = 'echo'\nconnect = 'a'\n[[assert]]\npeer = 'echo'\nsuccess = true",
       "lab:10:8: 'echo' is a service, which never succeeds"},
      {a + "[[backend]]\nname = 'n'\nnet = 'peers'\nconnect = 'a'", "lab:8:7: peers are stations of a lab themselves"},
      {"timeout = '1s'" + a + "[[fault]]\nat = '2s'\nkind = 'reset-mcu'\nstation = 'a'",
       "lab:9:11: this fault comes after the lab's timeout"},
      {a + "[[fault]]\nat = '1s'\nkind = 'power-cycle'\nstation = 'a'\n[[fault]]\nat = '1.05s'\nkind = 'power-cycle'\n"
           "station = 'a'",
       "lab:13:11: 'a' is off then, by the power cycle at lab:9:11"},
      {a + "[[peer]]\nkind = 'echo'\nconnect = 'a'\nname = '../../b'", "lab:7:8: peer: name=../../b is no name"},
      {a + "[[assert]]\nboard = 'a'\nvalue = 'nic.rx_frames'\nmin = 5\nmax = 3", "lab:6:1: min is greater than max"},
      {a + "[[assert]]\nboard = 'a'\ntext = 'x'\nat = '5s'", "lab:9:1: there is no key 'at' in 'assert'"},
      {a + "[[backend]]\nname = 'n'\nnet = 'user'", "lab:6:1: this backend is connected to nobody"},
      {a + "[[backend]]\nname = 'n'\nnet = 'none'\nconnect = 'a'", "lab:8:7: a backend without a network"},
      {a + "[[backend]]\nname = 'n'\nnet = 'usr'\nconnect = 'a'", "lab:8:7: "},
      {a + "[[backend]]\nname = 'n'\nnet = 'user'\nconnect = 'a'\nhost-access = 1",
       "lab:10:15: host-access has to be true"},
      {a + "[[backend]]\nname = 'n'\nnet = 'user'\nconnect = 'a'\nhostfwd = ['80']", "lab:10:12: "},
      {a + "[[backend]]\nname = 'n'\nnet = 'tap'\nconnect = 'a'",
       "lab:7:8: what is behind 'n' keeps the wall clock's time"},
      {a + "[[backend]]\nname = 'n'\nnet = 'tap'\nconnect = 'a'\nhostfwd = 'x'",
       "lab:6:1: hostfwd and host-access are of"},
      {a + "[[switch]]\nname = 's'\n[[backend]]\nname = 'n'\nnet = 'user'\nconnect = 's'\n"
           "[[backend]]\nname = 'm'\nnet = 'user'\nconnect = 's'",
       "a second net = \"user\" beside '"},
      {a + "[[peer]]\nconnect = 'a'", "lab:6:1: this peer has no kind"},
      {a + "[[peer]]\nkind = 'ecko'\nconnect = 'a'", "lab:7:8: "},
      {a + "[[peer]]\nkind = 'echo'", "lab:6:1: this peer is connected to nobody"},
      {a + "[[peer]]\nkind = 'echo'\nconnect = 'a'\nprot = 5", "lab:7:8: "},
      {a + "[[peer]]\nkind = 'http'\nconnect = 'a'\ndir = 'nowhere'", "lab:7:8: "},
      {a + "[[peer]]\nkind = 'echo'\nconnect = 'a'\n[[assert]]\npeer = 'a'\nsuccess = true",
       "lab:10:8: 'a' is a board, no peer"},
      {a + "[[peer]]\nkind = 'echo'\nconnect = 'a'\n[[assert]]\npeer = 'echo'", "lab:9:1: this assert says nothing"},
  };
  for (const auto& [text, expected] : mistakes) {
    const std::string message = said(text);
    EXPECT_NE(message.find(expected), std::string::npos) << text << "\nsaid: " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  EXPECT_EQ(said(a + board("b", "connect = 'a'")), "");
}

TEST_F(LabFile, FirmwareIsLookedForBesideTheFile) {
  const std::string relative = std::filesystem::relative(hello, std::filesystem::temp_directory_path()).string();
  EXPECT_EQ(said("[[board]]\nname = 'a'\nboard = 'mega-enc28j60'\nfirmware = '" + relative + "'"), "");
}

}  // namespace
}  // namespace avrlan::lab
