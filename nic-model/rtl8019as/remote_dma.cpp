// Remote DMA: buffer memory and PROM through the data port, DP8390D 9.0.

#include <algorithm>

#include "nic-model/rtl8019as/rtl8019as.hpp"

namespace avrlan {

using namespace rtl8019as;

namespace {

constexpr std::uint8_t nothing = 0xFF;  // where no memory is

}  // namespace

// CR.RD2:0. The same operation again, as when only the page changes, lets the one under way go on.
void Rtl8019as::command_remote_dma(std::uint8_t rd) {
  if ((rd & CR::RD2) != 0) {
    if (remote_ != Remote::none) {
      report("rtl8019as-remote-dma-cut-off",
             "a remote DMA was ended with " + std::to_string(remote_count_) +
                 " octets still to come: RBCR was too large, or not all were moved (9.0)");
    }
    end_remote_dma();
    return;
  }
  switch (rd) {
    case CR::RD0:
      start_remote_dma(Remote::read);
      break;
    case CR::RD1:
      start_remote_dma(Remote::write);
      break;
    case CR::RD0 | CR::RD1:
      if (is_set(Reg::DCR, DCR::ARM)) start_remote_dma(Remote::send);
      break;
    default:
      report("rtl8019as-rd-zero", "CR was written with RD2:0 000b, which is not allowed: write 100b for no DMA (10.3)");
      break;
  }
}

void Rtl8019as::start_remote_dma(Remote what) {
  if (remote_ == what) return;
  if (remote_ != Remote::none) {
    report("rtl8019as-remote-dma-cut-off", "a remote DMA began before the last one had moved all its octets (9.0)");
  }
  remote_ = what;
  if (what == Remote::send) {
    remote_address_ = static_cast<std::uint16_t>(cell(Reg::BNRY) << 8);
    remote_count_ = static_cast<std::uint16_t>(load(static_cast<std::uint16_t>(remote_address_ + 2)) |
                                               load(static_cast<std::uint16_t>(remote_address_ + 3)) << 8);
  }
  if (remote_count_ == 0) advance(0);
}

void Rtl8019as::end_remote_dma() {
  if (remote_ == Remote::none) return;
  const NicEvent::Access access =
      remote_ == Remote::write ? NicEvent::Access::write_buffer : NicEvent::Access::read_buffer;
  remote_ = Remote::none;
  end_access(access);
}

bool Rtl8019as::accepts_access(bool write) {
  if (write ? remote_ == Remote::write : remote_ == Remote::read || remote_ == Remote::send) return true;
  report("rtl8019as-data-port-idle", write ? "the data port was written without a remote write, or past the end of it: "
                                             "the octet is lost; set RBCR, then CR.RD (9.0)"
                                           : "the data port was read without a remote read, or past the end of it: "
                                             "what comes is no data; set RBCR, then CR.RD (9.0)");
  return false;
}

// With WTS every access moves a word, of which eight data lines carry the low half.
std::uint8_t Rtl8019as::read_data_port() {
  if (!accepts_access(false)) return data_latch_;
  data_latch_ = load_octet();
  advance(is_set(Reg::DCR, DCR::WTS) ? 2 : 1);
  return data_latch_;
}

void Rtl8019as::write_data_port(std::uint8_t value) {
  data_latch_ = value;
  if (!accepts_access(true)) return;
  store_octet(value);
  advance(is_set(Reg::DCR, DCR::WTS) ? 2 : 1);
}

std::uint16_t Rtl8019as::read_word() {
  const auto high = static_cast<std::uint16_t>(remote_address_ + 1);
  const std::uint8_t low = read_data_port();
  return static_cast<std::uint16_t>(low | load(high) << 8);
}

void Rtl8019as::write_word(std::uint16_t value) {
  const bool accepted = remote_ == Remote::write && is_set(Reg::DCR, DCR::WTS);
  const auto high = static_cast<std::uint16_t>(remote_address_ + 1);
  write_data_port(static_cast<std::uint8_t>(value));
  if (accepted) store(high, static_cast<std::uint8_t>(value >> 8));
}

// After so many octets. The last one completes the operation.
void Rtl8019as::advance(unsigned octets) {
  for (unsigned n = 0; n < octets; ++n) next_remote_address();
  remote_count_ = static_cast<std::uint16_t>(remote_count_ - std::min<unsigned>(octets, remote_count_));
  if (remote_count_ != 0) return;
  const bool sent = remote_ == Remote::send;
  end_remote_dma();
  if (sent) {
    cell(Reg::BNRY) = load(static_cast<std::uint16_t>(cell(Reg::BNRY) << 8 | 1));
    boundary_moved();
  }
  raise(ISR::RDC);
}

// At the end of the ring it goes on at its start (7.0).
void Rtl8019as::next_remote_address() {
  ++remote_address_;
  if (remote_address_ == cell(Reg::PSTOP) << 8) remote_address_ = static_cast<std::uint16_t>(cell(Reg::PSTART) << 8);
}

std::uint8_t Rtl8019as::load_octet() {
  check_read(remote_address_);
  return load(remote_address_);
}

void Rtl8019as::store_octet(std::uint8_t value) {
  if (outgoing_ && static_cast<std::uint16_t>(remote_address_ - outgoing_->first) < outgoing_->octets) {
    report("rtl8019as-transmit-buffer-changed",
           "the frame that is being sent was written to: wait for CR.TXP to clear (8.0)");
  }
  store(remote_address_, value);
}

bool Rtl8019as::in_memory(std::uint16_t address) const {
  const std::size_t size = options_.bus == Rtl8019asOptions::Bus::byte ? memory_size / 2 : memory_size;
  return static_cast<std::size_t>(address - memory_start) < size && address >= memory_start;
}

std::uint8_t Rtl8019as::load(std::uint16_t address) const {
  if (address < prom_.size()) return prom_[address];
  return in_memory(address) ? memory_[address - memory_start] : nothing;
}

void Rtl8019as::store(std::uint16_t address, std::uint8_t value) {
  if (!in_memory(address)) return;
  memory_[address - memory_start] = value;
  written_[address - memory_start] = true;
}

void Rtl8019as::check_read(std::uint16_t address) {
  if (!in_memory(address)) return;
  if (!is_ring() || !in_ring(static_cast<std::uint8_t>(address >> 8))) {
    if (written_[address - memory_start]) return;
    report("rtl8019as-read-unwritten",
           "buffer memory was read that nothing has been written to since power-on: its contents are undefined");
    return;
  }
  HeldFrame* frame = frame_at(address);
  if (frame == nullptr) {
    report("rtl8019as-read-past-frame",
           "the ring was read where no frame is that has arrived and not been released: is CURR compared with the next "
           "page to read? (7.0)");
    return;
  }
  if (!frame->opened) {
    frame->opened = true;
    tell({.kind = NicEvent::Kind::frame_opened, .number = frame->number});
  }
  // Who moves words reads an odd frame's last octet with the one behind it.
  const std::size_t offset =
      pages_from(frame->page, static_cast<std::uint8_t>(address >> 8)) * 256u + (address & 0xFFu);
  if (offset >= frame->octets + (frame->octets & 1)) {
    report("rtl8019as-read-past-frame",
           "a read of the ring went on past the frame's end: the header's length counts the octets behind it, FCS "
           "included (7.0)");
  }
}

}  // namespace avrlan
