#pragma once
// What the ENC28J60 model can say of a driver. Sections are those of DS39662E, errata those of DS80349C.

#include <span>

#include "nic-model/core/diagnostics.hpp"

namespace avrlan::enc28j60 {

inline constexpr DiagnosticKind diagnostic_kinds[] = {
    {"enc28j60-bit-field-on-mac", Severity::note, "a MAC or MII register changed by BFS or BFC (4.2.5)"},
    {"enc28j60-checksum-while-receiving", Severity::warning, "a DMA checksum lost a received frame (erratum 17)"},
    {"enc28j60-clock-not-ready", Severity::warning, "MAC, MII or PHY used before ESTAT.CLKRDY (2.2)"},
    {"enc28j60-dma-never-ends", Severity::warning, "a DMA range that the source pointer cannot end at (13.0)"},
    {"enc28j60-duplex-mismatch", Severity::warning, "MACON3.FULDPX and PHCON1.PDPXMD differ (6.6)"},
    {"enc28j60-eth-read-with-dummy", Severity::warning,
     "two bytes clocked from an ETH register: the wrong bank? (4.2.1)"},
    {"enc28j60-mac-read-without-dummy", Severity::warning, "one byte clocked from a MAC or MII register (4.2.1)"},
    {"enc28j60-mii-busy", Severity::warning, "a PHY access begun, or its result read, while MISTAT.BUSY was set (3.3)"},
    {"enc28j60-no-register", Severity::note, "an access where the selected bank has no register (table 3-1)"},
    {"enc28j60-overflow", Severity::note, "a frame lost for want of room or because EPKTCNT was 255 (12.1.2)"},
    {"enc28j60-overflow-unserviced", Severity::note, "another loss while EIR.RXERIF was still set (12.1.2)"},
    {"enc28j60-packet-count-not-read", Severity::warning, "packets taken without ever reading EPKTCNT (erratum 6)"},
    {"enc28j60-pktdec-at-zero", Severity::warning, "ECON2.PKTDEC set with EPKTCNT at 0 (7.2.4)"},
    {"enc28j60-read-only", Severity::warning, "a write to a read-only register (table 3-2)"},
    {"enc28j60-read-past-packet", Severity::warning,
     "a read that went on past a packet, or where none has arrived (7.2.2)"},
    {"enc28j60-read-unwritten", Severity::warning, "buffer memory read that was never written (11.1)"},
    {"enc28j60-reserved-address", Severity::warning, "an access to address 1Ah (3.1)"},
    {"enc28j60-reserved-bits", Severity::note, "reserved bits written (tables 3-2 and 3-3)"},
    {"enc28j60-reset-asleep", Severity::warning, "a reset command in power save, which is not heard (erratum 19)"},
    {"enc28j60-rx-pointer-even", Severity::warning, "an even ERXRDPT (erratum 14)"},
    {"enc28j60-rx-pointer-outside", Severity::warning, "ERXRDPT outside the receive buffer (3.2.1)"},
    {"enc28j60-rx-start-not-zero", Severity::note, "a receive buffer that does not begin at 0 (erratum 5)"},
    {"enc28j60-sleep-while-transmitting", Severity::warning, "ECON2.PWRSV set during a transmission (14.0)"},
    {"enc28j60-too-soon-after-reset", Severity::warning, "MAC, MII or PHY used within 1 ms of a reset (erratum 2)"},
    {"enc28j60-transmit-area-in-receive-buffer", Severity::warning,
     "frame to send or its status vector inside the receive buffer (3.2.2, 7.1)"},
    {"enc28j60-transmit-buffer-changed", Severity::warning, "the frame being sent was written to (7.1)"},
    {"enc28j60-transmit-busy", Severity::warning, "ECON1.TXRTS set while a transmission was under way (7.1)"},
    {"enc28j60-transmitter-stalled", Severity::warning,
     "a transmission requested of a stalled transmitter (erratum 12)"},
    {"enc28j60-unknown-command", Severity::warning, "a first byte that is no command (table 4-1)"},
};

}  // namespace avrlan::enc28j60
