#include "tests/conformance/link.hpp"

#include <algorithm>

#include "emulator/net/packet.hpp"
#include "tests/conformance/wire.hpp"

namespace avrlan::test {
void Link::send(const Octets& frame) {
  if (on_frame) on_frame(true, frame);
  sent_to_.push_back(frame);
  transmit(frame);
}

void Link::command(char what) {
  if (on_command) on_command(what);
  execute(what);
}

// Short steps at first, since an answer comes soon or not for long.
bool Link::wait_for(Instant end, const std::function<bool()>& done) {
  Duration step = Duration::microseconds(250);
  while (!done() && now() < end) {
    advance(std::min(step, end - now()));
    require(broken_.empty(), broken_);
    step = std::min(step * 2, ms(8));
  }
  return done();
}

void Link::run_for(Duration d) {
  wait_for(now() + d, [] { return false; });
}

std::optional<Link::Frame> Link::next(Duration within) {
  if (!wait_for(now() + within, [this] { return !frames_.empty(); })) return std::nullopt;
  const Frame frame = frames_.front();
  frames_.pop_front();
  return frame;
}

std::optional<Link::Frame> Link::find(Duration within, const std::function<bool(const Frame&)>& wanted) {
  const Instant end = now() + within;
  while (true) {
    const auto frame = next(std::max(end - now(), Duration{}));
    if (!frame || wanted(*frame)) return frame;
  }
}

void Link::silence(Duration d) {
  const auto frame = next(d);
  require(!frame, "expected silence, got " + (frame ? describe(frame->octets) : ""));
}

bool Link::reported(const std::string& text, Duration within) {
  return wait_for(now() + within, [&] { return reports() == text; });
}

void Link::arrived(Instant at, const Octets& frame) {
  if (frame.size() < min_frame_octets || frame.size() > max_frame_octets)
    broken_ = "a frame of " + std::to_string(frame.size()) + " octets";
  if (on_frame) on_frame(false, frame);
  sent_by_.push_back(frame);
  const auto arp = Arp::parse(frame);
  if (arp && arp->operation == 1) {
    asked.push_back({at, arp->target_ip});
    const auto host = hosts.find(arp->target_ip);
    if (host != hosts.end()) {
      send(Arp{.to = arp->sender_mac,
               .from = host->second,
               .operation = 2,
               .sender_mac = host->second,
               .sender_ip = arp->target_ip,
               .target_mac = arp->sender_mac,
               .target_ip = arp->sender_ip}
               .frame());
      return;
    }
  }
  frames_.push_back({at, frame});
}

void Link::expect_no_leak() {
  Octets all;  // that the stack was sent; a reply may join fragments, so that runs of 8 octets are looked up
  for (const Octets& frame : sent_to_) all.insert(all.end(), frame.begin(), frame.end());
  for (const Octets& frame : sent_by_) {
    if (const auto arp = Arp::parse(frame)) {
      require(arp->sender_mac == our_mac, "an ARP frame from another MAC address");
      require(std::all_of(frame.begin() + 42, frame.end(), [](auto octet) { return octet == 0; }),
              "padding that is not zero");
      continue;
    }
    const auto packet = read_ip(frame);
    require(packet.has_value(), "a frame of an unknown type");
    if (packet->fragment || packet->protocol == net::protocol_tcp) continue;
    if (packet->protocol == net::protocol_udp && packet->source_port != 7) continue;
    for (std::size_t at = 0; at < packet->data.size(); at += 8) {
      const auto piece = packet->data.subspan(at, std::min<std::size_t>(8, packet->data.size() - at));
      require(std::search(all.begin(), all.end(), piece.begin(), piece.end()) != all.end(),
              "octets that the stack was not sent in " + describe(frame));
    }
  }
  sent_to_.clear();
  sent_by_.clear();
}

std::unique_ptr<Link> make_link(Build build, Profile profile, Setup setup) {
  return build == Build::host ? make_host_link(profile, setup) : make_avr_link(profile, setup);
}

}  // namespace avrlan::test
