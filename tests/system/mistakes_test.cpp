// Each image of tests/system/mistakes makes one mistake: it is told by its name, at the function that made it, and nothing
// else is. The one that makes none is told nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "emulator/cli/simulation.hpp"
#include "emulator/net/packet.hpp"

namespace avrlan::test {
namespace {

constexpr MacAddress board_mac{2, 0, 0, 0, 0, 1}, peer_mac{2, 0, 0, 0, 0, 2};

// Answers a SYN with number 1000 and a window of 100.
class Peer : public net::Backend {
 public:
  explicit Peer(FrameSink& to_board) : to_board_(to_board) {}
  void deliver(const EthernetFrame& frame) override {
    if (!frame.fcs_ok() || frame.octets.size() < net::ethernet_header) return;
    const auto packet = net::Packet::parse(std::span(frame.octets).subspan(net::ethernet_header));
    if (!packet || !packet->is_tcp(net::tcp_flag::syn, net::tcp_flag::ack)) return;
    std::vector<std::uint8_t> segment(20);
    net::write16(segment, 0, packet->destination_port);
    net::write16(segment, 2, packet->source_port);
    net::write32(segment, 4, 1000);
    net::write32(segment, 8, packet->tcp_sequence + 1);
    segment[12] = 0x50;
    segment[13] = net::tcp_flag::syn | net::tcp_flag::ack;
    net::write16(segment, 14, 100);
    net::write16(segment, 16,
                 net::internet_checksum(segment, net::pseudo_header_sum(packet->destination, packet->source,
                                                                        net::protocol_tcp, segment.size())));
    to_board_.deliver(EthernetFrame::padded(
        net::make_ipv4_frame(board_mac, peer_mac, packet->destination, packet->source, net::protocol_tcp, segment)));
  }

 private:
  FrameSink& to_board_;
};

struct Mistake {
  const char* image;
  std::set<std::string> told;
  std::size_t frames = 0;  // that come in, from 45 ms on, back to back
  std::size_t octets = 60;
  unsigned link_pulse_collision_every = 0;
};
std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  return out << mistake.image;
}

class MistakeTest : public testing::TestWithParam<Mistake> {
 protected:
  MistakeTest() : firmware(Firmware::load_elf(std::string(AVRLAN_MISTAKES_DIR "/") + GetParam().image + ".elf")) {}

  void run() {
    SimulationOptions options;
    options.nic.enc28j60.errata.link_pulse_collision_every = GetParam().link_pulse_collision_every;
    simulation.emplace(find_board("uno-enc28j60"), firmware, options, [](Scheduler& scheduler, FrameSink& to_board) {
      scheduler.at(Instant::at(Duration::milliseconds(45)), [&to_board] {
        for (std::size_t n = 0; n < GetParam().frames; ++n) {
          std::vector<std::uint8_t> octets(GetParam().octets, static_cast<std::uint8_t>(n));
          std::copy(board_mac.begin(), board_mac.end(), octets.begin());
          to_board.deliver(EthernetFrame::with_fcs(octets));
        }
      });
      return std::make_unique<Peer>(to_board);
    });
    ASSERT_TRUE(simulation->machine().run_until(Instant::at(Duration::seconds(1)))) << "did not end";
  }
  std::set<std::string> told() const {
    std::set<std::string> names;
    for (const auto& entry : simulation->diagnostics().entries()) names.insert(entry.diagnostic.code);
    return names;
  }

