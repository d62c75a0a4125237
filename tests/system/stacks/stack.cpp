// Answers ARP and ping, and looks at UDP and TCP, with functions that have the names of a public stack's (-DUIP or
// -DLWIP) and do about the same work. They are what the profile's layers go by.

#include "../mistakes/chip.hpp"

#define NAMED extern "C" [[gnu::noinline, gnu::noclone, gnu::used]]

#ifdef UIP
#define RECEIVE network_read
#define SEND network_send
#define ARP_INPUT uip_arp_arpin
#define CHECKSUM uip_chksum
#define ICMP_INPUT uip_process
#define UDP_INPUT uip_udp_input
#define TCP_INPUT uip_add_rcv_nxt
#define APPLICATION httpd_appcall
#else
#define RECEIVE low_level_input
#define SEND low_level_output
#define ARP_INPUT etharp_input
#define CHECKSUM inet_chksum
#define ICMP_INPUT icmp_input
#define UDP_INPUT udp_input
#define TCP_INPUT tcp_input
#define APPLICATION http_recv
#endif

namespace {

using namespace chip;

uint8_t frame[600];
uint16_t next_packet;
const uint8_t own_mac[] = {2, 0, 0, 0, 0, 1};

}  // namespace

// 0: none. Polls EPKTCNT.
NAMED uint16_t RECEIVE() {
  if (read(EPKTCNT) == 0) return 0;
  write_pair(ERDPT, next_packet);
  select();
  exchange(0x3A);
  uint8_t header[6];
  for (uint8_t& octet : header) octet = exchange(0);
  const uint16_t n = static_cast<uint16_t>(header[2] | header[3] << 8) - 4;
  for (uint16_t i = 0; i < n && i < sizeof frame; ++i) frame[i] = exchange(0);
  deselect();
  next_packet = static_cast<uint16_t>(header[0] | header[1] << 8);
  release(next_packet);
  return n;
}

NAMED void SEND(uint16_t n) {
  wait_sent();
  put(tx_buffer, 0, frame, n);
  set(ECON1, TXRTS);
}

NAMED uint16_t CHECKSUM(const uint8_t* at, uint16_t n) {
  uint32_t sum = 0;
  for (uint16_t i = 0; i < n; ++i) sum += i & 1 ? at[i] : static_cast<uint16_t>(at[i] << 8);
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

NAMED void ARP_INPUT() {
  for (uint8_t i = 0; i < 10; ++i) {
    const uint8_t octet = frame[22 + i];
    frame[22 + i] = frame[32 + i];
    frame[32 + i] = octet;
  }
  for (uint8_t i = 0; i < 6; ++i) frame[22 + i] = own_mac[i];
  frame[21] = 2;
}

NAMED void ICMP_INPUT(uint16_t n) {
  for (uint8_t i = 0; i < 4; ++i) {
    const uint8_t octet = frame[26 + i];
    frame[26 + i] = frame[30 + i];
    frame[30 + i] = octet;
  }
  frame[34] = frame[36] = frame[37] = 0;
  const uint16_t sum = CHECKSUM(frame + 34, n - 34);
  frame[36] = static_cast<uint8_t>(sum >> 8);
  frame[37] = static_cast<uint8_t>(sum);
}

NAMED void APPLICATION(uint8_t octet) {
  for (uint8_t i = 0; i < 20; ++i) GPIOR0 = octet;
}
NAMED void UDP_INPUT() {
  APPLICATION(frame[42]);
}
NAMED void TCP_INPUT() {
  APPLICATION(frame[54]);
}

#ifdef LWIP
NAMED void ip4_input(uint16_t n) {
#else
NAMED void uip_input(uint16_t n) {
#endif
  if (CHECKSUM(frame + 14, 20) != 0) return;
  switch (frame[23]) {
    case 1:
      ICMP_INPUT(n);
      SEND(n);
      break;
    case 6:
      TCP_INPUT();
      break;
    case 17:
      UDP_INPUT();
      break;
  }
}

#ifdef LWIP
NAMED void ethernet_input(uint16_t n) {
#else
NAMED void uip_arp_ipin(uint16_t n) {
#endif
  for (uint8_t i = 0; i < 6; ++i) {
    frame[i] = frame[6 + i];
    frame[6 + i] = own_mac[i];
  }
  if (frame[13] == 6) {
    ARP_INPUT();
    SEND(42);
    return;
  }
#ifdef LWIP
  ip4_input(n);
#else
  uip_input(n);
#endif
}

int main() {
  begin();
  for (;;) {
    const uint16_t n = RECEIVE();
    if (n == 0) continue;
#ifdef LWIP
    ethernet_input(n);
#else
    uip_arp_ipin(n);
#endif
  }
}
