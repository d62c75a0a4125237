#pragma once
// Gives the modules that are still simavr's own (ADC, watchdog, ...) their lines in Interrupts.

#include <deque>

#include "emulator/cpu/interrupts.hpp"

struct avr_t;
struct avr_irq_t;
struct avr_int_vector_t;

namespace avrlan::cpu {

// A line is flag and enable bit as they stand in the data space, so that a flag set before its interrupt is enabled is
// not lost, as it is in simavr. Needs an engine that raises avr_t::io[].irq after each access, as simavr's does.
class SimavrVectors {
 public:
  // Takes every vector of `avr` that is not connected yet.
  SimavrVectors(avr_t& avr, Interrupts& interrupts);
  SimavrVectors(const SimavrVectors&) = delete;
  SimavrVectors& operator=(const SimavrVectors&) = delete;

  // After avr_reset().
  void reset();

 private:
  struct Source {
    avr_t& avr;
    Interrupts& interrupts;
    avr_int_vector_t& vector;
    bool raised = false;  // for the vectors that have no flag

    void update();
    void acknowledge();
    static void register_accessed(avr_irq_t* irq, std::uint32_t value, void* source);
    static void pending_changed(avr_irq_t* irq, std::uint32_t value, void* source);
  };

  std::deque<Source> sources_;
};

}  // namespace avrlan::cpu
