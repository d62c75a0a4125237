#ifndef TCPIP_UDP_DNS_HPP
#define TCPIP_UDP_DNS_HPP
// DNS client (RFC 1035): the IPv4 address of a name, from servers that resolve recursively. Each question has a random id
// and comes from a random port (RFC 5452). Not here: a cache, TCP for answers that are truncated, more than one name at a
// time, other types of records, EDNS.
#include "stack/udp/udp.hpp"
#include "stack/wire/dns.hpp"

namespace tcpip {

enum class DnsStatus : uint8_t {
  idle,
  asking,
  found,
  no_address,  // no such name, or it has no IPv4 address
  no_answer,   // from any server
};

class DnsClient : public UdpApplication {
 public:
  uint16_t port = 0;  // of the question that waits for its answer

  // Asks for `name` ("host.example"), n servers one after the other, four times at most, waiting for 2, 4, 8 and 16 s. What
  // was asked before is forgotten. Name and servers must stay where they are until the answer has come.
  template <class Stack>
  void resolve(Stack& stack, const char* name, const Ipv4Address* servers, uint8_t n) {
    name_ = name;
    servers_ = servers;
    servers_n_ = n;
    tries_ = 0;
    status_ = DnsStatus::asking;
    DottedName walk(name);
    int16_t octet;
    do octet = walk.next();
    while (octet > 0);
    if (octet < 0)
      end(DnsStatus::no_address);
    else
      next_try(stack);
  }

  DnsStatus status() const { return status_; }
  // When it was found.
  Ipv4Address address() const { return address_; }
  // Seconds for which the address may still be used (RFC 1035 3.2.1), counted down.
  uint32_t ttl() const { return ttl_; }

  template <class Message>
  void received(Message& datagram) {
    if (status_ != DnsStatus::asking || unsent_ || datagram.source != server() || datagram.source_port != dns_port)
      return;
    const DnsMessage<Message> message(datagram);
    DnsHeader header;
    if (!message.read(0, &header, sizeof header) || header.id.raw() != id_ ||
        (header.flags & (dns_response | dns_opcode)) != dns_response || header.questions != 1)
      return;
    DnsName<Message> question(message, sizeof header);
    DottedName asked(name_);
    DnsQuestion kind;
    if (!dns_same(question, asked) || !message.read(question.end(), &kind, sizeof kind) || kind.type != dns_a ||
        kind.of_class != dns_internet)
      return;
    const uint16_t failure = header.flags & (dns_rcode | dns_truncated);
    if (failure == dns_no_such_name)
      end(DnsStatus::no_address);
    else if (failure)
      wait_ = 1;  // the next server
    else
      end(search(message, static_cast<uint16_t>(question.end() + sizeof kind), header.answers));
  }

  template <class Stack>
  void every_second(Stack& stack) {
    if (status_ == DnsStatus::found && ttl_) --ttl_;
    if (status_ == DnsStatus::asking && --wait_ == 0) next_try(stack);
  }

  template <class Stack>
  void poll(Stack& stack) {
    if (status_ == DnsStatus::asking && unsent_) ask(stack);
  }

 private:
  static constexpr uint16_t dns_port = 53;
  static constexpr uint8_t rounds = 4;
  static constexpr uint8_t longest_chain = 8;  // of CNAMEs

  const Ipv4Address& server() const { return servers_[server_]; }

  void end(DnsStatus status) {
    status_ = status;
    if (status != DnsStatus::asking) port = 0;
  }

  template <class Stack>
  void next_try(Stack& stack) {
    const uint8_t round = static_cast<uint8_t>(servers_n_ ? tries_ / servers_n_ : rounds);
    if (round == rounds) return end(DnsStatus::no_answer);
    server_ = static_cast<uint8_t>(tries_ % servers_n_);
    wait_ = static_cast<uint8_t>(2 << round);
    ++tries_;
    const uint32_t random = stack.random();
    id_ = static_cast<uint16_t>(random);
    port = static_cast<uint16_t>(random >> 16 | 0xc000);
    ask(stack);
  }

  // Once the server's MAC address is known.
  template <class Stack>
  void ask(Stack& stack) {
    auto message = stack.datagram(server(), dns_port, port);
    unsent_ = !message;
    if (unsent_) return;
    DnsHeader header = DnsHeader();
    memcpy(&header.id, &id_, sizeof id_);
    header.flags = dns_recursion_desired;
    header.questions = 1;
    message.write(&header, sizeof header);
    DottedName name(name_);
    uint8_t octet;
    do {
      octet = static_cast<uint8_t>(name.next());
      message.write(&octet, 1);
    } while (octet);
    DnsQuestion kind;
    kind.type = dns_a;
    kind.of_class = dns_internet;
    message.write(&kind, sizeof kind);
    message.send();
  }

  // The address that the answers, `count` records from `first` on, have for the name or for what it is an alias of.
  // `asking`: they are malformed, as if nothing had come.
  template <class Message>
  DnsStatus search(const DnsMessage<Message>& message, uint16_t first, uint16_t count) {
    ttl_ = 0xffffffff;
    uint16_t wanted = sizeof(DnsHeader);  // where the name stands that we look for
    for (uint8_t links = longest_chain; links; --links) {
      uint16_t alias = 0;
      uint16_t at = first;
      for (uint16_t i = count; i && !alias; --i) {
        DnsName<Message> owner(message, at);
        DnsName<Message> same(message, at);
        DnsName<Message> ours(message, wanted);
        DnsRecord record;
        if (!owner.walk() || !message.read(owner.end(), &record, sizeof record)) return DnsStatus::asking;
        const uint16_t data = static_cast<uint16_t>(owner.end() + sizeof record);
        if (record.length > message.length() - data) return DnsStatus::asking;
        at = static_cast<uint16_t>(data + record.length);
        if (record.of_class != dns_internet || !dns_same(same, ours)) continue;
        if (record.type == dns_a && record.length == sizeof address_) {
          note_ttl(record.ttl);
          message.read(data, &address_, sizeof address_);
          return DnsStatus::found;
        }
        if (record.type == dns_cname) {
          note_ttl(record.ttl);
          alias = data;
        }
      }
      if (!alias) break;
      wanted = alias;
    }
    return DnsStatus::no_address;
  }

  // The least of the chain. RFC 2181 8: one with its upper bit set is 0.
  void note_ttl(uint32_t ttl) {
    if (ttl > 0x7fffffff) ttl = 0;
    if (ttl < ttl_) ttl_ = ttl;
  }

  const char* name_ = nullptr;
  const Ipv4Address* servers_ = nullptr;
  uint8_t servers_n_ = 0;
  uint8_t server_ = 0;
  uint8_t tries_ = 0;
  uint8_t wait_ = 0;  // s
  bool unsent_ = false;
  DnsStatus status_ = DnsStatus::idle;
  uint16_t id_ = 0;  // as on the wire
  Ipv4Address address_{};
  uint32_t ttl_ = 0;
};

}  // namespace tcpip

#endif
