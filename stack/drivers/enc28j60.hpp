#ifndef TCPIP_DRIVERS_ENC28J60_HPP
#define TCPIP_DRIVERS_ENC28J60_HPP
// Driver for the Microchip ENC28J60, silicon revisions B5 and B7, as a device in the sense of netif/device.hpp.
// DS = data sheet DS39662E, ER = silicon errata DS80349C (numbers as printed there).
//
// Not supported: full duplex (the chip cannot negotiate it, DS 2.6 and 6.6), more than one multicast group, power save.
//
// `Spi` is a policy class, copied into the driver:
//   void select();                  chip select falls
//   void deselect();                chip select rises
//   uint8_t exchange(uint8_t out);  one byte each way, mode 0, most significant bit first
//   uint8_t exchange(uint8_t first, uint8_t second);  two, of which what came with the second is returned
//   uint16_t write_sum(uint8_t instruction, const void* from, uint16_t n, uint16_t sum);  sends n octets
//   uint16_t read_sum(uint8_t instruction, void* to, uint16_t n, uint16_t sum);           receives n octets
//   uint16_t skip_sum(uint8_t instruction, uint16_t n, uint16_t sum);                     receives n octets and keeps none
//     These three send the instruction first, and return `sum` plus the ones' complement sum (RFC 1071) of the octets as
//     big-endian words. n is not 0.
//   void wait_us(uint16_t us);      returns after at least that many microseconds
//
// Every wait is bounded. The longest is for a transmitter that does not finish: `send_polls` reads of EIR, at 2 us or
// more each.

#include <stdint.h>

#include "stack/base/address.hpp"
#include "stack/drivers/enc28j60_registers.hpp"

namespace tcpip {

struct Enc28j60Counters {
  uint16_t rx_overflows = 0;  // EIR.RXERIF found set: one or more frames did not fit into the FIFO
  uint16_t rx_errors = 0;     // frames that the chip marked as bad
  uint16_t rx_restarts = 0;   // lost track of the FIFO: emptied
  uint16_t tx_retries = 0;    // frames started again after a late collision
  uint16_t tx_lost = 0;       // frames aborted or stuck
  uint16_t restarts = 0;      // the chip had lost its settings and was set up again
};

// `store`: octets of the chip's memory that are the store of netif/device.hpp; the receive FIFO has the rest.
// `multicast`: an IPv4 group whose frames are received, as a number (0xe00000fb: 224.0.0.251); 0: none.
template <class Spi, uint16_t store = 2064, uint32_t multicast = 0>
class Enc28j60 : private Spi, private enc28j60::Names {
 public:
  explicit constexpr Enc28j60(const Spi& spi = Spi()) : Spi(spi) {}

  // Resets and sets up the chip, half duplex, unicast, broadcast and `multicast`, interrupt pin low while a frame waits.
  // False: no chip answers. Takes about 3 ms.
  bool begin(const MacAddress& mac) {
    mac_ = mac;
    return set_up();
  }

  // Whether the link partner is there (PHSTAT2.LSTAT). To be asked about once a second: it also finds out that the chip has
  // been reset behind our back (a dip of its supply) or that we look for the next frame in the wrong place (a misread
  // byte), and mends that.
  bool link_up() {
    if (!(read(ECON1) & RXEN)) {
      ++counters_.restarts;
      if (!set_up()) return false;
    }
    // In this order: with no frame waiting afterwards, none has moved ERXWRPT before.
    if (read_pair(ERXWRPT) != rx_next_ && rx_length_ == 0 && read(EPKTCNT) == 0) restart_receiver();
    return (phy_read(PHSTAT2) & LSTAT) != 0;
  }

  // EREVID: 6 is B7.
  uint8_t revision() { return read(EREVID); }
  const Enc28j60Counters& counters() const { return counters_; }

  uint16_t rx_open() {
    if (rx_length_ != 0) return rx_length_;
    service();
    while (read(EPKTCNT) != 0) {  // ER 6: EIR.PKTIF cannot be relied on
      uint8_t header[6];          // next packet pointer, receive status vector (DS 7.2.2)
      write_pair(ERDPT, rx_next_);
      read_buffer(header, sizeof header);
      const uint16_t next = word(header[0], header[1]);
      const uint16_t count = word(header[2], header[3]);
      const uint16_t data = in_fifo(rx_next_, sizeof header);
      if (count < min_count || count > max_count || next != in_fifo(data, even(count))) {
        restart_receiver();
        break;
      }
      rx_next_ = next;
      if (!(header[4] & received_ok)) {
        ++counters_.rx_errors;
        release();
        continue;
      }
      rx_data_ = data;
      rx_position_ = 0;
      rx_length_ = static_cast<uint16_t>(count - fcs_size);
      break;
    }
    return rx_length_;
  }

