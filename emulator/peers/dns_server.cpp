#include "emulator/peers/dns_server.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "emulator/board/host_error.hpp"
#include "emulator/net/packet.hpp"
#include "emulator/net/user_network.hpp"
#include "emulator/peers/settings.hpp"

namespace avrlan::peers {

namespace {

// RFC 1035 4.1.1.
constexpr std::size_t header_size = 12, flags_at = 2, questions_at = 4, answers_at = 6;
constexpr std::uint16_t response = 0x8000, opcode_bits = 0x7800, authoritative = 0x0400, recursion_desired = 0x0100;
constexpr std::uint16_t format_error = 1, no_such_name = 3, not_implemented = 4;
constexpr std::uint16_t type_a = 1, type_any = 255, class_internet = 1, class_any = 255;
constexpr std::uint8_t longest_label = 63;

std::string small(std::string name) {
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (name.ends_with('.')) name.pop_back();
  return name;
}

struct Question {
  std::string name;
  std::uint16_t type = 0;
  std::uint16_t of_class = 0;
  std::size_t end = 0;  // in the message
};

// The first one. A name in it is not compressed: there is nothing before it to point to.
std::optional<Question> parse_question(std::span<const std::uint8_t> message) {
  Question question;
  std::size_t at = header_size;
  while (at < message.size() && message[at] != 0) {
    const std::size_t n = message[at];
    if (n > longest_label || at + 1 + n > message.size()) return std::nullopt;
    if (!question.name.empty()) question.name += '.';
    question.name.append(message.begin() + static_cast<std::ptrdiff_t>(at + 1),
                         message.begin() + static_cast<std::ptrdiff_t>(at + 1 + n));
    at += 1 + n;
  }
  if (at + 5 > message.size() || question.name.size() > 253) return std::nullopt;
  question.name = small(question.name);
  question.type = net::read16(message, at + 1);
  question.of_class = net::read16(message, at + 3);
  question.end = at + 5;
  return question;
}

}  // namespace

std::map<std::string, std::uint32_t> read_hosts(const std::string& text, const std::string& file) {
  std::map<std::string, std::uint32_t> names;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    if (!(words >> word)) continue;
    const auto address = parse_address(word);
    std::string name;
    if (!address || !(words >> name))
      throw UsageError(fmt::format("{}:{}: '{}' is not an address and a name", file, number, line),
                       "write lines like: 10.0.2.100 server.example");
    do names[small(name)] = *address;
    while (words >> name);
  }
  return names;
}

DnsServer::DnsServer(Host& host, DnsServerOptions options) : options_(std::move(options)) {
  host.receive_datagrams(net::user_network::dns_port, [this, &host](const Datagram& datagram) {
    auto reply = answer(datagram.data);
    if (!reply.empty())
      host.send_datagram(datagram.source, datagram.source_port, net::user_network::dns_port, std::move(reply));
  });
}

// Empty: no answer, RFC 1035 7.3 says nothing better of what is no query.
std::vector<std::uint8_t> DnsServer::answer(std::span<const std::uint8_t> query) {
  if (query.size() < header_size || (net::read16(query, flags_at) & response) != 0) {
    ++malformed_;
    return {};
  }
  const std::uint16_t asked = net::read16(query, flags_at);
  const auto question = net::read16(query, questions_at) == 1 ? parse_question(query) : std::nullopt;
  std::vector<std::uint8_t> reply(query.begin(),
                                  query.begin() + static_cast<std::ptrdiff_t>(question ? question->end : header_size));
  std::fill(reply.begin() + flags_at, reply.begin() + header_size, std::uint8_t{0});
  std::uint16_t flags = static_cast<std::uint16_t>(response | (asked & (opcode_bits | recursion_desired)));
  if ((asked & opcode_bits) != 0 || !question) {
    ++malformed_;
    net::write16(reply, flags_at, flags | ((asked & opcode_bits) != 0 ? not_implemented : format_error));
    reply.resize(header_size);
    return reply;
  }
  net::write16(reply, questions_at, 1);
  flags |= authoritative;
  const auto known = options_.names.find(question->name);
  const std::uint32_t address = known != options_.names.end() ? known->second : options_.others;
  const bool wants_address = (question->type == type_a || question->type == type_any) &&
                             (question->of_class == class_internet || question->of_class == class_any);
  if (address == 0) {
    ++not_found_;
    flags |= no_such_name;
  } else {
    ++answered_;
    if (wants_address) {
      // A pointer to the question's name, A, IN, TTL, 4 octets.
      std::array<std::uint8_t, 16> record{0xc0, header_size, 0, type_a, 0, class_internet, 0, 0, 0, 0, 0, 4};
      net::write32(record, 6, options_.ttl);
      net::write32(record, 12, address);
      reply.insert(reply.end(), record.begin(), record.end());
      net::write16(reply, answers_at, 1);
    }
  }
  net::write16(reply, flags_at, flags);
  return reply;
}

nlohmann::ordered_json DnsServer::figures() const {
  return {{"answered", answered_}, {"not_found", not_found_}, {"malformed", malformed_}};
}

}  // namespace avrlan::peers
