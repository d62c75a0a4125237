#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/driver/enc28j60_rig.hpp"

namespace avrlan {
namespace {

using Octets = std::vector<std::uint8_t>;

// SPI instructions of the data sheet's table 4-1, with the address where they have one.
constexpr std::uint8_t read_eir = 0x1C, read_econ1 = 0x1F, read_buffer = 0x3A, set_econ1 = 0x9F;
constexpr std::uint8_t txrts = 0x08, txrst = 0x80, txerif = 0x02, txif = 0x08;

void expect_no_complaint(const Enc28j60Rig& rig) {
  for (const Diagnostic& complaint : rig.complaints()) ADD_FAILURE() << complaint.code << ": " << complaint.message;
}

class Enc28j60Driver : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(rig.start()); }
  void TearDown() override { expect_no_complaint(rig); }

  Octets read_open(std::uint16_t length) {
    Octets octets(length);
    driver.rx_read(0, octets.data(), length);
    return octets;
  }
  // Opens, reads and closes the next frame; empty when there is none.
  Octets receive() {
    const std::uint16_t length = driver.rx_open();
    Octets octets = read_open(length);
    driver.rx_close();
    return octets;
  }
  // The next frame that the driver has sent, after it has had time to.
  Octets take_sent() {
    rig.advance(Duration::milliseconds(3));
    if (rig.sent.empty()) return {};
    EXPECT_TRUE(rig.sent.front().frame.fcs_ok());
    Octets octets = rig.sent.front().frame.octets;
    rig.sent.erase(rig.sent.begin());
    return octets;
  }
  void write_frame(const Octets& octets) {
    ASSERT_TRUE(driver.tx_open(0));
    driver.tx_write(octets.data(), static_cast<std::uint16_t>(octets.size()));
  }
  void send(const Octets& octets) {
    write_frame(octets);
    driver.tx_send(static_cast<std::uint16_t>(octets.size()));
  }
  // Still receives and sends.
  void expect_alive() {
    const Octets in = Enc28j60Rig::frame_for_driver(333, 99);
    rig.deliver(in);
    EXPECT_EQ(receive(), in);
    rig.sent.clear();
    const Octets out = Enc28j60Rig::frame_for_driver(444, 98);
    send(out);
    EXPECT_EQ(take_sent(), out);
  }

  Enc28j60Rig rig;
  Enc28j60Rig::Driver& driver = rig.driver;
};

TEST(Enc28j60DriverBegin, FindsTheChipAndItsLink) {
  Enc28j60Rig rig;
  ASSERT_TRUE(rig.driver.begin(Enc28j60Rig::mac));
  EXPECT_LT(rig.scheduler.now(), Instant::at(Duration::milliseconds(10)));
  EXPECT_EQ(rig.driver.revision(), 6);
  rig.advance(Duration::milliseconds(100));
  EXPECT_TRUE(rig.driver.link_up());
  rig.chip.set_link(false);
  EXPECT_FALSE(rig.driver.link_up());
  expect_no_complaint(rig);
}

TEST(Enc28j60DriverBegin, SeesThatNoChipIsThere) {
  for (const std::uint8_t level : {std::uint8_t{0x00}, std::uint8_t{0xFF}}) {
    Enc28j60Rig rig;
    rig.line.cut = level;
    EXPECT_FALSE(rig.driver.begin(Enc28j60Rig::mac)) << int{level};
  }
}

TEST_F(Enc28j60Driver, BeginsAgainAtAnyTime) {
  rig.deliver(Enc28j60Rig::frame_for_driver(200));
  driver.rx_open();
  send(Enc28j60Rig::frame_for_driver(1514));
  ASSERT_TRUE(rig.start());
  EXPECT_EQ(driver.rx_open(), 0);
  expect_alive();
}

