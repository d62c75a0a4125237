#pragma once
// The ports: PORTx, DDRx, PINx, pull-ups and PUD, and the pins as what is soldered to them sees them (datasheets, section
// "I/O-Ports"). simavr's IRQ objects of the ports follow.
//
// Phase. A store to PORTx or DDRx reaches the pin at the end of its instruction, where the clock rises. PINxn is behind
// a latch that follows the pin while the clock is high, and a flip-flop that takes it over at the next rising edge (figures
// "Synchronization when Reading an Externally Applied Pin Value" and "... a Software Assigned Pin Value"): an IN that starts
// at cycle c sees the pin as it was at c - 1/2, so an OUT needs one cycle between it and the IN that reads it back. SBIC and
// SBIS look at the same moment, LD and LDS one cycle later.
//
// Watchers are called during the instruction that changes a pin, with the scheduler's time at its start; changed_at() says
// when the level really changes.
//
// Alternate functions. A peripheral that can take a pin over asks once, in its constructor, for its Alternate:
//     Gpio::Alternate& txd_ = gpio.alternate({'D', 1}, "TxD0");
//     txd_.direction(true, when);          // TXENn: an output whatever DDRx says (DDOE, DDOV)
//     txd_.value(true, when);              // the idle line instead of PORTx (PVOE, PVOV)
//     txd_.release(when);                  // DDRx and PORTx decide again
// `when` is the cycle at whose start the pin changes: mcu.store_done() in a store handler, the event's own cycle in an event.
// OCnx overrides the value only: DDRx still decides whether it is seen. A peripheral whose level changes often need not
// schedule its changes while nobody watches: see Alternate::watched() and Alternate::value_on_demand().
//
// Not modelled: voltages between high and low, the sleep modes' disconnection of the input (SLEEP, DIDRn), the I/O clock's
// stop before the PINxn latch in deep sleep, glitches of less than a cycle as the input filter would take them.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/board/pin.hpp"
#include "emulator/peripherals/mcu_context.hpp"

struct avr_ioport_t;
struct avr_irq_t;

namespace avrlan::peripherals {

class Gpio {
  struct Port;

 public:
  using Watcher = std::function<void(bool high)>;

  // One peripheral's claim on one pin. Lives as long as the Gpio. When several override the same pin, the one asked for
  // first wins.
  class Alternate {
   public:
    Alternate(Gpio& gpio, Port& port, std::uint8_t mask, std::string name);
    Alternate(const Alternate&) = delete;
    Alternate& operator=(const Alternate&) = delete;

    const std::string& name() const { return name_; }
    // nullopt: DDRx, or PORTx, decides.
    void direction(std::optional<bool> output, Cycles when);
    void value(std::optional<bool> high, Cycles when);
    // The level is `at(cycle)`, which is asked for when something wants to know, until value() or release() is called.
    // Watchers do not hear of its changes.
    void value_on_demand(std::function<bool(Cycles cycle)> at, Cycles when);
    void release(Cycles when);

    // Whether changes of this pin must be told by value(), when they happen.
    bool watched() const { return (port_.watched & mask_) != 0; }
    // Called when watched() has changed, which happens while running, too (a store to PCMSKn).
    void on_watched(std::function<void(bool watched)> changed) { watched_changed_ = std::move(changed); }

   private:
    friend class Gpio;
    Gpio& gpio_;
    Port& port_;
    const std::uint8_t mask_;
    const std::string name_;
    std::optional<bool> output_;
    std::optional<bool> high_;
    std::function<bool(Cycles)> on_demand_;
    std::function<void(bool)> watched_changed_;
  };

  explicit Gpio(const McuContext& mcu);
  Gpio(const Gpio&) = delete;
  Gpio& operator=(const Gpio&) = delete;

  bool has(Pin pin) const { return ports_.contains(pin.port) && (port(pin).exist >> pin.bit & 1) != 0; }
  // Of a pin that the MCU has.
  Alternate& alternate(Pin pin, std::string name);

  struct NamedPin {
    Pin pin;
    std::string name;
  };
  // Every alternate function that was asked for.
  std::vector<NamedPin> alternates() const;

