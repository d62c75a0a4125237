#include "emulator/peers/host.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "emulator/net/link.hpp"
#include "emulator/net/packet.hpp"
#include "emulator/peers/frame_memory.hpp"
#include "emulator/peers/mss_clamp.hpp"
#include "stack/stack.hpp"

namespace avrlan::peers {

namespace {

constexpr std::uint16_t udp_most = 1472;
constexpr Duration arp_interval = Duration::milliseconds(100);
constexpr Duration arp_patience = Duration::seconds(1);
constexpr std::size_t least_frame = 14;
constexpr std::size_t arp_sender_mac = 22, arp_sender_address = 28, arp_target_address = 38;
// What is queued less than this is worth a call of writable().
constexpr std::size_t low_water = 32'768;

// Stands where the stack's applications have one port.
struct Ports {
  std::set<std::uint16_t> numbers;

  explicit operator bool() const { return !numbers.empty(); }
  friend bool operator==(const tcpip::Be16& port, const Ports& ports) { return ports.numbers.contains(port); }
};

tcpip::MacAddress to_stack(const MacAddress& mac) {
  tcpip::MacAddress address{};
  std::ranges::copy(mac, address.octet);
  return address;
}
std::uint32_t to_number(const tcpip::Ipv4Address& address) {
  return net::read32(address.octet, 0);
}

class Line;

// What the stack's applications tell of connections and datagrams.
class Listener {
 public:
  virtual ~Listener() = default;
  // The line of a connection that the stack tells of for the first time. Null: we have given it up.
  virtual Line* line_of(tcpip::WindowedConnection& connection, tcpip::TcpEvent event) = 0;
  virtual void received(std::uint16_t port, const Datagram& datagram) = 0;
};

// Every connection of a host, whatever its port.
struct TcpBridge : tcpip::TcpApplication {
  struct State {
    Line* line;
  };
  Ports port;
  std::uint16_t buffer = 0;
  Listener* listener = nullptr;

  std::uint16_t space(const State& s) const;
  void event(tcpip::WindowedConnection& connection, State& s, tcpip::TcpEvent event);
  template <class Reader>
  void received(tcpip::WindowedConnection& connection, State& s, Reader& data);
  template <class Writer>
  void produce(tcpip::Connection& connection, State& s, std::uint32_t offset, Writer& writer);
};

struct UdpBridge : tcpip::UdpApplication {
  Ports port;
  Listener* listener = nullptr;

  template <class Message>
  void received(Message& message) {
    std::vector<std::uint8_t> data(message.left());
    message.read(data.data(), message.left());
    listener->received(message.destination_port(),
                       {to_number(message.source), message.source_port, message.broadcast(), data});
  }
};

template <bool delayed_acks, bool by_dhcp>
struct Config : tcpip::Full {
  using Device = FrameMemory;
  using TcpApplications = tcpip::List<TcpBridge>;
  using UdpApplications = tcpip::List<UdpBridge>;
  static constexpr std::uint8_t arp_entries = 32;
  static constexpr std::uint8_t connections = 64;
  static constexpr std::uint8_t reassemblies = 4;
  static constexpr std::uint16_t reassembly_size = 2040;
  static constexpr std::uint16_t reorder_size = 32'767;
  static constexpr std::uint8_t reorder_runs = 32;
  static constexpr std::uint16_t initial_window = 14'600;
  static constexpr std::uint16_t delayed_ack_ms = delayed_acks ? 200 : 0;
  static constexpr bool dhcp = by_dhcp;
  static constexpr bool dhcp_server = true;
};

// The stack, whatever its configuration.
class AnyStack {
 public:
  virtual ~AnyStack() = default;
  virtual void begin(const HostOptions& options, const std::uint8_t* secret, std::uint32_t now_ms) = 0;
  virtual void poll(std::uint32_t now_ms) = 0;
  // Nothing but the end of TIME-WAIT is waited for.
  virtual bool is_quiet() const = 0;
  virtual std::uint32_t address() const = 0;
  virtual FrameMemory& device() = 0;
  virtual TcpBridge& tcp() = 0;
  virtual UdpBridge& udp() = 0;
  virtual tcpip::WindowedConnection* connect(std::uint32_t to, std::uint16_t port) = 0;
  virtual bool send(std::uint32_t to, std::uint16_t port, std::uint16_t own_port,
                    std::span<const std::uint8_t> data) = 0;
};

template <bool delayed_acks, bool by_dhcp>
class SomeStack : public AnyStack, private tcpip::Stack<Config<delayed_acks, by_dhcp>> {
  using Base = tcpip::Stack<Config<delayed_acks, by_dhcp>>;

