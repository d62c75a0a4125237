// The stack in an AVR's ELF, on the emulated board with the exact engine.

#include <map>

#include "emulator/cli/simulation.hpp"
#include "tests/conformance/link.hpp"

namespace avrlan::test {
namespace {

constexpr std::uint8_t stack_paint = 0xC5;  // firmware/board/memory.hpp

SimulationOptions options() {
  SimulationOptions all;
  // Those two take every segment to the board for a true one.
  all.diagnostics.add("wire-tcp-ack=ignore,wire-tcp-window=ignore");
  return all;
}

const Firmware& firmware(Profile profile, Setup setup) {
  static std::map<std::string, Firmware> loaded;
  const std::string image = std::string("conform-") + (profile == Profile::minimal ? "minimal" : "full") +
                            (setup == Setup::dhcp ? "-dhcp" : "");
  const auto known = loaded.find(image);
  if (known != loaded.end()) return known->second;
  return loaded.emplace(image, Firmware::load_elf(AVRLAN_FIRMWARE_DIR "/mega-enc28j60/" + image + ".elf"))
      .first->second;
}

class AvrLink final : public Link {
 public:
  AvrLink(Profile of, Setup setup)
      : Link(of),
        firmware_(firmware(of, setup)),
        simulation_(find_board("mega-enc28j60"), firmware_, options(),
                    [this](Scheduler& scheduler, FrameSink& to_board) {
                      to_board_ = &to_board;
                      return std::make_unique<Far>(*this, scheduler);
                    }) {
    simulation_.machine().on_uart([this](std::uint16_t octet) { reports_ += static_cast<char>(octet); });
    const std::string ready = "ready\n";
    while (!reports_.ends_with(ready) && now() < Instant::at(s(1))) advance(ms(1));
    require(reports_.ends_with(ready), "the firmware does not start");
    reports_.clear();
  }

  void transmit(const Octets& frame) override { to_board_->deliver(EthernetFrame::with_fcs(frame)); }
  Instant now() const override { return simulation_.machine().now(); }
  void execute(char what) override { simulation_.machine().uart_receive(static_cast<std::uint8_t>(what)); }
  const std::string& reports() const override { return reports_; }
  std::string trouble() override {
    std::string all;
    if (end_) all += "the firmware has ended; ";
    for (const auto& entry : simulation_.diagnostics().entries())
      all += entry.diagnostic.code + ": " + entry.diagnostic.message + "; ";
    for (std::uint32_t at = firmware_.data_end; at < firmware_.data_end + 32; ++at)
      if (simulation_.machine().peek(static_cast<std::uint16_t>(at)) != stack_paint)
        return all + "something has written between the variables and the stack; ";
    return all;
  }

 private:
  struct Far : net::Backend {
    Far(AvrLink& l, Scheduler& of) : link(l), scheduler(of) {}
    AvrLink& link;
    Scheduler& scheduler;
    void deliver(const EthernetFrame& frame) override { link.arrived(scheduler.now(), frame.octets); }
  };

  void advance(Duration d) override {
    if (end_) throw Broken("the firmware has ended");
    end_ = simulation_.machine().run_until(now() + d);
  }

  const Firmware& firmware_;
  FrameSink* to_board_ = nullptr;
  std::string reports_;
  std::optional<MachineEnd> end_;
  Simulation simulation_;
};

}  // namespace

std::unique_ptr<Link> make_avr_link(Profile profile, Setup setup) {
  return std::make_unique<AvrLink>(profile, setup);
}

}  // namespace avrlan::test
