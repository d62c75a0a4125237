#pragma once
// What an SPI master finds at the other end of its bus: one device behind a chip select.
//
// The device understands SPI mode 0 (CPOL = CPHA = 0). In any other mode the two ends disagree about the sampling edge:
// each sees the other's byte one bit late or early, deterministically, and there is a diagnostic.

#include <cstdint>
#include <optional>

#include "emulator/peripherals/gpio.hpp"
#include "emulator/peripherals/mcu_context.hpp"
#include "nic-model/core/spi_device.hpp"

namespace avrlan::peripherals {

class SpiTarget {
 public:
  SpiTarget(const McuContext& mcu, Gpio& gpio) : mcu_(mcu), gpio_(gpio) {}
  SpiTarget(const SpiTarget&) = delete;
  SpiTarget& operator=(const SpiTarget&) = delete;

  // `select` is the pin on the device's chip select.
  void attach(SpiDevice& device, Pin select);

  bool selected() const { return selected_; }
  // By the instruction that is being executed.
  void byte_begins() {
    undisturbed_ = true;
    origin_ = mcu_.origin();
  }
  // Eight bits have been clocked, the first of them in bit 7; returns those on MISO, nothing when no device is selected
  // or chip select has moved since byte_begins().
  std::optional<std::uint8_t> exchange(std::uint8_t mosi, bool mode_0);

 private:
  void select_changed(bool high);
  std::uint8_t tell(std::uint8_t mosi, bool mode_0, std::uint8_t last);

  const McuContext& mcu_;
  Gpio& gpio_;
  SpiDevice* device_ = nullptr;
  bool selected_ = false;
  Origin origin_;            // of the byte under way
  bool undisturbed_ = true;  // select has not moved since the byte began
  std::uint8_t last_mosi_ = 0;
};

std::uint8_t reversed_bits(std::uint8_t value);

}  // namespace avrlan::peripherals
