#include "emulator/net/switch.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "emulator/net/frame_mac.hpp"

namespace avrlan::net {
namespace {

bool is_group(const MacAddress& address) {
  return (address[0] & 1) != 0;
}

// 802.1D-2004 table 7-10.
bool is_reserved(const MacAddress& address) {
  constexpr MacAddress first = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x00};
  return std::equal(first.begin(), first.end() - 1, address.begin()) && address[5] < 0x10;
}

std::optional<DropReason> fault_of(const EthernetFrame& frame) {
  if (frame.octets.size() < min_frame_octets) return DropReason::runt;
  if (frame.octets.size() > max_frame_octets) return DropReason::giant;
  if (!frame.fcs_ok()) return DropReason::bad_fcs;
  const MacAddress source = source_of(frame);
  if (is_group(source) || source == MacAddress{}) return DropReason::malformed;
  if (is_reserved(destination_of(frame))) return DropReason::filtered;
  return std::nullopt;
}

}  // namespace

bool Switch::Port::owns(const MacAddress& station) const {
  return std::any_of(options_.fixed.begin(), options_.fixed.end(),
                     [&station](const MacPrefix& prefix) { return prefix.covers(station); });
}

void Switch::Port::deliver(const EthernetFrame& frame) {
  ++counters_.received_frames;
  counters_.received_octets += frame.octets.size();
  if (const auto reason = fault_of(frame)) {
    counters_.drops.count(*reason);
    return;
  }
  owner_.waiting_.push_back({owner_.scheduler_.now(), this, frame});
  owner_.plan();
}

void Switch::Port::send(const EthernetFrame& frame) {
  ++counters_.sent_frames;
  counters_.sent_octets += frame.octets.size();
  to_->deliver(frame);
}

Switch::Switch(Scheduler& scheduler, const SwitchOptions& options) : scheduler_(scheduler), options_(options) {}

Switch::~Switch() {
  scheduler_.cancel(event_);
}

Switch::Port& Switch::add_port(SwitchPortOptions options) {
  const auto number = static_cast<unsigned>(ports_.size());
  return *ports_.emplace_back(new Port(*this, number, std::move(options)));
}

void Switch::plan() {
  if (event_ || waiting_.empty()) return;
  event_ = scheduler_.at(waiting_.front().arrived + options_.latency, [this] {
    event_ = {};
    forward_arrived();
    plan();
  });
}

void Switch::forward_arrived() {
  const auto later =
      std::find_if(waiting_.begin(), waiting_.end(),
                   [arrived = waiting_.front().arrived](const Waiting& w) { return w.arrived != arrived; });
  std::vector<Waiting> due(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(later));
  waiting_.erase(waiting_.begin(), later);
  std::stable_sort(due.begin(), due.end(),
                   [](const Waiting& a, const Waiting& b) { return a.from->number_ < b.from->number_; });
  for (const Waiting& waiting : due) forward(*waiting.from, waiting.frame);
}

void Switch::forward(Port& from, const EthernetFrame& frame) {
  learn(source_of(frame), from);
  const MacAddress destination = destination_of(frame);
  const bool group = is_group(destination);
  if (Port* port = group ? nullptr : find(destination)) {
    if (port == &from) {
      from.counters_.drops.count(DropReason::filtered);
    } else if (port->to_ == nullptr) {
      from.counters_.drops.count(DropReason::link_down);
    } else {
      port->send(frame);
    }
    return;
  }
  std::vector<Port*> takers;
  for (const auto& port : ports_) {
    if (port.get() != &from && port->to_ != nullptr && (group || port->options_.fixed.empty()))
      takers.push_back(port.get());
  }
  if (takers.empty()) {
    from.counters_.drops.count(DropReason::no_destination);
    return;
  }
  if (!group) ++from.counters_.flooded;
  for (Port* port : takers) port->send(frame);
}

bool Switch::is_silent(const Station& station) const {
  return scheduler_.now() - station.heard >= options_.ageing;
}

void Switch::learn(const MacAddress& source, Port& from) {
  if (from.owns(source)) return;
  if (std::any_of(ports_.begin(), ports_.end(), [&source](const auto& port) { return port->owns(source); })) {
    ++from.counters_.not_learnt;
    return;
  }
  const auto known = stations_.find(source);
  if (known != stations_.end()) {
    if (known->second.port != &from && !is_silent(known->second)) ++from.counters_.moved;
    known->second = {&from, scheduler_.now()};
    return;
  }
  if (stations_.size() >= options_.most_stations)
    std::erase_if(stations_, [this](const auto& entry) { return is_silent(entry.second); });
  if (stations_.size() >= options_.most_stations) {
    ++from.counters_.not_learnt;
    return;
  }
  stations_.emplace(source, Station{&from, scheduler_.now()});
}

Switch::Port* Switch::find(const MacAddress& station) const {
  for (const auto& port : ports_) {
    if (port->owns(station)) return port.get();
  }
  const auto known = stations_.find(station);
  return known == stations_.end() || is_silent(known->second) ? nullptr : known->second.port;
}

const Switch::Port* Switch::port_of(const MacAddress& station) const {
  return find(station);
}

DropCounters Switch::drops() const {
  DropCounters all;
  for (const auto& port : ports_) all += port->counters_.drops;
  return all;
}

}  // namespace avrlan::net
