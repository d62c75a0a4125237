#pragma once
// Self-programming: SPM, SPMCSR (SPMCR), the read-while-write sections, fuse and lock bits and the signature row by LPM
// (ATmega328P datasheet, section "Boot Loader Support - Read-While-Write Self-Programming"; the older parts alike).
//
// Phase. The four cycles of SPMEN count from the end of the store to SPMCSR to the end of SPM; LPM reads fuses, lock bits or
// the signature when it starts within three. An erase, a page write and a write of lock bits take 4.1 ms, the middle of the
// 3.7 to 4.5 ms of table "SPM Programming Time", from the end of SPM; neither the MCU's clock nor sleep changes that. The cells
// change at the start. A page in the RWW section leaves the CPU running, and the section reads as 0xFF, and executes
// nothing, until RWWSRE; for one in the NRWW section the CPU is halted.
// Not modelled: lock bits that have an effect (they can be written and read), wear, corruption by a low supply.

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/cpu/engine.hpp"
#include "emulator/peripherals/eeprom.hpp"
#include "emulator/peripherals/mcu_context.hpp"
#include "emulator/peripherals/part.hpp"
#include "emulator/peripherals/timed_bit.hpp"

struct avr_flash_t;

namespace avrlan::peripherals {

class FlashMemory {
 public:
  FlashMemory(const McuContext& mcu, const Part& part, const Fuses& fuses, Eeprom& eeprom);
  FlashMemory(const FlashMemory&) = delete;
  FlashMemory& operator=(const FlashMemory&) = delete;
  ~FlashMemory() { mcu_.scheduler.cancel(busy_); }

  // Who executes from the flash; before the first run.
  void connect(cpu::Engine& engine) { engine_ = &engine; }
  // SPM, with avr_t::pc at it.
  void store_program();
  // Whether nothing can be executed at this byte address at the moment.
  bool closed(std::uint32_t address) const;
  const Fuses& fuses() const { return fuses_; }
  std::uint8_t lock_bits() const { return lock_bits_; }
  // As a programmer does, in no time; the range must lie in the flash.
  void program(std::uint32_t address, std::span<const std::uint8_t> bytes);
  // After avr_reset().
  void reset();

 private:
  FlashMemory(const McuContext& mcu, const Part& part, const Fuses& fuses, Eeprom& eeprom, avr_flash_t& module);
  void store_spmcsr(std::uint16_t address, std::uint8_t value);
  std::uint8_t load(std::uint32_t address);
  std::uint8_t load_fuses(std::uint32_t address) const;
  std::uint8_t load_signature(std::uint32_t address) const;
  void fill_buffer(std::uint32_t address, std::uint16_t word);
  void erase_buffer();
  void program_page(std::uint32_t address, bool erase);
  void start(bool halts);
  void finished();
  void disarm();
  void update();
  std::uint8_t& spmcsr() const { return mcu_.data(spmcsr_); }

  const McuContext& mcu_;
  const Part& part_;
  const Fuses fuses_;
  Eeprom& eeprom_;
  cpu::Engine* engine_ = nullptr;
  const std::uint16_t spmcsr_;
  const std::uint32_t page_size_;
  const std::uint32_t boot_start_;  // in bytes
  const std::uint32_t nrww_start_;
  const unsigned vector_;
  TimedBit spmen_;
  std::uint8_t lock_bits_ = 0xff;
  std::vector<std::uint16_t> buffer_;
  std::vector<bool> filled_;
  Scheduler::EventId busy_;
};

}  // namespace avrlan::peripherals
