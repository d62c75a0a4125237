#ifndef TCPIP_UDP_MDNS_HPP
#define TCPIP_UDP_MDNS_HPP
// Multicast DNS responder (RFC 6762) for one name, NAME.local, and its IPv4 address: probed for, announced, defended; another
// one is taken when somebody has it (NAME-2.local, ...). The driver has to receive the group. Not here: services, reverse
// names, NSEC, goodbye, IGMP reports (groups in 224.0.0/24 are not pruned), queries of our own.
#include "stack/base/flash.hpp"
#include "stack/udp/udp.hpp"
#include "stack/wire/dns.hpp"

namespace tcpip {

class MdnsResponder : public UdpApplication {
 public:
  static constexpr uint16_t port = 5353;
  static constexpr uint32_t group = 0xe00000fb;

  // One label of at most 24 octets, to be set before the stack has its address. It must stay where it is.
  const char* name = nullptr;

  // What it is called in the end: "avr.local". Empty until then.
  const char* full_name() const { return state_ == State::up ? full_ : ""; }

  template <class Message>
  void received(Message& datagram) {
    if (state_ == State::waiting) return;
    const DnsMessage<Message> message(datagram);
    DnsHeader header;
    if (!message.read(0, &header, sizeof header) || (header.flags & (dns_opcode | dns_rcode))) return;
    const bool response = header.flags & dns_response;
    if (response && datagram.source_port != port) return;  // RFC 6762 6
    uint16_t at = sizeof header;
    Query query = Query();
    if (!read_questions(message, header.questions, at, query)) return;
    if (!read_records(message, header, at, response, query, datagram.now_ms())) return;
    if (response || !query.asked || query.known || state_ == State::probing) return;
    const bool legacy = datagram.source_port != port;
    if (!legacy && (query.multicast || since_s_ >= ttl_s / 4)) {
      multicast_wanted_ = true;
      is_probe_ = header.authorities != 0;
      return;
    }
    unicast_wanted_ = true;
    legacy_ = legacy;
    to_ = datagram.source;
    to_port_ = datagram.source_port;
    id_ = header.id;
    type_ = query.type;
  }

  template <class Stack>
  void every_second(Stack&) {
    if (since_s_ < 255) ++since_s_;
  }

  template <class Stack>
  void poll(Stack& stack) {
    const uint32_t now = stack.now_ms();
    if (stack.address() != address_) {
      address_ = stack.address();
      number_ = 1;
      compose();
      probe_from(now + stack.random() % 250);
      multicast_wanted_ = unicast_wanted_ = false;
      if (address_.is_zero()) state_ = State::waiting;
    }
    if (state_ == State::waiting) return;
    if (state_ != State::up && static_cast<int32_t>(now - due_) >= 0) step(stack, now);
    // RFC 6762 6: a record goes out once a second, and four times for those who probe for its name.
    if (multicast_wanted_ && now - sent_ms_ >= (is_probe_ ? 250 : 1000)) respond(stack, now, true);
    if (unicast_wanted_) respond(stack, now, false);
  }

 private:
  enum class State : uint8_t { waiting, probing, announcing, up };

  struct Query {
    bool asked;
    bool multicast;  // by a question that wants everybody to hear the answer
    bool known;      // the answer
    uint16_t type;
  };

  static constexpr uint8_t longest = 24;
  static constexpr uint8_t ttl_s = 120;
  static constexpr uint16_t class_bits = 0x7fff;
  static constexpr uint16_t cache_flush = 0x8000;  // RFC 6762 10.2; in a question: unicast answer wanted (5.4)

  void compose() {
    strncpy(full_, name, longest);
    full_[longest] = 0;
    char* at = strchr(full_, 0);
    if (number_ > 1) {
      *at++ = '-';
      if (number_ > 99) *at++ = static_cast<char>('0' + number_ / 100);
      if (number_ > 9) *at++ = static_cast<char>('0' + number_ / 10 % 10);
      *at++ = static_cast<char>('0' + number_ % 10);
    }
    const FlashText local = TCPIP_TEXT(".local");
    for (uint8_t i = 0; i != 7; ++i) at[i] = local[i];
  }

  void probe_from(uint32_t at) {
    state_ = State::probing;
    left_ = 3;
    due_ = at;
  }

  template <class Message>
  bool is_ours(const DnsMessage<Message>& message, uint16_t at) const {
    DnsName<Message> theirs(message, at);
    DottedName ours(full_);
    return dns_same(theirs, ours);
  }

  template <class Message>
  bool read_questions(const DnsMessage<Message>& message, uint16_t count, uint16_t& at, Query& query) {
    for (; count; --count) {
      DnsName<Message> asked(message, at);
      DnsQuestion question;
      if (!asked.walk() || !message.read(asked.end(), &question, sizeof question)) return false;
      const uint16_t of_class = question.of_class & class_bits;
      if ((question.type == dns_a || question.type == dns_any) && (of_class == dns_internet || of_class == dns_any) &&
          is_ours(message, at)) {
        query.asked = true;
        query.type = question.type;
        if (of_class == question.of_class) query.multicast = true;
      }
      at = static_cast<uint16_t>(asked.end() + sizeof question);
    }
    return true;
  }

