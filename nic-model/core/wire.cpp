#include "nic-model/core/wire.hpp"

#include <algorithm>
#include <utility>

namespace avrlan {

void Wire::connect(Nic& nic, FrameSink& to_nic, FrameSink& to_network) {
  nic_ = &nic;
  to_nic_ = &to_nic;
  to_network_ = &to_network;
}

void Wire::set_nic_gaps(Duration after_own, Duration after_other) {
  nic_end_.gap_after_own = after_own;
  nic_end_.gap_after_other = after_other;
}

void Wire::from_nic(EthernetFrame frame, Done done) {
  nic_end_.queue.push_back({std::move(frame), std::move(done)});
  try_start(nic_end_);
}

void Wire::abort_from_nic() {
  scheduler_.cancel(nic_end_.event);
  nic_end_.queue.clear();
  if (!nic_end_.sending) return;
  nic_end_.sending = false;
  nic_end_.last_end = scheduler_.now();
  try_start(network_end_);
}

void Wire::from_network(EthernetFrame frame) {
  network_end_.queue.push_back({std::move(frame), nullptr});
  try_start(network_end_);
}

// Sends the front of the queue now, or comes back when the gap is over. A medium that is busy calls back by itself.
void Wire::try_start(Station& station) {
  if (station.sending || station.event || station.queue.empty()) return;
  const Station& peer = other(station);
  Pending& pending = station.queue.front();
  Instant earliest = scheduler_.now();
  if (station.sent_before) earliest = std::max(earliest, station.last_end + station.gap_after_own);
  if (half_duplex_) {
    if (peer.sending) {
      pending.deferred = true;
      return;
    }
    if (peer.sent_before) earliest = std::max(earliest, peer.last_end + station.gap_after_other);
  }
  if (earliest > scheduler_.now()) {
    pending.deferred = pending.deferred || half_duplex_;
    station.event = scheduler_.at(earliest, [this, &station] {
      station.event = {};
      try_start(station);
    });
    return;
  }
  start(station);
}

void Wire::start(Station& station) {
  const Pending& pending = station.queue.front();
  const Instant now = scheduler_.now();
  station.current = {now, now + wire_time(pending.frame), pending.deferred};
  station.sending = true;
  station.sent_before = true;
  station.event = scheduler_.at(station.current.end, [this, &station] { finish(station); });
  if (&station == &network_end_) nic_->receive_started(station.current.end);
}

void Wire::finish(Station& station) {
  const Pending sent = std::move(station.queue.front());
  station.queue.pop_front();
  station.event = {};
  station.sending = false;
  station.last_end = station.current.end;
  // The chip's side first: it goes first when both have waited.
  try_start(nic_end_);
  try_start(network_end_);
  if (sent.done) sent.done(station.current);
  (&station == &network_end_ ? to_nic_ : to_network_)->deliver(sent.frame);
}

}  // namespace avrlan