  void rx_read(uint16_t offset, void* to, uint16_t n) { rx_read_sum(offset, to, n, 0); }

  uint16_t rx_sum(uint16_t offset, uint16_t n) {
    if (n == 0) return 0;
    seek(offset, n);
    Spi::select();
    const uint16_t sum = Spi::skip_sum(RBM, n, 0);
    Spi::deselect();
    return sum;
  }

  // rx_read and rx_sum in one pass: returns `sum` plus the ones' complement sum of what was copied.
  uint16_t rx_read_sum(uint16_t offset, void* to, uint16_t n, uint16_t sum) {
    seek(offset, n);
    return read_buffer(to, n, sum);
  }

  void rx_close() {
    if (rx_length_ == 0) return;
    rx_length_ = 0;
    release();
  }

  static constexpr uint16_t store_size = store;

  bool store_rx(uint16_t at, uint16_t rx_offset, uint16_t n) {
    tx_at_end_ = false;
    return copy(rx_offset, n, static_cast<uint16_t>(fifo_size + at));
  }

  void rx_from_store(uint16_t at, uint16_t /*length*/) {
    rx_data_ = static_cast<uint16_t>(fifo_size + at);
    rx_position_ = moved;
  }

  // There are two transmit buffers, so that a frame is written while the one before is on the wire: waits only while one
  // of them is held, and is always true.
  bool tx_open(uint16_t reserve) {
    if (tx_held_) wait_sent();
    tx_length_ = reserve;
    tx_at_end_ = false;
    return true;
  }

  void tx_write(const void* from, uint16_t n) { tx_write_sum(from, n, 0); }

  uint16_t tx_write_sum(const void* from, uint16_t n, uint16_t sum) {
    if (!tx_at_end_) write_pair(EWRPT, tx_address(tx_length_));
    tx_at_end_ = true;
    tx_length_ = static_cast<uint16_t>(tx_length_ + n);
    return write_buffer(from, n, sum);
  }

  void tx_patch(uint16_t offset, const void* from, uint16_t n) {
    write_pair(EWRPT, tx_address(offset));
    tx_at_end_ = false;
    write_buffer(from, n, 0);
  }

  // Waits for the frame before to leave. The chip pads (MACON3.PADCFG0).
  void tx_send(uint16_t length) {
    wait_sent();
    write_pair(ETXST, tx_buffer_);
    write_pair(ETXND, static_cast<uint16_t>(tx_buffer_ + length));
    tx_retries_left_ = max_retries;
    start_transmission();
    if (!tx_held_) tx_buffer_ = other_buffer();
  }

  bool tx_hold() {
    tx_held_ = true;
    tx_buffer_ = other_buffer();
    return true;
  }
  void tx_resume() {
    tx_held_ = false;
    tx_buffer_ = other_buffer();
    tx_at_end_ = false;
  }

  // False: nothing counts as appended.
  bool tx_copy_rx(uint16_t rx_offset, uint16_t n) {
    if (!copy(rx_offset, n, tx_address(tx_length_))) return false;
    tx_length_ = static_cast<uint16_t>(tx_length_ + n);
    tx_at_end_ = false;
    return true;
  }

 private:
  // Buffer memory: receive FIFO at 0 (ER 5), then the store, then two transmit buffers of control byte, 1514 octets, transmit status
  // vector of 7; even addresses (DS 7.1). The FIFO ends at an odd address, as ERXRDPT must (ER 14).
  static constexpr uint16_t memory_size = 0x2000;
  static constexpr uint16_t tx_buffer_size = 1 + 1514 + 7;
  static constexpr uint16_t tx_buffer_1 = memory_size - tx_buffer_size;
  static constexpr uint16_t tx_buffer_0 = tx_buffer_1 - tx_buffer_size;
  static constexpr uint16_t fifo_size = tx_buffer_0 - store;
  static_assert(tx_buffer_size % 2 == 0 && fifo_size % 2 == 0, "buffers start at even addresses");
  static_assert(store <= tx_buffer_0 - 3072, "two frames of the greatest length have to fit into the FIFO");

