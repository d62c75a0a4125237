#include <gtest/gtest.h>

#include <cmath>

#include "tests/accuracy/machine/plain_simavr.hpp"
#include "tests/accuracy/machine/usart_bench.hpp"

namespace avrlan::testing {
namespace {

constexpr std::uint8_t RXC = 0x80;
constexpr std::uint8_t TXC = 0x40;
constexpr std::uint8_t UDRE = 0x20;
constexpr std::uint8_t FE = 0x10;
constexpr std::uint8_t DOR = 0x08;
constexpr std::uint8_t UPE = 0x04;
constexpr std::uint8_t MPCM = 0x01;
constexpr std::uint8_t RXCIE_RXEN = 0x90;
constexpr std::uint8_t TXEN = 0x08;

class Uart : public ::testing::TestWithParam<const char*> {
 protected:
  std::string mcu() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Mcus, Uart, ::testing::Values("atmega328p", "atmega2560"),
                         [](const auto& test) { return std::string{test.param}; });

// 5 to 9 data bits, with and without parity, one and two stop bits, both speeds.
std::vector<UsartSetting> every_format() {
  std::vector<UsartSetting> all;
  for (const bool u2x : {false, true}) {
    for (int data_bits = 5; data_bits <= 9; ++data_bits) {
      for (const char parity : {'N', 'E', 'O'}) {
        for (const int stop_bits : {1, 2}) all.push_back({u2x ? 25u : 7u, u2x, data_bits, parity, stop_bits, 0, 0, 0});
      }
    }
  }
  return all;
}

// Datasheet, "Double Buffering": written at once, the second frame follows the first without a gap, and the third is
// ignored. A frame begins with a clock of the transmitter.
TEST_P(Uart, FramesTakeTheirBitsFromTheTransmittersClockOn) {
  for (UsartSetting setting : every_format()) {
    setting.ucsrb = TXEN;
    UsartBench bench("usart_send", mcu(), setting, {0x1a5, 0x05a, 0x133});
    const Cycles stored = bench.run_past_setting("first_stored");
    const Cycles frame{setting.bits() * setting.bit_time()};
    bench.run_to("late_stored");
    const Cycles late = bench.machine.cycle();
    bench.run_to_end();

    const Cycles start = bench.clock_after(stored, setting.samples());
    const auto masked = [&](unsigned data) { return static_cast<std::uint16_t>(data & setting.mask()); };
    const Cycles late_start = bench.clock_after(late, setting.samples());
    const std::uint16_t ninth = 0x100;  // TXB8 has stayed as the third frame had it
    EXPECT_EQ(bench.sent, (std::vector<UsartBench::Sent>{{masked(0x1a5), start + frame},
                                                         {masked(0x05a), start + frame + frame},
                                                         {masked(ninth | 0x33), late_start + frame}}))
        << setting.name();
  }
}

TEST_P(Uart, TheSlowestAndTheFastestRate) {
  for (const auto& [ubrr, u2x] : {std::pair{4095u, false}, std::pair{0u, true}}) {
    UsartSetting setting{ubrr, u2x, 8, 'N', 1, 0, TXEN, 0};
    UsartBench bench("usart_send", mcu(), setting, {0xa5, 0x5a, 0x33});
    const Cycles stored = bench.run_past_setting("first_stored");
    bench.run_until([&] { return !bench.sent.empty(); });
    EXPECT_EQ(bench.sent[0].cycle, bench.clock_after(stored, setting.samples()) + Cycles{10 * setting.bit_time()});
  }
}

// 9600 baud at 16 MHz is UBRR 103: 16640 cycles for ten bits. simavr tells of the byte when it is written, and is ready
// after eleven.
TEST_P(Uart, PlainSimavrSendsInNoTimeAndThenTakesElevenBits) {
  PlainSimavr plain("usart_" + mcu(), mcu());
  const Cycles start = plain.run_to("frame_8n1");
  const Cycles done = plain.run_until([&] { return (plain.peek(0xc0) & TXC) != 0; });
  EXPECT_EQ(plain.last_sent(), start);
  EXPECT_NEAR(static_cast<double>((done - start).count), 11 * 1664, 10);
}

TEST_P(Uart, UdreTellsOfTheBufferAndTxcOfTheEnd) {
  const UsartSetting setting{7, false, 8, 'N', 1, 0, TXEN, 0};
  UsartBench bench("usart_send", mcu(), setting, {0x11, 0x22, 0x33});
  const auto flags = [&] { return bench.ucsra() & (TXC | UDRE); };
  bench.run_past_setting("first_stored");
  EXPECT_EQ(flags(), UDRE) << "the shift register was free";
  bench.run_to("second_stored");
  EXPECT_EQ(flags(), 0) << "the buffer is full";
  bench.run_until([&] { return bench.sent.size() == 1; });
  EXPECT_EQ(flags(), UDRE) << "the buffer has moved on";
  bench.run_until([&] { return bench.sent.size() == 2; });
  EXPECT_EQ(flags(), TXC | UDRE);
  bench.run_to("late_stored");
  EXPECT_EQ(flags(), UDRE) << "TXC is cleared by a one";
}

// simavr's pull request 408: "... the Arduino looses all the characters sent with TX disabled, save for the last one".
TEST_P(Uart, WhatIsWrittenLastBeforeTxenIsSentWithTxen) {
  Bench bench("usart_" + mcu(), mcu());
  std::vector<std::uint16_t> sent;
  bench.run_to("early");
  bench.machine.on_uart([&](std::uint16_t data) { sent.push_back(data); });
  bench.run_to("enabled");
  EXPECT_EQ(sent, std::vector<std::uint16_t>{}) << "not enabled";
  EXPECT_EQ(bench.machine.peek(0xc0) & UDRE, UDRE);
  bench.run_to("disabled");
  bench.run_to("disabled_end");
  // Disabling waits for the frame and for the buffer.
  EXPECT_EQ(sent, (std::vector<std::uint16_t>{0x22, 0x11, 0x22}));
}

// A store to UBRRL loads the counter: the tick under way is put off, the ticks before it count.
TEST_P(Uart, StoringUbrrlPutsOffTheTickUnderWay) {
  Bench bench("usart_" + mcu(), mcu());
  Cycles end{};
  bench.machine.on_uart([&](std::uint16_t) { end = bench.cycle_of(bench.scheduler.now()); });
  constexpr std::int64_t period = 200;
  const Cycles loaded = bench.run_to("rate_set");
  const Cycles stored = bench.run_to("rate_stored");
  const Cycles again = bench.run_to("rate_again");
  ASSERT_GT((again - loaded).count % period, 0);
  bench.run_to("rate_end");
  // From `loaded` on there is a tick every 200 cycles; the 160 of ten bits begin at one of them that is a clock. The test
  // does not know which, but the frame would have ended 160 ticks after it.
  const std::int64_t put_off = (again - loaded).count % period;
  const std::int64_t since_loaded = (end - loaded).count;
  EXPECT_EQ((since_loaded - put_off) % period, 0);
  EXPECT_GT((end - stored).count, 160 * period + put_off);
  EXPECT_LE((end - stored).count, 176 * period + put_off);
}

// The bits to come are of the new format, at the new speed.
TEST_P(Uart, SettingsThatChangeWithinAFrameApplyToItsRest) {
  Bench bench("usart_" + mcu(), mcu());
  std::vector<Cycles> ends;
  bench.run_to("rate_again");
  bench.machine.on_uart([&](std::uint16_t) { ends.push_back(bench.cycle_of(bench.scheduler.now())); });
  const Cycles format_stored = bench.run_to("format_stored");
  const Cycles speed_stored = bench.run_to("speed_stored");
  const Cycles doubled = bench.run_to("doubled");
  bench.run_to_end();
  ASSERT_EQ(ends.size(), 3U);
  // 200 cycles a tick; a frame ends with a clock of the transmitter, every 16 ticks, of which one begins the next.
  constexpr std::int64_t bit = 16 * 200;
  const auto clock_after = [](Cycles clock, Cycles after, std::int64_t step) {
    return clock + Cycles{((after - clock).count / step + 1) * step};
  };
  EXPECT_EQ(ends[1], clock_after(ends[0], format_stored, bit) + Cycles{12 * bit}) << "8E2 instead of 8N1";
  const Cycles start = clock_after(ends[1], speed_stored, bit);
  const std::int64_t begun = (doubled - start).count / bit + 1;
  EXPECT_EQ(ends[2], clock_after(start, doubled, bit / 2) + Cycles{(10 - begun) * bit / 2}) << "U2X";
}

struct Reception {
  Cycles edge;
  Cycles rxc;
};

Reception receive_one(UsartBench& bench, std::uint16_t data) {
  const std::size_t before = bench.received().size();
  const Reception reception{bench.machine.cycle(), {}};
  bench.machine.uart_receive(data);
  const Cycles rxc = bench.run_until([&] { return (bench.ucsra() & RXC) != 0; });
  bench.run_until([&] { return bench.received().size() > before; });
  return {reception.edge, rxc};
}

// Figures "Start Bit Sampling" and "Stop Bit Sampling and Next Start Bit Sampling": sample 1 is the first low one, and
// the frame is there with the last of the three samples in the middle of its first stop bit.
TEST_P(Uart, AFrameIsReceivedWithTheLastSampleOfItsStopBit) {
  for (UsartSetting setting : every_format()) {
    setting.ucsrb = RXCIE_RXEN;
    UsartBench bench("usart_receive", mcu(), setting);
    bench.run_past_setting("ready");
    const std::uint16_t frames[] = {0x0a5, 0x15a, 0x1ff, 0x000};
    for (const std::uint16_t frame : frames) {
      // Asleep, one cycle each, until the last stop bit is long over.
      for (std::int64_t i = 0; i < 2 * setting.bit_time() + 37; ++i) bench.step();
      const Reception reception = receive_one(bench, frame);
      const std::int64_t first = bench.ticks(reception.edge - Cycles{1}) + 1;
      const std::int64_t stop = (setting.bits() - setting.stop_bits) * setting.samples();
      EXPECT_EQ(reception.rxc, bench.tick_time(first + stop + (setting.u2x ? 5 : 9))) << setting.name();
      EXPECT_EQ(bench.received().back().data, frame & setting.mask()) << setting.name();
      EXPECT_EQ(bench.received().back().ucsra & (RXC | FE | DOR | UPE), RXC) << setting.name();
    }
  }
}

// Frames without a gap at the receiver's own rate.
TEST_P(Uart, FramesFollowEachOtherForEver) {
  UsartSetting setting{3, false, 8, 'E', 1, 0, RXCIE_RXEN, 0};
  UsartBench bench("usart_receive", mcu(), setting);
  bench.run_past_setting("ready");
  for (unsigned i = 0; i < 100; ++i) bench.machine.uart_receive(static_cast<std::uint16_t>(i * 7 & 0xff));
  bench.machine.run_until(bench.machine.now() + Duration::milliseconds(10));
  const auto received = bench.received();
  ASSERT_EQ(received.size(), 100U);
  for (unsigned i = 0; i < 100; ++i) {
    EXPECT_EQ(received[i].data, i * 7 & 0xff);
    EXPECT_EQ(received[i].ucsra & (FE | DOR | UPE), 0);
  }
}

// Datasheet, "Asynchronous Operational Range": D is the sum of data and parity bits.
struct Range {
  int d;
  bool u2x;
  double slow;  // percent, as the tables "Recommended Maximum Receiver Baud Rate Error" print Rslow and Rfast
  double fast;
};
constexpr Range ranges[] = {
    {5, false, 93.20, 106.67}, {6, false, 94.12, 105.79},  {7, false, 94.81, 105.11}, {8, false, 95.36, 104.58},
    {9, false, 95.81, 104.14}, {10, false, 96.17, 103.78}, {5, true, 94.12, 105.66},  {6, true, 94.92, 104.92},
    {7, true, 95.52, 104.35},  {8, true, 96.00, 103.90},   {9, true, 96.39, 103.53},  {10, true, 96.70, 103.23},
};

// Bursts of frames at `percent` of the set rate, each burst at another phase of the sampling. In how many bursts one of
// the first `counted` frames was wrong.
int wrong_bursts(const std::string& mcu, const Range& range, double percent, std::size_t counted) {
  UsartSetting setting{24, range.u2x, std::min(range.d, 9), range.d == 10 ? 'E' : 'N', 1, 0, RXCIE_RXEN, 0};
  const double rate = 16e6 / static_cast<double>(setting.bit_time()) * percent / 100;
  MachineOptions options;
  options.uart_baud = std::lround(rate);
  UsartBench bench("usart_receive", mcu, setting, {}, options);
  bench.run_past_setting("ready");
  int wrong = 0;
  for (int burst = 0; burst < 51; ++burst) {
    const std::size_t before = bench.received().size();
    // The last data bit is low, and the next start bit follows at once: the hardest neighbours for a stop bit.
    for (int frame = 0; frame < 3; ++frame) bench.machine.uart_receive(0);
    bench.machine.run_until(bench.clock.at(bench.machine.cycle() + Cycles{41 * setting.bit_time() + 1}));
    const auto received = bench.received();
    bool right = received.size() >= before + counted;
    for (std::size_t i = before; right && i < before + counted; ++i) {
      right = received[i].data == 0 && (received[i].ucsra & (FE | DOR | UPE)) == 0;
    }
    wrong += right ? 0 : 1;
  }
  return wrong;
}

TEST_P(Uart, TheRangeOfRatesIsTheDatasheets) {
  for (const Range& range : ranges) {
    const std::string name = "D = " + std::to_string(range.d) + (range.u2x ? " U2X" : "");
    EXPECT_EQ(wrong_bursts(mcu(), range, 100, 3), 0) << name;
    // The tables are rounded to a hundredth.
    EXPECT_EQ(wrong_bursts(mcu(), range, range.slow + 0.01, 3), 0) << name;
    EXPECT_EQ(wrong_bursts(mcu(), range, range.fast - 0.01, 1), 0) << name;
    EXPECT_GT(wrong_bursts(mcu(), range, range.fast + 0.1, 1), 0) << name;

    const double s = range.u2x ? 8 : 16;
    const double d = range.d;
    // Rslow counts on the first of the three samples, but their majority needs only the second.
    const double middle = range.u2x ? 5 : 9;
    EXPECT_GT(wrong_bursts(mcu(), range, 100 * (d + 1) * s / (s - 1 + d * s + middle) - 0.1, 3), 0) << name;
    // Rfast is that of one frame: when the next start bit is there at the third sample, it is found a sample late. So
    // frames without a gap may be as fast as has the start bit come with the third sample.
    EXPECT_EQ(wrong_bursts(mcu(), range, 100 * (d + 2) * s / ((d + 1) * s + middle + 1) - 0.01, 3), 0) << name;
  }
}

TEST_P(Uart, AWrongRateIsReadAsGarbageAndToldOf) {
  UsartSetting setting{51, false, 8, 'N', 1, 0, RXCIE_RXEN, 0};  // 19200 baud
  MachineOptions options;
  options.uart_baud = 9600;
  UsartBench bench("usart_receive", mcu(), setting, {}, options);
  bench.run_past_setting("ready");
  bench.machine.uart_receive(0x55);
  bench.machine.run_until(bench.machine.now() + Duration::milliseconds(5));
  // Each bit is read twice: 0 0 1 1 0 0 1 1 0 0 is the start bit, 01100110 (the lowest bit first), and a stop bit of 0 ...
  ASSERT_GE(bench.received().size(), 1U);
  EXPECT_EQ(bench.received()[0].data, 0x66);
  EXPECT_EQ(bench.received()[0].ucsra & FE, FE);
  EXPECT_EQ(bench.diagnostics.codes, std::vector<std::string>{"uart-baud"});
}

TEST_P(Uart, ARateWithinTheToleranceIsNotToldOf) {
  UsartSetting setting{16, true, 8, 'N', 1, 0, TXEN, 0};  // 117647 baud, 2.1 % too fast
  MachineOptions options;
  options.uart_baud = 115200;
  UsartBench bench("usart_send", mcu(), setting, {0x11, 0x22, 0x33}, options);
  bench.run_to_end();
  EXPECT_EQ(bench.diagnostics.codes, std::vector<std::string>{});
}

TEST_P(Uart, InMultiProcessorModeOnlyAddressesArrive) {
  UsartSetting setting{7, false, 9, 'N', 1, MPCM, RXCIE_RXEN, 0};
  UsartBench bench("usart_receive", mcu(), setting);
  bench.run_past_setting("ready");
  for (const unsigned frame : {0x0aau, 0x1bbu, 0x0ccu}) bench.machine.uart_receive(static_cast<std::uint16_t>(frame));
  bench.machine.run_until(bench.machine.now() + Duration::milliseconds(2));
  ASSERT_EQ(bench.received().size(), 1U);
  EXPECT_EQ(bench.received()[0].data, 0x1bb);
}

// Every part has its registers elsewhere: UBRRH shared with UCSRC, USART0 partly in extended I/O, only a USART1.
class UartOfEveryPart : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Mcus, UartOfEveryPart,
                         ::testing::Values("atmega8", "atmega32", "atmega128", "atmega168", "atmega644p", "atmega1284p",
                                           "atmega1280", "atmega32u4"),
                         [](const auto& test) { return std::string{test.param}; });

std::uint8_t ursel(const std::string& mcu) {
  return mcu == "atmega8" || mcu == "atmega32" ? 0x80 : 0;
}

TEST_P(UartOfEveryPart, SendsAndReceives) {
  const std::string mcu = GetParam();
  UsartSetting setting{25, false, 7, 'O', 2, 0, TXEN, ursel(mcu)};
  UsartBench sender("usart_send", mcu, setting, {0x25, 0x5a, 0x33});
  const Cycles stored = sender.run_past_setting("first_stored");
  sender.run_until([&] { return sender.sent.size() == 2; });
  const Cycles frame{11 * setting.bit_time()};
  const Cycles start = sender.clock_after(stored, 16);
  EXPECT_EQ(sender.sent, (std::vector<UsartBench::Sent>{{0x25, start + frame}, {0x5a, start + frame + frame}}));

  setting.ucsrb = RXCIE_RXEN;
  UsartBench receiver("usart_receive", mcu, setting);
  receiver.run_past_setting("ready");
  for (const std::uint16_t data : {std::uint16_t{0x11}, std::uint16_t{0x62}}) receiver.machine.uart_receive(data);
  receiver.machine.run_until(receiver.machine.now() + Duration::milliseconds(2));
  ASSERT_EQ(receiver.received().size(), 2U);
  EXPECT_EQ(receiver.received()[0].data, 0x11);
  EXPECT_EQ(receiver.received()[1].data, 0x62);
  EXPECT_EQ(receiver.received()[1].ucsra & (FE | DOR | UPE), 0);
}

// "... If the register location was read in previous system clock cycle, reading the register in the current clock cycle
// will return the UCSRC contents."
TEST(UartOfOlderParts, UcsrcIsReadBehindUbrrh) {
  for (const std::string mcu : {"atmega8", "atmega32"}) {
    Bench bench("usart_shared_" + mcu, mcu);
    bench.run_to_end();
    EXPECT_EQ(bench.reg(2), 0x0a) << "once";
    EXPECT_EQ(bench.reg(3), 0x0a) << "once, a cycle later";
    EXPECT_EQ(bench.reg(4), 0x0a) << "the first of two";
    EXPECT_EQ(bench.reg(5), 0xb6) << "the second";
    EXPECT_EQ(bench.reg(6), 0xb6) << "a third";
    EXPECT_EQ(bench.reg(7), 0xb6) << "IN behind LDS, which reads in its second cycle";
    EXPECT_EQ(bench.reg(8), 0x0a) << "LDS behind LDS is too late";
    EXPECT_EQ(bench.reg(9), 0x86) << "after a reset";
  }
}

TEST(UartsOfAPart, AreNamedByTheirNumbers) {
  UsartSetting setting;
  const auto numbers = [&](const std::string& mcu) { return UsartBench("usart_send", mcu, setting).machine.usarts(); };
  EXPECT_EQ(numbers("atmega328p"), std::vector<unsigned>{0});
  EXPECT_EQ(numbers("atmega32u4"), std::vector<unsigned>{1});
  EXPECT_EQ(numbers("atmega2560"), (std::vector<unsigned>{0, 1, 2, 3}));
  MachineOptions options;
  options.uart = 3;
  Bench bench("usart_third_atmega2560", "atmega2560", options);
  std::vector<std::uint16_t> sent;
  bench.machine.on_uart([&](std::uint16_t data) { sent.push_back(data); });
  std::vector<std::uint16_t> first;
  bench.machine.on_uart([&](std::uint16_t data) { first.push_back(data); }, 0);
  bench.run_to_end();
  EXPECT_EQ(sent, std::vector<std::uint16_t>{0x33});
  EXPECT_EQ(first, std::vector<std::uint16_t>{0x11});
  EXPECT_THROW(bench.machine.on_uart([](std::uint16_t) {}, 4), UsageError);
}

}  // namespace
}  // namespace avrlan::testing
