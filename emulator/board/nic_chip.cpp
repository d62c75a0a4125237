#include "emulator/board/nic_chip.hpp"

#include <fmt/format.h>

#include "emulator/board/host_error.hpp"

namespace avrlan {

std::span<const NicKind> nic_kinds() {
  static constexpr NicKind kinds[] = {
      {"enc28j60", "Microchip ENC28J60, SPI, 10BASE-T, 8 KiB packet buffer"},
      {"rtl8019as", "Realtek RTL8019AS, NE2000 on an 8-bit bus, 10BASE-T, 8 KiB of its 16 KiB packet buffer"}};
  return kinds;
}

NicChip make_nic(const Board& board, Scheduler& scheduler, Wire& wire, DiagnosticSink& diagnostics,
                 const NicOptions& options) {
  if (board.nic == "enc28j60") {
    auto chip = std::make_unique<Enc28j60>(scheduler, wire, diagnostics, options.enc28j60);
    SpiDevice* const spi = chip.get();
    return {std::move(chip), spi};
  }
  if (board.nic == "rtl8019as") {
    Rtl8019asOptions wired = board.rtl8019as;
    wired.errata = options.rtl8019as;
    auto chip = std::make_unique<Rtl8019as>(scheduler, wire, diagnostics, wired);
    BusDevice* const bus = chip.get();
    return {std::move(chip), bus};
  }
  throw UsageError(fmt::format("there is no chip '{}'", board.nic), "`avrlan nics` lists those that there are");
}

}  // namespace avrlan
