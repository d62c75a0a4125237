// What each frame costs, step by step: of our own image, and of firmware that is known by the names of its functions.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "emulator/profile/frame_paths.hpp"
#include "tests/system/process.hpp"
#include "tests/system/profiled_run.hpp"

namespace avrlan::test {
namespace {

using profile::FramePath;
using profile::Step;

std::int64_t of(const FramePath& path, Step step) {
  return path.cycles[FramePath::index_of(step)];
}

void expect_exact(const std::vector<FramePath>& paths) {
  ASSERT_FALSE(paths.empty());
  for (const FramePath& path : paths) {
    EXPECT_EQ(std::accumulate(path.cycles.begin(), path.cycles.end(), std::int64_t{0}), path.end - path.begin);
    for (const std::int64_t cycles : path.cycles) EXPECT_GE(cycles, 0);
    if (!path.sent) continue;
    // 800 ns an octet, of 16 MHz; preamble and FCS are 12 octets.
    const double wire = 12.8 * static_cast<double>(*path.sent + 12);
    EXPECT_NEAR(static_cast<double>(of(path, Step::wire)), wire, 4.0);
  }
}

TEST(FramePaths, AddUpToTheTimeBetween) {
  const ProfiledRun run("uno-enc28j60", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/web.elf", Duration::seconds(5),
                        [](ScriptedPeer& peer) {
                          peer.get("/");
                          peer.get("/bytes?n=3000");
                          peer.ping(std::string(300, 'p'));
                        });
  const auto& paths = run.recording->paths().paths();
  expect_exact(paths);
  std::uint64_t in = 0, out = 0;
  for (const FramePath& path : paths) {
    in += path.received ? 1U : 0U;
    out += path.sent ? 1U : 0U;
  }
  EXPECT_EQ(in, run.simulation->nic().counters().rx_frames);
  EXPECT_EQ(out, run.simulation->nic().counters().tx_frames);

  // The ping and its answer, which is as long, are the last.
  const FramePath& ping = paths.back();
  EXPECT_EQ(ping.received, 342u);
  EXPECT_EQ(ping.sent, 342u);
  // Reading the message for its checksum: 18 cycles an octet (stack/README.md).
  EXPECT_GE(of(ping, Step::copy_out), 18 * 308);
  EXPECT_LE(of(ping, Step::copy_out), 20 * 342);
  EXPECT_GT(of(ping, Step::noticed), 0);
}

// Says its frames to the board, each at its time.
struct Talker : net::Backend {
  void deliver(const EthernetFrame& frame) override { heard.push_back(frame); }
  std::vector<EthernetFrame> heard;
};

struct Stack {
  explicit Stack(const std::string& name)
      : firmware(Firmware::load_elf(AVRLAN_STACKS_DIR "/" + name + ".elf")),
        simulation(find_board("uno-enc28j60"), firmware, SimulationOptions{},
                   [this](Scheduler& scheduler, FrameSink& to_board) {
                     say(scheduler, to_board);
                     auto made = std::make_unique<Talker>();
                     talker = made.get();
                     return made;
                   }),
        recording(simulation.machine(), firmware) {
    simulation.on_nic_event([this](const NicEvent& event) { recording.nic_event(event); });
    simulation.machine().run_until(Instant::at(Duration::milliseconds(120)));
    recording.update();
    recording.add_to(json);
    for (const auto& function : json["functions"]) own[function["name"]] = function["cycles"];
    for (const auto& layer : json["layers"]) layers[layer["name"]] = layer["cycles"];
  }

  static EthernetFrame datagram(std::uint8_t protocol) {
    std::vector<std::uint8_t> octets = {2,   0, 0, 0, 0, 1,  2,        0, 0, 0,  0, 2, 8, 0,  0x45, 0, 0,
                                        228, 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 2, 2, 10, 0,    2, 15};
    std::uint32_t sum = 0;
    for (std::size_t n = 14; n < 34; n += 2) sum += static_cast<std::uint32_t>(octets[n] << 8 | octets[n + 1]);
    const std::uint32_t checksum = ~((sum & 0xFFFF) + (sum >> 16));
    octets[24] = static_cast<std::uint8_t>(checksum >> 8);
    octets[25] = static_cast<std::uint8_t>(checksum);
    octets.resize(14 + 228, 0x55);
    octets[34] = 8;
    return EthernetFrame::padded(octets);
  }
  static EthernetFrame arp() {
    std::vector<std::uint8_t> octets = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 0, 0, 0, 2, 8,  6, 0, 1,
                                        8,    0,    6,    4,    0,    1,    2, 0, 0, 0, 0, 2, 10, 0, 2, 2};
    octets.insert(octets.end(), {0, 0, 0, 0, 0, 0, 10, 0, 2, 15});
    return EthernetFrame::padded(octets);
  }
  static void say(Scheduler& scheduler, FrameSink& to_board) {
    const auto at = [&](int milliseconds, EthernetFrame frame) {
      scheduler.at(Instant::at(Duration::milliseconds(milliseconds)), [&to_board, frame] { to_board.deliver(frame); });
    };
    at(60, arp());
    // Two directly behind each other: the second waits in the chip.
    at(70, datagram(1));
    at(70, datagram(1));
    at(100, datagram(6));
    at(110, datagram(17));
  }
  std::int64_t sum(const std::vector<std::string>& functions) const {
    std::int64_t cycles = 0;
    for (const auto& name : functions) cycles += own.at(name);
    return cycles;
  }

