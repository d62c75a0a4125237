#pragma once
// The images drain-polled and drain-interrupt on their AVR, frames at wire speed, and a look at the bus between driver and
// chip that shares nothing with the chip's model.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulator/board/board.hpp"
#include "emulator/board/firmware.hpp"
#include "emulator/board/machine.hpp"
#include "nic-model/enc28j60/enc28j60.hpp"

namespace avrlan::test {

// Reads along on SPI: where the driver has put the receive buffer and ERXRDPT, and when it releases packets.
class BusReader : public SpiDevice {
 public:
  BusReader(const Scheduler& scheduler, SpiDevice& chip) : scheduler_(scheduler), chip_(chip) {}

  void select() override {
    position_ = 0;
    chip_.select();
  }
  void deselect() override { chip_.deselect(); }
  std::uint8_t exchange(std::uint8_t mosi) override {
    if (position_ == 0) instruction_ = mosi;
    if (position_ == 1) operand(mosi);
    ++position_;
    return chip_.exchange(mosi);
  }

  std::uint16_t fifo_end = 0x1FFF;
  std::uint16_t read_pointer = 0;  // ERXRDPT
  std::vector<Instant> released;   // PKTDEC

 private:
  // DS39662E tables 3-1 and 4-1: address 1Fh is ECON1, 1Eh ECON2; in bank 0, 0Ah ERXND and 0Ch ERXRDPT.
  void operand(std::uint8_t value) {
    const unsigned opcode = instruction_ >> 5, address = instruction_ & 0x1F;
    if (address == 0x1F && opcode == 4) bank_ |= value & 3;
    if (address == 0x1F && opcode == 5) bank_ &= ~(value & 3u);
    if (address == 0x1E && opcode == 4 && (value & 0x40) != 0) released.push_back(scheduler_.now());
    if (opcode == 7) bank_ = 0;
    if (opcode != 2 || bank_ != 0) return;
    if (address == 0x0A) fifo_end = static_cast<std::uint16_t>((fifo_end & 0xFF00) | value);
    if (address == 0x0B) fifo_end = static_cast<std::uint16_t>((fifo_end & 0xFF) | value << 8);
    if (address == 0x0C) low_ = value;
    if (address == 0x0D) read_pointer = static_cast<std::uint16_t>(low_ | value << 8);
  }

  const Scheduler& scheduler_;
  SpiDevice& chip_;
  std::size_t position_ = 0;
  std::uint8_t instruction_ = 0;
  std::uint8_t low_ = 0;
  unsigned bank_ = 0;
};

class DrainRig : private DiagnosticSink, private FrameSink {
 public:
  static constexpr std::uint16_t count_type = 0x88B5, send_type = 0x88B6, report_type = 0x88B7;

  // `image` is drain-polled or drain-interrupt; `elf_directory` has <board>/<image>.elf.
  DrainRig(const std::string& elf_directory, const std::string& board, const std::string& image)
      : machine(find_board(board), Firmware::load_elf(elf_directory + "/" + board + "/" + image + ".elf"), scheduler) {
    machine.attach(chip, bus);
    machine.on_uart([this](std::uint8_t byte) { uart += static_cast<char>(byte); });
    wire.connect(chip, arrivals_, *this);
  }

  void run_for(Duration d) {
    if (!end) end = machine.run_until(machine.now() + d);
  }
  // Until the driver is ready for frames.
  void boot() {
    while (!end && uart.find('\n') == std::string::npos && machine.now() < Instant::at(Duration::seconds(3))) {
      run_for(Duration::milliseconds(1));
    }
  }

  static EthernetFrame frame(std::uint16_t type, std::uint16_t number, std::size_t octets = 60) {
    std::vector<std::uint8_t> frame(octets, 0xFF);
    for (std::size_t i = 6; i < 12; ++i) frame[i] = static_cast<std::uint8_t>(i);
    frame[12] = static_cast<std::uint8_t>(type >> 8);
    frame[13] = static_cast<std::uint8_t>(type);
    frame[14] = static_cast<std::uint8_t>(number >> 8);
    frame[15] = static_cast<std::uint8_t>(number);
    for (std::size_t i = 16; i < octets; ++i) frame[i] = static_cast<std::uint8_t>(7 * number + (i - 16));
    return EthernetFrame::with_fcs(frame);
  }
  void send(const EthernetFrame& frame) { wire.from_network(frame); }

  // Asks for the report and parses it: "frames 3" becomes report["frames"] = "3".
  std::map<std::string, std::string> report() {
    const std::size_t from = uart.size();
    send(frame(report_type, 0));
    while (!end && machine.now() < Instant::at(Duration::seconds(60))) run_for(Duration::milliseconds(1));
    std::map<std::string, std::string> lines;
    for (std::size_t at = from; at < uart.size();) {
      const std::size_t stop = std::min(uart.find('\n', at), uart.size());
      const std::string line = uart.substr(at, stop - at);
      const std::size_t space = line.find(' ');
      if (space != std::string::npos) lines[line.substr(0, space)] = line.substr(space + 1);
      at = stop + 1;
    }
    return lines;
  }
  static std::set<unsigned> numbers(const std::string& seen) {
    std::set<unsigned> numbers;
    for (std::size_t at = 0; at + 1 < seen.size(); at += 2) {
      const auto octet = std::stoul(seen.substr(at, 2), nullptr, 16);
      for (unsigned bit = 0; bit < 8; ++bit) {
        if ((octet >> bit & 1) != 0) numbers.insert(static_cast<unsigned>(at) * 4 + bit);
      }
    }
    return numbers;
  }

  Scheduler scheduler;
  Wire wire{scheduler};
  Enc28j60 chip{scheduler, wire, *this};
  BusReader bus{scheduler, chip};
  Machine machine;
  std::string uart;
  std::optional<MachineEnd> end;
  std::map<std::string, unsigned> diagnostics;  // how often each was told
  std::vector<Instant> sent;                    // the end of each frame of the board
  // Called before a frame reaches the chip.
  std::function<void(const EthernetFrame&)> on_arrival;

 private:
  struct Arrivals : FrameSink {
    explicit Arrivals(DrainRig& r) : rig(r) {}
    DrainRig& rig;
    void deliver(const EthernetFrame& in) override {
      if (rig.on_arrival) rig.on_arrival(in);
      rig.chip.deliver(in);
    }
  };
  void report(const Diagnostic& diagnostic) override { ++diagnostics[diagnostic.code]; }
  void deliver(const EthernetFrame&) override { sent.push_back(scheduler.now()); }

  Arrivals arrivals_{*this};
};

}  // namespace avrlan::test
