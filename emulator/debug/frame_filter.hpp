#pragma once
// Which frames a breakpoint on frames stops at: pcap-filter(7), compiled by libpcap.

#include <memory>
#include <string>
#include <string_view>

#include "nic-model/core/frame.hpp"

namespace avrlan::debug {

class FrameFilter {
 public:
  // "[in|out] EXPRESSION [syn|fin|rst|psh ...]": only frames to the board or from it; the words at the end are TCP flags of which
  // one at least is set. Throws UsageError with libpcap's complaint.
  explicit FrameFilter(std::string_view text);

  bool matches(bool to_board, const EthernetFrame& frame) const;
  // As it was written.
  const std::string& text() const { return text_; }

 private:
  struct Program;
  std::string text_;
  bool in_ = true;
  bool out_ = true;
  std::shared_ptr<const Program> program_;
};

}  // namespace avrlan::debug
