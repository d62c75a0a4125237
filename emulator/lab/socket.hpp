#pragma once

#include <functional>

#include "emulator/lab/node.hpp"

namespace avrlan::lab {

// Where a cable is plugged into a station.
struct Socket {
  Node* node;
  FrameSink* entry;                         // takes frames for the station, in the node's time
  std::function<void(FrameSink&)> connect;  // to where the station's frames go from now on
};

}  // namespace avrlan::lab
