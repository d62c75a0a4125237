#include "emulator/debug/history.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "emulator/board/host_error.hpp"

namespace avrlan::debug {

// Nothing makes the MCU's clock faster than its source; CLKPR and XDIV make it slower.
Instant not_after(const Machine& machine, Cycles cycle) {
  constexpr std::int64_t picoseconds = 1'000'000'000'000;
  if (machine.hz() == 0) return Instant::never();
  const std::int64_t left = std::max<std::int64_t>(1, (cycle - machine.cycle()).count);
  return machine.now() + Duration::picoseconds(picoseconds / machine.hz()) * left;
}

namespace {

constexpr std::size_t longest_message = 150'000;
constexpr std::size_t most_checkpoints = 64, most_on_the_way = 8;
// How far before a place in the past a checkpoint is left: going back step by step is quick from there.
constexpr std::int64_t on_the_way = 50'000;
constexpr std::string_view stop_running = "stop";
constexpr Duration look_every = Duration::milliseconds(4);

// A message, and a file descriptor unless it is -1.
bool send_message(int socket, std::string_view text, int fd = -1) {
  iovec part{const_cast<char*>(text.data()), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  if (fd >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) >= 0;
}

struct Message {
  std::string text;
  int fd = -1;
};

// nullopt: the other end has gone.
std::optional<Message> receive_message(int socket) {
  Message result;
  result.text.resize(longest_message);
  iovec part{result.text.data(), result.text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t size;
  do {
    size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) return std::nullopt;
  result.text.resize(static_cast<std::size_t>(size));
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS)
    std::memcpy(&result.fd, CMSG_DATA(header), sizeof result.fd);
  return result;
}

// Every file and socket but those two becomes /dev/null: what a past prints, captures or sends goes nowhere, and a connection
// that the present closes is closed.
void leave_the_host(int socket, int log) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  DIR* const open_files = ::opendir("/proc/self/fd");
  if (null < 0 || open_files == nullptr) ::_exit(EXIT_FAILURE);
  std::vector<int> others;
  while (const dirent* const entry = ::readdir(open_files)) {
    int fd = -1;
    const std::string_view name = entry->d_name;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), fd);
    if (failure == std::errc{} && fd != socket && fd != log && fd != null && fd != ::dirfd(open_files))
      others.push_back(fd);
  }
  ::closedir(open_files);
  for (const int fd : others) ::dup2(null, fd);
  ::signal(SIGINT, SIG_IGN);  // a terminal sends it to all processes
}

std::pair<std::string_view, std::string_view> first_line(std::string_view text) {
  const std::size_t at = std::min(text.find('\n'), text.size());
  return {text.substr(0, at), text.substr(std::min(at + 1, text.size()))};
}

Cycles parse_cycle(std::string_view digits) {
  Cycles cycle{};
  std::from_chars(digits.data(), digits.data() + digits.size(), cycle.count);
  return cycle;
}

struct LoggedFrame {
  std::int64_t picoseconds;
  std::uint32_t fcs;
  std::uint32_t size;
};

}  // namespace

History::Peer::~Peer() {
  if (socket_ >= 0) ::close(socket_);
}

History::History(Simulation& simulation, Target& target, Session& session, std::function<bool(int)> wait)
    : simulation_(simulation), target_(target), session_(session), wait_(std::move(wait)) {
  log_ = ::memfd_create("frames", MFD_CLOEXEC);
  if (log_ < 0) throw HostError(fmt::format("no memory for frames: {}", std::strerror(errno)), "leave out --gdb");
  ::signal(SIGCHLD, SIG_IGN);
  simulation_.on_far_frame([this](const EthernetFrame& frame) { record(frame); });
}

History::~History() {
  simulation_.on_far_frame({});
  ::close(log_);
}

// --- the present ---

void History::record(const EthernetFrame& frame) {
  if (checkpoints_.empty()) return;
  const LoggedFrame header{(simulation_.now() - Instant{}).picoseconds(), frame.fcs,
                           static_cast<std::uint32_t>(frame.octets.size())};
  std::array<iovec, 2> parts{iovec{const_cast<LoggedFrame*>(&header), sizeof header},
                             iovec{const_cast<std::uint8_t*>(frame.octets.data()), frame.octets.size()}};
  const ssize_t written = ::pwritev(log_, parts.data(), 2, logged_);
  if (written < 0) throw HostError(fmt::format("no memory for frames: {}", std::strerror(errno)), "detach gdb earlier");
  logged_ += written;
}

