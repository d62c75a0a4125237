#pragma once

#include <string>

#include "nic-model/core/frame.hpp"

namespace avrlan::debug {

// One line without its end: "10.0.2.2:40000 > 10.0.2.15:80 tcp SYN seq 1 win 64240, 60 octets".
std::string frame_text(const EthernetFrame& frame);

}  // namespace avrlan::debug