TEST_F(Enc28j60Driver, ReceivesEveryLengthRoundTheFifo) {
  for (std::size_t length = 60; length <= 1514; ++length) {
    const Octets frame = Enc28j60Rig::frame_for_driver(length, static_cast<unsigned>(length));
    rig.deliver(frame);
    ASSERT_EQ(driver.rx_open(), length);
    ASSERT_EQ(driver.rx_open(), length) << "opening twice opens the same frame";
    ASSERT_EQ(read_open(static_cast<std::uint16_t>(length)), frame);
    driver.rx_close();
    ASSERT_EQ(driver.rx_open(), 0);
  }
}

TEST_F(Enc28j60Driver, ReadsAndSumsAnyPartOfAFrame) {
  for (unsigned round = 0; round < 12; ++round) {  // 12 frames go round the FIFO three times
    const Octets frame = Enc28j60Rig::frame_for_driver(1514, round);
    rig.deliver(frame);
    ASSERT_EQ(driver.rx_open(), 1514);
    for (const int at : {0, 14, 34, 1, 77, 1513, 700, 14}) {
      for (const int wanted : {0, 1, 2, 3, 20, 655, 1514}) {
        const auto offset = static_cast<std::uint16_t>(at);
        const auto n = static_cast<std::uint16_t>(std::min(wanted, 1514 - at));
        const std::span part(frame.data() + offset, n);
        EXPECT_EQ(driver.rx_sum(offset, n), reference_sum(part)) << offset << '+' << n;
        Octets copy(n);
        driver.rx_read(offset, copy.data(), n);
        EXPECT_TRUE(std::ranges::equal(copy, part)) << offset << '+' << n;
        EXPECT_EQ(driver.rx_read_sum(offset, copy.data(), n, 0x1234), reference_sum(part, 0x1234));
      }
    }
    driver.rx_close();
  }
}

TEST_F(Enc28j60Driver, ReadsOnWhereItStoppedWithoutMovingThePointer) {
  rig.deliver(Enc28j60Rig::frame_for_driver(600));
  driver.rx_open();
  Octets piece(200);
  driver.rx_read(0, piece.data(), 200);
  const Instant before = rig.scheduler.now();
  driver.rx_read(200, piece.data(), 200);
  EXPECT_EQ(rig.scheduler.now() - before, Duration::microseconds(201)) << "one instruction byte and 200 of data";
}

TEST_F(Enc28j60Driver, ReceivesQueuedFramesInOrderWhileTheInterruptPinIsLow) {
  EXPECT_TRUE(rig.chip.int_pin());
  std::vector<Octets> frames;
  for (unsigned i = 0; i < 6; ++i) {
    frames.push_back(Enc28j60Rig::frame_for_driver(60 + i * 101, i));
    rig.deliver(frames.back());
  }
  for (const Octets& frame : frames) {
    EXPECT_FALSE(rig.chip.int_pin());
    EXPECT_EQ(receive(), frame);
  }
  EXPECT_TRUE(rig.chip.int_pin());
  EXPECT_EQ(driver.rx_open(), 0);
}

TEST_F(Enc28j60Driver, ReceivesBroadcastsAndNothingForOthers) {
  Octets frame = Enc28j60Rig::frame_for_driver(60);
  std::fill_n(frame.begin(), 6, std::uint8_t{0xFF});
  rig.deliver(frame);
  EXPECT_EQ(receive(), frame);
  frame[0] = 0x02;
  rig.deliver(frame);
  frame[0] = 0x01;
  rig.deliver(frame);
  EXPECT_EQ(driver.rx_open(), 0);
}

TEST_F(Enc28j60Driver, SendsEveryLengthAndPadsWithZeros) {
  for (std::size_t length = 14; length <= 1514; ++length) {
    Octets frame = Enc28j60Rig::frame_for_driver(length, static_cast<unsigned>(length));
    send(frame);
    frame.resize(std::max<std::size_t>(length, 60));
    ASSERT_EQ(take_sent(), frame) << length;
  }
  EXPECT_EQ(driver.counters().tx_lost, 0);
}

