// As mistakes.cpp, for an RTL8019AS on an Ethernut 1. What avrlan must say of each is in bus_mistakes_test.cpp.

#include <avr/io.h>
#include <stdint.h>
#include <util/delay.h>

#define MISTAKE_FUNCTION [[gnu::noinline, gnu::unused]] static void

namespace {

volatile uint8_t* const nic = reinterpret_cast<volatile uint8_t*>(0x8300);
enum : uint8_t {
  CR = 0x00,
  PSTART = 0x01,
  PSTOP = 0x02,
  BNRY = 0x03,
  TPSR = 0x04,
  TBCR0 = 0x05,
  TBCR1 = 0x06,
  ISR = 0x07,
  RSAR0 = 0x08,
  RSAR1 = 0x09,
  RBCR0 = 0x0A,
  RBCR1 = 0x0B,
  RCR = 0x0C,
  TCR = 0x0D,
  DCR = 0x0E,
  data_port = 0x10,
  reset_port = 0x1F,
  // page 1
  PAR0 = 0x01,
  CURR = 0x07,
  // page 3
  R9346CR = 0x01,
  CONFIG3 = 0x06,
};
enum : uint8_t {
  page1 = 0x40,
  page2 = 0x80,
  page3 = 0xC0,
  no_dma = 0x20,
  write = 0x10,
  read = 0x08,
  TXP = 4,
  STA = 2,
  STP = 1
};
const uint8_t first_page = 0x46, end_page = 0x60, transmit_page = 0x40;

void wake() {
  nic[CR] = page3 | no_dma | STP;
  nic[R9346CR] = 0xC0;
  nic[CONFIG3] = 0;
  nic[R9346CR] = 0;
  nic[CR] = no_dma | STP;
}
void start() {
  nic[DCR] = 0x48;
  nic[RBCR0] = 0;
  nic[RBCR1] = 0;
  nic[PSTART] = first_page;
  nic[PSTOP] = end_page;
  nic[BNRY] = end_page - 1;
  nic[TCR] = 0;
  nic[RCR] = 0x04;
  nic[ISR] = 0xFF;
  nic[CR] = page1 | no_dma | STP;
  for (uint8_t n = 0; n < 6; ++n) nic[PAR0 + n] = n == 0 ? 2 : n == 5 ? 1 : 0;
  nic[CURR] = first_page;
  nic[CR] = no_dma | STA;
}
// Awake, with a link, and ready for frames at 41 ms.
void begin() {
  wake();
  start();
  _delay_ms(40);
}
void stop() {
  nic[CR] = no_dma | STP;
  _delay_ms(2);
}
void set_remote(uint16_t address, uint16_t count) {
  nic[RSAR0] = static_cast<uint8_t>(address);
  nic[RSAR1] = static_cast<uint8_t>(address >> 8);
  nic[RBCR0] = static_cast<uint8_t>(count);
  nic[RBCR1] = static_cast<uint8_t>(count >> 8);
}
void fill(uint16_t address, uint16_t count) {
  set_remote(address, count);
  nic[CR] = write | STA;
  for (uint16_t n = 0; n < count; ++n) nic[data_port] = static_cast<uint8_t>(n < 6 ? 0xFF : n == 12 ? 0x88 : n);
  nic[CR] = no_dma | STA;
}
void transmit(uint8_t page, uint16_t count) {
  nic[TPSR] = page;
  nic[TBCR0] = static_cast<uint8_t>(count);
  nic[TBCR1] = static_cast<uint8_t>(count >> 8);
  nic[CR] = no_dma | TXP | STA;
}
void wait() {
  while (nic[CR] & TXP) {
  }
}
void fetch(uint16_t address, uint16_t count) {
  set_remote(address, count);
  nic[CR] = read | STA;
  while (count--) static_cast<void>(nic[data_port]);
  nic[CR] = no_dma | STA;
}

MISTAKE_FUNCTION nothing() {
  begin();
  fill(transmit_page << 8, 60);
  transmit(transmit_page, 60);
  wait();
  _delay_ms(20);
  fetch(first_page << 8, 68);
  nic[BNRY] = first_page;
}
MISTAKE_FUNCTION asleep() {
  start();
  fill(transmit_page << 8, 60);
  transmit(transmit_page, 60);
}
MISTAKE_FUNCTION config_locked() {
  begin();
  nic[CR] = page3 | no_dma | STA;
  nic[CONFIG3] = 0x40;
}
MISTAKE_FUNCTION data_port_idle() {
  begin();
  static_cast<void>(nic[data_port]);
}
MISTAKE_FUNCTION no_register() {
  begin();
  nic[CR] = page2 | no_dma | STA;
  static_cast<void>(nic[ISR]);
}
MISTAKE_FUNCTION overflow() {
  begin();
  _delay_ms(20);
}
MISTAKE_FUNCTION overflow_unserviced() {
  begin();
  while (!(nic[ISR] & 0x10)) {
  }
  nic[BNRY] = first_page + 5;
  _delay_ms(20);
}
MISTAKE_FUNCTION rd_zero() {
  begin();
  nic[CR] = STA;
}
MISTAKE_FUNCTION read_past_frame() {
  begin();
  _delay_ms(20);
  fetch(first_page << 8, 69);
}
MISTAKE_FUNCTION read_no_frame() {
  begin();
  fetch(first_page << 8, 4);
}
MISTAKE_FUNCTION read_unwritten() {
  begin();
  fetch(transmit_page << 8, 1);
}
MISTAKE_FUNCTION remote_dma_cut_off() {
  begin();
  set_remote(transmit_page << 8, 10);
  nic[CR] = write | STA;
  nic[data_port] = 0;
  nic[CR] = no_dma | STA;
}
MISTAKE_FUNCTION ring_pointer_outside() {
  begin();
  stop();
  nic[BNRY] = end_page;
  nic[CR] = no_dma | STA;
}
MISTAKE_FUNCTION ring_outside_memory() {
  begin();
  stop();
  nic[PSTOP] = 0x80;
  nic[CR] = no_dma | STA;
}
MISTAKE_FUNCTION transmit_area() {
  begin();
  transmit(first_page, 60);
}
MISTAKE_FUNCTION transmit_buffer_changed() {
  begin();
  fill(transmit_page << 8, 600);
  transmit(transmit_page, 600);
  fill(transmit_page << 8, 1);
}
MISTAKE_FUNCTION transmit_busy() {
  begin();
  fill(transmit_page << 8, 600);
  transmit(transmit_page, 600);
  nic[CR] = no_dma | TXP | STA;
}
MISTAKE_FUNCTION transmit_size() {
  begin();
  fill(transmit_page << 8, 59);
  transmit(transmit_page, 59);
  wait();
}
MISTAKE_FUNCTION transmit_while_stopped() {
  begin();
  stop();
  nic[CR] = no_dma | TXP | STP;
}
MISTAKE_FUNCTION word_transfer() {
  begin();
  stop();
  nic[DCR] = 0x49;
  nic[CR] = no_dma | STA;
}

}  // namespace

int main() {
  MCUCR = 1 << SRE | 1 << SRW10;
  const uint8_t kept = nic[reset_port];
  nic[reset_port] = kept;
  _delay_ms(1);
  MISTAKE();
}
