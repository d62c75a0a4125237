#ifndef TCPIP_DRIVERS_RTL8019AS_HPP
#define TCPIP_DRIVERS_RTL8019AS_HPP
// Driver for the Realtek RTL8019AS in an 8-bit slot, as a device in the sense of netif/device.hpp. DP = National's DP8390D
// data sheet, whose core the chip has.
//
// Not supported: a 16-bit slot, full duplex, more than one multicast group, the address in the EEPROM, power save.
//
// `Bus` is a policy class, copied into the driver; registers are offsets from the chip's I/O base, 10h the data port:
//   uint8_t read(uint8_t reg);
//   void write(uint8_t reg, uint8_t value);
//   uint16_t write_sum(const void* from, uint16_t n, uint16_t sum);  n octets to the data port
//   uint16_t read_sum(void* to, uint16_t n, uint16_t sum);           n octets from the data port
//   uint16_t skip_sum(uint16_t n, uint16_t sum);                     n octets from the data port, and keeps none
//     These return `sum` plus the ones' complement sum (RFC 1071) of the octets as big-endian words. n is not 0.
//   void wait_us(uint16_t us);      returns after at least that many microseconds
//
// Every wait is bounded. The longest is for a transmitter that does not finish: `send_polls` reads of CR.

#include <stdint.h>
#include <string.h>

#include "stack/base/address.hpp"
#include "stack/base/checksum.hpp"
#include "stack/drivers/rtl8019as_registers.hpp"

namespace tcpip {

struct Rtl8019asCounters {
  uint16_t rx_overflows = 0;  // ISR.OVW found set: one or more frames did not fit into the ring
  uint16_t rx_errors = 0;     // frames that the chip marked as bad
  uint16_t rx_restarts = 0;   // lost track of the ring: emptied
  uint16_t tx_lost = 0;       // frames aborted or stuck
  uint16_t restarts = 0;      // the chip had lost its settings and was set up again
};

// `Store`, `store`: where the store of netif/device.hpp is, and its octets. InChip: in the chip's memory, of which the ring has
// what it and two frames to send leave of 32 pages; with Store::in_chip false, Store::octets() is the address of `store` octets
// of memory.
// `multicast`: an IPv4 group whose frames are received, as a number (0xe00000fb: 224.0.0.251); 0: none.
struct InChip {
  static constexpr bool in_chip = true;
  static uint8_t* octets() { return nullptr; }
};

template <class Bus, uint16_t store = 1280, uint32_t multicast = 0, class Store = InChip>
class Rtl8019as : private Bus, private rtl8019as::Names {
 public:
  explicit constexpr Rtl8019as(const Bus& bus = Bus()) : Bus(bus) {}

  // Resets and sets up the chip, half duplex, unicast, broadcast and `multicast`, interrupt pin active while a frame waits.
  // False: no chip answers. Takes about 2 ms.
  bool begin(const MacAddress& mac) {
    mac_ = mac;
    return set_up();
  }

  // Whether the link test is passed (CONFIG0.BNC). To be asked about once a second: it also finds out that the chip has been
  // reset behind our back.
  bool link_up() {
    if ((Bus::read(CR) & STP) && !set_up()) return false;
    Bus::write(CR, page_3 | no_dma | STA);
    const bool up = !(Bus::read(CONFIG0) & BNC);
    Bus::write(CR, no_dma | STA);
    return up;
  }

  const Rtl8019asCounters& counters() const { return counters_; }

  uint16_t rx_open() {
    if (rx_length_ != 0) return rx_length_;
    if (!recovering_ && (Bus::read(ISR) & OVW)) begin_recovery();
    while (frame_waits()) {
      uint8_t header[4];  // status, next page, length with FCS (DP 7.0)
      move_from(address_of(rx_page_), header, sizeof header, 0);
      const uint16_t count = static_cast<uint16_t>(header[2] | header[3] << 8);
      if (count < min_count || count > max_count || header[1] < ring_start || header[1] >= ring_stop) {
        restart_receiver();
        return 0;
      }
      rx_next_ = header[1];
      if (!(header[0] & received_ok)) {
        ++counters_.rx_errors;
        release();
        continue;
      }
      rx_data_ = static_cast<uint16_t>(address_of(rx_page_) + sizeof header);
      rx_in_ring_ = true;
      return rx_length_ = static_cast<uint16_t>(count - fcs_size);
    }
    if (recovering_) end_recovery();
    return 0;
  }

