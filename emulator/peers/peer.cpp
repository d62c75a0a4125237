#include "emulator/peers/peer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "emulator/board/host_error.hpp"
#include "emulator/board/nearest_name.hpp"
#include "emulator/board/read_file.hpp"
#include "emulator/board/station_name.hpp"
#include "emulator/net/address_text.hpp"
#include "emulator/net/user_network.hpp"
#include "emulator/peers/bad_input_client.hpp"
#include "emulator/peers/dhcp_server.hpp"
#include "emulator/peers/dns_server.hpp"
#include "emulator/peers/http_client.hpp"
#include "emulator/peers/http_server.hpp"
#include "emulator/peers/ntp_server.hpp"
#include "emulator/peers/ping_client.hpp"
#include "emulator/peers/port_scan.hpp"
#include "emulator/peers/simple_services.hpp"
#include "emulator/peers/stream_client.hpp"
#include "emulator/peers/syslog_server.hpp"

namespace avrlan::peers {

namespace {

using Names = PeerOptions::Names;
using Make = std::function<std::unique_ptr<Part>(Host&, const Names&)>;

constexpr std::uint32_t first_address = net::user_network::network + 100;

template <class Service>
Make simple(Settings&) {
  return [](Host& host, const Names&) { return std::make_unique<Service>(host); };
}

Make http(Settings& settings) {
  const std::filesystem::path directory = settings.needed("dir", "www");
  const auto port = static_cast<std::uint16_t>(settings.number("port", 80, 1, 65'535));
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error))
    settings.refuse(fmt::format("there is no directory {}", directory.string()), "give dir= one with files to serve");
  return [=](Host& host, const Names&) { return std::make_unique<HttpServer>(host, directory, port); };
}

// The server's own address is known when all peers have theirs.
void check_pool(const std::string& where, const HostOptions& server, const DhcpServerOptions& pool) {
  const auto refuse = [&where](const std::string& what, const std::string& hint) {
    throw UsageError(fmt::format("{}: {}", where, what), hint);
  };
  const std::uint32_t network = server.address & server.mask, last = pool.first + (pool.count - 1);
  if (pool.first <= network || last < pool.first || last >= (network | ~server.mask))
    refuse(fmt::format("the pool, {} to {}, is not within the server's network, {}/{}", net::address_text(pool.first),
                       net::address_text(last), net::address_text(network), std::popcount(server.mask)),
           "give pool=, count= and mask= that go with its ip=");
  for (const auto& [address, whose] :
       {std::pair(server.address, "the server's own"), std::pair(pool.router, "the router's"),
        std::pair(pool.dns, "the name server's")}) {
    if (address >= pool.first && address <= last)
      refuse(fmt::format("the pool has {} address, {}", whose, net::address_text(address)),
             "begin behind it with pool=, or end before it with count=");
  }
}

Make dhcp(Settings& settings) {
  DhcpServerOptions options;
  options.first = settings.address("pool").value_or(net::user_network::first_lease);
  options.count = static_cast<std::uint32_t>(settings.number("count", 16, 1, 65'536));
  options.router = settings.address("router").value_or(net::user_network::gateway);
  options.dns = settings.address("dns").value_or(net::user_network::name_server);
  options.lease = static_cast<std::uint32_t>(settings.time("lease", Duration::seconds(86'400)) / Duration::seconds(1));
  if (options.lease < 8) settings.refuse("lease is shorter than 8 s", "write lease=1h");
  return [=, where = settings.where()](Host& host, const Names&) {
    check_pool(where, host.options(), options);
    return std::make_unique<DhcpServer>(host, options);
  };
}

Make dns(Settings& settings) {
  DnsServerOptions options;
  if (const auto zone = settings.text("zone"))
    options.names = read_hosts(read_file(*zone, "give zone= a file with lines like: 10.0.2.100 server.example"), *zone);
  for (const std::string& text : settings.texts("host")) {
    const std::size_t colon = text.find(':');
    const auto address = colon == std::string::npos ? std::nullopt : parse_address(text.substr(colon + 1));
    if (!address)
      settings.refuse(fmt::format("host={} is not NAME:ADDRESS", text), "write host=server.example:10.0.2.100");
    options.names.merge(read_hosts(fmt::format("{} {}", net::address_text(*address), text.substr(0, colon)), "host="));
  }
  options.others = settings.address("others").value_or(0);
  options.ttl = static_cast<std::uint32_t>(settings.number("ttl", 300, 0, INT32_MAX));
  return [=](Host& host, const Names& names) {
    DnsServerOptions all = options;
    all.names.insert(names.begin(), names.end());
    return std::make_unique<DnsServer>(host, std::move(all));
  };
}

Make ntp(Settings& settings) {
  const std::string text = settings.text("time").value_or("2026-01-01T00:00:00Z");
  const auto start = parse_utc(text);
  if (!start) settings.refuse(fmt::format("time={} is no time of day in UTC", text), "write time=2026-11-30T17:20:05Z");
  if (!can_be_told(*start))
    settings.refuse(fmt::format("time={} cannot be told by NTP", text), "take one from 1968-01-21 to 2104-02-25");
  return [=](Host& host, const Names&) { return std::make_unique<NtpServer>(host, *start); };
}

ClientOptions client_options(Settings& settings, std::uint32_t target) {
  ClientOptions options;
  if (!is_host_address(target))
    settings.refuse(fmt::format("{} is no address of a host", net::address_text(target)),
                    "name the board's, as 10.0.2.15");
  options.target = target;
  options.start = settings.time("start", {});
  options.wait = settings.limit("wait", options.wait);
  return options;
}

Make http_get(Settings& settings) {
  HttpClientOptions options;
  const std::string url = settings.needed("url", "http://10.0.2.15/");
  constexpr std::string_view scheme = "http://";
  const std::string_view rest = std::string_view(url).substr(std::min(url.size(), scheme.size()));
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  options.host = rest.substr(0, slash);
  if (slash != rest.size()) options.path = rest.substr(slash);
  const std::size_t colon = std::min(options.host.find(':'), options.host.size());
  const auto address = parse_address(std::string_view(options.host).substr(0, colon));
  const auto port = colon == options.host.size() ? 80 : parse_port(std::string_view(options.host).substr(colon + 1));
  const bool printable =
      std::ranges::all_of(options.path, [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; });
  if (!url.starts_with(scheme) || !address || !port || !printable)
    settings.refuse(fmt::format("url={} is not http://ADDRESS[:PORT]/PATH", url), "write url=http://10.0.2.15/");
  options.port = *port;
  options.count = static_cast<std::uint32_t>(settings.number("count", 1, 1, 1'000'000));
  options.parallel = static_cast<std::uint32_t>(settings.number("parallel", 1, 1, 50));
  options.gap = settings.time("gap", {});
  options.timeout = settings.limit("timeout", options.timeout);
  options.status = static_cast<int>(settings.number("status", 200, 100, 599));
  options.client = client_options(settings, *address);
  return [=](Host& host, const Names&) { return std::make_unique<HttpClient>(host, options); };
}

Make tcp_stream(Settings& settings) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  StreamOptions options;
  const Endpoint to = settings.endpoint("to", "10.0.2.15:7");
  options.client = client_options(settings, to.address);
  options.port = to.port;
  const auto size = [&](std::string_view key) { return static_cast<std::uint64_t>(settings.size(key, 0, 0, most)); };
  options.up = size("up");
  options.down = size("down");
  options.chunk = size("chunk");
  options.rate = size("rate");
  options.echo = settings.choice("check", {"none", "echo"}) == "echo";
  options.timeout = settings.limit("timeout", options.timeout);
  if (options.up == 0 && options.down == 0)
    settings.refuse("neither up= nor down= says how much", "add up=100k, down=100k or both");
  return [=](Host& host, const Names&) { return std::make_unique<StreamClient>(host, options); };
}

PingOptions ping_options(Settings& settings, std::uint32_t target) {
  PingOptions options;
  options.client = client_options(settings, target);
  options.count = static_cast<std::uint32_t>(settings.number("count", 4, 1, 1'000'000));
  options.size = static_cast<std::uint32_t>(settings.size("size", 56, 4, 1472));
  options.interval = settings.time("interval", options.interval);
  options.timeout = settings.limit("timeout", options.timeout);
  options.lost = static_cast<std::uint32_t>(settings.number("lost", 0, 0, 1'000'000));
  return options;
}

std::uint32_t target(Settings& settings) {
  const std::string text = settings.needed("to", "10.0.2.15");
  const auto address = parse_address(text);
  if (!address) settings.refuse(fmt::format("to={} is no IPv4 address", text), "write to=10.0.2.15");
  return *address;
}

Make ping(Settings& settings) {
  const PingOptions options = ping_options(settings, target(settings));
  return [=](Host& host, const Names&) { return std::make_unique<IcmpPing>(host, options); };
}

Make udp_ping(Settings& settings) {
  const Endpoint to = settings.endpoint("to", "10.0.2.15:7");
  PingOptions options = ping_options(settings, to.address);
  options.port = to.port;
  return [=](Host& host, const Names&) { return std::make_unique<UdpPing>(host, options); };
}

// "1-1024+8080"
std::set<std::uint16_t> read_ports(const Settings& settings, std::string_view key, const std::string& text) {
  std::set<std::uint16_t> ports;
  std::size_t plus = 0;
  for (std::size_t from = 0; from <= text.size(); from = plus + 1) {
    plus = std::min(text.find('+', from), text.size());
    const std::string_view range = std::string_view(text).substr(from, plus - from);
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto first = parse_port(range.substr(0, dash));
    const auto last = dash == range.size() ? first : parse_port(range.substr(dash + 1));
    if (!first || !last || *last < *first)
      settings.refuse(fmt::format("{}={} is no list of ports", key, text), fmt::format("write {}=1-1024+8080", key));
    for (unsigned port = *first; port <= *last; ++port) ports.insert(static_cast<std::uint16_t>(port));
  }
  return ports;
}

Make port_scan(Settings& settings) {
  PortScanOptions options;
  options.client = client_options(settings, target(settings));
  const auto ports = read_ports(settings, "ports", settings.text("ports").value_or("1-1024"));
  options.ports.assign(ports.begin(), ports.end());
  options.parallel = static_cast<std::uint32_t>(settings.number("parallel", options.parallel, 1, 50));
  options.timeout = settings.limit("timeout", options.timeout);
  if (const auto open = settings.text("open")) options.expected = read_ports(settings, "open", *open);
  return [=](Host& host, const Names&) { return std::make_unique<PortScan>(host, options); };
}

Make bad_input(Settings& settings) {
  BadInputOptions options;
  options.client = client_options(settings, target(settings));
  options.port = static_cast<std::uint16_t>(settings.number("port", 0, 0, 65'535));
  options.gap = settings.time("gap", options.gap);
  options.patience = settings.limit("patience", options.patience);
  options.seed = static_cast<std::uint64_t>(settings.number("frames-seed", 1, 0, INT64_MAX));
  return [=](Host& host, const Names&) { return std::make_unique<BadInputClient>(host, options); };
}

struct Kind {
  std::string_view name;
  bool is_client;
  Make (*read)(Settings&);
  std::string_view help;
};

constexpr std::array kinds = {
    Kind{"echo", false, simple<EchoService>, "TCP and UDP port 7: what is sent comes back"},
    Kind{"discard", false, simple<DiscardService>, "TCP and UDP port 9"},
    Kind{"chargen", false, simple<ChargenService>, "TCP and UDP port 19: printable characters without end"},
    Kind{"http", false, http, "dir=DIRECTORY port=80: its files"},
    Kind{"dhcp", false, dhcp,
         "pool=10.0.2.15 count=16 router=10.0.2.2 dns=10.0.2.3 lease=24h: addresses, the first free one"},
    Kind{"dns", false, dns,
         "zone=FILE (lines of: ADDRESS NAME) host=NAME:ADDRESS others=ADDRESS ttl=300: also the peers' names"},
    Kind{"ntp", false, ntp, "time=2026-01-01T00:00:00Z at the start of the run"},
    Kind{"syslog", false, simple<SyslogServer>, "UDP port 514: the lines are in run.json"},
    Kind{"http-get", true, http_get, "url=http://10.0.2.15/ count=1 parallel=1 gap=0 timeout=60s status=200"},
    Kind{"tcp-stream", true, tcp_stream,
         "to=10.0.2.15:7 up=BYTES down=BYTES chunk=BYTES rate=BYTES (read a second) check=none|echo timeout=120s"},
    Kind{"ping", true, ping, "to=10.0.2.15 count=4 size=56 interval=1s timeout=1s lost=0 (may be lost)"},
    Kind{"udp-ping", true, udp_ping, "to=10.0.2.15:7, and as ping: an echo service"},
    Kind{"port-scan", true, port_scan,
         "to=10.0.2.15 ports=1-1024+8080 parallel=8 timeout=3s open=PORTS (no others, or it fails)"},
    Kind{"bad-input", true, bad_input,
         "to=10.0.2.15 port=0 (TCP, to be tried) gap=2ms patience=100s frames-seed=1: malformed frames"}};

const Kind& find_kind(const std::string& where, const std::string& name) {
  const auto kind = std::ranges::find(kinds, name, &Kind::name);
  if (kind != kinds.end()) return *kind;
  std::vector<std::string> names;
  for (const Kind& known : kinds) names.emplace_back(known.name);
  throw UsageError(fmt::format("{}: there is no kind of peer '{}'", where, name),
                   fmt::format("did you mean '{}'? There are: {}", nearest_name(name, names), fmt::join(names, ", ")));
}

MacAddress read_mac(const Settings& settings, const std::string& text) {
  if (const auto mac = net::parse_mac(text)) return *mac;
  settings.refuse(fmt::format("mac={} is no MAC address of one host", text), "write mac=02:00:00:00:00:64");
}

void check_network(const Settings& settings, const HostOptions& host) {
  const std::uint32_t hosts = ~host.mask;
  if (host.mask == 0 || (hosts & (hosts + 1)) != 0 || hosts < 3)
    settings.refuse(fmt::format("mask={} is none of a network with hosts", net::address_text(host.mask)),
                    "write mask=255.255.255.0");
  const auto check = [&](std::string_view key, std::uint32_t address) {
    if (address == 0) return;
    if (!is_host_address(address) || (address & hosts) == 0 || (address & hosts) == hosts)
      settings.refuse(fmt::format("{}={} is no address of a host in a network with mask {}", key,
                                  net::address_text(address), net::address_text(host.mask)),
                      fmt::format("write {}=10.0.2.100", key));
  };
  check("ip", host.address);
  check("gateway", host.gateway);
  if (host.address != 0 && host.gateway != 0 && ((host.address ^ host.gateway) & host.mask) != 0)
    settings.refuse(fmt::format("gateway={} is not in the network of {}", net::address_text(host.gateway),
                                net::address_text(host.address)),
                    "give it an address there, or another mask=");
  if (host.address != 0 && host.gateway == host.address)
    settings.refuse(fmt::format("gateway={} is the host itself", net::address_text(host.gateway)), "leave it out");
}

void read_host(Settings& settings, PeerOptions& options) {
  HostOptions& host = options.host;
  host.name = settings.text("name").value_or("");
  if (!is_station_name(host.name))
    settings.refuse(fmt::format("name={} is no name", host.name), "take letters, digits, - and _, 64 at most");
  if (const auto mac = settings.text("mac")) host.mac = read_mac(settings, *mac);
  const auto ip = settings.text("ip");
  options.by_dhcp = ip == "dhcp";
  if (options.by_dhcp && options.kind == "dhcp")
    settings.refuse("ip=dhcp: it is the server itself", "give it an address, as ip=10.0.2.2");
  if (ip && !options.by_dhcp) {
    const auto address = parse_address(*ip);
    if (!address || *address == 0)
      settings.refuse(fmt::format("ip={} is no IPv4 address", *ip), "write ip=10.0.2.100, or ip=dhcp");
    host.address = *address;
  }
  host.mask = settings.address("mask").value_or(host.mask);
  host.gateway = settings.address("gateway").value_or(host.gateway);
  check_network(settings, host);
  host.delayed_acks = settings.choice("acks", {"delayed", "immediate"}) == "delayed";
  host.mss = static_cast<std::uint16_t>(settings.number("mss", host.mss, 64, 1460));
  host.window = static_cast<std::uint16_t>(settings.size("window", host.window, 1, 32'767));
  host.seed = static_cast<std::uint64_t>(settings.number("seed", 1, 0, INT64_MAX));
}

std::string unused_name(const std::string& kind, const std::vector<PeerOptions>& peers) {
  std::string name = kind;
  const auto taken = [&] {
    return std::ranges::any_of(peers, [&](const PeerOptions& peer) { return peer.host.name == name; });
  };
  for (int number = 2; taken(); ++number) name = fmt::format("{}-{}", kind, number);
  return name;
}

std::uint32_t unused_address(const std::string& kind, const std::vector<PeerOptions>& peers) {
  std::uint32_t address = kind == "dhcp"  ? net::user_network::gateway
                          : kind == "dns" ? net::user_network::name_server
                                          : first_address;
  const auto taken = [&] {
    return std::ranges::any_of(peers, [&](const PeerOptions& peer) { return peer.host.address == address; });
  };
  while (taken()) address = std::max(address + 1, first_address);
  return address;
}

template <class Value, class Format>
void refuse_twice(const std::vector<PeerOptions>& peers, std::string_view key, Value value, Format format) {
  for (auto one = peers.begin(); one != peers.end(); ++one) {
    const auto other =
        std::find_if(one + 1, peers.end(), [&](const PeerOptions& p) { return value(p) == value(*one); });
    if (value(*one) == decltype(value(*one)){} || other == peers.end()) continue;
    throw UsageError(
        fmt::format("{}: {}={} is that of another peer ({})", other->where, key, format(value(*other)), one->kind),
        fmt::format("give each its own {}=, or leave it out", key));
  }
}

}  // namespace

PeerOptions PeerOptions::parse(const std::string& where, const std::string& kind, KeyValues values) {
  const Kind& found = find_kind(where, kind);
  Settings settings(where, std::move(values));
  PeerOptions options;
  options.where = where;
  options.kind = kind;
  options.is_client = found.is_client;
  read_host(settings, options);
  options.make = found.read(settings);
  settings.finish();
  return options;
}

PeerOptions PeerOptions::parse(std::string_view text) {
  const std::size_t end = std::min(text.find(','), text.size());
  const std::string kind(text.substr(0, end));
  KeyValues values;
  for (std::size_t comma = end; comma < text.size();) {
    const std::size_t from = comma + 1;
    comma = std::min(text.find(',', from), text.size());
    const std::string_view item = text.substr(from, comma - from);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      throw UsageError(fmt::format("--peer {}: '{}' is not of the form key=value", kind, item),
                       "for example --peer http,dir=www,ip=10.0.2.100");
    values.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  return parse("--peer " + kind, kind, std::move(values));
}

void complete(std::vector<PeerOptions>& peers) {
  refuse_twice(
      peers, "name", [](const auto& p) { return p.host.name; }, [](const auto& name) { return name; });
  refuse_twice(
      peers, "ip", [](const auto& p) { return p.host.address; }, net::address_text);
  refuse_twice(
      peers, "mac", [](const auto& p) { return p.host.mac; }, net::mac_text);
  for (std::size_t i = 0; i != peers.size(); ++i) {
    PeerOptions& peer = peers[i];
    if (peer.host.name.empty()) peer.host.name = unused_name(peer.kind, peers);
    if (peer.host.address == 0 && !peer.by_dhcp) peer.host.address = unused_address(peer.kind, peers);
    if (peer.host.mac != MacAddress{}) continue;
    // Locally administered: 02:50 and the address, or 02:51 and a number.
    peer.host.mac = {2, static_cast<std::uint8_t>(peer.by_dhcp ? 0x51 : 0x50)};
    const std::uint32_t rest = peer.by_dhcp ? static_cast<std::uint32_t>(i + 1) : peer.host.address;
    for (std::size_t octet = 0; octet != 4; ++octet)
      peer.host.mac[2 + octet] = static_cast<std::uint8_t>(rest >> (24 - 8 * octet));
  }
}

PeerOptions::Names names_of(const std::vector<PeerOptions>& peers) {
  PeerOptions::Names names;
  for (const PeerOptions& peer : peers)
    if (!peer.by_dhcp) names[peer.host.name] = peer.host.address;
  return names;
}

Peer::Peer(Scheduler& scheduler, FrameSink& out, const PeerOptions& options, const PeerOptions::Names& names)
    : kind_(options.kind),
      host_(scheduler, out, options.host),
      part_(options.make(host_, names)),
      client_(dynamic_cast<Client*>(part_.get())) {}

nlohmann::ordered_json Peer::json() const {
  nlohmann::ordered_json json = {{"name", host_.options().name},
                                 {"kind", kind_},
                                 {"address", net::address_text(host_.address())},
                                 {"mac", net::mac_text(host_.options().mac)}};
  json.update(part_->figures());
  return json;
}

std::string peers_help() {
  std::string text;
  for (const Kind& kind : kinds) text += fmt::format("  {:<10} {}\n", kind.name, kind.help);
  return text;
}

}  // namespace avrlan::peers
