// Takes frames by asking the chip for them all the time (common/drain.hpp).

#include "firmware/images/common/drain.hpp"

namespace {
image::Drain drain;
}

int main() {
  if (!drain.start(PSTR("drain-polled"))) return board::finish(1);
  while (!drain.done()) drain.take();
  return drain.report();
}
