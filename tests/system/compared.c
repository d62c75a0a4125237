// A firmware in four variants for compare_test.cpp: as it is, SLOWER by one delay in one function, REORDERED in the file, and
// with one function INLINED.
#include <stdint.h>
#include <util/delay_basic.h>

volatile uint8_t sink;

#ifdef INLINED
#define CALLED static inline __attribute__((always_inline))
#else
#define CALLED __attribute__((noinline))
#endif

void work(void);
void other(void);

#ifdef REORDERED
__attribute__((noinline)) void other(void) {
  sink ^= 1;
}
#endif

__attribute__((noinline)) void work(void) {
#ifdef SLOWER
  _delay_loop_1(1);
#endif
  sink++;
}

#ifndef REORDERED
__attribute__((noinline)) void other(void) {
  sink ^= 1;
}
#endif

CALLED void helper(uint8_t n) {
  uint8_t sum = sink;
  for (uint8_t k = 0; k < n; ++k) {
    sum = (uint8_t)(sum * 3);
    sink = sum;
  }
}

int main(void) {
  for (uint8_t i = 0; i < 10; ++i) {
    work();
    other();
    helper(i);
  }
  return 0;
}
