// Board ethernut1 under a firmware of its own: external RAM with its stack in it, the chip on the bus, INT5 by level, the
// crystal on timer 0.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "emulator/board/board.hpp"
#include "emulator/board/firmware.hpp"
#include "emulator/board/host_error.hpp"
#include "emulator/board/machine.hpp"
#include "emulator/peripherals/gpio.hpp"
#include "nic-model/rtl8019as/rtl8019as.hpp"

namespace avrlan::test {
namespace {

constexpr MacAddress mac{0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
constexpr MacAddress peer{0x02, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE};

std::vector<std::uint8_t> octets(const MacAddress& to, const MacAddress& from, std::size_t length) {
  std::vector<std::uint8_t> frame(to.begin(), to.end());
  frame.insert(frame.end(), from.begin(), from.end());
  for (std::size_t n = frame.size(); n < length; ++n) frame.push_back(static_cast<std::uint8_t>(n * 7));
  return frame;
}

class Ethernut1 : public testing::Test, protected DiagnosticSink, private FrameSink {
 protected:
  Ethernut1() {
    wire.connect(chip, chip, *this);
    machine.attach(chip, chip);
    machine.on_uart([this](std::uint16_t octet) { console.push_back(static_cast<std::uint8_t>(octet)); });
  }
  MachineOptions options() {
    MachineOptions options;
    options.diagnostics = this;
    return options;
  }
  std::optional<MachineEnd> run_to(Duration time) { return machine.run_until(Instant::at(time)); }

  Scheduler scheduler;
  Wire wire{scheduler};
  Rtl8019as chip{scheduler, wire, *this};
  const Firmware firmware = Firmware::load_elf(AVRLAN_CLKOUT_DIR "/ethernut1.elf");
  Machine machine{find_board("ethernut1"), firmware, scheduler, options()};
  std::vector<std::uint8_t> console;
  std::vector<std::string> told;
  std::vector<EthernetFrame> sent;

 private:
  void report(const Diagnostic& diagnostic) override { told.push_back(diagnostic.code + ": " + diagnostic.message); }
  void deliver(const EthernetFrame& frame) override { sent.push_back(frame); }
};

TEST_F(Ethernut1, SendsBackWhatItReceivesByInterrupt) {
  EXPECT_FALSE(run_to(Duration::milliseconds(100)));
  ASSERT_EQ(console.size(), 4u);
  // 128 / 32,768 s at 14.7456 MHz are 225 times 256 cycles.
  EXPECT_NEAR(console[0], 225, 2);
  EXPECT_EQ(console[1], 0x7F) << "SP";
  EXPECT_EQ(console[2], 0x50);
  EXPECT_EQ(console[3], 0x70);
  EXPECT_EQ(machine.peek(0x830A), 0x50) << "a debugger sees the chip, too";

  const std::size_t lengths[] = {60, 61, 300, 1514, 60, 1514, 1514, 700, 60, 1000};
  for (const std::size_t length : lengths) wire.from_network(EthernetFrame::with_fcs(octets(mac, peer, length)));
  const auto end = run_to(Duration::milliseconds(300));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, 7);
  EXPECT_FALSE(run_to(Duration::milliseconds(310)) == std::nullopt);
  scheduler.run_until(Instant::at(Duration::milliseconds(320)));
  ASSERT_EQ(sent.size(), std::size(lengths));
  for (std::size_t n = 0; n < sent.size(); ++n) {
    std::vector<std::uint8_t> expected = octets(mac, peer, lengths[n]);
    std::copy(peer.begin(), peer.end(), expected.begin());
    std::copy(mac.begin(), mac.end(), expected.begin() + 6);
    EXPECT_EQ(sent[n].octets, expected) << n;
  }
  EXPECT_EQ(machine.peek(0x2000), peer[0]) << "external RAM";
  machine.poke(0x2000, 0x5A);
  EXPECT_EQ(machine.peek(0x2000), 0x5A) << "which a debugger can write, too";
  EXPECT_TRUE(told.empty()) << told[0];
}

// Revision G: the MCU plays the EEPROM, and the chip's auto-load is what its pins say.
TEST_F(Ethernut1, HasTheEepromsPinsOnTheMcuWhereTheBoardSaysSo) {
  Board played = find_board("ethernut1");
  played.rtl8019as.eeprom = Rtl8019asOptions::Eeprom::external;
  played.nic_eesk = Pin{'C', 5};
  played.nic_eedo = Pin{'C', 6};
  played.nic_eemu = Pin{'C', 7};
  Scheduler time;
  Wire cable{time};
  Rtl8019as nic{time, cable, *this, played.rtl8019as};
  Machine board{played, firmware, time, {}};
  board.attach(nic, nic);
  int edges = 0;
  board.gpio().watch(*played.nic_eesk, [&](bool) { ++edges; });
  const auto load = [&] {
    nic.write(0x8300, 0xE1);  // CR: page 3
    nic.write(0x8301, 0x40);  // 9346CR: auto-load
    time.run_until(time.now() + Duration::milliseconds(3));
    nic.write(0x8300, 0xE1);
    return nic.read(0x8306);  // CONFIG3
  };
  board.gpio().drive(*played.nic_eedo, false);
  board.gpio().drive(*played.nic_eemu, false);
  EXPECT_TRUE(board.gpio().is_floating(*played.nic_eesk));
  EXPECT_EQ(load(), 0xFF) << "EEDO has a pull-up, and is not connected";
  EXPECT_EQ(edges, 0);
  board.gpio().drive(*played.nic_eemu, true);
  EXPECT_EQ(load(), 0x00);
  EXPECT_EQ(edges, 2 * 9 * 32) << "nine words of 32 clocks";
  board.gpio().drive(*played.nic_eedo, true);
  EXPECT_EQ(load(), 0xFF);
}

TEST_F(Ethernut1, NeedsAnEngineWithExternalMemory) {
  MachineOptions simavr;
  simavr.engine = EngineKind::simavr;
  EXPECT_THROW(Machine(find_board("ethernut1"), firmware, scheduler, simavr), UsageError);
}

}  // namespace
}  // namespace avrlan::test