TEST_F(Enc28j60Driver, AppendsPatchesAndReserves) {
  Octets frame = Enc28j60Rig::frame_for_driver(500);
  ASSERT_TRUE(driver.tx_open(54));
  EXPECT_EQ(driver.tx_write_sum(&frame[54], 100, 7), reference_sum({&frame[54], 100}, 7));
  driver.tx_patch(0, frame.data(), 54);
  EXPECT_EQ(driver.tx_write_sum(&frame[154], 345, 0), reference_sum({&frame[154], 345}));
  driver.tx_write(&frame[499], 1);
  frame[160] = 0x5A;
  driver.tx_patch(160, &frame[160], 1);
  driver.tx_send(500);
  EXPECT_EQ(take_sent(), frame);
}

TEST_F(Enc28j60Driver, AbandonsAFrameThatWasNeverSent) {
  write_frame(Enc28j60Rig::frame_for_driver(300, 1));
  const Octets second = Enc28j60Rig::frame_for_driver(200, 2);
  send(second);
  EXPECT_EQ(take_sent(), second);
  EXPECT_EQ(take_sent(), Octets{});
}

TEST_F(Enc28j60Driver, SendsOnlyTheFirstOctetsWhenToldSo) {
  Octets frame = Enc28j60Rig::frame_for_driver(300);
  write_frame(frame);
  driver.tx_send(100);
  frame.resize(100);
  EXPECT_EQ(take_sent(), frame);
}

TEST_F(Enc28j60Driver, WritesTheNextFrameWhileOneIsOnTheWire) {
  std::vector<Octets> frames;
  for (unsigned i = 0; i < 8; ++i) frames.push_back(Enc28j60Rig::frame_for_driver(i % 2 ? 90 : 1514, i));
  send(frames[0]);
  const Instant before = rig.scheduler.now();
  write_frame(frames[1]);
  EXPECT_LT(rig.scheduler.now() - before, Duration::microseconds(100)) << "the first takes 1220 us";
  driver.tx_send(90);
  for (unsigned i = 2; i < 8; ++i) send(frames[i]);
  for (const Octets& frame : frames) EXPECT_EQ(take_sent(), frame);
  EXPECT_EQ(driver.counters().tx_lost, 0);
}

TEST_F(Enc28j60Driver, HoldsAFrameWhileOthersAreSent) {
  const Octets held = Enc28j60Rig::frame_for_driver(1514, 1);
  const Octets first = Enc28j60Rig::frame_for_driver(1514, 2);
  for (unsigned others = 0; others < 4; ++others) {
    send(first);
    ASSERT_TRUE(driver.tx_open(54));
    driver.tx_write(&held[54], 1460);
    ASSERT_TRUE(driver.tx_hold());
    for (unsigned i = 0; i < others; ++i) send(Enc28j60Rig::frame_for_driver(100, i));
    write_frame(Enc28j60Rig::frame_for_driver(200, 3));  // and never sent
    driver.tx_resume();
    driver.tx_patch(0, held.data(), 54);
    driver.tx_send(1514);
    EXPECT_EQ(take_sent(), first);
    for (unsigned i = 0; i < others; ++i) EXPECT_EQ(take_sent(), Enc28j60Rig::frame_for_driver(100, i));
    EXPECT_EQ(take_sent(), held);
  }
  EXPECT_EQ(take_sent(), Octets{});
  EXPECT_EQ(driver.counters().tx_lost, 0);
}

TEST_F(Enc28j60Driver, CopiesReceivedOctetsInsideTheChip) {
  for (unsigned round = 0; round < 30; ++round) {
    const Octets in = Enc28j60Rig::frame_for_driver(1514 - round * 13, round);
    rig.deliver(in);
    ASSERT_NE(driver.rx_open(), 0);
    const auto n = static_cast<std::uint16_t>(in.size() - 42);
    for (const std::uint16_t part : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{16}, std::uint16_t{17}, n}) {
      Octets out = Enc28j60Rig::frame_for_driver(42, round + 1);
      ASSERT_TRUE(driver.tx_open(0));
      driver.tx_write(out.data(), 40);
      ASSERT_TRUE(driver.tx_copy_rx(34, part));
      driver.tx_write(&out[40], 2);
      driver.tx_send(static_cast<std::uint16_t>(42 + part));
      out.insert(out.begin() + 40, in.begin() + 34, in.begin() + 34 + part);
      out.resize(std::max<std::size_t>(out.size(), 60));
      ASSERT_EQ(take_sent(), out) << round << ' ' << part;
    }
    EXPECT_EQ(read_open(static_cast<std::uint16_t>(in.size())), in) << "what was copied is still there";
    driver.rx_close();
  }
}

