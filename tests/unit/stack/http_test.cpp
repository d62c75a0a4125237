#include "stack/app/http_server.hpp"

#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

using tcpip::HttpResponse;

struct Site {
  std::string path, query;
  int asked = 0;

  void request(const char* p, const char* q, HttpResponse& response) {
    path = p;
    query = q;
    ++asked;
    if (path == "/") {
      response.status = 200;
      response.type = TCPIP_TEXT("text/html");
    } else if (path == "/bytes") {
      response.status = 200;
      response.resource = 1;
      response.argument = static_cast<uint32_t>(std::stoul(query.substr(2)));
      response.length = response.argument;
      response.type = TCPIP_TEXT("application/octet-stream");
    }
  }
  template <class Text>
  void body(const HttpResponse& response, Text& out) {
    if (response.resource == 0) {
      out << TCPIP_TEXT("<h1>Status</h1>\n");
      return;
    }
    uint32_t i = out.offset();
    out.skip(i);
    for (; i < response.argument && !out.full(); ++i) out.put(octet(i));
  }
  static char octet(uint32_t i) { return static_cast<char>((i ^ i >> 8 ^ i >> 16) & 0xff); }
};

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  using TcpApplications = tcpip::List<tcpip::HttpServer<Site>>;
};

struct HttpTest : testing::Test {
  Bench<Config> bench;
  TcpPeer<Bench<Config>> peer{bench};

  HttpTest() { bench.introduce(); }
  Site& site() { return bench.stack.tcp_application<tcpip::HttpServer<Site>>().site; }

  // Sends a request in pieces of so many octets and returns all that comes back. Loses frames, both ways, when asked.
  std::string get(const std::string& request, size_t piece = 1000, uint32_t loss = 0, uint32_t seed = 1) {
    const auto lose = [&] { return ((seed = seed * 1664525 + 1013904223) >> 8) % 1000 < loss; };
    ++peer.port;
    peer.open();
    std::string got;
    uint32_t taken = 0;
    bool fin = false;
    int quiet = 0;
    // With the time between tries that nothing is lost in, an answer that does not come will not come.
    while (!fin && quiet < (loss ? 400 : 3)) {
      for (std::string s = peer.next(); s != "nothing"; s = peer.next()) {
        if (s == "no TCP") bench.introduce();
        if (s == "no TCP" || lose()) continue;
        if (s.find("RST") != std::string::npos) return got + "(reset)";
        quiet = 0;
        const uint32_t at = static_cast<uint32_t>(std::stoul(s.substr(s.find_first_of("0123456789")))) - 1;
        if (at <= got.size()) got += peer.data.substr(std::min(got.size() - at, peer.data.size()));
        taken = std::max(taken, static_cast<uint32_t>(std::stoul(s.substr(s.find("ack") + 4))) - 1);
        if (s.find("FIN") != std::string::npos && at + peer.data.size() == got.size()) fin = true;
      }
      const std::string next = request.substr(std::min<size_t>(taken, request.size()), piece);
      if (!lose()) peer.send("ACK", 1 + taken, static_cast<uint32_t>(1 + got.size()) + fin, next);
      if (loss) bench.run_for(300);
      if (bench.silent()) ++quiet;
    }
    peer.send("FIN ACK", 1 + taken, static_cast<uint32_t>(2 + got.size()));
    bench.sent().clear();
    return got;
  }
  static std::string status(const std::string& answer) { return answer.substr(0, answer.find("\r\n")); }
  static std::string body(const std::string& answer) {
    const size_t at = answer.find("\r\n\r\n");
    return at == std::string::npos ? "no header" : answer.substr(at + 4);
  }
  static std::string bytes_body(uint32_t n) {
    std::string text;
    for (uint32_t i = 0; i < n; ++i) text.push_back(Site::octet(i));
    return text;
  }
};

