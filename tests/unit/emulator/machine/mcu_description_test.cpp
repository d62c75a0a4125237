#include "emulator/board/mcu_description.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "emulator/board/machine.hpp"
#include "emulator/cpu/mcu.hpp"

namespace avrlan {
namespace {

McuDescription description_of(const std::string& mcu) {
  Board board = find_board("uno-enc28j60");
  board.mcu = mcu;
  Scheduler scheduler;
  return Machine(board, Firmware{}, scheduler).description();
}

ModelledBy model_of(const McuDescription& mcu, const std::string& name) {
  const auto found = std::find_if(mcu.peripherals.begin(), mcu.peripherals.end(),
                                  [&](const PeripheralDescription& peripheral) { return peripheral.name == name; });
  EXPECT_NE(found, mcu.peripherals.end()) << name;
  return found == mcu.peripherals.end() ? ModelledBy::none : found->model;
}

TEST(McuDescription, SaysWhatTheDatasheetSays) {
  const auto mega = description_of("atmega2560");
  EXPECT_EQ(mega.flash, 262'144u);
  EXPECT_EQ(mega.flash_page, 256u);
  EXPECT_EQ(mega.sram, 8'192u);
  EXPECT_EQ(mega.eeprom, 4'096u);
  EXPECT_EQ(mega.pc_bits, 17u);
  EXPECT_TRUE(mega.external_memory);
  EXPECT_EQ(mega.timers.size(), 6u);
  EXPECT_EQ(mega.usarts, "0123");
  EXPECT_EQ(mega.adc_channels, 16u);
  EXPECT_EQ(mega.external_interrupts.size(), 8u);
  EXPECT_EQ(mega.pin_change_interrupts, 24u);

  const auto small = description_of("atmega8");
  EXPECT_EQ(small.sram, 1'024u);
  EXPECT_EQ(small.pc_bits, 12u);
  EXPECT_FALSE(small.external_memory);
  EXPECT_EQ(small.timers[0].channels, 0u);
  EXPECT_TRUE(small.timers[2].asynchronous);
  EXPECT_EQ(small.pin_change_interrupts, 0u);
  EXPECT_TRUE(description_of("atmega128").timers[0].asynchronous);
}

TEST(McuDescription, SaysWhoseModelsTheyAre) {
  for (const auto& mcu : cpu::mcus()) {
    const auto about = description_of(std::string{mcu.name});
    for (const char* ours : {"ports", "external interrupts", "timer 0", "timer 1", "SPI"}) {
      EXPECT_EQ(model_of(about, ours), ModelledBy::ours) << mcu.name << " " << ours;
    }
    EXPECT_EQ(model_of(about, "TWI"), ModelledBy::simavr) << mcu.name;
  }
  const auto leonardo = description_of("atmega32u4");
  EXPECT_EQ(model_of(leonardo, "timer 4"), ModelledBy::none);
  EXPECT_EQ(model_of(leonardo, "USB"), ModelledBy::none);
  EXPECT_EQ(model_of(leonardo, "USART 1"), ModelledBy::ours);
}

}  // namespace
}  // namespace avrlan
