#include "nic-model/enc28j60/enc28j60.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "nic-model/enc28j60/diagnostic_kinds.hpp"

namespace avrlan {

using namespace enc28j60;

namespace {

// 7500 periods of the 25 MHz oscillator (2.2).
constexpr Duration oscillator_start_up = Duration::microseconds(300);
// Erratum 2: how long the PHY is without a clock after the system reset command.
constexpr Duration settle_time = Duration::milliseconds(1);

constexpr std::int64_t oscillator_hz = 25'000'000;

// What the bus shows while SO is not driven.
constexpr std::uint8_t released = 0xFF;

std::uint64_t next_random(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

}  // namespace

Enc28j60::Enc28j60(Scheduler& scheduler, Wire& wire, DiagnosticSink& diagnostics, const Enc28j60Options& options)
    : scheduler_(scheduler), wire_(wire), diagnostics_(diagnostics), options_(options) {
  power_on_reset();
}

Enc28j60::~Enc28j60() {
  for (Scheduler::EventId* event : {&clock_event_, &unwired_event_, &link_event_, &mii_event_, &dma_event_,
                                    &test_event_, &pause_event_, &pause_repeat_, &led_event_}) {
    scheduler_.cancel(*event);
  }
}

void Enc28j60::power_on_reset() {
  std::uint64_t random = options_.memory_seed | 1;
  for (std::uint8_t& octet : memory_) octet = static_cast<std::uint8_t>(next_random(random) >> 32);
  start_oscillator();
  reset_registers();
  reset_phy();
}

void Enc28j60::start_oscillator() {
  scheduler_.cancel(clock_event_);
  clock_ready_at_ = scheduler_.now() + oscillator_start_up;
  clock_event_ = scheduler_.at(clock_ready_at_, [this] { oscillator_ready(); });
}

void Enc28j60::oscillator_ready() {
  clock_event_ = {};
  clkout_started_ = true;
  update_clkout();
  update_link();
}

// RESET pin or SRC (11.2): the buffer, ECOCON and CLKRDY stay as they are.
void Enc28j60::system_reset() {
  abandon_transmission();
  for (Scheduler::EventId* event : {&dma_event_, &mii_event_, &test_event_, &pause_event_, &pause_repeat_}) {
    scheduler_.cancel(*event);
  }
  mird_valid_ = true;
  stalled_ = false;
  reset_hit_frame_ = false;
  abort_reception(DropReason::receive_aborted);
  command_ = Command::ignore;
  miso_ = released;
  if (asleep()) start_oscillator();
  const std::uint8_t ecocon = cell(Reg::ECOCON);
  reset_registers();
  cell(Reg::ECOCON) = ecocon;
  update_clkout();
  set_link_status(false);
  reset_phy();
  settled_at_ = scheduler_.now() + settle_time;
  if (!options_.errata.clkrdy_survives_reset) clock_ready_at_ = std::max(clock_ready_at_, settled_at_);
  update_int();
}

void Enc28j60::reset_registers() {
  for (const Row& row : register_rows) cell(reg_at(row.bank & 3u, row.address)) = row.reset;
  cell(Reg::EREVID) = options_.revision;
  erxrdptl_ = cell(Reg::ERXRDPTL);
  write_pointer_ = fifo_start();
  packets_.clear();
  tell({.kind = NicEvent::Kind::reset});
  update_medium();
}

void Enc28j60::reset_pin(bool active) {
  if (in_reset_ == active) return;
  in_reset_ = active;
  system_reset();
}

void Enc28j60::select() {
  tell({.kind = NicEvent::Kind::access_begins});
  selected_ = true;
  command_ = Command::none;
  data_octets_ = 0;
  miso_ = released;
}

void Enc28j60::deselect() {
  if (command_ == Command::read_register) check_dummy_byte();
  tell({.kind = NicEvent::Kind::access_ends, .access = access()});
  selected_ = false;
  command_ = Command::none;
}

NicEvent::Access Enc28j60::access() const {
  switch (command_) {
    case Command::read_buffer:
      return NicEvent::Access::read_buffer;
    case Command::write_buffer:
      return NicEvent::Access::write_buffer;
    case Command::read_register:
      if (addressed() == Reg::EIR || addressed() == Reg::ESTAT || addressed() == Reg::ECON1)
        return NicEvent::Access::read_status;
      [[fallthrough]];
    default:
      return NicEvent::Access::other;
  }
}

void Enc28j60::drop(DropReason reason) {
  counters_.drops.count(reason);
  tell({.kind = NicEvent::Kind::frame_dropped, .reason = reason});
}

void Enc28j60::check_dummy_byte() {
  const Row* row = addressed_row();
  if (row == nullptr) return;
  if (row->kind != Kind::eth && data_octets_ == 1) {
    report("enc28j60-mac-read-without-dummy",
           std::string(row->name) +
               " was read with one byte: a MAC or MII register sends a dummy byte first; read two and keep the second "
               "(4.2.1)");
  } else if (row->kind == Kind::eth && data_octets_ == 2) {
    report("enc28j60-eth-read-with-dummy",
           std::string(row->name) +
               " was read with two bytes: only MAC and MII registers send a dummy byte; is ECON1.BSEL right? (4.2.1)");
  }
}

std::uint8_t Enc28j60::exchange(std::uint8_t mosi) {
  if (!selected_ || in_reset_) return released;
  const std::uint8_t miso = miso_;
  switch (command_) {
    case Command::none:
      begin_command(mosi);
      break;
    case Command::read_register:
      register_clocked();
      break;
    case Command::read_buffer:
      read_buffer_octet();
      miso_ = memory_[pair(Reg::ERDPTL)];
      break;
    case Command::write_buffer:
      write_buffer_octet(mosi);
      break;
    case Command::write_register:
    case Command::set_bits:
    case Command::clear_bits:
      write_command(mosi);
      break;
    case Command::ignore:
      break;
  }
  return miso;
}

// Table 4-1. The opcode's last clock edge also latches what the first data byte will carry.
void Enc28j60::begin_command(std::uint8_t byte) {
  constexpr unsigned buffer_argument = 0x1A;
  argument_ = byte & 0x1F;
  switch (byte >> 5) {
    case 0:
      command_ = Command::read_register;
      if (addressed_row() == nullptr) report_hole("read");
      miso_ = register_on_miso();
      return;
    case 1:
      command_ = Command::read_buffer;
      read_bound_ = open_packet_at(pair(Reg::ERDPTL));
      miso_ = memory_[pair(Reg::ERDPTL)];
      break;
    case 2:
      command_ = Command::write_register;
      return;
    case 3:
      command_ = Command::write_buffer;
      break;
    case 4:
      command_ = Command::set_bits;
      return;
    case 5:
      command_ = Command::clear_bits;
      return;
    default:
      command_ = Command::ignore;
      break;
  }
  if (byte == 0xFF) {
    if (asleep() && options_.errata.reset_ignored_in_power_save) {
      report("enc28j60-reset-asleep",
             "the system reset command has no effect in power save (erratum 19): clear ECON2.PWRSV and wait 300 us "
             "first");
    } else {
      system_reset();
    }
  } else if (command_ == Command::ignore || argument_ != buffer_argument) {
    report("enc28j60-unknown-command",
           "the first byte after chip select fell is none of the seven commands (table 4-1)");
  }
}

void Enc28j60::report_hole(std::string_view access) {
  const std::string what =
      "address " + std::to_string(argument_) + " of bank " + std::to_string(bank()) + " was " + std::string(access);
  if (argument_ == do_not_touch_address) {
    report("enc28j60-reserved-address", what + ": it must be left alone (3.1)");
  } else {
    report("enc28j60-no-register", what + ", where there is no register: is ECON1.BSEL right? (table 3-1)");
  }
}

const Row* Enc28j60::addressed_row() const {
  return registers.find(bank(), argument_);
}

// MAC, MII and PHY run on the clock that a start-up or power save stops (2.2, 14.0).
bool Enc28j60::reachable(const Row& row) {
  if (row.kind == Kind::eth) return true;
  if (asleep() || !clock_ready()) {
    report("enc28j60-clock-not-ready",
           std::string(row.name) +
               " was accessed before ESTAT.CLKRDY: MAC, MII and PHY registers are out of reach until "
               "then (2.2)");
    return false;
  }
  if (scheduler_.now() < settled_at_) {
    report("enc28j60-too-soon-after-reset",
           std::string(row.name) +
               " was accessed less than 1 ms after a reset: CLKRDY does not tell when the chip is "
               "ready again, wait (erratum 2)");
  }
  return true;
}

// What the next data byte of an RCR carries: 0 for the dummy byte and where there is no register.
std::uint8_t Enc28j60::register_on_miso() {
  const Row* row = addressed_row();
  if (row == nullptr) return 0;
  if (row->kind != Kind::eth && data_octets_ == 0) return 0;
  if (addressed() == Reg::EPKTCNT) {
    packet_count_read_ = true;
    if (data_octets_ == 0 && cell(Reg::EPKTCNT) == 0) tell({.kind = NicEvent::Kind::found_none});
  }
  if ((addressed() == Reg::MIRDL || addressed() == Reg::MIRDH) && !mird_valid_ && data_octets_ == 1) {
    report("enc28j60-mii-busy",
           "MIRD was read before the PHY had answered: it holds an old value, wait for MISTAT.BUSY to clear (3.3.1)");
  }
  return reachable(*row) ? read_register(addressed()) : std::uint8_t{0};
}

// A data byte of an RCR is over.
void Enc28j60::register_clocked() {
  const Row* row = addressed_row();
  const bool dummy = row != nullptr && row->kind != Kind::eth && data_octets_ == 0;
  ++data_octets_;
  miso_ = register_on_miso();
  if (row != nullptr && !dummy) accessed(place_of(addressed()), false);
}

void Enc28j60::write_command(std::uint8_t operand) {
  const Command command = std::exchange(command_, Command::ignore);
  const Row* row = addressed_row();
  if (row == nullptr) {
    report_hole("written");
    return;
  }
  if (!reachable(*row)) return;
  const Reg reg = addressed();
  const std::uint8_t old = cell(reg);
  std::uint8_t value = operand;
  if (command != Command::write_register) {
    value = static_cast<std::uint8_t>(command == Command::set_bits ? old | operand : old & ~operand);
    if (row->kind != Kind::eth) {
      report("enc28j60-bit-field-on-mac",
             std::string(row->name) +
                 " was changed with a bit field command, which is for ETH registers only (4.2.5): "
                 "write it whole");
    }
    if (command == Command::set_bits && reg == Reg::ECON1 && (operand & old & ECON1::TXRTS) != 0) {
      report("enc28j60-transmit-busy",
             "ECON1.TXRTS was set while a transmission was under way: the request is lost, wait for TXRTS to clear "
             "(7.1)");
    }
  }
  if (((value ^ row->reset) & row->reserved) != 0) {
    report("enc28j60-reserved-bits", std::string(row->name) + " was written with reserved bits set (table 3-2)");
  }
  if ((row->writable | row->clearable) == 0) {
    report("enc28j60-read-only", std::string(row->name) + " is read-only (table 3-2)");
  }
  write_register(reg, value);
  accessed(place_of(reg), true);
}

std::uint8_t Enc28j60::read_register(Reg reg) const {
  unsigned value = cell(reg);
  switch (reg) {
    case Reg::EIR:
      value = interrupt_flags();
      if (options_.errata.pktif_reads_zero) value &= ~static_cast<unsigned>(EIR::PKTIF);
      break;
    case Reg::ESTAT:
      if (!int_pin_) value |= ESTAT::INT;
      if (receiving()) value |= ESTAT::RXBUSY;
      if (clock_ready()) value |= ESTAT::CLKRDY;
      break;
    case Reg::MISTAT:
      if (mii_event_) value |= MISTAT::BUSY;
      if (is_set(Reg::MICMD, MICMD::MIISCAN)) value |= MISTAT::SCAN;
      if (!mird_valid_) value |= MISTAT::NVALID;
      break;
    case Reg::EFLOCON:
      if (full_duplex()) value |= EFLOCON::FULDPXS;
      break;
    default:
      break;
  }
  return static_cast<std::uint8_t>(value);
}

// Every side effect of a register write.
void Enc28j60::write_register(Reg reg, std::uint8_t value) {
  const std::uint8_t old = cell(reg);
  if (reg == Reg::ERXRDPTL) {
    erxrdptl_ = value;
    return;
  }
  const std::uint8_t now = row_of(reg).merge(old, value);
  cell(reg) = now;
  switch (reg) {
    case Reg::EIE:
    case Reg::EIR:
      update_int();
      break;
    case Reg::ECON1:
      write_econ1(old, now);
      break;
    case Reg::ECON2:
      write_econ2(old, now);
      break;
    case Reg::ERXSTL:
    case Reg::ERXSTH:
    case Reg::ERXNDL:
    case Reg::ERXNDH:
      write_pointer_ = options_.errata.receive_start_lost ? Address{0} : fifo_start();
      packets_.clear();
      break;
    case Reg::ERXRDPTH:
      cell(Reg::ERXRDPTL) = erxrdptl_;
      if (is_set(Reg::ECON1, ECON1::RXEN)) check_read_pointer();
      break;
    case Reg::MACON3:
    case Reg::MACON4:
    case Reg::MABBIPG:
    case Reg::MAIPGL:
    case Reg::MACLCON1:
      update_medium();
      break;
    case Reg::MICMD:
      write_micmd(old, now);
      break;
    case Reg::MIWRH:
      start_mii(true);
      break;
    case Reg::EBSTCON:
      if ((~old & now & EBSTCON::BISTST) != 0) start_self_test();
      break;
    case Reg::ECOCON:
      update_clkout();
      break;
    case Reg::EFLOCON:
      write_eflocon();
      break;
    default:
      break;
  }
}

void Enc28j60::write_econ1(std::uint8_t old, std::uint8_t now) {
  const unsigned rose = ~old & now;
  const unsigned fell = old & ~now;
  if ((now & ECON1::RXRST) != 0) {
    clear_bits(Reg::ECON1, ECON1::RXEN);
    abort_reception(DropReason::receive_aborted);
  } else if ((rose & ECON1::RXEN) != 0) {
    check_receive_buffer();
  }
  if ((now & ECON1::TXRST) != 0) {
    clear_bits(Reg::ECON1, ECON1::TXRTS);
    stalled_ = false;
    if ((old & ECON1::TXRTS) != 0) {
      reset_hit_frame_ = true;
      cancel_transmission();
    }
  } else if ((rose & ECON1::TXRTS) != 0) {
    request_transmission();
  } else if ((fell & ECON1::TXRTS) != 0) {
    cancel_transmission();
  }
  // Erratum 12: clearing TXRST may set TXERIF.
  if ((fell & ECON1::TXRST) != 0 && std::exchange(reset_hit_frame_, false) && options_.errata.transmit_abort_stalls) {
    raise(EIR::TXERIF);
  }
  if ((rose & ECON1::DMAST) != 0) try_dma();
  if ((fell & ECON1::DMAST) != 0) cancel_dma();
}

void Enc28j60::write_econ2(std::uint8_t old, std::uint8_t now) {
  if ((now & ECON2::PKTDEC) != 0) {
    clear_bits(Reg::ECON2, ECON2::PKTDEC);
    release_packet();
  }
  if (((old ^ now) & ECON2::PWRSV) == 0) return;
  if (asleep()) {
    if (is_set(Reg::ECON1, ECON1::TXRTS)) {
      report("enc28j60-sleep-while-transmitting",
             "ECON2.PWRSV was set during a transmission, which is lost: wait for ECON1.TXRTS to clear (14.0)");
      clear_bits(Reg::ECON1, ECON1::TXRTS);
      cancel_transmission();
    }
    scheduler_.cancel(mii_event_);
    abort_reception(DropReason::power_down);
    scheduler_.cancel(clock_event_);
    clock_ready_at_ = Instant::never();
  } else {
    start_oscillator();
  }
  update_clkout();
  update_link();
}

// The read pointer wraps like a reader of the receive FIFO wherever it is (3.2.3).
void Enc28j60::read_buffer_octet() {
  const Address at = pair(Reg::ERDPTL);
  if (!written_[at]) {
    report("enc28j60-read-unwritten",
           "buffer memory was read that nothing has been written to since power-on: its contents are undefined (11.1)");
  } else if (at == write_pointer_ && in_fifo(at)) {
    report("enc28j60-read-past-packet",
           "the receive buffer was read at the hardware's write pointer: no packet has arrived there yet (7.2.3)");
  } else if (at == read_bound_) {
    report(
        "enc28j60-read-past-packet",
        "a read of the receive buffer went on into the next packet: the status vector has the packet's length (7.2.2)");
  }
  if (is_set(Reg::ECON2, ECON2::AUTOINC)) set_pair(Reg::ERDPTL, next_in_fifo(at));
}

// The write pointer wraps at the end of the memory only (3.2.3).
void Enc28j60::write_buffer_octet(std::uint8_t value) {
  const Address at = pair(Reg::EWRPTL);
  if (outgoing_) {
    const Address start = pair(Reg::ETXSTL);
    if (((at - start) & address_mask) <= ((pair(Reg::ETXNDL) - start) & address_mask)) {
      report("enc28j60-transmit-buffer-changed",
             "the frame that is being sent was written to: wait for ECON1.TXRTS to clear (7.1)");
    }
  }
  store(at, value);
  if (is_set(Reg::ECON2, ECON2::AUTOINC)) set_pair(Reg::EWRPTL, next_linear(at));
}

void Enc28j60::set_pair(Reg low, std::uint16_t value) {
  cell(low) = static_cast<std::uint8_t>(value);
  cell(low + 1) = static_cast<std::uint8_t>(value >> 8);
}

void Enc28j60::store(Address at, std::uint8_t value) {
  memory_[at] = value;
  written_[at] = true;
}

void Enc28j60::raise(std::uint8_t eir_flags) {
  set_bits(Reg::EIR, eir_flags);
  update_int();
}

std::uint8_t Enc28j60::interrupt_flags() const {
  unsigned flags = cell(Reg::EIR);
  if (cell(Reg::EPKTCNT) != 0) flags |= EIR::PKTIF;
  if (is_set(Phy::PHIR, PHIR::PGIF)) flags |= EIR::LINKIF;
  return static_cast<std::uint8_t>(flags);
}

// Figure 12-1. Low while any enabled flag is set and INTIE is.
void Enc28j60::update_int() {
  const std::uint8_t enabled = cell(Reg::EIE);
  const bool high = (enabled & EIE::INTIE) == 0 || (interrupt_flags() & enabled) == 0;
  if (high == int_pin_) return;
  int_pin_ = high;
  tell({.kind = high ? NicEvent::Kind::interrupt_released : NicEvent::Kind::interrupt_asserted});
  if (int_changed_) int_changed_(high);
}

// Register 2-1. Once started it goes on through resets (2.3).
void Enc28j60::update_clkout() {
  constexpr std::int64_t divisors[] = {0, 1, 2, 3, 4, 8, 0, 0};
  const bool runs = clkout_started_ && !(asleep() && options_.errata.clkout_stops_in_power_save);
  const std::int64_t divisor = runs ? divisors[cell(Reg::ECOCON)] : 0;
  const std::int64_t hz = divisor == 0 ? 0 : oscillator_hz / divisor;
  if (hz == std::exchange(clkout_hz_, hz)) return;
  if (clkout_changed_) clkout_changed_(hz);
}

void Enc28j60::report(std::string_view code, std::string message) {
  const auto kind = std::find_if(std::begin(diagnostic_kinds), std::end(diagnostic_kinds),
                                 [code](const DiagnosticKind& candidate) { return candidate.name == code; });
  diagnostics_.report({kind->severity, std::string(code), std::move(message)});
}

}  // namespace avrlan
