#pragma once
// The levels of some pins, in a VCD file.

#include <filesystem>
#include <string>
#include <vector>

#include "emulator/board/board.hpp"
#include "emulator/board/vcd.hpp"
#include "emulator/peripherals/gpio.hpp"

namespace avrlan {

class PinTrace {
 public:
  // From now on. Throws HostError when the file cannot be written, UsageError when the MCU has no such pin. `scope`: see
  // Vcd. No pins: those of the board that are in use, and those of SPI and of the console.
  PinTrace(const std::filesystem::path& file, const std::string& scope, const Board& board, std::vector<Pin> pins,
           peripherals::Gpio& gpio, const Scheduler& scheduler);
  // Throws HostError.
  void flush() { vcd_.flush(scheduler_.now()); }

 private:
  peripherals::Gpio& gpio_;
  const Scheduler& scheduler_;
  const std::vector<Pin> pins_;
  Vcd vcd_;
};

}  // namespace avrlan