 public:
  void begin(const HostOptions& options, const std::uint8_t* secret, std::uint32_t now_ms) override {
    Base::begin(to_stack(options.mac), secret, now_ms);
    if (!by_dhcp) {
      Base::configure(tcpip::to_address(options.address), tcpip::to_address(options.mask),
                      tcpip::to_address(options.gateway));
    }
  }
  void poll(std::uint32_t now_ms) override { Base::poll(now_ms); }
  bool is_quiet() const override {
    return Base::is_configured() && std::ranges::all_of(this->connections_, [](const auto& connection) {
             return connection.state() == tcpip::TcpState::closed || connection.state() == tcpip::TcpState::time_wait;
           });
  }
  std::uint32_t address() const override { return to_number(Base::address()); }
  FrameMemory& device() override { return Base::device(); }
  TcpBridge& tcp() override { return Base::template tcp_application<TcpBridge>(); }
  UdpBridge& udp() override { return Base::template udp_application<UdpBridge>(); }
  tcpip::WindowedConnection* connect(std::uint32_t to, std::uint16_t port) override {
    return static_cast<tcpip::WindowedConnection*>(Base::template connect<TcpBridge>(tcpip::to_address(to), port));
  }
  bool send(std::uint32_t to, std::uint16_t port, std::uint16_t own_port, std::span<const std::uint8_t> data) override {
    auto datagram = Base::datagram(tcpip::to_address(to), port, own_port);
    if (!datagram) return false;
    datagram.write(data.data(), static_cast<std::uint16_t>(data.size()));
    datagram.send();
    return true;
  }
};

std::unique_ptr<AnyStack> make_stack(const HostOptions& options) {
  const bool by_dhcp = options.address == 0;
  if (options.delayed_acks) {
    if (by_dhcp) return std::make_unique<SomeStack<true, true>>();
    return std::make_unique<SomeStack<true, false>>();
  }
  if (by_dhcp) return std::make_unique<SomeStack<false, true>>();
  return std::make_unique<SomeStack<false, false>>();
}

// What a Line asks of its host.
class LineOwner {
 public:
  virtual ~LineOwner() = default;
  // The stack has something to do for a connection.
  virtual void wake() = 0;
  // The connection is over.
  virtual void forget(Line& line) = 0;
};

class Line final : public TcpLine {
 public:
  Line(LineOwner& owner, tcpip::WindowedConnection& connection, std::uint16_t window,
       std::unique_ptr<TcpSession> session)
      : remote_address_(to_number(connection.remote_address())),
        remote_port_(connection.remote_port()),
        owner_(owner),
        connection_(&connection),
        window_(window),
        session_(std::move(session)) {
    connection.no_delay(true);
  }

  std::uint32_t remote_address() const override { return remote_address_; }
  std::uint16_t remote_port() const override { return remote_port_; }
  void send(std::span<const std::uint8_t> octets) override {
    out_.insert(out_.end(), octets.begin(), octets.end());
    wake();
  }
  std::size_t unacknowledged() const override { return out_.size(); }
  void close() override {
    if (!connection_) return;
    connection_->close();
    wake();
  }
  void abort() override {
    if (!connection_) return;
    connection_->abort();
    wake();
    leave();
  }
  void read(std::size_t octets) override {
    unread_ -= std::min(unread_, octets);
    wake();
  }

  // Where the stack has it, so that it hears no more of a line that is over.
  void keep_at(Line** place) {
    place_ = place;
    *place = this;
  }
  TcpSession& session() { return *session_; }
  const tcpip::Connection* connection() const { return connection_; }
  std::uint16_t space() const { return static_cast<std::uint16_t>(window_ - std::min<std::size_t>(unread_, window_)); }

