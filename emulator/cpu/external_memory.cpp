#include "emulator/cpu/external_memory.hpp"

namespace avrlan::cpu {

namespace {

constexpr std::uint16_t kMcucr128 = 0x55, kXmcra128 = 0x6D, kXmcrb128 = 0x6C;
constexpr std::uint16_t kXmcra2560 = 0x74, kXmcrb2560 = 0x75;

// XMM2:0 = n releases the n highest address lines; 7 releases all eight.
std::uint16_t address_mask(unsigned xmm) {
  const unsigned lines = xmm == 7 ? 8 : 16 - xmm;
  return static_cast<std::uint16_t>((1U << lines) - 1);
}

}  // namespace

ExternalBus external_bus(ExternalMemory kind, const std::uint8_t* data) {
  ExternalBus bus;
  unsigned srl = 0, xmm = 0;
  switch (kind) {
    case ExternalMemory::none:
      return bus;
    case ExternalMemory::mega128: {
      const unsigned mcucr = data[kMcucr128], xmcra = data[kXmcra128];
      bus.enabled = (mcucr & 0x80) != 0;
      bus.upper_waits = static_cast<std::uint8_t>((xmcra & 0x02) | (mcucr >> 6 & 1));
      bus.lower_waits = static_cast<std::uint8_t>(xmcra >> 2 & 3);
      srl = xmcra >> 4 & 7;
      xmm = data[kXmcrb128] & 7U;
      break;
    }
    case ExternalMemory::mega2560: {
      const unsigned xmcra = data[kXmcra2560];
      bus.enabled = (xmcra & 0x80) != 0;
      bus.upper_waits = static_cast<std::uint8_t>(xmcra >> 2 & 3);
      bus.lower_waits = static_cast<std::uint8_t>(xmcra & 3);
      srl = xmcra >> 4 & 7;
      xmm = data[kXmcrb2560] & 7U;
      break;
    }
  }
  bus.address_mask = address_mask(xmm);
  bus.upper_sector = static_cast<std::uint16_t>(srl * 0x2000);
  return bus;
}

bool controls_external_bus(ExternalMemory kind, std::uint16_t address) {
  switch (kind) {
    case ExternalMemory::mega128:
      return address == kMcucr128 || address == kXmcra128 || address == kXmcrb128;
    case ExternalMemory::mega2560:
      return address == kXmcra2560 || address == kXmcrb2560;
    case ExternalMemory::none:
      break;
  }
  return false;
}

}  // namespace avrlan::cpu
