#include "emulator/peripherals/part.hpp"

#include <algorithm>
#include <iterator>

namespace avrlan::peripherals {

namespace {

constexpr Duration ms(double n) {
  return Duration::microseconds(static_cast<std::int64_t>(n * 1000));
}

constexpr std::uint8_t low = 0, high = 1, extended = 2;

// ATmega328P datasheet, and the other parts of that generation.
constexpr Part newer() {
  return {.ivsel = 0x55,
          .clkpr = 0x61,
          .xdiv = 0,
          .osccal = 0x66,
          .wdtcsr = 0x60,
          .watchdog_interrupt = true,
          .watchdog_timeout = ms(16),
          .watchdog_prescaler_free = false,
          .eeprom_modes = true,
          .signature_row = true,
          .acsr = 0x50,
          .acme = {0x7b, 0x40},
          .comparator_vector = 23,
          .bandgap = {1'100'000},
          .ckdiv8 = {low, 0x80},
          .wdton = {high, 0x10},
          .bootrst = {high, 0x01},
          .m103c = {},
          .bootsz_byte = high,
          .bootsz_shift = 1,
          .smallest_boot_section = 0,
          .board_fuses = {0xff, 0xd9, 0xff}};
}

// ATmega88 and 168: the boot section's fuses are in the extended byte.
constexpr Part mega88(bool signature_row) {
  Part part = newer();
  part.signature_row = signature_row;
  part.bootrst = {extended, 0x01};
  part.bootsz_byte = extended;
  part.board_fuses = {0xff, 0xdf, 0xf9};
  return part;
}

// ATmega48: no boot section, SELFPRGEN instead, and no vectors to move.
constexpr Part mega48(bool signature_row) {
  Part part = newer();
  part.ivsel = 0;
  part.signature_row = signature_row;
  part.bootrst = {};
  part.board_fuses = {0xff, 0xdf, 0xfe};
  return part;
}

// ATmega640 and its kind, and the ATmega32U4.
constexpr Part mega1280() {
  Part part = newer();
  part.comparator_vector = 28;
  return part;
}

constexpr Part older() {
  return {.ivsel = 0x5b,
          .clkpr = 0,
          .xdiv = 0,
          .osccal = 0x51,
          .wdtcsr = 0x41,
          .watchdog_interrupt = false,
          .watchdog_timeout = ms(16.3),
          .watchdog_prescaler_free = false,
          .eeprom_modes = false,
          .signature_row = false,
          .acsr = 0x28,
          .acme = {0x50, 0x08},
          .comparator_vector = 16,
          .bandgap = {1'230'000},
          .ckdiv8 = {},
          .wdton = {},
          .bootrst = {high, 0x01},
          .m103c = {},
          .bootsz_byte = high,
          .bootsz_shift = 1,
          .smallest_boot_section = 0,
          // CKOPT is programmed, for a crystal of 16 MHz.
          .board_fuses = {0xff, 0xc9, 0xff}};
}

constexpr Part mega8() {
  Part part = older();
  part.bandgap = {1'300'000};
  part.wdton = {high, 0x40};
  return part;
}

// ATmega16 and 32.
constexpr Part mega32(std::uint8_t comparator_vector) {
  Part part = older();
  part.comparator_vector = comparator_vector;
  part.bandgap = {1'220'000};
  part.watchdog_prescaler_free = true;
  return part;
}

constexpr Part mega128() {
  Part part = older();
  part.ivsel = 0x55;
  part.xdiv = 0x5c;
  part.osccal = 0x6f;
  part.acme = {0x40, 0x08};
  part.comparator_vector = 23;
  part.watchdog_timeout = ms(14);
  part.wdton = {extended, 0x01};
  part.m103c = {extended, 0x02};
  return part;
}

struct Row {
  std::string_view mcu;
  Part part;
};

}  // namespace

Part part(std::string_view mcu, std::uint32_t flash_size) {
  static const Row rows[] = {{"atmega8", mega8()},         {"atmega16", mega32(16)},    {"atmega32", mega32(18)},
                             {"atmega128", mega128()},     {"atmega48", mega48(false)}, {"atmega48p", mega48(true)},
                             {"atmega88", mega88(false)},  {"atmega88p", mega88(true)}, {"atmega168", mega88(false)},
                             {"atmega168p", mega88(true)}, {"atmega1280", mega1280()},  {"atmega1281", mega1280()},
                             {"atmega2560", mega1280()},   {"atmega32u4", mega1280()}};
  const auto* const row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.mcu == mcu; });
  Part found = row != std::end(rows) ? row->part : newer();
  constexpr std::uint32_t k = 1024;
  if (found.bootrst.mask != 0) {
    found.smallest_boot_section = static_cast<std::uint16_t>(flash_size <= 16 * k   ? 128
                                                             : flash_size <= 32 * k ? 256
                                                                                    : 512);
  }
  return found;
}

std::uint32_t boot_section_start(const Part& part, const Fuses& fuses, std::uint32_t flash_size) {
  if (part.smallest_boot_section == 0) return 0;
  const unsigned bootsz = fuses[part.bootsz_byte] >> part.bootsz_shift & 3u;
  return flash_size - (2u * part.smallest_boot_section << (3 - bootsz));
}

// Datasheets, section "System Clock and Clock Options": tables "Start-up Times for ...".
ClockSource clock_source(const Part& part, const Fuses& fuses) {
  const unsigned cksel = fuses[low] & 0x0fu;
  const unsigned sut = fuses[low] >> 4 & 3u;
  const Duration delays[] = {ms(0), ms(4.1), ms(65), ms(65)};
  const bool divides = part.ckdiv8.mask != 0;
  const unsigned first_crystal = divides ? 6 : 10;
  if (cksel >= first_crystal) {
    static constexpr std::int64_t start_up[] = {258, 258, 1024, 1024, 1024, 16384, 16384, 16384};
    const Duration delay[] = {ms(4.1), ms(65), ms(0), ms(4.1), ms(65), ms(0), ms(4.1), ms(65)};
    const unsigned row = (cksel & 1) << 2 | sut;
    return {0, start_up[row], delay[row]};
  }
  if (divides) {
    if (cksel == 2) return {8'000'000, 6, delays[sut]};
    if (cksel == 3) return {128'000, 6, delays[sut]};
    if (cksel == 4 || cksel == 5) return {0, cksel == 4 ? 1024 : 32768, delays[sut]};
    return {0, 6, delays[sut]};
  }
  if (cksel >= 1 && cksel <= 4) return {1'000'000 << (cksel - 1), 6, delays[sut]};
  // An external RC oscillator: its frequency is the board's.
  if (cksel >= 5 && cksel <= 8) return {0, sut == 3 ? 6 : 18, sut == 3 ? ms(4.1) : delays[sut]};
  if (cksel == 9) return {0, sut == 2 ? 32768 : 1024, sut == 0 ? ms(4.1) : ms(65)};
  return {0, 6, delays[sut]};
}

}  // namespace avrlan::peripherals