  static constexpr uint8_t fcs_size = 4;
  static constexpr uint16_t min_count = 14 + fcs_size;    // of the receive status vector, which includes the FCS
  static constexpr uint16_t max_count = 1514 + fcs_size;  // also MAMXFL
  static constexpr uint8_t max_retries = 16;
  static constexpr uint16_t send_polls = 30000;

  static constexpr uint16_t word(uint8_t low, uint8_t high) { return static_cast<uint16_t>(high << 8 | low); }
  static constexpr uint16_t even(uint16_t n) { return static_cast<uint16_t>(n + (n & 1)); }
  // `offset` octets after `start` in the FIFO.
  static uint16_t in_fifo(uint16_t start, uint16_t offset) {
    const uint16_t address = static_cast<uint16_t>(start + offset);
    return address < fifo_size ? address : static_cast<uint16_t>(address - fifo_size);
  }
  // Of an octet of the open frame.
  uint16_t rx_address(uint16_t offset) const {
    return rx_data_ < fifo_size ? in_fifo(rx_data_, offset) : static_cast<uint16_t>(rx_data_ + offset);
  }
  uint16_t other_buffer() const { return static_cast<uint16_t>(tx_buffer_0 + tx_buffer_1 - tx_buffer_); }
  // Of an octet of the frame being written, after the control byte.
  uint16_t tx_address(uint16_t offset) const { return static_cast<uint16_t>(tx_buffer_ + 1 + offset); }

  // SPI instructions (DS 4.2).

  uint8_t read(uint8_t reg) {
    select_bank(reg);
    const uint8_t instruction = static_cast<uint8_t>(RCR | (reg & address_bits));
    if (!(reg & mac_or_mii)) return command(instruction, 0);
    Spi::select();
    Spi::exchange(instruction);
    Spi::exchange(0);
    const uint8_t value = Spi::exchange(0);
    Spi::deselect();
    return value;
  }
  void write(uint8_t reg, uint8_t value) {
    select_bank(reg);
    command(static_cast<uint8_t>(WCR | (reg & address_bits)), value);
  }
  // Only for ETH registers (DS 4.2.5).
  void set(uint8_t reg, uint8_t bits) { command(static_cast<uint8_t>(BFS | (reg & address_bits)), bits); }
  void clear(uint8_t reg, uint8_t bits) { command(static_cast<uint8_t>(BFC | (reg & address_bits)), bits); }

  // Low byte first: some pairs take effect with the high byte.
  void write_pair(uint8_t low, uint16_t value) {
    select_bank(low);
    const uint8_t instruction = static_cast<uint8_t>(WCR | (low & address_bits));
    command(instruction, static_cast<uint8_t>(value));
    command(static_cast<uint8_t>(instruction + 1), static_cast<uint8_t>(value >> 8));
  }
  uint16_t read_pair(uint8_t low) {
    const uint8_t low_byte = read(low);
    return word(low_byte, read(static_cast<uint8_t>(low + 1)));
  }

  uint8_t command(uint8_t first, uint8_t second) {
    Spi::select();
    const uint8_t value = Spi::exchange(first, second);
    Spi::deselect();
    return value;
  }
  uint16_t read_buffer(void* to, uint16_t n, uint16_t sum = 0) {
    if (n == 0) return sum;
    Spi::select();
    sum = Spi::read_sum(RBM, to, n, sum);
    Spi::deselect();
    return sum;
  }
  uint16_t write_buffer(const void* from, uint16_t n, uint16_t sum) {
    if (n == 0) return sum;
    Spi::select();
    sum = Spi::write_sum(WBM, from, n, sum);
    Spi::deselect();
    return sum;
  }

  void select_bank(uint8_t reg) {
    const uint8_t bank = static_cast<uint8_t>((reg & bank_bits) >> 5);
    if ((reg & address_bits) < first_in_all_banks && bank != bank_) switch_bank(bank);
  }
  __attribute__((noinline)) void switch_bank(uint8_t bank) {
    const uint8_t off = static_cast<uint8_t>(bank_ & ~bank);
    const uint8_t on = static_cast<uint8_t>(bank & ~bank_);
    if (off) clear(ECON1, off);
    if (on) set(ECON1, on);
    bank_ = bank;
  }

  // PHY registers (DS 3.3). The interface is busy for 10.24 us.