  template <class Message>
  bool read_records(const DnsMessage<Message>& message, const DnsHeader& header, uint16_t at, bool response,
                    Query& query, uint32_t now) {
    const uint16_t answers = header.answers;
    for (uint32_t i = 0; i != uint32_t{answers} + header.authorities + header.additionals; ++i) {
      DnsName<Message> owner(message, at);
      DnsRecord record;
      if (!owner.walk() || !message.read(owner.end(), &record, sizeof record)) return false;
      const uint16_t data = static_cast<uint16_t>(owner.end() + sizeof record);
      if (record.length > message.length() - data) return false;
      const uint16_t from = at;
      at = static_cast<uint16_t>(data + record.length);
      if (record.type != dns_a || (record.of_class & class_bits) != dns_internet ||
          record.length != sizeof(Ipv4Address) || !is_ours(message, from))
        continue;
      Ipv4Address theirs;
      message.read(data, &theirs, sizeof theirs);
      if (response) {
        if (theirs != address_) conflict(now);
      } else if (i < answers) {
        if (theirs == address_ && record.ttl >= ttl_s / 2) query.known = true;  // RFC 6762 7.1
      } else if (state_ == State::probing && memcmp(&theirs, &address_, sizeof theirs) > 0) {
        probe_from(now + 1000);  // 8.2: the greater one has it
      }
    }
    return true;
  }

  // RFC 6762 8.1 and 9
  void conflict(uint32_t now) {
    if (state_ == State::probing) {
      if (number_ < 255) ++number_;
      compose();
    }
    if (conflicts_ < 15) ++conflicts_;
    probe_from(conflicts_ < 15 ? now : now + 5000);
  }

  template <class Stack>
  void step(Stack& stack, uint32_t now) {
    if (state_ == State::probing && left_ == 0) {
      state_ = State::announcing;
      left_ = 2;
    }
    --left_;
    due_ = now + (state_ == State::probing ? 250 : 1000);
    if (state_ == State::probing) return probe(stack);
    respond(stack, now, true);
    if (left_ == 0) {
      state_ = State::up;
      conflicts_ = 0;
    }
  }

  template <class Stack>
  void probe(Stack& stack) {
    auto message = stack.datagram(to_address(group), port, port);
    if (!message) return;
    DnsHeader header = DnsHeader();
    header.questions = 1;
    header.authorities = 1;
    message.write(&header, sizeof header);
    write_name(message);
    write_question(message, dns_any, dns_internet | cache_flush);
    write_pointer(message);
    write_record(message, dns_internet, ttl_s);
    message.send();
  }

  template <class Stack>
  void respond(Stack& stack, uint32_t now, bool to_all) {
    if (to_all) {
      multicast_wanted_ = false;
      sent_ms_ = now;
      since_s_ = 0;
    } else {
      unicast_wanted_ = false;
    }
    const bool legacy = legacy_ && !to_all;
    auto message = stack.datagram(to_all ? to_address(group) : to_, to_all ? port : to_port_, port);
    if (!message) return;
    DnsHeader header = DnsHeader();
    header.flags = dns_response | dns_authoritative;
    header.answers = 1;
    if (legacy) {  // RFC 6762 6.7
      header.id = id_;
      header.questions = 1;
    }
    message.write(&header, sizeof header);
    write_name(message);
    if (legacy) {
      write_question(message, type_, dns_internet);
      write_pointer(message);
    }
    write_record(message, legacy ? dns_internet : dns_internet | cache_flush, legacy ? 10 : ttl_s);
    message.send();
  }

  template <class Out>
  void write_name(Out& message) {
    DottedName walk(full_);
    uint8_t octet;
    do {
      octet = static_cast<uint8_t>(walk.next());
      message.write(&octet, 1);
    } while (octet);
  }
  // To the name behind the header.
  template <class Out>
  static void write_pointer(Out& message) {
    Be16 pointer;
    pointer = 0xc000 | sizeof(DnsHeader);
    message.write(&pointer, sizeof pointer);
  }
  template <class Out>
  static void write_question(Out& message, uint16_t type, uint16_t of_class) {
    DnsQuestion question;
    question.type = type;
    question.of_class = of_class;
    message.write(&question, sizeof question);
  }
  template <class Out>
  void write_record(Out& message, uint16_t of_class, uint8_t ttl) {
    DnsRecord record;
    record.type = dns_a;
    record.of_class = of_class;
    record.ttl = ttl;
    record.length = sizeof address_;
    message.write(&record, sizeof record);
    message.write(&address_, sizeof address_);
  }

  State state_ = State::waiting;
  uint8_t left_ = 0;    // probes or announcements
  uint8_t number_ = 0;  // of the name
  uint8_t conflicts_ = 0;
  uint8_t since_s_ = 0;  // the record was multicast
  bool multicast_wanted_ = false, is_probe_ = false;
  bool unicast_wanted_ = false, legacy_ = false;
  uint16_t to_port_ = 0, id_ = 0, type_ = 0;
  Ipv4Address to_{};
  Ipv4Address address_{};
  uint32_t due_ = 0;
  uint32_t sent_ms_ = 0;
  char full_[longest + sizeof "-255.local"] = {};
};

}  // namespace tcpip

#endif
