// The stack's checksum in AVR assembly against its twin on the host.

#include <gtest/gtest.h>

#include <iostream>

#include "emulator/board/board.hpp"
#include "emulator/board/firmware.hpp"
#include "emulator/board/machine.hpp"
#include "stack/base/checksum.hpp"

namespace avrlan::test {
namespace {

TEST(Checksum, AssemblyGivesWhatTheHostGives) {
  Scheduler scheduler;
  Machine machine(find_board("uno-enc28j60"), Firmware::load_elf(AVRLAN_CLKOUT_DIR "/checksum.elf"), scheduler, {});
  std::vector<unsigned> sent;
  machine.on_uart([&](std::uint8_t octet) { sent.push_back(octet); });
  ASSERT_TRUE(machine.run_until(Instant::at(Duration::milliseconds(1000))));
  std::size_t at = 0;
  const auto next = [&] {
    at += 2;
    return at <= sent.size() ? sent[at - 2] << 8 | sent[at - 1] : ~0u;
  };
  std::vector<std::uint8_t> octets;
  for (std::uint16_t state = 1; octets.size() != 256;) {
    state = static_cast<std::uint16_t>(state * 25173u + 13849u);
    octets.push_back(static_cast<std::uint8_t>(state >> 8));
  }
  for (std::uint8_t n = 0; n != 254; n = static_cast<std::uint8_t>(n + 2)) {
    ASSERT_EQ(next(), tcpip::sum_add(octets.data(), n, n)) << int{n};
    ASSERT_EQ(next(), tcpip::sum_add(octets.data() + 1, n, 0xffff)) << int{n};
  }
  octets.assign(256, 0xff);
  EXPECT_EQ(next(), tcpip::sum_add(octets.data(), 254, 0xffff));
  const double cycles = next() / 240.0;
  RecordProperty("cycles_an_octet", std::to_string(cycles));
  std::cout << cycles << " cycles an octet\n";
  EXPECT_LE(cycles, 3.3);
}

}  // namespace
}  // namespace avrlan::test