  void wait_mii() {
    for (uint8_t polls = 255; polls != 0 && (read(MISTAT) & BUSY); --polls) {
    }
  }
  void phy_write(uint8_t reg, uint16_t value) {
    write(MIREGADR, reg);
    write_pair(MIWR, value);  // the high byte starts the transfer
    wait_mii();
  }
  uint16_t phy_read(uint8_t reg) {
    write(MIREGADR, reg);
    write(MICMD, MIIRD);
    wait_mii();
    write(MICMD, 0);
    return read_pair(MIRD);
  }

  bool set_up() {
    rx_length_ = 0;
    rx_next_ = 0;
    tx_sending_ = false;
    tx_buffer_ = tx_buffer_0;
    tx_held_ = false;
    reset();
    const uint8_t id = revision();
    if (id == 0 || id == 0xFF) return false;  // MISO held low or high: nobody there
    set_up_memory();
    set_up_mac();
    phy_write(PHCON1, 0);       // half duplex whatever the LEDB pin says (DS 2.6)
    phy_write(PHCON2, HDLDIS);  // do not receive what we send (DS 6.6)
    phy_write(PHLCON, 0x3476);  // LEDA link, LEDB traffic
    write(EIE, INTIE | PKTIE);
    set(ECON1, RXEN);
    return (read(ECON1) & RXEN) != 0;
  }

  void reset() {
    // The instruction is not heard in power save, where other firmware may have left the chip.
    clear(ECON2, PWRSV);
    Spi::wait_us(300);
    Spi::select();
    Spi::exchange(SRC);
    Spi::deselect();
    Spi::wait_us(2000);  // ER 2: ESTAT.CLKRDY tells nothing; at least 1 ms
    bank_ = 0;
  }

  void set_up_memory() {
    write_pair(ERXST, 0);
    write_pair(ERXND, fifo_size - 1);
    write_pair(ERXRDPT, fifo_size - 1);
    write_control_byte(tx_buffer_0);
    write_control_byte(tx_buffer_1);
    constexpr uint8_t hash = group_hash();
    if (multicast) write(static_cast<uint8_t>(EHT0 + hash / 8), static_cast<uint8_t>(1 << hash % 8));
    write(ERXFCON, UCEN | CRCEN | BCEN | (multicast ? HTEN : 0));
  }
  // 0: as MACON3 says (DS figure 7-1). The chip leaves it alone, so once is enough.
  void write_control_byte(uint16_t buffer) {
    const uint8_t as_macon3 = 0;
    write_pair(EWRPT, buffer);
    write_buffer(&as_macon3, 1, 0);
  }

  // DS 8.4: bits 28:23 of the CRC over the group's MAC address (RFC 1112 6.4), each octet from its lowest bit on.
  static constexpr uint8_t group_hash() {
    const uint8_t mac[6] = {0x01, 0x00, 0x5e, multicast >> 16 & 0x7f, multicast >> 8 & 0xff, multicast & 0xff};
    uint32_t crc = 0xffffffff;
    for (uint8_t i = 0; i != 48; ++i) {
      const bool bit = (crc >> 31 ^ mac[i / 8] >> i % 8) & 1;
      crc = static_cast<uint32_t>(crc << 1) ^ (bit ? 0x04c11db7 : 0);
    }
    return crc >> 23 & 0x3f;
  }

  void set_up_mac() {  // DS 6.5
    write(MACON1, MARXEN);
    write(MACON3, PADCFG0 | TXCRCEN | FRMLNEN);
    write(MACON4, DEFER);
    write_pair(MAMXFL, max_count);
    write(MABBIPG, 0x12);
    write_pair(MAIPG, 0x0C12);
    write(MAADR1, mac_.octet[0]);
    write(MAADR2, mac_.octet[1]);
    write(MAADR3, mac_.octet[2]);
    write(MAADR4, mac_.octet[3]);
    write(MAADR5, mac_.octet[4]);
    write(MAADR6, mac_.octet[5]);
  }

  // Receiving.

  // Makes ERDPT point at `offset` of the open frame for a read of n.
  void seek(uint16_t offset, uint16_t n) {
    if (offset != rx_position_) write_pair(ERDPT, rx_address(offset));
    rx_position_ = static_cast<uint16_t>(offset + n);
  }

