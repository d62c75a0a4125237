#pragma once
// Realtek RTL8019AS, an NE2000 in one chip: after Realtek's specification (2001-05-10), and National's DP8390D data sheet
// for the core that both share. Section numbers in this folder are the DP8390D's.
//
// Not modelled: what happens inside a frame time (a received frame enters the ring at its last bit, a frame to send is read
// when it starts); IORDY, so a bus cycle is never stretched; Plug and Play; the boot ROM; ISR.RXE for FIFO overruns, frame
// alignment errors, heartbeat (TSR.CDH) and out-of-window collisions, which this wire does not have; TCR.ATD and OFST; the
// clock that HLTCLK halts; LED0 as collision indicator; media other than 10BASE-T, which have no partner here.

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nic-model/core/bus_device.hpp"
#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/frame.hpp"
#include "nic-model/core/nic.hpp"
#include "nic-model/core/scheduler.hpp"
#include "nic-model/core/wire.hpp"
#include "nic-model/rtl8019as/eeprom.hpp"
#include "nic-model/rtl8019as/options.hpp"
#include "nic-model/rtl8019as/registers.hpp"

namespace avrlan {

class Rtl8019as final : public Nic, public BusDevice {
 public:
  // In power-on reset at the scheduler's now(), with the EEPROM read (but an external one: all ones) and the cable plugged in.
  // Misuse is reported to `diagnostics`; codes begin with "rtl8019as-".
  Rtl8019as(Scheduler& scheduler, Wire& wire, DiagnosticSink& diagnostics, const Rtl8019asOptions& options = {});
  Rtl8019as(const Rtl8019as&) = delete;
  Rtl8019as& operator=(const Rtl8019as&) = delete;
  ~Rtl8019as() override;

  // BusDevice. Of the address, lines 9 to 5 must be the I/O base; else nothing drives the bus (0xFF) or listens.
  std::uint8_t read(std::uint16_t address) override;
  void write(std::uint16_t address, std::uint8_t value) override;
  std::uint8_t peek(std::uint16_t address) const override;
  // The data port on a bus of sixteen lines, with DCR.WTS set.
  std::uint16_t read_word();
  void write_word(std::uint16_t value);

  // Nic
  void deliver(const EthernetFrame& frame) override;
  std::string_view name() const override { return "rtl8019as"; }
  const NicCounters& counters() const override { return counters_; }
  void reset_pin(bool active) override;  // RSTDRV
  void set_link(bool up) override;
  void receive_started(Instant end) override;
  bool int_pin() const override { return int_pin_; }  // high asks for attention
  void on_int_pin(std::function<void(bool high)> changed) override { int_changed_ = std::move(changed); }
  std::int64_t clkout_hz() const override { return 0; }
  void on_clkout(std::function<void(std::int64_t hz)>) override {}
  // LED0 to LED2.
  std::span<const std::string_view> led_names() const override;
  void on_led(std::function<void(std::size_t number, bool lit)> changed) override { led_changed_ = std::move(changed); }
  void on_event(std::function<void(const NicEvent&)> happened) override { happened_ = std::move(happened); }

  // An external EEPROM: EESK, on every edge, and EEDO.
  void on_eesk(std::function<void(bool high)> changed) { eesk_changed_ = std::move(changed); }
  void set_eedo(bool high) { external_eedo_ = high; }
  bool eesk() const { return eesk_; }

  // For tests and debuggers.
  std::uint16_t io_base() const;
  std::uint8_t peek(rtl8019as::Side side, unsigned register_address) const;
  std::vector<NicRegister> register_values() const override;
  std::uint8_t register_octet(std::uint16_t place) const override;
  void on_register_access(RegisterAccess accessed) override { accessed_ = std::move(accessed); }
  std::span<const std::uint8_t> memory() const override { return memory_; }  // from remote DMA address 0x4000 on
  const rtl8019as::Eeprom93c46::Words& eeprom() const { return eeprom_.words(); }
  bool led(std::size_t number) const;

 private:
  using Reg = rtl8019as::Reg;
  using Side = rtl8019as::Side;
  static constexpr std::uint16_t memory_start = 0x4000;
  static constexpr std::size_t memory_size = 0x4000;

  // rtl8019as.cpp: registers, side effects, resets, interrupts
  Side side(bool write) const;
  bool selected(std::uint16_t address) const { return (address & 0x3E0) == io_base(); }
  std::uint8_t read_register(unsigned address);
  std::uint8_t value_at(Side side, unsigned address) const;
  void write_register(unsigned address, std::uint8_t value);
  void write_command(std::uint8_t value);
  void power_on_reset();
  void software_reset();
  void start();
  bool reset_status() const;
  std::uint8_t interrupt_status() const;
  void raise(std::uint8_t isr_flags);
  void update_int();
  void count_error(Reg counter);
  bool asleep() const;
  bool loops_back() const { return (cell(Reg::TCR) & rtl8019as::TCR::LB) != 0; }
  bool full_duplex() const { return is_set(Reg::CONFIG3, rtl8019as::CONFIG3::FUDUP); }
  void update_medium();
  void update_link();
  void check_ring();
  void check_ring_pointer(std::string_view name, std::uint8_t page);
  void report(std::string_view code, std::string message);
  void report_hole(unsigned address, std::string_view access);
  void drop(DropReason reason);
  void tell(const NicEvent& event) const {
    if (happened_) happened_(event);
  }
  void begin_access();
  void end_access(NicEvent::Access access);
  void accessed(Side side, unsigned register_address, bool written) const;