  const Firmware firmware;
  std::optional<Simulation> simulation;
};

TEST_P(MistakeTest, IsToldAndNothingElse) {
  run();
  EXPECT_EQ(told(), GetParam().told);
}

TEST_P(MistakeTest, IsToldWhereItWasMade) {
  run();
  for (const auto& entry : simulation->diagnostics().entries()) {
    if (entry.lines.empty()) {
      EXPECT_TRUE(entry.diagnostic.code.starts_with("enc28j60-overflow") ||
                  entry.diagnostic.code == "enc28j60-checksum-while-receiving")
          << entry.diagnostic.code << " has no instruction";
      continue;
    }
    const auto made = std::find_if(entry.lines.begin(), entry.lines.end(), [](const auto& line) {
      return line.function.find(std::string("::") + GetParam().image + "()") != std::string::npos;
    });
    ASSERT_NE(made, entry.lines.end()) << entry.diagnostic.code;
    ASSERT_TRUE(made->source) << entry.diagnostic.code;
    EXPECT_TRUE(entry.lines.front().source->file.ends_with("mistakes/chip.hpp")) << entry.lines.front().source->file;
    EXPECT_GT(entry.first.cycle.count, 0);
    const std::uint16_t opcode =
        static_cast<std::uint16_t>(firmware.flash[entry.first.pcs[0]] | firmware.flash[entry.first.pcs[0] + 1] << 8);
    // OUT SPDR; where chip select ends a read that was too short, SBI PORTB.
    EXPECT_TRUE((opcode & 0xF800) == 0xB800 || (opcode & 0xFF00) == 0x9A00) << std::hex << opcode;
  }
}

const Mistake mistakes[] = {
    {"nothing", {}, 1},
    {"rx_pointer_even", {"enc28j60-rx-pointer-even"}},
    {"rx_pointer_outside", {"enc28j60-rx-pointer-outside"}},
    {"rx_start_not_zero", {"enc28j60-rx-start-not-zero"}},
    {"overflow", {"enc28j60-overflow"}, 5, 1514},
    {"overflow_unserviced", {"enc28j60-overflow", "enc28j60-overflow-unserviced"}, 12, 1514},
    {"pktdec_at_zero", {"enc28j60-pktdec-at-zero"}},
    {"packet_count_not_read", {"enc28j60-packet-count-not-read"}, 1},
    {"read_past_packet", {"enc28j60-read-past-packet"}, 3},
    {"read_past_the_last_packet", {"enc28j60-read-past-packet"}, 1},
    {"read_unwritten", {"enc28j60-read-unwritten"}},
    {"transmit_area", {"enc28j60-transmit-area-in-receive-buffer"}},
    {"transmit_busy", {"enc28j60-transmit-busy"}},
    {"transmit_buffer_changed", {"enc28j60-transmit-buffer-changed"}},
    {"transmitter_stalled", {"enc28j60-transmitter-stalled"}, 0, 0, 1},
    {"duplex_mismatch", {"enc28j60-duplex-mismatch"}},
    {"sleep_while_transmitting", {"enc28j60-sleep-while-transmitting"}},
    {"unknown_command", {"enc28j60-unknown-command"}},
    {"mac_read_without_dummy", {"enc28j60-mac-read-without-dummy"}},
    {"wrong_bank", {"enc28j60-eth-read-with-dummy"}},
    {"no_register", {"enc28j60-no-register"}},
    {"read_only", {"enc28j60-read-only"}},
    {"reserved_address", {"enc28j60-reserved-address"}},
    {"reserved_bits", {"enc28j60-reserved-bits"}},
    {"bit_field_on_mac", {"enc28j60-bit-field-on-mac"}},
    {"mii_busy", {"enc28j60-mii-busy"}},
    {"mii_write_busy", {"enc28j60-mii-busy"}},
    {"clock_not_ready", {"enc28j60-clock-not-ready"}},
    {"too_soon_after_reset", {"enc28j60-too-soon-after-reset"}},
    {"reset_asleep", {"enc28j60-reset-asleep"}},
    {"dma_never_ends", {"enc28j60-dma-never-ends"}},
    {"checksum_while_receiving", {"enc28j60-checksum-while-receiving"}, 3, 500},
    {"no_fcs", {"wire-fcs"}},
    {"no_padding", {"wire-frame-size"}},
    {"ipv4_checksum", {"wire-ipv4-checksum"}},
    {"udp_checksum", {"wire-udp-checksum"}},
    {"icmp_checksum", {"wire-icmp-checksum"}},
    {"tcp_checksum", {"wire-tcp-checksum"}},
    {"ipv4_length", {"wire-length"}},
    {"udp_length", {"wire-length"}},
    {"tcp_length", {"wire-length"}},
    {"tcp_ack", {"wire-tcp-ack"}},
    {"tcp_window", {"wire-tcp-window"}},
    {"tcp_resend", {"wire-tcp-resend"}},
    {"tcp_sequence", {"wire-tcp-sequence"}},
};
INSTANTIATE_TEST_SUITE_P(Firmware, MistakeTest, testing::ValuesIn(mistakes),
                         [](const auto& mistake) { return mistake.param.image; });

// Whatever the model and the wire can report has an image that provokes it.
TEST(Mistakes, CoverEveryKind) {
  std::set<std::string> provoked;
  for (const Mistake& mistake : mistakes) provoked.insert(mistake.told.begin(), mistake.told.end());
  for (const DiagnosticKind& kind : diagnostic_kinds()) {
    if (!kind.name.starts_with("enc28j60-") && !kind.name.starts_with("wire-")) continue;
    if (kind.name == "wire-duplicate-mac")
      continue;  // takes two boards: Lab.BoardsWithOneImageNeedTheirOwnMacAddresses
    EXPECT_TRUE(provoked.contains(std::string(kind.name))) << kind.name;
  }
}

}  // namespace
}  // namespace avrlan::test