// A process of its own, that is a checkpoint; the sockets of the present and of the checkpoint.
std::pair<int, int> History::split_off() {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return {-1, -1};
  const pid_t child = ::fork();
  if (child == 0) {
    leave_the_host(sockets[1], log_);
    be_checkpoint(sockets[1]);
  }
  ::close(sockets[1]);
  if (child < 0) {
    ::close(sockets[0]);
    return {-1, -1};
  }
  return {sockets[0], child};
}

void History::keep() {
  const Cycles now = simulation_.machine().cycle();
  if (kept() && last_kept() >= now) return;
  const int socket = split_off().first;
  if (socket < 0) {
    throw HostError(fmt::format("no process for going back to: {}", std::strerror(errno)),
                    "allow this user more processes (ulimit -u)");
  }
  checkpoints_.push_back({now, Peer(socket), false});
  thin_out();
}

// Of those that are too many the ones that are closest together go; the first and the last stay.
void History::thin_out() {
  const auto left = std::ranges::count(checkpoints_, true, &Checkpoint::on_the_way);
  if (static_cast<std::size_t>(left) > most_on_the_way)
    checkpoints_.erase(std::ranges::find(checkpoints_, true, &Checkpoint::on_the_way));
  if (checkpoints_.size() <= most_checkpoints) return;
  std::size_t closest = 1;
  for (std::size_t n = 1; n + 1 < checkpoints_.size(); ++n) {
    const auto gap = [&](std::size_t at) { return checkpoints_[at + 1].cycle - checkpoints_[at - 1].cycle; };
    if (gap(n) < gap(closest)) closest = n;
  }
  checkpoints_.erase(checkpoints_.begin() + static_cast<std::ptrdiff_t>(closest));
}

void History::forget() {
  past_.reset();
  checkpoints_.clear();
  snapshots_.clear();
  wanted_.reset();
}

void History::name(const std::string& name) {
  if (!past_) keep();
  std::erase_if(snapshots_, [&](const Snapshot& before) { return before.name == name; });
  snapshots_.push_back({name, past_ ? past_->cycle : simulation_.machine().cycle()});
}

bool History::go_back_next(std::string_view name) {
  const auto named = [&](const Snapshot& snapshot) { return name.empty() || snapshot.name == name; };
  const auto at = std::find_if(snapshots_.rbegin(), snapshots_.rend(), named);
  if (at == snapshots_.rend()) return false;
  wanted_ = at->cycle;
  return true;
}

std::optional<std::string> History::continue_back() {
  if (const auto cycle = std::exchange(wanted_, std::nullopt)) return go_to({*cycle, {}});
  return back(false);
}

std::optional<std::string> History::answer_of(const Peer& process) {
  if (!wait_(process.socket())) return std::nullopt;
  auto answer = receive_message(process.socket());
  if (!answer) return std::nullopt;
  std::string_view text = answer->text;
  text.remove_prefix(1);
  if (answer->fd >= 0) {
    const auto [cycle, rest] = first_line(text);
    const auto behind = std::ranges::upper_bound(checkpoints_, parse_cycle(cycle), {}, &Checkpoint::cycle);
    checkpoints_.insert(behind, Checkpoint{parse_cycle(cycle), Peer(answer->fd), true});
    thin_out();
    text = rest;
  }
  return std::string(text);
}

std::optional<History::Peer> History::wake(const Checkpoint& checkpoint) {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return std::nullopt;
  Peer process(sockets[0]);
  const bool sent = send_message(checkpoint.process.socket(), "wake", sockets[1]);
  ::close(sockets[1]);
  return sent ? std::optional(std::move(process)) : std::nullopt;
}

// The last place before `before` at which there is something to stop at, and the checkpoint to go there from.
std::optional<History::Found> History::search(bool step, Cycles before, bool& interrupted) {
  for (std::size_t n = checkpoints_.size(); n > 0; --n) {
    const Checkpoint& checkpoint = checkpoints_[n - 1];
    if (checkpoint.cycle >= before) continue;
    const auto process = wake(checkpoint);
    const std::string message = fmt::format("{}\n{}\n{}", step ? "step" : "scan", before.count, target_.points());
    const auto answer = process && send_message(process->socket(), message) ? answer_of(*process) : std::nullopt;
    if (!answer) {
      interrupted = true;
      return std::nullopt;
    }
    if (!answer->empty()) {
      const auto [cycle, reason] = first_line(*answer);
      return Found{parse_cycle(cycle), std::string(reason)};
    }
    before = checkpoint.cycle;
  }
  return std::nullopt;
}

