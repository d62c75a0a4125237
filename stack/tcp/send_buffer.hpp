#ifndef TCPIP_TCP_SEND_BUFFER_HPP
#define TCPIP_TCP_SEND_BUFFER_HPP
// What an application sends, by reference: nothing is copied, so the octets must stay where they are, and as they are,
// until the peer has acknowledged them. For an application's State, where it begins all zero:
//
//   struct State { SendBuffer<> out; };
//   ... s.out.add(text, n); connection.wake();
//   void event(Connection& c, State& s, TcpEvent event) { if (event == TcpEvent::acked) s.out.release(c.acknowledged()); }
//   template <class Writer> void produce(Connection&, State& s, uint32_t offset, Writer& w) { s.out.produce(offset, w); }
#include <stdint.h>

namespace tcpip {

// `pieces`: so many that are not acknowledged at a time.
template <uint8_t pieces = 2>
class SendBuffer {
 public:
  bool is_full() const { return count_ == pieces; }
  bool is_empty() const { return count_ == 0; }

  // Sends n octets behind those that were added before. False: it is full.
  bool add(const void* octets, uint16_t n) {
    if (is_full()) return false;
    Piece& piece = pieces_[(first_ + count_++) % pieces];
    piece.octets = static_cast<const uint8_t*>(octets);
    piece.length = n;
    return true;
  }

  // Lets go of what the peer has; `place` is Connection::acknowledged().
  void release(uint32_t place) {
    while (count_ && place - start_ >= pieces_[first_].length) {
      start_ += pieces_[first_].length;
      first_ = static_cast<uint8_t>((first_ + 1) % pieces);
      --count_;
    }
  }

  // As TcpApplication::produce.
  template <class Writer>
  void produce(uint32_t offset, Writer& writer) const {
    uint32_t skip = offset - start_;
    for (uint8_t i = 0; i != count_; ++i) {
      const Piece& piece = pieces_[(first_ + i) % pieces];
      if (skip >= piece.length) {
        skip -= piece.length;
        continue;
      }
      writer.write(piece.octets + skip, static_cast<uint16_t>(piece.length - skip));
      skip = 0;
    }
  }

 private:
  struct Piece {
    const uint8_t* octets;
    uint16_t length;
  };

  uint32_t start_;  // where in the stream the oldest piece begins
  Piece pieces_[pieces];
  uint8_t first_;
  uint8_t count_;
};

}  // namespace tcpip

#endif
