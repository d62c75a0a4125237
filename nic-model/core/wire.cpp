#include "nic-model/core/wire.hpp"

#include <algorithm>
#include <utility>

namespace avrlan {

Wire::~Wire() {
  for (Station* station : {&nic_end_, &network_end_}) {
    scheduler_.cancel(station->event);
    scheduler_.cancel(station->give_up);
  }
}

void Wire::connect(Nic& nic, FrameSink& to_nic, FrameSink& to_network) {
  nic_ = &nic;
  to_nic_ = &to_nic;
  to_network_ = &to_network;
}

void Wire::set_jammed(bool jammed) {
  jammed_ = jammed;
  if (!jammed) try_start(network_end_);
}

void Wire::from_nic(EthernetFrame frame, Done done) {
  nic_end_.queue.push_back({std::move(frame), std::move(done), {}, {}});
  try_start(nic_end_);
}

void Wire::abort_from_nic() {
  scheduler_.cancel(nic_end_.event);
  scheduler_.cancel(nic_end_.give_up);
  nic_end_.queue.clear();
  if (std::exchange(nic_end_.sending, false)) nic_end_.last_end = scheduler_.now();
  try_start(network_end_);
}

void Wire::from_network(EthernetFrame frame) {
  network_end_.queue.push_back({std::move(frame), nullptr, {}, {}});
  try_start(network_end_);
}

Duration Wire::gap_after_own(const Station& station) const {
  return &station == &nic_end_ ? nic_mac_.gap_after_own : interframe_gap;
}

Duration Wire::gap_after_other(const Station& station) const {
  return &station == &nic_end_ ? nic_mac_.gap_after_other : interframe_gap;
}

// Sends the front of the queue now, or comes back when gap and backoff are over. While the medium is busy it waits: the
// end of what keeps it busy calls back.
void Wire::try_start(Station& station) {
  if (station.sending || station.event || station.queue.empty()) return;
  const Station& peer = other(station);
  const Instant now = scheduler_.now();
  Instant earliest = std::max(now, station.queue.front().not_before);
  if (station.has_sent) earliest = std::max(earliest, station.last_end + gap_after_own(station));
  if (nic_mac_.half_duplex) {
    if (peer.sending || (jammed_ && &station == &network_end_)) {
      defer(station);
      return;
    }
    if (peer.has_sent) earliest = std::max(earliest, peer.last_end + gap_after_other(station));
  }
  station.attempt = earliest;
  if (earliest > now) {
    if (nic_mac_.half_duplex) defer(station);
    station.event = scheduler_.at(earliest, [this, &station] {
      station.event = {};
      try_start(station);
    });
  } else if (nic_mac_.half_duplex && peer.event && peer.attempt == now) {
    collide();
  } else {
    start(station);
  }
}

void Wire::defer(Station& station) {
  station.queue.front().transmission.deferred = true;
  if (&station == &nic_end_ && !nic_mac_.defers_forever && !station.give_up) {
    station.give_up = scheduler_.after(deferral_limit, [this] { give_up(Transmission::Outcome::excessive_deferral); });
  }
}

void Wire::start(Station& station) {
  Pending& pending = station.queue.front();
  scheduler_.cancel(station.give_up);
  pending.transmission.start = scheduler_.now();
  pending.transmission.end = scheduler_.now() + wire_time(pending.frame);
  station.sending = true;
  station.has_sent = true;
  station.event = scheduler_.at(pending.transmission.end, [this, &station] { finish(station); });
  if (&station == &network_end_) nic_->receive_started(pending.transmission.end);
}

void Wire::finish(Station& station) {
  const Pending sent = std::move(station.queue.front());
  station.queue.pop_front();
  station.event = {};
  station.sending = false;
  station.last_end = scheduler_.now();
  try_start(nic_end_);
  try_start(network_end_);
  if (sent.done) sent.done(sent.transmission);
  (&station == &network_end_ ? to_nic_ : to_network_)->deliver(sent.frame);
}

// Both started at this instant: each sends its preamble and the jam, which nobody takes for a frame.
void Wire::collide() {
  for (Station* station : {&nic_end_, &network_end_}) {
    scheduler_.cancel(station->event);
    scheduler_.cancel(station->give_up);
    station->has_sent = true;
    station->last_end = scheduler_.now() + collision_time;
    ++station->queue.front().transmission.collisions;
    back_off(*station);
  }
  if (nic_end_.queue.front().transmission.collisions > nic_mac_.retransmissions) {
    nic_end_.sending = true;  // until the jam is out
    nic_end_.queue.front().transmission.start = scheduler_.now();
    nic_end_.event = scheduler_.at(nic_end_.last_end, [this] {
      nic_end_.event = {};
      nic_end_.sending = false;
      give_up(Transmission::Outcome::excessive_collisions);
    });
  }
  try_start(nic_end_);
  try_start(network_end_);
}

// Truncated binary exponential backoff (802.3 4.2.3.2.5).
void Wire::back_off(Station& station) {
  if (&station == &nic_end_ && !nic_mac_.backs_off) return;
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  Pending& pending = station.queue.front();
  const unsigned exponent = std::min(pending.transmission.collisions, 10u);
  const auto slots = static_cast<std::int64_t>((random_ >> 32) & ((1u << exponent) - 1));
  pending.not_before = station.last_end + slot_time * slots;
}

// The chip's MAC drops the frame that it could not send.
void Wire::give_up(Transmission::Outcome outcome) {
  Pending failed = std::move(nic_end_.queue.front());
  nic_end_.queue.pop_front();
  scheduler_.cancel(nic_end_.event);
  scheduler_.cancel(nic_end_.give_up);
  failed.transmission.outcome = outcome;
  failed.transmission.end = scheduler_.now();
  try_start(nic_end_);
  try_start(network_end_);
  if (failed.done) failed.done(failed.transmission);
}

}  // namespace avrlan
