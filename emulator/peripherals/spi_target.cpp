#include "emulator/peripherals/spi_target.hpp"

#include <utility>

namespace avrlan::peripherals {

void SpiTarget::attach(SpiDevice& device, Pin select) {
  device_ = &device;
  gpio_.watch(select, [this](bool high) { select_changed(high); });
  select_changed(gpio_.level(select));
}

void SpiTarget::select_changed(bool high) {
  if (high == !selected_) return;
  selected_ = !high;
  undisturbed_ = false;
  selected_ ? device_->select() : device_->deselect();
}

std::optional<std::uint8_t> SpiTarget::exchange(std::uint8_t mosi, bool mode_0) {
  const std::uint8_t last = std::exchange(last_mosi_, mosi);
  if (!selected_ || !undisturbed_) return std::nullopt;
  mcu_.act_for(origin_);
  const std::uint8_t miso = tell(mosi, mode_0, last);
  mcu_.act_for(std::nullopt);
  return miso;
}

std::uint8_t SpiTarget::tell(std::uint8_t mosi, bool mode_0, std::uint8_t last) {
  if (mode_0) return device_->exchange(mosi);
  if (mcu_.diagnostics != nullptr) {
    mcu_.diagnostics->report({Severity::warning, "spi-mode",
                              "The SPI clocks a byte in a mode other than 0 while the Ethernet chip is selected, which "
                              "shifts every byte by a bit; clear CPOL and CPHA in SPCR (UCPOL and UCPHA in UCSRC)."});
  }
  const std::uint8_t miso = device_->exchange(static_cast<std::uint8_t>((last & 1) << 7 | mosi >> 1));
  return static_cast<std::uint8_t>(miso << 1 | 1);
}

std::uint8_t reversed_bits(std::uint8_t value) {
  std::uint8_t result = 0;
  for (int bit = 0; bit < 8; ++bit) result = static_cast<std::uint8_t>(result << 1 | (value >> bit & 1));
  return result;
}

}  // namespace avrlan::peripherals
