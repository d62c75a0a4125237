// Fragments of echo requests and datagrams: what is whole is answered, what cannot be right is not.
#include "stack/app/echo.hpp"
#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct OneAtATime : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr bool udp = true, counters = true;
  using TcpApplications = tcpip::List<Notes>;
  using UdpApplications = tcpip::List<tcpip::UdpEcho>;
};
struct TwoAtATime : tcpip::Full {
  using Device = RamDevice;
  static constexpr bool udp = true, counters = true;
  using TcpApplications = tcpip::List<Notes>;
  using UdpApplications = tcpip::List<tcpip::UdpEcho>;
};
struct Off : OneAtATime {
  static constexpr bool reassembly = false;
};

struct Fragment {
  size_t offset;
  size_t length;
  bool more;
};

// An IP datagram in pieces.
struct Whole {
  Octets payload;
  uint8_t protocol;
  uint16_t id = 1;
  Octets options = {};

  Octets fragment(Fragment f) const {
    Octets frame = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0x99, 8, 0};
    const size_t header = 20 + options.size();
    const size_t total = header + f.length;
    const size_t field = f.offset / 8 | (f.more ? 0x2000u : 0u);
    for (const size_t octet :
         {0x40 + header / 4, size_t{0}, total >> 8, total & 0xff, size_t{id} >> 8, size_t{id} & 0xff, field >> 8,
          field & 0xff, size_t{64}, size_t{protocol}, size_t{0}, size_t{0}})
      frame.push_back(static_cast<uint8_t>(octet));
    frame.insert(frame.end(), peer_ip.octet, peer_ip.octet + 4);
    frame.insert(frame.end(), our_ip.octet, our_ip.octet + 4);
    frame.insert(frame.end(), options.begin(), options.end());
    const auto sum = static_cast<uint16_t>(~reference_sum(frame.data() + 14, header));
    frame[24] = static_cast<uint8_t>(sum >> 8);
    frame[25] = static_cast<uint8_t>(sum);
    for (size_t i = 0; i < f.length; ++i)
      frame.push_back(f.offset + i < payload.size() ? payload[f.offset + i] : uint8_t{0xee});
    if (frame.size() < 60) frame.resize(60, 0xaa);
    return frame;
  }
};

Whole echo(size_t data, uint16_t id = 1) {
  Tins::ICMP icmp(Tins::ICMP::ECHO_REQUEST);
  icmp.id(id);
  auto packet = icmp / Tins::RawPDU(pattern(data));
  return {packet.serialize(), 1, id};
}
Whole datagram(size_t data, uint16_t id = 1) {
  auto packet = Tins::IP(tins(our_ip), tins(peer_ip)) / Tins::UDP(7, 5000) / Tins::RawPDU(pattern(data));
  const Octets octets = packet.serialize();
  return {Octets(octets.begin() + 20, octets.end()), 17, id};
}

template <class Config>
struct Rig {
  Bench<Config> bench;
  Rig() { bench.introduce(); }

  void send(const Whole& whole, const std::vector<Fragment>& fragments) {
    for (const Fragment& f : fragments) bench.receive(whole.fragment(f));
  }
  // What came back: "echo" or "udp" with the octets of data in it when they are those sent.
  std::string answer() {
    const Octets frame = bench.next_frame();
    if (frame.empty()) return "nothing";
    const Tins::EthernetII packet = parse(frame);
    const auto* raw = packet.find_pdu<Tins::RawPDU>();
    const std::string data = raw ? std::string(raw->payload().begin(), raw->payload().end()) : "";
    EXPECT_EQ(data, pattern(data.size()));
    const auto* icmp = packet.find_pdu<Tins::ICMP>();
    if (icmp && icmp->type() != Tins::ICMP::ECHO_REPLY) return "ICMP " + std::to_string(icmp->type());
    return (icmp ? "echo " : packet.find_pdu<Tins::UDP>() ? "udp " : "? ") + std::to_string(data.size());
  }
  bool alive() {
    bench.sent().clear();
    send(echo(3, 999), {{0, 11, false}});
    return answer() == "echo 3";
  }
};

template <class Config>
struct Reassembly : testing::Test, Rig<Config> {};
using Profiles = testing::Types<OneAtATime, TwoAtATime>;
TYPED_TEST_SUITE(Reassembly, Profiles);

