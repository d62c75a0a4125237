#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>

#include "tests/accuracy/machine/pin_trace.hpp"
#include "tests/accuracy/machine/usart_bench.hpp"

namespace avrlan::testing {
namespace {

constexpr std::uint8_t RXC = 0x80;
constexpr std::uint8_t FE = 0x10;
constexpr std::uint8_t DOR = 0x08;
constexpr std::uint8_t UPE = 0x04;
constexpr std::uint8_t MPCM = 0x01;
constexpr std::uint8_t RXCIE_RXEN = 0x90;
constexpr std::uint8_t RXEN = 0x10;
constexpr std::uint8_t TXEN = 0x08;
constexpr std::uint8_t UMSEL_SYNCHRONOUS = 0x40;
constexpr std::uint8_t UMSEL_SPI = 0xc0;
constexpr std::uint8_t UCPOL = 0x01;
constexpr std::uint8_t UCPHA = 0x02;
constexpr std::uint8_t UDORD = 0x04;

struct Pins {
  const char* mcu;
  Pin rxd, txd, xck, select;
};
constexpr Pins all_pins[] = {
    {"atmega328p", {'D', 0}, {'D', 1}, {'D', 4}, {'B', 2}},
    {"atmega2560", {'E', 0}, {'E', 1}, {'E', 2}, {'B', 0}},
};

class UartPins : public ::testing::TestWithParam<Pins> {
 protected:
  const Pins& pins() const { return GetParam(); }
  std::uint8_t xck_output() const { return static_cast<std::uint8_t>(1u << pins().xck.bit); }
};
INSTANTIATE_TEST_SUITE_P(Mcus, UartPins, ::testing::ValuesIn(all_pins),
                         [](const auto& test) { return std::string{test.param.mcu}; });

// Figure "Frame Formats": start bit, data from the lowest bit on, parity, stop bits.
std::vector<bool> frame_of(const UsartSetting& setting, unsigned data) {
  std::vector<bool> levels{false};
  for (int bit = 0; bit < setting.data_bits; ++bit) levels.push_back((data >> bit & 1) != 0);
  const bool odd = std::popcount(data & setting.mask()) % 2 != 0;
  if (setting.parity != 'N') levels.push_back(odd != (setting.parity == 'O'));
  for (int bit = 0; bit < setting.stop_bits; ++bit) levels.push_back(true);
  return levels;
}

std::vector<bool> operator+(std::vector<bool> a, const std::vector<bool>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_P(UartPins, EveryBitOfEveryFormatIsOnTxdAtItsCycle) {
  for (const bool u2x : {false, true}) {
    for (int data_bits = 5; data_bits <= 9; ++data_bits) {
      for (const char parity : {'N', 'E', 'O'}) {
        for (const int stop_bits : {1, 2}) {
          const UsartSetting setting{u2x ? 16u : 8u, u2x, data_bits, parity, stop_bits, 0, TXEN, 0};
          UsartBench bench("usart_send", pins().mcu, setting, {0x1a5, 0x05a, 0x133});
          PinTrace txd(bench, pins().txd);
          const Cycles stored = bench.run_past_setting("first_stored");
          txd.edges.clear();
          bench.run_to("late_stored");
          const Cycles start = bench.clock_after(stored, setting.samples());
          EXPECT_EQ(txd.edges,
                    edges_of(frame_of(setting, 0x1a5) + frame_of(setting, 0x05a), start, setting.bit_time(), true))
              << setting.name();
        }
      }
    }
  }
}

// The changes of one signal in a VCD file, times in picoseconds.
std::vector<std::pair<std::int64_t, bool>> changes_in(const std::filesystem::path& vcd) {
  std::ifstream file(vcd);
  std::vector<std::pair<std::int64_t, bool>> changes;
  std::int64_t now = 0;
  bool values = false;
  for (std::string line; std::getline(file, line);) {
    if (line.find("$dumpvars") != std::string::npos) values = true;
    if (line.starts_with('#')) now = std::stoll(line.substr(1));
    if (values && (line.starts_with('0') || line.starts_with('1'))) changes.emplace_back(now, line[0] == '1');
  }
  return changes;
}

// 115200 baud on 16 MHz, as near as it goes: a start bit, eight data bits and a stop bit of 136 cycles each.
TEST_P(UartPins, TheBitsAreInAVcdFile) {
  const UsartSetting setting{16, true, 8, 'N', 1, 0, TXEN, 0};
  const auto vcd = std::filesystem::path(::testing::TempDir()) / ("txd_" + std::to_string(::getpid()) + ".vcd");
  UsartBench bench("usart_send", pins().mcu, setting, {0x53, 0x0f, 0x00});
  bench.machine.trace_pins(vcd, {pins().txd});
  const Cycles stored = bench.run_past_setting("first_stored");
  bench.run_to("late_stored");
  bench.machine.flush_trace();

  const Cycles start = bench.clock_after(stored, 8);
  std::vector<std::pair<std::int64_t, bool>> expected;
  for (const Edge& edge : edges_of(frame_of(setting, 0x53) + frame_of(setting, 0x0f), start, 136, true)) {
    expected.emplace_back(edge.cycle * 62'500, edge.high);
  }
  auto changes = changes_in(vcd);
  std::erase_if(changes, [&](const auto& change) { return change.first < start.count * 62'500; });
  EXPECT_EQ(changes, expected);
  ASSERT_GE(bench.sent.size(), 2U);
  EXPECT_EQ(bench.sent[0].data, 0x53);
  EXPECT_EQ(bench.sent[0].cycle, start + Cycles{1360}) << "the byte lands with its stop bit";
  EXPECT_EQ(bench.sent[1].cycle, start + Cycles{2720});
  std::filesystem::remove(vcd);
}

TEST_P(UartPins, TxdIsThePortsAgainWhenTheTransmitterIsDone) {
  Bench bench(std::string{"usart_"} + pins().mcu, pins().mcu);
  auto& gpio = bench.machine.gpio();
  bench.run_to("early");
  EXPECT_FALSE(gpio.is_output(pins().txd));
  bench.run_to("enabled");
  bench.step();
  bench.step();
  EXPECT_TRUE(gpio.is_output(pins().txd)) << "whatever DDR says";
  EXPECT_TRUE(gpio.level(pins().txd)) << "idle";
  bench.run_to("disabled");
  EXPECT_TRUE(gpio.is_output(pins().txd)) << "two frames are still to be sent";
  bench.run_to("disabled_end");
  EXPECT_FALSE(gpio.is_output(pins().txd));
}

// Levels on RxD, one bit each, then idle; what has arrived.
std::vector<UsartBench::Received> received(UsartBench& bench, Pin rxd, const std::vector<bool>& levels) {
  bench.machine.gpio().drive(rxd, true);
  bench.run_past_setting("ready");
  drive(bench, rxd, levels, bench.machine.cycle() + Cycles{77}, bench.setting.bit_time());
  bench.machine.run_until(bench.machine.now() + Duration::milliseconds(3));
  return bench.received();
}

TEST_P(UartPins, ErrorsComeWithTheirFrame) {
  UsartSetting even{7, false, 8, 'E', 1, 0, RXCIE_RXEN, 0};
  UsartSetting odd = even;
  odd.parity = 'O';
  std::vector<bool> broken = frame_of(even, 0x35);
  broken.back() = false;
  UsartBench bench("usart_receive", pins().mcu, even);
  const auto frames = received(bench, pins().rxd,
                               frame_of(even, 0x35) + frame_of(odd, 0x35) + frame_of(even, 0x36) + broken +
                                   std::vector<bool>{true} + frame_of(even, 0x37));
  ASSERT_EQ(frames.size(), 5U);
  const std::uint8_t errors[] = {0, UPE, 0, FE, 0};
  const std::uint8_t data[] = {0x35, 0x35, 0x36, 0x35, 0x37};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(frames[i].ucsra & (RXC | FE | DOR | UPE), RXC | errors[i]) << i;
    EXPECT_EQ(frames[i].data, data[i]) << i;
  }
}

// The line is low for thirty bits.
TEST_P(UartPins, ABreakIsOneFrameOfZeroes) {
  UsartSetting setting{7, false, 8, 'N', 1, 0, RXCIE_RXEN, 0};
  UsartBench bench("usart_receive", pins().mcu, setting);
  const auto frames =
      received(bench, pins().rxd, std::vector<bool>(30, false) + std::vector<bool>{true} + frame_of(setting, 0x5a));
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].data, 0);
  EXPECT_EQ(frames[0].ucsra & FE, FE);
  EXPECT_EQ(frames[1].data, 0x5a);
  EXPECT_EQ(frames[1].ucsra & FE, 0);
}

// "If two or more of these three samples have logical high levels (the majority wins), the start bit is rejected as a noise
// spike": low for eight samples is noise, for nine a start bit.
TEST_P(UartPins, AShortLowIsNoStartBit) {
  for (const int samples : {1, 7, 8, 9}) {
    UsartSetting setting{7, false, 8, 'N', 1, 0, RXCIE_RXEN, 0};
    UsartBench bench("usart_receive", pins().mcu, setting);
    auto& gpio = bench.machine.gpio();
    gpio.drive(pins().rxd, true);
    bench.run_past_setting("ready");
    const Cycles tick = bench.tick_time(bench.ticks(bench.machine.cycle()) + 20);
    drive(bench, pins().rxd, {false, true}, tick, samples * setting.period());
    bench.machine.run_until(bench.machine.now() + Duration::milliseconds(1));
    EXPECT_EQ(bench.received().size(), samples == 9 ? 1U : 0U) << samples;
    if (samples == 9) {
      EXPECT_EQ(bench.received()[0].data, 0xff);
    }
  }
}

// "... then the first stop bit indicates if the frame contains data or address information."
TEST_P(UartPins, WithFewerThanNineBitsTheStopBitMarksAddresses) {
  UsartSetting setting{7, false, 7, 'N', 2, MPCM, RXCIE_RXEN, 0};
  std::vector<bool> data = frame_of(setting, 0x11);
  data[data.size() - 2] = false;
  UsartBench bench("usart_receive", pins().mcu, setting);
  const auto frames = received(bench, pins().rxd, data + frame_of(setting, 0x22) + data);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].data, 0x22);
}

// Synchronous: XCK runs all the time, a bit is one period, TxD changes with the rising edge (UCPOL = 0).
TEST_P(UartPins, AsASynchronousMasterTheUsartClocksItsBits) {
  for (const std::uint8_t polarity : {std::uint8_t{0}, UCPOL}) {
    UsartSetting setting{4, false, 8, 'O', 1, 0, TXEN | RXEN, static_cast<std::uint8_t>(UMSEL_SYNCHRONOUS | polarity)};
    setting.xck_ddr = xck_output();
    UsartBench bench("usart_loop", pins().mcu, setting, {0xa5, 0x3c});
    auto& gpio = bench.machine.gpio();
    PinTrace txd(bench, pins().txd);
    PinTrace xck(bench, pins().xck);
    gpio.drive(pins().rxd, true);
    gpio.watch(pins().txd, [&](bool high) { gpio.drive(pins().rxd, high); });
    bench.run_past_setting("send");
    txd.edges.clear();
    xck.edges.clear();
    const Cycles start = bench.clock_after(bench.run_to("first_stored"), 2);
    bench.run_to("received");
    const std::int64_t bit = 2 * setting.period();
    EXPECT_EQ(txd.edges, edges_of(frame_of(setting, 0xa5) + frame_of(setting, 0x3c), start, bit, true));
    ASSERT_GT(xck.edges.size(), 40U);
    for (const Edge& edge : xck.edges) {
      const std::int64_t into_bit = (edge.cycle - start.count) % bit;
      EXPECT_EQ((into_bit + bit) % bit, edge.high == (polarity == 0) ? 0 : setting.period());
    }
    EXPECT_EQ(bench.reg(3), 0xa5);
    EXPECT_EQ(bench.reg(5), 0x3c);
    EXPECT_EQ((bench.reg(2) | bench.reg(4)) & (FE | DOR | UPE), 0);
  }
}

// As a slave: nothing moves but with XCK.
TEST_P(UartPins, AsASynchronousSlaveTheUsartIsClockedFromOutside) {
  UsartSetting setting{4, false, 8, 'N', 1, 0, TXEN | RXEN, UMSEL_SYNCHRONOUS};
  UsartBench bench("usart_loop", pins().mcu, setting, {0xa5, 0x3c});
  auto& gpio = bench.machine.gpio();
  gpio.drive(pins().xck, false);
  gpio.drive(pins().rxd, true);
  bench.run_to("first_stored");
  bench.machine.run_until(bench.machine.now() + Duration::milliseconds(1));
  EXPECT_EQ(bench.sent.size(), 0U);
  bench.machine.uart_receive(0x96);
  bench.machine.uart_receive(0x0f);
  std::vector<bool> txd;
  for (int bit = 0; bit < 22; ++bit) {
    gpio.drive(pins().xck, true);
    bench.machine.run_until(bench.machine.now() + Duration::microseconds(3));
    txd.push_back(gpio.level(pins().txd));
    gpio.drive(pins().xck, false);
    bench.machine.run_until(bench.machine.now() + Duration::microseconds(3));
  }
  EXPECT_EQ(txd, frame_of(setting, 0xa5) + frame_of(setting, 0x3c) + std::vector<bool>(2, true));
  EXPECT_EQ(bench.reg(3), 0x96);
  EXPECT_EQ(bench.reg(5), 0x0f);
}

// Table "UCPOLn and UCPHAn Functionality", figure "UCPHAn and UCPOLn data transfer timing diagrams".
TEST_P(UartPins, InSpiModeBytesFollowEachOtherWithoutAGap) {
  for (const std::uint8_t mode : {std::uint8_t{0}, UCPHA, UCPOL, static_cast<std::uint8_t>(UCPOL | UCPHA)}) {
    for (const std::uint8_t order : {std::uint8_t{0}, UDORD}) {
      UsartSetting setting{3, false, 8, 'N', 1, 0, TXEN | RXEN, static_cast<std::uint8_t>(UMSEL_SPI | mode | order)};
      setting.xck_ddr = xck_output();
      Firmware program = with_setting(assembled(std::string{"usart_loop_"} + pins().mcu), setting, {0x6b, 0x93});
      // UCSZ is UDORD and UCPHA here.
      program.flash[label(program, "config") + 2] = setting.ucsrc;
      Bench bench(program, board_with(pins().mcu));
      auto& gpio = bench.machine.gpio();
      PinTrace txd(bench, pins().txd);
      PinTrace xck(bench, pins().xck);
      gpio.watch(pins().txd, [&](bool high) { gpio.drive(pins().rxd, high); });
      const Cycles loaded = bench.run_to("ubrrl_stored");
      bench.run_to("send");
      xck.edges.clear();
      txd.edges.clear();
      const Cycles stored = bench.run_to("first_stored");
      const std::int64_t ticks = loaded.count + (stored - loaded).count / setting.period();
      const Cycles start = loaded + Cycles{((ticks / 2 + 1) * 2 - loaded.count) * setting.period()};
      bench.run_to("received");
      std::vector<bool> bits;
      for (const unsigned byte : {0x6bu, 0x93u}) {
        for (int bit = 0; bit < 8; ++bit) bits.push_back((byte >> (order != 0 ? bit : 7 - bit) & 1) != 0);
      }
      bits.push_back(true);
      EXPECT_EQ(txd.edges, edges_of(bits, start, 2 * setting.period(), true));
      std::vector<bool> clock;
      const bool idle = (mode & UCPOL) != 0;
      for (int half = 0; half <= 32; ++half) {
        const bool active = half < 32 && (half % 2 != 0) != ((mode & UCPHA) != 0);
        clock.push_back(active != idle);
      }
      EXPECT_EQ(xck.edges, edges_of(clock, start, setting.period(), idle)) << int{mode};
      EXPECT_EQ(bench.reg(3), 0x6b) << int{mode};
      EXPECT_EQ(bench.reg(5), 0x93) << int{mode};
      EXPECT_EQ((bench.reg(2) | bench.reg(4)) & (FE | DOR | UPE), 0);
    }
  }
}

// A chip behind the USART: sixteen cycles a byte at UBRR = 0.
TEST_P(UartPins, AChipCanSitBehindAUsartInSpiMode) {
  UsartSetting setting{0, false, 8, 'N', 1, 0, TXEN | RXEN, UMSEL_SPI};
  setting.xck_ddr = xck_output();
  Firmware program = with_setting(assembled(std::string{"usart_loop_"} + pins().mcu), setting, {0x6b, 0x93});
  program.flash[label(program, "config") + 2] = UMSEL_SPI;
  Board board = board_with(pins().mcu);
  board.nic_usart = 0;
  Bench bench(program, board);
  ScriptedChip chip(bench.scheduler);
  chip.answers = {0x12, 0x34};
  bench.machine.attach(chip, chip);
  bench.machine.gpio().drive(pins().select, false);
  const Cycles stored = bench.run_to("first_stored");
  bench.run_to("received");
  EXPECT_EQ(bench.reg(3), 0x12);
  EXPECT_EQ(bench.reg(5), 0x34);
  ASSERT_EQ(chip.events.size(), 3U);
  EXPECT_EQ(chip.events[1].what, "6b");
  EXPECT_EQ(chip.events[2].what, "93");
  const std::int64_t start = (stored.count / 2 + 1) * 2;
  EXPECT_EQ(bench.cycle_of(chip.events[1].when).count, start + 16);
  EXPECT_EQ(bench.cycle_of(chip.events[2].when).count, start + 32);
}

}  // namespace
}  // namespace avrlan::testing
