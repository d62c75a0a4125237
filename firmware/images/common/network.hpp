#ifndef FIRMWARE_IMAGES_COMMON_NETWORK_HPP
#define FIRMWARE_IMAGES_COMMON_NETWORK_HPP
// What the networked images have in common: a chip, an address by DHCP, and a main loop that sleeps.

#include "firmware/board/board.hpp"
#include "firmware/board/identity.hpp"

#include BOARD_NIC

#include "stack/stack.hpp"

namespace image {

template <class Of>
struct ProfileOf : Of {
  using Device = board::Nic<Of>;
  // The smallest that RFC 1122 3.3.2 allows, where the chip's memory is short.
  static constexpr uint16_t reassembly_size = Of::reassembly_size < Device::store_size ? Of::reassembly_size : 560;
  static constexpr bool udp = true;
  static constexpr bool dhcp = true;
  static constexpr bool preload = !Of::sliding_window;
};
using Profile = ProfileOf<tcpip::Minimal>;

inline void print(tcpip::Ipv4Address address) {
  for (uint8_t i = 0; i < 4; ++i) {
    if (i != 0) board::Uart::put('.');
    board::Uart::print(uint32_t{address.octet[i]});
  }
}

template <class Stack>
class Network {
 public:
  explicit Network(Stack& stack) : stack_(stack) {}

  // Prints the image's name, starts the board and the stack, and gives the link two seconds to come up, so that the first
  // request for an address is not lost. False: no chip has answered for a second; that was printed.
  bool start(const char* name) {
    using board::Uart;
    board::set_up();
    Uart::print(PSTR("avrlan "));
    Uart::print(name);
    Uart::print(PSTR(" on "));
    Uart::print(board::name());
    Uart::put('\n');
    uint8_t secret[16];
    board::Entropy::fill(secret, sizeof secret);
    const tcpip::MacAddress mac = board::mac_address();
    while (!stack_.begin(mac, secret, board::Clock::milliseconds())) {
      if (board::Clock::seconds() == 0) continue;
      Uart::print(PSTR("no " BOARD_NIC_NAME " answers: check its wiring and supply\n"));
      return false;
    }
    const uint32_t started = board::Clock::milliseconds();
    while (!stack_.device().link_up() && board::Clock::milliseconds() - started < 2000) board::idle();
    return true;
  }

  // One round of the main loop: serves the stack, tells of a new address, sleeps until a frame comes or the stack's timers
  // want to be looked at. True once a second.
  bool round() {
    const uint32_t now = board::Clock::milliseconds();
    serve(now);
    while (!board::nic::calls() && board::Clock::milliseconds() - now < timer_period_ms) board::idle();
    return every_second();
  }

  // The parts of a round, for an image that takes frames in an interrupt.
  static constexpr uint8_t timer_period_ms = 16;
  [[gnu::always_inline]] void serve(uint32_t now) {
    stack_.poll(now);
    tell_address();
  }
  [[gnu::always_inline]] bool every_second() {
    if (board::Clock::seconds() == second_) return false;
    second_ = board::Clock::seconds();
    stack_.device().link_up();  // the driver looks after its chip meanwhile
    return true;
  }

 private:
  void tell_address() {
    if (stack_.address() == told_) return;
    told_ = stack_.address();
    if (told_.is_zero()) {
      board::Uart::print(PSTR("address lost"));
    } else {
      board::Uart::print(PSTR("address "));
      print(told_);
    }
    board::Uart::put('\n');
  }

  Stack& stack_;
  uint32_t second_ = 0;
  tcpip::Ipv4Address told_ = {};
};

}  // namespace image

#endif
