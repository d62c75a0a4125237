#pragma once
// The least that brings an ENC28J60 up on an Arduino Uno, and makes no mistake. What mistakes.cpp does with it does.

#include <avr/io.h>
#include <stdint.h>
#include <util/delay.h>

namespace chip {

// Bank << 5 | address; those of all banks have their address alone (DS39662E table 3-1).
enum Register : uint8_t {
  ERDPT = 0x00,
  EWRPT = 0x02,
  ETXST = 0x04,
  ETXND = 0x06,
  ERXST = 0x08,
  ERXND = 0x0A,
  ERXRDPT = 0x0C,
  EDMAST = 0x10,
  EDMAND = 0x12,
  EDMADST = 0x14,
  EIR = 0x1C,
  ESTAT = 0x1D,
  ECON2 = 0x1E,
  ECON1 = 0x1F,
  ERXFCON = 0x38,
  EPKTCNT = 0x39,
  MACON1 = 0x40,
  MACON3 = 0x42,
  MACON4 = 0x43,
  MABBIPG = 0x44,
  MAIPG = 0x46,
  MAMXFL = 0x4A,
  MICMD = 0x52,
  MIREGADR = 0x54,
  MIWR = 0x56,
  MIRD = 0x58,
  MISTAT = 0x6A,
};
enum : uint8_t { TXRST = 0x80, DMAST = 0x20, CSUMEN = 0x10, TXRTS = 0x08, RXEN = 0x04 };
enum : uint8_t { PKTIF = 0x40, RXERIF = 0x01, PKTDEC = 0x40, PWRSV = 0x20, TXIF = 0x08, TXERIF = 0x02 };

const uint16_t fifo_end = 0x19FF, tx_buffer = 0x1A00;
const uint16_t header_size = 6;

inline void select() {
  PORTB &= static_cast<uint8_t>(~(1 << PB2));
}
inline void deselect() {
  PORTB |= 1 << PB2;
}
inline uint8_t exchange(uint8_t out) {
  SPDR = out;
  while (!(SPSR & 1 << SPIF)) {
  }
  return SPDR;
}
inline void command(uint8_t first, uint8_t second) {
  select();
  exchange(first);
  exchange(second);
  deselect();
}
inline void bank(uint8_t number) {
  command(0xA0 | ECON1, 3);
  command(0x80 | ECON1, number);
}
inline void bank_of(uint8_t reg) {
  if ((reg & 0x1F) < 0x1B) bank(reg >> 5);
}
inline void set(uint8_t reg, uint8_t bits) {
  command(static_cast<uint8_t>(0x80 | (reg & 0x1F)), bits);
}
inline void clear(uint8_t reg, uint8_t bits) {
  command(static_cast<uint8_t>(0xA0 | (reg & 0x1F)), bits);
}
inline void write(uint8_t reg, uint8_t value) {
  bank_of(reg);
  command(static_cast<uint8_t>(0x40 | (reg & 0x1F)), value);
}
inline void write_pair(uint8_t reg, uint16_t value) {
  write(reg, static_cast<uint8_t>(value));
  write(reg + 1, static_cast<uint8_t>(value >> 8));
}
// The n-th byte that the selected bank's register answers with, from 1.
inline uint8_t read_byte(uint8_t reg, uint8_t n) {
  select();
  exchange(reg & 0x1F);
  uint8_t value = 0;
  while (n-- != 0) value = exchange(0);
  deselect();
  return value;
}
inline uint8_t read(uint8_t reg) {
  bank_of(reg);
  return read_byte(reg, reg == MISTAT || (reg >= MACON1 && reg <= MIRD + 1) ? 2 : 1);
}
inline void write_phy(uint8_t reg, uint16_t value) {
  write(MIREGADR, reg);
  write_pair(MIWR, value);
  while (read(MISTAT) & 1) {
  }
}
inline void write_octet(uint8_t octet) {
  command(0x7A, octet);
}
inline void read_octets(uint16_t from, uint16_t n) {
  write_pair(ERDPT, from);
  select();
  exchange(0x3A);
  while (n-- != 0) exchange(0);
  deselect();
}

inline void set_up_pins() {
  PORTB |= 1 << PB2;
  DDRB |= 1 << PB5 | 1 << PB3 | 1 << PB2;
  SPCR = 1 << SPE | 1 << MSTR;
  SPSR = 1 << SPI2X;
}

// Half duplex, all frames with a right FCS; waits for the link.
inline void begin() {
  set_up_pins();
  _delay_ms(1);
  write_pair(ERXST, 0);
  write_pair(ERXND, fifo_end);
  write_pair(ERXRDPT, fifo_end);
  write(ERXFCON, 0x20);
  write(MACON1, 0x01);
  write(MACON3, 0x32);
  write(MACON4, 0x40);
  write(MABBIPG, 0x12);
  write_pair(MAIPG, 0x0C12);
  write_pair(MAMXFL, 1518);
  write_phy(0x10, 0x0100);  // PHCON2.HDLDIS
  set(ECON1, RXEN);
  _delay_ms(40);
}

inline void put(uint16_t at, uint8_t control, const uint8_t* frame, uint16_t n) {
  write_pair(EWRPT, at);
  select();
  exchange(0x7A);
  exchange(control);
  for (uint16_t i = 0; i != n; ++i) exchange(frame[i]);
  deselect();
  write_pair(ETXST, at);
  write_pair(ETXND, at + n);
}
inline void wait_sent() {
  while (read(ECON1) & TXRTS) {
  }
}
inline void send(const uint8_t* frame, uint16_t n, uint8_t control = 0) {
  put(tx_buffer, control, frame, n);
  set(ECON1, TXRTS);
  wait_sent();
}

// The first packet's status is read, as a driver does; its length without FCS.
inline void wait_for_packets(uint8_t n) {
  while (read(EPKTCNT) < n) {
  }
}
inline void release(uint16_t next) {
  write_pair(ERXRDPT, next == 0 ? fifo_end : next - 1);
  set(ECON2, PKTDEC);
}

}  // namespace chip
