#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

struct Part {
  const char* mcu;
  std::uint16_t spmcsr;
  std::uint32_t boot;  // byte address
  unsigned vector;     // of SPM_READY
  std::int64_t response;
  std::uint8_t fuses[3];
  int signature_1;  // -1: cannot be read
};

class Spm : public ::testing::TestWithParam<Part> {
 protected:
  Cycles over() {
    const Part& part = GetParam();
    return bench.run_to_address(part.boot + part.vector * 4) - Cycles{2 * part.response};
  }
  std::uint8_t spmcsr() const { return bench.machine.peek(GetParam().spmcsr); }
  Bench bench{std::string{"spm_"} + GetParam().mcu, GetParam().mcu};
};
INSTANTIATE_TEST_SUITE_P(Mcus, Spm,
                         ::testing::Values(Part{"atmega328p", 0x57, 0x7000, 25, 4, {0xff, 0xd9, 0xff}, 0x95},
                                           Part{"atmega168", 0x57, 0x3800, 25, 4, {0xff, 0xdf, 0xf9}, -1},
                                           Part{"atmega32", 0x57, 0x7000, 20, 4, {0xff, 0xc9, 0xff}, -1},
                                           Part{"atmega128", 0x68, 0x1e000, 34, 4, {0xff, 0xc9, 0xff}, -1},
                                           Part{"atmega2560", 0x57, 0x3e000, 40, 5, {0xff, 0xd9, 0xff}, 0x98}),
                         [](const auto& test) { return std::string{test.param.mcu}; });

constexpr std::uint8_t RWWSB = 0x40, PGERS = 0x02, SPMEN = 0x01, IVSEL = 0x02;
// The middle of the datasheets' 3.7 and 4.5 ms.
constexpr std::int64_t programming = 65'600;

TEST_P(Spm, OutsideTheBootSectionItDoesNothing) {
  const Cycles start = bench.run_to("outside_erase");
  EXPECT_EQ((bench.run_to("outside_erase_done") - start).count, 1);
  bench.run_to("outside_seen");
  EXPECT_EQ(bench.reg(19) & (RWWSB | SPMEN), 0);
  EXPECT_EQ(bench.diagnostics.codes, std::vector<std::string>{"spm-outside-boot-section"});
}

TEST_P(Spm, VectorsMoveWithinFourCyclesOfIvce) {
  bench.run_to("ivsel_late");
  EXPECT_EQ(bench.reg(18) & IVSEL, 0);
  bench.run_to("ivsel_in_time");
  EXPECT_EQ(bench.reg(18) & IVSEL, IVSEL);
}

TEST_P(Spm, AnEraseInTheRwwSectionLeavesTheCpuRunning) {
  const Cycles fill = bench.run_to("fill");
  EXPECT_EQ((bench.run_to("fill_done") - fill).count, 1);
  const Cycles start = bench.run_to("erase");
  EXPECT_EQ((bench.run_to("erase_done") - start).count, 1);
  bench.run_to("erasing");
  EXPECT_EQ(bench.reg(19), RWWSB | PGERS | SPMEN);
  bench.diagnostics.codes.clear();
  bench.run_to("read_busy");
  EXPECT_EQ(bench.reg(18), 0xff);
  EXPECT_EQ(bench.diagnostics.codes, std::vector<std::string>{"flash-read-while-busy"});
  bench.run_to("read_nrww");
  EXPECT_EQ(bench.reg(18), 0x00) << "the NOP at the start of the boot section";
  EXPECT_EQ((over() - start).count, 1 + programming);
  bench.run_to("still_closed");
  EXPECT_EQ(bench.reg(19) & (RWWSB | PGERS | SPMEN), RWWSB);
}

TEST_P(Spm, APageIsWrittenFromTheBuffer) {
  const Cycles start = bench.run_to("write");
  EXPECT_EQ((over() - start).count, 1 + programming);
  bench.run_to("enabled");
  EXPECT_EQ(bench.reg(19) & (RWWSB | SPMEN), 0);
  bench.run_to("value");
  EXPECT_EQ(bench.reg(18), 0x34) << "the first of two words";
  bench.run_to("value_2");
  EXPECT_EQ(bench.reg(18), 0x78) << "the one in time";
  bench.run_to("value_4");
  EXPECT_EQ(bench.reg(18), 0xff) << "not filled";
}

TEST_P(Spm, TheCpuIsHaltedWhileTheNrwwSectionIsProgrammed) {
  const Cycles start = bench.run_to("nrww");
  EXPECT_EQ((bench.run_to("nrww_done") - start).count, 1 + programming);
  bench.run_to("nrww_seen");
  EXPECT_EQ(bench.reg(19), 0);
}

TEST_P(Spm, FusesLockBitsAndSignatureAreReadWithinThreeCycles) {
  bench.run_to("low_fuse");
  EXPECT_EQ(bench.reg(18), GetParam().fuses[0]);
  bench.run_to("lock_bits");
  EXPECT_EQ(bench.reg(18), 0xff);
  bench.run_to("extended_fuse");
  EXPECT_EQ(bench.reg(18), GetParam().fuses[2]);
  bench.run_to("high_fuse");
  EXPECT_EQ(bench.reg(18), GetParam().fuses[1]);
  bench.run_to("high_fuse_late");
  EXPECT_EQ(bench.reg(18), bench.firmware.flash[3]);
  if (GetParam().signature_1 < 0) return;
  bench.run_to("signature");
  EXPECT_EQ(bench.reg(18), GetParam().signature_1);
}

TEST_P(Spm, AndTheEepromHoldEachOtherUp) {
  constexpr std::uint8_t EEPE = 0x02;
  bench.run_to("eeprom_blocked");
  EXPECT_EQ(bench.reg(20) & EEPE, 0);
  bench.run_to("spm_blocked");
  EXPECT_EQ(bench.reg(19) & (RWWSB | SPMEN), 0);
}

TEST_P(Spm, NothingExecutesInASectionThatIsProgrammed) {
  bench.run_to("closed");
  bench.diagnostics.codes.clear();
  const auto end = bench.run_to_end(Duration::microseconds(10));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->halt, cpu::Halt::crashed);
  EXPECT_EQ(bench.diagnostics.codes, std::vector<std::string>{"closed-flash"});
  EXPECT_EQ(bench.machine.pc(), 0U);
}

TEST_P(Spm, BootrstStartsInTheBootSection) {
  Firmware firmware = assembled(std::string{"spm_"} + GetParam().mcu);
  firmware.fuses.assign(std::begin(GetParam().fuses), std::end(GetParam().fuses));
  const bool in_extended = GetParam().mcu == std::string{"atmega168"};
  firmware.fuses[in_extended ? 2 : 1] &= 0xfe;
  Bench booted(firmware, board_with(GetParam().mcu));
  EXPECT_EQ(booted.machine.pc(), GetParam().boot);
}

}  // namespace
}  // namespace avrlan::testing