std::optional<std::string> History::back(bool step) {
  wanted_.reset();
  if (!kept()) return std::nullopt;
  const Cycles here = past_ ? past_->cycle : simulation_.machine().cycle();
  bool interrupted = false;
  auto place = search(step, here, interrupted);
  if (interrupted) return std::nullopt;
  if (!place) place = Found{checkpoints_.front().cycle, "replaylog:begin;"};
  return go_to(*place);
}

std::optional<std::string> History::go_to(const Found& place) {
  const auto behind = std::ranges::upper_bound(checkpoints_, place.cycle, {}, &Checkpoint::cycle);
  if (behind == checkpoints_.begin()) return std::nullopt;
  auto process = wake(*std::prev(behind));
  if (!process || !send_message(process->socket(), fmt::format("go\n{}\n{}", place.cycle.count, place.reason)))
    return std::nullopt;
  auto stopped = answer_of(*process);
  if (stopped) past_ = Past{place.cycle, std::move(*process)};
  return stopped;
}

std::optional<std::string> History::forward(std::string_view packet) {
  wanted_.reset();
  const Cycles present = simulation_.machine().cycle();
  const std::string message = fmt::format("run\n{}\n{}\n{}", present.count, packet, target_.points());
  if (!send_message(past_->process.socket(), message)) return std::nullopt;
  auto answer = answer_of(past_->process);
  if (!answer) {
    send_message(past_->process.socket(), stop_running);
    const auto stopped = receive_message(past_->process.socket());
    if (!stopped) return std::nullopt;
    answer = stopped->text.substr(1);
  }
  const auto [cycle, reply] = first_line(*answer);
  past_->cycle = parse_cycle(cycle);
  if (past_->cycle < present) return std::string(reply);
  const auto [reason, state] = first_line(reply);
  if (state != std::to_string(fingerprint()))
    complaint_ = "avrlan: executed again, the run has ended in another state than the present's; please report it\n";
  past_.reset();
  return session_.stopped(SIGTRAP, std::string(reason));
}

// Of all that gdb can see of MCU and chip (FNV-1a).
std::uint64_t History::fingerprint() const {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::span<const std::uint8_t> octets) {
    for (const std::uint8_t octet : octets) hash = (hash ^ octet) * 0x100000001b3;
  };
  for (unsigned number = 0; number < Target::registers; ++number) add(*target_.read_register(number));
  const Machine& machine = simulation_.machine();
  for (std::uint32_t address = 0; address < machine.memory_map().data_end; ++address) {
    const std::uint8_t value = machine.peek(static_cast<std::uint16_t>(address));
    add({&value, 1});
  }
  add(machine.flash());
  add(machine.eeprom());
  for (const NicRegister& reg : simulation_.nic().register_values()) hash = (hash ^ reg.value) * 0x100000001b3;
  add(simulation_.nic().memory());
  const cpu::CycleTotals totals = machine.totals();
  for (const Cycles cycles : {totals.total, totals.active, totals.sleep, totals.interrupt})
    hash = (hash ^ static_cast<std::uint64_t>(cycles.count)) * 0x100000001b3;
  return hash;
}

std::string History::ask(std::string_view packet) {
  if (!send_message(past_->process.socket(), fmt::format("ask\n{}", packet))) return "E.the past is lost";
  const auto answer = receive_message(past_->process.socket());
  return answer ? answer->text.substr(1) : "E.the past is lost";
}

// --- the other processes ---

void History::be_checkpoint(int socket) {
  forget();
  while (const auto message = receive_message(socket)) {
    if (message->fd < 0) continue;
    if (::fork() == 0) {
      ::close(socket);
      be_past(message->fd);
    }
    ::close(message->fd);
  }
  ::_exit(EXIT_SUCCESS);
}

void History::be_past(int socket) {
  commands_ = socket;
  try {
    simulation_.cut_off();
    target_.freeze();
    feed();
    while (const auto message = receive_message(socket)) {
      if (message->text == stop_running) continue;  // it had stopped already
      int left_behind = -1;
      // An empty message could not be told from the end of the connection.
      std::string answer = "=" + obey(message->text, left_behind);
      if (answer.size() > longest_message) answer = "=E01";
      if (!send_message(socket, answer, left_behind)) break;
      if (left_behind >= 0) ::close(left_behind);
    }
  } catch (...) {
    ::_exit(EXIT_FAILURE);
  }
  ::_exit(EXIT_SUCCESS);
}