TEST_F(Enc28j60Driver, StoresPartsOfFramesAndReadsThemLater) {
  constexpr std::uint16_t size = Enc28j60Rig::Driver::store_size;
  Octets stored(size);
  std::uint16_t at = 0;
  for (unsigned round = 0; at != size; ++round) {  // in pieces, while the FIFO goes round
    const Octets in = Enc28j60Rig::frame_for_driver(1514 - round % 7, round);
    rig.deliver(in);
    driver.rx_open();
    const auto n = static_cast<std::uint16_t>(std::min<int>(size - at, std::array{1, 16, 17, 256, 3}[round % 5]));
    ASSERT_TRUE(driver.store_rx(at, 100, n));
    std::copy_n(in.begin() + 100, n, stored.begin() + at);
    at = static_cast<std::uint16_t>(at + n);
    EXPECT_EQ(read_open(static_cast<std::uint16_t>(in.size())), in) << "what was stored is still there";
    driver.rx_close();
  }
  for (unsigned i = 0; i < 8; ++i) {  // neither receiving nor sending touches the store
    rig.send(Enc28j60Rig::frame_for_driver(1514, i));
    send(Enc28j60Rig::frame_for_driver(1514, i));
  }
  rig.let_arrive();
  const Octets last = receive();
  driver.rx_open();
  driver.rx_from_store(0, size);
  EXPECT_EQ(read_open(size), stored);
  driver.rx_from_store(3, size - 3);
  EXPECT_EQ(driver.rx_sum(5, 900), reference_sum({&stored[8], 900}));
  ASSERT_TRUE(driver.tx_open(0));
  ASSERT_TRUE(driver.tx_copy_rx(7, 1400));
  driver.tx_send(1400);
  driver.rx_close();
  rig.advance(Duration::milliseconds(3));
  EXPECT_EQ(rig.sent.back().frame.octets, Octets(stored.begin() + 10, stored.begin() + 1410));
  while (driver.rx_open() != 0) driver.rx_close();
  driver.rx_from_store(0, 100);  // with no frame open
  EXPECT_EQ(read_open(100), Octets(stored.begin(), stored.begin() + 100));
  driver.rx_close();
  expect_alive();
}

TEST_F(Enc28j60Driver, GoesOnWritingAfterItHasStored) {
  const Octets in = Enc28j60Rig::frame_for_driver(300);
  rig.deliver(in);
  driver.rx_open();
  const Octets out = Enc28j60Rig::frame_for_driver(200, 1);
  ASSERT_TRUE(driver.tx_open(0));
  driver.tx_write(out.data(), 100);
  ASSERT_TRUE(driver.store_rx(0, 0, 300));
  driver.tx_write(&out[100], 100);
  driver.tx_send(200);
  driver.rx_close();
  EXPECT_EQ(take_sent(), out);
}

TEST_F(Enc28j60Driver, CopiesWhileAFrameIsOnTheWire) {
  const Octets in = Enc28j60Rig::frame_for_driver(700);
  rig.deliver(in);
  driver.rx_open();
  const Octets first = Enc28j60Rig::frame_for_driver(1514, 1);
  send(first);
  ASSERT_TRUE(driver.tx_open(0));
  ASSERT_TRUE(driver.tx_copy_rx(0, 700));
  driver.tx_send(700);
  driver.rx_close();
  EXPECT_EQ(take_sent(), first);
  EXPECT_EQ(take_sent(), in);
}

TEST_F(Enc28j60Driver, ReceivesWhileSending) {
  for (unsigned i = 0; i < 20; ++i) {
    const Octets in = Enc28j60Rig::frame_for_driver(700 + i, i);
    const Octets out = Enc28j60Rig::frame_for_driver(900 + i, i);
    rig.send(in);
    send(out);
    rig.let_arrive();
    EXPECT_EQ(receive(), in);
    EXPECT_EQ(take_sent(), out);
  }
}

