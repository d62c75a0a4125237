#include "emulator/net/link.hpp"

#include <algorithm>

namespace avrlan::net {
namespace {

constexpr std::int64_t wire_bits_per_second = 10'000'000;

// Preamble and SFD, frame, FCS, gap: what an Ethernet of that rate needs for one frame.
Duration transmission_time(const EthernetFrame& frame, std::int64_t rate) {
  const auto bits = static_cast<std::int64_t>(8 + frame.wire_size() + 12) * 8;
  return Duration::picoseconds(bits * 1'000'000'000'000 / rate);
}

}  // namespace

std::uint64_t LinkRandom::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double LinkRandom::unit() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

LinkDirection::LinkDirection(const LinkOptions& options, int direction, Duration least)
    : options_(options),
      least_(least),
      random_(LinkRandom(LinkRandom(options.seed).next() + static_cast<std::uint64_t>(direction)).next()) {}

LinkDirection::Fate LinkDirection::draw() {
  Fate fate{};
  fate.lost = random_.unit() < options_.loss;
  fate.duplicated = random_.unit() < options_.dup;
  fate.overtakes = random_.unit() < options_.reorder;
  fate.corrupted = random_.unit() < options_.corrupt;
  fate.bit = random_.next();
  const std::int64_t span = options_.jitter.picoseconds();
  const auto choices = static_cast<std::uint64_t>(2 * span + 1);
  fate.jitter = Duration::picoseconds(static_cast<std::int64_t>(random_.next() % choices) - span);
  return fate;
}

LinkDirection::Passage LinkDirection::pass(const EthernetFrame& frame, Instant now) {
  Passage passage;
  const Fate fate = draw();
  if (fate.lost) {
    drops_.count(DropReason::lost);
    return passage;
  }
  passage.frame = frame;
  if (fate.corrupted && !frame.octets.empty()) {
    const std::uint64_t bit = fate.bit % (frame.octets.size() * 8);
    passage.frame.octets[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
  }
  send(passage, fate, now);
  if (fate.duplicated) send(passage, fate, now);
  return passage;
}

void LinkDirection::send(Passage& passage, const Fate& fate, Instant now) {
  while (!waiting_.empty() && waiting_.front() <= now) waiting_.pop_front();

  const Instant start = std::max(now, free_);
  if (start > now) {
    if (waiting_.size() >= options_.queue) {
      drops_.count(DropReason::queue_full);
      return;
    }
    waiting_.push_back(start);
  }
  const Duration time = transmission_time(passage.frame, options_.rate > 0 ? options_.rate : wire_bits_per_second);
  free_ = start + time;

  const Duration serial = options_.rate > 0 ? time : Duration();
  Instant arrival;
  if (fate.overtakes) {
    arrival = std::max(now + serial, now + least_);
  } else {
    const Instant leaves = options_.rate > 0 ? free_ : now;
    arrival = std::max({leaves + std::max(options_.delay + fate.jitter, Duration()), last_arrival_, now + least_});
    last_arrival_ = arrival;
  }
  passage.arrivals_[passage.count_++] = arrival;
}

void Link::deliver(const EthernetFrame& frame) {
  const LinkDirection::Passage passage = direction_.pass(frame, scheduler_.now());
  for (const Instant arrival : passage.arrivals())
    scheduler_.at(arrival, [&to = to_, sent = passage.frame] { to.deliver(sent); });
}

}  // namespace avrlan::net