  // Whether the MCU drives the pin.
  bool is_output(Pin pin) const;
  // Nobody drives or pulls it. It reads as low.
  bool is_floating(Pin pin) const;
  // High or low as measured at the pin. Where two drive against each other (diagnostic `pin-contention`) the MCU wins.
  bool level(Pin pin) const;
  // Of a whole port.
  std::uint8_t levels(char port) const;
  std::uint8_t outputs(char port) const { return ports_.at(port).outputs; }
  // From now on something outside drives the pin.
  void drive(Pin pin, bool high);
  void release(Pin pin);
  // Several pins of a port at once.
  void drive(char port, std::uint8_t pins, std::uint8_t levels);
  void release(char port, std::uint8_t pins);
  // A resistor to the supply is soldered to the pin, outside or inside of a chip.
  void pull_up(Pin pin);

  // Called whenever the level of the pin has changed, with the time of the scheduler set.
  void watch(Pin pin, Watcher changed);
  // Called when its direction has changed, too.
  void watch_direction(Pin pin, Watcher changed);
  // Inside a watcher: when the level changes.
  Instant changed_at() const;
  // Inside a watcher: the first cycle at whose start PINxn shows the new level.
  Cycles visible_from() const { return visible_from_; }
  // PINxn as an instruction that looks at it in this cycle would see it.
  bool latched(Pin pin, Cycles cycle);
  // Called with the pins whose level has changed, like a watcher. Pins whose level is asked for on demand are among them
  // only while they are wanted.
  void watch_port(char name, std::function<void(std::uint8_t changed)> watcher);
  void want(char name, std::uint8_t pins);

  // After avr_reset(), which turns all pins to inputs.
  void reset();

 private:
  struct Watched {
    std::uint8_t mask;
    Watcher changed;
    bool direction_too;
  };
  struct Latch {
    Cycles from;
    std::uint8_t pins;
  };
  struct Port {
    Gpio* gpio = nullptr;
    avr_ioport_t* module = nullptr;
    std::uint8_t exist = 0xff;
    std::uint8_t driven = 0;  // from outside
    std::uint8_t driven_high = 0;
    std::uint8_t pulled_up = 0;  // on the board
    std::uint8_t wanted = 0;
    std::uint8_t watched = 0;

    std::uint8_t outputs = 0;
    std::uint8_t pins = 0;  // levels
    std::uint8_t contention = 0;
    std::uint8_t latched = 0;         // PINx
    std::deque<Latch> to_be_latched;  // what it will be
    std::deque<Alternate> alternates;
    std::vector<Watched> watchers;
    std::vector<std::function<void(std::uint8_t)>> port_watchers;

    std::uint8_t load_pin(std::uint16_t address);
    void store_pin(std::uint16_t address, std::uint8_t value);
    void store_port(std::uint16_t address, std::uint8_t value);
    void store_ddr(std::uint16_t address, std::uint8_t value);
  };

  const Port& port(Pin pin) const { return ports_.at(pin.port); }
  std::uint8_t pulled_up(const Port& port) const;
  std::uint8_t levels(const Port& port, Cycles cycle) const;
  std::uint8_t latched(Port& port, Cycles cycle);
  void add_watcher(Pin pin, Watcher changed, bool direction_too);
  void update_watched(Port& port);
  // The three ways in which a pin comes to change.
  void changed_by_store(Port& port) { changed_at_cycle(port, mcu_.store_done()); }
  void changed_at_cycle(Port& port, Cycles when);
  void changed_outside(Port& port);
  void refresh(Port& port);
  void tell(Port& port, std::uint8_t changed, std::uint8_t turned);
  void report_contention(const Port& port, std::uint8_t pins) const;
  static void control_accessed(avr_irq_t* irq, std::uint32_t value, void* gpio);

  const McuContext& mcu_;
  const bool toggles_;     // a 1 written to PINxn toggles PORTxn
  const RegisterBit pud_;  // all pull-ups off
  std::map<char, Port> ports_;
  std::optional<Cycles> change_cycle_;  // nullopt: at the scheduler's time
  Cycles visible_from_;
};

}  // namespace avrlan::peripherals
