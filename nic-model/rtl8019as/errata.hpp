#pragma once
// What sets one NE2000 apart from another, as switches with names. There is no published list of the RTL8019AS's errata;
// these are what National's data sheets warn of and what drivers guard against, and off until asked for.

#include <string_view>

namespace avrlan {

struct Rtl8019asErrata {
  bool overflow_stops_receiver = false;      // after OVW nothing is received until STP and STA
  bool stop_waits_for_remote_count = false;  // ISR.RST does not come while RBCR is not 0 (DP8390)
  bool next_page_one_late = false;           // the header's next page is one too far when a frame ends with its page

  friend bool operator==(const Rtl8019asErrata&, const Rtl8019asErrata&) = default;
};

namespace rtl8019as {

struct Erratum {
  std::string_view name;
  bool Rtl8019asErrata::*flag;
  std::string_view summary;
};

inline constexpr Erratum errata[] = {
    {"overflow-stops-receiver", &Rtl8019asErrata::overflow_stops_receiver,
     "after an overflow nothing is received until CR.STP and STA"},
    {"stop-waits-for-remote-count", &Rtl8019asErrata::stop_waits_for_remote_count,
     "ISR.RST does not come while RBCR is not 0"},
    {"next-page-one-late", &Rtl8019asErrata::next_page_one_late,
     "a header's next page is one too far after a frame that fills its last page"},
};

}  // namespace rtl8019as
}  // namespace avrlan
