#pragma once
// The programs usart_send.S and usart_receive.S under a setting that the test chooses, and the datasheet's arithmetic.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {

struct UsartSetting {
  unsigned ubrr = 7;
  bool u2x = false;
  int data_bits = 8;
  char parity = 'N';  // N, E, O
  int stop_bits = 1;
  std::uint8_t ucsra = 0;
  std::uint8_t ucsrb = 0;
  std::uint8_t ucsrc = 0;  // besides what the above say
  std::uint8_t xck_ddr = 0;
  std::uint16_t mask() const { return static_cast<std::uint16_t>((1u << data_bits) - 1); }
  int bits() const { return 1 + data_bits + (parity == 'N' ? 0 : 1) + stop_bits; }
  std::int64_t period() const { return ubrr + 1; }
  std::int64_t samples() const { return u2x ? 8 : 16; }
  std::int64_t bit_time() const { return samples() * period(); }
  std::string name() const;
};

// The program with the setting in its table `config`, and `frames` in its table `frames` if it has one.
Firmware with_setting(Firmware program, const UsartSetting& setting, const std::vector<std::uint16_t>& frames = {});

class UsartBench : public Bench {
 public:
  struct Sent {
    std::uint16_t data;
    Cycles cycle;
    friend bool operator==(const Sent&, const Sent&) = default;
  };
  struct Received {
    std::uint8_t ucsra;
    std::uint16_t data;  // RXB8 in bit 8
  };

  UsartBench(const std::string& program, const std::string& mcu, const UsartSetting& setting,
             const std::vector<std::uint16_t>& frames = {}, MachineOptions options = {});

  // Runs to `label`; on the way notes when the baud rate generator was set.
  Cycles run_past_setting(const std::string& label);
  // The baud rate generator's ticks: one a cycle from reset on, one every UBRR + 1 cycles from the store to UBRRL on.
  std::int64_t ticks(Cycles at) const;
  Cycles tick_time(std::int64_t tick) const;
  // The first of the transmitter's clocks, every `divider` ticks, after `after`.
  Cycles clock_after(Cycles after, std::int64_t divider) const;

  // What usart_receive.S has noted; the addresses are those of the MCU.
  std::vector<Received> received() const;
  std::uint8_t ucsra() const;

  UsartSetting setting;
  std::vector<Sent> sent;

 private:
  std::string mcu_;
  Cycles loaded_{};
  std::int64_t ticks_loaded_ = 0;
};

}  // namespace avrlan::testing
