// Whatever a client sends to the debugger: octets in pieces of any size, packets cut short, grown, damaged, with right checksums and wrong
// ones. No crash, no hang; every packet with a right checksum is answered or resumes the firmware; and what is said in NoAck mode or
// not is framed.
//
//   fuzz_gdb [--packets N] [--seed S]

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "emulator/board/board.hpp"
#include "emulator/cli/simulation.hpp"
#include "emulator/debug/monitor.hpp"
#include "emulator/debug/packet.hpp"
#include "emulator/debug/session.hpp"
#include "tests/fuzz/options.hpp"

namespace avrlan::debug {
namespace {

const std::string_view seeds[] = {"?",
                                  "!",
                                  "g",
                                  "G00",
                                  "p22",
                                  "P22=00000000",
                                  "P10=7f",
                                  "m800100,10",
                                  "m0,ffffffff",
                                  "M800100,2:1234",
                                  "X800100,2:ab",
                                  "M80005d,2:ff08",
                                  "M800020,40:00",
                                  "M810000,1:21",
                                  "M820000,1:62",
                                  "c",
                                  "s",
                                  "C05",
                                  "S05;10",
                                  "vCont?",
                                  "vCont;c",
                                  "vCont;s:1;c",
                                  "vCont;r0,10:1",
                                  "vKill;1",
                                  "vRun;",
                                  "vFlashErase:0,80",
                                  "vFlashWrite:0:abc",
                                  "vFlashDone",
                                  "vMustReplyEmpty",
                                  "Z0,10,2",
                                  "z0,10,2",
                                  "Z1,20,2",
                                  "Z2,800100,2",
                                  "z2,800100,2",
                                  "Z3,800100,1",
                                  "Z4,80005d,2",
                                  "z4,80005d,2",
                                  "Z2,800000,ffff",
                                  "H g1",
                                  "T1",
                                  "qSupported:swbreak+",
                                  "QStartNoAckMode",
                                  "qXfer:features:read:target.xml:0,ffb",
                                  "qXfer:memory-map:read::0,ffb",
                                  "qC",
                                  "qfThreadInfo",
                                  "qsThreadInfo",
                                  "qAttached",
                                  "qSymbol::",
                                  "qCRC:0,100",
                                  "qRcmd,68656c70",
                                  "qRcmd,6e6963",
                                  "qRcmd,6379636c6573",
                                  "qRcmd,627265616b2d6672616d6520746370",
                                  "qRcmd,6e6963203020313030",
                                  "qRcmd,72756e2d756e74696c206379636c652035",
                                  "qRcmd,7265736574",
                                  "qRcmd,70726f66696c65206f6e",
                                  "qRcmd,70726f66696c65206f6666",
                                  "qRcmd,736e617073686f742061",
                                  "qRcmd,726573746f7265",
                                  "qRcmd,6672616d6573",
                                  "qRcmd,64696167",
                                  "qRcmd,696f204f43",
                                  "m8a0000,100",
                                  "M8a001f,1:03",
                                  "Z2,8a001f,1",
                                  "Z3,8a0039,1",
                                  "Z4,8a00a8,2",
                                  "z2,8a001f,1",
                                  "D",
                                  "k",
                                  "R00",
                                  "bs",
                                  "bc",
                                  "",
                                  "\x03"};

class Fuzzer {
 public:
  explicit Fuzzer(std::uint64_t seed) : random_(seed) {}

  void run(std::uint64_t packets) {
    for (std::uint64_t n = 0; n < packets; ++n) {
      const std::string octets = framed(mutated(seeds[below(std::size(seeds))]));
      for (std::size_t at = 0; at < octets.size();) {
        const std::size_t piece = 1 + below(octets.size() - at);
        channel_.receive(std::string_view(octets).substr(at, piece));
        at += piece;
      }
      answer_all();
    }
    std::printf("%llu packets, %llu answers, %llu runs, %llu ends\n", static_cast<unsigned long long>(packets),
                static_cast<unsigned long long>(answers_), static_cast<unsigned long long>(runs_),
                static_cast<unsigned long long>(ends_));
  }