// IP-13
TYPED_TEST(Reassembly, AnyOrder) {
  std::vector<Fragment> fragments = {{0, 16, true}, {16, 8, true}, {24, 200, true}, {224, 84, false}};
  std::vector<int> order = {0, 1, 2, 3};
  do {
    for (const int i : order) {
      EXPECT_EQ(this->answer(), "nothing");
      this->send(echo(300), {fragments[static_cast<size_t>(i)]});
    }
    EXPECT_EQ(this->answer(), "echo 300");
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(this->bench.stack.counters().dropped(tcpip::Drop::fragment), 0);
}

// IP-12
TYPED_TEST(Reassembly, EveryLengthUpTo576) {
  for (size_t data = 0; data <= 548; ++data) {
    const size_t cut = (data + 8) / 2 / 8 * 8;
    if (cut == 0) continue;
    this->send(echo(data), {{cut, data + 8 - cut, false}, {0, cut, true}});
    EXPECT_EQ(this->answer(), "echo " + std::to_string(data));
  }
}

// IP-13
TYPED_TEST(Reassembly, Duplicates) {
  const Fragment first = {0, 40, true}, second = {40, 24, true}, third = {64, 44, false};
  this->send(echo(100), {second, first, second, first, second, third});
  EXPECT_EQ(this->answer(), "echo 100");
  this->send(echo(100), {third, third, second, third, first});
  EXPECT_EQ(this->answer(), "echo 100");
  EXPECT_EQ(this->answer(), "nothing");
}

// The same frames, 8 octets each, and an IP header with options: F-9, F-10.
TYPED_TEST(Reassembly, TinyFragmentsAndOptions) {
  Whole whole = echo(92);
  whole.options = Octets(40, 1);
  this->send(whole, {{0, 8, true}});
  whole.options.clear();
  for (size_t at = 8; at < 96; at += 8) this->send(whole, {{at, 8, true}});
  whole.options = Octets(4, 1);
  this->send(whole, {{96, 4, false}});
  EXPECT_EQ(this->answer(), "echo 92");
}

TYPED_TEST(Reassembly, Udp) {
  this->send(datagram(200), {{104, 104, false}, {0, 104, true}});
  EXPECT_EQ(this->answer(), "udp 200");
  Whole wrong = datagram(200);
  wrong.payload[150] ^= 1;
  this->send(wrong, {{104, 104, false}, {0, 104, true}});
  EXPECT_EQ(this->answer(), "nothing");
  EXPECT_EQ(this->bench.stack.counters().dropped(tcpip::Drop::udp), 1);
}

TYPED_TEST(Reassembly, Tcp) {
  Tins::TCP tcp(80, 40000);
  tcp.flags(Tins::TCP::SYN);
  tcp.seq(7);
  auto packet = Tins::IP(tins(our_ip), tins(peer_ip)) / tcp;
  const Octets octets = packet.serialize();
  const Whole syn = {Octets(octets.begin() + 20, octets.end()), 6};
  this->send(syn, {{8, 12, false}, {0, 8, true}});
  const Tins::EthernetII answer = parse(this->bench.next_frame());
  EXPECT_EQ(answer.rfind_pdu<Tins::TCP>().flags(), Tins::TCP::SYN | Tins::TCP::ACK);
  EXPECT_EQ(answer.rfind_pdu<Tins::TCP>().ack_seq(), 8u);
}

// IP-14: the time counts from the first fragment to come, whatever comes later.
TYPED_TEST(Reassembly, SixtySeconds) {
  this->send(echo(100), {{0, 48, true}});
  this->bench.run_for(30'000);
  this->send(echo(100), {{0, 48, true}});
  this->bench.run_for(28'000);
  this->send(echo(100), {{48, 60, false}});
  EXPECT_EQ(this->answer(), "echo 100");
  this->send(echo(100), {{0, 48, true}});
  this->bench.run_for(30'000);
  this->send(echo(100), {{48, 8, true}});
  this->bench.run_for(32'000);
  this->bench.sent().clear();
  this->send(echo(100), {{56, 52, false}});
  EXPECT_EQ(this->answer(), "nothing");
}

// IP-17, F-4
TYPED_TEST(Reassembly, Overlap) {
  uint16_t id = 1;
  for (const Fragment& other : {Fragment{24, 4, false}, Fragment{32, 76, false}, Fragment{32, 16, true}}) {
    this->send(echo(100, ++id), {{0, 40, true}, other, {40, 68, false}});
    EXPECT_EQ(this->answer(), "nothing") << other.offset;
    EXPECT_TRUE(this->alive());
  }
  Whole other = echo(100);
  other.payload[20] ^= 1;
  this->send(echo(100), {{0, 40, true}});
  this->send(other, {{0, 40, true}});
  this->send(echo(100), {{40, 68, false}});
  EXPECT_EQ(this->answer(), "nothing");
  EXPECT_TRUE(this->alive());
}

// IP-18, F-1, F-2, F-3, F-5, F-6, F-7: each after a good first fragment, and then what would have completed it.
TYPED_TEST(Reassembly, FragmentsThatCannotBe) {
  constexpr size_t size = TypeParam::reassembly_size;
  uint16_t id = 1;
  for (const Fragment& bad : {Fragment{65480, 400, true},
                              {65528, 100, false},
                              {size, 8, true},
                              {size - 8, 16, true},
                              {size - 8, 9, false},
                              {40, 13, true},
                              {40, 0, true},
                              {108, 0, false},
                              {0, 0, true},
                              {200, 8, true},
                              {200, 8, false},
                              {48, 8, false}}) {
    ++id;
    this->send(echo(100, id), {{56, 52, false}});
    this->send(echo(100, id), {bad});
    this->send(echo(100, id), {{0, 56, true}});
    EXPECT_EQ(this->answer(), "nothing") << bad.offset << '+' << bad.length;
    EXPECT_TRUE(this->alive());
  }
}

// F-7: the end comes first or last.
TYPED_TEST(Reassembly, TwoEnds) {
  this->send(echo(100), {{40, 8, true}, {8, 16, false}, {0, 8, true}});
  EXPECT_EQ(this->answer(), "nothing");
  this->send(echo(100, 2), {{0, 8, true}, {104, 8, true}, {8, 4, false}});
  EXPECT_EQ(this->answer(), "nothing");
  this->send(echo(100, 3), {{56, 48, false}, {104, 4, false}, {0, 56, true}});
  EXPECT_EQ(this->answer(), "nothing");
  EXPECT_TRUE(this->alive());
}

// F-3: as long as there is room.
TYPED_TEST(Reassembly, FillsItsRoom) {
  const size_t size = TypeParam::reassembly_size;
  const size_t data = size - 8;
  std::vector<Fragment> fragments;
  for (size_t at = 0; at < size; at += 504)
    fragments.push_back({at, std::min<size_t>(504, size - at), at + 504 < size});
  this->send(datagram(data), fragments);
  EXPECT_EQ(this->answer(), data > 1472 ? "udp 1472" : "udp " + std::to_string(data));
}

// F-12
TYPED_TEST(Reassembly, ShorterThanItsHeader) {
  this->send({Octets(9, 0), 17}, {{8, 1, false}, {0, 8, true}});
  this->send({Octets(9, 0), 6}, {{8, 1, false}, {0, 8, true}});
  this->send({Octets(9, 0), 1}, {{8, 1, false}, {0, 8, true}});
  EXPECT_EQ(this->answer(), "nothing");
  EXPECT_TRUE(this->alive());
}

// IP-16
TYPED_TEST(Reassembly, DatagramsDoNotMix) {
  const Whole one = echo(100, 5), two = datagram(100, 5), three = echo(60, 6);
  this->send(one, {{0, 48, true}});
  this->send(two, {{48, 60, false}});
  this->send(three, {{48, 20, false}});
  this->send(one, {{48, 60, false}});
  const std::string answer = this->answer();
  EXPECT_TRUE(answer == "nothing" || answer == "echo 100") << answer;
  EXPECT_EQ(this->answer(), "nothing");
}

// IP-19, F-8
TYPED_TEST(Reassembly, NewTrafficSurvivesAFlood) {
  for (uint16_t id = 100; id < 140; ++id) this->send(echo(100, id), {{0, 48, true}});
  this->send(echo(100, 7), {{0, 48, true}, {48, 60, false}});
  EXPECT_EQ(this->answer(), "echo 100");
}

TEST(ReassemblyFull, TwoDatagramsAtOnce) {
  Rig<TwoAtATime> rig;
  const Whole one = echo(500, 5), two = datagram(500, 5);
  rig.send(one, {{0, 256, true}});
  rig.send(two, {{256, 252, false}});
  rig.send(one, {{256, 252, false}});
  EXPECT_EQ(rig.answer(), "echo 500");
  rig.send(two, {{0, 256, true}});
  EXPECT_EQ(rig.answer(), "udp 500");
}

TEST(ReassemblyFull, TheOldestGivesWay) {
  Rig<TwoAtATime> rig;
  rig.send(echo(100, 1), {{0, 48, true}});
  rig.bench.run_for(2000);
  rig.send(echo(100, 2), {{0, 48, true}});
  rig.send(echo(100, 3), {{0, 48, true}});
  rig.send(echo(100, 2), {{48, 60, false}});
  EXPECT_EQ(rig.answer(), "echo 100");
  rig.send(echo(100, 3), {{48, 60, false}});
  EXPECT_EQ(rig.answer(), "echo 100");
}

// IC-16: an answer that would not fit into a frame is none.
TEST(ReassemblyMinimal, LongestEcho) {
  Rig<OneAtATime> rig;
  rig.send(echo(1472), {{0, 1008, true}, {1008, 472, false}});
  EXPECT_EQ(rig.answer(), "echo 1472");
  for (const size_t data : {1473u, 1480u, 2032u, 3000u}) {
    rig.send(echo(data), {{0, 1480, true}, {1480, data + 8 - 1480, false}});
    EXPECT_EQ(rig.answer(), "nothing") << data;
    EXPECT_TRUE(rig.alive());
  }
}

TEST(ReassemblyOff, CountsFragmentsAndTakesNoMemory) {
  Rig<Off> rig;
  rig.send(echo(100), {{0, 48, true}, {48, 60, false}});
  EXPECT_EQ(rig.answer(), "nothing");
  EXPECT_EQ(rig.bench.stack.counters().dropped(tcpip::Drop::fragment), 2);
  EXPECT_LT(sizeof(tcpip::Stack<Off>) + 40, sizeof(tcpip::Stack<OneAtATime>));
}

}  // namespace
}  // namespace avrlan::test
