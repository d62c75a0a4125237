// The conformance suite's frames, mutated, into the stack: whatever comes, it touches nothing outside of a frame, sends
// nothing malformed and no octet that it was not sent, and still answers an echo afterwards. On the host it runs under the
// sanitizers; on the AVR the emulator must have nothing to say.
//
//   fuzz_stack [--frames N] [--seed S] [--minimal] [--full] [--avr]
//
// A run is one rule's conversation, with its commands and in its times. It goes on until N frames are sent, every other run
// with the other profile unless one is named. What failed is printed with the seed that begins with it.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>

#include "tests/conformance/rules.hpp"
#include "tests/conformance/wire.hpp"
#include "tests/fuzz/options.hpp"

// What simavr and the C library keep until the end is no leak of ours.
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}

extern "C" void __sanitizer_set_death_callback(void (*callback)());

namespace avrlan::test {
namespace {

std::uint64_t current_seed;
Build current_build;

void tell_seed() {
  std::printf("fuzz_stack --frames 1 --seed %llu%s\n", static_cast<unsigned long long>(current_seed),
              current_build == Build::avr ? " --avr" : "");
  std::fflush(stdout);
}

using Random = std::mt19937_64;

struct Event {
  Duration after;  // the event before
  char command = 0;
  Octets frame{};  // when it is no command; TCP acknowledgments are less the stack's ISN
};
struct Conversation {
  Setup setup;
  std::vector<Event> events;
};

bool is_tcp(const Octets& frame) {
  return frame.size() >= 54 && net::read16(frame, 12) == net::ethertype_ipv4 && frame[14] == 0x45 &&
         frame[23] == net::protocol_tcp && (net::read16(frame, 20) & 0x3fff) == 0;
}

// The stack's initial sequence number of each connection, from its SYNs.
class InitialNumbers {
 public:
  void look(const Octets& from_stack) {
    if (is_tcp(from_stack) && (from_stack[47] & SYN) != 0)
      numbers_[net::read32(from_stack, 34)] = net::read32(from_stack, 38);
  }
  std::uint32_t of(const Octets& to_stack) const {
    const std::uint32_t ports = net::read32(to_stack, 34);
    const auto known = numbers_.find(ports << 16 | ports >> 16);
    return known == numbers_.end() ? 0 : known->second;
  }

 private:
  std::map<std::uint32_t, std::uint32_t> numbers_;  // by the ports of the stack's frames
};

void add_to_ack(Octets& frame, std::uint32_t n) {
  if ((frame[47] & ACK) != 0) net::write32(frame, 42, net::read32(frame, 42) + n);
}

// What the rule's test says to a stack on the host.
Conversation record(const Rule& rule, Profile profile) {
  Conversation all{rule.setup, {}};
  const auto link = make_host_link(profile, rule.setup);
  InitialNumbers numbers;
  Instant last = link->now();
  const auto elapsed = [&] {
    const Duration since = link->now() - last;
    last = link->now();
    return since;
  };
  link->on_command = [&](char what) { all.events.push_back({elapsed(), what}); };
  link->on_frame = [&](bool to_stack, const Octets& frame) {
    if (!to_stack) return numbers.look(frame);
    if (const auto arp = Arp::parse(frame); arp && arp->operation == 2 && link->hosts.contains(arp->sender_ip)) return;
    Event event{elapsed(), 0, frame};
    if (is_tcp(frame)) add_to_ack(event.frame, 0u - numbers.of(frame));
    all.events.push_back(event);
  };
  try {
    rule.test(*link);
  } catch (const Broken&) {
  }
  return all;
}

void mend_checksums(Octets& frame) {
  if (frame.size() < 34 || net::read16(frame, 12) != net::ethertype_ipv4) return;
  const std::size_t header = static_cast<std::size_t>(frame[14] & 0x0f) * 4;
  if (header < 20 || 14 + header > frame.size()) return;
  const auto ip = std::span(frame).subspan(14);
  net::write16(ip, 10, 0);
  net::write16(ip, 10, net::internet_checksum(ip.first(header)));
  const std::size_t total = net::read16(ip, 2);
  if (total < header || total > ip.size() || (net::read16(ip, 6) & 0x3fff) != 0) return;
  const auto payload = ip.subspan(header, total - header);
  const std::uint8_t protocol = ip[9];
  const std::size_t at = protocol == net::protocol_tcp ? 16 : protocol == net::protocol_udp ? 6 : 2;
  if (payload.size() < at + 2 || (at == 2 && protocol != net::protocol_icmp)) return;
  const std::uint32_t start =
      at == 2 ? 0 : net::pseudo_header_sum(net::read32(ip, 12), net::read32(ip, 16), protocol, payload.size());
  net::write16(payload, at, 0);
  net::write16(payload, at, net::internet_checksum(payload, start));
}

void mutate_once(Octets& frame, const Octets& other, Random& random) {
  static constexpr std::uint16_t interesting[] = {0,    1,    2,     4,      7,      8,      0x14,   0x3c,   0x7f,
                                                  0x80, 0xff, 0x5dc, 0x7fff, 0x8000, 0xfffe, 0xffff, 0x2000, 0x1fff};
  const std::uint16_t value =
      random() % 4 == 0 ? static_cast<std::uint16_t>(random()) : interesting[random() % std::size(interesting)];
  // Headers more often than data.
  const std::size_t at = random() % std::min<std::size_t>(frame.size(), random() % 4 == 0 ? frame.size() : 74);
  switch (random() % 8) {
    case 0:
    case 1:
      frame[at] = static_cast<std::uint8_t>(frame[at] ^ 1u << random() % 8);
      break;
    case 2:
      frame[at] = static_cast<std::uint8_t>(value);
      break;
    case 3:
    case 4:
      if (at + 2 <= frame.size()) net::write16(frame, at & ~std::size_t{1}, value);
      break;
    case 5:
      frame.resize(std::max<std::size_t>(14, frame.size() - random() % frame.size()));
      break;
    case 6:
      frame.resize(std::min<std::size_t>(max_frame_octets, frame.size() + random() % 200),
                   static_cast<std::uint8_t>(value));
      break;
    default:  // the rest of another frame
      if (at < other.size())
        frame.resize(at), frame.insert(frame.end(), other.begin() + static_cast<std::ptrdiff_t>(at), other.end());
  }
}

class Fuzzer {
 public:
  Fuzzer(Build build, std::optional<Profile> profile) : build_(build), profile_(profile) {
    for (const Profile p : {Profile::minimal, Profile::full})
      for (const Rule& rule : all_rules())
        if (profile_.value_or(p) == p && (p == Profile::minimal ? rule.minimal : rule.full))
          conversations_[p].push_back(record(rule, p));
  }

