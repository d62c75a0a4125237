// libslirp as one port of a switch, with two boards at others: each has an address of its own, and what they have to say
// to each other is not libslirp's business.
#include <gtest/gtest.h>

#include "emulator/net/gateway.hpp"
#include "emulator/net/switch.hpp"
#include "tests/unit/emulator/net/guest.hpp"

namespace avrlan::net {
namespace {

const std::string any_mac = "ff:ff:ff:ff:ff:ff";

struct Board {
  Board(Switch& fabric, const std::string& hardware) : mac(hardware), port(fabric.add_port({hardware, {}})) {
    port.connect(inbox);
  }
  std::string mac;
  Switch::Port& port;
  Inbox inbox;
};

class SwitchedGateway : public testing::Test {
 protected:
  SwitchedGateway() { gateway_port.connect(gateway); }

  // The inboxes then hold what came of it: slirp's broadcasts are everybody's.
  void send(Board& board, const std::string& to, const Tins::PDU& content) {
    a.inbox.frames.clear();
    b.inbox.frames.clear();
    Tins::EthernetII ethernet = Tins::EthernetII(to, board.mac) / content;
    board.port.deliver(to_frame(ethernet));
    scheduler.run_until(scheduler.now());
  }
  std::string lease(Board& board) {
    std::string offered = dhcp(board, Tins::DHCP::DISCOVER, "");
    return dhcp(board, Tins::DHCP::REQUEST, offered);
  }
  std::string arp(Board& board, const std::string& own, const std::string& target) {
    send(board, any_mac, *Tins::ARP::make_arp_request(target, own, board.mac).find_pdu<Tins::ARP>());
    const auto reply = board.inbox.take<Tins::ARP>();
    return reply ? reply->rfind_pdu<Tins::ARP>().sender_hw_addr().to_string() : "nobody";
  }
  std::string dhcp(Board& board, Tins::DHCP::Flags type, const std::string& requested) {
    Tins::DHCP message;
    message.opcode(1);
    message.htype(1);
    message.hlen(6);
    message.chaddr(Tins::HWAddress<6>(board.mac));
    message.type(type);
    if (!requested.empty()) message.requested_ip(requested);
    message.end();
    send(board, any_mac, Tins::IP("255.255.255.255", "0.0.0.0") / Tins::UDP(67, 68) / message);
    const auto reply = board.inbox.take<Tins::UDP>();
    if (!reply) return "no answer";
    const auto& payload = reply->rfind_pdu<Tins::RawPDU>().payload();
    return Tins::DHCP(payload.data(), static_cast<std::uint32_t>(payload.size())).yiaddr().to_string();
  }

  Scheduler scheduler;
  Switch fabric{scheduler};
  Switch::Port& gateway_port = fabric.add_port({"gateway", {user_network::hardware_prefix}});
  Gateway gateway{scheduler, gateway_port, {}};
  Board a{fabric, "02:00:00:00:00:0a"};
  Board b{fabric, "02:00:00:00:00:0b"};
};

TEST_F(SwitchedGateway, GivesEachBoardAnAddressOfItsOwn) {
  EXPECT_EQ(lease(a), "10.0.2.15");
  EXPECT_EQ(lease(b), "10.0.2.16");
  EXPECT_EQ(lease(a), "10.0.2.15");
}

TEST_F(SwitchedGateway, AnswersTheOneWhoAsked) {
  lease(a);
  lease(b);
  EXPECT_EQ(arp(b, "10.0.2.16", gateway_ip), gateway_mac);
  EXPECT_EQ(arp(a, "10.0.2.15", gateway_ip), gateway_mac);
  Tins::ICMP echo;
  echo.id(7);
  send(b, gateway_mac, Tins::IP(gateway_ip, "10.0.2.16") / echo / Tins::RawPDU("abc"));
  EXPECT_EQ(b.inbox.frames.size(), 1U);
  EXPECT_TRUE(b.inbox.take<Tins::ICMP>());
  EXPECT_TRUE(a.inbox.frames.empty());
}

TEST_F(SwitchedGateway, HearsNothingOfWhatBoardsSayToEachOther) {
  lease(a);
  lease(b);
  const auto before = gateway_port.counters().sent_frames;
  const auto passed = [&] { return gateway_port.counters().sent_frames - before; };
  const auto syn = [](const std::string& to, const std::string& from) {
    Tins::TCP segment(80, 5000);
    segment.flags(Tins::TCP::SYN);
    return Tins::IP(to, from) / segment;
  };
  send(a, b.mac, syn("10.0.2.16", "10.0.2.15"));
  EXPECT_EQ(passed(), 0U);
  EXPECT_TRUE(b.inbox.take<Tins::TCP>());
  send(b, "02:00:00:00:00:99", syn("10.0.2.99", "10.0.2.16"));
  EXPECT_EQ(passed(), 0U) << "nor of a station that nobody has heard of";
  EXPECT_FALSE(b.inbox.take<Tins::TCP>()) << "no RST from libslirp";
  EXPECT_EQ(gateway.drops().total(), 0U);
}

}  // namespace
}  // namespace avrlan::net
