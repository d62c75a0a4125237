#pragma once
// What the RTL8019AS model can say of a driver. Sections are those of the DP8390D data sheet.

#include "nic-model/core/diagnostics.hpp"

namespace avrlan::rtl8019as {

inline constexpr DiagnosticKind diagnostic_kinds[] = {
    {"rtl8019as-asleep", Severity::warning, "a frame to send while CONFIG3.PWRDN or SLEEP was set"},
    {"rtl8019as-config-locked", Severity::warning, "CONFIG1 to 3 written without 9346CR.EEM 11b"},
    {"rtl8019as-data-port-idle", Severity::warning,
     "the data port used without a remote DMA, or past its byte count (9.0)"},
    {"rtl8019as-no-register", Severity::warning, "an access where the selected page has no register: the wrong page?"},
    {"rtl8019as-overflow", Severity::note, "a frame lost for want of room in the ring (7.0)"},
    {"rtl8019as-overflow-unserviced", Severity::note, "another loss while ISR.OVW was still set (7.0)"},
    {"rtl8019as-rd-zero", Severity::note, "CR written with RD2:0 000b, which is not allowed (10.3)"},
    {"rtl8019as-read-past-frame", Severity::warning,
     "a read of the ring that went on past a frame, or where none is (7.0)"},
    {"rtl8019as-read-unwritten", Severity::warning, "buffer memory read that was never written"},
    {"rtl8019as-remote-dma-cut-off", Severity::warning, "a remote DMA ended before its byte count (9.0)"},
    {"rtl8019as-ring-pointer-outside", Severity::warning, "BNRY or CURR outside PSTART..PSTOP (7.0)"},
    {"rtl8019as-ring-outside-memory", Severity::warning, "a receive ring that is none, or leaves the memory (7.0)"},
    {"rtl8019as-transmit-area", Severity::warning,
     "the frame to send lies in the receive ring or outside the memory (8.0)"},
    {"rtl8019as-transmit-buffer-changed", Severity::warning, "the frame was written to while it was sent (8.0)"},
    {"rtl8019as-transmit-busy", Severity::warning, "CR.TXP, TPSR or TBCR written while a frame was being sent (8.0)"},
    {"rtl8019as-transmit-size", Severity::warning, "a frame shorter than 60 octets or longer than 1,514 (4.0)"},
    {"rtl8019as-transmit-while-stopped", Severity::warning, "CR.TXP set while the chip is stopped (10.3)"},
    {"rtl8019as-word-transfer", Severity::warning, "DCR.WTS does not fit the width of the bus (10.3)"},
};

}  // namespace avrlan::rtl8019as
