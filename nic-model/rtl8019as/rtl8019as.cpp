#include "nic-model/rtl8019as/rtl8019as.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "nic-model/rtl8019as/diagnostic_kinds.hpp"

namespace avrlan {

using namespace rtl8019as;

namespace {

constexpr unsigned data_port = 0x10;
constexpr unsigned reset_port = 0x18;
constexpr std::uint8_t released = 0xFF;           // what the bus shows while nobody drives it
constexpr std::uint8_t counter_interrupt = 0x80;  // ISR.CNT from here on
constexpr std::uint8_t counter_limit = 192;

std::uint64_t next_random(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

Eeprom93c46::Words contents(const Rtl8019asOptions& options) {
  return options.eeprom == Rtl8019asOptions::Eeprom::programmed ? Eeprom93c46::programmed(options.mac)
                                                                : Eeprom93c46::blank();
}

}  // namespace

Rtl8019as::Rtl8019as(Scheduler& scheduler, Wire& wire, DiagnosticSink& diagnostics, const Rtl8019asOptions& options)
    : scheduler_(scheduler), wire_(wire), diagnostics_(diagnostics), options_(options), eeprom_(contents(options)) {
  power_on_reset();
}

Rtl8019as::~Rtl8019as() {
  for (Scheduler::EventId* event : {&unwired_event_, &load_event_, &link_event_}) scheduler_.cancel(*event);
}

void Rtl8019as::power_on_reset() {
  if (options_.memory_seed != 0) {
    std::uint64_t random = options_.memory_seed;
    for (std::uint8_t& octet : memory_) octet = static_cast<std::uint8_t>(next_random(random) >> 32);
  }
  for (const Row& row : register_rows) {
    if (row.bank != static_cast<std::uint8_t>(Side::page2)) {
      cell(reg_at(static_cast<Side>(row.bank), row.address)) = row.reset;
    }
  }
  take_configuration(eeprom_.words());
}

// By the reset port or RSTDRV: the ring, the addresses and the buffer stay as they are.
void Rtl8019as::software_reset() {
  abandon_transmission();
  if (announced_ && !loss_) loss_ = DropReason::receive_aborted;
  end_remote_dma();
  cell(Reg::CR) = CR::RD2 | CR::STP;
  cell(Reg::ISR) = 0;
  cell(Reg::IMR) = 0;
  clear_bits(Reg::TCR, TCR::LB);
  set_bits(Reg::DCR, DCR::LAS);
  running_ = false;
  overflow_ = receiver_stalled_ = false;
  frames_.clear();
  tell({.kind = NicEvent::Kind::reset});
  update_int();
}

// RSTDRV also has the EEPROM read again.
void Rtl8019as::reset_pin(bool active) {
  if (in_reset_ == active) return;
  in_reset_ = active;
  scheduler_.cancel(load_event_);
  software_reset();
  take_configuration(options_.eeprom == Rtl8019asOptions::Eeprom::external ? Eeprom93c46::blank() : eeprom_.words());
}

// CR.PS, and which of page 0's two sides.
rtl8019as::Side Rtl8019as::side(bool write) const {
  constexpr Side pages[] = {Side::page0_read, Side::page1, Side::page2, Side::page3};
  const Side page = pages[cell(Reg::CR) >> 6];
  return write && page == Side::page0_read ? Side::page0_write : page;
}

std::uint8_t Rtl8019as::read(std::uint16_t address) {
  if (in_reset_ || !selected(address)) return released;
  const unsigned offset = address & 0x1F;
  if (offset >= reset_port) {
    software_reset();
    return released;
  }
  if (offset >= data_port) return read_data_port();
  return read_register(offset);
}

void Rtl8019as::write(std::uint16_t address, std::uint8_t value) {
  if (in_reset_ || !selected(address)) return;
  const unsigned offset = address & 0x1F;
  if (offset >= reset_port) {
    software_reset();
  } else if (offset >= data_port) {
    write_data_port(value);
  } else {
    write_register(offset, value);
  }
}

std::uint8_t Rtl8019as::peek(std::uint16_t address) const {
  const unsigned offset = address & 0x1F;
  if (in_reset_ || !selected(address) || offset >= reset_port) return released;
  if (offset >= data_port) return remote_ == Remote::none ? data_latch_ : load(remote_address_);
  return value_at(side(false), offset);
}

std::uint8_t Rtl8019as::peek(Side side, unsigned register_address) const {
  return value_at(side, register_address);
}

// Each once: of those that page 0 has for reads and for writes apart, both sides; of page 2, which mirrors, none.
std::vector<NicRegister> Rtl8019as::register_values() const {
  std::vector<NicRegister> list;
  for (const Row& row : register_rows) {
    const Side at = row.bank == all_banks ? Side::page0_read : static_cast<Side>(row.bank);
    const auto place = static_cast<std::uint16_t>(reg_at(at, row.address));
    if (place == place_of(at, row.address)) list.push_back({row.name, place, 1, register_octet(place)});
  }
  return list;
}

std::uint8_t Rtl8019as::register_octet(std::uint16_t place) const {
  const auto at = static_cast<Side>(place >> 4);
  const unsigned address = place & 0xF;
  const Row* row = place >> 4 < static_cast<int>(sides) ? row_at(at, address) : nullptr;
  if (row == nullptr || place_of(at, address) != place) return 0;
  return row->kind == Kind::write ? cell(reg_at(at, address)) : value_at(at, address);
}

void Rtl8019as::accessed(Side at, unsigned address, bool written) const {
  if (accessed_) accessed_(place_of(at, address), written);
}

std::uint8_t Rtl8019as::read_register(unsigned address) {
  begin_access();
  const Side at = side(false);
  const Row* row = row_at(at, address);
  if (row == nullptr || row->kind == Kind::write) report_hole(address, "read");
  const std::uint8_t value = value_at(at, address);
  const Reg reg = reg_at(at, address);
  switch (reg) {
    case Reg::FIFO:
      fifo_read_ = (fifo_read_ + 1) % fifo_.size();
      break;
    case Reg::CNTR0:
    case Reg::CNTR1:
    case Reg::CNTR2:
      cell(reg) = 0;
      break;
    case Reg::CURR:
      if (frames_.empty()) tell({.kind = NicEvent::Kind::found_none});
      break;
    default:
      break;
  }
  if (row != nullptr) accessed(at, address, false);
  const bool status = reg == Reg::CR || (at == Side::page0_read && address == 7);
  if (remote_ == Remote::none) end_access(status ? NicEvent::Access::read_status : NicEvent::Access::other);
  return value;
}

std::uint8_t Rtl8019as::value_at(Side at, unsigned address) const {
  const Row* row = row_at(at, address);
  if (row == nullptr || row->kind == Kind::write) return released;
  const Reg reg = reg_at(at, address);
  if (at == Side::page2) {
    return address == 0 ? value_at(Side::page0_read, 0)
                        : static_cast<std::uint8_t>(row->reset | cell(reg_at(Side::page0_write, address)));
  }
  if (at == Side::page0_read && address == 3) return cell(Reg::BNRY);
  if (at == Side::page0_read && address == 7) return interrupt_status();
  switch (reg) {
    case Reg::CR:
      return static_cast<std::uint8_t>(cell(Reg::CR) | (outgoing_ ? CR::TXP : 0));
    case Reg::FIFO:
      return fifo_[fifo_read_];
    case Reg::CRDA0:
      return static_cast<std::uint8_t>(remote_address_);
    case Reg::CRDA1:
      return static_cast<std::uint8_t>(remote_address_ >> 8);
    case Reg::R9346CR:
      return static_cast<std::uint8_t>(cell(reg) | (eedo_ ? R9346CR::EEDO : 0));
    case Reg::CONFIG0: {
      const std::uint8_t medium = cell(Reg::CONFIG2) & CONFIG2::PL;
      const bool coax = medium == CONFIG2::PL || (medium == 0 && !link_up());
      return static_cast<std::uint8_t>((options_.jumper_mode ? CONFIG0::JP : 0) | (coax ? CONFIG0::BNC : 0));
    }
    case Reg::INTR:
      return static_cast<std::uint8_t>(int_pin_ ? 1u << ((cell(Reg::CONFIG1) & CONFIG1::IRQS) >> 4) : 0u);
    default:
      return cell(reg);
  }
}

void Rtl8019as::write_register(unsigned address, std::uint8_t value) {
  begin_access();
  const Side at = side(true);
  const Row* row = row_at(at, address);
  const Reg reg = reg_at(at, address);
  if (row == nullptr || row->kind == Kind::read) {
    report_hole(address, "written");
  } else if (row->kind == Kind::config) {
    write_config(reg, static_cast<std::uint8_t>((cell(reg) & ~row->writable) | (value & row->writable)));
  } else if (reg == Reg::CR) {
    write_command(value);
  } else if (reg == Reg::ISR) {
    clear_bits(Reg::ISR, value);
    update_int();
  } else {
    if (outgoing_ && (reg == Reg::TPSR || reg == Reg::TBCR0 || reg == Reg::TBCR1)) {
      report("rtl8019as-transmit-busy",
             std::string(row->name) + " was written while a frame is being sent: wait for CR.TXP to clear (8.0)");
    }
    cell(reg) = value & row->writable;
    switch (reg) {
      case Reg::PSTART:
      case Reg::PSTOP:
        frames_.clear();
        break;
      case Reg::BNRY:
        boundary_moved();
        break;
      case Reg::CURR:
        full_ = false;
        frames_.clear();
        break;
      case Reg::RSAR0:
        remote_address_ = static_cast<std::uint16_t>((remote_address_ & 0xFF00) | value);
        break;
      case Reg::RSAR1:
        remote_address_ = static_cast<std::uint16_t>((remote_address_ & 0x00FF) | value << 8);
        break;
      case Reg::RBCR0:
        remote_count_ = static_cast<std::uint16_t>((remote_count_ & 0xFF00) | value);
        break;
      case Reg::RBCR1:
        remote_count_ = static_cast<std::uint16_t>((remote_count_ & 0x00FF) | value << 8);
        break;
      case Reg::IMR:
        update_int();
        break;
      case Reg::R9346CR:
        write_9346cr(value);
        break;
      default:
        break;
    }
  }
  if (row != nullptr) accessed(at, address, true);
  if (remote_ == Remote::none) end_access(NicEvent::Access::other);
}

void Rtl8019as::write_command(std::uint8_t value) {
  cell(Reg::CR) = value & static_cast<std::uint8_t>(~CR::TXP);
  if ((value & CR::STP) != 0) {
    running_ = false;
    receiver_stalled_ = false;
  } else if ((value & CR::STA) != 0 && !running_) {
    start();
  }
  command_remote_dma(value & CR::RD);
  if ((value & CR::TXP) != 0) request_transmission();
  update_int();
}

void Rtl8019as::start() {
  running_ = true;
  overflow_ = false;
  if (is_set(Reg::DCR, DCR::WTS) != (options_.bus == Rtl8019asOptions::Bus::word)) {
    report("rtl8019as-word-transfer",
           "DCR.WTS does not fit the bus: set it in a 16-bit slot and clear it in an 8-bit slot (10.3)");
  }
  check_ring();
}

// With STP the frame under way is still finished.
bool Rtl8019as::reset_status() const {
  if (overflow_) return true;
  const bool busy = outgoing_ || (announced_ && !loss_);
  return !running_ && !busy && !(options_.errata.stop_waits_for_remote_count && remote_count_ != 0);
}

std::uint8_t Rtl8019as::interrupt_status() const {
  return static_cast<std::uint8_t>(cell(Reg::ISR) | (reset_status() ? ISR::RST : 0));
}

void Rtl8019as::raise(std::uint8_t isr_flags) {
  set_bits(Reg::ISR, isr_flags);
  update_int();
}

// RST interrupts nobody (10.3).
void Rtl8019as::update_int() {
  const bool high = (cell(Reg::ISR) & cell(Reg::IMR)) != 0 && is_set(Reg::CONFIG1, CONFIG1::IRQEN);
  if (high == int_pin_) return;
  int_pin_ = high;
  tell({.kind = high ? NicEvent::Kind::interrupt_asserted : NicEvent::Kind::interrupt_released});
  if (int_changed_) int_changed_(high);
}

// A tally counter stops at 192.
void Rtl8019as::count_error(Reg counter) {
  std::uint8_t& count = cell(counter);
  if (count < counter_limit) ++count;
  if (count >= counter_interrupt) raise(ISR::CNT);
}

bool Rtl8019as::asleep() const {
  return (cell(Reg::CONFIG3) & (CONFIG3::SLEEP | CONFIG3::PWRDN)) != 0;
}

void Rtl8019as::update_medium() {
  wire_.set_nic_mac({.half_duplex = !full_duplex()});
}

void Rtl8019as::set_link(bool up) {
  if (cable_ == up) return;
  cable_ = up;
  update_link();
}

void Rtl8019as::update_link() {
  scheduler_.cancel(link_event_);
  link_ = false;
  if (cable_ && !asleep()) {
    link_event_ = scheduler_.after(options_.link_delay, [this] {
      link_event_ = {};
      link_ = true;
      update_leds();
    });
  }
  update_leds();
}

void Rtl8019as::check_ring() {
  const std::uint8_t end = options_.bus == Rtl8019asOptions::Bus::byte ? 0x60 : 0x80;
  if (!is_ring() || cell(Reg::PSTART) < memory_start >> 8 || cell(Reg::PSTOP) > end) {
    report("rtl8019as-ring-outside-memory",
           "PSTART and PSTOP make no ring within the buffer memory, which is pages 40h to 5Fh in an 8-bit slot and 40h "
           "to 7Fh in a 16-bit slot (7.0)");
    return;
  }
  check_ring_pointer("BNRY", cell(Reg::BNRY));
  check_ring_pointer("CURR", cell(Reg::CURR));
}

void Rtl8019as::check_ring_pointer(std::string_view name, std::uint8_t page) {
  if (in_ring(page)) return;
  report("rtl8019as-ring-pointer-outside",
         std::string(name) +
             " is outside PSTART..PSTOP - 1: frames that are still to be read get overwritten, or none is "
             "received any more (7.0)");
}

void Rtl8019as::begin_access() {
  if (!std::exchange(accessing_, true)) tell({.kind = NicEvent::Kind::access_begins});
}

void Rtl8019as::end_access(NicEvent::Access access) {
  if (std::exchange(accessing_, false)) tell({.kind = NicEvent::Kind::access_ends, .access = access});
}

void Rtl8019as::drop(DropReason reason) {
  counters_.drops.count(reason);
  tell({.kind = NicEvent::Kind::frame_dropped, .reason = reason});
}

void Rtl8019as::report_hole(unsigned address, std::string_view access) {
  constexpr char digits[] = "0123456789ABCDEF";
  report("rtl8019as-no-register",
         std::string("offset 0") + digits[address] + "h was " + std::string(access) + " in page " +
             digits[cell(Reg::CR) >> 6] + ", where there is nothing to be " + std::string(access) +
             ": does CR.PS say what the code believes? An interrupt handler has to put it back (10.2)");
}

void Rtl8019as::report(std::string_view code, std::string message) {
  const auto kind = std::find_if(std::begin(diagnostic_kinds), std::end(diagnostic_kinds),
                                 [code](const DiagnosticKind& candidate) { return candidate.name == code; });
  diagnostics_.report({kind->severity, std::string(code), std::move(message)});
}

}  // namespace avrlan