  void event(tcpip::TcpEvent event) {
    if (event == tcpip::TcpEvent::connected) session_->connected(*this);
    if (event == tcpip::TcpEvent::acked) take_acknowledgement();
    if ((event == tcpip::TcpEvent::connected || event == tcpip::TcpEvent::acked) && connection_ &&
        out_.size() < low_water)
      session_->writable(*this);
    if (event == tcpip::TcpEvent::peer_closed) session_->peer_closed(*this);
    if (event < tcpip::TcpEvent::closed || !connection_) return;
    leave();
    session_->ended(event == tcpip::TcpEvent::closed    ? TcpEnd::closed
                    : event == tcpip::TcpEvent::aborted ? TcpEnd::reset
                                                        : TcpEnd::timed_out);
  }
  void received(std::span<const std::uint8_t> octets) {
    if (session_->reads_late()) unread_ += octets.size();
    session_->received(*this, octets);
  }
  // As TcpApplication::produce.
  std::span<const std::uint8_t> from(std::uint32_t offset) const {
    const std::uint32_t skip = offset - start_;
    return skip < out_.size() ? std::span(out_).subspan(skip) : std::span<const std::uint8_t>();
  }

 private:
  void wake() {
    if (!connection_) return;
    connection_->wake();
    owner_.wake();
  }
  void leave() {
    if (place_) *place_ = nullptr;
    owner_.forget(*this);
    connection_ = nullptr;
  }
  void take_acknowledgement() {
    const std::uint32_t n = connection_->acknowledged() - start_;
    out_.erase(out_.begin(), out_.begin() + std::min<std::ptrdiff_t>(n, std::ssize(out_)));
    start_ += n;
  }

