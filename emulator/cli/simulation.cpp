#include "emulator/cli/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace avrlan {

PinTraceOptions PinTraceOptions::parse(const std::string& text) {
  PinTraceOptions options;
  std::size_t comma = std::min(text.find(','), text.size());
  options.file = text.substr(0, comma);
  if (options.file.empty()) {
    throw UsageError(fmt::format("--vcd '{}' names no file", text),
                     "write --vcd trace.vcd, or --vcd trace.vcd,PB2,PD1");
  }
  while (comma < text.size()) {
    const std::size_t from = comma + 1;
    comma = std::min(text.find(',', from), text.size());
    const std::string name = text.substr(from, comma - from);
    const auto pin = Pin::parse(name);
    if (!pin) throw UsageError(fmt::format("--vcd {}: '{}' is no pin", text, name), "write --vcd trace.vcd,PB2,PD1");
    options.pins.push_back(*pin);
  }
  return options;
}

void Simulation::CountingSink::deliver(const EthernetFrame& frame) {
  ++count.frames;
  count.bytes += frame.octets.size();
  for (const auto& see : seen) see(frame);
  to->deliver(frame);
}

void Simulation::CableEnd::deliver(const EthernetFrame& frame) {
  if (cut) return;
  if (sent) sent(frame);
  to->deliver(frame);
}

Simulation::Simulation(const Board& board, const Firmware& firmware, const SimulationOptions& options,
                       BackendFactory far_end)
    : board_(board), firmware_(firmware), diagnostics_(firmware, options.diagnostics) {
  scheduler_.set_now(options.power_on);
  MachineOptions machine_options = options.machine;
  machine_options.diagnostics = &diagnostics_;
  machine_options.goes_on = [policy = options.diagnostics](std::string_view name) {
    return policy.severity(name, Severity::error) != Severity::error;
  };
  machine_ = std::make_unique<Machine>(board, firmware, scheduler_, machine_options);
  diagnostics_.locate([this] { return place(); });
  NicChip chip = make_nic(board, scheduler_, wire_, diagnostics_, options.nic);
  nic_ = std::move(chip.nic);
  nic_->on_event([this](const NicEvent& event) {
    if (event.kind == NicEvent::Kind::transmit_requested) at_transmit_.place = place();
    if (nic_event_) nic_event_(event);
  });
  std::visit([this](auto* bus) { machine_->attach(*nic_, *bus); }, chip.bus);

  link_to_board_ = std::make_unique<net::Link>(scheduler_, entry_, options.link, 1);
  from_far_end_.to = link_to_board_.get();
  far_end_ = far_end ? far_end(scheduler_, from_far_end_) : net::make_far_end(options.net, scheduler_, from_far_end_);
  host_ = dynamic_cast<net::HostBackend*>(far_end_.get());
  to_far_end_.to = far_end_ ? static_cast<FrameSink*>(far_end_.get()) : &nowhere_;
  if (host_) to_far_end_.to = &host_entry_.emplace(*machine_, *host_);
  link_to_network_ = std::make_unique<net::Link>(scheduler_, to_far_end_, options.link, 0);
  entry_.to = &wire_entry_;
  in_.to = &frame_check_.inbound(*nic_);
  out_.to = &frame_check_.outbound(*link_to_network_);
  wire_.connect(*nic_, in_, out_);
  nic_->set_link(true);
  for (const CableEvent& event : options.cable) {
    scheduler_.at(event.when, [this, in = event.in] { nic_->set_link(in); });
  }
  leds_.resize(nic_->led_names().size());
  nic_->on_led([this](std::size_t number, bool lit) { count_led(number, lit); });
}

Simulation::~Simulation() = default;

void Simulation::capture(const std::filesystem::path& file) {
  const std::string comment =
      fmt::format("avrlan firmware={} sha256={} board={} mcu={} hz={}", firmware_.path.filename().string(),
                  firmware_.sha256, board_.name, machine_->mcu(), machine_->hz());
  add_recorder(file, comment);
}

net::Recorder& Simulation::record(const std::filesystem::path& file, const std::string& header) {
  net::Recorder& recorder = add_recorder(file, header);
  entry_.to = &recorder.entry(*entry_.to);
  return recorder;
}

net::Recorder& Simulation::add_recorder(const std::filesystem::path& file, const std::string& comment) {
  recorders_.push_back(std::make_unique<net::Recorder>(
      file, scheduler_, [this] { return machine_->cycle().count; }, comment));
  in_.to = &recorders_.back()->inbound(*in_.to);
  out_.to = &recorders_.back()->outbound(*out_.to);
  return *recorders_.back();
}

void Simulation::on_frame(std::function<void(bool to_board, const EthernetFrame&)> seen) {
  in_.seen.emplace_back([seen](const EthernetFrame& frame) { seen(true, frame); });
  out_.seen.emplace_back([seen](const EthernetFrame& frame) { seen(false, frame); });
}

void Simulation::cut_off() {
  from_far_end_.cut = true;
  to_far_end_.cut = true;
}

void Simulation::inject(Instant when, EthernetFrame frame) {
  scheduler_.at(when, [this, frame = std::move(frame)] { link_to_board_->deliver(frame); });
}

void Simulation::count_led(std::size_t number, bool lit) {
  Led& led = leds_[number];
  if (lit) {
    ++led.count.flashes;
    led.lit_since = scheduler_.now();
  } else if (led.lit_since) {
    led.count.lit += scheduler_.now() - *led.lit_since;
    led.lit_since.reset();
  }
}

LedCount Simulation::led(std::size_t number) const {
  LedCount count = leds_[number].count;
  if (leds_[number].lit_since) count.lit += machine_->now() - *leds_[number].lit_since;
  return count;
}

CodePlace Simulation::place() const {
  const std::optional<Origin> origin = machine_->origin();
  return origin ? place_at(*origin) : CodePlace{machine_->cycle(), {}};
}

CodePlace Simulation::place_now() const {
  constexpr std::uint16_t spl = 0x5d, sph = 0x5e;
  const auto sp = static_cast<std::uint16_t>(machine_->peek(spl) | machine_->peek(sph) << 8);
  return place_at({machine_->pc(), sp, machine_->cycle()});
}

CodePlace Simulation::place_at(const Origin& origin) const {
  CodePlace place{origin.cycle, {origin.pc}};
  for (const std::uint32_t call : machine_->call_chain(firmware_, origin)) place.pcs.push_back(call);
  return place;
}

DropCounters Simulation::drops() const {
  DropCounters all = nic_->counters().drops;
  all += link_to_board_->drops();
  all += link_to_network_->drops();
  if (far_end_) all += far_end_->drops();
  return all;
}

void Simulation::flush() {
  for (auto& recorder : recorders_) recorder->flush();
  machine_->flush_trace();
}

}  // namespace avrlan
