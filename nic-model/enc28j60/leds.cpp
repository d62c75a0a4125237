// LEDA and LEDB, DS39662E 2.6 and register 2-2.

#include <utility>

#include "nic-model/enc28j60/enc28j60.hpp"

namespace avrlan {

using namespace enc28j60;

std::span<const std::string_view> Enc28j60::led_names() const {
  static constexpr std::string_view names[] = {"a", "b"};
  return names;
}

bool Enc28j60::led(Led which) const {
  const unsigned code = phy(Phy::PHLCON) >> (which == Led::a ? 8 : 4) & 0xF;
  const bool transmits = shows(Activity::transmit, code), receives = shows(Activity::receive, code);
  const bool full = is_set(Phy::PHCON1, PHCON1::PDPXMD);
  switch (code) {
    case 0x1:
      return transmits;
    case 0x2:
      return receives;
    case 0x3:
      return shows(Activity::collision, code);
    case 0x4:
      return link_up();
    case 0x5:
      return full;
    case 0x7:
      return transmits || receives;
    case 0x8:
    case 0xA:
    case 0xB:
      return true;
    case 0xC:
      return link_up() && !receives;
    case 0xD:
      return link_up() && !transmits && !receives;
    case 0xE:  // erratum 11: without the collisions that it should show, too
      return full;
    default:
      return false;
  }
}

// Under way, or over for less than the stretch length; codes from 1100b are always stretched.
bool Enc28j60::shows(Activity activity, unsigned code) const {
  const ActivityState& state = activities_[static_cast<std::size_t>(activity)];
  const bool stretched = code >= 0xC || is_set(Phy::PHLCON, PHLCON::STRCH);
  return state.under_way || (stretched && state.seen && scheduler_.now() < state.end + stretch_length());
}

Duration Enc28j60::stretch_length() const {
  constexpr Duration lengths[] = {Duration::milliseconds(40), Duration::milliseconds(73), Duration::milliseconds(139),
                                  Duration::milliseconds(40)};
  return lengths[(phy(Phy::PHLCON) & PHLCON::LFRQ) >> 2];
}

void Enc28j60::set_activity(Activity activity, bool under_way) {
  ActivityState& state = activities_[static_cast<std::size_t>(activity)];
  if (!under_way) {
    state.seen = true;
    state.end = scheduler_.now();
  }
  state.under_way = under_way;
  update_leds();
}

void Enc28j60::update_leds() {
  if (!led_changed_) return;
  for (const Led which : {Led::a, Led::b}) {
    const auto number = static_cast<std::size_t>(which);
    const bool lit = led(which);
    if (lit != std::exchange(leds_[number], lit)) led_changed_(number, lit);
  }
  // Look again when the next stretch is over.
  scheduler_.cancel(led_event_);
  Instant next = Instant::never();
  for (const ActivityState& state : activities_) {
    const Instant over = state.end + stretch_length();
    if (state.seen && over > scheduler_.now() && over < next) next = over;
  }
  if (!next.is_never()) {
    led_event_ = scheduler_.at(next, [this] {
      led_event_ = {};
      update_leds();
    });
  }
}

}  // namespace avrlan
