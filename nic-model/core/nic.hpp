#pragma once
// What every Ethernet chip model shows to a board, whatever bus it sits on.

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/frame.hpp"
#include "nic-model/core/nic_event.hpp"

namespace avrlan {

struct NicCounters {
  std::uint64_t rx_frames = 0;  // accepted into the chip's memory
  std::uint64_t rx_bytes = 0;   // octets of those, without FCS
  std::uint64_t tx_frames = 0;  // left the chip completely
  std::uint64_t tx_bytes = 0;   // octets of those, without FCS
  DropCounters drops;
};

// For people who look into a chip. A place is an octet among the chip's registers, numbered by the chip.
struct NicRegister {
  std::string_view name;  // as the datasheet prints it
  std::uint16_t place;    // of its low octet, which the others follow
  std::uint8_t octets;
  std::uint16_t value;
};

// deliver() takes a frame from the wire, at the instant of its last bit.
class Nic : public FrameSink {
 public:
  virtual std::string_view name() const = 0;
  virtual const NicCounters& counters() const = 0;
  // RESET pin; active means held in reset.
  virtual void reset_pin(bool active) = 0;
  // Cable plugged in and partner alive.
  virtual void set_link(bool up) = 0;
  // The wire carries the preamble of a frame for this chip that will end at `end`.
  virtual void receive_started(Instant end) = 0;
  // Level of the interrupt pin in volts' terms: true = high. `changed` is called on every edge.
  virtual bool int_pin() const = 0;
  virtual void on_int_pin(std::function<void(bool high)> changed) = 0;
  // The clock that the chip puts out for an MCU, in Hz; 0: none. `changed` is called whenever that changes.
  virtual std::int64_t clkout_hz() const = 0;
  virtual void on_clkout(std::function<void(std::int64_t hz)> changed) = 0;
  // The LEDs by name, in lower case; the place in this list is their number. `changed` is called whenever one is lit or put
  // out.
  virtual std::span<const std::string_view> led_names() const = 0;
  virtual void on_led(std::function<void(std::size_t number, bool lit)> changed) = 0;
  virtual void on_event(std::function<void(const NicEvent&)> happened) = 0;
  // Every register, as a read would give it, without its side effects; one octet of them, 0 where none is; and the packet
  // memory.
  virtual std::vector<NicRegister> register_values() const { return {}; }
  virtual std::uint8_t register_octet(std::uint16_t /*place*/) const { return 0; }
  // Called when the firmware has read a register or written to it (also what it held already): behind SPI, when the octet
  // has been clocked; over a MII, when the PHY has it.
  using RegisterAccess = std::function<void(std::uint16_t place, bool written)>;
  virtual void on_register_access(RegisterAccess) {}
  virtual std::span<const std::uint8_t> memory() const { return {}; }
};

}  // namespace avrlan