  void rx_read(uint16_t offset, void* to, uint16_t n) { rx_read_sum(offset, to, n, 0); }

  uint16_t rx_sum(uint16_t offset, uint16_t n) {
    if (n == 0) return 0;
    if (in_memory()) return sum_memory(memory_at(offset), n, 0);
    start_remote(remote_read, rx_address(offset), n);
    return Bus::skip_sum(n, 0);
  }

  // rx_read and rx_sum in one pass: returns `sum` plus the ones' complement sum of what was copied.
  uint16_t rx_read_sum(uint16_t offset, void* to, uint16_t n, uint16_t sum) {
    if (in_memory() && n != 0) {
      memcpy(to, memory_at(offset), n);
      return sum_memory(memory_at(offset), n, sum);
    }
    return move_from(rx_address(offset), to, n, sum);
  }

  void rx_close() {
    if (rx_length_ == 0) return;
    rx_length_ = 0;
    release();
  }

  static constexpr uint16_t store_size = store;

  bool store_rx(uint16_t at, uint16_t rx_offset, uint16_t n) {
    if (Store::in_chip)
      copy(rx_offset, n, static_cast<uint16_t>(address_of(store_page) + at));
    else
      rx_read(rx_offset, Store::octets() + at, n);
    return true;
  }

  void rx_from_store(uint16_t at, uint16_t /*length*/) {
    rx_data_ = Store::in_chip ? static_cast<uint16_t>(address_of(store_page) + at) : at;
    rx_in_ring_ = false;
  }

  // There are two transmit buffers, so that a frame is written while the one before is on the wire: waits only while one
  // of them is held, and is always true.
  bool tx_open(uint16_t reserve) {
    if (tx_held_) wait_sent();
    tx_length_ = reserve;
    return true;
  }

  void tx_write(const void* from, uint16_t n) { tx_write_sum(from, n, 0); }

  uint16_t tx_write_sum(const void* from, uint16_t n, uint16_t sum) {
    sum = move_to(tx_address(tx_length_), from, n, sum);
    tx_length_ = static_cast<uint16_t>(tx_length_ + n);
    return sum;
  }

  void tx_patch(uint16_t offset, const void* from, uint16_t n) { move_to(tx_address(offset), from, n, 0); }

  // Waits for the frame before to leave. The chip pads nothing.
  void tx_send(uint16_t length) {
    if (length < min_frame) {
      start_remote(remote_write, tx_address(length), static_cast<uint16_t>(min_frame - length));
      for (; length < min_frame; ++length) Bus::write(data_port, 0);
    }
    wait_sent();
    Bus::write(TPSR, tx_page_);
    write_pair(TBCR0, length);
    Bus::write(CR, no_dma | TXP | STA);
    tx_sending_ = true;
    if (!tx_held_) tx_page_ = other_page();
  }

  bool tx_hold() {
    tx_held_ = true;
    tx_page_ = other_page();
    return true;
  }
  void tx_resume() {
    tx_held_ = false;
    tx_page_ = other_page();
  }

  bool tx_copy_rx(uint16_t rx_offset, uint16_t n) {
    copy(rx_offset, n, tx_address(tx_length_));
    tx_length_ = static_cast<uint16_t>(tx_length_ + n);
    return true;
  }

 private:
  // Pages of 256 octets: two transmit buffers, the store, the ring.
  static constexpr uint8_t tx_page_0 = 0x40, frame_pages = 6, tx_page_1 = tx_page_0 + frame_pages;
  static constexpr uint8_t store_page = tx_page_1 + frame_pages;
  static constexpr uint8_t ring_start = static_cast<uint8_t>(store_page + (Store::in_chip ? (store + 255) / 256 : 0)),
                           ring_stop = 0x60;
  static_assert(ring_start + frame_pages + 1 < ring_stop, "a frame of the greatest length has to fit into the ring");

  static constexpr uint8_t fcs_size = 4;
  static constexpr uint16_t min_frame = 60;
  static constexpr uint16_t min_count = 60 + fcs_size, max_count = 1514 + fcs_size;
  static constexpr uint16_t send_polls = 60000;

