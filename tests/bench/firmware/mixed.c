// Workload 2: sorts, prints and takes a CRC: calls, pushes, multiplications, flash reads.
#include <avr/pgmspace.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <util/crc16.h>

static int16_t values[64];
static char text[48];
volatile uint16_t result;

static int compare(const void* a, const void* b) {
  const int16_t x = *(const int16_t*)a, y = *(const int16_t*)b;
  return (x > y) - (x < y);
}

int main(void) {
  uint16_t crc = 0xFFFF;
  for (uint16_t round = 0;; ++round) {
    for (uint8_t n = 0; n < 64; ++n) values[n] = (int16_t)(crc * (n + 1u) ^ round);
    qsort(values, 64, sizeof values[0], compare);
    for (uint8_t n = 0; n < 64; n += 8) {
      const int size = snprintf_P(text, sizeof text, PSTR("%d: %04x %ld\n"), n, (unsigned)values[n], (long)values[n] * round);
      for (int k = 0; k < size; ++k) crc = _crc_ccitt_update(crc, (uint8_t)text[k]);
    }
    result = crc;
  }
}
