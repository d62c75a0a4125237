// Buffer memory and its pointers, DS39662E 3.2 and 7.2.3.

#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/nic-model/enc28j60_bench.hpp"

namespace avrlan {
namespace {

using enc28j60::Reg;

class Enc28j60Buffer : public testing::Test {
 protected:
  Enc28j60Buffer() { bench.advance(Duration::milliseconds(1)); }
  Enc28j60Bench bench;
};

TEST_F(Enc28j60Buffer, StreamsInAndOutWithoutADummyByte) {
  Octets data(256);
  std::iota(data.begin(), data.end(), std::uint8_t{0});
  bench.write_buffer(0x0100, data);
  EXPECT_EQ(bench.read_pair(Reg::EWRPTL), 0x0200);
  EXPECT_EQ(bench.read_buffer(0x0100, 256), data);
  EXPECT_EQ(bench.read_pair(Reg::ERDPTL), 0x0200);
}

TEST_F(Enc28j60Buffer, ContinuesInTheNextCommandWhereItStopped) {
  bench.write_buffer(0x0100, {1, 2});
  bench.write_buffer({3, 4});
  EXPECT_EQ(bench.read_buffer(0x0100, 1), (Octets{1}));
  EXPECT_EQ(bench.read_buffer(3), (Octets{2, 3, 4}));
}

TEST_F(Enc28j60Buffer, StaysInPlaceWithoutAutoinc) {
  bench.write_buffer(0x0100, {1, 2, 3});
  bench.clear(Reg::ECON2, enc28j60::ECON2::AUTOINC);
  EXPECT_EQ(bench.read_buffer(0x0101, 3), (Octets{2, 2, 2}));
  EXPECT_EQ(bench.read_pair(Reg::ERDPTL), 0x0101);
  bench.write_buffer(0x0101, {8, 9});
  EXPECT_EQ(bench.read_pair(Reg::EWRPTL), 0x0101);
  EXPECT_EQ(bench.chip.buffer()[0x0101], 9);
  EXPECT_EQ(bench.chip.buffer()[0x0102], 3);
}

// 3.2.3: reading wraps at ERXND wherever the reader came from, writing at the end of memory only.
TEST_F(Enc28j60Buffer, ReadingWrapsAtErxndAndWritingDoesNot) {
  bench.write_pair(Reg::ERXSTL, 0x0100);
  bench.write_pair(Reg::ERXNDL, 0x01FF);
  bench.write_buffer(0x01FE, {1, 2, 3});
  EXPECT_EQ(bench.chip.buffer()[0x0200], 3);
  bench.write_buffer(0x0100, {7});
  EXPECT_EQ(bench.read_buffer(0x01FE, 3), (Octets{1, 2, 7}));
  EXPECT_EQ(bench.read_pair(Reg::ERDPTL), 0x0101);

  bench.write_buffer(0x00FF, {5});
  EXPECT_EQ(bench.read_buffer(0x00FF, 2), (Octets{5, 7})) << "from below it runs straight in";
}

TEST_F(Enc28j60Buffer, BothWrapAtTheEndOfMemory) {
  bench.write_pair(Reg::ERXSTL, 0x0100);
  bench.write_pair(Reg::ERXNDL, 0x01FF);
  bench.write_buffer(0x1FFF, {1, 2});
  EXPECT_EQ(bench.chip.buffer()[0x0000], 2);
  EXPECT_EQ(bench.read_pair(Reg::EWRPTL), 0x0001);
  EXPECT_EQ(bench.read_buffer(0x1FFF, 2), (Octets{1, 2}));
  EXPECT_EQ(bench.read_pair(Reg::ERDPTL), 0x0001);
}

TEST_F(Enc28j60Buffer, ErxrdptMovesWithItsHighByteOnly) {
  bench.write(Reg::ERXRDPTL, 0x33);
  EXPECT_EQ(bench.read_pair(Reg::ERXRDPTL), 0x05FA);
  bench.write(Reg::ERXRDPTH, 0x12);
  EXPECT_EQ(bench.read_pair(Reg::ERXRDPTL), 0x1233);
  bench.write(Reg::ERXRDPTH, 0x14);
  EXPECT_EQ(bench.read_pair(Reg::ERXRDPTL), 0x1433) << "the low byte is still held";
}

TEST_F(Enc28j60Buffer, OtherPointersMoveWithEachByte) {
  bench.write(Reg::ERDPTL, 0x33);
  EXPECT_EQ(bench.read_pair(Reg::ERDPTL), 0x0533);
}

// 11.1, 11.2: undefined after power-on (here: the same for the same seed), kept through a system reset.
TEST_F(Enc28j60Buffer, KeepsItsContentsThroughAReset) {
  bench.write_buffer(0x0300, {1, 2, 3});
  bench.spi({0xFF});
  EXPECT_EQ(bench.chip.buffer()[0x0301], 2);

  Enc28j60Bench same, other{{.memory_seed = 99}};
  EXPECT_TRUE(std::ranges::equal(same.chip.buffer(), Enc28j60Bench{}.chip.buffer()));
  EXPECT_FALSE(std::ranges::equal(same.chip.buffer(), other.chip.buffer()));
}

}  // namespace
}  // namespace avrlan
