#pragma once
// GDB's remote serial protocol as packets ("Overview" in appendix E of the GDB manual): framing, checksums, acknowledgements,
// the interrupt byte. Knows no sockets and no commands. No packet is too long, but for one that nobody means: longest_packet.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avrlan::debug {

// What gdb is told that it may send (PacketSize), and what it may send in spite of that.
inline constexpr std::size_t packet_size = 0x4000;
inline constexpr std::size_t longest_packet = std::size_t{1} << 20;

class PacketChannel {
 public:
  // Octets as they come, in pieces of any size. A whole packet with a right checksum is answered with '+' and kept, one with a wrong
  // checksum with '-' and forgotten; '-' from gdb repeats what was sent last.
  void receive(std::string_view octets);
  // The oldest packet that has come: what stood between '$' and '#', escapes and all. Interrupts before it are forgotten.
  std::optional<std::string> next_packet();
  // Whether an interrupt has come (Ctrl-C, octet 03 between packets), which is then forgotten. Packets before it stay.
  bool take_interrupt();

  // Frames `payload`, in which '#', '$', '}' and '*' must be escaped already.
  void send(std::string_view payload);
  // QStartNoAckMode.
  void stop_acknowledging() { acknowledging_ = false; }
  bool acknowledging() const { return acknowledging_; }

  // What is to be written to gdb, in order; nothing afterwards.
  std::string take_output();

 private:
  enum class State { between, payload, first_digit, second_digit };

  void packet_ended(char second_digit);

  State state_ = State::between;
  std::string payload_;
  char first_digit_ = 0;
  std::deque<std::optional<std::string>> received_;  // nullopt: an interrupt
  bool acknowledging_ = true;
  bool repeat_ = false;
  std::string last_sent_;
  std::string output_;
};

// "Binary data": '}' and the octet xor 0x20 for each of '#', '$', '}' and '*'.
std::string escape(std::string_view octets);
// nullopt: a '}' with nothing behind it.
std::optional<std::vector<std::uint8_t>> unescape(std::string_view octets);

}  // namespace avrlan::debug