  static constexpr uint16_t address_of(uint8_t page) { return static_cast<uint16_t>(page << 8); }
  uint8_t other_page() const { return static_cast<uint8_t>(tx_page_0 + tx_page_1 - tx_page_); }
  uint16_t tx_address(uint16_t offset) const { return static_cast<uint16_t>(address_of(tx_page_) + offset); }
  uint16_t rx_address(uint16_t offset) const {
    const uint16_t address = static_cast<uint16_t>(rx_data_ + offset);
    const bool wraps = rx_in_ring_ && address >= address_of(ring_stop);
    return wraps ? static_cast<uint16_t>(address - address_of(ring_stop - ring_start)) : address;
  }

  void write_pair(uint8_t low, uint16_t value) {
    Bus::write(low, static_cast<uint8_t>(value));
    Bus::write(static_cast<uint8_t>(low + 1), static_cast<uint8_t>(value >> 8));
  }

  // Remote DMA (DP 9.0). It is over with the last octet, and goes on at PSTART behind the end of the ring.

  void start_remote(uint8_t direction, uint16_t address, uint16_t n) {
    write_pair(RSAR0, address);
    write_pair(RBCR0, n);
    Bus::write(CR, static_cast<uint8_t>(direction | STA));
  }
  uint16_t move_from(uint16_t address, void* to, uint16_t n, uint16_t sum) {
    if (n == 0) return sum;
    start_remote(remote_read, address, n);
    return Bus::read_sum(to, n, sum);
  }
  uint16_t move_to(uint16_t address, const void* from, uint16_t n, uint16_t sum) {
    if (n == 0) return sum;
    start_remote(remote_write, address, n);
    return Bus::write_sum(from, n, sum);
  }
  // The store, where it is not in the chip.
  bool in_memory() const { return !Store::in_chip && !rx_in_ring_; }
  uint8_t* memory_at(uint16_t offset) const { return Store::octets() + rx_data_ + offset; }
  static uint16_t sum_memory(const uint8_t* from, uint16_t n, uint16_t sum) {
    while (n > 1) {
      const uint8_t now = n < 254 ? static_cast<uint8_t>(n & ~1) : uint8_t{254};
      sum = sum_add(from, now, sum);
      from += now;
      n = static_cast<uint16_t>(n - now);
    }
    return n == 0 ? sum : sum_add(sum, static_cast<uint16_t>(*from << 8));
  }
  // There is no DMA inside the chip.
  void copy(uint16_t rx_offset, uint16_t n, uint16_t to) {
    uint8_t some[32];
    while (n != 0) {
      const uint16_t now = n < sizeof some ? n : static_cast<uint16_t>(sizeof some);
      rx_read(rx_offset, some, now);
      move_to(to, some, now, 0);
      rx_offset = static_cast<uint16_t>(rx_offset + now);
      to = static_cast<uint16_t>(to + now);
      n = static_cast<uint16_t>(n - now);
    }
  }

  bool set_up() {
    rx_length_ = 0;
    rx_page_ = ring_start;
    tx_sending_ = tx_held_ = recovering_ = false;
    tx_page_ = tx_page_0;
    const uint8_t any = Bus::read(reset_port);
    Bus::write(reset_port, any);
    Bus::wait_us(1600);
    Bus::write(CR, no_dma | STP);
    if (Bus::read(ID0) != 'P' || Bus::read(ID1) != 'p') return false;
    wake_up();
    set_up_memory();
    set_up_mac();
    Bus::write(CR, no_dma | STA);
    Bus::write(TCR, 0);
    Bus::write(RCR, AB | (multicast ? AM : 0));
    return true;
  }

  // An EEPROM that is not there leaves the chip in power-down.
  void wake_up() {
    Bus::write(CR, page_3 | no_dma | STP);
    Bus::write(R9346CR, config_write);
    Bus::write(CONFIG3, LEDS0);
    Bus::write(R9346CR, 0);
    Bus::write(CR, no_dma | STP);
  }

  // DP 11.0.
  void set_up_memory() {
    Bus::write(DCR, fifo_8_octets | no_loopback);
    write_pair(RBCR0, 0);
    Bus::write(RCR, MON);
    Bus::write(TCR, loopback);
    Bus::write(PSTART, ring_start);
    Bus::write(PSTOP, ring_stop);
    Bus::write(BNRY, ring_stop - 1);
    Bus::write(ISR, 0x7F);
    Bus::write(IMR, PRX | OVW);
  }

