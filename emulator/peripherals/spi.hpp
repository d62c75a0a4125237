#pragma once
// The SPI (ATmega328P datasheet, section "SPI - Serial Peripheral Interface"; ATmega8, 32, 128, 644P, 2560, 32U4 alike),
// as a master with one device on its bus, and as a slave.
//
// Phase of the master. A store to SPDR takes effect at the end of its instruction; SCK's prescaler starts there, so a byte
// takes 8 SCK periods, its edges 16 halves of a period, and SPIF is set and the device is told at the last of them. So with
// `out SPDR` starting at cycle c and a divider of d, the first instruction that sees SPIF, or reads SPDR's new content, is
// one that starts at c + 1 + 8 d. A store earlier than that collides (WCOL). One at that very cycle starts a transfer, but
// not of its byte; the next, at c + 2 + 8 d, is right. So at fosc/2 the fastest is a byte every 18 cycles.
// Measured by others on an ATmega32U4 at fosc/2: read at 17, lost at 17, sent at 18 (Ardens, pull request 134, and the
// 18-cycle loops of the Arduboy2 library); since it is always 17, the prescaler is not free-running. Inferred: the same at
// the other dividers; what is sent instead of a lost byte is what the shift register holds, the byte received last.
//
// The slave is clocked by the pins: SS, SCK, MOSI; SPIF is set at the eighth sampling edge. What it sends is what was
// stored in SPDR, or else what it has received last.
// Inferred: a store to SPCR or SPSR that changes the divider applies to the half period under way; any other bit of SPCR
// applies from the next byte on, but for SPE and MSTR, which end the byte.
// Not modelled: the synchroniser of SCK and SS, the datasheet's minimum of two cycles for each half of SCK.

#include <cstdint>

#include "emulator/peripherals/gpio.hpp"
#include "emulator/peripherals/mcu_context.hpp"
#include "emulator/peripherals/spi_target.hpp"

struct avr_irq_t;

namespace avrlan::peripherals {

class Spi {
 public:
  Spi(const McuContext& mcu, Gpio& gpio);
  Spi(const Spi&) = delete;
  Spi& operator=(const Spi&) = delete;

  // A device for the master; `select` is the pin on its chip select.
  void attach(SpiDevice& device, Pin select) { target_.attach(device, select); }
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
  bool master() const;
  bool slave() const;
  std::int64_t half_period() const;
  void clear_flags_seen();
  void check_mode_fault();
  void io_clock(bool runs, Cycles at);
  void set_spif();
  void update_request();

  void start(Cycles now);
  void catch_up(Cycles now);
  void schedule();
  bool shown() const;  // SCK and MOSI, to somebody who must be told
  bool edge_by_edge() const;
  void sample_miso();
  void complete(Cycles now);
  void abort();

  void watch_pins();
  void override_pins(Cycles now);
  void watchers_changed();
  void show_pins(Cycles now);
  int halves(Cycles at) const;
  bool sck_level(Cycles at) const;
  bool mosi_level(Cycles at) const;

  void ss_changed(bool high);
  void slave_clocked(bool sck_high);
  void slave_sample();
  void show_miso(Cycles now);

  const McuContext& mcu_;
  Gpio& gpio_;
  const Pin ss_;
  const Pin mosi_;
  const Pin miso_;
  const Pin sck_;
  std::uint16_t spcr_ = 0;
  std::uint16_t spsr_ = 0;
  std::uint16_t spdr_ = 0;
  RegisterBit power_reduction_;
  unsigned vector_ = 0;
  avr_irq_t* sent_ = nullptr;  // simavr's, for whoever watches it
  Gpio::Alternate& ss_pin_;
  Gpio::Alternate& mosi_pin_;
  Gpio::Alternate& miso_pin_;
  Gpio::Alternate& sck_pin_;
  bool watches_pins_ = false;
  SpiTarget target_;

  std::uint8_t shift_ = 0;
  std::uint8_t received_ = 0;
  std::uint8_t flags_seen_ = 0;  // SPIF and WCOL as the last load of SPSR returned them

  // The master's byte, in halves of an SCK period.
  bool transferring_ = false;
  int halves_ = 0;  // that were over at half_began_
  Cycles half_began_{};
  std::uint8_t format_ = 0;  // SPCR when the byte began: DORD, CPOL, CPHA
  std::uint8_t sent_byte_ = 0;
  bool last_mosi_ = false;       // before it
  std::uint8_t sampled_ = 0xff;  // of MISO, the first in the highest bit; nobody drives it: the pull-up does
  McuContext::EventId transfer_;
  Cycles completed_{-1};
  bool io_runs_ = true;
  Cycles stopped_{};

  int slave_bits_ = 0;  // sampled of the byte under way
};

}  // namespace avrlan::peripherals
