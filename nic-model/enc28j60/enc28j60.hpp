#pragma once
// Microchip ENC28J60 after DS39662E and errata DS80349C.
//
// Not modelled: what happens inside a frame time (a received frame enters the buffer at its last bit, a frame to send is
// read when it starts, a DMA copy is done at its end; never octet by octet); the few bit times between TXRTS and the
// preamble; the SPI clock's and chip select's limits, with erratum 1; a link partner whose duplex differs from the
// chip's; jabber, dribble nibbles, carrier events, receive polarity; blinking LEDs (codes 1010b and 1011b are lit); the
// gap in CLKOUT when ECOCON changes; the doubtful pattern matches of erratum 18 and the doubtful loopbacks of 9 and 10.

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/frame.hpp"
#include "nic-model/core/nic.hpp"
#include "nic-model/core/scheduler.hpp"
#include "nic-model/core/spi_device.hpp"
#include "nic-model/core/wire.hpp"
#include "nic-model/enc28j60/errata.hpp"
#include "nic-model/enc28j60/registers.hpp"

namespace avrlan {

struct Enc28j60Options {
  std::uint8_t revision = 0x06;   // EREVID, see enc28j60::revisions
  bool ledb_full_duplex = false;  // how LEDB is wired: the reset value of PHCON1.PDPXMD (2.6)
  // From a working PHY and a live partner to LSTAT: two link pulses of 16 ms (802.3 14.2.1.7).
  Duration link_delay = Duration::milliseconds(32);
  Enc28j60Errata errata{};
  std::uint64_t memory_seed = 1;  // the buffer's contents at power-on, which are undefined (11.1)
};

class Enc28j60 final : public Nic, public SpiDevice {
 public:
  // In power-on reset at the scheduler's now(), with the cable plugged in. Misuse is reported to `diagnostics`; codes
  // begin with "enc28j60-".
  Enc28j60(Scheduler& scheduler, Wire& wire, DiagnosticSink& diagnostics, const Enc28j60Options& options = {});
  Enc28j60(const Enc28j60&) = delete;
  Enc28j60& operator=(const Enc28j60&) = delete;
  ~Enc28j60() override;

  // SpiDevice
  void select() override;
  std::uint8_t exchange(std::uint8_t mosi) override;
  void deselect() override;

  // Nic
  void deliver(const EthernetFrame& frame) override;
  std::string_view name() const override { return "enc28j60"; }
  const NicCounters& counters() const override { return counters_; }
  void reset_pin(bool active) override;
  void set_link(bool up) override;
  void receive_started(Instant end) override;
  bool int_pin() const override { return int_pin_; }
  void on_int_pin(std::function<void(bool high)> changed) override { int_changed_ = std::move(changed); }

  void on_event(std::function<void(const NicEvent&)> happened) override { happened_ = std::move(happened); }

  // CLKOUT, held low while the frequency is 0 (2.3).
  std::int64_t clkout_hz() const override { return clkout_hz_; }
  void on_clkout(std::function<void(std::int64_t hz)> changed) override { clkout_changed_ = std::move(changed); }

  // LEDA and LEDB.
  enum class Led : std::uint8_t { a, b };
  std::span<const std::string_view> led_names() const override;
  void on_led(std::function<void(std::size_t number, bool lit)> changed) override { led_changed_ = std::move(changed); }
  bool led(Led which) const;

  // For tests and debuggers: what a read would give, without its side effects.
  std::uint8_t peek(enc28j60::Reg reg) const { return read_register(reg); }
  std::uint16_t peek(enc28j60::Phy reg) const;
  std::span<const std::uint8_t> buffer() const { return memory_; }
  std::vector<NicRegister> register_values() const override;
  std::uint8_t register_octet(std::uint16_t place) const override;
  void on_register_access(RegisterAccess accessed) override { accessed_ = std::move(accessed); }
  std::span<const std::uint8_t> memory() const override { return buffer(); }

 private:
  using Reg = enc28j60::Reg;
  using Phy = enc28j60::Phy;
  using Address = std::uint16_t;  // 13 bits
  static constexpr std::size_t memory_size = 0x2000;
  static constexpr Address address_mask = 0x1FFF;
  static constexpr Address next_linear(Address a) { return static_cast<Address>(a + 1) & address_mask; }

