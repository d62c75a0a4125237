#include "emulator/peripherals/flash_memory.hpp"

#include <simavr/avr_flash.h>

#include <algorithm>

#include "emulator/peripherals/simavr_modules.hpp"

namespace avrlan::peripherals {

namespace {

// SPMCSR
constexpr std::uint8_t SPMIE = 0x80;
constexpr std::uint8_t RWWSB = 0x40;
constexpr std::uint8_t SIGRD = 0x20;
constexpr std::uint8_t RWWSRE = 0x10;
constexpr std::uint8_t BLBSET = 0x08;
constexpr std::uint8_t PGWRT = 0x04;
constexpr std::uint8_t PGERS = 0x02;
constexpr std::uint8_t SPMEN = 0x01;
constexpr std::uint8_t operation = SIGRD | RWWSRE | BLBSET | PGWRT | PGERS;

constexpr std::uint8_t lock_bits_by_spm = 0x3c;  // BLB12:01
constexpr std::uint16_t z_pointer = 30;

constexpr Duration programming_time = Duration::microseconds(4100);
constexpr Cycles lpm_window{3};
constexpr Cycles spm_cycle{1};

// As the oscillator would be calibrated; what OSCCAL holds after a reset.
constexpr std::uint8_t calibration = 0x80;

}  // namespace

FlashMemory::FlashMemory(const McuContext& mcu, const Part& part, const Fuses& fuses, Eeprom& eeprom)
    : FlashMemory(mcu, part, fuses, eeprom, *simavr_modules<avr_flash_t>(mcu.avr, "flash").at(0)) {}

FlashMemory::FlashMemory(const McuContext& mcu, const Part& part, const Fuses& fuses, Eeprom& eeprom,
                         avr_flash_t& module)
    : mcu_(mcu),
      part_(part),
      fuses_(fuses),
      eeprom_(eeprom),
      spmcsr_(module.r_spm),
      page_size_(module.spm_pagesize),
      boot_start_(boot_section_start(part, fuses, mcu.avr.flashend + 1)),
      nrww_start_(boot_section_start(part, {}, mcu.avr.flashend + 1)),
      vector_(module.flash.vector),
      spmen_(mcu, {module.r_spm, SPMEN}, [this] { disarm(); }),
      buffer_(page_size_ / 2),
      filled_(page_size_ / 2) {
  module.io.reset = nullptr;
  module.io.ioctl = nullptr;
  on_store<&FlashMemory::store_spmcsr>(mcu.avr, spmcsr_, *this);
  // A condition, not an event: nothing to acknowledge.
  mcu.interrupts.connect(vector_, [] {});
  eeprom.blocked_by([this] { return static_cast<bool>(busy_); });
}

void FlashMemory::reset() {
  mcu_.scheduler.cancel(busy_);
  spmen_.close();
  spmcsr() = 0;
  erase_buffer();
  update();
}

// "Writing any other combination than 10001, 01001, 00101, 00011 or 00001 in the lower five bits will have no effect."
void FlashMemory::store_spmcsr(std::uint16_t, std::uint8_t value) {
  spmcsr() = static_cast<std::uint8_t>((spmcsr() & ~SPMIE) | (value & SPMIE));
  const auto wanted = static_cast<std::uint8_t>(value & operation & (part_.signature_row ? 0xff : ~SIGRD));
  const bool one_at_most = (wanted & (wanted - 1)) == 0;
  if ((value & SPMEN) != 0 && one_at_most && !busy_ && !eeprom_.busy()) {
    disarm();
    spmcsr() |= wanted;
    spmen_.open();
  }
  update();
}

void FlashMemory::disarm() {
  spmen_.close();
  spmcsr() = static_cast<std::uint8_t>(spmcsr() & ~operation);
  update();
}

void FlashMemory::store_program() {
  const Cycles done = mcu_.cycle() + spm_cycle;
  if (busy_ || !spmen_.is_open(done)) return;
  const std::uint8_t what = spmcsr() & operation;
  if (mcu_.avr.pc < boot_start_) {
    if (mcu_.diagnostics != nullptr) {
      mcu_.diagnostics->report({Severity::warning, "spm-outside-boot-section",
                                "SPM does nothing outside the boot section; link its code to where BOOTSZ puts the "
                                "section, as .bootloader."});
    }
    return disarm();
  }
  mcu_.sync();
  const std::uint32_t rampz = mcu_.avr.rampz != 0 ? mcu_.data(mcu_.avr.rampz) : 0u;
  const std::uint32_t z =
      rampz << 16 | static_cast<std::uint32_t>(mcu_.data(z_pointer + 1) << 8 | mcu_.data(z_pointer));
  const auto word = static_cast<std::uint16_t>(mcu_.data(1) << 8 | mcu_.data(0));
  spmen_.close();
  if (what == PGERS || what == PGWRT) return program_page(z & ~(page_size_ - 1), what == PGERS);
  if (what == BLBSET) {
    lock_bits_ = static_cast<std::uint8_t>(lock_bits_ & (mcu_.data(0) | ~lock_bits_by_spm));
    return start(false);
  }
  if (what == RWWSRE) {
    spmcsr() = static_cast<std::uint8_t>(spmcsr() & ~RWWSB);
    erase_buffer();
  } else if (what == 0) {
    fill_buffer(z, word);
  }
  disarm();
}

// "It is not possible to write more than one time to each address without erasing the temporary buffer."
void FlashMemory::fill_buffer(std::uint32_t address, std::uint16_t word) {
  const std::uint32_t index = (address & (page_size_ - 1)) / 2;
  if (filled_[index]) return;
  filled_[index] = true;
  buffer_[index] = word;
}

void FlashMemory::erase_buffer() {
  std::fill(buffer_.begin(), buffer_.end(), std::uint16_t{0xffff});
  std::fill(filled_.begin(), filled_.end(), false);
}

void FlashMemory::program_page(std::uint32_t page, bool erase) {
  std::uint8_t* const cells = mcu_.avr.flash + page;
  if (erase) {
    std::fill_n(cells, page_size_, std::uint8_t{0xff});
  } else {
    for (std::uint32_t i = 0; i < page_size_; ++i) {
      cells[i] = static_cast<std::uint8_t>(cells[i] & buffer_[i / 2] >> 8 * (i % 2));
    }
    erase_buffer();
  }
  engine_->flash_changed(page, page_size_);
  const bool rww = page < nrww_start_;
  if (rww) spmcsr() |= RWWSB;
  start(!rww);
}

void FlashMemory::program(std::uint32_t address, std::span<const std::uint8_t> bytes) {
  std::copy(bytes.begin(), bytes.end(), mcu_.avr.flash + address);
  engine_->flash_changed(address, static_cast<std::uint32_t>(bytes.size()));
}

// SPMEN and the operation's bit stay until it is over.
void FlashMemory::start(bool halts) {
  spmcsr() |= SPMEN;
  const Instant from = mcu_.clock.at(mcu_.cycle() + spm_cycle);
  busy_ = mcu_.scheduler.at(from + programming_time, [this] { finished(); });
  update();
  if (halts) mcu_.stall((mcu_.clock.first_at(from + programming_time) - mcu_.cycle() - spm_cycle).count);
}

bool FlashMemory::closed(std::uint32_t address) const {
  return (spmcsr() & RWWSB) != 0 && address < nrww_start_;
}

void FlashMemory::finished() {
  busy_ = {};
  disarm();
}

void FlashMemory::update() {
  mcu_.interrupts.request(vector_, (spmcsr() & (SPMIE | SPMEN)) == SPMIE);
  if (engine_ == nullptr) return;
  const bool closed = (spmcsr() & RWWSB) != 0;
  engine_->close_flash(closed ? nrww_start_ : 0);
  if (closed || (spmcsr() & (BLBSET | SIGRD)) != 0) {
    engine_->read_flash_by([this](std::uint32_t address) { return load(address); });
  } else {
    engine_->read_flash_by(nullptr);
  }
}

std::uint8_t FlashMemory::load(std::uint32_t address) {
  const std::uint8_t what = spmcsr() & (BLBSET | SIGRD);
  if (what != 0 && mcu_.cycle() < spmen_.until() - TimedBit::window + lpm_window) {
    const std::uint8_t value = what == BLBSET ? load_fuses(address) : load_signature(address);
    disarm();
    return value;
  }
  if (!closed(address)) return mcu_.avr.flash[address];
  if (mcu_.diagnostics != nullptr) {
    mcu_.diagnostics->report({Severity::warning, "flash-read-while-busy",
                              "LPM reads the read-while-write section while it is programmed, or before RWWSRE has "
                              "enabled it again, and gets 0xFF; wait for SPMEN to clear, then set RWWSRE by SPM."});
  }
  return 0xff;
}

// Table "Reading the Fuse and Lock Bits from Software": Z is 0, 1, 2 or 3.
std::uint8_t FlashMemory::load_fuses(std::uint32_t address) const {
  switch (address) {
    case 0:
      return fuses_[0];
    case 1:
      return lock_bits_;
    case 2:
      return fuses_[2];
    case 3:
      return fuses_[1];
    default:
      return 0xff;
  }
}

// Table "Signature Row Addressing".
std::uint8_t FlashMemory::load_signature(std::uint32_t address) const {
  switch (address) {
    case 0:
    case 2:
    case 4:
      return mcu_.avr.signature[address / 2];
    case 1:
      return calibration;
    default:
      return 0xff;
  }
}

}  // namespace avrlan::peripherals
