#ifndef FIRMWARE_IMAGES_COMMON_CONFORM_HPP
#define FIRMWARE_IMAGES_COMMON_CONFORM_HPP
// The images that tests/conformance talks to: stack/app/test_services.hpp, with the UART for commands and reports.

#include "firmware/board/board.hpp"
#include "firmware/board/identity.hpp"
#include "stack/app/test_services.hpp"
#include "stack/drivers/enc28j60.hpp"

namespace image {

struct Report {
  static void put(char what) { board::Uart::put(what); }
};

// A frame, a command, or time for the stack's timers.
inline void wait_for_work(uint32_t since) {
  while (!board::nic::calls() && !(UCSR0A & 1 << RXC0) && board::Clock::milliseconds() - since < 8) board::idle();
}

template <class Config>
int conform(bool configured) {
  static tcpip::Stack<Config> stack;
  board::set_up();
  UCSR0B |= 1 << RXEN0;
  static const uint8_t secret[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  if (!stack.begin(board::mac_address(), secret, board::Clock::milliseconds())) return 1;
  if (configured)
    stack.configure(tcpip::test_services::own_address, tcpip::test_services::own_mask,
                    tcpip::test_services::own_gateway);
  while (!stack.device().link_up()) board::idle();
  board::Uart::print(PSTR("ready\n"));
  for (;;) {
    const uint32_t now = board::Clock::milliseconds();
    stack.poll(now);
    if (UCSR0A & 1 << RXC0) tcpip::test_services::command<Report>(stack, static_cast<char>(UDR0));
    wait_for_work(now);
  }
}

}  // namespace image

#endif
