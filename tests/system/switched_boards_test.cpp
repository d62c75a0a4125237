// Two boards and libslirp on a switch: each gets an address of its own, and a client on the host reaches either. Boards and
// switch run in turns that are shorter than the cables' delay, so none can miss what another sends.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "emulator/cli/simulation.hpp"
#include "emulator/net/file_descriptor.hpp"
#include "emulator/net/switch.hpp"

namespace avrlan::test {
namespace {

constexpr Duration delay = Duration::microseconds(40);
constexpr Duration turn = delay / 2;

// The frames that enter at one time line, for another one.
class Cable : public net::Backend {
 public:
  explicit Cable(Scheduler& from) : from_(from) {}
  void deliver(const EthernetFrame& frame) override { sent_.push_back({from_.now() + delay, frame}); }
  void pass_on(Scheduler& scheduler, FrameSink& to) {
    for (Sent& sent : sent_) scheduler.at(sent.arrives, [&to, frame = std::move(sent.frame)] { to.deliver(frame); });
    sent_.clear();
  }

 private:
  struct Sent {
    Instant arrives;
    EthernetFrame frame;
  };
  Scheduler& from_;
  std::vector<Sent> sent_;
};

class SwitchedBoards : public testing::Test {
 protected:
  struct Station {
    Station(SwitchedBoards& test, const std::string& name, std::uint8_t number)
        : port(test.fabric.add_port({name, {}})),
          firmware(Firmware::load_elf(AVRLAN_FIRMWARE_DIR "/uno-enc28j60/web.elf")),
          from_switch(test.scheduler) {
      port.connect(from_switch);
      firmware.eeprom = {0x02, 0, 0, 0, 0, number};
      simulation.emplace(find_board("uno-enc28j60"), firmware, SimulationOptions{},
                         [this](Scheduler& scheduler, FrameSink& to_board) {
                           own_time = &scheduler;
                           board = &to_board;
                           auto cable = std::make_unique<Cable>(scheduler);
                           to_switch = cable.get();
                           return cable;
                         });
      simulation->machine().on_uart([this](std::uint8_t byte) { uart += static_cast<char>(byte); });
    }
    net::Switch::Port& port;
    Firmware firmware;
    Cable from_switch;
    Cable* to_switch = nullptr;
    Scheduler* own_time = nullptr;
    FrameSink* board = nullptr;
    std::optional<Simulation> simulation;
    std::string uart;
  };

  static net::GatewayOptions forwards() {
    net::GatewayOptions options;
    for (const char* to : {"10.0.2.15", "10.0.2.16"})
      options.forwards.push_back(net::HostForward::parse(std::string("tcp::0-") + to + ":80"));
    return options;
  }
  void run_until(const std::function<bool()>& reached) {
    const Instant limit = scheduler.now() + Duration::seconds(20);
    while (!reached() && scheduler.now() < limit) {
      const Instant end = scheduler.now() + turn;
      for (Station* station : {&first, &second}) station->simulation->machine().run_until(end);
      gateway.poll_host(0);
      scheduler.run_until(end);
      for (Station* station : {&first, &second}) {
        station->to_switch->pass_on(scheduler, station->port);
        station->from_switch.pass_on(*station->own_time, *station->board);
      }
    }
    ASSERT_TRUE(reached()) << first.uart << second.uart;
  }
  std::string get(std::size_t forward) {
    const net::FileDescriptor client(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(gateway.forwards()[forward].host_port);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    const std::string request = "GET / HTTP/1.0\r\n\r\n";
    EXPECT_EQ(::send(client.get(), request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
    std::string page;
    bool closed = false;
    run_until([&] {
      char octets[2000];
      const ssize_t size = ::recv(client.get(), octets, sizeof octets, MSG_DONTWAIT);
      if (size > 0) page.append(octets, static_cast<std::size_t>(size));
      closed = size == 0;
      return closed;
    });
    return page;
  }

  Scheduler scheduler;
  net::Switch fabric{scheduler};
  net::Switch::Port& gateway_port = fabric.add_port({"gateway", {net::user_network::hardware_prefix}});
  net::Gateway gateway{scheduler, gateway_port, forwards()};
  Station first{*this, "first", 1}, second{*this, "second", 2};
};

TEST_F(SwitchedBoards, HaveTheirOwnAddressesAndAreReachedAtThem) {
  gateway_port.connect(gateway);
  run_until([&] { return first.uart.ends_with("15\n") && second.uart.ends_with("16\n"); });
  EXPECT_NE(get(1).find("address    10.0.2.16\n"), std::string::npos);
  EXPECT_NE(get(0).find("address    10.0.2.15\n"), std::string::npos);
  EXPECT_EQ(fabric.port_of({0x02, 0, 0, 0, 0, 1}), &first.port);
  EXPECT_EQ(fabric.port_of({0x02, 0, 0, 0, 0, 2}), &second.port);
  EXPECT_EQ(fabric.drops().total(), 0U);
  EXPECT_EQ(gateway.drops().total(), 0U);
}

}  // namespace
}  // namespace avrlan::test