  // Copies n octets of the open frame to an address outside of the FIFO, by the chip's DMA unit. False: that did not finish.
  bool copy(uint16_t rx_offset, uint16_t n, uint16_t to) {
    uint8_t few[16];
    if (n <= sizeof few) {  // the DMA unit must not copy one byte (DS 13.0 note 2), and is not faster for a few
      rx_read(rx_offset, few, n);
      write_pair(EWRPT, to);
      write_buffer(few, n, 0);
      return true;
    }
    write_pair(EDMAST, rx_address(rx_offset));
    write_pair(EDMAND, rx_address(static_cast<uint16_t>(rx_offset + n - 1)));
    write_pair(EDMADST, to);
    clear(ECON1, CSUMEN);
    set(ECON1, DMAST);
    // A transmission under way is finished first (DS 7.1).
    for (uint16_t polls = send_polls; read(ECON1) & DMAST; --polls) {
      if (polls == 0) {
        clear(ECON1, DMAST);
        return false;
      }
    }
    return true;
  }

  // Gives the FIFO back up to rx_next_ and counts the frame off.
  void release() {
    const uint16_t last = rx_next_ == 0 ? fifo_size : rx_next_;
    write_pair(ERXRDPT, static_cast<uint16_t>(last - 1));  // ER 14: odd
    set(ECON2, PKTDEC);
  }

  // The header in the FIFO cannot be right, so where the next frame starts is unknown: begin again with an empty FIFO.
  void restart_receiver() {
    ++counters_.rx_restarts;
    clear(ECON1, RXEN);
    for (uint16_t polls = 1000; polls != 0 && (read(ESTAT) & RXBUSY); --polls) {
    }
    set(ECON1, RXRST);
    clear(ECON1, RXRST);
    for (uint8_t frames = read(EPKTCNT); frames != 0; --frames) set(ECON2, PKTDEC);
    write_pair(ERXST, 0);  // also moves the hardware write pointer
    write_pair(ERXND, fifo_size - 1);
    write_pair(ERXRDPT, fifo_size - 1);
    rx_next_ = 0;
    set(ECON1, RXEN);
  }

  // Whatever the chip wants to have done between two frames.
  void service() {
    const uint8_t flags = read(EIR);
    if (flags & RXERIF) {
      ++counters_.rx_overflows;
      clear(EIR, RXERIF);
      clear(ESTAT, BUFER);
    }
    if (tx_sending_) note_sent(flags);
  }

  // Sending.

  void start_transmission() {
    clear(EIR, TXIF | TXERIF);  // ER 12: TXRST may have set TXERIF
    set(ECON1, TXRTS);
    tx_sending_ = true;
  }

  // Looks whether the transmission has ended, `flags` being EIR. ER 13: a link pulse can be taken for a late collision;
  // ER 15: only the status vector tells; ER 12: the transmitter needs a reset after an abort.
  void note_sent(uint8_t flags) {
    if (!(flags & (TXIF | TXERIF))) return;
    tx_sending_ = false;
    if (!(flags & TXERIF)) return;
    const bool retry = was_late_collision() && tx_retries_left_ != 0;
    reset_transmitter();
    if (!retry) {
      ++counters_.tx_lost;
      return;
    }
    --tx_retries_left_;
    ++counters_.tx_retries;
    start_transmission();
  }

  bool was_late_collision() {
    uint8_t vector[4];
    write_pair(ERDPT, static_cast<uint16_t>(read_pair(ETXND) + 1));
    read_buffer(vector, sizeof vector);
    rx_position_ = moved;
    return (vector[3] & late_collision) != 0;
  }
  // No offset: ERDPT is not in the open frame.
  static constexpr uint16_t moved = 0xFFFF;

  void reset_transmitter() {
    set(ECON1, TXRST);
    clear(ECON1, TXRST);
  }

  void wait_sent() {
    for (uint16_t polls = send_polls; tx_sending_; --polls) {
      if (polls == 0) {
        reset_transmitter();
        ++counters_.tx_lost;
        tx_sending_ = false;
        return;
      }
      note_sent(read(EIR));
    }
  }

  Enc28j60Counters counters_;
  MacAddress mac_ = {};
  uint8_t bank_ = 0;
  uint8_t tx_retries_left_ = 0;
  bool tx_sending_ = false;
  bool tx_at_end_ = false;  // EWRPT is where the next octet of the frame goes
  bool tx_held_ = false;    // the buffer that is not tx_buffer_ has a frame to be sent later
  uint16_t rx_next_ = 0;    // where the next frame's header starts
  uint16_t rx_data_ = 0;    // where the open frame's first octet is
  uint16_t rx_length_ = 0;  // of the open frame, 0: none is open
  uint16_t rx_position_ = 0;
  uint16_t tx_buffer_ = 0;
  uint16_t tx_length_ = 0;
};

}  // namespace tcpip

#endif
