#pragma once
// Errata of the ENC28J60 by their number in DS80349C, as switches with names.

#include <cstdint>
#include <span>
#include <string_view>

namespace avrlan {

// Each affects all of B1, B4, B5 and B7 unless it says otherwise. Off: as the data sheet has it. Those that silicon shows
// "sometimes" or "with some partners" are off unless asked for.
struct Enc28j60Errata {
  bool clkrdy_survives_reset = true;        // 2: SRC leaves CLKRDY set although the PHY stands still for a millisecond
  bool clkout_stops_in_power_save = true;   // 4
  bool receive_start_lost = false;          // 5: ERXST or ERXND written: the write pointer becomes 0, not ERXST
  bool pktif_reads_zero = false;            // 6: EIR.PKTIF as read does not show what EPKTCNT and INT do
  bool transmit_abort_stalls = true;        // 12: half duplex: after an abort nothing is sent until TXRST
  unsigned link_pulse_collision_every = 0;  // 13: half duplex, B5 and B7: every so many frames a false late collision
  bool even_erxrdpt_corrupts = true;        // 14
  bool latecol_unreliable = true;           // 15: ESTAT.LATECOL stays clear, the status vector tells
  bool checksum_aborts_reception = true;    // 17
  bool reset_ignored_in_power_save = true;  // 19: SRC
};

namespace enc28j60 {

// What EREVID reads.
struct Revision {
  std::string_view name;
  std::uint8_t erevid;
};
inline constexpr Revision revisions[] = {{"B1", 0x02}, {"B4", 0x04}, {"B5", 0x05}, {"B7", 0x06}};

struct Erratum {
  unsigned number;
  std::string_view name;
  bool Enc28j60Errata::*flag;       // nullptr: the erratum has a count,
  unsigned Enc28j60Errata::*every;  // which is 0 when off
  std::string_view summary;
  std::uint8_t first_erevid = 0x02;  // the first revision that has it
};

inline constexpr Erratum errata[] = {
    {2, "clkrdy-survives-reset", &Enc28j60Errata::clkrdy_survives_reset, nullptr,
     "CLKRDY stays set over a reset command"},
    {4, "clkout-stops-in-power-save", &Enc28j60Errata::clkout_stops_in_power_save, nullptr, "no CLKOUT in power save"},
    {5, "receive-start-lost", &Enc28j60Errata::receive_start_lost, nullptr,
     "the receiver starts at 0 whatever ERXST is"},
    {6, "pktif-reads-zero", &Enc28j60Errata::pktif_reads_zero, nullptr, "EIR.PKTIF does not show a waiting packet"},
    {12, "transmit-abort-stalls", &Enc28j60Errata::transmit_abort_stalls, nullptr,
     "half duplex: no transmission after an aborted one until TXRST"},
    {13, "link-pulse-collision-every", nullptr, &Enc28j60Errata::link_pulse_collision_every,
     "half duplex: every so many frames a false late collision", 0x05},
    {14, "even-erxrdpt-corrupts", &Enc28j60Errata::even_erxrdpt_corrupts, nullptr,
     "packets may be overwritten while ERXRDPT is even"},
    {15, "latecol-unreliable", &Enc28j60Errata::latecol_unreliable, nullptr, "ESTAT.LATECOL does not tell"},
    {17, "checksum-aborts-reception", &Enc28j60Errata::checksum_aborts_reception, nullptr,
     "a DMA checksum loses the frame that is coming in"},
    {19, "reset-ignored-in-power-save", &Enc28j60Errata::reset_ignored_in_power_save, nullptr,
     "no reset command in power save"},
};

}  // namespace enc28j60
}  // namespace avrlan