TEST_F(HttpTest, AnswersAPage) {
  EXPECT_EQ(get("GET / HTTP/1.0\r\n\r\n"),
            "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\nContent-Length: 16\r\nConnection: close\r\n\r\n"
            "<h1>Status</h1>\n");
}

TEST_F(HttpTest, RequestInPiecesOfAnySize) {
  const std::string request = "GET /bytes?n=5 HTTP/1.1\r\nHost: x\r\nUser-Agent: curl/7.88.1\r\nAccept: */*\r\n\r\n";
  for (size_t piece = 1; piece <= request.size(); ++piece) {
    EXPECT_EQ(body(get(request, piece)), bytes_body(5)) << piece;
    EXPECT_EQ(site().path, "/bytes");
    EXPECT_EQ(site().query, "n=5");
  }
}

TEST_F(HttpTest, BareLineFeedsWillDo) {
  EXPECT_EQ(status(get("GET / HTTP/1.0\nHost: x\n\n")), "HTTP/1.0 200 OK");
}

TEST_F(HttpTest, HeadHasNoBody) {
  const std::string answer = get("HEAD /bytes?n=1234 HTTP/1.0\r\n\r\n");
  EXPECT_NE(answer.find("Content-Length: 1234\r\n"), std::string::npos);
  EXPECT_EQ(body(answer), "");
}

TEST_F(HttpTest, OtherPathsAreNotFound) {
  const std::string answer = get("GET /other HTTP/1.0\r\n\r\n");
  EXPECT_EQ(status(answer), "HTTP/1.0 404 Not Found");
  EXPECT_EQ(body(answer), "404 Not Found\n");
  EXPECT_NE(answer.find("Content-Length: 14\r\n"), std::string::npos);
}

TEST_F(HttpTest, OtherMethodsAreNotAllowed) {
  for (const char* method : {"POST", "PUT", "DELETE", "GETS", "HEA", "X"}) {
    const std::string answer = get(std::string(method) + " / HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc");
    EXPECT_EQ(status(answer), "HTTP/1.0 405 Method Not Allowed");
    EXPECT_NE(answer.find("Allow: GET, HEAD\r\n"), std::string::npos);
  }
}

// D-8
TEST_F(HttpTest, BadRequests) {
  using namespace std::string_literals;
  for (const std::string& request :
       {"\r\n\r\n"s, " / HTTP/1.0\r\n\r\n"s, "get / HTTP/1.0\r\n\r\n"s, "GET\0 / HTTP/1.0\r\n\r\n"s,
        "GET /\0 HTTP/1.0\r\n\r\n"s, "GET /\r\n\r\n"s, "GET  / HTTP/1.0\r\n\r\n"s, "GET x HTTP/1.0\r\n\r\n"s,
        "GET / HTTQ/1.0\r\n\r\n"s, "GET / HTTP/2.0\r\n\r\n"s, "GET / \r\n\r\n"s, "ABCDEFGHIJK / HTTP/1.0\r\n\r\n"s,
        "GET /\x80\xff HTTP/1.0\r\n\r\n"s, std::string(300, '\0'), std::string(300, '\xff')}) {
    const std::string answer = get(request);
    EXPECT_EQ(status(answer), "HTTP/1.0 400 Bad Request") << request;
    EXPECT_EQ(body(answer), "400 Bad Request\n");
  }
  EXPECT_EQ(site().asked, 0);
  EXPECT_EQ(status(get("GET / HTTP/1.0\r\n\r\n")), "HTTP/1.0 200 OK");
}

TEST_F(HttpTest, LongRequests) {
  EXPECT_EQ(status(get("GET /" + std::string(30, 'a') + " HTTP/1.0\r\n\r\n")), "HTTP/1.0 404 Not Found");
  EXPECT_EQ(site().path, "/" + std::string(30, 'a'));
  EXPECT_EQ(status(get("GET /" + std::string(31, 'a') + " HTTP/1.0\r\n\r\n")), "HTTP/1.0 414 URI Too Long");
  EXPECT_EQ(status(get("GET /" + std::string(4096, 'a'))), "HTTP/1.0 414 URI Too Long");
  EXPECT_EQ(status(get("GET / HTTP/1.0\r\nX: " + std::string(3000, 'a') + "\r\n\r\n")), "HTTP/1.0 200 OK");
  EXPECT_EQ(status(get("GET / HTTP/1.0\r\nX: " + std::string(5000, 'a') + "\r\n\r\n")), "HTTP/1.0 400 Bad Request");
}

