#pragma once

#include <cstdint>

namespace avrlan {

// A chip on an SPI bus. The bus decodes the chip select; the device sees only bytes that are meant for it.
class SpiDevice {
 public:
  virtual ~SpiDevice() = default;
  // Chip select falls.
  virtual void select() = 0;
  // One byte each way has been clocked completely; called at the instant of its last clock edge.
  // Returns the byte that was on MISO during those eight clocks.
  virtual std::uint8_t exchange(std::uint8_t mosi) = 0;
  // Chip select rises. A byte that was not complete is lost.
  virtual void deselect() = 0;
};

}  // namespace avrlan
