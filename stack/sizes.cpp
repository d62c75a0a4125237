// What sizes.sh compiles: a stack of the parts that SIZE_... name, and a driver that does nothing.
#include "stack/app/echo.hpp"
#include "stack/app/http_server.hpp"
#include "stack/stack.hpp"

struct NullDevice {
  static bool begin(const tcpip::MacAddress&);
  static bool link_up();
  static uint16_t rx_open();
  static void rx_read(uint16_t, void*, uint16_t);
  static uint16_t rx_sum(uint16_t, uint16_t);
  static void rx_close();
  static constexpr uint16_t store_size = 2064;
  static bool store_rx(uint16_t, uint16_t, uint16_t);
  static void rx_from_store(uint16_t, uint16_t);
  static bool tx_open(uint16_t);
  static void tx_write(const void*, uint16_t);
  static uint16_t tx_write_sum(const void*, uint16_t, uint16_t);
  static bool tx_copy_rx(uint16_t, uint16_t);
  static void tx_patch(uint16_t, const void*, uint16_t);
  static void tx_send(uint16_t);
  static bool tx_hold();
  static void tx_resume();
};
uint32_t milliseconds();

#ifdef SIZE_OF_DRIVER
bool NullDevice::begin(const tcpip::MacAddress&) {
  return true;
}
bool NullDevice::link_up() {
  return true;
}
uint16_t NullDevice::rx_open() {
  return 0;
}
void NullDevice::rx_read(uint16_t, void*, uint16_t) {}
uint16_t NullDevice::rx_sum(uint16_t, uint16_t) {
  return 0;
}
void NullDevice::rx_close() {}
bool NullDevice::store_rx(uint16_t, uint16_t, uint16_t) {
  return false;
}
void NullDevice::rx_from_store(uint16_t, uint16_t) {}
bool NullDevice::tx_open(uint16_t) {
  return true;
}
void NullDevice::tx_write(const void*, uint16_t) {}
uint16_t NullDevice::tx_write_sum(const void*, uint16_t, uint16_t) {
  return 0;
}
bool NullDevice::tx_copy_rx(uint16_t, uint16_t) {
  return false;
}
void NullDevice::tx_patch(uint16_t, const void*, uint16_t) {}
void NullDevice::tx_send(uint16_t) {}
bool NullDevice::tx_hold() {
  return false;
}
void NullDevice::tx_resume() {}
uint32_t milliseconds() {
  return 0;
}
#elif defined(SIZE_OF_NOTHING)
int main() {
  NullDevice device;
  device.begin(tcpip::MacAddress());
  for (;;) {
    uint8_t octet;
    milliseconds();
    device.rx_open();
    device.rx_read(0, &octet, 1);
    device.rx_sum(0, 0);
    device.rx_close();
    device.store_rx(0, 0, 0);
    device.rx_from_store(0, 0);
    device.tx_open(0);
    device.tx_write_sum(&octet, 1, 0);
    device.tx_copy_rx(0, 0);
    device.tx_patch(0, &octet, 1);
    device.tx_send(0);
    device.tx_hold();
    device.tx_resume();
  }
}
#else
// Of internal linkage, as in a firmware: the compiler sees that nobody else calls what is instantiated for it.
namespace {

struct Site {
  void request(const char*, const char*, tcpip::HttpResponse&) {}
  template <class Text>
  void body(const tcpip::HttpResponse&, Text&) {}
};

// The least that uses all of TCP.
struct Discard : tcpip::TcpApplication {
  static constexpr uint16_t port = 9;
  template <class State, class Writer>
  void produce(tcpip::Connection& connection, State&, uint32_t, Writer& writer) {
    writer.write(&connection, 1);
  }
};

struct Config : tcpip::SIZE_PROFILE {
  using Device = NullDevice;
  static constexpr bool tcp = SIZE_TCP;
  static constexpr bool udp = SIZE_UDP;
  static constexpr bool dhcp = SIZE_DHCP;
#if SIZE_HTTP
  using TcpApplications = tcpip::List<tcpip::HttpServer<Site> >;
#else
  using TcpApplications = tcpip::List<Discard>;
#endif
#if SIZE_UDP
  using UdpApplications = tcpip::List<tcpip::UdpEcho>;
#endif
};

tcpip::Stack<Config> stack;

}  // namespace

int main() {
  static const uint8_t secret[16] = {};
  stack.begin(tcpip::MacAddress(), secret, milliseconds());
#if !SIZE_DHCP
  stack.configure(tcpip::Ipv4Address(), tcpip::Ipv4Address(), tcpip::Ipv4Address());
#endif
  for (;;) stack.poll(milliseconds());
}
#endif
