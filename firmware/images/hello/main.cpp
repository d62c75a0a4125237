// Says hello and ends with status 0.
#include "firmware/board/board.hpp"

int main() {
  board::set_up();
  board::Uart::print(PSTR("hello\n"));
  return board::finish(0);
}
