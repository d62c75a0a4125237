#pragma once
// --chip-rev, --errata and --cable.

#include <string>
#include <string_view>
#include <vector>

#include "emulator/board/nic_chip.hpp"
#include "emulator/cli/simulation.hpp"

namespace avrlan {

// For a board's chip, one of nic_kinds(). `revision` is B1, B4, B5 or B7; B7 for a chip that is no ENC28J60. `errata` is
// NAME=on|off, NAME=N for those that come every so many times, or all=on|off, with commas between them; empty: as silicon
// mostly has them. Later ones win. Throws UsageError that lists the names.
NicOptions parse_nic_options(std::string_view chip, std::string_view revision, std::string_view errata);

// The other way round: what parse_nic_options() takes for the same options, every erratum named.
std::string revision_text(const Enc28j60Options& options);
std::string errata_text(const Enc28j60Options& options);
std::string errata_text(const Rtl8019asErrata& errata);

// --cable: in or out, from the start or at a time ("out,in@2s,out@3.5s"), separated by commas, by time. Throws UsageError.
std::vector<CableEvent> parse_cable(std::string_view text);

// "  4  clkout-stops-in-power-save  ..." a line, for --help.
std::string errata_help();

}  // namespace avrlan
