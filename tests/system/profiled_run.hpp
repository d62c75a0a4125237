#pragma once
// A firmware under a scripted peer and the profiler, in one process and without sockets: the same cycles on any machine.

#include <functional>
#include <memory>
#include <string>

#include "emulator/cli/simulation.hpp"
#include "emulator/profile/recording.hpp"
#include "tests/support/scripted_peer.hpp"

namespace avrlan::test {

struct ProfiledRun {
  // Runs until the firmware ends or virtual time `limit`.
  ProfiledRun(const std::string& board_name, const std::string& elf, Duration limit,
              const std::function<void(ScriptedPeer&)>& script = {}, const profile::RecordingOptions& options = {});

  std::int64_t total() const { return simulation->machine().totals().total.count; }

  Firmware firmware;
  ScriptedPeer* peer = nullptr;
  std::unique_ptr<Simulation> simulation;
  std::unique_ptr<profile::Recording> recording;
};

inline ProfiledRun::ProfiledRun(const std::string& board_name, const std::string& elf, Duration limit,
                                const std::function<void(ScriptedPeer&)>& script,
                                const profile::RecordingOptions& options)
    : firmware(Firmware::load_elf(elf)) {
  simulation = std::make_unique<Simulation>(find_board(board_name), firmware, SimulationOptions{},
                                            [&](Scheduler& scheduler, FrameSink& to_board) {
                                              auto made = std::make_unique<ScriptedPeer>(scheduler, to_board);
                                              peer = made.get();
                                              return made;
                                            });
  if (script) script(*peer);
  recording = std::make_unique<profile::Recording>(simulation->machine(), firmware, options);
  simulation->on_frame(
      [this](bool to_board, const EthernetFrame& frame) { recording->frame(to_board, frame.octets.size()); });
  simulation->machine().on_uart([this](std::uint16_t frame) { recording->uart(static_cast<std::uint8_t>(frame)); });
  simulation->on_nic_event([this](const NicEvent& event) { recording->nic_event(event); });
  simulation->machine().run_until(Instant::at(limit));
  recording->update();
}

}  // namespace avrlan::test
