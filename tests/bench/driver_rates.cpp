// How many octets a second the driver of stack/drivers moves on an AVR at 16 MHz, polled and by interrupt, beside what SPI
// at fosc/2 allows. Virtual time: the same figures on any machine. Usage: driver_rates DIRECTORY-OF-FIRMWARE

#include <cstdio>

#include "tests/driver/drain_rig.hpp"

namespace avrlan::test {
namespace {

constexpr double hz = 16e6;
constexpr std::size_t long_frame = 1514, short_frame = 60;

void print(const std::string& what, std::size_t octets, std::size_t frames, Duration time) {
  const double rate = static_cast<double>(octets) * static_cast<double>(frames) / time.seconds();
  std::printf("| %s | %.0f | %.1f | %.0f |\n", what.c_str(), rate, hz / rate,
              hz * time.seconds() / static_cast<double>(frames));
}
void bound(const char* what, double cycles) {
  std::printf("| %s | %.0f | %.1f | |\n", what, hz / cycles, cycles);
}

// A storm of frames; the rate is that at which packets are released.
void receive(const std::string& elfs, const std::string& board, const std::string& image, std::size_t octets) {
  DrainRig rig(elfs, board, image);
  rig.boot();
  const auto number = static_cast<std::uint16_t>(0xFFFF);
  for (int n = 0; n < 400; ++n) rig.send(DrainRig::frame(DrainRig::count_type, number, octets));
  while (rig.bus.released.size() < 110) rig.run_for(Duration::milliseconds(1));
  print(board + ", " + image + ", receives " + std::to_string(octets), octets, 100,
        rig.bus.released[109] - rig.bus.released[9]);
}

// Frames that come alone: from the last bit to the packet's release.
void lone(const std::string& elfs, const std::string& board, const std::string& image, std::size_t octets) {
  DrainRig rig(elfs, board, image);
  rig.boot();
  Instant arrived;
  rig.on_arrival = [&](const EthernetFrame&) { arrived = rig.scheduler.now(); };
  constexpr int frames = 20;
  Duration time;
  for (int n = 0; n < frames; ++n) {
    rig.send(DrainRig::frame(DrainRig::count_type, 0xFFFF, octets));
    rig.run_for(Duration::microseconds(7'777));
    time += rig.bus.released.back() - arrived;
  }
  std::printf("| %s, %s, a frame of %zu that comes alone | | | %.0f |\n", board.c_str(), image.c_str(), octets,
              hz * time.seconds() / frames);
}

void transmit(const std::string& elfs, const std::string& board, const std::string& image) {
  DrainRig rig(elfs, board, image);
  rig.boot();
  rig.send(DrainRig::frame(DrainRig::send_type, 110));
  while (rig.sent.size() < 110) rig.run_for(Duration::milliseconds(1));
  print(board + ", " + image + ", sends " + std::to_string(long_frame), long_frame, 100, rig.sent[109] - rig.sent[9]);
}

}  // namespace
}  // namespace avrlan::test

int main(int argc, char** argv) {
  using namespace avrlan::test;
  if (argc != 2) {
    std::fprintf(stderr, "usage: driver_rates DIRECTORY, which has <board>/drain-polled.elf and so on\n");
    return 64;
  }
  std::printf("| what | octets/s | cycles/octet | cycles/frame |\n|---|---:|---:|---:|\n");
  bound("the wire: 10 Mbit/s, 1,514 octets a frame", hz * 1538 * 0.8e-6 / 1514);
  bound("SPI at fosc/2, no cycle between bytes", 16);
  bound("SPI at fosc/2, the fastest that silicon sends; the driver's blocks", 18);
  for (const char* board : {"uno-enc28j60", "mega-enc28j60"}) {
    for (const char* image : {"drain-polled", "drain-interrupt"}) {
      receive(argv[1], board, image, long_frame);
      receive(argv[1], board, image, short_frame);
      lone(argv[1], board, image, short_frame);
      transmit(argv[1], board, image);
    }
  }
  return 0;
}
