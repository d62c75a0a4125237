// Random and mutated frames into the decoder, and damaged recordings into the trace reader: whatever comes, there is a
// text without control characters, or one complaint. `fuzz_decode [--runs N] [--seed S]`; a failure prints the run's seed.

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/board/host_error.hpp"
#include "emulator/board/read_file.hpp"
#include "emulator/board/write_file.hpp"
#include "emulator/net/decode.hpp"
#include "emulator/net/packet.hpp"
#include "emulator/net/recorder.hpp"
#include "emulator/net/renumbering.hpp"
#include "emulator/net/trace_reader.hpp"
#include "tests/fuzz/options.hpp"

namespace avrlan::net {
namespace {

using Octets = std::vector<std::uint8_t>;
using Random = std::mt19937_64;

std::uint64_t current_seed;

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("%s: fuzz_decode --runs 1 --seed %llu\n", what, static_cast<unsigned long long>(current_seed));
  std::exit(EXIT_FAILURE);
}

std::uint8_t octet(Random& random) {
  return static_cast<std::uint8_t>(random());
}

// Of a kind that the decoder goes deep into, with a right IP header, so that mutations reach what is inside.
Octets base(Random& random) {
  constexpr std::uint16_t ports[] = {67, 68, 53, 5353, 123, 80};
  const std::uint8_t protocols[] = {protocol_icmp, protocol_tcp, protocol_udp};
  Octets transport(20 + random() % 400);
  for (auto& value : transport) value = random() % 3 == 0 ? 0 : octet(random);
  const std::uint8_t protocol = protocols[random() % 3];
  if (protocol == protocol_udp) {
    const std::uint16_t port = ports[random() % 6];
    write16(transport, 0, port == 68 ? 67 : port);
    write16(transport, 2, port == 67 ? 68 : port == 68 ? 67 : port);
    write16(transport, 4, static_cast<std::uint16_t>(transport.size()));
    write16(transport, 6, 0);
    if (transport.size() > 260) write32(transport, 8 + 236, 0x63825363);
    for (std::size_t count = 0; count < 4; ++count) write16(transport, 12 + 2 * count, random() % 4);
  }
  if (protocol == protocol_tcp) transport[12] = static_cast<std::uint8_t>(0x50 | (octet(random) & 0xf0));
  return make_ipv4_frame({}, {}, 0x0a00020f, 0x0a000202, protocol, transport);
}

Octets frame(Random& random) {
  Octets octets = random() % 4 == 0 ? Octets(random() % 100) : base(random);
  if (random() % 8 == 0 && octets.size() > 14) write16(octets, 12, random() % 2 == 0 ? ethertype_arp : ethertype_ipv4);
  for (std::size_t n = random() % 6; n > 0 && !octets.empty(); --n) octets[random() % octets.size()] = octet(random);
  if (random() % 4 == 0) octets.resize(random() % (octets.size() + 1));
  return octets;
}

bool is_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

void decode_one(Random& random) {
  const Octets left = frame(random), right = frame(random);
  for (const Field& field : decode(left)) check(is_text(field.name) && is_text(field.value), "a control character");
  check(is_text(summary(left)), "a summary with a control character");
  std::string table = side_by_side(left, right, "a", "b");
  std::erase(table, '\n');
  check(is_text(table), "a table with a control character");
  Renumbering numbers;
  numbers.expected(EthernetFrame::with_fcs(left), EthernetFrame::with_fcs(right));
  EthernetFrame answer = EthernetFrame::with_fcs(frame(random));
  numbers.to_board(answer);
}

class Recording {
 public:
  Recording() {
    Scheduler scheduler;
    struct Nowhere : FrameSink {
      void deliver(const EthernetFrame&) override {}
    } nowhere;
    Recorder recorder(
        file_, scheduler, [] { return 7; }, "{}");
    FrameSink& entry = recorder.entry(nowhere);
    FrameSink& in = recorder.inbound(nowhere);
    FrameSink& out = recorder.outbound(nowhere);
    for (std::uint8_t n = 0; n < 4; ++n) {
      const auto sent = EthernetFrame::padded(Octets(14u + n, n));
      entry.deliver(sent);
      in.deliver(sent);
      out.deliver(sent);
    }
    recorder.finish("{}");
    whole_ = read_file(file_, "");
  }
  ~Recording() { std::filesystem::remove(file_); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void read_damaged(Random& random) const {
    std::string text = whole_;
    for (std::size_t n = 1 + random() % 4; n > 0; --n) text[random() % text.size()] = static_cast<char>(octet(random));
    if (random() % 4 == 0) text.resize(random() % (text.size() + 1));
    write_file(file_, text);
    try {
      const Trace trace = read_trace(file_);
      check(trace.frames.size() <= 8, "more frames than were recorded");
    } catch (const UsageError& error) {
      check(is_text(error.what()), "a complaint with a control character");
    }
  }

 private:
  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("fuzz-decode-" + std::to_string(::getpid()) + ".pcapng");
  std::string whole_;
};

}  // namespace
}  // namespace avrlan::net

int main(int count, char** arguments) {
  std::uint64_t runs = 1000, seed = 1;
  avrlan::fuzz::read_options(count, arguments, {{"--runs", &runs}, {"--seed", &seed}});
  const avrlan::net::Recording recording;
  for (std::uint64_t n = 0; n < runs; ++n) {
    avrlan::net::current_seed = seed + n;
    avrlan::net::Random random(avrlan::net::current_seed);
    avrlan::net::decode_one(random);
    recording.read_damaged(random);
  }
  std::printf("%llu runs passed\n", static_cast<unsigned long long>(runs));
}
