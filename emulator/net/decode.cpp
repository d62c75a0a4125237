#include "emulator/net/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "emulator/net/address_text.hpp"
#include "emulator/net/decode_services.hpp"
#include "emulator/net/packet.hpp"

namespace avrlan::net {
namespace {

using decoding::address;
using decoding::Fields;
using decoding::hex;
using decoding::Octets;

constexpr std::size_t payload_line = 8;

void payload(Fields& fields, std::string_view name, Octets octets) {
  for (std::size_t at = 0; at < octets.size(); at += payload_line) {
    const Octets line = octets.subspan(at, std::min(payload_line, octets.size() - at));
    std::string text;
    for (const std::uint8_t octet : line) text += octet >= 0x20 && octet < 0x7f ? static_cast<char>(octet) : '.';
    fields.add(name, fmt::format("{:04x}: {:<24}{}", at, hex(line, " "), text));
  }
}

// `sum` is 0 over octets whose checksum is right.
void checksum(Fields& fields, std::string_view name, std::uint16_t stored, std::uint16_t sum) {
  fields.add(name, fmt::format("{:#06x} [{}]", stored, sum == 0 ? "correct" : "incorrect"));
}

void ipv4(Fields& fields, Octets octets, bool quoted);

void arp(Fields& fields, Octets octets) {
  if (octets.size() < 28) return fields.malformed("ARP", "cut short");
  const std::uint16_t opcode = read16(octets, 6);
  fields.add("arp.hw.type", read16(octets, 0));
  fields.add("arp.proto.type", fmt::format("{:#06x}", read16(octets, 2)));
  fields.add("arp.hw.size", octets[4]);
  fields.add("arp.proto.size", octets[5]);
  fields.add("arp.opcode", fmt::format("{}{}", opcode, opcode == 1 ? " (request)" : opcode == 2 ? " (reply)" : ""));
  fields.add("arp.src.hw_mac", mac_text(octets.subspan(8)));
  fields.add("arp.src.proto_ipv4", address(octets.subspan(14)));
  fields.add("arp.dst.hw_mac", mac_text(octets.subspan(18)));
  fields.add("arp.dst.proto_ipv4", address(octets.subspan(24)));
}

void icmp(Fields& fields, Octets octets) {
  if (octets.size() < 8) return fields.malformed("ICMP", "cut short");
  const std::uint8_t type = octets[0];
  constexpr std::uint8_t echo_reply = 0, unreachable = 3, quench = 4, redirect = 5, echo = 8, exceeded = 11,
                         parameter = 12;
  fields.add("icmp.type", type);
  fields.add("icmp.code", octets[1]);
  checksum(fields, "icmp.checksum", read16(octets, 2), internet_checksum(octets));
  if (type == echo || type == echo_reply) {
    fields.add("icmp.ident", fmt::format("{:#06x}", read16(octets, 4)));
    fields.add("icmp.seq", read16(octets, 6));
    return payload(fields, "data", octets.subspan(8));
  }
  fields.add("icmp.rest", hex(octets.subspan(4, 4), ":"));
  const bool quotes =
      type == unreachable || type == quench || type == redirect || type == exceeded || type == parameter;
  if (quotes) return ipv4(fields, octets.subspan(8), true);
  payload(fields, "data", octets.subspan(8));
}

// With the pseudo-header.
std::uint16_t transport_sum(Octets header, Octets segment) {
  return internet_checksum(segment,
                           pseudo_header_sum(read32(header, 12), read32(header, 16), header[9], segment.size()));
}

void udp(Fields& fields, Octets header, Octets octets, bool quoted) {
  if (octets.size() < 8) return fields.malformed("UDP", "cut short");
  const std::uint16_t source = read16(octets, 0), destination = read16(octets, 2), length = read16(octets, 4);
  fields.add("udp.srcport", source);
  fields.add("udp.dstport", destination);
  fields.add("udp.length", length);
  const std::uint16_t stored = read16(octets, 6);
  if (quoted) return fields.add("udp.checksum", fmt::format("{:#06x}", stored));
  if (length < 8 || length > octets.size()) return fields.malformed("UDP", "its length cannot be");
  const Octets datagram = octets.first(length);
  if (stored == 0) {
    fields.add("udp.checksum", "0x0000 [none]");
  } else {
    checksum(fields, "udp.checksum", stored, transport_sum(header, datagram));
  }
  const Octets data = datagram.subspan(8);
  const auto between = [&](std::uint16_t a, std::uint16_t b) {
    return (source == a && destination == b) || (source == b && destination == a);
  };
  const auto either = [&](std::uint16_t port) { return source == port || destination == port; };
  if (between(67, 68) || (source == 67 && destination == 67)) return decoding::dhcp(fields, data);
  if (either(53) || either(5353)) return decoding::dns(fields, data);
  if (either(123)) return decoding::ntp(fields, data);
  payload(fields, "data", data);
}

std::string flag_names(std::uint16_t flags) {
  constexpr std::string_view names[] = {"FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"};
  std::string text;
  for (std::size_t bit = 0; bit < std::size(names); ++bit) {
    if ((flags >> bit & 1) == 0) continue;
    text += text.empty() ? "" : ", ";
    text += names[bit];
  }
  return "[" + text + "]";
}

// RFC 9293 3.1, RFC 7323 2 and 3, RFC 2018 2 and 3.
void tcp_options(Fields& fields, Octets octets) {
  while (!octets.empty()) {
    const std::uint8_t kind = octets[0];
    if (kind == 0) return fields.add("tcp.options.eol", "");
    if (kind == 1) {
      fields.add("tcp.options.nop", "");
      octets = octets.subspan(1);
      continue;
    }
    const std::size_t length = octets.size() < 2 ? 0 : octets[1];
    if (length < 2 || length > octets.size()) return fields.malformed("TCP option", "its length cannot be");
    const Octets body = octets.subspan(2, length - 2);
    if (kind == 2 && body.size() == 2) {
      fields.add("tcp.options.mss_val", read16(body, 0));
    } else if (kind == 3 && body.size() == 1) {
      fields.add("tcp.options.wscale.shift", body[0]);
    } else if (kind == 4 && body.empty()) {
      fields.add("tcp.options.sack_perm", "");
    } else if (kind == 5 && body.size() % 8 == 0) {
      for (std::size_t at = 0; at < body.size(); at += 8) {
        fields.add("tcp.options.sack_le", read32(body, at));
        fields.add("tcp.options.sack_re", read32(body, at + 4));
      }
    } else if (kind == 8 && body.size() == 8) {
      fields.add("tcp.options.timestamp.tsval", read32(body, 0));
      fields.add("tcp.options.timestamp.tsecr", read32(body, 4));
    } else {
      fields.add("tcp.option_kind", fmt::format("{} {}", kind, hex(body, ":")));
    }
    octets = octets.subspan(length);
  }
}

void tcp(Fields& fields, Octets header, Octets octets, bool quoted) {
  if (octets.size() < (quoted ? 8 : 20)) return fields.malformed("TCP", "cut short");
  fields.add("tcp.srcport", read16(octets, 0));
  fields.add("tcp.dstport", read16(octets, 2));
  fields.add("tcp.seq_raw", read32(octets, 4));
  if (octets.size() < 20) return;
  fields.add("tcp.ack_raw", read32(octets, 8));
  const std::size_t size = static_cast<std::size_t>(octets[12] >> 4) * 4;
  const std::uint16_t flags = read16(octets, 12) & 0xfff;
  fields.add("tcp.hdr_len", size);
  fields.add("tcp.flags", fmt::format("{:#06x} {}", flags, flag_names(flags)));
  fields.add("tcp.window_size_value", read16(octets, 14));
  if (quoted) return;
  checksum(fields, "tcp.checksum", read16(octets, 16), transport_sum(header, octets));
  fields.add("tcp.urgent_pointer", read16(octets, 18));
  if (size < 20 || size > octets.size()) return fields.malformed("TCP", "its header's length cannot be");
  tcp_options(fields, octets.subspan(20, size - 20));
  const Octets data = octets.subspan(size);
  fields.add("tcp.len", data.size());
  payload(fields, "tcp.payload", data);
}

// `quoted`: by an ICMP error, cut short at will.
void ipv4(Fields& fields, Octets octets, bool quoted) {
  if (octets.size() < 20) return fields.malformed("IPv4", "cut short");
  const std::size_t header_size = static_cast<std::size_t>(octets[0] & 0xf) * 4;
  const std::uint16_t total = read16(octets, 2), fragment = read16(octets, 6);
  fields.add("ip.version", octets[0] >> 4);
  fields.add("ip.hdr_len", header_size);
  fields.add("ip.dsfield", fmt::format("{:#04x}", octets[1]));
  fields.add("ip.len", total);
  fields.add("ip.id", fmt::format("{:#06x}", read16(octets, 4)));
  fields.add("ip.flags.df", fragment >> 14 & 1);
  fields.add("ip.flags.mf", fragment >> 13 & 1);
  fields.add("ip.frag_offset", (fragment & 0x1fff) * 8);
  fields.add("ip.ttl", octets[8]);
  fields.add("ip.proto", octets[9]);
  const bool fits =
      header_size >= 20 && header_size <= octets.size() && total >= header_size && (quoted || total <= octets.size());
  checksum(fields, "ip.checksum", read16(octets, 10), internet_checksum(octets.first(fits ? header_size : 20)));
  fields.add("ip.src", address(octets.subspan(12)));
  fields.add("ip.dst", address(octets.subspan(16)));
  if (!fits) return fields.malformed("IPv4", "its lengths cannot be");
  if (header_size > 20) fields.add("ip.options", hex(octets.subspan(20, header_size - 20), ":"));
  const Octets body = octets.subspan(header_size, std::min<std::size_t>(total, octets.size()) - header_size);
  if ((fragment & 0x3fff) != 0) return payload(fields, "data", body);
  if (octets[9] == protocol_tcp) {
    tcp(fields, octets, body, quoted);
  } else if (octets[9] == protocol_udp) {
    udp(fields, octets, body, quoted);
  } else if (octets[9] == protocol_icmp && !quoted) {
    icmp(fields, body);
  } else {
    payload(fields, "data", body);
  }
  if (!quoted) payload(fields, "eth.padding", octets.subspan(total));
}

std::string value_of(const std::vector<Field>& fields, std::string_view name) {
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
  return field == fields.end() ? std::string() : field->value;
}

// What is behind UDP.
std::string service(const std::vector<Field>& fields) {
  const auto value = [&](std::string_view name) { return value_of(fields, name); };
  if (const auto type = value("dhcp.option.dhcp"); !type.empty()) return " DHCP " + type;
  if (const auto id = value("dns.id"); !id.empty())
    return fmt::format(" DNS {} id {} {}", value("dns.count.answers") == "0" ? "query" : "answer", id,
                       value("dns.qry.name"));
  if (const auto mode = value("ntp.flags.mode"); !mode.empty()) return " NTP mode " + mode;
  return " length " + value("udp.length");
}

// Pairs of fields of one name, in order: a longest common subsequence. An index of -1: the other has it alone.
std::vector<std::pair<int, int>> align(const std::vector<Field>& left, const std::vector<Field>& right) {
  const std::size_t rows = left.size(), columns = right.size();
  std::vector<std::vector<int>> length(rows + 1, std::vector<int>(columns + 1, 0));
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      length[i][j] =
          left[i].name == right[j].name ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
    }
  }
  std::vector<std::pair<int, int>> pairs;
  std::size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    const bool both = i < rows && j < columns && left[i].name == right[j].name;
    const bool take_left = both || j == columns || (i < rows && length[i + 1][j] >= length[i][j + 1]);
    const bool take_right = both || !take_left;
    pairs.emplace_back(take_left ? static_cast<int>(i) : -1, take_right ? static_cast<int>(j) : -1);
    i += take_left ? 1 : 0;
    j += take_right ? 1 : 0;
  }
  return pairs;
}