// What the far end has sent since then, up to the present.
void History::feed() {
  for (LoggedFrame header{}; ::pread(log_, &header, sizeof header, logged_) == static_cast<ssize_t>(sizeof header);) {
    EthernetFrame frame{std::vector<std::uint8_t>(header.size), header.fcs};
    const std::int64_t at = logged_ + static_cast<std::int64_t>(sizeof header);
    if (::pread(log_, frame.octets.data(), header.size, at) != static_cast<ssize_t>(header.size)) break;
    logged_ = at + header.size;
    simulation_.inject(Instant::at(Duration::picoseconds(header.picoseconds)), std::move(frame));
  }
}

std::string History::obey(std::string_view message, int& left_behind) {
  const auto [command, rest] = first_line(message);
  if (command == "ask") return session_.handle(rest).reply.value_or("");
  const auto [cycle, arguments] = first_line(rest);
  if (command == "go") return arrive(parse_cycle(cycle), std::string(arguments), left_behind);
  target_.remove_all();
  if (command == "run") {
    const auto [packet, points] = first_line(arguments);
    target_.insert_all(points);
    return run_on(packet, parse_cycle(cycle));
  }
  target_.insert_all(arguments);
  return scan(command == "step", parse_cycle(cycle));
}

// "CYCLE\nREASON" of the last stop before `end`, or nothing.
std::string History::scan(bool step, Cycles end) {
  Machine& machine = simulation_.machine();
  std::optional<Found> last;
  if (!step && target_.breaks_at(machine.pc())) last = Found{machine.cycle(), "swbreak:;"};
  bool ended = false;
  while (machine.cycle() < end && !ended) {
    target_.resume({step ? Resume::Kind::trace : Resume::Kind::go});
    do {
      ended = machine.run_until(not_after(machine, end)).has_value();
    } while (machine.cycle() < end && !ended && !machine.stopped());
    if (step) {
      if (const auto cycle = target_.last_instruction()) last = Found{*cycle, {}};
    } else if ((target_.touched() || (machine.stopped() && target_.stopped_it())) && target_.stop_cycle() < end) {
      last = Found{target_.stop_cycle(), target_.stop_reason()};
    }
  }
  return last ? fmt::format("{}\n{}", last->cycle.count, last->reason) : std::string();
}

void History::run_to(Cycles cycle) {
  Machine& machine = simulation_.machine();
  target_.remove_all();
  target_.resume({});
  while (machine.cycle() < cycle && !machine.run_until(not_after(machine, cycle))) {
  }
}

std::string History::arrive(Cycles cycle, const std::string& reason, int& left_behind) {
  const Cycles before{cycle.count - on_the_way};
  std::string prefix;
  if (before > simulation_.machine().cycle()) {
    run_to(before);
    left_behind = split_off().first;
    if (left_behind >= 0) prefix = fmt::format("{}\n", simulation_.machine().cycle().count);
  }
  run_to(cycle);
  return prefix + session_.stopped(SIGTRAP, reason);
}

// "CYCLE\nREPLY"; in the present "CYCLE\nREASON\nFINGERPRINT", for the present to reply with.
std::string History::run_on(std::string_view packet, Cycles present) {
  Machine& machine = simulation_.machine();
  const Answer answer = session_.handle(packet);
  if (answer.action != Action::resume) return fmt::format("{}\n{}", machine.cycle().count, answer.reply.value_or(""));
  bool asked = false;
  bool stopped = false;
  while (machine.cycle() < present && !stopped && !asked) {
    machine.run_until(std::min(not_after(machine, present), machine.now() + look_every));
    stopped = target_.touched() || (machine.stopped() && target_.stopped_it());
    pollfd wanted{commands_, POLLIN, 0};
    asked = ::poll(&wanted, 1, 0) > 0;
  }
  if (asked) receive_message(commands_);
  const std::string reason = stopped ? target_.stop_reason() : "";
  if (machine.cycle() >= present)
    return fmt::format("{}\n{}\n{}", present.count, stopped ? reason : "replaylog:end;", fingerprint());
  return fmt::format("{}\n{}", machine.cycle().count, session_.stopped(stopped ? SIGTRAP : SIGINT, reason));
}

}  // namespace avrlan::debug
