// Two processes, one board each, on a cable of sockets: --net socket,...

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "emulator/net/host_socket.hpp"
#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

class SocketNet : public testing::Test {
 protected:
  SocketNet() {
    std::string name = (std::filesystem::temp_directory_path() / "avrlan-test-XXXXXX").string();
    directory = ::mkdtemp(name.data());
  }
  ~SocketNet() override { std::filesystem::remove_all(directory); }

  std::string file(const std::string& name) const { return "unix:" + (directory / name).string(); }
  std::vector<std::string> board(const std::string& role, const std::string& net) const {
    return {AVRLAN_PROGRAM,
            "run",
            AVRLAN_VARIANT_DIR "/pair-" + role + "-short.elf",
            "-b",
            "mega-enc28j60",
            "--net",
            net,
            "--out",
            (directory / role).string()};
  }
  // What comes after `mark` on the line that says it.
  static std::string announced(Process& process, const std::string& mark) {
    EXPECT_TRUE(process.wait_for_err(mark)) << process.err();
    const std::size_t from = process.err().find(mark) + mark.size();
    return process.err().substr(from, process.err().find('\n', from) - from);
  }
  void expect_done(Process& process, const std::string& role, const std::string& peer) const {
    const Completed done = process.finish();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "done\n");
    std::ifstream in(directory / role / "run.json");
    const auto json = nlohmann::json::parse(in);
    EXPECT_EQ(json["deterministic"]["value"], false);
    EXPECT_EQ(json["deterministic"]["why"], "the peer at the socket " + peer + " took part");
    EXPECT_GT(json["wire"]["in_frames"], 20'000 / 1460);
  }
  std::filesystem::path directory;
};

TEST_F(SocketNet, TwoBoardsExchangeOverAStream) {
  Process server(board("server", "socket,listen=127.0.0.1:0"));
  const std::string address = announced(server, "waiting for a peer at ");
  Process client(board("client", "socket,connect=" + address));
  EXPECT_EQ(announced(client, "connected to "), address);
  expect_done(client, "client", address);
  expect_done(server, "server", address);
}

TEST_F(SocketNet, TwoBoardsExchangeDatagrams) {
  Process server(board("server", "socket,local=" + file("a") + ",remote=" + file("b")));
  announced(server, "datagrams from ");
  Process client(board("client", "socket,local=" + file("b") + ",remote=" + file("a")));
  expect_done(client, "client", file("a"));
  expect_done(server, "server", file("b"));
}

TEST_F(SocketNet, ABoardThatIsEarlyWaitsForItsPeer) {
  Process client(board("client", "socket,connect=" + file("cable") + ",reconnect=1"));
  announced(client, "connecting to ");
  Process server(board("server", "socket,listen=" + file("cable")));
  expect_done(client, "client", file("cable"));
  expect_done(server, "server", file("cable"));
}

}  // namespace
}  // namespace avrlan::test
