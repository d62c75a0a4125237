#include "emulator/net/decode_services.hpp"

#include <algorithm>
#include <optional>

#include "emulator/board/escape.hpp"
#include "emulator/net/address_text.hpp"
#include "emulator/net/packet.hpp"

namespace avrlan::net::decoding {
namespace {

std::string text_of(Octets octets) {
  return printable(std::string(octets.begin(), octets.end()));
}

constexpr std::string_view dhcp_types[] = {"",    "Discover", "Offer",   "Request", "Decline",
                                           "ACK", "NAK",      "Release", "Inform"};

struct DhcpOption {
  std::uint8_t code;
  std::string_view name;
  enum class Kind : std::uint8_t { addresses, seconds, number16, text, octets } kind;
};
using Kind = DhcpOption::Kind;
constexpr DhcpOption dhcp_options[] = {
    {1, "dhcp.option.subnet_mask", Kind::addresses},
    {3, "dhcp.option.router", Kind::addresses},
    {6, "dhcp.option.domain_name_server", Kind::addresses},
    {12, "dhcp.option.hostname", Kind::text},
    {15, "dhcp.option.domain_name", Kind::text},
    {28, "dhcp.option.broadcast_address", Kind::addresses},
    {42, "dhcp.option.ntp_server", Kind::addresses},
    {50, "dhcp.option.requested_ip_address", Kind::addresses},
    {51, "dhcp.option.ip_address_lease_time", Kind::seconds},
    {54, "dhcp.option.dhcp_server_id", Kind::addresses},
    {55, "dhcp.option.request_list", Kind::octets},
    {56, "dhcp.option.message", Kind::text},
    {57, "dhcp.option.dhcp_max_message_size", Kind::number16},
    {58, "dhcp.option.renewal_time_value", Kind::seconds},
    {59, "dhcp.option.rebinding_time_value", Kind::seconds},
    {61, "dhcp.option.client_identifier", Kind::octets},
};

void dhcp_option(Fields& fields, std::uint8_t code, Octets body) {
  if (code == 53 && body.size() == 1) {
    const std::string_view name = body[0] < std::size(dhcp_types) ? dhcp_types[body[0]] : "";
    return fields.add("dhcp.option.dhcp", name.empty() ? std::to_string(body[0]) : std::string(name));
  }
  const auto known =
      std::find_if(std::begin(dhcp_options), std::end(dhcp_options), [&](const auto& o) { return o.code == code; });
  if (known == std::end(dhcp_options))
    return fields.add("dhcp.option.type", fmt::format("{} {}", code, hex(body, ":")));
  if (known->kind == Kind::addresses && body.size() % 4 == 0) {
    for (std::size_t at = 0; at < body.size(); at += 4) fields.add(known->name, address(body.subspan(at)));
  } else if (known->kind == Kind::seconds && body.size() == 4) {
    fields.add(known->name, read32(body, 0));
  } else if (known->kind == Kind::number16 && body.size() == 2) {
    fields.add(known->name, read16(body, 0));
  } else if (known->kind == Kind::text) {
    fields.add(known->name, text_of(body));
  } else {
    fields.add(known->name, hex(body, ":"));
  }
}

// A name of a message and where what is behind it begins; nothing: it is damaged.
struct Name {
  std::string text;
  std::size_t end;
};

// RFC 1035 4.1.4. A pointer has to lead back, so that it comes to an end.
std::optional<Name> read_name(Octets message, std::size_t at) {
  Name name{};
  std::size_t lowest = at;
  bool jumped = false;
  while (at < message.size()) {
    const std::uint8_t length = message[at];
    if (length >= 0xc0) {
      if (at + 2 > message.size()) return std::nullopt;
      const std::size_t target = read16(message, at) & 0x3fffu;
      if (target >= lowest) return std::nullopt;
      if (!jumped) name.end = at + 2;
      jumped = true;
      lowest = at = target;
      continue;
    }
    if (length >= 0x40) return std::nullopt;
    if (length == 0) {
      if (!jumped) name.end = at + 1;
      if (name.text.empty()) name.text = "<root>";
      return name;
    }
    if (at + 1 + length > message.size()) return std::nullopt;
    name.text += (name.text.empty() ? "" : ".") + text_of(message.subspan(at + 1, length));
    at += 1u + length;
  }
  return std::nullopt;
}

void resource_data(Fields& fields, Octets message, std::uint16_t type, std::size_t at, std::size_t length) {
  const Octets data = message.subspan(at, length);
  constexpr std::uint16_t a = 1, ns = 2, cname = 5, ptr = 12, txt = 16, aaaa = 28, srv = 33;
  const auto name = [&](std::string_view field, std::size_t from) {
    const auto read = read_name(message, from);
    fields.add(field, read ? read->text : hex(data, ":"));
  };
  if (type == a && length == 4) {
    fields.add("dns.a", address(data));
  } else if (type == aaaa && length == 16) {
    fields.add("dns.aaaa", hex(data, ":"));
  } else if (type == ns || type == cname || type == ptr) {
    name(type == ns ? "dns.ns" : type == cname ? "dns.cname" : "dns.ptr.domain_name", at);
  } else if (type == srv && length > 6) {
    fields.add("dns.srv.port", read16(data, 4));
    name("dns.srv.target", at + 6);
  } else if (type == txt && length > 0 && data[0] < length) {
    fields.add("dns.txt", text_of(data.subspan(1, data[0])));
  } else {
    fields.add("dns.resp.data", hex(data, ":"));
  }
}

}  // namespace

std::string hex(Octets octets, std::string_view between) {
  std::string text;
  for (const std::uint8_t octet : octets) text += fmt::format("{}{:02x}", text.empty() ? "" : between, octet);
  return text;
}

std::string address(Octets octets) {
  return address_text(read32(octets, 0));
}

void dhcp(Fields& fields, Octets octets) {
  constexpr std::size_t fixed = 240;
  if (octets.size() < fixed) return fields.malformed("DHCP", "cut short");
  fields.add("dhcp.type", octets[0]);
  fields.add("dhcp.hw.type", octets[1]);
  fields.add("dhcp.hw.len", octets[2]);
  fields.add("dhcp.hops", octets[3]);
  fields.add("dhcp.id", fmt::format("{:#010x}", read32(octets, 4)));
  fields.add("dhcp.secs", read16(octets, 8));
  fields.add("dhcp.flags", fmt::format("{:#06x}", read16(octets, 10)));
  fields.add("dhcp.ip.client", address(octets.subspan(12)));
  fields.add("dhcp.ip.your", address(octets.subspan(16)));
  fields.add("dhcp.ip.server", address(octets.subspan(20)));
  fields.add("dhcp.ip.relay", address(octets.subspan(24)));
  fields.add("dhcp.hw.mac_addr", hex(octets.subspan(28, 6), ":"));
  constexpr std::uint32_t cookie = 0x63825363;
  if (read32(octets, 236) != cookie) return fields.malformed("DHCP", "no magic cookie");
  octets = octets.subspan(fixed);
  while (!octets.empty()) {
    constexpr std::uint8_t pad = 0, end = 255;
    if (octets[0] == end) return fields.add("dhcp.option.end", "");
    if (octets[0] == pad) {
      octets = octets.subspan(1);
      continue;
    }
    const std::size_t length = octets.size() < 2 ? 0 : octets[1];
    if (octets.size() < 2 + length) return fields.malformed("DHCP option", "cut short");
    dhcp_option(fields, octets[0], octets.subspan(2, length));
    octets = octets.subspan(2 + length);
  }
  fields.malformed("DHCP", "no end of the options");
}

void dns(Fields& fields, Octets octets) {
  if (octets.size() < 12) return fields.malformed("DNS", "cut short");
  const std::uint16_t questions = read16(octets, 4);
  const unsigned records = read16(octets, 6) + unsigned{read16(octets, 8)} + read16(octets, 10);
  fields.add("dns.id", fmt::format("{:#06x}", read16(octets, 0)));
  fields.add("dns.flags", fmt::format("{:#06x}", read16(octets, 2)));
  fields.add("dns.count.queries", questions);
  fields.add("dns.count.answers", read16(octets, 6));
  fields.add("dns.count.auth_rr", read16(octets, 8));
  fields.add("dns.count.add_rr", read16(octets, 10));
  std::size_t at = 12;
  for (unsigned n = 0; n < questions; ++n) {
    const auto name = read_name(octets, at);
    if (!name || name->end + 4 > octets.size()) return fields.malformed("DNS", "a question is damaged");
    fields.add("dns.qry.name", name->text);
    fields.add("dns.qry.type", read16(octets, name->end));
    fields.add("dns.qry.class", fmt::format("{:#06x}", read16(octets, name->end + 2)));
    at = name->end + 4;
  }
  for (unsigned n = 0; n < records; ++n) {
    const auto name = read_name(octets, at);
    if (!name || name->end + 10 > octets.size()) return fields.malformed("DNS", "a resource record is damaged");
    const std::uint16_t type = read16(octets, name->end);
    const std::size_t length = read16(octets, name->end + 8);
    fields.add("dns.resp.name", name->text);
    fields.add("dns.resp.type", type);
    fields.add("dns.resp.class", fmt::format("{:#06x}", read16(octets, name->end + 2)));
    fields.add("dns.resp.ttl", read32(octets, name->end + 4));
    at = name->end + 10;
    if (at + length > octets.size()) return fields.malformed("DNS", "a resource record is cut short");
    resource_data(fields, octets, type, at, length);
    at += length;
  }
}

void ntp(Fields& fields, Octets octets) {
  if (octets.size() < 48) return fields.malformed("NTP", "cut short");
  fields.add("ntp.flags.li", octets[0] >> 6);
  fields.add("ntp.flags.vn", octets[0] >> 3 & 7);
  fields.add("ntp.flags.mode", octets[0] & 7);
  fields.add("ntp.stratum", octets[1]);
  fields.add("ntp.ppoll", octets[2]);
  fields.add("ntp.precision", static_cast<std::int8_t>(octets[3]));
  fields.add("ntp.rootdelay", fmt::format("{:#010x}", read32(octets, 4)));
  fields.add("ntp.rootdispersion", fmt::format("{:#010x}", read32(octets, 8)));
  fields.add("ntp.refid", hex(octets.subspan(12, 4), ":"));
  constexpr std::string_view stamps[] = {"ntp.reftime", "ntp.org", "ntp.rec", "ntp.xmt"};
  for (std::size_t n = 0; n < std::size(stamps); ++n) {
    const std::size_t at = 16 + 8 * n;
    fields.add(stamps[n], fmt::format("{:08x}.{:08x}", read32(octets, at), read32(octets, at + 4)));
  }
}

}  // namespace avrlan::net::decoding
