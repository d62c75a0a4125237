#pragma once
// What a LAB.toml says, checked: names are known, files can be read, values can be. README.md has the grammar.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "emulator/board/firmware.hpp"
#include "emulator/cli/runner.hpp"
#include "emulator/cli/simulation.hpp"
#include "emulator/cli/toml_table.hpp"
#include "emulator/lab/assertion.hpp"
#include "emulator/net/far_end.hpp"
#include "emulator/net/link.hpp"
#include "emulator/peers/peer.hpp"

namespace avrlan::lab {

// What the cable to another station adds, each way, if the file does not say: no less than a switch that stores and
// forwards does to the shortest frame at 10 Mbit/s, which is 57.6 us.
inline constexpr Duration default_delay = Duration::microseconds(50);
// Boards wait for each other once a delay.
inline constexpr Duration least_delay = Duration::microseconds(1);

// A cable from one station to another.
struct Cable {
  std::string to;
  net::LinkOptions link;
  Place place;  // of `to`
};

struct BoardDescription {
  std::string name;
  Board board;
  Firmware firmware;
  SimulationOptions options;
  std::optional<Cable> cable;
  Place place;
};

struct SwitchDescription {
  std::string name;
  std::optional<Cable> cable;  // to another switch
  Place place;
};

struct BackendDescription {
  std::string name;
  net::FarEndOptions net;
  std::optional<Cable> cable;
  Place place;
};

struct PeerDescription {
  peers::PeerOptions options;  // complete
  std::optional<Cable> cable;
  Place place;
};

struct FaultDescription {
  enum class Kind : std::uint8_t {
    link_down,    // the cable that the station's `connect` names, or a board's only one, is pulled,
    link_up,      // and plugged in again
    power_cycle,  // RAM and the chip's state are lost, flash and EEPROM are not
    reset_mcu,    // a low pulse on the MCU's RESET
    reset_chip    // a low pulse of 1 us on the Ethernet chip's
  };
  Instant at;
  Kind kind = Kind::link_down;
  std::string station;
  Duration off;  // of a power cycle
  Place place;
};

struct LabDescription {
  std::filesystem::path file;
  std::vector<BoardDescription> boards;  // these are sorted by name,
  std::vector<SwitchDescription> switches;
  std::vector<BackendDescription> backends;
  std::vector<PeerDescription> peers;
  std::vector<FaultDescription> faults;    // by time, and by their order in the file,
  std::vector<AssertDescription> asserts;  // in the order of the file
  std::optional<Duration> timeout;
  Pace pace = Pace::max;
  std::uint64_t seed = 1;

  // Throws UsageError: "FILE:LINE:COLUMN: what is wrong", with a hint.
  static LabDescription read(const std::filesystem::path& file);
};

}  // namespace avrlan::lab
