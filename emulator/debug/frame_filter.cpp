#include "emulator/debug/frame_filter.hpp"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

#include "emulator/board/host_error.hpp"

namespace avrlan::debug {

struct FrameFilter::Program {
  bpf_program code{};
  ~Program() { pcap_freecode(&code); }
};

FrameFilter::FrameFilter(std::string_view text) : text_(text) {
  std::istringstream in{text_};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (!words.empty() && (words.front() == "in" || words.front() == "out")) {
    (words.front() == "in" ? out_ : in_) = false;
    words.erase(words.begin());
  }
  constexpr std::array<std::string_view, 4> flags = {"syn", "fin", "rst", "psh"};
  std::string wanted;
  while (!words.empty() && std::ranges::find(flags, words.back()) != flags.end()) {
    const std::string flag = words.back() == "psh" ? "push" : words.back();  // libpcap's name
    wanted += fmt::format("{}tcp-{}", wanted.empty() ? "" : "|", flag);
    words.pop_back();
  }
  std::string expression = fmt::format("{}", fmt::join(words, " "));
  if (!wanted.empty()) {
    expression =
        fmt::format("{}tcp[tcpflags] & ({}) != 0", expression.empty() ? "" : "(" + expression + ") and ", wanted);
  }
  auto program = std::make_shared<Program>();
  constexpr int longest_frame = 65535;
  pcap_t* const compiler = pcap_open_dead(DLT_EN10MB, longest_frame);
  const bool right = pcap_compile(compiler, &program->code, expression.c_str(), 1, PCAP_NETMASK_UNKNOWN) == 0;
  const std::string complaint = right ? "" : pcap_geterr(compiler);
  pcap_close(compiler);
  if (!right)
    throw UsageError(fmt::format("'{}' is no filter: {}", text_, complaint), "see pcap-filter(7), as for tcpdump");
  program_ = std::move(program);
}

bool FrameFilter::matches(bool to_board, const EthernetFrame& frame) const {
  if (!(to_board ? in_ : out_)) return false;
  const auto size = static_cast<bpf_u_int32>(frame.octets.size());
  return bpf_filter(program_->code.bf_insns, frame.octets.data(), size, size) != 0;
}

}  // namespace avrlan::debug
