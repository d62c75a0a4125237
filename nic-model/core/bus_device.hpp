#pragma once

#include <cstdint>

namespace avrlan {

// A chip on a parallel bus of eight data lines. The board decodes the chip select; the device sees only accesses that are
// meant for it, each at the scheduler's now().
class BusDevice {
 public:
  virtual ~BusDevice() = default;
  // `address` is what is on the address lines. A read may have side effects.
  virtual std::uint8_t read(std::uint16_t address) = 0;
  virtual void write(std::uint16_t address, std::uint8_t value) = 0;
  // What a read would give, without its side effects; for debuggers.
  virtual std::uint8_t peek(std::uint16_t address) const = 0;
};

}  // namespace avrlan
