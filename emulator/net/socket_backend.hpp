#pragma once
// A far end that is a program: another avrlan, QEMU's `-netdev stream` and `-netdev dgram`, or whoever speaks as they do.
//
// Over a stream (TCP, AF_UNIX), a frame is preceded by its length, 4 octets, most significant first. There is one peer at a
// time. Over datagrams (UDP, AF_UNIX) each is a frame.
// Not supported: multicast, file descriptors of the parent, several peers: put a switch in between.

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "emulator/net/file_descriptor.hpp"
#include "emulator/net/host_socket.hpp"
#include "emulator/net/packet_backend.hpp"
#include "emulator/net/socket_address.hpp"

namespace avrlan::net {

struct SocketOptions {
  enum class Kind : std::uint8_t {
    listen,   // a stream; the peer comes to `local`
    connect,  // a stream; the peer is at `remote`
    datagram  // from `local` to `remote`
  };
  Kind kind = Kind::listen;
  SocketAddress local;
  SocketAddress remote;
  // connect: how long to wait, in virtual time, before it is tried again, also the first time. Without, the peer has to be there
  // at the start, and once it is gone it stays so.
  std::optional<Duration> reconnect;
};

class StreamBackend : public PacketBackend {
 public:
  // A length that no frame has (QEMU's NET_BUFSIZE is the limit): the stream is out of step, and is closed.
  static constexpr std::size_t longest_frame = 4096 + 65536;
  // Frames that wait for the host to take them; the next is dropped as backend_full.
  static constexpr std::size_t longest_queue = 256;

  // Listens, or connects: then waits at most five seconds of wall time for the peer, unless `reconnect`. Throws HostError.
  //
  // While nobody is there, what the board sends is dropped as link_down; so is what waits when the peer goes. Who listens
  // then takes the next one; others who come meanwhile wait until the peer has gone.
  // A frame cut off by the end, or a length above longest_frame, counts as malformed.
  StreamBackend(Scheduler& scheduler, FrameSink& to_board, const SocketOptions& options);
  ~StreamBackend() override;

  // "waiting for a peer at 127.0.0.1:40123", "connected to unix:/tmp/cable"
  std::vector<std::string> announcements() const override;
  std::string name() const override;
  bool has_peer() const { return connection_ && !connecting_; }
  // Where it listens, with the port that was picked, or the peer's address.
  const SocketAddress& address() const { return listener_ ? listener_->address() : options_.remote; }

 private:
  void send(std::span<const std::uint8_t> octets) override;
  pollfd awaited() const override;
  void ready(short revents) override;

  void accept();
  void connect();
  void finish_connecting();
  void wait_for_peer();
  void peer_is_there();
  void peer_is_gone();
  void try_again_later();
  void flush();
  void take_frames();

  Scheduler& scheduler_;
  SocketOptions options_;
  std::optional<BoundSocket> listener_;
  ResolvedAddress remote_;
  FileDescriptor connection_;
  bool connecting_ = false;
  Scheduler::EventId retry_;
  std::vector<std::uint8_t> in_;
  std::deque<std::vector<std::uint8_t>> out_;  // with their lengths
  std::size_t sent_of_first_ = 0;
};

class DatagramBackend : public PacketBackend {
 public:
  // Throws HostError. The peer need not be there: until it is, what the board sends is dropped as link_down. Where the host
  // cannot take more, as backend_full. UDP takes datagrams from `remote` only.
  DatagramBackend(Scheduler& scheduler, FrameSink& to_board, const SocketOptions& options);

  // "datagrams from 127.0.0.1:40123 to 127.0.0.1:5000"
  std::vector<std::string> announcements() const override;
  std::string name() const override;
  // With the port that was picked.
  const SocketAddress& local() const { return socket_.address(); }

 private:
  void send(std::span<const std::uint8_t> octets) override;
  pollfd awaited() const override { return {socket_.fd(), POLLIN, 0}; }
  void ready(short revents) override;

  SocketAddress remote_;
  ResolvedAddress peer_;
  BoundSocket socket_;
};

}  // namespace avrlan::net
