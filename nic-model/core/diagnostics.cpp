#include "nic-model/core/diagnostics.hpp"

#include <numeric>

namespace avrlan {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "?";
}

std::string_view to_string(DropReason reason) {
  switch (reason) {
    case DropReason::receiver_off:
      return "receiver-off";
    case DropReason::link_down:
      return "link-down";
    case DropReason::filtered:
      return "filtered";
    case DropReason::bad_fcs:
      return "bad-fcs";
    case DropReason::runt:
      return "runt";
    case DropReason::giant:
      return "giant";
    case DropReason::fifo_full:
      return "fifo-full";
    case DropReason::packet_count_limit:
      return "packet-count-limit";
    case DropReason::receive_aborted:
      return "receive-aborted";
    case DropReason::transmit_aborted:
      return "transmit-aborted";
    case DropReason::power_down:
      return "power-down";
    case DropReason::queue_full:
      return "queue-full";
    case DropReason::lost:
      return "lost";
    case DropReason::fragment_refused:
      return "fragment-refused";
    case DropReason::loopback_refused:
      return "loopback-refused";
    case DropReason::host_access_refused:
      return "host-access-refused";
    case DropReason::malformed:
      return "malformed";
    case DropReason::no_destination:
      return "no-destination";
    case DropReason::backend_full:
      return "backend-full";
    case DropReason::count_:
      break;
  }
  return "?";
}

std::uint64_t DropCounters::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

DropCounters& DropCounters::operator+=(const DropCounters& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  return *this;
}

}  // namespace avrlan