TEST_F(Enc28j60Driver, KeepsTheFirstFramesOfAFloodAndRecovers) {
  rig.expect_complaint("enc28j60-overflow-unserviced");  // nobody looks while they come
  std::vector<Octets> frames;
  for (unsigned i = 0; i < 200; ++i) {
    frames.push_back(Enc28j60Rig::frame_for_driver(60 + i % 50, i));
    rig.deliver(frames.back());
  }
  std::vector<Octets> received;
  while (driver.rx_open() != 0) received.push_back(receive());
  ASSERT_GT(received.size(), 30u);  // of 92 octets on average, in 3,084
  ASSERT_LT(received.size(), 40u);
  EXPECT_TRUE(std::equal(received.begin(), received.end(), frames.begin()));
  EXPECT_EQ(driver.counters().rx_overflows, 1);
  expect_alive();
  EXPECT_EQ(driver.counters().rx_overflows, 1);
}

TEST_F(Enc28j60Driver, LosesWholeFramesOnlyWhenTheLineIsFasterThanTheBus) {
  std::vector<Octets> frames;
  for (unsigned i = 0; i < 100; ++i) {
    frames.push_back(Enc28j60Rig::frame_for_driver(1514, i));
    rig.send(frames.back());
  }
  std::size_t next = 0, received = 0;
  while (rig.in_flight() != 0 || driver.rx_open() != 0) {
    if (driver.rx_open() == 0) {
      rig.advance(Duration::microseconds(10));
      continue;
    }
    const Octets frame = receive();
    const auto found = std::find(frames.begin() + static_cast<std::ptrdiff_t>(next), frames.end(), frame);
    ASSERT_NE(found, frames.end()) << "damaged, or out of order, or twice";
    next = static_cast<std::size_t>(found - frames.begin()) + 1;
    ++received;
  }
  EXPECT_GT(received, 70u);
  EXPECT_GT(driver.counters().rx_overflows, 0);
  expect_alive();
}

TEST_F(Enc28j60Driver, RestartsTheReceiverOnAnImpossibleHeader) {
  struct Header {
    const char* what;
    std::uint16_t next;  // XOR
    std::uint16_t count;
  };
  for (const Header& wrong :
       {Header{"next packet pointer outside the FIFO", 0x8000, 0}, Header{"next packet pointer odd", 1, 0},
        Header{"next packet pointer at another frame", 0x10, 0}, Header{"count 0xFFFF", 0, 0xFFFF ^ 204},
        Header{"count 0", 0, 204}, Header{"count and pointer disagree", 0, 2}}) {
    SCOPED_TRACE(wrong.what);
    const unsigned restarts = driver.counters().rx_restarts;
    rig.deliver(Enc28j60Rig::frame_for_driver(200, 1));
    rig.deliver(Enc28j60Rig::frame_for_driver(200, 2));
    rig.line.miso = [&](TappedByte byte) {
      if (byte.instruction != read_buffer || byte.position == 0 || byte.position > 4) return;
      const std::uint16_t mask = byte.position <= 2 ? wrong.next : wrong.count;
      byte.value = static_cast<std::uint8_t>(byte.value ^ (byte.position % 2 ? mask & 0xFF : mask >> 8));
    };
    EXPECT_EQ(driver.rx_open(), 0);
    rig.line.miso = {};
    EXPECT_EQ(driver.counters().rx_restarts, restarts + 1);
    EXPECT_EQ(driver.rx_open(), 0);
    EXPECT_TRUE(rig.chip.int_pin());
    expect_alive();
  }
}