  std::uint8_t cell(Reg reg) const { return cells_[static_cast<std::size_t>(reg)]; }
  std::uint8_t& cell(Reg reg) { return cells_[static_cast<std::size_t>(reg)]; }
  std::uint16_t pair(Reg low) const { return static_cast<std::uint16_t>(cell(low) | cell(low + 1) << 8); }
  bool is_set(Reg reg, std::uint8_t bits) const { return (cell(reg) & bits) == bits; }
  void set_bits(Reg reg, std::uint8_t bits) { cell(reg) = static_cast<std::uint8_t>(cell(reg) | bits); }
  void clear_bits(Reg reg, std::uint8_t bits) { cell(reg) = static_cast<std::uint8_t>(cell(reg) & ~bits); }

  // remote_dma.cpp
  enum class Remote : std::uint8_t { none, read, write, send };
  void command_remote_dma(std::uint8_t rd);
  void start_remote_dma(Remote what);
  void end_remote_dma();
  std::uint8_t read_data_port();
  void write_data_port(std::uint8_t value);
  bool accepts_access(bool write);
  void advance(unsigned octets);
  void next_remote_address();
  std::uint8_t load_octet();
  void store_octet(std::uint8_t value);
  std::uint8_t load(std::uint16_t address) const;
  void store(std::uint16_t address, std::uint8_t value);
  bool in_memory(std::uint16_t address) const;
  void check_read(std::uint16_t address);

  // receive.cpp
  struct HeldFrame {
    std::uint8_t page;  // its first
    unsigned pages;
    std::size_t octets;  // with header and FCS
    std::uint64_t number;
    bool opened = false;
  };
  std::optional<DropReason> deafness() const;
  void receive(const EthernetFrame& frame);
  std::optional<DropReason> refuse(const EthernetFrame& frame) const;
  bool passes_filters(const EthernetFrame& frame) const;
  bool matches_hash_table(const EthernetFrame& frame) const;
  void store_frame(const EthernetFrame& frame, std::uint8_t status);
  std::uint16_t store_in_ring(const EthernetFrame& frame, std::uint8_t page, std::size_t octets);
  void overflowed();
  std::uint8_t page_after(std::uint8_t page) const;
  bool is_ring() const { return cell(Reg::PSTART) < cell(Reg::PSTOP); }
  bool in_ring(std::uint8_t page) const { return page >= cell(Reg::PSTART) && page < cell(Reg::PSTOP); }
  unsigned ring_pages() const { return static_cast<unsigned>(cell(Reg::PSTOP) - cell(Reg::PSTART)); }
  unsigned pages_from(std::uint8_t from, std::uint8_t to) const;
  void boundary_moved();
  void release_frames();
  HeldFrame* frame_at(std::uint16_t address);

  // transmit.cpp
  struct Outgoing {
    EthernetFrame frame;
    std::uint16_t first;  // addresses that it was read from
    std::uint16_t octets;
    bool wired = false;
  };
  void request_transmission();
  void check_transmission();
  Outgoing build_frame() const;
  void transmission_ended(const Transmission& transmission);
  void loop_back(const EthernetFrame& frame);
  void abandon_transmission();

  // configuration.cpp: 9346CR, CONFIG0 to 4, LEDs
  void write_9346cr(std::uint8_t value);
  void write_config(Reg reg, std::uint8_t value);
  void start_auto_load();
  void clock_auto_load();
  void take_configuration(const rtl8019as::Eeprom93c46::Words& words);
  bool eeprom_pins(bool cs, bool sk, bool di);
  bool link_up() const;
  void update_leds();

  Scheduler& scheduler_;
  Wire& wire_;
  DiagnosticSink& diagnostics_;
  Rtl8019asOptions options_;
  NicCounters counters_;

  std::array<std::uint8_t, 16 * rtl8019as::sides> cells_{};  // by Reg
  std::array<std::uint8_t, 32> prom_{};
  std::array<std::uint8_t, memory_size> memory_{};
  std::array<bool, memory_size> written_{};  // since power-on, by anyone

  bool in_reset_ = false;   // RSTDRV
  bool accessing_ = false;  // a register, or all that a remote DMA moves
  bool running_ = false;    // STA has come, and no STP since
  bool int_pin_ = false;
  std::function<void(bool)> int_changed_;
  std::function<void(const NicEvent&)> happened_;
  RegisterAccess accessed_;

  Remote remote_ = Remote::none;
  std::uint16_t remote_address_ = 0;  // CRDA
  std::uint16_t remote_count_ = 0;    // of octets to come
  std::uint8_t data_latch_ = 0xFF;    // what was on the data port last

  std::deque<HeldFrame> frames_;    // in the ring and not released, the oldest first
  bool full_ = false;               // CURR has caught up with BNRY, not BNRY with CURR
  bool announced_ = false;          // a frame is on the wire
  std::optional<DropReason> loss_;  // why that frame will not be received
  bool overflow_ = false;           // a frame was lost, and BNRY has not moved since
  bool receiver_stalled_ = false;   // after an overflow, by the erratum
  bool moved_since_overflow_ = false;

  std::optional<Outgoing> outgoing_;
  Scheduler::EventId unwired_event_;  // the end of a transmission that does not reach the wire
  std::array<std::uint8_t, 8> fifo_{};
  std::size_t fifo_read_ = 0;

  rtl8019as::Eeprom93c46 eeprom_;
  rtl8019as::Eeprom93c46::Words loading_{};
  unsigned load_half_clock_ = 0;
  bool eedo_ = true;
  bool external_eedo_ = true;
  bool eesk_ = false;
  std::function<void(bool)> eesk_changed_;
  Scheduler::EventId load_event_;  // set: EEM is 01b

  bool cable_ = true;
  bool link_ = false;  // the link test is passed
  Scheduler::EventId link_event_;
  std::array<bool, 3> leds_{};
  std::function<void(std::size_t, bool)> led_changed_;
};

}  // namespace avrlan
