// Ethernut 1: the stack and a buffer in external RAM, a crystal on timer 0, and an RTL8019AS that asks for attention by a low
// level at INT5. Every frame that it receives it sends back to whoever sent it; the main program counts meanwhile. The console
// hears what the start has found, and ends the run after STOP frames.

#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>
#include <stdlib.h>

namespace {

volatile uint8_t* const nic = reinterpret_cast<volatile uint8_t*>(0x8300);
uint8_t* const buffer = reinterpret_cast<uint8_t*>(0x2000);  // external
const uint8_t mac[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55};
const uint8_t ring_start = 0x46, ring_stop = 0x60;

uint8_t next_page = ring_start;
volatile uint8_t frames = 0;

void put(uint8_t octet) {
  while (!(UCSR0A & 1 << UDRE0)) {
  }
  UDR0 = octet;
}

void set_remote(uint16_t address, uint16_t count) {
  nic[0x08] = static_cast<uint8_t>(address);
  nic[0x09] = static_cast<uint8_t>(address >> 8);
  nic[0x0A] = static_cast<uint8_t>(count);
  nic[0x0B] = static_cast<uint8_t>(count >> 8);
}

void read(uint16_t address, uint8_t* to, uint16_t count) {
  set_remote(address, count);
  nic[0] = 0x0A;
  while (count-- != 0) *to++ = nic[0x10];
  nic[0] = 0x22;
}

void send(const uint8_t* from, uint16_t count) {
  set_remote(0x4000, count);
  nic[0] = 0x12;
  for (uint16_t n = 0; n != count; ++n) nic[0x10] = from[n];
  nic[0] = 0x22;
  nic[0x04] = 0x40;
  nic[0x05] = static_cast<uint8_t>(count);
  nic[0x06] = static_cast<uint8_t>(count >> 8);
  nic[0] = 0x26;
}

uint8_t current() {
  nic[0] = 0x62;
  const uint8_t page = nic[0x07];
  nic[0] = 0x22;
  return page;
}

void start_nic() {
  const uint8_t kept = nic[0x1F];
  nic[0x1F] = kept;
  while (!(nic[0x07] & 0x80)) {
  }
  nic[0] = 0xE1;
  nic[0x01] = 0xC0;
  nic[0x06] = 0x00;  // awake
  nic[0x01] = 0x00;
  nic[0] = 0x21;
  nic[0x0E] = 0x48;
  nic[0x0A] = 0;
  nic[0x0B] = 0;
  nic[0x01] = ring_start;
  nic[0x02] = ring_stop;
  nic[0x03] = ring_stop - 1;
  nic[0x0D] = 0;
  nic[0x0C] = 0x04;
  nic[0x07] = 0xFF;
  nic[0x0F] = 0x01;
  nic[0] = 0x61;
  for (uint8_t n = 0; n < 6; ++n) nic[1 + n] = mac[n];
  nic[0x07] = ring_start;
  nic[0] = 0x22;
}

}  // namespace

// Before main's first push.
__attribute__((naked, used, section(".init1"))) void enable_external_memory() {
  asm volatile("ldi r24, %0\n\tout %1, r24" ::"M"(1 << SRE | 1 << SRW10), "I"(_SFR_IO_ADDR(MCUCR)));
}
__attribute__((naked, used, section(".init3"))) void move_stack() {
  asm volatile("ldi r24, 0xFF\n\tout %0, r24\n\tldi r24, 0x7F\n\tout %1, r24" ::"I"(_SFR_IO_ADDR(SPL)),
               "I"(_SFR_IO_ADDR(SPH)));
}

ISR(INT5_vect) {
  nic[0x07] = 0x01;
  while (next_page != current()) {
    uint8_t header[4];
    read(static_cast<uint16_t>(next_page << 8), header, 4);
    const uint16_t octets = static_cast<uint16_t>((header[2] | header[3] << 8) - 4);
    read(static_cast<uint16_t>(next_page << 8) + 4, buffer, octets);
    next_page = header[1];
    nic[0x03] = next_page == ring_start ? ring_stop - 1 : next_page - 1;
    for (uint8_t n = 0; n < 6; ++n) {
      buffer[n] = buffer[6 + n];
      buffer[6 + n] = mac[n];
    }
    while (nic[0] & 0x04) {
    }
    send(buffer, octets);
    ++frames;
  }
}

int main() {
  UBRR0L = 7;  // 115,200
  UCSR0B = 1 << TXEN0;
  ASSR = 1 << AS0;
  TCCR0 = 1 << CS00;
  while (ASSR & (1 << TCN0UB | 1 << TCR0UB)) {
  }
  // 128 ticks of 32,768 Hz in units of 256 cycles.
  TCCR1B = 1 << CS12;
  const uint8_t tick = TCNT0;
  TCNT1 = 0;
  while (static_cast<uint8_t>(TCNT0 - tick) < 128) {
  }
  put(static_cast<uint8_t>(TCNT1));
  put(SPH);
  start_nic();
  put(nic[0x0A]);
  put(nic[0x0B]);
  EIMSK = 1 << INT5;  // EICRB is 0: the low level
  sei();
  while (frames != STOP) {
  }
  cli();
  while (nic[0] & 0x04) {
  }
  while (!(UCSR0A & 1 << UDRE0)) {
  }
  exit(7);
}
