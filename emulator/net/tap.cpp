#include "emulator/net/tap.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "emulator/board/host_error.hpp"
#include "emulator/net/address_text.hpp"

namespace avrlan::net {
namespace {

constexpr const char* tun_device = "/dev/net/tun";
constexpr std::string_view without = "or do without: --net user needs no privilege";

[[noreturn]] void fail(const std::string& what, const std::string& hint) {
  throw HostError(fmt::format("{}: {}", what, std::strerror(errno)), hint);
}

std::string privilege_hint(const std::string& interface) {
  return fmt::format(
      "CAP_NET_ADMIN is missing; have root make the interface for you: `ip tuntap add {} mode tap user $USER`, then "
      "`ip "
      "addr add 10.0.2.2/24 dev {}` and `ip link set {} up`; {}",
      interface, interface, interface, without);
}

std::string hint_for(const std::string& interface) {
  switch (errno) {
    case EPERM:
    case EACCES:
      return privilege_hint(interface);
    case EBUSY:
      return fmt::format("another program has {}; end it, or name another interface: tap,ifname=NAME", interface);
    case EINVAL:
      return fmt::format("{} is no TAP interface of one queue; name another: tap,ifname=NAME", interface);
    default:
      return std::string(without.substr(3));
  }
}

FileDescriptor open_device() {
  FileDescriptor device(::open(tun_device, O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (device) return device;
  const bool missing = errno == ENOENT || errno == ENODEV || errno == ENXIO;
  fail(fmt::format("--net tap: cannot open {}", tun_device),
       missing ? fmt::format("load the kernel's module `tun` (in a container: --device {}), {}", tun_device, without)
               : fmt::format("this user may not: have root run `chmod a+rw {}`, {}", tun_device, without));
}

ifreq request_for(const std::string& interface) {
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

void set_address(int control, const std::string& interface, unsigned long what, std::uint32_t address) {
  ifreq request = request_for(interface);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(address);
  std::memcpy(&request.ifr_addr, &name, sizeof name);
  if (::ioctl(control, what, &request) != 0)
    fail(fmt::format("--net tap: cannot give {} its address", interface), hint_for(interface));
}

void set_up(const std::string& interface, const std::optional<TapOptions::Address>& address) {
  const FileDescriptor control(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (address) {
    set_address(control.get(), interface, SIOCSIFADDR, address->address);
    set_address(control.get(), interface, SIOCSIFNETMASK, ~std::uint32_t{0} << (32 - address->prefix_length));
  }
  ifreq request = request_for(interface);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (::ioctl(control.get(), SIOCSIFFLAGS, &request) != 0)
    fail(fmt::format("--net tap: cannot set {} up", interface), hint_for(interface));
}

bool is_up(const std::string& interface) {
  const FileDescriptor control(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request = request_for(interface);
  return ::ioctl(control.get(), SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP) != 0;
}

}  // namespace

std::optional<TapOptions::Address> TapOptions::Address::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  in_addr parsed{};
  Address address;
  const std::string_view length = text.substr(slash + 1);
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), address.prefix_length);
  if (::inet_pton(AF_INET, std::string(text.substr(0, slash)).c_str(), &parsed) != 1 || error != std::errc() ||
      end != length.data() + length.size() || address.prefix_length < 1 || address.prefix_length > 32)
    return std::nullopt;
  address.address = ntohl(parsed.s_addr);
  return address;
}

std::string TapOptions::Address::to_string() const {
  return fmt::format("{}/{}", address_text(address), prefix_length);
}

Tap::Tap(Scheduler& scheduler, FrameSink& to_board, const TapOptions& options)
    : PacketBackend(scheduler, to_board),
      device_(open_device()),
      options_(options),
      made_(::if_nametoindex(options.interface.c_str()) == 0) {
  ifreq request = request_for(options.interface);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (::ioctl(device_.get(), TUNSETIFF, &request) != 0)
    fail(fmt::format("--net tap: cannot {} the interface {}", made_ ? "make" : "take", options.interface),
         hint_for(options.interface));
  if (made_ || options.address) set_up(options.interface, options.address);
}

std::vector<std::string> Tap::announcements() const {
  std::vector<std::string> lines = {fmt::format("tap interface {}{}{}", options_.interface,
                                                made_ ? ", made for this run" : "",
                                                options_.address ? ", " + options_.address->to_string() : "")};
  if (!is_up(options_.interface)) lines.push_back(fmt::format("{0} is down: `ip link set {0} up`", options_.interface));
  return lines;
}

std::string Tap::name() const {
  return fmt::format("the host's network at the interface {}", options_.interface);
}

void Tap::send(std::span<const std::uint8_t> octets) {
  if (::write(device_.get(), octets.data(), octets.size()) >= 0) return;
  // EIO: the interface is not up.
  drops_.count(errno == EIO ? DropReason::link_down : DropReason::backend_full);
}

void Tap::ready(short revents) {
  if ((revents & POLLIN) == 0) {
    throw HostError(fmt::format("--net tap: the interface {} is gone", options_.interface),
                    "leave it alone while a run has it");
  }
  // One octet more than a frame can have shows one that is too long.
  std::array<std::uint8_t, max_frame_octets + 1> octets;
  for (int n = 0; n != most_at_once; ++n) {
    const ssize_t size = ::read(device_.get(), octets.data(), octets.size());
    if (size < 0) return;
    receive(std::span(octets).first(static_cast<std::size_t>(size)));
  }
}

}  // namespace avrlan::net