  void set_up_mac() {
    Bus::write(CR, page_1 | no_dma | STP);
    for (uint8_t i = 0; i != 6; ++i) Bus::write(static_cast<uint8_t>(PAR0 + i), mac_.octet[i]);
    constexpr uint8_t hash = group_hash();
    for (uint8_t i = 0; i != 8; ++i) {
      Bus::write(static_cast<uint8_t>(MAR0 + i), multicast && i == hash / 8 ? static_cast<uint8_t>(1 << hash % 8) : 0);
    }
    Bus::write(CURR, ring_start);
  }

  // Bits 31:26 of the CRC over the group's MAC address (RFC 1112 6.4), each octet from its lowest bit on.
  static constexpr uint8_t group_hash() {
    const uint8_t mac[6] = {0x01, 0x00, 0x5e, multicast >> 16 & 0x7f, multicast >> 8 & 0xff, multicast & 0xff};
    uint32_t crc = 0xffffffff;
    for (uint8_t i = 0; i != 48; ++i) {
      const bool bit = (crc >> 31 ^ mac[i / 8] >> i % 8) & 1;
      crc = static_cast<uint32_t>(crc << 1) ^ (bit ? 0x04c11db7 : 0);
    }
    return static_cast<uint8_t>(crc >> 26);
  }

  // Receiving.

  uint8_t current() {
    Bus::write(CR, page_1 | no_dma | STA);
    const uint8_t page = Bus::read(CURR);
    Bus::write(CR, no_dma | STA);
    return page;
  }

  // ISR.PRX, and with it the interrupt, stays while a frame waits. One that has come while it was cleared is seen at once.
  bool frame_waits() {
    if (current() != rx_page_) return true;
    Bus::write(ISR, PRX);
    return current() != rx_page_;
  }

  // Gives the ring back up to rx_next_: BNRY stays one page behind.
  void release() {
    rx_page_ = rx_next_;
    Bus::write(BNRY, static_cast<uint8_t>((rx_page_ == ring_start ? ring_stop : rx_page_) - 1));
  }

  // The header in the ring cannot be right, so where the next frame starts is unknown: begin again with an empty ring.
  void restart_receiver() {
    ++counters_.rx_restarts;
    wait_sent();
    set_up();
  }

  // The ring was full (DP 7.0): stop, wait for the frame under way, read what waits in loopback mode, start again. A frame to be
  // sent cannot wait for that: with the ring still full, the next loss sets OVW anew.
  void begin_recovery() {
    ++counters_.rx_overflows;
    recovering_ = true;
    send_again_ = (Bus::read(CR) & TXP) != 0;
    Bus::write(CR, no_dma | STP);
    Bus::wait_us(1600);
    write_pair(RBCR0, 0);
    if (Bus::read(ISR) & (PTX | TXE)) send_again_ = false;
    Bus::write(TCR, loopback);
    Bus::write(CR, no_dma | STA);
  }
  void end_recovery() {
    recovering_ = false;
    Bus::write(ISR, OVW);
    Bus::write(TCR, 0);
    if (send_again_) Bus::write(CR, no_dma | TXP | STA);
  }

  // Sending.

  void wait_sent() {
    if (recovering_) end_recovery();
    if (!tx_sending_) return;
    tx_sending_ = false;
    for (uint16_t polls = send_polls; Bus::read(CR) & TXP; --polls) {
      if (polls == 0) {
        ++counters_.tx_lost;
        set_up();
        return;
      }
    }
    if (Bus::read(TSR) & ABT) ++counters_.tx_lost;
  }

  Rtl8019asCounters counters_;
  MacAddress mac_ = {};
  bool tx_sending_ = false;
  bool tx_held_ = false;     // the buffer that is not tx_page_ has a frame to be sent later
  bool rx_in_ring_ = false;  // the open frame, not in the store
  bool recovering_ = false;  // from an overflow: in loopback mode until the ring is read
  bool send_again_ = false;  // afterwards
  uint8_t rx_page_ = 0;      // where the next frame's header starts, or the open one's
  uint8_t rx_next_ = 0;      // behind the open frame
  uint8_t tx_page_ = 0;
  uint16_t rx_data_ = 0;    // where the open frame's first octet is
  uint16_t rx_length_ = 0;  // of the open frame, 0: none is open
  uint16_t tx_length_ = 0;
};

}  // namespace tcpip

#endif
