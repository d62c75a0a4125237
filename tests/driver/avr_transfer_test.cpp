// The driver on its AVR: what firmware/board/spi.hpp claims of its transfers, seen from the chip's end of the bus.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "emulator/board/board.hpp"
#include "emulator/board/firmware.hpp"
#include "emulator/board/machine.hpp"
#include "nic-model/enc28j60/enc28j60.hpp"
#include "tests/support/scripted_peer.hpp"

namespace avrlan::test {
namespace {

// Notes when each byte of each transaction is complete.
class BusWatch : public SpiDevice {
 public:
  struct Transaction {
    std::uint8_t instruction = 0;
    std::vector<Instant> bytes;
  };

  BusWatch(const Scheduler& scheduler, SpiDevice& device) : scheduler_(scheduler), device_(device) {}

  void select() override {
    transactions.emplace_back();
    device_.select();
  }
  std::uint8_t exchange(std::uint8_t mosi) override {
    Transaction& now = transactions.back();
    if (now.bytes.empty()) now.instruction = mosi;
    now.bytes.push_back(scheduler_.now());
    return device_.exchange(mosi);
  }
  void deselect() override { device_.deselect(); }

  std::vector<Transaction> transactions;

 private:
  const Scheduler& scheduler_;
  SpiDevice& device_;
};

class Diagnostics : public DiagnosticSink {
 public:
  void report(const Diagnostic& diagnostic) override {
    if (diagnostic.severity != Severity::note) ADD_FAILURE() << diagnostic.code << ": " << diagnostic.message;
  }
};

class AvrTransfer : public testing::TestWithParam<std::string> {
 protected:
  static constexpr std::int64_t cycle_ps = 62'500;  // 16 MHz
  static constexpr std::uint8_t read_buffer = 0x3A, write_buffer = 0x7A;

  // Runs the echo image until the peer's script is done.
  void run_script() {
    const Board& board = find_board(GetParam());
    Machine machine(board, Firmware::load_elf(AVRLAN_FIRMWARE_DIR "/" + GetParam() + "/echo.elf"), scheduler);
    machine.attach(chip, bus);
    wire.connect(chip, chip, peer);
    while (!peer.done() && machine.now() < Instant::at(Duration::seconds(30)))
      ASSERT_FALSE(machine.run_until(machine.now() + Duration::milliseconds(10)));
  }

  // Cycles between bytes in the long transactions of one kind, and how often.
  std::map<std::int64_t, std::size_t> gaps(std::uint8_t instruction) const {
    std::map<std::int64_t, std::size_t> counts;
    for (const BusWatch::Transaction& t : bus.transactions) {
      if (t.instruction != instruction || t.bytes.size() < 100) continue;
      for (std::size_t i = 2; i < t.bytes.size(); ++i)  // the first follows the instruction byte
        ++counts[(t.bytes[i] - t.bytes[i - 1]).picoseconds() / cycle_ps];
    }
    return counts;
  }

  Scheduler scheduler;
  Wire wire{scheduler};
  Diagnostics diagnostics;
  Enc28j60 chip{scheduler, wire, diagnostics};
  BusWatch bus{scheduler, chip};
  struct ToBoard : FrameSink {
    explicit ToBoard(Wire& w) : wire(w) {}
    void deliver(const EthernetFrame& frame) override { wire.from_network(frame); }
    Wire& wire;
  } to_board{wire};
  ScriptedPeer peer{scheduler, to_board};
};

TEST_P(AvrTransfer, TakesEighteenCyclesAByteAndMakesNoMistake) {
  const std::string data(1200, 'd');
  for (int i = 0; i < 10; ++i) {
    peer.udp(7, data + std::to_string(i));
    peer.tcp(7, "line " + std::to_string(i) + '\n', 7);
  }
  run_script();
  ASSERT_EQ(peer.exchanges().size(), 20u);
  for (const ScriptedPeer::Exchange& exchange : peer.exchanges()) EXPECT_TRUE(exchange.complete) << exchange.name;

  const auto reads = gaps(read_buffer);  // the sum over each datagram
  ASSERT_FALSE(reads.empty());
  EXPECT_EQ(reads.begin()->first, 18);
  std::size_t bytes = 0, interrupted = 0;
  for (const auto& [gap, count] : reads) {
    bytes += count;
    if (gap != 18) interrupted += count;  // by the millisecond interrupt
  }
  EXPECT_GT(bytes, 10'000u);
  EXPECT_LT(interrupted, bytes / 500);
}

TEST_P(AvrTransfer, WritesAtTheSamePace) {
  peer.tcp(7, std::string(64, 'x'), 64);
  run_script();
  std::size_t blocks = 0;
  for (const BusWatch::Transaction& t : bus.transactions) {
    if (t.instruction != write_buffer || t.bytes.size() != 65) continue;
    ++blocks;
    for (std::size_t i = 2; i < t.bytes.size(); ++i)
      EXPECT_GE((t.bytes[i] - t.bytes[i - 1]).picoseconds(), 18 * cycle_ps);
    const std::int64_t total = (t.bytes.back() - t.bytes[1]).picoseconds() / cycle_ps;
    EXPECT_GE(total, 63 * 18);
    EXPECT_LE(total, 63 * 18 + 130) << "at most one interrupt";
  }
  EXPECT_GE(blocks, 1u);
}

INSTANTIATE_TEST_SUITE_P(Boards, AvrTransfer, testing::Values("uno-enc28j60", "mega-enc28j60"),
                         [](const auto& board) { return board.param.substr(0, board.param.find('-')); });

}  // namespace
}  // namespace avrlan::test
