#include "tests/accuracy/machine/usart_bench.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace avrlan::testing {

namespace {

struct Addresses {
  const char* mcu;
  std::uint16_t ucsra;
  std::uint16_t ram;
};
constexpr Addresses addresses[] = {
    {"atmega8", 0x2b, 0x60},     {"atmega32", 0x2b, 0x60},    {"atmega128", 0x2b, 0x100},   {"atmega168", 0xc0, 0x100},
    {"atmega328p", 0xc0, 0x100}, {"atmega644p", 0xc0, 0x100}, {"atmega1284p", 0xc0, 0x100}, {"atmega1280", 0xc0, 0x200},
    {"atmega2560", 0xc0, 0x200}, {"atmega32u4", 0xc8, 0x100},
};

const Addresses& addresses_of(const std::string& mcu) {
  return *std::find_if(std::begin(addresses), std::end(addresses), [&](const Addresses& a) { return a.mcu == mcu; });
}

}  // namespace

std::string UsartSetting::name() const {
  return fmt::format("UBRR {}{} {}{}{}", ubrr, u2x ? " U2X" : "", data_bits, parity, stop_bits);
}

Firmware with_setting(Firmware program, const UsartSetting& s, const std::vector<std::uint16_t>& frames) {
  const auto size = static_cast<unsigned>(s.data_bits == 9 ? 7 : s.data_bits - 5);
  const unsigned parity = s.parity == 'N' ? 0 : s.parity == 'E' ? 2 : 3;
  const unsigned stop = s.stop_bits == 2 ? 1 : 0;
  std::uint8_t* config = program.flash.data() + label(program, "config");
  config[0] = static_cast<std::uint8_t>(s.ubrr >> 8);
  config[1] = static_cast<std::uint8_t>(s.ubrr);
  config[2] = static_cast<std::uint8_t>(s.ucsrc | parity << 4 | stop << 3 | (size & 3) << 1);
  config[3] = static_cast<std::uint8_t>(s.ucsra | (s.u2x ? 2 : 0));
  config[4] = s.xck_ddr;
  config[5] = static_cast<std::uint8_t>(s.ucsrb | (size & 4));
  if (!frames.empty()) {
    std::uint8_t* table = program.flash.data() + label(program, "frames");
    for (const std::uint16_t frame : frames) {
      *table++ = static_cast<std::uint8_t>(frame >> 8);
      *table++ = static_cast<std::uint8_t>(frame);
    }
  }
  return program;
}

UsartBench::UsartBench(const std::string& program, const std::string& mcu, const UsartSetting& with,
                       const std::vector<std::uint16_t>& frames, MachineOptions options)
    : Bench(with_setting(assembled(program + "_" + mcu), with, frames), board_with(mcu), options),
      setting(with),
      mcu_(mcu) {
  machine.on_uart([this](std::uint16_t data) { sent.push_back({data, cycle_of(scheduler.now())}); });
}

Cycles UsartBench::run_past_setting(const std::string& name) {
  const Cycles high = run_to("ubrrh_stored");
  loaded_ = run_to("ubrrl_stored");
  // With UBRRH alone the generator does not tick again before UBRRL is stored.
  ticks_loaded_ = setting.ubrr > 255 ? high.count + 1 : loaded_.count;
  return run_to(name);
}

std::int64_t UsartBench::ticks(Cycles at) const {
  return ticks_loaded_ + (at - loaded_).count / setting.period();
}

Cycles UsartBench::tick_time(std::int64_t tick) const {
  return loaded_ + Cycles{(tick - ticks_loaded_) * setting.period()};
}

Cycles UsartBench::clock_after(Cycles after, std::int64_t divider) const {
  return tick_time((ticks(after) / divider + 1) * divider);
}

std::vector<UsartBench::Received> UsartBench::received() const {
  const std::uint16_t ram = addresses_of(mcu_).ram;
  const int frames = ((reg(27) << 8 | reg(26)) - ram) / 3;
  std::vector<Received> result;
  for (int i = 0; i < frames; ++i) {
    const auto at = static_cast<std::uint16_t>(ram + 3 * i);
    const auto peek = [&](int offset) { return machine.peek(static_cast<std::uint16_t>(at + offset)); };
    result.push_back({peek(0), static_cast<std::uint16_t>(((peek(1) & 2) != 0 ? 0x100 : 0) | peek(2))});
  }
  return result;
}

std::uint8_t UsartBench::ucsra() const {
  return machine.peek(addresses_of(mcu_).ucsra);
}

}  // namespace avrlan::testing
