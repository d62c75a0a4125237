#ifndef TCPIP_NETIF_DEVICE_HPP
#define TCPIP_NETIF_DEVICE_HPP
// What the stack asks of an Ethernet driver. There is no base class: a driver is a template argument with these members,
// so that nothing is paid for a virtual call. Frames live in the chip's memory; the stack reads and writes them there and
// keeps only headers in RAM. The stack holds the driver by value and constructs it without arguments (Stack::device()).
//
//   bool begin(const MacAddress& mac);
//     Resets and sets up the chip. False: no chip answers.
//   bool link_up();
//
//   Receiving, one frame at a time, in order:
//   uint16_t rx_open();
//     Length in octets, without FCS, of the oldest frame waiting; 0 when there is none. Opening twice opens the same one.
//   void rx_read(uint16_t offset, void* to, uint16_t n);
//     Copies n octets of the open frame from `offset`. offset + n never exceeds the length. Sequential reads are cheap.
//   uint16_t rx_sum(uint16_t offset, uint16_t n);
//     Ones' complement sum (not inverted, RFC 1071) of those octets as big-endian words, an odd last octet padded with 0;
//     0 when n is 0.
//   void rx_close();
//     Gives the open frame's memory back.
//
//   A store of octets in the chip, where a frame waits for others (Config::reassembly):
//   static constexpr uint16_t store_size;
//   bool store_rx(uint16_t at, uint16_t rx_offset, uint16_t n);
//     Copies n octets of the open frame to `at` of the store. False: not done.
//   void rx_from_store(uint16_t at, uint16_t length);
//     Until rx_close, all rx_* members mean `length` octets of the store, from `at` on, as if they were the open frame; also
//     when none is open.
//
//   Sending, one frame at a time:
//   bool tx_open(uint16_t reserve);
//     Waits for the previous frame to leave (bounded) and starts a new one with the append position at `reserve`: the
//     first `reserve` octets are the headers, undefined until tx_patch writes them. A frame that was opened and never
//     sent is abandoned by the next tx_open. False: transmitter stuck; it was reset and the frame before is lost.
//   void tx_write(const void* from, uint16_t n);
//     Appends n octets.
//   uint16_t tx_write_sum(const void* from, uint16_t n, uint16_t sum);
//     The same, and returns sum plus the ones' complement sum of them as big-endian words (an odd last octet padded with
//     0).
//   bool tx_copy_rx(uint16_t rx_offset, uint16_t n);
//     Appends n octets of the open received frame (an echo reply), inside the chip where it can. False: not done.
//   void tx_patch(uint16_t offset, const void* from, uint16_t n);
//     Writes n octets at `offset`, inside what was reserved or written before; the append position stays.
//   void tx_send(uint16_t length);
//     Sends the first `length` octets (the driver or the chip pads to 60 with zeros and adds the FCS).
//   bool tx_hold();
//     Keeps the frame that was opened, until tx_resume makes it the open one again in place of the one opened last; frames
//     can be opened and sent meanwhile, but none held. False: there is no room for a second one; it is abandoned.
//   void tx_resume();
//
// Frames the stack sends are at most 1514 octets. MacAddress is in stack/base/address.hpp.
#endif
