#include "tests/accuracy/cpu/rig.hpp"

#include <simavr/avr_uart.h>
#include <simavr/sim_io.h>

#include <cstdarg>
#include <stdexcept>

// simavr frees neither its IRQs nor the avr_t.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libsimavr";
}

namespace avrlan::cpu::test {

avr_t* make_avr(const std::string& mcu, std::optional<std::uint16_t> ramend) {
  avr_global_logger_set([](avr_t*, int, const char*, va_list) {});
  avr_t* avr = avr_make_mcu_by_name(mcu.c_str());
  if (avr == nullptr) throw std::runtime_error("simavr does not know " + mcu);
  if (ramend) avr->ramend = *ramend;
  avr_init(avr);
  avr->log = LOG_NONE;
  avr->frequency = 16'000'000;
  for (char port = '0'; port <= '3'; ++port) {
    std::uint32_t flags = 0;
    avr_ioctl(avr, static_cast<std::uint32_t>(AVR_IOCTL_UART_SET_FLAGS(port)), &flags);
  }
  return avr;
}

Mcu mcu_row(const std::string& name) {
  if (const Mcu* known = find_mcu(name)) return *known;
  Mcu row{};
  row.sleep_register = 0x53;
  row.sleep_enable = 0x01;
  if (name == "atmega128") {
    row.sleep_register = 0x55;
    row.sleep_enable = 0x20;
  } else if (name == "atmega8" || name == "atmega32") {
    row.sleep_register = 0x55;
    row.sleep_enable = 0x80;
  }
  return row;
}

Rig::Rig(const std::string& mcu, ExactOptions options) : avr_(make_avr(mcu)), mcu_(mcu_row(mcu)) {
  vectors_ = std::make_unique<SimavrVectors>(*avr_, interrupts_);
  if (options.faults == nullptr) options.faults = this;
  engine_ = make_exact_engine(*avr_, interrupts_, mcu_, options);
}

Rig::~Rig() {
  engine_.reset();
  vectors_.reset();
  avr_terminate(avr_);
}

void Rig::load(std::uint32_t word_address, std::span<const std::uint16_t> words) {
  std::uint32_t at = 2 * word_address;
  for (const auto word : words) {
    avr_->flash[at++] = static_cast<std::uint8_t>(word);
    avr_->flash[at++] = static_cast<std::uint8_t>(word >> 8);
  }
  engine_->flash_changed(2 * word_address, static_cast<std::uint32_t>(2 * words.size()));
}

void Rig::set_pair(std::uint16_t address, std::uint16_t value) {
  avr_->data[address] = static_cast<std::uint8_t>(value);
  avr_->data[address + 1] = static_cast<std::uint8_t>(value >> 8);
}

std::uint8_t Rig::sreg() const {
  unsigned value = 0;
  for (unsigned bit = 0; bit < 8; ++bit) value |= static_cast<unsigned>(avr_->sreg[bit] << bit);
  return static_cast<std::uint8_t>(value);
}

void Rig::set_sreg(std::uint8_t value) {
  for (unsigned bit = 0; bit < 8; ++bit) avr_->sreg[bit] = value >> bit & 1;
}

std::int64_t Rig::step() {
  const std::int64_t start = cycle();
  halt_ = run_to(start + 1);
  return cycle() - start;
}

void Rig::request_at(std::int64_t cycle, unsigned vector) {
  interrupts_.connect(vector, [this, vector] { interrupts_.request(vector, false); });
  requests_.push_back(std::make_unique<Request>(Request{this, vector}));
  avr_cycle_timer_register(avr_, static_cast<avr_cycle_count_t>(cycle) - avr_->cycle, &Rig::raise,
                           requests_.back().get());
}

avr_cycle_count_t Rig::raise(avr_t*, avr_cycle_count_t, void* request) {
  const auto& asked = *static_cast<Request*>(request);
  asked.rig->interrupts_.request(asked.vector, true);
  return 0;
}

Verdict Rig::on_fault(const Fault& fault) {
  faults.push_back(fault);
  return verdict;
}

}  // namespace avrlan::cpu::test
