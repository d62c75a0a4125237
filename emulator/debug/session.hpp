#pragma once
// The commands of the remote protocol ("Packets" in appendix E of the GDB manual), one thread, all-stop. Knows no sockets and does not run
// the target: it says what is to be done.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/debug/target.hpp"

namespace avrlan::debug {

enum class Action : std::uint8_t {
  stay,     // stopped
  resume,   // the Target has been told how; the reply comes when it stops
  no_acks,  // stay, and do without acknowledgements once this reply is sent
  detach,   // the firmware goes on alone
  kill
};

// What a packet is about: the target's registers and memories; running it; running it backwards; ending what is being
// looked at; anything else, as a command of `monitor`.
enum class Concern : std::uint8_t { target, resume, back, leave, other };
Concern concern_of(std::string_view packet);

struct Answer {
  Action action = Action::stay;
  std::optional<std::string> reply;  // a packet's payload
};

class Session {
 public:
  // `monitor` executes a command of `monitor`, and returns what to show; it must end in a line feed unless it is empty.
  using Monitor = std::function<std::string(std::string_view command)>;
  Session(Target& target, Monitor monitor) : target_(target), monitor_(std::move(monitor)) {}

  // Another gdb has connected.
  void begin() { extended_ = false; }
  // While the target is stopped.
  Answer handle(std::string_view packet);
  // The reply to whatever has resumed the target: "T05...", with SREG, SP and PC. `reason` as Target::stop_reason().
  std::string stopped(int signal, const std::string& reason);

  // `target extended-remote`: a kill leaves the connection, and `run` starts again.
  bool extended() const { return extended_; }

 private:
  Answer read_registers();
  Answer write_registers(std::string_view hex);
  Answer read_register(std::string_view argument);
  Answer write_register(std::string_view argument);
  Answer read_memory(std::string_view argument);
  Answer write_memory(std::string_view argument, bool binary);
  Answer resume(std::string_view kind, std::string_view argument);
  Answer point(std::string_view argument, bool insert);
  Answer query(std::string_view packet);
  Answer transfer(std::string_view argument);
  Answer checksum(std::string_view argument);
  Answer verbose(std::string_view packet);
  Answer flash(std::string_view packet);
  Answer restart();

  Target& target_;
  Monitor monitor_;
  bool extended_ = false;
  std::string last_stop_;
};

}  // namespace avrlan::debug