TEST_F(Enc28j60Driver, PassesOverAFrameThatTheChipMarkedBad) {
  rig.deliver(Enc28j60Rig::frame_for_driver(200, 1));
  const Octets second = Enc28j60Rig::frame_for_driver(200, 2);
  rig.deliver(second);
  bool first = true;
  rig.line.miso = [&](TappedByte byte) {
    if (byte.instruction != read_buffer || byte.position != 5 || !first) return;
    byte.value = 0;  // bit 23 of the receive status vector: received ok
    first = false;
  };
  EXPECT_EQ(receive(), second);
  EXPECT_EQ(driver.counters().rx_errors, 1);
  expect_alive();
}

TEST_F(Enc28j60Driver, GivesUpOnAStuckTransmitter) {
  bool stuck = true;
  unsigned resets = 0;
  rig.line.mosi = [&](TappedByte byte) {
    if (byte.instruction != set_econ1 || byte.position != 1) return;
    if (byte.value & txrst) ++resets;
    if (stuck) byte.value = static_cast<std::uint8_t>(byte.value & ~txrts);
  };
  send(Enc28j60Rig::frame_for_driver(100, 1));
  stuck = false;
  const Instant before = rig.scheduler.now();
  const Octets second = Enc28j60Rig::frame_for_driver(100, 2);
  send(second);
  EXPECT_LT(rig.scheduler.now() - before, Duration::milliseconds(200));
  EXPECT_EQ(driver.counters().tx_lost, 1);
  EXPECT_EQ(resets, 1u);
  EXPECT_EQ(take_sent(), second);
  expect_alive();
}

// The chip's answers falsified: the transmission under way is seen to end in an abort by a late collision (ER 13).
class FalseLateCollision {
 public:
  explicit FalseLateCollision(Enc28j60Rig& rig, unsigned times) : left_(times) {
    rig.line.mosi = [this](TappedByte byte) {
      if (byte.instruction != set_econ1 || byte.position != 1) return;
      if (byte.value & txrts) sending_ = true;
      if (byte.value & txrst) ++resets;
    };
    rig.line.miso = [this](TappedByte byte) {
      if (!sending_ || left_ == 0) return;
      if (byte.instruction == read_eir && byte.position == 1 && (byte.value & txif)) {
        byte.value |= txerif;
        aborted_ = true;
      }
      if (aborted_ && byte.instruction == read_buffer && byte.position == 4) {
        byte.value |= 0x20;  // bit 29 of the transmit status vector
        aborted_ = sending_ = false;
        --left_;
      }
    };
  }

  unsigned resets = 0;  // of the transmitter, which an abort may have stalled (ER 12)

 private:
  unsigned left_;
  bool sending_ = false;
  bool aborted_ = false;
};

TEST_F(Enc28j60Driver, SendsAgainAfterALateCollision) {
  FalseLateCollision fault(rig, 3);
  const Octets frame = Enc28j60Rig::frame_for_driver(100);
  send(frame);
  for (unsigned i = 0; i < 10; ++i) {
    rig.advance(Duration::milliseconds(1));
    driver.rx_open();
  }
  EXPECT_EQ(rig.sent.size(), 4u);
  for (const Arrival& arrival : rig.sent) EXPECT_EQ(arrival.frame.octets, frame);
  EXPECT_EQ(driver.counters().tx_retries, 3);
  EXPECT_EQ(fault.resets, 3u);
  EXPECT_EQ(driver.counters().tx_lost, 0);
  expect_alive();
}

TEST_F(Enc28j60Driver, GivesUpAfterSixteenLateCollisions) {
  FalseLateCollision fault(rig, 17);
  send(Enc28j60Rig::frame_for_driver(100, 1));
  const Octets second = Enc28j60Rig::frame_for_driver(100, 2);
  send(second);
  EXPECT_EQ(driver.counters().tx_retries, 16);
  EXPECT_EQ(driver.counters().tx_lost, 1);
  ASSERT_EQ(rig.sent.size(), 17u);
  rig.sent.clear();
  EXPECT_EQ(take_sent(), second);
  expect_alive();
}

