#pragma once
// Going back. The state of a run cannot be copied, since its events are closures, but a process can: a checkpoint is a child process made
// by fork() that waits. Going back wakes the nearest checkpoint before the place; it forks again, and that process, the past,
// executes up to the place: deterministically, with the frames that the far end of the cable has sent since then read from a log.
// The present is the process that began; it alone has the host's sockets, and waits while gdb looks at the past.
//
// Not supported: changing the past; stops of `monitor run-until` and `break-frame` in it; a firmware whose chip's far end is not
// behind the cable (a second board).

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/cli/simulation.hpp"
#include "emulator/debug/session.hpp"
#include "emulator/debug/target.hpp"

namespace avrlan::debug {

// A time by which `cycle` has just begun, or not yet; the nearer the machine is to it, the closer. To run exactly up to a cycle.
Instant not_after(const Machine& machine, Cycles cycle);

// A moment with a name.
struct Snapshot {
  std::string name;
  Cycles cycle;
};

class History {
 public:
  // All must outlive the history. `wait` returns when the file descriptor is readable; false: the user wants to stop.
  History(Simulation& simulation, Target& target, Session& session, std::function<bool(int fd)> wait);
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  // In the present, between two runs: it can be gone back to here. Throws HostError.
  void keep();
  // The firmware was changed by hand, or nobody is interested any more: it cannot be gone back to before now.
  void forget();
  bool kept() const { return !checkpoints_.empty(); }
  Cycles last_kept() const { return checkpoints_.back().cycle; }

  // This moment, present or past, under that name from now on.
  void name(const std::string& name);
  // The oldest name first; none is older than what is kept.
  const std::vector<Snapshot>& snapshots() const { return snapshots_; }
  // continue_back() will go to that snapshot, "": the one named last, unless something else is done before. False: there is none.
  bool go_back_next(std::string_view name);
  void go_back_no_more() { wanted_.reset(); }

  bool in_past() const { return past_.has_value(); }
  // Stops looking at the past.
  void return_to_present() { past_.reset(); }

  // Replies to what resumes the target. `bs` and `bc`; in the past also vCont, c and s, which end in the present at the latest.
  // nullopt: interrupted, or lost; where it was before.
  std::optional<std::string> step_back() { return back(true); }
  std::optional<std::string> continue_back();
  std::optional<std::string> forward(std::string_view packet);
  // What there is to say about the last of these; afterwards nothing.
  std::string take_complaint() { return std::exchange(complaint_, {}); }
  // What a packet that only looks has to say of the past.
  std::string ask(std::string_view packet);

 private:
  // One end of a socket pair, with its process at the other end, which ends when this is closed.
  class Peer {
   public:
    explicit Peer(int socket) : socket_(socket) {}
    Peer(Peer&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
    Peer& operator=(Peer&& other) noexcept {
      std::swap(socket_, other.socket_);
      return *this;
    }
    ~Peer();
    int socket() const { return socket_; }

   private:
    int socket_;
  };
  struct Checkpoint {
    Cycles cycle;
    Peer process;
    bool on_the_way;  // left by a past
  };
  struct Past {
    Cycles cycle;
    Peer process;
  };
  struct Found {
    Cycles cycle;
    std::string reason;
  };

  std::optional<std::string> back(bool step);
  std::optional<Found> search(bool step, Cycles before, bool& interrupted);
  std::optional<std::string> go_to(const Found& place);
  std::optional<Peer> wake(const Checkpoint& checkpoint);
  std::optional<std::string> answer_of(const Peer& process);
  void thin_out();

  // What the other processes do; none of these returns.
  [[noreturn]] void be_checkpoint(int socket);
  [[noreturn]] void be_past(int socket);
  std::string obey(std::string_view message, int& left_behind);
  std::string scan(bool step, Cycles end);
  std::string arrive(Cycles cycle, const std::string& reason, int& left_behind);
  std::string run_on(std::string_view packet, Cycles present);
  void run_to(Cycles cycle);
  std::pair<int, int> split_off();
  void feed();

  std::uint64_t fingerprint() const;
  void record(const EthernetFrame& frame);

  Simulation& simulation_;
  Target& target_;
  Session& session_;
  std::function<bool(int)> wait_;
  std::vector<Checkpoint> checkpoints_;  // by cycle
  std::optional<Past> past_;
  std::vector<Snapshot> snapshots_;
  std::optional<Cycles> wanted_;
  std::string complaint_;
  int log_ = -1;
  std::int64_t logged_ = 0;  // octets of the log that this process has written, or fed to the cable
  int commands_ = -1;        // in a past: to the present
};

}  // namespace avrlan::debug