TEST_F(HttpTest, OnlyTheFirstOfPipelinedRequestsIsAnswered) {
  const std::string answer = get("GET / HTTP/1.0\r\n\r\nGET /other HTTP/1.0\r\n\r\n");
  EXPECT_EQ(body(answer), "<h1>Status</h1>\n");
  EXPECT_EQ(site().asked, 1);
}

TEST_F(HttpTest, LengthsAroundTheSegmentSize) {
  for (const uint32_t n : {0u, 1u, 2u, 600u, 1300u, 1355u, 1356u, 1357u, 1358u, 1359u, 1360u, 1361u, 1362u, 1363u,
                           1460u, 2920u, 100'000u}) {
    const std::string answer = get("GET /bytes?n=" + std::to_string(n) + " HTTP/1.0\r\n\r\n");
    EXPECT_TRUE(body(answer) == bytes_body(n)) << n;
  }
}

TEST_F(HttpTest, ByteExactUnderLoss) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    const std::string answer = get("GET /bytes?n=20000 HTTP/1.0\r\n\r\n", 7, 100, seed);
    EXPECT_TRUE(body(answer) == bytes_body(20'000)) << seed;
    bench.run_for(60'000);
    bench.introduce();
  }
}

TEST_F(HttpTest, AClientThatSaysNothingIsNotKept) {
  peer.open();
  peer.send("ACK", 1, 1, "GET ");
  peer.next();
  bench.run_for(59'000);
  EXPECT_EQ(peer.next(), "nothing");
  bench.run_for(3'000);
  EXPECT_EQ(peer.next(), "RST ACK 1+0 ack 5");
}

TEST_F(HttpTest, AClientThatClosesEarlyIsClosed) {
  peer.open();
  peer.send("FIN ACK", 1, 1, "GET / HT");
  EXPECT_EQ(peer.next(), "FIN ACK 1+0 ack 10 win 1452");
}

TEST_F(HttpTest, HalfClosingClientGetsItsAnswer) {
  peer.open();
  peer.send("FIN ACK", 1, 1, "GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(peer.next(), "FIN PSH ACK 1+99 ack 20 win 1442");
}

// Eight at once, on four connections: those that find none try again.
TEST_F(HttpTest, EightClientsOnFourConnections) {
  int done = 0;
  std::vector<TcpPeer<Bench<Config>>> clients;
  for (uint16_t i = 0; i < 8; ++i) clients.emplace_back(bench, 80, static_cast<uint16_t>(42000 + i));
  std::vector<int> step(8, 0);
  for (int round = 0; round < 10 && done < 8; ++round) {
    for (size_t i = 0; i < 8; ++i)
      if (step[i] == 0) {
        clients[i].send("SYN", 0, 0);
        if (clients[i].next() != "nothing") step[i] = 1;
      }
    for (size_t i = 0; i < 8; ++i)
      if (step[i] == 1) {
        clients[i].send("ACK", 1, 1);
        clients[i].send("ACK", 1, 1, "GET / HTTP/1.0\r\n\r\n");
        EXPECT_EQ(clients[i].next().substr(0, 11), "FIN PSH ACK");
        clients[i].send("FIN ACK", 19, 101);
        EXPECT_EQ(clients[i].next().substr(0, 17), "ACK 101+0 ack 20 ");
        step[i] = 2;
        ++done;
      }
    bench.run_for(1000);
  }
  EXPECT_EQ(done, 8);
}

}  // namespace
}  // namespace avrlan::test