  Firmware firmware;
  Talker* talker = nullptr;
  Simulation simulation;
  profile::Recording recording;
  nlohmann::ordered_json json;
  std::map<std::string, std::int64_t> own;
  std::map<std::string, std::int64_t> layers;
};

void expect_five_frames(const Stack& stack) {
  EXPECT_EQ(stack.talker->heard.size(), 3u);
  EXPECT_EQ(stack.json["paths"]["answered"], 3);
  EXPECT_EQ(stack.json["paths"]["unanswered"], 2);
  const auto& paths = stack.recording.paths().paths();
  expect_exact(paths);
  ASSERT_EQ(paths.size(), 5u);
  const FramePath &first = paths[1], &second = paths[2];
  EXPECT_EQ(of(first, Step::queued), 0);
  // From its own last bit to where the first one is released: it came one frame and one gap later.
  EXPECT_GT(of(second, Step::queued), of(first, Step::copy_out) / 2);
  EXPECT_GT(of(second, Step::noticed), 0);
  EXPECT_LT(of(second, Step::noticed), of(second, Step::queued) + of(first, Step::copy_in) + 16 * 1000);
}

TEST(FramePaths, KnowUipByItsNames) {
  Stack stack("uip");
  expect_five_frames(stack);
  EXPECT_EQ(stack.layers["checksum"], stack.sum({"uip_chksum"}));
  EXPECT_EQ(stack.layers["driver"], stack.sum({"network_read", "network_send"}));
  EXPECT_EQ(stack.layers["ethernet, arp"], stack.sum({"uip_arp_arpin", "uip_arp_ipin"}));
  EXPECT_EQ(stack.layers["uip"], stack.sum({"uip_input", "uip_process", "uip_udp_input", "uip_add_rcv_nxt"}));
  EXPECT_EQ(stack.layers["application"], stack.sum({"httpd_appcall"}));
}

TEST(FramePaths, KnowLwipByItsNames) {
  Stack stack("lwip");
  expect_five_frames(stack);
  EXPECT_EQ(stack.layers["checksum"], stack.sum({"inet_chksum"}));
  EXPECT_EQ(stack.layers["driver"], stack.sum({"low_level_input", "low_level_output"}));
  EXPECT_EQ(stack.layers["ethernet, arp"], stack.sum({"ethernet_input", "etharp_input"}));
  EXPECT_EQ(stack.layers["ip, icmp"], stack.sum({"ip4_input", "icmp_input"}));
  EXPECT_EQ(stack.layers["tcp"], stack.sum({"tcp_input"}));
  EXPECT_EQ(stack.layers["udp"], stack.sum({"udp_input"}));
  EXPECT_EQ(stack.layers["application"], stack.sum({"http_recv"}));
}

// Without debug information there are only symbols.
TEST(Layers, KnowOurStackByItsNames) {
  const std::string bare = testing::TempDir() + "layers-bare.elf";
  ASSERT_EQ(run({"avr-objcopy", "--strip-debug", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/web.elf", bare}).status, 0);
  const ProfiledRun run("uno-enc28j60", bare, Duration::seconds(5), [](ScriptedPeer& peer) { peer.get("/"); });
  std::filesystem::remove(bare);
  nlohmann::ordered_json json;
  run.recording->add_to(json);
  std::map<std::string, std::int64_t> layers;
  for (const auto& layer : json["layers"]) layers[layer["name"]] = layer["cycles"];
  for (const char* layer : {"checksum", "driver", "ip, icmp", "udp", "tcp", "stack", "application", "board"})
    EXPECT_GT(layers[layer], 1000) << layer;

  std::int64_t nobodys = 0;
  for (const auto& function : json["functions"]) {
    const std::string name = function["name"];
    if (name.find("tcpip::") == std::string::npos && name.find("board::") == std::string::npos)
      nobodys += function["cycles"].get<std::int64_t>();
  }
  EXPECT_EQ(layers["other"], nobodys);
}

TEST(Layers, KnowTheArduinosStacksByTheirNames) {
  Stack stack("arduino");
  EXPECT_EQ(stack.layers["checksum"], stack.sum({"fill_checksum()"}));
  EXPECT_EQ(stack.layers["driver"], stack.sum({"Enc28J60Network::readPacket()", "ENC28J60::packetSend()",
                                               "enc28J60_mempool_block_move_callback"}));
  EXPECT_EQ(stack.layers["ethernet, arp"], stack.sum({"EtherCard::packetLoopArp()"}));
  EXPECT_EQ(stack.layers["ip, icmp"], stack.sum({"EtherCard::clientIcmpRequest()"}));
  EXPECT_EQ(stack.layers["udp"], stack.sum({"UIPUDP::parsePacket()", "EtherCard::udpPrepare()"}));
  EXPECT_EQ(stack.layers["tcp"], stack.sum({"UIPClient::read()", "make_tcphead()", "EtherCard::httpServerReply()"}));
  EXPECT_EQ(stack.layers["uip"], stack.sum({"UIPEthernetClass::tick()"}));
  EXPECT_EQ(stack.layers["buffers"], stack.sum({"MemoryPool::allocBlock()"}));
  EXPECT_EQ(stack.layers["stack"], stack.sum({"EtherCard::packetLoop()"}));
}

}  // namespace
}  // namespace avrlan::test
