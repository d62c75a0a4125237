#ifndef TCPIP_WIRE_DNS_HPP
#define TCPIP_WIRE_DNS_HPP
// DNS messages (RFC 1035 section 4), and names as a walk: octet by octet what an uncompressed name has, that is a label's
// length, its octets (letters small, and dns_in_label added, so that only the end is 0), the next length, and 0 at the end;
// -1 when it is malformed.
#include <string.h>

#include "stack/base/byte_order.hpp"

namespace tcpip {

struct DnsHeader {
  Be16 id;
  Be16 flags;
  Be16 questions;
  Be16 answers;
  Be16 authorities;
  Be16 additionals;
};

// What follows the name of a question, and that of a record.
struct DnsQuestion {
  Be16 type;
  Be16 of_class;
};
struct DnsRecord {
  Be16 type;
  Be16 of_class;
  Be32 ttl;
  Be16 length;  // of the data behind it
};

static_assert(sizeof(DnsHeader) == 12 && sizeof(DnsQuestion) == 4 && sizeof(DnsRecord) == 10, "no padding");

constexpr uint16_t dns_response = 0x8000;
constexpr uint16_t dns_opcode = 0x7800;
constexpr uint16_t dns_authoritative = 0x0400;
constexpr uint16_t dns_truncated = 0x0200;
constexpr uint16_t dns_recursion_desired = 0x0100;
constexpr uint16_t dns_rcode = 0x000f;
constexpr uint16_t dns_no_such_name = 3;

constexpr uint16_t dns_a = 1;
constexpr uint16_t dns_cname = 5;
constexpr uint16_t dns_any = 255;
constexpr uint16_t dns_internet = 1;

constexpr uint8_t dns_longest_label = 63;
constexpr uint8_t dns_longest_name = 255;

constexpr int16_t dns_in_label = 0x100;

constexpr int16_t dns_letter(uint8_t c) {
  return static_cast<int16_t>(dns_in_label + (c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c));
}

// Any place of a message that was received. Message: Udp::Message.
template <class Message>
class DnsMessage {
 public:
  explicit DnsMessage(const Message& message) : start_(message) {}

  uint16_t length() const { return start_.left(); }

  // False: the message ends before.
  bool read(uint16_t at, void* to, uint16_t n) const {
    if (at > length() || n > length() - at) return false;
    Message from(start_);
    from.skip(at);
    from.read(to, n);
    return true;
  }

 private:
  const Message start_;
};

// Of a name in a message. Pointers have to lead backwards from the name, and then from where they led (RFC 9267 section 2),
// so that every walk ends.
template <class Message>
class DnsName {
 public:
  DnsName(const DnsMessage<Message>& message, uint16_t at) : message_(message), at_(at), limit_(at) {}

  int16_t next() {
    uint8_t octet;
    if (left_) {
      --left_;
      return message_.read(at_++, &octet, 1) ? dns_letter(octet) : -1;
    }
    for (;;) {
      if (!message_.read(at_++, &octet, 1)) return -1;
      if (octet <= dns_longest_label) break;
      uint8_t low;
      if (octet < 0xc0 || !message_.read(at_++, &low, 1)) return -1;
      if (end_ == 0) end_ = at_;
      at_ = static_cast<uint16_t>((octet & 0x3f) << 8 | low);
      if (at_ < sizeof(DnsHeader) || at_ >= limit_) return -1;
      limit_ = at_;
    }
    if (octet >= dns_longest_name - length_) return -1;
    length_ = static_cast<uint8_t>(length_ + 1 + octet);
    left_ = octet;
    if (octet == 0 && end_ == 0) end_ = at_;
    return octet;
  }

  // Walks it all. False: malformed.
  bool walk() {
    int16_t octet;
    do octet = next();
    while (octet > 0);
    return octet == 0;
  }

  // After the walk: where the name ends in the message.
  uint16_t end() const { return end_; }

 private:
  const DnsMessage<Message>& message_;
  uint16_t at_;
  uint16_t limit_;
  uint16_t end_ = 0;
  uint8_t left_ = 0;  // of the label
  uint8_t length_ = 0;
};

// Of a name as people write it, with dots; one at its end is allowed.
class DottedName {
 public:
  explicit DottedName(const char* text) : at_(text) {}

  int16_t next() {
    if (left_) {
      --left_;
      return dns_letter(static_cast<uint8_t>(*at_++));
    }
    if (length_ && *at_ == '.') ++at_;
    if (length_ && *at_ == 0) return 0;
    const size_t n = strcspn(at_, ".");
    if (n == 0 || n > dns_longest_label || n + 1 >= size_t{dns_longest_name} - length_) return -1;
    length_ = static_cast<uint8_t>(length_ + 1 + n);
    left_ = static_cast<uint8_t>(n);
    return left_;
  }

 private:
  const char* at_;
  uint8_t left_ = 0;
  uint8_t length_ = 0;
};

// Whether two walks give the same name.
template <class A, class B>
bool dns_same(A& a, B& b) {
  for (;;) {
    const int16_t octet = a.next();
    if (octet < 0 || octet != b.next()) return false;
    if (octet == 0) return true;
  }
}

}  // namespace tcpip

#endif
