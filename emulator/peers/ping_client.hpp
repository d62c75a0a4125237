#pragma once
// Requests at an interval, and the answers that come to them: ICMP echo (RFC 792), or datagrams to a UDP echo service.

#include <map>
#include <vector>

#include "emulator/peers/client.hpp"

namespace avrlan::peers {

struct PingOptions {
  ClientOptions client;
  std::uint16_t port = 7;  // of UDP
  std::uint32_t count = 4;
  std::uint32_t size = 56;  // octets, at least 4: behind the ICMP header, or in the datagram
  Duration interval = Duration::seconds(1);
  Duration timeout = Duration::seconds(1);  // an answer that comes later counts as lost
  std::uint32_t lost = 0;                   // so many may be lost
};

class PingClient : public Client {
 public:
  PingClient(Host& host, const PingOptions& options);

 protected:
  void begin(const MacAddress& mac) override;
  void add_figures(nlohmann::ordered_json& json) const override;
  virtual void send(std::uint32_t number, std::vector<std::uint8_t> payload) = 0;
  // An answer with this payload has come.
  void answered(std::span<const std::uint8_t> payload);

  PingOptions options_;
  MacAddress target_mac_{};

 private:
  std::vector<std::uint8_t> payload(std::uint32_t number) const;
  void next();
  void finish_when_done();

  std::uint32_t sent_ = 0;
  std::uint32_t wrong_ = 0;  // answers with other octets
  std::map<std::uint32_t, Instant> outstanding_;
  TimeStatistics times_;
  Timer interval_, timeout_;
};

class IcmpPing : public PingClient {
 public:
  IcmpPing(Host& host, const PingOptions& options);

 protected:
  void send(std::uint32_t number, std::vector<std::uint8_t> payload) override;
};

class UdpPing : public PingClient {
 public:
  UdpPing(Host& host, const PingOptions& options);

 protected:
  void send(std::uint32_t number, std::vector<std::uint8_t> payload) override;
};

}  // namespace avrlan::peers
