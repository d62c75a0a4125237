#include "emulator/profile/layers.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/board/host_error.hpp"
#include "emulator/board/nearest_name.hpp"

namespace avrlan::profile {

namespace {

bool fits(const std::string& pattern, const std::string& text) {
  return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool is_path(const std::string& pattern) {
  return pattern.find('/') != std::string::npos;
}

// Adds the words that one pattern fits; false when there are none.
bool mark(const std::string& pattern, const CodeMap& map, const DebugInfo& debug, std::vector<bool>& words) {
  bool any = false;
  const auto add = [&](std::uint32_t word) { any = words[word] = true; };
  if (is_path(pattern)) {
    std::vector<bool> files;
    for (const auto& file : debug.files()) files.push_back(fits(pattern, file));
    for (std::uint32_t word = 0; word < map.flash_words(); ++word) {
      if (files[debug.line_of(2 * word).file]) add(word);
    }
    return any;
  }
  std::vector<bool> functions;
  for (const auto& function : map.functions())
    functions.push_back(fits(pattern, function.name) || fits(pattern, function.symbol));
  for (std::uint32_t word = 0; word < map.flash_words(); ++word) {
    if (functions[map.function_of(word)]) add(word);
  }
  for (const auto& range : debug.inlined()) {
    if (!fits(pattern, range.name)) continue;
    for (std::uint32_t word = range.first / 2; word < range.end / 2 && word < map.flash_words(); ++word) add(word);
  }
  return any;
}

// What may be meant by a pattern that fits nothing.
std::string advice(const std::string& pattern, const CodeMap& map, const DebugInfo& debug) {
  std::vector<std::string> names;
  if (is_path(pattern)) {
    names.assign(debug.files().begin() + 1, debug.files().end());
    if (names.empty()) return "a pattern with a slash is one of source files, and there is no debug information";
  } else {
    for (const auto& function : map.functions()) names.push_back(function.name);
    for (const auto& range : debug.inlined()) names.push_back(range.name);
  }
  std::string plain = pattern;
  std::erase(plain, '*');
  if (names.empty() || plain.empty()) return "`avr-nm -C` lists the names";
  return fmt::format("did you mean '{}'? Quote the pattern and use * for what varies", nearest_name(plain, names));
}

double ratio(std::int64_t cycles, std::int64_t bytes) {
  return bytes == 0 ? 0.0 : static_cast<double>(cycles) / static_cast<double>(bytes);
}

}  // namespace

CodeGroup CodeGroup::parse(const std::string& text) {
  const auto equals = text.find('=');
  CodeGroup group;
  if (equals != std::string::npos) {
    group.name = text.substr(0, equals);
    for (std::size_t at = equals + 1; at <= text.size();) {
      const auto comma = std::min(text.find(',', at), text.size());
      if (comma > at) group.patterns.push_back(text.substr(at, comma - at));
      at = comma + 1;
    }
  }
  if (group.name.empty() || group.patterns.empty()) {
    throw UsageError(fmt::format("--region {}: not a region", text),
                     "write NAME='pattern,pattern', as checksum='chksum*'");
  }
  return group;
}

const std::vector<CodeGroup>& network_layers() {
  static const std::vector<CodeGroup> layers = {
      {"checksum", {"*/base/checksum.hpp", "tcpip::sum_add(*", "*chksum*", "*cksum*", "*checksum*"}},
      {"driver",
       {"*stack/drivers/*",
        "*firmware/board/spi.hpp",
        "*firmware/board/bus.hpp",
        "*firmware/board/port_bus.hpp",
        "tcpip::Enc28j60<*",
        "tcpip::Rtl8019as<*",
        "board::Spi::*",
        "board::Bus::*",
        "*enc28[jJ]60*",
        "*ENC28J60*",
        "Enc28J60Network::*",
        "*rtl8019*",
        "*cs8900*",
        "*w5[15]00*",
        "network_*",
        "nic_*",
        "spi_*",
        "ethernetif_*",
        "low_level_*",
        "tapdev_*"}},
      {"ethernet, arp",
       {"*stack/netif/ethernet.hpp", "*stack/netif/arp.hpp", "*stack/netif/conflict.hpp", "tcpip::Ethernet<*",
        "tcpip::Arp<*", "tcpip::Conflict*", "uip_arp_*", "etharp_*", "ethernet_*", "make_arp_*", "client_arp_*",
        "eth_type_is_arp_*", "EtherCard::*Arp*"}},
      {"ip, icmp",
       {"*stack/netif/ipv4.hpp", "*stack/netif/icmp.hpp", "*stack/netif/reassembly.hpp", "tcpip::Ipv4*",
        "tcpip::Icmp<*", "tcpip::Reassembly<*", "ip_*", "ip4_*", "icmp_*", "make_eth_ip*", "make_echo_*",
        "eth_type_is_ip_*", "EtherCard::*Icmp*"}},
      {"udp",
       {"*stack/udp/*", "tcpip::Udp*", "*tcpip::Dhcp<*", "*tcpip::Dns*", "tcpip::DottedName::*", "*tcpip::NtpClient*",
        "*tcpip::Mdns*", "tcpip::LinkLocal*", "udp_*", "dhcp_*", "dns_*", "UIPUDP::*", "uipudp_*", "DhcpClass::*",
        "DNSClient::*", "EtherCard::*[uU]dp*", "EtherCard::dhcp*", "EtherCard::dns*", "EtherCard::ntp*"}},
      {"tcp",
       {"*stack/tcp/*", "tcpip::Tcp<*", "tcpip::TcpOutput<*", "tcpip::TcpLayer<*", "tcpip::StopAndWait<*",
        "tcpip::SlidingWindow<*", "tcpip::Reordering<*", "tcpip::Congestion*", "tcpip::Preload*", "tcp_*",
        "UIPClient::*", "UIPServer::*", "uipclient_*", "make_tcp*", "EtherCard::*[tT]cp*", "EtherCard::http*"}},
      {"uip", {"uip_*", "UIPEthernetClass::*"}},
      {"buffers", {"pbuf_*", "mem_*", "memp_*", "MemoryPool::*", "BufferFiller::*", "Stash::*"}},
      {"stack",
       {"*stack/stack.hpp", "*stack/base/*", "*stack/wire/*", "*stack/netif/*", "tcpip::Stack<*", "tcpip::Reader<*",
        "tcpip::Writer<*", "tcpip::KeyedHash::*", "tcpip::Be*", "tcpip::operator*", "tcpip::Counters<*",
        "tcpip::Applications<*", "tcpip::copy(*", "tcpip_*", "sys_*", "EtherCard::*"}},
      {"application",
       {"*stack/app/*", "*firmware/images/*", "*tcpip::HttpServer<*", "*tcpip::TelnetServer<*", "*tcpip::NetioServer*",
        "*tcpip::Text<*", "image::*", "http*", "appl_*"}},
      {"board", {"*firmware/board/*", "board::*"}},
      {"other", {}},
  };
  return layers;
}

// A line's file says more than the name of the function that it has been inlined into.
std::vector<std::uint8_t> layer_of_words(const CodeMap& map, const DebugInfo& debug) {
  const auto& layers = network_layers();
  std::vector<std::uint8_t> layer_of(map.flash_words(), static_cast<std::uint8_t>(layers.size() - 1));
  for (const bool paths : {false, true}) {
    for (std::size_t layer = layers.size(); layer-- > 0;) {
      std::vector<bool> words(map.flash_words());
      for (const auto& pattern : layers[layer].patterns) {
        if (is_path(pattern) == paths) mark(pattern, map, debug, words);
      }
      for (std::size_t word = 0; word < words.size(); ++word) {
        if (words[word]) layer_of[word] = static_cast<std::uint8_t>(layer);
      }
    }
  }
  return layer_of;
}

Region::Region(CodeGroup group, const CodeMap& map, const DebugInfo& debug)
    : group_(std::move(group)), words_(map.flash_words()) {
  for (const auto& pattern : group_.patterns) {
    if (mark(pattern, map, debug, words_)) continue;
    throw UsageError(fmt::format("--region {}: nothing in the firmware is called '{}'", group_.name, pattern),
                     advice(pattern, map, debug));
  }
}

nlohmann::ordered_json Region::json(const Profiler& profiler) const {
  const CodeMap& map = profiler.map();
  std::int64_t cycles = 0, loads = 0, stores = 0;
  for (std::uint32_t word = 0; word < words_.size(); ++word) {
    if (!words_[word]) continue;
    const Place place = profiler.place(word);
    cycles += place.cycles;
    if (map.instruction(word).loads_on) loads += place.count;
    if (map.instruction(word).stores_on) stores += place.count;
  }
  const auto& nodes = profiler.nodes();
  const auto inside = [&](std::uint32_t node) {
    return node != 0 && words_[map.functions()[nodes[node].function].address / 2];
  };
  std::int64_t calls = 0;
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    if (inside(node) && !inside(nodes[node].parent)) calls += nodes[node].calls;
  }
  const std::int64_t bytes = std::max(loads, stores);
  return {{"name", group_.name}, {"patterns", group_.patterns},
          {"calls", calls},      {"cycles", cycles},
          {"bytes", bytes},      {"cycles_per_byte", ratio(cycles, bytes)}};
}

}  // namespace avrlan::profile