bool is_payload(const std::string& name) {
  return name == "data" || name == "tcp.payload" || name == "eth.padding";
}

}  // namespace

std::vector<Field> decode(std::span<const std::uint8_t> octets) {
  Fields fields;
  if (octets.size() < ethernet_header) {
    fields.malformed("Ethernet", "cut short");
    payload(fields, "data", octets);
    return std::move(fields.all);
  }
  const std::uint16_t type = read16(octets, 12);
  fields.add("eth.dst", mac_text(octets));
  fields.add("eth.src", mac_text(octets.subspan(6)));
  const Octets body = octets.subspan(ethernet_header);
  constexpr std::uint16_t first_type = 0x600;  // below, it is a length (802.3 3.2.6)
  fields.add(type < first_type ? "eth.len" : "eth.type",
             type < first_type ? std::to_string(type) : fmt::format("{:#06x}", type));
  if (type == ethertype_ipv4) {
    ipv4(fields, body, false);
  } else if (type == ethertype_arp) {
    arp(fields, body);
  } else {
    payload(fields, "data", body);
  }
  return std::move(fields.all);
}

std::string summary(std::span<const std::uint8_t> octets) {
  const auto fields = decode(octets);
  const auto value = [&](std::string_view name) { return value_of(fields, name); };
  if (const auto opcode = value("arp.opcode"); !opcode.empty()) {
    return opcode.starts_with("1 ")
               ? fmt::format("ARP who has {}? tell {}", value("arp.dst.proto_ipv4"), value("arp.src.proto_ipv4"))
               : fmt::format("ARP {} is at {}", value("arp.src.proto_ipv4"), value("arp.src.hw_mac"));
  }
  const std::string source = value("ip.src"), destination = value("ip.dst");
  if (const auto port = value("tcp.srcport"); !port.empty() && value("icmp.type").empty()) {
    const std::string flags = value("tcp.flags");
    return fmt::format("TCP {}:{} > {}:{} {} seq {} ack {} win {} len {}", source, port, destination,
                       value("tcp.dstport"), flags.substr(std::min(flags.find('['), flags.size())),
                       value("tcp.seq_raw"), value("tcp.ack_raw"), value("tcp.window_size_value"), value("tcp.len"));
  }
  if (const auto port = value("udp.srcport"); !port.empty() && value("icmp.type").empty())
    return fmt::format("UDP {}:{} > {}:{}{}", source, port, destination, value("udp.dstport"), service(fields));
  if (const auto type = value("icmp.type"); !type.empty()) {
    const std::string seq = value("icmp.seq").empty() ? "" : " seq " + value("icmp.seq");
    return fmt::format("ICMP {} > {} type {} code {}{}", source, destination, type, value("icmp.code"), seq);
  }
  if (!source.empty()) return fmt::format("IPv4 {} > {} protocol {}", source, destination, value("ip.proto"));
  return fmt::format("{} octets of type {}", octets.size(), value("eth.type") + value("eth.len"));
}

