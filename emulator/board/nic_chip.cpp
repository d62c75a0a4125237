#include "emulator/board/nic_chip.hpp"

#include <fmt/format.h>

#include "emulator/board/host_error.hpp"

namespace avrlan {

std::span<const NicKind> nic_kinds() {
  static constexpr NicKind kinds[] = {{"enc28j60", "Microchip ENC28J60, SPI, 10BASE-T, 8 KiB packet buffer"}};
  return kinds;
}

NicChip make_nic(std::string_view kind, Scheduler& scheduler, Wire& wire, DiagnosticSink& diagnostics,
                 const NicOptions& options) {
  if (kind == "enc28j60") {
    auto chip = std::make_unique<Enc28j60>(scheduler, wire, diagnostics, options.enc28j60);
    SpiDevice* const spi = chip.get();
    return {std::move(chip), spi};
  }
  throw UsageError(fmt::format("there is no chip '{}'", kind), "`avrlan nics` lists those that there are");
}

}  // namespace avrlan