TEST_F(Enc28j60Driver, ReadsOnAfterLookingAtATransmitStatusVector) {
  const Octets in = Enc28j60Rig::frame_for_driver(300);
  rig.deliver(in);
  driver.rx_open();
  Octets out(300);
  driver.rx_read(0, out.data(), 100);
  {
    FalseLateCollision fault(rig, 1);
    send(Enc28j60Rig::frame_for_driver(100, 1));
    send(Enc28j60Rig::frame_for_driver(100, 2));
    rig.line.mosi = rig.line.miso = {};
  }
  driver.rx_read(100, &out[100], 200);
  EXPECT_EQ(out, in);
}

TEST_F(Enc28j60Driver, SetsUpAChipThatWasResetBehindItsBack) {
  rig.chip.reset_pin(true);
  rig.advance(Duration::microseconds(10));
  rig.chip.reset_pin(false);
  rig.advance(Duration::milliseconds(1));
  driver.link_up();
  EXPECT_EQ(driver.counters().restarts, 1);
  rig.advance(Duration::milliseconds(100));
  EXPECT_TRUE(driver.link_up());
  EXPECT_EQ(driver.counters().restarts, 1);
  expect_alive();
}

TEST_F(Enc28j60Driver, EveryCallReturnsWhenTheLineIsCut) {
  for (const std::uint8_t level : {std::uint8_t{0x00}, std::uint8_t{0xFF}}) {
    rig.line.cut = level;
    const Instant before = rig.scheduler.now();
    driver.rx_open();
    driver.link_up();
    send(Enc28j60Rig::frame_for_driver(100));
    send(Enc28j60Rig::frame_for_driver(100));
    driver.tx_open(0);
    driver.tx_copy_rx(0, 100);
    driver.store_rx(0, 0, 100);
    driver.rx_close();
    EXPECT_LT(rig.scheduler.now() - before, Duration::milliseconds(400)) << int{level};
  }
  rig.line.cut.reset();
  ASSERT_TRUE(rig.start());
  expect_alive();
}

TEST(Enc28j60DriverMulticast, ReceivesItsGroupAndNoOther) {
  Enc28j60Rig rig;
  tcpip::Enc28j60<HostSpi, 2064, 0xE00000FB> driver{HostSpi(&rig.line)};
  ASSERT_TRUE(driver.begin(Enc28j60Rig::mac));
  rig.advance(Duration::milliseconds(100));
  const auto to_group = [](std::uint8_t last) {
    Octets octets = Enc28j60Rig::frame_for_driver(100);
    const Octets group{0x01, 0x00, 0x5E, 0x00, 0x00, last};
    std::copy(group.begin(), group.end(), octets.begin());
    return octets;
  };
  rig.deliver(to_group(0x01));
  rig.deliver(to_group(0xFC));
  EXPECT_EQ(driver.rx_open(), 0);
  rig.deliver(to_group(0xFB));
  EXPECT_EQ(driver.rx_open(), 100);
  driver.rx_close();
  rig.deliver(Enc28j60Rig::frame_for_driver(101));
  EXPECT_EQ(driver.rx_open(), 101);
  driver.rx_close();
  expect_no_complaint(rig);
}

// What the driver reads is wrong now and then. It may lose frames, but it takes no harm from it.
TEST_F(Enc28j60Driver, RecoversFromANoisyLine) {
  std::minstd_rand random(1);
  rig.accept_complaints();  // misled, it misuses the chip
  for (unsigned round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    rig.line.miso = [&](TappedByte byte) {
      if (random() % 50 == 0) byte.value = static_cast<std::uint8_t>(byte.value ^ 1 << random() % 8);
    };
    for (unsigned i = 0; i < 10; ++i) {
      rig.deliver(Enc28j60Rig::frame_for_driver(60 + random() % 1455, i));
      const std::uint16_t length = driver.rx_open();
      ASSERT_LE(length, 1514);
      read_open(length);
      if (length >= 100 && driver.tx_open(0) && driver.tx_copy_rx(0, 100)) driver.tx_send(100);
      driver.rx_close();
      driver.link_up();
    }
    rig.line.miso = {};
    while (driver.rx_open() != 0) driver.rx_close();
    driver.link_up();
    rig.advance(Duration::milliseconds(100));  // a chip that was set up again has no link for a while
    take_sent();
    expect_alive();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace avrlan