std::string side_by_side(std::span<const std::uint8_t> left, std::span<const std::uint8_t> right,
                         const std::string& left_heading, const std::string& right_heading) {
  const auto a = decode(left), b = decode(right);
  std::size_t name_width = 0, value_width = left_heading.size();
  const auto pairs = align(a, b);
  std::vector<Field> lines;  // name, left value
  std::vector<std::string> rights;
  for (const auto& [i, j] : pairs) {
    const Field* x = i < 0 ? nullptr : &a[static_cast<std::size_t>(i)];
    const Field* y = j < 0 ? nullptr : &b[static_cast<std::size_t>(j)];
    const std::string& name = (x != nullptr ? x : y)->name;
    const bool same = x != nullptr && y != nullptr && *x == *y;
    if (same && is_payload(name)) continue;
    lines.push_back({(same ? "  " : "* ") + name, x != nullptr ? x->value : "-"});
    rights.push_back(y != nullptr ? y->value : "-");
    name_width = std::max(name_width, lines.back().name.size());
    value_width = std::max(value_width, lines.back().value.size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {}\n", "", name_width, left_heading, value_width, right_heading);
  for (std::size_t n = 0; n < lines.size(); ++n) {
    std::string line =
        fmt::format("{:<{}}  {:<{}}  {}", lines[n].name, name_width, lines[n].value, value_width, rights[n]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace avrlan::net