  // enc28j60.cpp: SPI commands, registers, resets, interrupts
  enum class Command : std::uint8_t {
    none,
    read_register,
    read_buffer,
    write_register,
    write_buffer,
    set_bits,
    clear_bits,
    ignore
  };
  void begin_command(std::uint8_t byte);
  void write_command(std::uint8_t operand);
  const enc28j60::Row* addressed_row() const;
  Reg addressed() const { return enc28j60::reg_at(bank(), argument_); }
  unsigned bank() const { return cell(Reg::ECON1) & enc28j60::ECON1::BSEL; }
  bool reachable(const enc28j60::Row& row);
  std::uint8_t register_on_miso();
  void register_clocked();
  std::uint8_t read_register(Reg reg) const;
  void write_register(Reg reg, std::uint8_t value);
  void write_econ1(std::uint8_t old, std::uint8_t now);
  void write_econ2(std::uint8_t old, std::uint8_t now);
  void read_buffer_octet();
  void write_buffer_octet(std::uint8_t value);
  void power_on_reset();
  void system_reset();
  void reset_registers();
  void start_oscillator();
  void oscillator_ready();
  void raise(std::uint8_t eir_flags);
  std::uint8_t interrupt_flags() const;
  void update_int();
  void update_clkout();
  bool clock_ready() const { return scheduler_.now() >= clock_ready_at_; }
  bool asleep() const { return is_set(Reg::ECON2, enc28j60::ECON2::PWRSV); }
  // `code` is one of enc28j60::diagnostic_kinds.
  void report(std::string_view code, std::string message);
  void report_hole(std::string_view access);
  void check_dummy_byte();
  void drop(DropReason reason);
  void tell(const NicEvent& event) const {
    if (happened_) happened_(event);
  }
  NicEvent::Access access() const;
  void accessed(std::uint16_t place, bool written) const {
    if (accessed_) accessed_(place, written);
  }

  std::uint8_t cell(Reg reg) const { return cells_[static_cast<std::size_t>(reg)]; }
  std::uint8_t& cell(Reg reg) { return cells_[static_cast<std::size_t>(reg)]; }
  std::uint16_t pair(Reg low) const { return static_cast<std::uint16_t>(cell(low) | cell(low + 1) << 8); }
  void set_pair(Reg low, std::uint16_t value);
  bool is_set(Reg reg, std::uint8_t bits) const { return (cell(reg) & bits) == bits; }
  void set_bits(Reg reg, std::uint8_t bits) { cell(reg) = static_cast<std::uint8_t>(cell(reg) | bits); }
  void clear_bits(Reg reg, std::uint8_t bits) { cell(reg) = static_cast<std::uint8_t>(cell(reg) & ~bits); }
  void store(Address at, std::uint8_t value);

  // receive.cpp, filters.cpp
  bool receiver_on() const;
  std::optional<DropReason> deafness() const;
  bool receiving() const { return announced_ && !loss_; }
  void receive(const EthernetFrame& frame);
  std::optional<DropReason> refuse(const EthernetFrame& frame) const;
  void overflowed(DropReason reason);
  std::uint32_t receive_status(const EthernetFrame& frame) const;
  std::size_t receive_space() const;
  void write_packet(const EthernetFrame& frame);
  std::optional<Address> open_packet_at(Address at);
  void release_packet();
  void abort_reception(DropReason reason);
  void abort_reception_by_checksum();
  void check_receive_buffer();
  void check_read_pointer();
  bool passes_filters(const EthernetFrame& frame) const;
  bool matches_pattern(const EthernetFrame& frame) const;
  bool matches_magic_packet(const EthernetFrame& frame) const;
  bool matches_hash_table(const EthernetFrame& frame) const;
  MacAddress station_address() const;
  Address fifo_start() const { return pair(Reg::ERXSTL); }
  Address fifo_end() const { return pair(Reg::ERXNDL); }
  std::size_t fifo_size() const { return ((fifo_end() - fifo_start()) & address_mask) + 1u; }
  bool in_fifo(Address a) const { return static_cast<std::size_t>((a - fifo_start()) & address_mask) < fifo_size(); }
  Address next_in_fifo(Address a) const { return a == fifo_end() ? fifo_start() : next_linear(a); }

  // transmit.cpp
  enum class Fate : std::uint8_t { whole, giant, late_collision };
  struct Outgoing {
    EthernetFrame frame;
    std::uint64_t status = 0;  // its vector, but for what only the end of the transmission tells
    Fate fate = Fate::whole;
    bool wired = false;  // the PHY passes it on
  };
  void request_transmission();
  void try_transmission();
  void start_transmission();
  Outgoing build_frame();
  static void cut_off(Outgoing& outgoing, Fate fate, std::size_t octets);
  std::size_t collision_window() const;
  bool late_collision_strikes(const EthernetFrame& frame);
  std::uint64_t transmit_status(const EthernetFrame& frame) const;
  void transmission_ended(const Transmission& transmission);
  void transmission_failed(const Transmission& transmission, Fate fate, std::uint64_t status);
  bool loops_back() const;
  void abandon_transmission();
  void cancel_transmission();
  void write_status_vector(std::uint64_t status);
  void check_transmit_area();
  bool full_duplex() const { return is_set(Reg::MACON3, enc28j60::MACON3::FULDPX); }
  void update_medium();

