// Workload 1: the internet checksum (RFC 1071) over 1024 bytes, again and again.
#include <stdint.h>

static uint8_t packet[1024];
volatile uint16_t result;

static uint16_t checksum(const uint8_t* bytes, uint16_t size) {
  uint32_t sum = 0;
  for (; size > 1; size -= 2, bytes += 2) sum += (uint16_t)(bytes[0] << 8 | bytes[1]);
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return (uint16_t)~sum;
}

int main(void) {
  for (uint16_t n = 0; n < sizeof packet; ++n) packet[n] = (uint8_t)(n * 7);
  for (;;) {
    result = checksum(packet, sizeof packet);
    ++packet[result & 1023];
  }
}
