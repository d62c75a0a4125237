#include "emulator/net/gateway.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <libslirp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>

#include "emulator/board/firmware.hpp"
#include "emulator/net/flows.hpp"
#include "emulator/net/guard.hpp"
#include "emulator/net/outbox.hpp"

namespace avrlan::net {
namespace {

// libslirp takes time 0 for "not set".
constexpr Duration clock_offset = Duration::seconds(1);
// libslirp 4.7.0 main.h: TIMEOUT_SLOW counts the TCP timers down, TIMEOUT_FAST sends delayed ACKs.
constexpr Duration slow_interval = Duration::milliseconds(500);
constexpr std::uint32_t fast_milliseconds = 2;
// libslirp listens with a backlog of 1.
constexpr int listen_backlog = 128;

in_addr to_in_addr(std::uint32_t address) {
  return in_addr{htonl(address)};
}

std::string bind_hint(const HostForward& forward, int error) {
  const std::string free_port =
      fmt::format("--hostfwd {}:{}:0-:{}", forward.udp ? "udp" : "tcp", "127.0.0.1", forward.guest_port);
  switch (error) {
    case EADDRINUSE:
      return fmt::format("end what uses the port, choose another, or let one be picked: {}", free_port);
    case EACCES:
      return fmt::format("ports below 1024 need privileges; choose a higher one, or let one be picked: {}", free_port);
    case EADDRNOTAVAIL:
      return "the host has no such address; 127.0.0.1 always works, 0.0.0.0 is all of the host's addresses";
    default:
      return fmt::format("let a port be picked: {}", free_port);
  }
}

short to_poll_events(int slirp_events) {
  int events = 0;
  if (slirp_events & SLIRP_POLL_IN) events |= POLLIN;
  if (slirp_events & SLIRP_POLL_OUT) events |= POLLOUT;
  if (slirp_events & SLIRP_POLL_PRI) events |= POLLPRI;
  return static_cast<short>(events);  // POLLERR and POLLHUP are always reported
}

int to_slirp_events(short revents) {
  int events = 0;
  if (revents & POLLIN) events |= SLIRP_POLL_IN;
  if (revents & POLLOUT) events |= SLIRP_POLL_OUT;
  if (revents & POLLPRI) events |= SLIRP_POLL_PRI;
  if (revents & (POLLERR | POLLNVAL)) events |= SLIRP_POLL_ERR;
  if (revents & POLLHUP) events |= SLIRP_POLL_HUP;
  return events;
}

struct SlirpDeleter {
  void operator()(Slirp* slirp) const { slirp_cleanup(slirp); }
};

}  // namespace

class Gateway::Impl {
 public:
  Impl(Scheduler& scheduler, FrameSink& to_board, const GatewayOptions& options, DropCounters& drops)
      : scheduler_(scheduler),
        drops_(drops),
        guard_(options.host_access),
        forwards_(options.forwards),
        outbox_(scheduler, to_board) {
    std::signal(SIGPIPE, SIG_IGN);  // slirp sends without MSG_NOSIGNAL
    start_slirp(options);
    run_timers();  // sets slirp's idea of the time before any socket is dated with it
    for (HostForward& forward : forwards_) open(forward);
    plan_slow_tick();
  }

