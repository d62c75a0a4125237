#pragma once
// What a chip does, for whoever watches a run: a profile, a timeline. Each is told at the instant at which it happens,
// inside the access of the firmware or the event of the wire that makes it happen.

#include <cstddef>
#include <cstdint>

#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan {

struct NicEvent {
  enum class Kind : std::uint8_t {
    access_begins,   // the firmware selects the chip
    access_ends,     // and is done with what `access` tells
    found_none,      // the firmware has asked how many frames wait, and none does
    frame_received,  // complete in the chip's memory: number, octets
    frame_dropped,   // received or to be sent: reason
    frame_opened,    // the first time that the firmware reads from it: number
    frame_released,  // the oldest one's memory is given back
    transmit_requested,
    transmit_ended,  // octets, start, sent
    dma_started,
    dma_ended,
    interrupt_asserted,  // the interrupt pin, whichever of its levels asks for attention
    interrupt_released,
    reset,  // no frame is held any more, none is being sent
  };
  enum class Access : std::uint8_t { other, read_buffer, write_buffer, read_status };

  Kind kind;
  Access access = Access::other;
  std::uint64_t number = 0;  // of received frames, from 1
  std::size_t octets = 0;    // without FCS
  DropReason reason = DropReason::count_;
  Instant start{};    // of the preamble
  bool sent = false;  // all of it, and as it should be
};

}  // namespace avrlan
