#pragma once
// XMEM, the external memory interface: what its registers say. ATmega128 datasheet (2467) and ATmega640/1280/1281/2560/2561
// datasheet (2549), section "External Memory Interface".

#include <cstdint>

namespace avrlan::cpu {

enum class ExternalMemory : std::uint8_t {
  none,
  mega128,  // SRE and SRW10 in MCUCR (0x55), SRL, SRW0 and SRW11 in XMCRA (0x6D), XMM in XMCRB (0x6C)
  mega2560  // SRE, SRL, SRW1 and SRW0 in XMCRA (0x74), XMM in XMCRB (0x75); the AT90CAN128 too
};

struct ExternalBus {
  bool enabled = false;                 // SRE
  std::uint16_t address_mask = 0xFFFF;  // the address lines that are not released to port C (XMM)
  std::uint16_t upper_sector = 0;       // first address of the upper sector (SRL); 0: all is upper sector
  std::uint8_t lower_waits = 0;         // 0 to 3, as SRW01:00 says
  std::uint8_t upper_waits = 0;         // SRW11:10

  friend bool operator==(const ExternalBus&, const ExternalBus&) = default;
};

// From the registers as they stand in the data space.
ExternalBus external_bus(ExternalMemory kind, const std::uint8_t* data);
// Whether a write to this data address can change what external_bus says.
bool controls_external_bus(ExternalMemory kind, std::uint16_t address);

}  // namespace avrlan::cpu
