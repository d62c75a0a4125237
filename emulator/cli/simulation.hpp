#pragma once
// A board, its chip and the network behind it, wired together. Owns virtual time; knows no wall clock.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/board/board.hpp"
#include "emulator/board/firmware.hpp"
#include "emulator/board/machine.hpp"
#include "emulator/board/nic_chip.hpp"
#include "emulator/cli/diagnostic_log.hpp"
#include "emulator/net/backend.hpp"
#include "emulator/net/far_end.hpp"
#include "emulator/net/frame_check.hpp"
#include "emulator/net/link.hpp"
#include "emulator/net/recorder.hpp"
#include "nic-model/core/scheduler.hpp"
#include "nic-model/core/wire.hpp"

namespace avrlan {

// A VCD file of these pins; none: those in use on the board.
struct PinTraceOptions {
  std::filesystem::path file;
  std::vector<Pin> pins;
  // FILE[,PIN...]. Throws UsageError.
  static PinTraceOptions parse(const std::string& text);
};

// Somebody pulls the cable, or plugs it in.
struct CableEvent {
  Instant when;
  bool in;
};

// How long an LED of the chip was lit, and how often it came on.
struct LedCount {
  std::uint64_t flashes = 0;
  Duration lit;
};

struct SimulationOptions {
  MachineOptions machine;
  NicOptions nic;
  DiagnosticPolicy diagnostics;
  net::FarEndOptions net = net::GatewayOptions{};
  net::LinkOptions link;
  std::vector<CableEvent> cable;  // plugged in from the start
  Instant power_on;               // when it begins
};

// Frames and octets (without FCS) that passed one point of the wire.
struct FrameCount {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
};

class Simulation {
 public:
  // Makes the far end of the cable, which sends to `to_board`.
  using BackendFactory = std::function<std::unique_ptr<net::Backend>(Scheduler&, FrameSink& to_board)>;
  // Throws HostError. `board` and `firmware` must outlive the simulation. `far_end` replaces the backend of the options.
  Simulation(const Board& board, const Firmware& firmware, const SimulationOptions& options,
             BackendFactory far_end = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Its run_until() returns early when the firmware has sent something to the host.
  Machine& machine() { return *machine_; }
  const Machine& machine() const { return *machine_; }
  const Nic& nic() const { return *nic_; }
  Nic& nic() { return *nic_; }
  const DiagnosticLog& diagnostics() const { return diagnostics_; }
  DiagnosticLog& diagnostics() { return diagnostics_; }
  // The far end of the cable, if the host has a part in it; else nullptr.
  net::HostBackend* host() { return host_; }

  // On the wire at the chip, whatever the chip made of the frame.
  const FrameCount& frames_in() const { return in_.count; }
  const FrameCount& frames_out() const { return out_.count; }
  // Called, as all that were given before, for each frame at the chip, when its last bit has passed.
  void on_frame(std::function<void(bool to_board, const EthernetFrame&)> seen);
  // Called for each frame that the far end sends, when it enters the cable.
  void on_far_frame(std::function<void(const EthernetFrame&)> sent) { from_far_end_.sent = std::move(sent); }
  // From now on nothing passes between the cable and its far end.
  void cut_off();
  // Enters the cable at `when` as if the far end had sent it.
  void inject(Instant when, EthernetFrame frame);
  Instant now() const { return scheduler_.now(); }
  // Called for each thing that the chip does.
  void on_nic_event(std::function<void(const NicEvent&)> happened) { nic_event_ = std::move(happened); }
  // Writes a capture at the chip from now on: what it is sent (accepted or not) and what it sends. Throws HostError.
  void capture(const std::filesystem::path& file);
  // The same, so that it can be replayed: `header` is trace_header()'s, and the caller finishes it with trace_end().
  net::Recorder& record(const std::filesystem::path& file, const std::string& header);
  // The instruction that is behind what a callback is told; where the program is between them.
  CodePlace place() const;
  CodePlace place_now() const;
  // Of the LED with this number in nic().led_names(), up to now.
  LedCount led(std::size_t number) const;
  // Every frame dropped anywhere, by reason.
  DropCounters drops() const;

  // Makes the captures complete up to now.
  void flush();

 private:
  struct CountingSink : FrameSink {
    FrameSink* to = nullptr;
    FrameCount count;
    std::vector<std::function<void(const EthernetFrame&)>> seen;
    void deliver(const EthernetFrame& frame) override;
  };
  struct WireEntry : FrameSink {
    explicit WireEntry(Wire& w) : wire(w) {}
    Wire& wire;
    void deliver(const EthernetFrame& frame) override { wire.from_network(frame); }
  };
  // Reports what is wrong with a frame at the instruction that had it sent.
  struct AtTransmit : DiagnosticSink {
    explicit AtTransmit(DiagnosticLog& to) : log(to) {}
    DiagnosticLog& log;
    CodePlace place;
    void report(const Diagnostic& diagnostic) override { log.report(diagnostic, place); }
  };
  // Between the cable and its far end, one way.
  struct CableEnd : FrameSink {
    FrameSink* to = nullptr;
    bool cut = false;
    std::function<void(const EthernetFrame&)> sent;
    void deliver(const EthernetFrame& frame) override;
  };
  struct Nowhere : FrameSink {
    void deliver(const EthernetFrame&) override {}
  };
  // What the host is to hear is said at once: it may be waited for.
  struct HostEntry : FrameSink {
    HostEntry(Machine& m, net::HostBackend& h) : machine(m), host(h) {}
    Machine& machine;
    net::HostBackend& host;
    void deliver(const EthernetFrame& frame) override {
      host.deliver(frame);
      machine.stop();
    }
  };

  net::Recorder& add_recorder(const std::filesystem::path& file, const std::string& comment);
  CodePlace place_at(const Origin& origin) const;
  void count_led(std::size_t number, bool lit);

  const Board& board_;
  const Firmware& firmware_;
  Scheduler scheduler_;
  DiagnosticLog diagnostics_;
  std::unique_ptr<Machine> machine_;
  Wire wire_{scheduler_};
  WireEntry wire_entry_{wire_};
  CountingSink entry_;  // from the link to the wire
  Nowhere nowhere_;
  std::unique_ptr<Nic> nic_;
  struct Led {
    LedCount count;
    std::optional<Instant> lit_since;
  };
  std::vector<Led> leds_;
  AtTransmit at_transmit_{diagnostics_};
  std::function<void(const NicEvent&)> nic_event_;
  net::FrameCheck frame_check_{at_transmit_};
  CountingSink in_;
  CountingSink out_;
  std::vector<std::unique_ptr<net::Recorder>> recorders_;
  std::unique_ptr<net::Link> link_to_board_;
  std::unique_ptr<net::Link> link_to_network_;
  CableEnd from_far_end_;
  CableEnd to_far_end_;
  std::unique_ptr<net::Backend> far_end_;
  net::HostBackend* host_ = nullptr;
  std::optional<HostEntry> host_entry_;
};

}  // namespace avrlan
