// Ends with status 3.
#include <stdlib.h>

#include "firmware/board/board.hpp"

int main() {
  board::set_up();
  board::Uart::print(PSTR("this image fails on purpose\n"));
  exit(board::finish(3));
}
