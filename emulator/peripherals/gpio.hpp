#pragma once
// The pins, as what is soldered to them sees them. simavr's ports still hold PORT, DDR and PIN and raise the pin IRQs.
// Not modelled: contention (an output that is driven from outside keeps its own level), the pin synchroniser, PUD,
// pins taken over by timers.

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "emulator/board/pin.hpp"
#include "emulator/peripherals/mcu_context.hpp"

struct avr_ioport_t;

namespace avrlan::peripherals {

class Gpio {
 public:
  using Watcher = std::function<void(bool high)>;

  explicit Gpio(const McuContext& mcu);
  Gpio(const Gpio&) = delete;
  Gpio& operator=(const Gpio&) = delete;

  bool has(Pin pin) const { return ports_.contains(pin.port); }

  bool is_output(Pin pin) const;
  // High or low as measured at the pin. An input that nothing drives is high: a chip's select and reset inputs have
  // pull-ups, on the board or inside.
  bool level(Pin pin) const;
  // From now on something outside drives the pin.
  void drive(Pin pin, bool high);
  // Called whenever the level of the pin has changed, with the time of the scheduler set.
  void watch(Pin pin, Watcher changed);
  // Called when its direction has changed, too.
  void watch_direction(Pin pin, Watcher changed);
  // After avr_reset(), which turns all pins to inputs.
  void reset();

 private:
  struct Watched {
    Pin pin;
    Watcher changed;
    bool direction_too;
    bool output;
    bool high;
  };
  struct Port {
    Gpio* gpio;
    avr_ioport_t* module;
    StoreHandler store_port;  // simavr's, called first
    StoreHandler store_ddr;
    StoreHandler store_pin;
    std::uint8_t driven = 0;
    std::uint8_t driven_high = 0;
    std::vector<Watched> watched;

    void store(std::uint16_t address, std::uint8_t value);
  };

  const Port& port(Pin pin) const { return ports_.at(pin.port); }
  void notify(Port& port);

  const McuContext& mcu_;
  std::map<char, Port> ports_;
};

}  // namespace avrlan::peripherals
