#pragma once
// timeline.json: a run in the Trace Event Format of Chrome (the document of that name by Duca and Sinclair), for Perfetto
// and chrome://tracing.
//
// Tracks: calls; interrupts; sleep; the chip: what it received and lost, how many frames wait in it, from each request to
// transmit to its end, DMA, the interrupt pin while it is low; frames on the wire each way; lines of the UART. Times are
// cycles by the clock that the MCU started with. Sleep is also part of the function that slept.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/profile/profiler.hpp"
#include "nic-model/core/nic_event.hpp"

namespace avrlan::profile {

class Timeline {
 public:
  // At most `most` changes of the innermost call, and as many events of each other track; 0: nothing is kept.
  Timeline(Profiler& profiler, std::int64_t hz, std::size_t most);

  bool empty() const { return most_ == 0; }
  // At `cycle` the last bit passed: 800 ns an octet before, with the preamble's 8 and the FCS's 4.
  void frame(bool to_board, std::size_t octets, std::int64_t cycle);
  // A byte that the firmware has sent.
  void uart(std::uint8_t byte, std::int64_t cycle);
  void nic_event(const NicEvent& event, std::int64_t cycle);
  void slept(std::int64_t from, std::int64_t to);

  // `end` is the run's last cycle. otherData has how many events were left out, by track.
  std::string json(std::int64_t end) const;

 private:
  enum Track : std::uint8_t {
    calls,
    interrupts,
    sleep,
    chip,
    waiting,
    transmitter,
    dma,
    interrupt_pin,
    frames_in,
    frames_out,
    uart_lines,
    track_count
  };
  static const char* name_of(Track track);

  // Microseconds. Without a length: a moment, or of `waiting` a count, which is the name.
  struct Event {
    Track track;
    double at;
    std::optional<double> length;
    std::string name;
  };

  double microseconds(std::int64_t cycle) const { return static_cast<double>(cycle) * 1e6 / static_cast<double>(hz_); }
  void add(Track track, std::int64_t from, std::int64_t to, std::string name);
  void add(Event event);
  void close(Track track, std::int64_t cycle, const std::string& name);
  void count_waiting(std::int64_t cycle, int frames);

  const Profiler& profiler_;
  const std::int64_t hz_;
  const std::size_t most_;
  std::vector<Event> events_;
  std::array<std::size_t, track_count> kept_{};
  std::array<std::int64_t, track_count> left_out_{};
  std::array<std::optional<std::int64_t>, track_count> open_{};  // since when
  std::optional<std::int64_t> asleep_since_;
  std::int64_t asleep_until_ = 0;
  int waiting_ = 0;
  std::string line_;
};

}  // namespace avrlan::profile
