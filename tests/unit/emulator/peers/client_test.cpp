// Clients against the services of other peers, on one switch.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "emulator/net/packet.hpp"
#include "emulator/peers/bad_frames.hpp"
#include "emulator/peers/network.hpp"

namespace avrlan::test {
namespace {

using Json = nlohmann::ordered_json;
using peers::PeerOptions;
using testing::ElementsAre;

// Where the board would be: sees what is sent to everybody.
struct Board : FrameSink {
  void deliver(const EthernetFrame& frame) override { seen.push_back(frame); }
  std::vector<EthernetFrame> seen;
};

// Until all clients have ended, or for ten minutes; what is in run.json, by name.
std::map<std::string, Json> play(const std::vector<std::string>& texts) {
  Scheduler scheduler;
  Board board;
  std::vector<PeerOptions> all;
  for (const auto& text : texts) all.push_back(PeerOptions::parse(text));
  peers::PeerNetwork network(scheduler, board, peers::with_usual_servers(all));
  while (!network.clients_are_done() && scheduler.now() < Instant::at(Duration::seconds(600)))
    scheduler.run_until(scheduler.now() + Duration::milliseconds(1));
  EXPECT_TRUE(network.clients_are_done());
  std::map<std::string, Json> by_name;
  for (const Json& peer : network.json()) by_name[peer["name"]] = peer;
  return by_name;
}

const std::string echo = "echo,ip=10.0.2.7", discard = "discard,ip=10.0.2.9", chargen = "chargen,ip=10.0.2.19";

TEST(StreamClient, SendsAndGetsBack) {
  const Json stream = play({echo, "tcp-stream,to=10.0.2.7:7,up=300k,down=300k,check=echo"})["tcp-stream"];
  EXPECT_EQ(stream["failure"], nullptr);
  EXPECT_EQ(stream["up_bytes"], 300 * 1024);
  EXPECT_EQ(stream["down_bytes"], 300 * 1024);
}

TEST(StreamClient, SendsOneWay) {
  auto all = play({discard, "tcp-stream,to=10.0.2.9:9,up=300k"});
  EXPECT_EQ(all["tcp-stream"]["failure"], nullptr);
  EXPECT_EQ(all["discard"]["received_bytes"], 300 * 1024);
}

TEST(StreamClient, HasEnoughOfOneWhoGoesOn) {
  const Json stream = play({chargen, "tcp-stream,to=10.0.2.19:19,down=50k"})["tcp-stream"];
  EXPECT_EQ(stream["failure"], nullptr);
  EXPECT_GE(stream["down_bytes"], 50 * 1024);
}

TEST(StreamClient, WritesInChunks) {
  // Each of the ten waits for the acknowledgement of the one before, which is delayed by up to 200 ms.
  const Json slow = play({discard, "tcp-stream,to=10.0.2.9:9,up=1000,chunk=100"})["tcp-stream"];
  EXPECT_GT(slow["seconds"], 1.5);
  const Json fast = play({discard + ",acks=immediate", "tcp-stream,to=10.0.2.9:9,up=1000,chunk=100"})["tcp-stream"];
  EXPECT_LT(fast["seconds"], 0.1);
}

TEST(StreamClient, ReadsAtARate) {
  const Json stream = play({chargen, "tcp-stream,to=10.0.2.19:19,down=100k,rate=20k,window=4k"})["tcp-stream"];
  EXPECT_EQ(stream["failure"], nullptr);
  EXPECT_NEAR(stream["seconds"], 4.9, 0.4);
}

TEST(StreamClient, SaysWhatWentWrong) {
  EXPECT_EQ(play({discard, "tcp-stream,to=10.0.2.9:10,up=1k"})["tcp-stream"]["failure"], "the connection ended: reset");
  EXPECT_EQ(play({discard, "tcp-stream,to=10.0.2.9:9,down=1k,timeout=2s"})["tcp-stream"]["failure"],
            "not done in time");
  EXPECT_EQ(play({chargen, "tcp-stream,to=10.0.2.19:19,up=1k,down=1k,check=echo"})["tcp-stream"]["failure"],
            "other octets than were sent");
}

TEST(Ping, MeasuresRoundTripsAndLoss) {
  const Json icmp = play({echo, "ping,to=10.0.2.7,count=10,size=1472,interval=10ms"})["ping"];
  EXPECT_EQ(icmp["failure"], nullptr);
  EXPECT_EQ(icmp["received"], 10);
  EXPECT_EQ(icmp["lost"], 0);
  const Json udp = play({echo, "udp-ping,to=10.0.2.7:7,count=10,size=4,interval=10ms"})["udp-ping"];
  EXPECT_EQ(udp["failure"], nullptr);
  EXPECT_EQ(udp["received"], 10);
  const Json lost = play({discard, "udp-ping,to=10.0.2.9:9,count=3,interval=10ms,timeout=100ms"})["udp-ping"];
  EXPECT_EQ(lost["failure"], "3 of 3 lost");
  EXPECT_EQ(play({discard, "udp-ping,to=10.0.2.9:9,count=3,lost=3"})["udp-ping"]["failure"], nullptr);
}

TEST(PortScan, TellsOpenPortsFromClosedOnes) {
  const Json scan = play({echo, "port-scan,to=10.0.2.7,ports=1-100+4000,parallel=20"})["port-scan"];
  EXPECT_EQ(scan["failure"], nullptr);
  EXPECT_THAT(scan["open"], ElementsAre(7));
  EXPECT_EQ(scan["closed"], 100);
  EXPECT_EQ(scan["silent"].size(), 0u);
  EXPECT_EQ(play({echo, "port-scan,to=10.0.2.7,ports=5-8,open=7"})["port-scan"]["failure"], nullptr);
  EXPECT_EQ(play({echo, "port-scan,to=10.0.2.7,ports=5-8,open=8"})["port-scan"]["failure"], "port 7 is open");
}

TEST(BadInput, IsSurvivedByAPeer) {
  const Json bad = play({echo, "bad-input,to=10.0.2.7,port=7"})["bad-input"];
  EXPECT_EQ(bad["failure"], nullptr);
  EXPECT_GT(bad["survived"].size(), 20u);
}

TEST(BadInput, SaysAfterWhatThereIsNoLife) {
  const Json bad = play({echo, "bad-input,to=10.0.2.7,port=8,patience=3s"})["bad-input"];
  EXPECT_EQ(bad["failure"], "after ethernet-runt: no connection to port 8");
}

TEST(BadFrames, AreMalformedInEveryClassButFloodsAndAreTheSameForASeed) {
  const peers::Station from{{2, 0, 0, 0, 0, 1}, 0x0a000201}, to{{2, 0, 0, 0, 0, 2}, 0x0a000202};
  const auto all = peers::bad_frames(from, to, 80, 1), again = peers::bad_frames(from, to, 80, 1);
  ASSERT_EQ(all.size(), again.size());
  for (std::size_t i = 0; i != all.size(); ++i) {
    EXPECT_EQ(all[i].frames, again[i].frames) << all[i].name;
    EXPECT_FALSE(all[i].frames.empty()) << all[i].name;
    for (const auto& frame : all[i].frames) EXPECT_LE(frame.size(), 1514u) << all[i].name;
  }
  EXPECT_NE(peers::bad_frames(from, to, 80, 2).back().frames, all.back().frames);
}

}  // namespace
}  // namespace avrlan::test