  // flow_control.cpp
  void write_eflocon();
  void send_pause(std::uint16_t quanta);
  void repeat_pause();
  void obey_pause(const EthernetFrame& frame);
  bool is_jamming() const;
  void update_jam();

  // phy.cpp
  void write_micmd(std::uint8_t old, std::uint8_t now);
  void start_mii(bool write);
  void finish_mii();
  std::uint16_t read_phy(unsigned address);
  void write_phy(unsigned address, std::uint16_t value);
  std::uint16_t phy(Phy reg) const { return phy_cells_[static_cast<std::size_t>(reg)]; }
  std::uint16_t& phy(Phy reg) { return phy_cells_[static_cast<std::size_t>(reg)]; }
  bool is_set(Phy reg, std::uint16_t bits) const { return (phy(reg) & bits) == bits; }
  void reset_phy();
  bool phy_on_line() const;
  void update_link();
  void set_link_status(bool up);
  bool link_up() const;

  // leds.cpp
  enum class Activity : std::uint8_t { transmit, receive, collision };
  struct ActivityState {
    bool under_way = false;
    bool seen = false;
    Instant end;
  };
  bool shows(Activity activity, unsigned code) const;
  Duration stretch_length() const;
  void set_activity(Activity activity, bool under_way);
  void update_leds();

  // dma.cpp
  struct DmaRun {
    std::size_t octets;
    bool ends;
  };
  DmaRun dma_run() const;
  void try_dma();
  void start_dma();
  void finish_dma();
  void cancel_dma();
  void start_self_test();
  void finish_self_test();
  bool checksum_running() const { return dma_event_ && is_set(Reg::ECON1, enc28j60::ECON1::CSUMEN); }

  Scheduler& scheduler_;
  Wire& wire_;
  DiagnosticSink& diagnostics_;
  Enc28j60Options options_;
  NicCounters counters_;

  std::array<std::uint8_t, 128> cells_{};      // by Reg
  std::array<std::uint16_t, 32> phy_cells_{};  // by Phy
  std::array<std::uint8_t, memory_size> memory_{};
  std::array<bool, memory_size> written_{};  // since power-on, by anyone

  bool selected_ = false;
  bool in_reset_ = false;
  Command command_ = Command::none;
  unsigned argument_ = 0;      // low five bits of the opcode byte
  unsigned data_octets_ = 0;   // exchanged since the opcode byte
  std::uint8_t miso_ = 0xFF;   // what the next eight clocks will carry
  std::uint8_t erxrdptl_ = 0;  // held until ERXRDPTH is written (7.2.4)

  Instant clock_ready_at_;
  Instant settled_at_;  // after a system reset (erratum 2)
  Scheduler::EventId clock_event_;
  bool int_pin_ = true;
  std::function<void(bool)> int_changed_;
  std::function<void(const NicEvent&)> happened_;
  RegisterAccess accessed_;
  bool clkout_started_ = false;
  std::int64_t clkout_hz_ = 0;
  std::function<void(std::int64_t)> clkout_changed_;

  struct PacketPlace {
    Address start;
    Address next;
    std::uint64_t number;
    bool opened = false;
  };
  std::deque<PacketPlace> packets_;    // that EPKTCNT counts, the oldest first
  std::optional<Address> read_bound_;  // where the packet ends in which the RBM under way began

  Address write_pointer_ = 0;       // the receive hardware's own; ERXWRPT follows when a packet is complete (6.1)
  bool announced_ = false;          // a frame is on the wire
  std::optional<DropReason> loss_;  // why that frame will not be received
  bool packet_count_read_ = false;  // EPKTCNT, since power-on
  bool released_since_overflow_ = false;

  std::optional<Outgoing> outgoing_;
  bool stalled_ = false;          // erratum 12: until TXRST
  bool reset_hit_frame_ = false;  // TXRST was set during a transmission
  unsigned half_duplex_frames_ = 0;
  Scheduler::EventId pause_event_;    // set: the partner has asked for silence
  Scheduler::EventId pause_repeat_;   // of the pause frames that we send
  Scheduler::EventId unwired_event_;  // the end of a transmission that does not reach the wire

  std::array<ActivityState, 3> activities_{};
  std::array<bool, 2> leds_{};
  std::function<void(std::size_t, bool)> led_changed_;
  Scheduler::EventId led_event_;

  bool cable_ = true;
  bool link_status_ = false;  // of the PHY's link test
  Scheduler::EventId link_event_;
  unsigned mii_address_ = 0;
  bool mii_writes_ = false;
  Scheduler::EventId mii_event_;  // set: BUSY
  bool mird_valid_ = true;
  Scheduler::EventId dma_event_;
  Scheduler::EventId test_event_;
};

}  // namespace avrlan