  // One conversation; returns how many frames it was, or throws what went wrong.
  std::uint64_t run(std::uint64_t seed) const {
    Random random(seed * 0x9e3779b97f4a7c15u);
    const Profile profile = profile_.value_or(seed % 2 == 0 ? Profile::minimal : Profile::full);
    const auto& all = conversations_.at(profile);
    Conversation conversation = all[random() % all.size()];
    const auto& others = all[random() % all.size()].events;
    const auto link = make_link(build_, profile, conversation.setup);
    InitialNumbers numbers;
    link->on_frame = [&](bool to_stack, const Octets& frame) {
      if (!to_stack) numbers.look(frame);
    };
    const unsigned calm = static_cast<unsigned>(2 + random() % 8);  // of so many frames one is mutated
    std::uint64_t frames = 0;
    auto& events = conversation.events;
    for (std::size_t n = 0; n < events.size(); ++n) {
      if (random() % 16 == 0 && n + 1 < events.size()) std::swap(events[n].frame, events[n + 1].frame);
      const Event& event = events[n];
      // Long silences are the conformance suite's.
      Duration after = std::min(event.after, random() % 64 == 0 ? s(200) : ms(1500));
      if (random() % 16 == 0) after = ms(static_cast<std::int64_t>(random() % 4000));
      link->run_for(after);
      if (event.command != 0) link->command(event.command);
      if (event.frame.empty()) continue;
      Octets frame = event.frame;
      if (is_tcp(frame)) add_to_ack(frame, numbers.of(frame));
      if (random() % calm == 0) {
        static const Octets none(60);
        const Octets& other = others.empty() ? none : others[random() % others.size()].frame;
        for (std::uint64_t times = 1 + random() % 3; times != 0; --times) mutate_once(frame, other, random);
      }
      if (random() % 8 != 0) mend_checksums(frame);
      for (std::uint64_t times = random() % 16 == 0 ? random() % 4 : 1; times != 0; --times) {
        link->send(frame);
        ++frames;
        link->run_for(ms(build_ == Build::avr ? 8 : 1));  // an AVR takes 5 ms for a frame of 1514, and holds two
      }
    }
    link->run_for(ms(500));
    link->expect_no_leak();
    if (conversation.setup == Setup::configured) expect_echo(*link);
    const std::string trouble = link->trouble();
    require(trouble.empty(), trouble);
    return frames;
  }

 private:
  // Wherever ARP has sent the answer by now; the first one may be lost while the address is asked for.
  static void expect_echo(Link& link) {
    for (int tries = 0; tries < 12; ++tries) {
      link.forget();
      link.send(Ip{.payload = echo_request(octets("alive"))}.frame());
      if (link.find(s(1), [](const Link::Frame& f) { return is_icmp(f, 0, 0); })) return;
    }
    throw Broken("no echo");
  }

  Build build_;
  std::optional<Profile> profile_;
  std::map<Profile, std::vector<Conversation>> conversations_;
};

int fuzz(std::uint64_t frames, std::uint64_t seed, Build build, std::optional<Profile> profile) {
  const Fuzzer fuzzer(build, profile);
  current_build = build;
  __sanitizer_set_death_callback(tell_seed);
  std::uint64_t sent = 0, runs = 0;
  for (; sent < frames; ++seed, ++runs) {
    current_seed = seed;
    try {
      sent += fuzzer.run(seed);
    } catch (const std::exception& why) {
      tell_seed();
      std::printf("%s\n", why.what());
      return 1;
    }
  }
  std::printf("%llu frames in %llu conversations: nothing wrong\n", static_cast<unsigned long long>(sent),
              static_cast<unsigned long long>(runs));
  return 0;
}

}  // namespace
}  // namespace avrlan::test

int main(int argc, char** argv) {
  using namespace avrlan::test;
  std::uint64_t frames = 100'000, seed = 1;
  bool avr = false, full = false, minimal = false;
  avrlan::fuzz::read_options(argc, argv,
                             {{"--frames", &frames},
                              {"--seed", &seed},
                              {"--avr", nullptr, &avr},
                              {"--full", nullptr, &full},
                              {"--minimal", nullptr, &minimal}});
  std::optional<Profile> only;
  if (full != minimal) only = full ? Profile::full : Profile::minimal;
  return fuzz(frames, seed, avr ? Build::avr : Build::host, only);
}
