#pragma once
// Boards on their cables, run together. Virtual time goes from barrier to barrier: between two of them every node runs alone,
// for less than the shortest time that a frame is under way, so that nobody misses what another sends. The results depend on
// the description alone: not on the order in it, nor on the number of threads.
// Not modelled: an instruction that takes longer than 5 us, or a quarter of the shortest delay (SPM halts the CPU for
// milliseconds): a frame that comes during it may come at its end.

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/lab/assertion.hpp"
#include "emulator/lab/board_node.hpp"
#include "emulator/lab/description.hpp"
#include "emulator/lab/fabric_node.hpp"
#include "emulator/lab/node.hpp"
#include "emulator/lab/workers.hpp"

namespace avrlan::lab {

enum class LabEndReason : std::uint8_t {
  asserts_decided,  // each; there is one
  boards_ended,     // each by itself
  silence,          // nothing will ever happen again
  diagnostic,       // of severity error, on some board
  virtual_limit,
  wall_limit,
  interrupted
};

// Of the run.json of a lab.
inline constexpr std::string_view lab_schema = "avrlan-lab-1";

// The stable name in run.json, for example "boards-ended".
std::string_view to_string(LabEndReason reason);

struct LabEnd {
  LabEndReason reason = LabEndReason::boards_ended;
  int signal = 0;  // meaningful for interrupted
  bool hold_limit_hit = false;
  std::chrono::nanoseconds wall{};
};

struct LabLimits {
  // How long pace max waits for a host that owes a reply before virtual time goes on without it.
  std::chrono::nanoseconds hold = std::chrono::seconds(10);
  std::optional<std::chrono::nanoseconds> wall_time;
  int signal_fd = -1;  // as Runner's
};

class Lab {
 public:
  // `description` must outlive this. Everything is made in the calling thread; `threads` run it, this one among them. Throws
  // UsageError.
  Lab(const LabDescription& description, unsigned threads);

  // Before run(). A run.json, and a directory for each board. Throws HostError and UsageError.
  void record(const std::filesystem::path& directory);
  // What the user has to know before it begins, as HostBackend's.
  std::vector<std::string> announcements() const;
  // Whole lines of the boards' UARTs, by time and then by name. A line may be anything.
  void on_line(std::function<void(const std::string& board, std::string_view line)> print) {
    print_line_ = std::move(print);
  }
  // What the firmware of a board has done wrong, the first time at each place; ended by newlines.
  void on_diagnostic(std::function<void(const std::string& board, std::string_view text)> tell) {
    tell_ = std::move(tell);
  }
  // About twice a second of wall time.
  void on_progress(std::function<void(Instant now)> show) { progress_ = std::move(show); }

  // To the end; once.
  LabEnd run(const LabLimits& limits = {});

  // After run(). The exit status; run.json; both written where record() has said.
  int status(const LabEnd& end) const;
  nlohmann::ordered_json json(const LabEnd& end) const;
  void write(const LabEnd& end);
  // Of every frame at every chip.
  std::string digest() const;
  const std::vector<Assertion>& assertions() const { return assertions_; }
  const std::vector<std::unique_ptr<BoardNode>>& boards() const { return boards_; }
  // How often the boards have waited for each other.
  std::uint64_t barriers() const { return barriers_; }

 private:
  using Clock = std::chrono::steady_clock;

  // What is to be done at an instant: before anything else that is due then.
  struct Moment {
    Instant when;
    std::function<void()> act;
  };
  // An assertion about a text.
  struct Watched {
    Assertion* assertion;
    BoardNode* board;
    std::size_t watch;
  };
  struct CableEnds {
    std::string from, to;
    std::vector<Channel*> channels;  // both ways
    bool plugged_in;
  };

  BoardNode* find_board(const std::string& name) const;
  BoardNode& board(const std::string& name) const { return *find_board(name); }
  Socket socket(const std::string& station, const std::string& other);
  void connect(const std::string& from, const Cable& cable);
  Channel& add_channel(const std::string& from, const Socket& out, const std::string& to, const Socket& in,
                       const net::LinkOptions& link);
  void plan(const FaultDescription& fault);
  void plan(Assertion& assertion);
  CableEnds* cable_of(const std::string& station);
  void set_link(const std::string& station, bool up);
  void update_links();
  void check_watched(bool at_end);
  void check(Assertion& assertion);
  std::optional<std::int64_t> number(const AssertDescription& said) const;
  void decide_rest();
  bool all_decided() const;
  Instant earliest() const;
  void reach(Instant when);
  std::optional<LabEndReason> over(Instant next) const;
  bool stopped_from_outside();
  void step(Instant until);
  void run_node(Node& node, Instant until) { node.run_until(until, until + margin_); }
  void tell_news(bool all);
  void wait(std::chrono::nanoseconds at_most);
  void keep_pace(Instant next);
  void listen();
  RunEnd end_of(const BoardNode& board) const;

  const LabDescription& description_;
  std::vector<std::unique_ptr<BoardNode>> boards_;
  FabricNode fabric_;
  std::vector<Node*> nodes_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<CableEnds> cables_;
  std::vector<Assertion> assertions_;
  std::vector<Watched> watched_;
  std::vector<Moment> moments_;  // by time
  std::size_t next_moment_ = 0;
  std::vector<Node*> active_;
  Duration window_;  // from one barrier to the next
  Duration margin_;  // and this is less than the rest of the shortest time that a frame is under way
  Instant now_;
  Workers workers_;
  std::optional<OutDirectory> out_;
  std::function<void(const std::string&, std::string_view)> print_line_;
  std::function<void(const std::string&, std::string_view)> tell_;
  std::function<void(Instant)> progress_;
  LabLimits limits_;
  LabEnd result_;
  bool stopped_ = false;  // from outside
  Clock::time_point start_;
  Clock::time_point pace_base_;  // when virtual time began, were it never behind
  Clock::time_point next_look_;
  Clock::time_point next_listen_;
  Clock::time_point next_progress_;
  std::uint64_t barriers_ = 0;
};

}  // namespace avrlan::lab
