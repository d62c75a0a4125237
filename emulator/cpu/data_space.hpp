#pragma once
// The data space of one MCU as a table of 256 pages: registers, I/O and SRAM, external memory with its waits, devices on the
// external bus, and what answers nothing.

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/cpu/external_memory.hpp"
#include "nic-model/core/bus_device.hpp"

namespace avrlan::cpu {

class DataSpace {
 public:
  struct Page {
    std::uint8_t* memory = nullptr;  // internal or external RAM, the page's first byte
    BusDevice* device = nullptr;
    std::uint8_t waits = 0;  // external memory: 0 to 3
    bool external = false;
  };

  // `data` is simavr's array: registers, I/O registers up to `io_last`, SRAM up to `ram_last`; must outlive this object.
  DataSpace(std::uint8_t* data, std::uint16_t io_last, std::uint16_t ram_last, ExternalMemory kind);

  std::uint16_t io_last() const { return io_last_; }
  std::uint16_t ram_first() const { return static_cast<std::uint16_t>(io_last_ + 1); }
  std::uint16_t ram_last() const { return ram_last_; }

  // Solder RAM or a device to the external bus; first and last are whole pages (first % 256 == 0, last % 256 == 255) of
  // bus addresses: 16 bits less the lines released to port C (XMM). What lies under internal memory is reachable only
  // through a mirror.
  void add_ram(std::uint16_t first, std::uint16_t last);
  void add_device(std::uint16_t first, std::uint16_t last, BusDevice& device);

  // After the registers of the external memory interface have changed, or at reset.
  void update_external_bus();
  bool controls_external_bus(std::uint16_t address) const { return cpu::controls_external_bus(kind_, address); }

  const Page& page(std::uint16_t address) const { return pages_[address >> 8]; }
  std::uint16_t bus_address(std::uint16_t address) const {
    return static_cast<std::uint16_t>(address & bus_.address_mask);
  }

  // Cycles on top of those of the manual, which are for internal memory: one byte (LD, ST, LDS, STS, LDD, STD, PUSH, POP),
  // and the program counter (calls, returns and interrupts). ATmega128 and ATmega640/1280/1281/2560/2561 datasheets, "SRAM
  // Data Memory".
  static constexpr std::uint8_t byte_cycles(const Page& page) {
    return page.external ? static_cast<std::uint8_t>(1 + page.waits) : std::uint8_t{0};
  }
  static constexpr std::uint8_t program_counter_cycles(const Page& page) {
    return page.external ? static_cast<std::uint8_t>(3 + 2 * page.waits) : std::uint8_t{0};
  }

  // Without side effects; 0 where nothing answers.
  std::uint8_t peek(std::uint16_t address) const;
  // In RAM of the external bus; elsewhere nothing happens, and it is false.
  bool poke(std::uint16_t address, std::uint8_t value);

 private:
  std::uint8_t* data_;
  std::uint16_t io_last_;
  std::uint16_t ram_last_;
  ExternalMemory kind_;
  ExternalBus bus_;
  std::array<Page, 256> pages_{};
  std::array<Page, 256> soldered_{};  // by bus address
  std::deque<std::vector<std::uint8_t>> rams_;
};

}  // namespace avrlan::cpu
