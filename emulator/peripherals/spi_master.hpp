#pragma once
// The SPI as a master (ATmega328P datasheet section "SPI", ATmega2560 the same), with one device on its bus.
//
// Phase. A store to SPDR takes effect at the end of its instruction; a byte takes 8 SCK periods from there, and SPIF is
// set and the device is told at the start of the cycle after. So with `out SPDR` starting at cycle c and a divider of d,
// the first instruction that sees SPIF is one that starts at c + 1 + 8 d; the next `out SPDR` may start there, and one
// that starts a cycle earlier collides (WCOL). At fosc/2 that is a byte every 17 cycles, the known best on silicon.
// Where clkIO stops in the middle of a byte, the byte stands still and goes on with it.
//
// The device understands SPI mode 0 (CPOL = CPHA = 0). In any other mode the two ends disagree about the sampling edge:
// each sees the other's byte one bit late or early, deterministically, and there is a diagnostic.
// Not modelled: slave mode, the alignment of the first SCK edge to the free-running prescaler, a write to SPCR or SPSR
// that changes the divider or the mode in the middle of a byte (the byte ends as it began).

#include <cstdint>

#include "emulator/peripherals/gpio.hpp"
#include "emulator/peripherals/io_event.hpp"
#include "emulator/peripherals/mcu_context.hpp"
#include "nic-model/core/spi_device.hpp"

struct avr_irq_t;

namespace avrlan::peripherals {

class SpiMaster {
 public:
  SpiMaster(const McuContext& mcu, Gpio& gpio);
  SpiMaster(const SpiMaster&) = delete;
  SpiMaster& operator=(const SpiMaster&) = delete;

  // `select` is the pin on the device's chip select.
  void attach(SpiDevice& device, Pin select);
  // After avr_reset().
  void reset();

 private:
  std::uint8_t load_spsr(std::uint16_t address);
  std::uint8_t load_spdr(std::uint16_t address);
  void store_spcr(std::uint16_t address, std::uint8_t value);
  void store_spsr(std::uint16_t address, std::uint8_t value);
  void store_spdr(std::uint16_t address, std::uint8_t value);

  std::uint8_t& spcr() const { return mcu_.data(spcr_); }
  std::uint8_t& spsr() const { return mcu_.data(spsr_); }
  std::int64_t divider() const;
  bool transferring() const { return transfer_.pending(); }
  void clear_flags_seen();
  void start(std::uint8_t value);
  void complete();
  std::uint8_t clock_byte(std::uint8_t mosi);
  void abort();
  void check_mode_fault();
  void selected(bool select_high);
  void update_request();

  const McuContext& mcu_;
  Gpio& gpio_;
  Pin ss_;
  std::uint16_t spcr_ = 0;
  std::uint16_t spsr_ = 0;
  std::uint16_t spdr_ = 0;
  RegisterBit power_reduction_;
  unsigned vector_ = 0;
  avr_irq_t* sent_ = nullptr;  // simavr's, for whoever watches it

  SpiDevice* device_ = nullptr;
  bool selected_ = false;
  IoEvent transfer_{mcu_, [this](Cycles) { complete(); }};
  std::uint8_t shift_ = 0;
  std::uint8_t received_ = 0;
  std::uint8_t last_mosi_ = 0;
  bool undisturbed_ = true;      // select has not moved since the byte began
  std::uint8_t flags_seen_ = 0;  // SPIF and WCOL as the last load of SPSR returned them
};

}  // namespace avrlan::peripherals
