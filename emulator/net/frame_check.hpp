#pragma once
// Looks at what the firmware sends, at the chip: frames that no peer could accept, and TCP segments that no correct TCP
// would send, and whether another station uses its MAC address. It changes and drops nothing; misuse becomes a diagnostic whose name begins with "wire-".
//
// Not looked at: IPv6, fragments behind their IP header, options, segments of connections whose SYN was not seen, whether
// data fit the peer's MSS, urgent data, timing.

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>

#include "emulator/net/packet.hpp"
#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/frame.hpp"

namespace avrlan::net {

std::span<const DiagnosticKind> frame_check_kinds();

class FrameCheck {
 public:
  explicit FrameCheck(DiagnosticSink& diagnostics) : diagnostics_(diagnostics) {}
  FrameCheck(const FrameCheck&) = delete;
  FrameCheck& operator=(const FrameCheck&) = delete;

  // In front of `to`, which must outlive this object: what the firmware sends, and what is sent to it. Each once.
  FrameSink& outbound(FrameSink& to);
  FrameSink& inbound(FrameSink& to);

 private:
  struct Tap : FrameSink {
    FrameCheck* check = nullptr;
    void (FrameCheck::*look)(const EthernetFrame&) = nullptr;
    FrameSink* to = nullptr;
    void deliver(const EthernetFrame& frame) override;
  };
  struct FlowKey {
    std::uint32_t peer;
    std::uint16_t peer_port;
    std::uint16_t board_port;
    friend auto operator<=>(const FlowKey&, const FlowKey&) = default;
  };
  struct Flow {
    bool board_known = false;
    std::uint32_t board_next = 0;   // behind the last octet that the board has sent
    std::uint32_t sent_base = 0;    // of the first octet of `sent`
    std::deque<std::uint8_t> sent;  // by the board and not acknowledged yet
    bool board_scales = false;      // its SYN had a window scale option
    bool peer_known = false;
    std::uint32_t peer_next = 0;  // behind the last octet that the peer has sent
    bool edge_known = false;
    std::uint32_t edge = 0;  // of the largest window that the peer has ever offered
    int peer_scale = -1;     // of its SYN; -1: none
    std::uint64_t last_used = 0;
  };

  void from_board(const EthernetFrame& frame);
  void to_board(const EthernetFrame& frame);
  void remember_source(const EthernetFrame& frame);
  void check_source(const EthernetFrame& frame);
  bool check_ipv4(std::span<const std::uint8_t> octets);
  bool check_transport(std::span<const std::uint8_t> header, std::span<const std::uint8_t> payload);
  void tcp_from_board(const Packet& packet);
  void tcp_to_board(const Packet& packet);
  void check_data(Flow& flow, const Packet& packet);
  Flow& flow_of(const FlowKey& key);
  bool report(std::string_view name, std::string message);

  DiagnosticSink& diagnostics_;
  Tap outbound_;
  Tap inbound_;
  std::deque<MacAddress> sources_;  // of the latest frames from the board, each once
  std::map<FlowKey, Flow> flows_;
  std::uint64_t packets_ = 0;
};

}  // namespace avrlan::net
