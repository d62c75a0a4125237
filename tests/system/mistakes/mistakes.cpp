// Firmware that makes one mistake, the one that MISTAKE names, and ends. What avrlan must say of it is in
// mistakes_test.cpp.

#include "chip.hpp"

using namespace chip;

#define MISTAKE_FUNCTION [[gnu::noinline, gnu::unused]] static void

namespace {

uint8_t frame[600];

uint16_t checksum(const uint8_t* at, uint16_t n, uint32_t sum) {
  for (uint16_t i = 0; i < n; ++i) sum += i & 1 ? at[i] : static_cast<uint16_t>(at[i] << 8);
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}
void store(uint16_t at, uint16_t value) {
  frame[at] = static_cast<uint8_t>(value >> 8);
  frame[at + 1] = static_cast<uint8_t>(value);
}

// An IPv4 datagram for 10.0.2.2 from 10.0.2.15 with `n` octets behind its header; returns the frame's length.
uint16_t datagram(uint8_t protocol, uint16_t n) {
  static const uint8_t head[] = {2, 0, 0, 0, 0, 2,  2, 0, 0, 0,  0, 1, 8,  0,  0x45, 0, 0,
                                 0, 0, 0, 0, 0, 64, 0, 0, 0, 10, 0, 2, 15, 10, 0,    2, 2};
  for (uint8_t i = 0; i < sizeof head; ++i) frame[i] = head[i];
  frame[23] = protocol;
  store(16, 20 + n);
  store(24, 0);
  store(24, checksum(frame + 14, 20, 0));
  return 34 + n;
}
uint32_t pseudo_header(uint8_t protocol, uint16_t n) {
  return 0x0A00UL + 0x020F + 0x0A00 + 0x0202 + protocol + n;
}
uint16_t udp() {
  store(34, 7);
  store(36, 7);
  store(38, 28);
  store(40, 0);
  for (uint8_t i = 0; i < 20; ++i) frame[42 + i] = i;
  store(40, checksum(frame + 34, 28, pseudo_header(17, 28)));
  return datagram(17, 28);
}
uint16_t icmp() {
  store(34, 0x0800);
  store(36, 0);
  store(38, 1);
  store(40, 1);
  store(36, checksum(frame + 34, 8, 0));
  return datagram(1, 8);
}
// The connection's first octet has number 1 here and 1001 there; the peer offers a window of 100.
uint16_t tcp(uint8_t flags, uint32_t sequence, uint32_t acknowledgment, uint16_t octets, uint8_t fill = 'x') {
  store(34, 1025);
  store(36, 7);
  store(38, static_cast<uint16_t>(sequence >> 16));
  store(40, static_cast<uint16_t>(sequence));
  store(42, static_cast<uint16_t>(acknowledgment >> 16));
  store(44, static_cast<uint16_t>(acknowledgment));
  frame[46] = 0x50;
  frame[47] = flags;
  store(48, 500);
  store(50, 0);
  store(52, 0);
  for (uint16_t i = 0; i < octets; ++i) frame[54 + i] = fill;
  store(50, checksum(frame + 34, 20 + octets, pseudo_header(6, 20 + octets)));
  return datagram(6, 20 + octets);
}
const uint8_t SYN = 2, ACK = 16;
void connect() {
  send(frame, tcp(SYN, 0, 0, 0));
  wait_for_packets(1);
  send(frame, tcp(ACK, 1, 1001, 0));
}

MISTAKE_FUNCTION nothing() {
  begin();
  wait_for_packets(1);
  read_octets(0, header_size);
  read_octets(header_size, 60);
  release(70);
  connect();
  send(frame, tcp(ACK, 1, 1001, 100));
  send(frame, udp());
  send(frame, icmp());
}

// --- the receive buffer

MISTAKE_FUNCTION rx_pointer_even() {
  begin();
  write_pair(ERXRDPT, 0x0100);
}
MISTAKE_FUNCTION rx_pointer_outside() {
  begin();
  write_pair(ERXRDPT, 0x1FFF);
}
MISTAKE_FUNCTION rx_start_not_zero() {
  begin();
  clear(ECON1, RXEN);
  write_pair(ERXST, 0x0600);
  set(ECON1, RXEN);
}
MISTAKE_FUNCTION overflow() {
  begin();
  while (!(read(EIR) & RXERIF)) {
  }
}
MISTAKE_FUNCTION overflow_unserviced() {
  begin();
  while (!(read(EIR) & RXERIF)) {
  }
  read(EPKTCNT);
  release(static_cast<uint16_t>(6 + 1518));
  _delay_ms(10);
}
MISTAKE_FUNCTION pktdec_at_zero() {
  begin();
  read(EPKTCNT);
  set(ECON2, PKTDEC);
}
MISTAKE_FUNCTION packet_count_not_read() {
  begin();
  while (!(read(EIR) & PKTIF)) {
  }
  release(70);
}
MISTAKE_FUNCTION read_past_packet() {
  begin();
  wait_for_packets(2);
  read_octets(header_size, 200);
}
MISTAKE_FUNCTION read_past_the_last_packet() {
  begin();
  wait_for_packets(1);
  write_pair(EWRPT, 70);
  write_octet(0);
  read_octets(header_size, 65);
}
MISTAKE_FUNCTION read_unwritten() {
  begin();
  read_octets(0x1E00, 1);
}

// --- transmission

MISTAKE_FUNCTION transmit_area() {
  begin();
  put(0x1000, 0, frame, udp());
  set(ECON1, TXRTS);
  wait_sent();
}
MISTAKE_FUNCTION transmit_busy() {
  begin();
  put(tx_buffer, 0, frame, udp());
  set(ECON1, TXRTS);
  set(ECON1, TXRTS);
  wait_sent();
}
MISTAKE_FUNCTION transmit_buffer_changed() {
  begin();
  put(tx_buffer, 0, frame, udp());
  write_pair(EWRPT, tx_buffer + 1);
  set(ECON1, TXRTS);
  write_octet(2);
  wait_sent();
}
MISTAKE_FUNCTION transmitter_stalled() {  // every frame meets a late collision
  begin();
  for (uint8_t i = 0; i < 2; ++i) {
    put(tx_buffer, 0, frame, 500);
    set(ECON1, TXRTS);
    _delay_ms(1);
    clear(ECON1, TXRTS);
  }
}
MISTAKE_FUNCTION duplex_mismatch() {
  begin();
  write(MACON3, 0x33);
  send(frame, udp());
}
MISTAKE_FUNCTION sleep_while_transmitting() {
  begin();
  put(tx_buffer, 0, frame, udp());
  set(ECON1, TXRTS);
  set(ECON2, PWRSV);
}

// --- commands and registers

MISTAKE_FUNCTION unknown_command() {
  begin();
  command(0xE0, 0);
}
MISTAKE_FUNCTION mac_read_without_dummy() {
  begin();
  bank_of(MACON1);
  read_byte(MACON1, 1);
}
MISTAKE_FUNCTION wrong_bank() {  // ERXNDL read for MISTAT
  begin();
  bank(0);
  read_byte(MISTAT, 2);
}
MISTAKE_FUNCTION no_register() {
  begin();
  write(0x41, 0);  // MACON2 of old headers
}
MISTAKE_FUNCTION read_only() {
  begin();
  write(EPKTCNT, 0);
}
MISTAKE_FUNCTION reserved_address() {
  begin();
  write(0x1A, 0);
}
MISTAKE_FUNCTION reserved_bits() {
  begin();
  write(MACON1, 0x11);
}
MISTAKE_FUNCTION bit_field_on_mac() {
  begin();
  bank_of(MACON3);
  set(MACON3, 0x32);
}
MISTAKE_FUNCTION mii_busy() {
  begin();
  write(MIREGADR, 0);
  command(0x40 | (MICMD & 0x1F), 1);
  read_byte(MIRD, 2);
}
MISTAKE_FUNCTION mii_write_busy() {
  begin();
  bank_of(MIWR);
  for (uint8_t i = 0; i < 2; ++i) command(0x40 | ((MIWR + 1) & 0x1F), 0);
}
MISTAKE_FUNCTION clock_not_ready() {
  set_up_pins();
  write(MACON1, 0x01);
}
MISTAKE_FUNCTION too_soon_after_reset() {
  begin();
  command(0xFF, 0);
  write(MACON1, 0x01);
}
MISTAKE_FUNCTION reset_asleep() {
  begin();
  set(ECON2, PWRSV);
  select();
  exchange(0xFF);
  deselect();
}

// --- DMA

void set_up_dma(uint16_t first, uint16_t last) {
  write_pair(EDMAST, first);
  write_pair(EDMAND, last);
  write_pair(EDMADST, tx_buffer);
}
MISTAKE_FUNCTION dma_never_ends() {
  begin();
  set_up_dma(0, 0);
  set(ECON1, DMAST);
}
MISTAKE_FUNCTION checksum_while_receiving() {
  begin();
  set_up_dma(0, fifo_end);
  set(ECON1, CSUMEN);
  for (uint8_t i = 0; i < 50; ++i) {
    set(ECON1, DMAST);
    _delay_us(300);
  }
}

// --- what goes out on the wire

MISTAKE_FUNCTION no_fcs() {
  begin();
  send(frame, 600, 0x01);  // POVERRIDE without PCRCEN
}
MISTAKE_FUNCTION no_padding() {
  begin();
  send(frame, icmp(), 0x03);  // POVERRIDE and PCRCEN without PPADEN
}
MISTAKE_FUNCTION ipv4_checksum() {
  begin();
  const uint16_t n = udp();
  frame[22] = 63;
  send(frame, n);
}
MISTAKE_FUNCTION udp_checksum() {
  begin();
  const uint16_t n = udp();
  frame[45] ^= 1;
  send(frame, n);
}
MISTAKE_FUNCTION icmp_checksum() {
  begin();
  const uint16_t n = icmp();
  frame[39] ^= 1;
  send(frame, n);
}
MISTAKE_FUNCTION tcp_checksum() {
  begin();
  const uint16_t n = tcp(SYN, 0, 0, 0);
  frame[49] ^= 1;
  send(frame, n);
}
MISTAKE_FUNCTION ipv4_length() {
  begin();
  datagram(17, 100);
  send(frame, 80);
}
MISTAKE_FUNCTION udp_length() {
  begin();
  udp();
  store(38, 29);
  send(frame, datagram(17, 28));
}
MISTAKE_FUNCTION tcp_length() {
  begin();
  tcp(SYN, 0, 0, 0);
  frame[46] = 0x60;
  send(frame, datagram(6, 20));
}
MISTAKE_FUNCTION tcp_ack() {
  begin();
  connect();
  send(frame, tcp(ACK, 1, 1002, 0));
}
MISTAKE_FUNCTION tcp_window() {
  begin();
  connect();
  send(frame, tcp(ACK, 1, 1001, 101));
}
MISTAKE_FUNCTION tcp_resend() {
  begin();
  connect();
  send(frame, tcp(ACK, 1, 1001, 50, 'x'));
  send(frame, tcp(ACK, 1, 1001, 50, 'y'));
}
MISTAKE_FUNCTION tcp_sequence() {
  begin();
  connect();
  send(frame, tcp(ACK, 2, 1001, 10));
}

}  // namespace

int main() {
  MISTAKE();
}
