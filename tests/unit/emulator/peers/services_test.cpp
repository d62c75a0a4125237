#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "emulator/board/host_error.hpp"
#include "emulator/net/packet.hpp"
#include "emulator/peers/dhcp_server.hpp"
#include "emulator/peers/dns_server.hpp"
#include "emulator/peers/http_server.hpp"
#include "emulator/peers/ntp_server.hpp"
#include "emulator/peers/syslog_server.hpp"
#include "tests/unit/emulator/peers/cable.hpp"

namespace avrlan::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Www : public testing::Test {
 protected:
  Www() {
    std::string name = (std::filesystem::temp_directory_path() / "avrlan-www-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    std::filesystem::create_directories(root_ / "www" / "sub");
    put("secret.txt", "secret");
    put("www/index.html", "<p>home</p>");
    put("www/sub/index.html", "<p>sub</p>");
    put("www/a b.css", "p {}");
    put("www/data", std::string(20'000, 'd'));
    std::filesystem::create_symlink(root_ / "secret.txt", root_ / "www" / "link");
    server_.emplace(cable_.b, root_ / "www", 80);
  }
  ~Www() override { std::filesystem::remove_all(root_); }

  void put(const std::string& file, const std::string& text) const { std::ofstream(root_ / file) << text; }

  std::filesystem::path root_;
  Cable cable_;
  std::optional<peers::HttpServer> server_;
};

TEST_F(Www, AnswersAsHttpSays) {
  const auto get = [this](const std::string& target) { return server_->answer("GET " + target + " HTTP/1.0\r\n\r\n"); };
  EXPECT_EQ(get("/"),
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 11\r\nConnection: close\r\n\r\n<p>home</p>");
  EXPECT_THAT(get("/index.html?x=1"), HasSubstr("\r\n\r\n<p>home</p>"));
  EXPECT_THAT(get("/sub/"), HasSubstr("<p>sub</p>"));
  EXPECT_THAT(get("//sub"), HasSubstr("<p>sub</p>"));
  EXPECT_THAT(get("/a%20b.css"), HasSubstr("Content-Type: text/css"));
  EXPECT_THAT(get("/data"), HasSubstr("Content-Type: application/octet-stream"));
  EXPECT_THAT(get("/nothing"), StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(get("/%zz"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(get("index.html"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(server_->answer("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(server_->answer("POST / HTTP/1.0\r\n\r\n"), HasSubstr("405 Method Not Allowed\r\n"));
  EXPECT_THAT(server_->answer("POST / HTTP/1.0\r\n\r\n"), HasSubstr("\r\nAllow: GET, HEAD\r\n"));
  EXPECT_THAT(server_->answer(std::string(9000, 'x')), StartsWith("HTTP/1.1 431 "));
}

TEST_F(Www, SendsTheHeaderAloneToHead) {
  const std::string answer = server_->answer("HEAD /data HTTP/1.0\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Content-Length: 20000\r\n"));
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST_F(Www, ServesNothingOutsideOfTheDirectory) {
  for (const std::string target : {"/../secret.txt", "/sub/../../secret.txt", "/%2e%2e/secret.txt", "/link"}) {
    const std::string answer = server_->answer("GET " + target + " HTTP/1.0\r\n\r\n");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 403 ")) << target;
    EXPECT_THAT(answer, testing::Not(HasSubstr("secret"))) << target;
  }
}

TEST_F(Www, ClosesTheConnectionBehindTheFile) {
  Transcript transcript;
  cable_.a.connect(address_of(2), 80,
                   std::make_unique<Requester>(transcript, octets_of("GET /data HTTP/1.0\r\n\r\n"), 0));
  cable_.run_until([&] { return transcript.end.has_value(); });
  EXPECT_EQ(transcript.end, peers::TcpEnd::closed);
  EXPECT_TRUE(std::string(transcript.received.begin(), transcript.received.end())
                  .ends_with("\r\n\r\n" + std::string(20'000, 'd')));
}

// What comes back to a datagram; empty: nothing.
std::vector<std::uint8_t> ask(Cable& cable, std::uint16_t port, const std::vector<std::uint8_t>& query) {
  std::vector<std::uint8_t> answer;
  cable.a.receive_datagrams(50'000, [&](const peers::Datagram& d) { answer.assign(d.data.begin(), d.data.end()); });
  cable.a.send_datagram(address_of(2), port, 50'000, query);
  cable.run_for(Duration::milliseconds(1500));
  return answer;
}

std::vector<std::uint8_t> question(const std::string& labels, std::uint16_t type = 1) {
  std::string query("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12);
  query += labels + std::string(1, '\0') + std::string(1, '\0') + static_cast<char>(type) + std::string("\x00\x01", 2);
  return octets_of(query);
}

TEST(DnsServer, TellsAddressesOfNamesThatItKnows) {
  Cable cable;
  peers::DnsServer server(cable.b, {.names = {{"www.example", 0xc0000201}}});
  const auto answer = ask(cable, 53,
                          question("\x03wWw\x07"
                                   "example"));
  ASSERT_EQ(answer.size(), 12u + 17 + 16);
  EXPECT_EQ(net::read16(answer, 0), 0x1234);
  EXPECT_EQ(net::read16(answer, 2), 0x8500);  // response, authoritative, recursion was desired
  EXPECT_EQ(net::read16(answer, 6), 1);
  EXPECT_EQ(net::read16(answer, 29), 0xc00c);
  EXPECT_EQ(net::read32(answer, 35), 300u);
  EXPECT_EQ(net::read32(answer, 41), 0xc0000201u);
}

TEST(DnsServer, SaysWhatThereIsNot) {
  Cable cable;
  peers::DnsServer server(cable.b, {.names = {{"www.example", 1}}});
  const auto flags = [&](const std::vector<std::uint8_t>& query) { return net::read16(ask(cable, 53, query), 2); };
  EXPECT_EQ(flags(question("\x03mmm\x07"
                           "example")),
            0x8503);  // NXDOMAIN
  EXPECT_EQ(flags(question("\x03www\x07"
                           "example",
                           28)),
            0x8500);                              // AAAA: there is none
  EXPECT_EQ(flags(question("\x3fwww")), 0x8101);  // FORMERR
  auto update = question("\x03www");
  update[2] = 0x28;
  EXPECT_EQ(flags(update), 0xa804);  // NOTIMP
  auto answer = question("\x03www");
  answer[2] = 0x80;
  EXPECT_TRUE(ask(cable, 53, answer).empty());
}

TEST(DnsServer, ReadsFilesOfNames) {
  EXPECT_EQ(
      peers::read_hosts("# all\n10.0.2.9 One.example two # x\n\n10.0.2.8 three.\n", "f"),
      (std::map<std::string, std::uint32_t>{{"one.example", 0x0a000209}, {"two", 0x0a000209}, {"three", 0x0a000208}}));
  try {
    peers::read_hosts("10.0.2.9 a\nb 10.0.2.9\n", "zone");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), StartsWith("zone:2: "));
  }
}

TEST(DhcpServer, GivesAnAddressAndRenewsIt) {
  peers::HostOptions client = host_options(1);
  client.address = 0;
  Cable cable("delay=1ms", client);
  peers::DhcpServer server(cable.b, {.first = address_of(15), .count = 2, .router = address_of(2), .lease = 20});
  cable.run_until([&] { return cable.a.address() != 0; }, Duration::seconds(10));
  EXPECT_EQ(cable.a.address(), address_of(15));
  cable.run_for(Duration::seconds(60));
  EXPECT_EQ(cable.a.address(), address_of(15));
  const auto figures = server.figures();
  EXPECT_EQ(figures["offers"], 1);
  EXPECT_GE(figures["acks"], 4);
  EXPECT_EQ(figures["leases"]["02:00:00:00:00:01"], "10.0.2.15");
}

std::vector<std::uint8_t> dhcp_message(std::uint8_t type, std::uint8_t client, std::uint32_t requested) {
  std::vector<std::uint8_t> octets(240);
  octets[0] = octets[1] = 1;
  octets[2] = 6;
  octets[28] = 2;
  octets[33] = client;
  net::write32(octets, 236, 0x63825363);
  octets.insert(octets.end(), {53, 1, type, 50, 4, 0, 0, 0, 0, 255});
  net::write32(octets, 245, requested);
  return octets;
}

TEST(DhcpServer, KeepsClientsApart) {
  Cable cable;
  peers::DhcpServer server(cable.b, {.first = address_of(15), .count = 2});
  std::vector<std::uint8_t> answer;
  cable.a.receive_datagrams(68, [&](const peers::Datagram& d) { answer.assign(d.data.begin(), d.data.end()); });
  // The type of the answer, and its address.
  const auto say = [&](std::uint8_t type, std::uint8_t client, std::uint32_t requested) {
    answer.clear();
    cable.a.send_datagram(0xffffffff, 67, 68, dhcp_message(type, client, requested));
    cable.run_for(Duration::milliseconds(100));
    return answer.empty() ? std::pair(0, 0u) : std::pair(int{answer[242]}, net::read32(answer, 16));
  };
  constexpr std::uint8_t discover = 1, request = 3, decline = 4, release = 7;
  constexpr int offer = 2, ack = 5, nak = 6;
  EXPECT_EQ(say(discover, 1, 0), std::pair(offer, address_of(15)));
  EXPECT_EQ(say(request, 1, address_of(15)), std::pair(ack, address_of(15)));
  EXPECT_EQ(say(discover, 2, address_of(15)), std::pair(offer, address_of(16)));
  EXPECT_EQ(say(request, 2, address_of(15)), std::pair(nak, 0u));
  EXPECT_EQ(say(request, 2, address_of(99)), std::pair(nak, 0u));
  EXPECT_EQ(say(discover, 3, 0), std::pair(0, 0u));  // no more
  say(release, 1, 0);
  EXPECT_EQ(say(discover, 3, 0), std::pair(offer, address_of(15)));
  say(decline, 3, address_of(15));
  EXPECT_EQ(say(discover, 3, 0), std::pair(0, 0u));
}

TEST(NtpServer, ReadsTimesOfDay) {
  EXPECT_EQ(peers::parse_utc("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(peers::parse_utc("2026-11-30T17:20:05Z"), 1'796'059'205);
  for (const char* wrong : {"", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01", "2026-01-01T00:00:00Zx"})
    EXPECT_EQ(peers::parse_utc(wrong), std::nullopt) << wrong;
}

TEST(NtpServer, TellsVirtualTime) {
  Cable cable("delay=250ms");
  peers::NtpServer server(cable.b, 1'000'000'000);
  std::vector<std::uint8_t> query(48);
  query[0] = 0x23;
  for (std::size_t i = 40; i != 48; ++i) query[i] = static_cast<std::uint8_t>(i);
  const auto answer = ask(cable, 123, query);
  ASSERT_EQ(answer.size(), 48u);
  EXPECT_EQ(answer[0], 0x24);
  EXPECT_TRUE(std::equal(answer.begin() + 24, answer.begin() + 32, query.begin() + 40));
  // ARP took half a second, the query another quarter.
  EXPECT_EQ(net::read32(answer, 40), 3'208'988'800u);
  EXPECT_NEAR(net::read32(answer, 44) / 4294967296.0, 0.75, 0.001);
  query[0] = 0x24;  // not of a client
  EXPECT_TRUE(ask(cable, 123, query).empty());
}

TEST(SyslogServer, CollectsLines) {
  Cable cable;
  peers::SyslogServer server(cable.b);
  cable.a.send_datagram(address_of(2), 514, 50'000, octets_of("<13>board: up\x1b[2J"));
  cable.run_for(Duration::seconds(1));
  ASSERT_EQ(server.lines().size(), 1u);
  EXPECT_EQ(server.lines()[0].text, "<13>board: up\\x1b[2J");
  EXPECT_EQ(server.figures()["lines"][0]["from"], "10.0.2.1");
}

}  // namespace
}  // namespace avrlan::test
