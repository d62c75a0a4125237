#pragma once
// A TAP interface of this host (Linux): the board is a station on the host's own network stack. Frames as they are
// (IFF_TAP | IFF_NO_PI, no vnet header: with one, Linux leaves checksums for the card to finish).
//
// Takes the interface that there is, or makes one that goes away with this object. Making one, and giving it an address, needs
// CAP_NET_ADMIN; one made with `ip tuntap add NAME mode tap user USER` is that user's to take without any privilege.
// Not supported: several queues, bridging (`ip link set NAME master BRIDGE` does it from outside).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/net/file_descriptor.hpp"
#include "emulator/net/packet_backend.hpp"

namespace avrlan::net {

struct TapOptions {
  // The host's own address on the interface; host byte order.
  struct Address {
    std::uint32_t address = 0;
    unsigned prefix_length = 24;  // 1 to 32
    // A.B.C.D/N; nullopt for anything else.
    static std::optional<Address> parse(std::string_view text);
    std::string to_string() const;
  };
  static constexpr std::size_t longest_name = 15;

  std::string interface = "avrlan0";
  std::optional<Address> address;
};

class Tap : public PacketBackend {
 public:
  // An interface that it has made, or that it gives an address to, is also set up. Throws HostError that says which privilege
  // is missing and how to do without.
  Tap(Scheduler& scheduler, FrameSink& to_board, const TapOptions& options);

  // "tap interface avrlan0, made by this run, 10.0.2.2/24"
  std::vector<std::string> announcements() const override;
  std::string name() const override;

 private:
  void send(std::span<const std::uint8_t> octets) override;
  pollfd awaited() const override { return {device_.get(), POLLIN, 0}; }
  void ready(short revents) override;

  FileDescriptor device_;
  TapOptions options_;
  bool made_ = false;
};

}  // namespace avrlan::net
