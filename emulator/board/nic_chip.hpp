#pragma once
// The Ethernet chips that a board can have, by the name in Board::nic.

#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "emulator/board/board.hpp"
#include "nic-model/core/bus_device.hpp"
#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/nic.hpp"
#include "nic-model/core/scheduler.hpp"
#include "nic-model/core/spi_device.hpp"
#include "nic-model/core/wire.hpp"
#include "nic-model/enc28j60/enc28j60.hpp"
#include "nic-model/rtl8019as/rtl8019as.hpp"

namespace avrlan {

struct NicKind {
  std::string_view name;
  std::string_view summary;  // one line for `avrlan nics`
};

std::span<const NicKind> nic_kinds();

// What a run can choose of the chip that its board has. Each chip takes its own.
struct NicOptions {
  Enc28j60Options enc28j60;
  Rtl8019asErrata rtl8019as;
};

// `bus` is the same object, by the bus that it sits on.
struct NicChip {
  std::unique_ptr<Nic> nic;
  std::variant<SpiDevice*, BusDevice*> bus;
};

// The board's. Throws UsageError: its name is none of nic_kinds(). The references must outlive the chip.
NicChip make_nic(const Board& board, Scheduler& scheduler, Wire& wire, DiagnosticSink& diagnostics,
                 const NicOptions& options = {});

}  // namespace avrlan
