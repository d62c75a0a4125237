#pragma once
// The control: the same program on simavr as its own tool runs it, one avr_run() after the other.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "emulator/board/firmware.hpp"
#include "nic-model/core/time.hpp"

struct avr_t;

namespace avrlan::testing {

class PlainSimavr {
 public:
  PlainSimavr(const std::string& program, const std::string& mcu);
  ~PlainSimavr();
  PlainSimavr(const PlainSimavr&) = delete;
  PlainSimavr& operator=(const PlainSimavr&) = delete;

  Cycles run_to(const std::string& label);
  Cycles run_to_address(std::uint32_t address);
  Cycles run_until(const std::function<bool()>& condition);
  std::uint8_t peek(std::uint16_t data_address) const;
  // The cycle at which simavr last told of a byte that USART 0 has sent.
  std::optional<Cycles> last_sent() const { return last_sent_; }

 private:
  Firmware firmware_;
  avr_t* avr_;
  std::optional<Cycles> last_sent_;
};

}  // namespace avrlan::testing
