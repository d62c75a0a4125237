#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"
#include "tests/accuracy/machine/plain_simavr.hpp"

namespace avrlan::testing {
namespace {

constexpr std::uint16_t UCSR0A = 0xc0;
constexpr std::uint8_t TXC = 0x40;
constexpr std::uint8_t UDRE = 0x20;
constexpr std::int64_t sts = 2;

class Uart : public ::testing::TestWithParam<const char*> {
 protected:
  struct Sent {
    std::uint8_t byte;
    Cycles cycle;
  };

  Uart() : bench(program(), GetParam()) {
    bench.machine.on_uart([this](std::uint8_t byte) { sent.push_back({byte, bench.cycle_of(bench.scheduler.now())}); });
  }
  static std::string program() { return std::string{"usart_"} + GetParam(); }

  Bench bench;
  std::vector<Sent> sent;
};
INSTANTIATE_TEST_SUITE_P(Mcus, Uart, ::testing::Values("atmega328p", "atmega2560"),
                         [](const auto& test) { return std::string{test.param}; });

struct Format {
  const char* label;
  std::int64_t bits;
  std::int64_t cycles_a_bit;
  std::uint8_t byte;  // what is left of 0xe5
};
constexpr Format formats[] = {
    {"frame_8n1", 10, 16 * 104, 0xe5}, {"frame_8n1_u2x", 10, 8 * 17, 0xe5}, {"frame_8n2", 11, 16 * 8, 0xe5},
    {"frame_7e1", 10, 16 * 8, 0x65},   {"frame_8o2", 12, 16 * 8, 0xe5},     {"frame_6n1", 8, 16 * 8, 0x25},
    {"frame_5n1", 7, 8, 0x05},         {"frame_9n1", 11, 16 * 8, 0xe5},     {"frame_slowest", 10, 16 * 4096, 0xe5},
};

TEST_P(Uart, AFrameTakesItsBitsAtTheProgrammedRate) {
  for (const auto& format : formats) {
    const Cycles start = bench.run_to(format.label) + Cycles{sts};
    sent.clear();
    bench.run_until([&] { return !sent.empty(); });
    EXPECT_EQ((sent.at(0).cycle - start).count, format.bits * format.cycles_a_bit) << format.label;
    EXPECT_EQ(sent.at(0).byte, format.byte) << format.label;
    EXPECT_EQ(bench.machine.peek(UCSR0A) & TXC, TXC) << format.label;
  }
}

// 9600 baud at 16 MHz is UBRR 103: 16640 cycles for ten bits. simavr tells of the byte when it is written, and is ready
// after eleven.
TEST_P(Uart, PlainSimavrSendsInNoTimeAndThenTakesElevenBits) {
  PlainSimavr plain(program(), GetParam());
  const Cycles start = plain.run_to("frame_8n1");
  const Cycles done = plain.run_until([&] { return (plain.peek(UCSR0A) & TXC) != 0; });
  EXPECT_EQ(plain.last_sent(), start);
  EXPECT_NEAR(static_cast<double>((done - start).count), 11 * 1664, 10);
}

TEST_P(Uart, ASecondByteWaitsInTheBufferAndAThirdIsLost) {
  constexpr std::int64_t frame = 10 * 16 * 8;
  const auto flags = [&] { return bench.machine.peek(UCSR0A) & (TXC | UDRE); };
  const Cycles start = bench.run_to("first") + Cycles{sts};
  sent.clear();
  bench.run_to("second");
  EXPECT_EQ(flags(), UDRE) << "the shift register was free";
  bench.run_to("third");
  EXPECT_EQ(flags(), 0) << "the buffer is full";
  bench.run_until([&] { return sent.size() == 1; });
  EXPECT_EQ(sent[0].byte, 0x11);
  EXPECT_EQ(sent[0].cycle, start + Cycles{frame});
  EXPECT_EQ(flags(), UDRE) << "the buffer has moved on";
  bench.run_until([&] { return sent.size() == 2; });
  EXPECT_EQ(sent[1].byte, 0x22);
  EXPECT_EQ(sent[1].cycle, start + Cycles{2 * frame});
  EXPECT_EQ(flags(), TXC | UDRE);
  bench.run_to_end();
  EXPECT_EQ(sent.size(), 2U);
}

}  // namespace
}  // namespace avrlan::testing