  const std::uint32_t remote_address_;
  const std::uint16_t remote_port_;
  LineOwner& owner_;
  tcpip::WindowedConnection* connection_;  // null: over
  Line** place_ = nullptr;
  std::uint16_t window_;
  std::unique_ptr<TcpSession> session_;
  std::vector<std::uint8_t> out_;  // from `start_` of the stream on
  std::uint32_t start_ = 0;
  std::size_t unread_ = 0;
};

std::uint16_t TcpBridge::space(const State& s) const {
  return s.line ? s.line->space() : buffer;
}
void TcpBridge::event(tcpip::WindowedConnection& connection, State& s, tcpip::TcpEvent event) {
  const bool first = event == tcpip::TcpEvent::connected || event >= tcpip::TcpEvent::closed;
  if (!s.line && first) {
    if (Line* line = listener->line_of(connection, event)) line->keep_at(&s.line);
  }
  if (s.line) s.line->event(event);
}
template <class Reader>
void TcpBridge::received(tcpip::WindowedConnection&, State& s, Reader& data) {
  std::vector<std::uint8_t> octets(data.left());
  data.read(octets.data(), data.left());
  if (s.line) s.line->received(octets);
}
template <class Writer>
void TcpBridge::produce(tcpip::Connection&, State& s, std::uint32_t offset, Writer& writer) {
  if (!s.line) return;
  const auto octets = s.line->from(offset);
  writer.write(octets.data(), static_cast<std::uint16_t>(std::min<std::size_t>(octets.size(), writer.room())));
}

}  // namespace

std::string_view to_string(TcpEnd end) {
  switch (end) {
    case TcpEnd::closed:
      return "closed";
    case TcpEnd::reset:
      return "reset";
    case TcpEnd::timed_out:
      return "timed-out";
    case TcpEnd::no_room:
      return "no-room";
  }
  return "no-room";
}

void TcpLine::send(std::string_view text) {
  send(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

// The stack of a host, when it is called, and what it is asked for.
class Host::Sockets final : public Listener, public LineOwner {
 public:
  Sockets(Host& host, const HostOptions& options) : host_(host), stack_(make_stack(options)) {
    net::LinkRandom random(options.seed ^ net::read32(options.mac, 2));
    std::array<std::uint8_t, 16> secret{};
    for (auto& octet : secret) octet = static_cast<std::uint8_t>(random.next());
    stack_->tcp().listener = this;
    stack_->tcp().buffer = options.window;
    stack_->udp().listener = this;
    stack_->begin(options, secret.data(), milliseconds());
    wake();
  }
  ~Sockets() override { host_.scheduler_.cancel(event_); }

  AnyStack& stack() { return *stack_; }

  void deliver(const EthernetFrame& frame) {
    waiting_.push_back(frame);
    wake();
  }
  void listen(std::uint16_t port, Accept accept) {
    stack_->tcp().port.numbers.insert(port);
    accepts_[port] = std::move(accept);
  }
  void bind(std::uint16_t port, std::function<void(const Datagram&)> received) {
    stack_->udp().port.numbers.insert(port);
    receivers_[port] = std::move(received);
  }
  void connect(std::uint32_t address, std::uint16_t port, std::unique_ptr<TcpSession> session) {
    openings_.push_back({address, port, std::move(session)});
    wake();
  }
  void send(std::uint32_t address, std::uint16_t port, std::uint16_t own_port, std::vector<std::uint8_t> data) {
    datagrams_.push_back({host_.scheduler_.now() + arp_patience, address, port, own_port, std::move(data)});
    wake();
  }
  void wake() override { schedule(host_.scheduler_.now()); }

 private:
  struct Opening {
    std::uint32_t address;
    std::uint16_t port;
    std::unique_ptr<TcpSession> session;
  };
  struct Unsent {
    Instant until;
    std::uint32_t address;
    std::uint16_t port;
    std::uint16_t own_port;
    std::vector<std::uint8_t> data;
  };

  std::uint32_t milliseconds() const {
    return static_cast<std::uint32_t>(host_.scheduler_.now().since_start().milliseconds());
  }

  void schedule(Instant when) {
    if (when >= due_) return;
    host_.scheduler_.cancel(event_);
    due_ = when;
    event_ = host_.scheduler_.at(when, [this] { run(); });
  }

  void run() {
    due_ = Instant::never();
    for (const EthernetFrame& frame : std::exchange(waiting_, {})) {
      host_.look_for_answers(frame);
      for (const auto& watcher : host_.watchers_) watcher(frame);
      stack_->device().waiting.push_back(clamp_mss(frame.octets, host_.options_.mss));
    }
    do stack_->poll(milliseconds());
    while (!stack_->device().waiting.empty());
    open();
    send();
    for (const auto& octets : std::exchange(stack_->device().sent, {}))
      host_.out_.deliver(EthernetFrame::padded(clamp_mss(octets, host_.options_.mss)));
    over_.clear();
    const bool ticks = !stack_->is_quiet() || !datagrams_.empty();
    const Duration step = ticks ? Duration::milliseconds(16) : Duration::seconds(1);
    schedule(Instant::at(step * (host_.scheduler_.now().since_start() / step + 1)));
  }

  void open() {
    for (Opening& opening : std::exchange(openings_, {})) {
      tcpip::WindowedConnection* connection = stack_->connect(opening.address, opening.port);
      if (!connection) {
        opening.session->ended(TcpEnd::no_room);
        continue;
      }
      Line& line = add_line(*connection, std::move(opening.session));
      opening_[connection] = &line;
      line.session().opening(line);
    }
  }
  void send() {
    std::erase_if(datagrams_, [this](const Unsent& unsent) {
      return stack_->send(unsent.address, unsent.port, unsent.own_port, unsent.data) ||
             host_.scheduler_.now() >= unsent.until;
    });
  }

  Line& add_line(tcpip::WindowedConnection& connection, std::unique_ptr<TcpSession> session) {
    lines_.push_back(std::make_unique<Line>(*this, connection, stack_->tcp().buffer, std::move(session)));
    return *lines_.back();
  }

  Line* line_of(tcpip::WindowedConnection& connection, tcpip::TcpEvent event) override {
    if (const auto opened = opening_.find(&connection); opened != opening_.end()) {
      Line* line = opened->second;
      opening_.erase(opened);
      return line;
    }
    if (event != tcpip::TcpEvent::connected) return nullptr;
    return &add_line(connection, accepts_.at(connection.local_port())());
  }
  void forget(Line& line) override {
    if (const auto opened = opening_.find(line.connection()); opened != opening_.end() && opened->second == &line)
      opening_.erase(opened);
    const auto found = std::ranges::find(lines_, &line, &std::unique_ptr<Line>::get);
    over_.push_back(std::move(*found));
    lines_.erase(found);
  }
  void received(std::uint16_t port, const Datagram& datagram) override { receivers_.at(port)(datagram); }

  Host& host_;
  std::unique_ptr<AnyStack> stack_;
  std::deque<EthernetFrame> waiting_;
  std::map<std::uint16_t, Accept> accepts_;
  std::map<std::uint16_t, std::function<void(const Datagram&)>> receivers_;
  std::vector<Opening> openings_;
  std::vector<Unsent> datagrams_;
  std::map<const tcpip::Connection*, Line*> opening_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<std::unique_ptr<Line>> over_;  // kept until their callers have returned
  Instant due_ = Instant::never();
  Scheduler::EventId event_;
};

Host::Host(Scheduler& scheduler, FrameSink& out, const HostOptions& options)
    : scheduler_(scheduler), out_(out), options_(options), sockets_(std::make_unique<Sockets>(*this, options)) {}

Host::~Host() {
  scheduler_.cancel(asking_);
}

void Host::deliver(const EthernetFrame& frame) {
  if (!frame.fcs_ok())
    drops_.count(DropReason::bad_fcs);
  else if (frame.octets.size() < least_frame)
    drops_.count(DropReason::runt);
  else if (frame.octets.size() > max_frame_octets)
    drops_.count(DropReason::giant);
  else
    sockets_->deliver(frame);
}

std::uint32_t Host::address() const {
  return sockets_->stack().address();
}

void Host::listen(std::uint16_t port, Accept accept) {
  sockets_->listen(port, std::move(accept));
}
void Host::connect(std::uint32_t address, std::uint16_t port, std::unique_ptr<TcpSession> session) {
  sockets_->connect(address, port, std::move(session));
}
void Host::receive_datagrams(std::uint16_t port, std::function<void(const Datagram&)> received) {
  sockets_->bind(port, std::move(received));
}
void Host::send_datagram(std::uint32_t address, std::uint16_t port, std::uint16_t own_port,
                         std::vector<std::uint8_t> data) {
  data.resize(std::min<std::size_t>(data.size(), udp_most));
  sockets_->send(address, port, own_port, std::move(data));
}

void Host::on_frame(std::function<void(const EthernetFrame&)> seen) {
  watchers_.push_back(std::move(seen));
}
void Host::send_frame(std::span<const std::uint8_t> octets) {
  out_.deliver(EthernetFrame::padded(octets));
}

void Host::find(std::uint32_t address, Instant until, Found found) {
  const bool on_link = options_.address == 0 || ((address ^ options_.address) & options_.mask) == 0;
  searches_.push_back({on_link || options_.gateway == 0 ? address : options_.gateway, until, std::move(found)});
  scheduler_.cancel(asking_);
  asking_ = scheduler_.at(scheduler_.now(), [this] { ask(); });
}

void Host::ask() {
  for (Search& search : take_searches([this](const Search& s) { return s.until <= scheduler_.now(); }))
    search.found(std::nullopt);
  for (const Search& search : searches_) {
    // RFC 826: Ethernet, IPv4, request.
    std::array<std::uint8_t, 42> request{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0,
                                         0,    8,    6,    0,    1,    8,    0, 6, 4, 0, 1};
    std::ranges::copy(options_.mac, request.begin() + 6);
    std::ranges::copy(options_.mac, request.begin() + arp_sender_mac);
    net::write32(request, arp_sender_address, this->address());
    net::write32(request, arp_target_address, search.address);
    send_frame(request);
  }
  if (!searches_.empty()) asking_ = scheduler_.after(arp_interval, [this] { ask(); });
}

void Host::look_for_answers(const EthernetFrame& frame) {
  const std::span<const std::uint8_t> octets = frame.octets;
  if (octets.size() < arp_target_address + 4 || net::read16(octets, 12) != net::ethertype_arp) return;
  MacAddress mac{};
  std::ranges::copy(octets.subspan(arp_sender_mac, mac.size()), mac.begin());
  const std::uint32_t sender = net::read32(octets, arp_sender_address);
  for (Search& search : take_searches([sender](const Search& s) { return s.address == sender; })) search.found(mac);
}

std::vector<Host::Search> Host::take_searches(const std::function<bool(const Search&)>& which) {
  std::vector<Search> taken;
  for (auto search = searches_.begin(); search != searches_.end();) {
    if (!which(*search)) {
      ++search;
      continue;
    }
    taken.push_back(std::move(*search));
    search = searches_.erase(search);
  }
  return taken;
}

}  // namespace avrlan::peers