 private:
  static SimulationOptions without_network() {
    SimulationOptions options;
    options.net = {};
    return options;
  }
  static Firmware loop() {
    Firmware firmware;
    firmware.flash = {0x01, 0xE0, 0x10, 0x91, 0x00, 0x01, 0x10, 0x93, 0x01, 0x01, 0x0F, 0x93, 0x2F, 0x91, 0xF8, 0xCF};
    return firmware;
  }

  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  std::string mutated(std::string_view seed) {
    std::string packet{seed};
    for (std::uint64_t changes = below(4); changes > 0; --changes) {
      const std::size_t at = below(packet.size() + 1);
      switch (below(5)) {
        case 0:
          packet.resize(at);
          break;
        case 1:
          packet.insert(at, 1, static_cast<char>(random_()));
          break;
        case 2:
          packet.insert(at, 1, "0123456789abcdef,;:"[below(19)]);
          break;
        case 3:
          if (at < packet.size()) packet[at] = static_cast<char>(random_());
          break;
        case 4:
          packet += seeds[below(std::size(seeds))];
          break;
      }
    }
    return packet;
  }

  std::string framed(const std::string& packet) {
    PacketChannel sender;
    sender.send(packet);
    std::string octets = sender.take_output();
    if (below(5) == 0) octets[below(octets.size())] = static_cast<char>(random_());
    if (below(20) == 0) octets.resize(below(octets.size()));
    return octets;
  }

  void answer_all() {
    channel_.take_interrupt();
    while (const auto packet = channel_.next_packet()) {
      const Answer answer = run_->session.handle(*packet);
      ++answers_;
      if (answer.action == Action::resume) {
        ++runs_;
        const bool over = execute(run_->simulation.machine());
        channel_.send(run_->session.stopped(5, run_->target.stop_reason()));
        if (over) {
          ++ends_;
          run_ = std::make_unique<Run>();
        }
      }
      if (answer.reply) channel_.send(*answer.reply);
      if (answer.action == Action::no_acks) channel_.stop_acknowledging();
      if (const std::string output = channel_.take_output();
          !output.empty() && output.find('$') != std::string::npos && output[output.size() - 3] != '#') {
        std::fprintf(stderr, "not framed: %s\n", output.c_str());
        std::exit(1);
      }
    }
  }

  // Some instructions; a start-up after a reset passes. True: the firmware has ended.
  static bool execute(Machine& machine) {
    const Cycles before = machine.totals().active;
    const Instant late = machine.now() + Duration::milliseconds(100);
    bool over = false;
    do {
      over = machine.run_until(machine.now() + Duration::microseconds(20)).has_value();
    } while (!over && !machine.stopped() && machine.totals().active == before && machine.now() < late);
    return over;
  }

  // Until the firmware, whose memory may have become anything, ends.
  struct Run {
    const Firmware firmware = loop();
    Simulation simulation{find_board("uno-enc28j60"), firmware, without_network()};
    Target target{simulation.machine(), simulation.nic()};
    Monitor monitor{simulation, firmware, target};
    Session session{target, [this](std::string_view command) { return monitor.execute(command); }};
  };

  std::mt19937_64 random_;
  std::unique_ptr<Run> run_ = std::make_unique<Run>();
  PacketChannel channel_;
  std::uint64_t answers_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t ends_ = 0;
};

}  // namespace
}  // namespace avrlan::debug

int main(int argc, char** argv) {
  std::uint64_t packets = 100'000;
  std::uint64_t seed = 1;
  avrlan::fuzz::read_options(argc, argv, {{"--packets", &packets}, {"--seed", &seed}});
  avrlan::debug::Fuzzer(seed).run(packets);
}
