// What a person says of peers, and peers on a switch.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "emulator/board/host_error.hpp"
#include "emulator/peers/network.hpp"

namespace avrlan::test {
namespace {

using peers::PeerOptions;
using testing::HasSubstr;

void expect_refused(const std::vector<std::string>& texts, const std::string& what, const std::string& hint) {
  try {
    std::vector<PeerOptions> all;
    for (const auto& text : texts) all.push_back(PeerOptions::parse(text));
    peers::with_usual_servers(all);
    ADD_FAILURE() << texts.back() << " is taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr(what));
    EXPECT_THAT(error.hint(), HasSubstr(hint));
  }
}

TEST(PeerOptions, SayWhatIsWrong) {
  expect_refused({"htpp"}, "--peer htpp: there is no kind of peer 'htpp'", "did you mean 'http'?");
  expect_refused({"echo,colour=blue"}, "--peer echo: there is no key 'colour'", "did you mean ");
  expect_refused({"echo,mss"}, "'mss' is not of the form key=value", "--peer http,dir=www");
  expect_refused({"echo,mss=1461"}, "mss '1461' is not a whole number from 64 to 1460", "decimal");
  expect_refused({"echo,mss=536,mss=537"}, "mss is given 2 times", "keep one mss=");
  expect_refused({"echo,acks=late"}, "acks=late is not one of delayed, immediate", "did you mean acks=");
  expect_refused({"echo,ip=10.0.2"}, "ip=10.0.2 is no IPv4 address", "ip=10.0.2.100");
  expect_refused({"echo,mac=03:00:00:00:00:01"}, "is no MAC address of one host", "mac=02:");
  expect_refused({"echo,mac=00:00:00:00:00:00"}, "is no MAC address of one host", "mac=02:");
  for (const char* ip : {"10.0.2.255", "10.0.2.0", "127.0.0.1", "0.0.0.1", "224.0.0.1", "255.255.255.255"})
    expect_refused({std::string("echo,ip=") + ip}, std::string("ip=") + ip + " is no address of a host", "10.0.2.100");
  for (const char* mask : {"0.0.0.0", "255.0.255.0", "255.255.255.254", "255.255.255.255", "0.0.0.255"})
    expect_refused({std::string("echo,ip=10.0.2.7,mask=") + mask}, "is none of a network with hosts", "255.255.255.0");
  expect_refused({"echo,ip=10.0.2.7,gateway=10.0.3.1"}, "gateway=10.0.3.1 is not in the network of 10.0.2.7", "mask=");
  expect_refused({"echo,ip=10.0.2.7,gateway=10.0.2.7"}, "is the host itself", "leave it out");
  for (const char* name : {"../../a", "a b", "a/b", "."})
    expect_refused({std::string("echo,name=") + name}, "is no name", "letters");
  expect_refused({"dhcp,ip=dhcp"}, "it is the server itself", "ip=10.0.2.2");
  expect_refused({"ntp,time=1800-01-01T00:00:00Z"}, "cannot be told by NTP", "1968");
  expect_refused({"ntp,time=9999-01-01T00:00:00Z"}, "cannot be told by NTP", "2104");
  expect_refused({"http-get,url=http://10.0.2.15/,timeout=0"}, "timeout '0'", "");
  for (const char* to : {"0.0.0.0", "127.0.0.1", "255.255.255.255", "224.0.0.251"}) {
    expect_refused({std::string("ping,to=") + to}, "is no address of a host", "10.0.2.15");
    expect_refused({std::string("tcp-stream,up=1,to=") + to + ":7"}, "is no address of a host", "10.0.2.15");
  }
  expect_refused({"echo,window=40k"}, "window", "decimal");
  expect_refused({"http"}, "--peer http: dir= is missing", "add dir=www");
  expect_refused({"http,dir=/nonexistent"}, "there is no directory /nonexistent", "dir=");
  expect_refused({"ntp,time=noon"}, "time=noon is no time of day", "time=2026-11-30T17:20:05Z");
  expect_refused({"dns,host=a"}, "host=a is not NAME:ADDRESS", "host=server.example:10.0.2.100");
  expect_refused({"dns,zone=/nonexistent"}, "/nonexistent", "zone=");
  expect_refused({"http-get"}, "url= is missing", "url=http://10.0.2.15/");
  expect_refused({"http-get,url=https://10.0.2.15/"}, "is not http://ADDRESS[:PORT]/PATH", "url=");
  expect_refused({"http-get,url=http://board/"}, "is not http://ADDRESS[:PORT]/PATH", "url=");
  expect_refused({"http-get,url=http://10.0.2.15:0/"}, "is not http://ADDRESS[:PORT]/PATH", "url=");
  expect_refused({"tcp-stream,to=10.0.2.15:7"}, "neither up= nor down=", "up=100k");
  expect_refused({"tcp-stream,to=10.0.2.15,up=1"}, "to=10.0.2.15 is not ADDRESS:PORT", "to=10.0.2.15:7");
  expect_refused({"ping,to=board"}, "to=board is no IPv4 address", "to=10.0.2.15");
  expect_refused({"ping,to=10.0.2.15,size=3"}, "size '3' is not a whole number from 4 to 1472", "decimal");
  for (const char* ports : {"", "0", "5-4", "1-70000", "2x", "80+", "+80", "1-"})
    expect_refused({std::string("port-scan,to=10.0.2.15,ports=") + ports}, "is no list of ports", "ports=1-1024+8080");
  expect_refused({"echo,ip=10.0.2.7", "discard,ip=10.0.2.7"},
                 "--peer discard: ip=10.0.2.7 is that of another peer (echo)", "its own ip=");
  expect_refused({"echo,name=x", "discard,name=x"}, "name=x is that of another peer", "its own name=");
  expect_refused({"echo,mac=02:00:00:00:00:01", "discard,mac=02:00:00:00:00:01"}, "mac=02:00:00:00:00:01", "mac=");
}

TEST(PeerOptions, GiveWhatIsLeftOut) {
  std::vector<PeerOptions> all;
  for (const char* text : {"echo", "echo", "discard,ip=10.0.2.100", "chargen,ip=dhcp,name=clock"})
    all.push_back(PeerOptions::parse(text));
  all = peers::with_usual_servers(all);
  std::vector<std::string> names;
  std::vector<std::uint32_t> addresses;
  for (const auto& peer : all) {
    names.push_back(peer.host.name);
    addresses.push_back(peer.host.address & 0xff);
  }
  EXPECT_THAT(names, testing::ElementsAre("dhcp", "dns", "echo", "echo-2", "discard", "clock"));
  EXPECT_THAT(addresses, testing::ElementsAre(2, 3, 101, 102, 100, 0));
  EXPECT_EQ(peers::names_of(all).at("discard"), 0x0a000264u);
}

struct Nothing : FrameSink {
  void deliver(const EthernetFrame&) override {}
};

TEST(PeerNetwork, RefusesAPoolThatHasNoPlaceInTheServersNetwork) {
  const std::pair<const char*, const char*> wrong[] = {
      {"dhcp,ip=10.0.2.20", "the pool has the server's own address, 10.0.2.20"},
      {"dhcp,router=10.0.2.16", "the pool has the router's address, 10.0.2.16"},
      {"dhcp,dns=10.0.2.30", "the pool has the name server's address, 10.0.2.30"},
      {"dhcp,ip=192.168.1.1", "10.0.2.15 to 10.0.2.30, is not within the server's network, 192.168.1.0/24"},
      {"dhcp,pool=10.0.2.0", "10.0.2.0 to 10.0.2.15, is not within"},
      {"dhcp,pool=10.0.2.250,count=6", "10.0.2.250 to 10.0.2.255, is not within"}};
  for (const auto& [text, what] : wrong) {
    Scheduler scheduler;
    Nothing board;
    try {
      const peers::PeerNetwork network(scheduler, board, peers::with_usual_servers({PeerOptions::parse(text)}));
      ADD_FAILURE() << text << " is taken";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(what));
    }
  }
  Scheduler scheduler;
  Nothing board;
  const peers::PeerNetwork fits(scheduler, board,
                                peers::with_usual_servers({PeerOptions::parse("dhcp,pool=10.0.2.250,count=5")}));
}

TEST(PeerNetwork, LetsAPeerTakeAnAddressAndGetAPageFromAnother) {
  Scheduler scheduler;
  Nothing board;
  std::vector<PeerOptions> all;
  all.push_back(PeerOptions::parse("http,dir=" AVRLAN_SOURCE_DIR "/emulator/peers,ip=10.0.2.200"));
  all.push_back(PeerOptions::parse("http-get,url=http://10.0.2.200/README.md,count=7,parallel=3,gap=10ms,ip=dhcp"));
  all.push_back(PeerOptions::parse("http-get,url=http://10.0.2.200/nothing,name=wrong"));
  all.push_back(PeerOptions::parse("http-get,url=http://10.0.2.201/,wait=2s,name=early"));
  peers::PeerNetwork network(scheduler, board, peers::with_usual_servers(all));
  int told = 0;
  network.on_client([&](const peers::Peer&) { ++told; });
  while (!network.clients_are_done() && scheduler.now() < Instant::at(Duration::seconds(60)))
    scheduler.run_until(scheduler.now() + Duration::milliseconds(10));
  EXPECT_EQ(told, 5);
  const auto json = network.json();
  EXPECT_EQ(json[3]["requests"], 7);
  EXPECT_EQ(json[3]["failure"], nullptr);
  EXPECT_EQ(json[3]["address"], "10.0.2.15");
  EXPECT_EQ(json[3]["results"][0]["crc32"], json[3]["results"][6]["crc32"]);
  EXPECT_EQ(json[4]["failure"], "request 1: status 404 instead of 200");
  EXPECT_EQ(json[5]["failure"], "nobody answers ARP for 10.0.2.201");
  EXPECT_EQ(json[2]["answers"]["200"], 7);
  EXPECT_TRUE(network.has_failed());
}

}  // namespace
}  // namespace avrlan::test
