// The RTL8019AS's driver on the chip model, at the speed of a bus access every 300 ns.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "nic-model/rtl8019as/rtl8019as.hpp"
#include "stack/drivers/rtl8019as.hpp"

namespace avrlan {
namespace {

using Octets = std::vector<std::uint8_t>;

std::uint16_t reference_sum(std::span<const std::uint8_t> octets, std::uint32_t sum = 0) {
  for (std::size_t i = 0; i < octets.size(); ++i) sum += i % 2 ? octets[i] : octets[i] * 256u;
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

struct BusLine {
  Scheduler& scheduler;
  BusDevice& device;
  bool cut = false;  // nobody answers
};

class HostBus {
 public:
  explicit HostBus(BusLine* line = nullptr) : line_(line) {}

  std::uint8_t read(std::uint8_t reg) {
    wait(Duration::nanoseconds(300));
    return line_->cut ? std::uint8_t{0xFF} : line_->device.read(static_cast<std::uint16_t>(0x8300 + reg));
  }
  void write(std::uint8_t reg, std::uint8_t value) {
    wait(Duration::nanoseconds(300));
    if (!line_->cut) line_->device.write(static_cast<std::uint16_t>(0x8300 + reg), value);
  }
  std::uint16_t write_sum(const void* from, std::uint16_t n, std::uint16_t sum) {
    const std::span octets(static_cast<const std::uint8_t*>(from), n);
    for (const std::uint8_t octet : octets) write(0x10, octet);
    return reference_sum(octets, sum);
  }
  std::uint16_t read_sum(void* to, std::uint16_t n, std::uint16_t sum) {
    const std::span octets(static_cast<std::uint8_t*>(to), n);
    for (std::uint8_t& octet : octets) octet = read(0x10);
    return reference_sum(octets, sum);
  }
  std::uint16_t skip_sum(std::uint16_t n, std::uint16_t sum) {
    Octets octets(n);
    return read_sum(octets.data(), n, sum);
  }
  void wait_us(std::uint16_t us) { wait(Duration::microseconds(us)); }

 private:
  void wait(Duration time) { line_->scheduler.run_until(line_->scheduler.now() + time); }
  BusLine* line_;
};

class Rtl8019asDriver : public testing::Test, private DiagnosticSink, private FrameSink {
 protected:
  static constexpr tcpip::MacAddress mac{{0x02, 0x11, 0x22, 0x33, 0x44, 0x55}};

  Rtl8019asDriver() { wire.connect(chip, chip, *this); }
  void SetUp() override {
    ASSERT_TRUE(driver.begin(mac));
    advance(Duration::milliseconds(40));
    ASSERT_TRUE(driver.link_up());
  }
  void TearDown() override {
    for (const std::string& each : complaints) ADD_FAILURE() << each;
  }

  static Octets frame(std::size_t length, unsigned seed = 0) {
    static constexpr std::array<std::uint8_t, 8> source_and_type{0x02, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0x08, 0x00};
    Octets octets(length);
    for (std::size_t i = 0; i < length; ++i) {
      octets[i] = i < 6    ? mac.octet[i]
                  : i < 14 ? source_and_type[i - 6]
                           : static_cast<std::uint8_t>(i * 7 + seed * 31 + (i >> 8));
    }
    return octets;
  }
  void advance(Duration d) { scheduler.run_until(scheduler.now() + d); }
  void arrive(const Octets& octets) {
    const EthernetFrame in = EthernetFrame::with_fcs(octets);
    wire.from_network(in);
    advance(wire_time(in) + interframe_gap);
  }
  Octets receive() {
    const std::uint16_t length = driver.rx_open();
    Octets octets(length);
    driver.rx_read(0, octets.data(), length);
    driver.rx_close();
    return octets;
  }
  void send(const Octets& octets) {
    ASSERT_TRUE(driver.tx_open(0));
    driver.tx_write(octets.data(), static_cast<std::uint16_t>(octets.size()));
    driver.tx_send(static_cast<std::uint16_t>(octets.size()));
  }
  Octets take_sent() {
    advance(Duration::milliseconds(3));
    if (sent.empty()) return {};
    EXPECT_TRUE(sent.front().fcs_ok());
    Octets octets = sent.front().octets;
    sent.erase(sent.begin());
    return octets;
  }

  Scheduler scheduler;
  Wire wire{scheduler};
  Rtl8019as chip{scheduler, wire, *this};
  BusLine line{scheduler, chip};
  tcpip::Rtl8019as<HostBus, 1280, 0xE00000FB> driver{HostBus(&line)};
  std::vector<EthernetFrame> sent;
  std::vector<std::string> complaints;

 private:
  void report(const Diagnostic& diagnostic) override {
    if (diagnostic.severity != Severity::note) complaints.push_back(diagnostic.code + ": " + diagnostic.message);
  }
  void deliver(const EthernetFrame& out) override { sent.push_back(out); }
};

TEST_F(Rtl8019asDriver, SeesThatNoChipIsThere) {
  line.cut = true;
  EXPECT_FALSE(driver.begin(mac));
}

TEST_F(Rtl8019asDriver, SeesTheLink) {
  chip.set_link(false);
  EXPECT_FALSE(driver.link_up());
  chip.set_link(true);
  advance(Duration::milliseconds(40));
  EXPECT_TRUE(driver.link_up());
}

TEST_F(Rtl8019asDriver, MendsAChipThatWasReset) {
  chip.reset_pin(true);
  chip.reset_pin(false);
  driver.link_up();
  advance(Duration::milliseconds(40));
  EXPECT_TRUE(driver.link_up());
  arrive(frame(100));
  EXPECT_EQ(receive(), frame(100));
}

TEST_F(Rtl8019asDriver, ReceivesEveryLengthRoundTheRing) {
  for (std::size_t length = 60; length <= 1514; ++length) {
    const Octets in = frame(length, static_cast<unsigned>(length));
    arrive(in);
    ASSERT_EQ(driver.rx_open(), length);
    ASSERT_EQ(driver.rx_open(), length) << "opening twice opens the same frame";
    ASSERT_EQ(receive(), in);
    ASSERT_EQ(driver.rx_open(), 0);
  }
}

TEST_F(Rtl8019asDriver, ReadsAndSumsAnyPartOfAFrame) {
  for (unsigned round = 0; round < 12; ++round) {
    const Octets in = frame(1514, round);
    arrive(in);
    ASSERT_EQ(driver.rx_open(), 1514);
    for (const int at : {0, 14, 34, 1, 77, 1513, 700, 14}) {
      for (const int wanted : {0, 1, 2, 3, 20, 655, 1514}) {
        const auto offset = static_cast<std::uint16_t>(at);
        const auto n = static_cast<std::uint16_t>(std::min(wanted, 1514 - at));
        const std::span part(in.data() + offset, n);
        ASSERT_EQ(driver.rx_sum(offset, n), reference_sum(part));
        Octets out(n);
        ASSERT_EQ(driver.rx_read_sum(offset, out.data(), n, 0x1234), reference_sum(part, 0x1234));
        ASSERT_TRUE(std::equal(out.begin(), out.end(), part.begin()));
      }
    }
    driver.rx_close();
  }
}

TEST_F(Rtl8019asDriver, TheInterruptAsksWhileAFrameWaits) {
  EXPECT_FALSE(chip.int_pin());
  arrive(frame(60, 1));
  arrive(frame(60, 2));
  EXPECT_TRUE(chip.int_pin());
  EXPECT_EQ(receive(), frame(60, 1));
  EXPECT_TRUE(chip.int_pin());
  EXPECT_EQ(receive(), frame(60, 2));
  EXPECT_EQ(driver.rx_open(), 0);
  EXPECT_FALSE(chip.int_pin());
}

TEST_F(Rtl8019asDriver, HearsBroadcastsAndItsGroupOnly) {
  Octets in = frame(60);
  std::fill_n(in.begin(), 6, std::uint8_t{0xFF});
  arrive(in);
  EXPECT_EQ(receive(), in);
  const std::uint8_t group[] = {0x01, 0x00, 0x5E, 0x00, 0x00, 0xFB};
  std::copy(std::begin(group), std::end(group), in.begin());
  arrive(in);
  EXPECT_EQ(receive(), in);
  in[5] = 0xFC;
  arrive(in);
  EXPECT_EQ(driver.rx_open(), 0);
  in = frame(60);
  in[5] ^= 1;
  arrive(in);
  EXPECT_EQ(driver.rx_open(), 0);
}

TEST_F(Rtl8019asDriver, RecoversFromAFullRing) {
  constexpr unsigned pages = 32 - 2 * 6 - 1280 / 256;
  for (unsigned n = 0; n < 100; ++n) arrive(frame(60, n));
  for (unsigned n = 0; n < pages - 1; ++n) EXPECT_EQ(receive(), frame(60, n)) << n;
  EXPECT_EQ(driver.rx_open(), 0);
  EXPECT_EQ(driver.counters().rx_overflows, 1);
  EXPECT_FALSE(chip.int_pin());
  for (unsigned n = 0; n < 20; ++n) {
    arrive(frame(1514, n));
    EXPECT_EQ(receive(), frame(1514, n));
  }
}

TEST_F(Rtl8019asDriver, AFrameThatIsOnTheWireSurvivesTheRecovery) {
  for (unsigned n = 0; n < 30; ++n) arrive(frame(60, n));
  send(frame(1514, 7));
  driver.rx_open();
  EXPECT_EQ(take_sent(), frame(1514, 7));
  EXPECT_TRUE(sent.empty()) << "once";
}

// The answer to the oldest of the frames that wait, while the chip is in loopback mode.
TEST_F(Rtl8019asDriver, SendsWhileItRecovers) {
  for (unsigned n = 0; n < 30; ++n) arrive(frame(60, n));
  ASSERT_EQ(driver.rx_open(), 60);
  send(frame(1514, 7));
  EXPECT_EQ(take_sent(), frame(1514, 7));
  driver.rx_close();
  EXPECT_EQ(receive(), frame(60, 1));
  arrive(frame(60, 99));
  Octets last;
  while (driver.rx_open() != 0) last = receive();
  EXPECT_EQ(last, frame(60, 99));
  EXPECT_EQ(driver.counters().rx_overflows, 1);
}

TEST_F(Rtl8019asDriver, StartsAgainWhenItHasLostTrackOfTheRing) {
  arrive(frame(60));
  chip.write(0x8300, 0x22);
  chip.write(0x8308, 0x01);
  const std::uint8_t first_page = 0x51;
  chip.write(0x8309, first_page);
  chip.write(0x830A, 1);
  chip.write(0x830B, 0);
  chip.write(0x8300, 0x12);
  chip.write(0x8310, 0xEE);  // the header's next page
  EXPECT_EQ(driver.rx_open(), 0);
  EXPECT_EQ(driver.counters().rx_restarts, 1);
  advance(Duration::milliseconds(40));
  arrive(frame(100));
  EXPECT_EQ(receive(), frame(100));
}

TEST_F(Rtl8019asDriver, SendsEveryLengthAndPads) {
  for (std::size_t length = 14; length <= 1514; length += length < 64 ? 1 : 50) {
    Octets out = frame(length);
    send(out);
    out.resize(std::max<std::size_t>(length, 60));
    ASSERT_EQ(take_sent(), out) << length;
  }
}

TEST_F(Rtl8019asDriver, WritesOneFrameWhileTheOtherIsOnTheWire) {
  for (unsigned n = 0; n < 10; ++n) send(frame(1514, n));
  advance(Duration::milliseconds(5));
  ASSERT_EQ(sent.size(), 10u);
  for (unsigned n = 0; n < 10; ++n) EXPECT_EQ(sent[n].octets, frame(1514, n));
  EXPECT_EQ(chip.counters().tx_frames, 10u);
}

TEST_F(Rtl8019asDriver, SumsWhatItWritesAndPatchesWhatWasReserved) {
  const Octets out = frame(600, 5);
  ASSERT_TRUE(driver.tx_open(34));
  const std::span data(out.data() + 34, out.size() - 34);
  EXPECT_EQ(driver.tx_write_sum(data.data(), static_cast<std::uint16_t>(data.size()), 7), reference_sum(data, 7));
  driver.tx_patch(0, out.data(), 14);
  driver.tx_patch(14, out.data() + 14, 20);
  driver.tx_send(600);
  EXPECT_EQ(take_sent(), out);
}

TEST_F(Rtl8019asDriver, HoldsAFrameWhileOthersGo) {
  ASSERT_TRUE(driver.tx_open(0));
  const Octets held = frame(700, 1);
  driver.tx_write(held.data(), 700);
  ASSERT_TRUE(driver.tx_hold());
  for (unsigned n = 2; n < 5; ++n) {
    send(frame(300, n));
    EXPECT_EQ(take_sent(), frame(300, n));
  }
  driver.tx_resume();
  driver.tx_send(700);
  EXPECT_EQ(take_sent(), held);
}

TEST_F(Rtl8019asDriver, CopiesFromTheOpenFrameAndThroughTheStore) {
  const Octets in = frame(500, 9);
  arrive(in);
  ASSERT_EQ(driver.rx_open(), 500);
  ASSERT_TRUE(driver.tx_open(0));
  ASSERT_TRUE(driver.tx_copy_rx(0, 500));
  driver.tx_send(500);
  EXPECT_EQ(take_sent(), in);
  ASSERT_TRUE(driver.store_rx(40, 100, 400));
  driver.rx_close();
  driver.rx_from_store(40, 400);
  Octets out(400);
  driver.rx_read(0, out.data(), 400);
  EXPECT_TRUE(std::equal(out.begin(), out.end(), in.begin() + 100));
}

struct Ram {
  static constexpr bool in_chip = false;
  static std::uint8_t* octets() { return memory.data(); }
  static inline std::array<std::uint8_t, 1000> memory;
};

TEST_F(Rtl8019asDriver, HasItsStoreInTheBoardsRamAndAllOfTheRing) {
  tcpip::Rtl8019as<HostBus, 1000, 0, Ram> with_ram{HostBus(&line)};
  ASSERT_TRUE(with_ram.begin(mac));
  advance(Duration::milliseconds(40));
  const Octets in = frame(1001, 9);
  arrive(in);
  for (unsigned n = 0; n < 2; ++n) arrive(frame(1514, n));  // 5 + 6 + 6 of 20 pages
  ASSERT_EQ(with_ram.rx_open(), 1001);
  ASSERT_TRUE(with_ram.store_rx(40, 100, 901));
  with_ram.rx_close();
  with_ram.rx_from_store(40, 901);
  Octets out(901);
  with_ram.rx_read(0, out.data(), 901);
  EXPECT_TRUE(std::equal(out.begin(), out.end(), in.begin() + 100));
  const std::span all(out);
  for (const std::size_t from : {0u, 1u, 7u}) {
    for (const std::size_t n : {0u, 1u, 2u, 253u, 254u, 255u, 256u, 508u, 509u, 894u}) {
      const auto part = all.subspan(from, n);
      const auto offset = static_cast<std::uint16_t>(from), length = static_cast<std::uint16_t>(n);
      EXPECT_EQ(with_ram.rx_sum(offset, length), reference_sum(part)) << from << " " << n;
      Octets copy(n);
      EXPECT_EQ(with_ram.rx_read_sum(offset, copy.data(), length, 0x1234), reference_sum(part, 0x1234)) << n;
      EXPECT_TRUE(std::equal(copy.begin(), copy.end(), part.begin()));
    }
  }
  ASSERT_TRUE(with_ram.tx_open(0));
  ASSERT_TRUE(with_ram.tx_copy_rx(1, 900));
  with_ram.tx_send(900);
  EXPECT_EQ(take_sent(), Octets(in.begin() + 101, in.end()));
  with_ram.rx_close();
  for (unsigned n = 0; n < 2; ++n) {
    ASSERT_EQ(with_ram.rx_open(), 1514);
    Octets next(1514);
    with_ram.rx_read(0, next.data(), 1514);
    EXPECT_EQ(next, frame(1514, n));
    with_ram.rx_close();
  }
  EXPECT_EQ(with_ram.counters().rx_overflows, 0);
}

TEST_F(Rtl8019asDriver, BeginsAgainAtAnyTime) {
  arrive(frame(200));
  driver.rx_open();
  send(frame(1514));
  ASSERT_TRUE(driver.begin(mac));
  EXPECT_EQ(driver.rx_open(), 0);
  advance(Duration::milliseconds(40));
  arrive(frame(300));
  EXPECT_EQ(receive(), frame(300));
}

}  // namespace
}  // namespace avrlan
