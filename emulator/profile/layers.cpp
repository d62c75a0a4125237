#include "emulator/profile/layers.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "emulator/board/host_error.hpp"

namespace avrlan::profile {

namespace {

using cpu::Op;

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

bool loads_on(Op op) {
  return op == Op::ld_x_inc || op == Op::ld_y_inc || op == Op::ld_z_inc || op == Op::lpm_inc || op == Op::elpm_inc;
}
bool stores_on(Op op) {
  return op == Op::st_x_inc || op == Op::st_y_inc || op == Op::st_z_inc;
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
      {"checksum", {"*/base/checksum.hpp", "*chksum*", "*cksum*", "*checksum*"}},
      {"driver",
       {"*stack/drivers/*", "*firmware/board/spi.hpp", "*enc28j60*", "*ENC28J60*", "*rtl8019*", "*cs8900*",
        "*w5[15]00*", "network_*", "nic_*", "spi_*", "ethernetif_*", "low_level_*", "tapdev_*"}},
      {"ethernet, arp", {"*stack/netif/ethernet.hpp", "*stack/netif/arp.hpp", "uip_arp_*", "etharp_*", "ethernet_*"}},
      {"ip, icmp", {"*stack/netif/ipv4.hpp", "ip_*", "ip4_*", "icmp_*"}},
      {"udp", {"*stack/udp/*", "udp_*", "dhcp_*", "dns_*"}},
      {"tcp", {"*stack/tcp/*", "tcp_*"}},
      {"uip", {"uip_*"}},
      {"buffers", {"pbuf_*", "mem_*", "memp_*"}},
      {"stack", {"*stack/stack.hpp", "*stack/base/*", "*stack/wire/*", "*stack/netif/*", "tcpip_*", "sys_*"}},
      {"application", {"*stack/app/*", "*firmware/images/*", "http*", "appl_*"}},
      {"board", {"*firmware/board/*"}},
  };
  return layers;
}

std::vector<bool> words_of(const CodeGroup& group, const CodeMap& map, const DebugInfo& debug) {
  std::vector<bool> words(map.flash_words());
  for (const auto& pattern : group.patterns) mark(pattern, map, debug, words);
  return words;
}

Region::Region(CodeGroup group, const CodeMap& map, const DebugInfo& debug)
    : group_(std::move(group)), words_(map.flash_words()) {
  for (const auto& pattern : group_.patterns) {
    if (mark(pattern, map, debug, words_)) continue;
    throw UsageError(fmt::format("--region {}: nothing in the firmware is called '{}'", group_.name, pattern),
                     is_path(pattern) ? "a pattern with a slash is one of source files; is there debug information?"
                                      : "`avr-nm -C` lists the names; quote the pattern and use * for what varies");
  }
}

nlohmann::ordered_json Region::json(const Profiler& profiler) const {
  const CodeMap& map = profiler.map();
  std::int64_t cycles = 0, loads = 0, stores = 0;
  for (std::uint32_t word = 0; word < words_.size(); ++word) {
    if (!words_[word]) continue;
    const Place place = profiler.place(word);
    cycles += place.cycles;
    if (loads_on(map.instruction(word).op)) loads += place.count;
    if (stores_on(map.instruction(word).op)) stores += place.count;
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

FramePaths::FramePaths(const Profiler& profiler, const DebugInfo& debug)
    : profiler_(profiler), layer_of_(profiler.map().flash_words(), static_cast<std::uint8_t>(network_layers().size())) {
  const auto& layers = network_layers();
  for (std::size_t layer = layers.size(); layer-- > 0;) {
    const auto words = words_of(layers[layer], profiler.map(), debug);
    for (std::size_t word = 0; word < words.size(); ++word) {
      if (words[word]) layer_of_[word] = static_cast<std::uint8_t>(layer);
    }
  }
  layer_of_.resize(std::min<std::size_t>(layer_of_.size(), profiler.map().image_words()));
}

std::vector<std::int64_t> FramePaths::cycles_by_layer() const {
  std::vector<std::int64_t> cycles(network_layers().size() + 1);
  for (std::uint32_t word = 0; word < layer_of_.size(); ++word) cycles[layer_of_[word]] += profiler_.place(word).cycles;
  return cycles;
}

void FramePaths::frame_in(std::size_t octets) {
  if (open_ && paths_.back().cycles.empty()) end_path();
  at_cut_ = cycles_by_layer();
  open_ = true;
  paths_.push_back({{}, static_cast<std::int64_t>(octets)});
  octets_in_ += static_cast<std::int64_t>(octets);
}

void FramePaths::frame_out(std::size_t octets) {
  if (open_) {
    paths_.back().octets += static_cast<std::int64_t>(octets);
    end_path();
  }
  octets_out_ += static_cast<std::int64_t>(octets);
}

void FramePaths::finish() {
  if (open_ && paths_.back().cycles.empty()) paths_.pop_back();
  open_ = false;
}

void FramePaths::end_path() {
  Path& path = paths_.back();
  path.cycles = cycles_by_layer();
  for (std::size_t layer = 0; layer < path.cycles.size(); ++layer) path.cycles[layer] -= at_cut_[layer];
}

template <class Value>
FramePaths::Spread FramePaths::spread(Value value) const {
  std::vector<std::int64_t> values;
  std::int64_t octets = 0;
  for (const Path& path : paths_) {
    values.push_back(value(path));
    octets += path.octets;
  }
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](std::size_t percent) { return values[(values.size() - 1) * percent / 100]; };
  Spread spread{
      std::accumulate(values.begin(), values.end(), std::int64_t{0}), at(50), at(90), at(99), values.back(), 0};
  spread.per_byte = ratio(spread.sum, octets);
  return spread;
}

nlohmann::ordered_json FramePaths::layers() const {
  auto list = nlohmann::ordered_json::array();
  const auto cycles = cycles_by_layer();
  for (std::size_t layer = 0; layer < cycles.size(); ++layer) {
    if (cycles[layer] == 0) continue;
    const Spread s = spread([layer](const Path& path) { return path.cycles[layer]; });
    list.push_back({{"name", layer < network_layers().size() ? network_layers()[layer].name : "other"},
                    {"cycles", cycles[layer]},
                    {"in_paths", s.sum},
                    {"p50", s.p50},
                    {"p90", s.p90},
                    {"p99", s.p99},
                    {"max", s.max},
                    {"cycles_per_byte", s.per_byte}});
  }
  return list;
}

nlohmann::ordered_json FramePaths::paths() const {
  const Spread s =
      spread([](const Path& path) { return std::accumulate(path.cycles.begin(), path.cycles.end(), std::int64_t{0}); });
  return {{"count", paths_.size()},
          {"octets_in", octets_in_},
          {"octets_out", octets_out_},
          {"cycles", s.sum},
          {"p50", s.p50},
          {"p90", s.p90},
          {"p99", s.p99},
          {"max", s.max},
          {"cycles_per_byte", s.per_byte}};
}

std::string FramePaths::table() const {
  if (paths_.empty()) return {};
  const auto row = [](const std::string& name, const nlohmann::ordered_json& r, const char* cycles) {
    return fmt::format("{:<14} {:>12} {:>8.2f} {:>10} {:>10} {:>10} {:>10}\n", name, r.at(cycles).get<std::int64_t>(),
                       r.at("cycles_per_byte").get<double>(), r.at("p50").get<std::int64_t>(),
                       r.at("p90").get<std::int64_t>(), r.at("p99").get<std::int64_t>(),
                       r.at("max").get<std::int64_t>());
  };
  std::string text = fmt::format("{:<14} {:>12} {:>8} {:>10} {:>10} {:>10} {:>10}  by frame received ({})\n", "layer",
                                 "cycles", "a byte", "median", "90 %", "99 %", "most", paths_.size());
  for (const auto& layer : layers()) text += row(layer.at("name"), layer, "in_paths");
  return text + row("all", paths(), "cycles");
}

}  // namespace avrlan::profile