  ~Impl() {
    scheduler_.cancel(slow_tick_);
    scheduler_.cancel(fast_tick_);
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void deliver(const EthernetFrame& frame) {
    GuardVerdict verdict = guard_.examine(frame, flows_, scheduler_.now());
    if (verdict.dropped) {
      drops_.count(*verdict.dropped);
      if (!verdict.answer.empty()) send(verdict.answer);
      return;
    }
    slirp_input(slirp_.get(), verdict.pass.data(), static_cast<int>(verdict.pass.size()));
    // What waited in slirp for an ARP reply goes out only when slirp is polled.
    if (read16(verdict.pass, 12) == ethertype_arp) run_timers();
    plan_fast_tick();
  }

  bool poll_host(int milliseconds, int wake_fd) {
    fill();
    const std::size_t slirp_fds = fds_.size();
    if (wake_fd >= 0) fds_.push_back(pollfd{wake_fd, POLLIN, 0});
    const int count = ::poll(fds_.data(), fds_.size(), milliseconds);
    fds_.resize(slirp_fds);
    const bool ready =
        count > 0 && std::any_of(fds_.begin(), fds_.end(), [](const pollfd& p) { return p.revents != 0; });
    if (ready) {
      slirp_pollfds_poll(slirp_.get(), 0, &Impl::revents_of, this);
      plan_fast_tick();
    }
    return ready;
  }

  HostState host_state() {
    const HostState state = flows_.state(scheduler_.now());
    // The host has not taken everything that the firmware sent.
    return state == HostState::idle && write_pending_ ? HostState::connected : state;
  }

  void give_up_waiting() { flows_.give_up_waiting(); }
  const std::vector<HostForward>& forwards() const { return forwards_; }

 private:
  void start_slirp(const GatewayOptions& options) {
    callbacks_.send_packet = [](const void* octets, std::size_t length, void* self) -> ssize_t {
      static_cast<Impl*>(self)->send({static_cast<const std::uint8_t*>(octets), length});
      return static_cast<ssize_t>(length);
    };
    callbacks_.guest_error = [](const char*, void*) {};
    callbacks_.clock_get_ns = [](void* self) -> std::int64_t {
      return (static_cast<Impl*>(self)->scheduler_.now().since_start() + clock_offset).nanoseconds();
    };
    // The only timer that slirp has is for IPv6 router advertisements; these are never called.
    callbacks_.timer_new = [](SlirpTimerCb, void*, void*) -> void* { return nullptr; };
    callbacks_.timer_free = [](void*, void*) {};
    callbacks_.timer_mod = [](void*, std::int64_t, void*) {};
    callbacks_.register_poll_fd = [](int, void*) {};
    callbacks_.unregister_poll_fd = [](int, void*) {};
    callbacks_.notify = [](void*) {};

    const bool forwards_udp = std::any_of(options.forwards.begin(), options.forwards.end(),
                                          [](const HostForward& forward) { return forward.udp; });
    SlirpConfig config{};
    config.version = 4;
    config.restricted = options.restricted ? 1 : 0;
    config.in_enabled = true;
    config.vnetwork = to_in_addr(user_network::network);
    config.vnetmask = to_in_addr(user_network::netmask);
    config.vhost = to_in_addr(user_network::gateway);
    config.vdhcp_start = to_in_addr(user_network::first_lease);
    config.vnameserver = to_in_addr(user_network::name_server);
    // A second lock behind the guard. With it slirp also refuses the firmware's answers to a forwarded datagram, so that
    // with a UDP forward the guard stands alone.
    config.disable_host_loopback = !options.host_access && !forwards_udp;
    slirp_.reset(slirp_new(&config, &callbacks_, this));
    if (!slirp_) throw HostError("libslirp does not start", "run without a network: --net none");
  }

  void open(HostForward& forward) {
    fill();
    const std::vector<pollfd> before = fds_;
    if (slirp_add_hostfwd(slirp_.get(), forward.udp ? 1 : 0, to_in_addr(forward.host_address), forward.host_port,
                          to_in_addr(forward.guest_address), forward.guest_port) != 0) {
      const int error = errno;
      throw HostError(fmt::format("cannot forward {}: {}", forward.to_string(), std::strerror(error)),
                      bind_hint(forward, error));
    }
    fill();
    // The socket that is new now is the forward's: slirp does not say which port it was given.
    const auto socket = std::find_if(fds_.begin(), fds_.end(), [&before](const pollfd& p) {
      return std::none_of(before.begin(), before.end(), [&p](const pollfd& old) { return old.fd == p.fd; });
    });
    sockaddr_in name{};
    socklen_t length = sizeof name;
    if (socket == fds_.end() || ::getsockname(socket->fd, reinterpret_cast<sockaddr*>(&name), &length) != 0 ||
        (!forward.udp && ::listen(socket->fd, listen_backlog) != 0)) {
      throw HostError(fmt::format("cannot forward {}: libslirp's socket is not to be found", forward.to_string()),
                      "use libslirp 4.7");
    }
    forward.host_port = ntohs(name.sin_port);
  }

  void send(std::span<const std::uint8_t> octets) {
    if (octets.size() >= ethernet_header && read16(octets, 12) == ethertype_ipv4) {
      if (const auto packet = Packet::parse(octets.subspan(ethernet_header))) {
        flows_.to_board(*packet, scheduler_.now());
      }
    }
    outbox_.put(EthernetFrame::padded(octets));
  }

  // Asks slirp what it waits for. Returns after how many milliseconds it wants to be polled.
  std::uint32_t fill() {
    fds_.clear();
    write_pending_ = false;
    std::uint32_t timeout = UINT32_MAX;
    slirp_pollfds_fill(
        slirp_.get(), &timeout,
        [](int fd, int events, void* opaque) {
          auto* self = static_cast<Impl*>(opaque);
          self->write_pending_ |= (events & SLIRP_POLL_OUT) != 0;
          self->fds_.push_back(pollfd{fd, to_poll_events(events), 0});
          return static_cast<int>(self->fds_.size()) - 1;
        },
        this);
    return timeout;
  }

  static int revents_of(int index, void* opaque) {
    return to_slirp_events(static_cast<Impl*>(opaque)->fds_[static_cast<std::size_t>(index)].revents);
  }

  // slirp's timers on virtual time, without a look at the host's sockets.
  void run_timers() {
    slirp_pollfds_poll(
        slirp_.get(), 0, [](int, void*) { return 0; }, this);
  }

  // At fixed multiples of the interval, whatever else polls slirp in between: no tick comes early or gets lost.
  void plan_slow_tick() {
    slow_tick_ = scheduler_.after(slow_interval, [this] {
      run_timers();
      plan_fast_tick();
      plan_slow_tick();
    });
  }

  void plan_fast_tick() {
    if (fill() > fast_milliseconds || fast_tick_) return;
    fast_tick_ = scheduler_.after(Duration::milliseconds(fast_milliseconds), [this] {
      fast_tick_ = {};
      run_timers();
      plan_fast_tick();
    });
  }

  Scheduler& scheduler_;
  DropCounters& drops_;
  Guard guard_;
  Flows flows_;
  std::vector<HostForward> forwards_;
  Outbox outbox_;
  SlirpCb callbacks_{};
  std::unique_ptr<Slirp, SlirpDeleter> slirp_;
  std::vector<pollfd> fds_;  // as slirp numbered them in the last fill()
  bool write_pending_ = false;
  Scheduler::EventId slow_tick_;
  Scheduler::EventId fast_tick_;
};

Gateway::Gateway(Scheduler& scheduler, FrameSink& to_board, const GatewayOptions& options)
    : impl_(std::make_unique<Impl>(scheduler, to_board, options, drops_)) {}
Gateway::~Gateway() = default;
void Gateway::deliver(const EthernetFrame& frame) {
  impl_->deliver(frame);
}
const std::vector<HostForward>& Gateway::forwards() const {
  return impl_->forwards();
}
bool Gateway::poll_host(int milliseconds, int wake_fd) {
  return impl_->poll_host(milliseconds, wake_fd);
}
HostState Gateway::host_state() const {
  return impl_->host_state();
}

std::vector<std::string> Gateway::announcements() const {
  std::vector<std::string> lines;
  for (const HostForward& forward : forwards()) lines.push_back("forwarding " + forward.to_string());
  return lines;
}

void Gateway::give_up_waiting() {
  impl_->give_up_waiting();
}

}  // namespace avrlan::net
