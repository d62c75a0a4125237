#include "emulator/board/simavr_chip.hpp"

#include <fmt/format.h>
#include <simavr/avr_acomp.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_usb.h>
#include <simavr/avr_watchdog.h>
#include <simavr/sim_avr.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "emulator/board/firmware.hpp"
#include "emulator/peripherals/simavr_modules.hpp"

namespace avrlan {

namespace {

// simavr makes a load or store to a wild address after complaining, and does not check LPM, ELPM and SPM at all. So both
// memories are as large as what can be addressed; the host gives pages only to what is touched.
constexpr std::size_t data_space = 0x10000;
constexpr std::size_t program_space = 0x1000000;

// Zeros from `used` on.
std::uint8_t* resized(std::uint8_t* memory, std::size_t used, std::size_t size) {
  auto* larger = static_cast<std::uint8_t*>(std::calloc(size, 1));
  if (larger == nullptr) throw std::bad_alloc{};
  std::copy_n(memory, used, larger);
  std::free(memory);
  return larger;
}

void never_sleep(avr_t*, avr_cycle_count_t) {}

// simavr prints to stdout, where the firmware's words go, that the ATmega8 has no port A. With glibc, stdout is a variable.
class QuietStdout {
 public:
  QuietStdout() {
    if (nowhere_ != nullptr) stdout = nowhere_;
  }
  ~QuietStdout() {
    stdout = stdout_;
    if (nowhere_ != nullptr) std::fclose(nowhere_);
  }
  QuietStdout(const QuietStdout&) = delete;
  QuietStdout& operator=(const QuietStdout&) = delete;

 private:
  std::FILE* stdout_ = stdout;
  std::FILE* nowhere_ = std::fopen("/dev/null", "w");
};

void initialise(avr_t& avr) {
  const QuietStdout quiet;
  avr_init(&avr);
}

// Ours takes its place (emulator/peripherals/analog_comparator.cpp); simavr's would go on setting ACO and ACI, because it listens
// to the registers of the ADC. Before anybody else does.
void disconnect_comparator(avr_t& avr) {
  for (avr_io_t* io = avr.io_port; io != nullptr; io = io->next) {
    if (io->kind == nullptr || std::string_view{io->kind} != "ac") continue;
    auto& module = *reinterpret_cast<avr_acomp_t*>(io);
    io->reset = nullptr;
    for (const avr_regbit_t& bit : {module.mux[0], module.pradc, module.aden, module.acme}) {
      if (bit.reg == 0) continue;
      avr_irq_t*& irq = avr.io[AVR_DATA_TO_IO(bit.reg)].irq;
      if (irq != nullptr) avr_free_irq(irq, AVR_IOMEM_IRQ_ALL + 1);
      irq = nullptr;
    }
  }
}

std::string without_colours(std::string_view text) {
  std::string plain;
  bool escape = false;
  for (const char c : text) {
    if (c == '\033') escape = true;
    if (!escape && c != '\n') plain += c;
    if (escape && c == 'm') escape = false;
  }
  plain.erase(plain.find_last_not_of(' ') + 1);
  return plain;
}

// There is nothing at the other end of the cable, and simavr's USB ends the process when a firmware writes to an endpoint that
// it has not configured. Its registers become memory; PLLCSR still locks.
void disconnect_usb(avr_t& avr) {
  for (avr_io_t* io = avr.io_port; io != nullptr; io = io->next) {
    if (io->kind == nullptr || std::string_view{io->kind} != "usb") continue;
    const auto pllcsr = AVR_DATA_TO_IO(reinterpret_cast<avr_usb_t*>(io)->r_pllcsr);
    for (avr_io_addr_t at = 0; at < MAX_IOs; ++at) {
      auto& slot = avr.io[at];
      if (at == pllcsr) continue;
      if (slot.r.param == io) slot.r = {};
      if (slot.w.param == io) slot.w = {};
    }
  }
}

// avr_terminate() leaves these behind.
void free_irqs(avr_t& avr) {
  for (unsigned i = 0; i < avr.interrupts.vector_count; ++i) {
    avr_free_irq(avr.interrupts.vector[i]->irq, AVR_INT_IRQ_COUNT);
  }
  // On a part whose watchdog has no vector, the module hooks itself into one that is not in the table.
  for (auto* watchdog : peripherals::simavr_modules<avr_watchdog_t>(avr, "watchdog")) {
    if (watchdog->watchdog.vector == 0) avr_free_irq(watchdog->watchdog.irq, AVR_INT_IRQ_COUNT);
  }
  avr_free_irq(avr.interrupts.irq, AVR_INT_IRQ_COUNT);
  for (auto& io : avr.io) avr_free_irq(io.irq, AVR_IOMEM_IRQ_ALL + 1);
}

}  // namespace

SimavrChip::SimavrChip(const cpu::Mcu& mcu) {
  avr_global_logger_set(&SimavrChip::log);
  avr_ = avr_make_mcu_by_name(std::string{mcu.name}.c_str());
  if (avr_ == nullptr) {
    throw UsageError(fmt::format("simavr knows no MCU '{}'", mcu.name), "`avrlan mcus` lists those that can be run");
  }
  avr_->custom.data = &log_;
  initialise(*avr_);
  disconnect_usb(*avr_);
  disconnect_comparator(*avr_);
  cpu::correct_tables(*avr_, mcu);
  avr_->sleep = never_sleep;
  // Volts that the ADC divides by.
  avr_->vcc = avr_->avcc = avr_->aref = 5000;
  avr_->data = resized(avr_->data, std::size_t{avr_->ramend} + 1, data_space);
  avr_->flash = resized(avr_->flash, std::size_t{avr_->flashend} + 1, program_space);
}

SimavrChip::~SimavrChip() {
  free_irqs(*avr_);
  avr_terminate(avr_);
  std::free(avr_->irq_pool.irq);
  std::free(avr_);
}

std::size_t SimavrChip::flash_size() const {
  return std::size_t{avr_->flashend} + 1;
}

std::size_t SimavrChip::eeprom_size() const {
  return std::size_t{avr_->e2end} + 1;
}

void SimavrChip::load_flash(std::span<const std::uint8_t> content) {
  std::copy(content.begin(), content.end(), avr_->flash);
}

void SimavrChip::load_eeprom(std::span<const std::uint8_t> content) {
  if (content.empty()) return;
  std::vector<std::uint8_t> copy(content.begin(), content.end());
  avr_eeprom_desc_t image{copy.data(), 0, static_cast<std::uint32_t>(copy.size())};
  avr_ioctl(avr_, AVR_IOCTL_EEPROM_SET, &image);
}

// simavr executes an illegal opcode as NOP after saying so here.
void SimavrChip::log(avr_t* avr, int level, const char* format, va_list arguments) {
  if (avr == nullptr || level != LOG_ERROR || avr->custom.data == nullptr) return;
  std::array<char, 256> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  if (std::string_view{format}.find("Invalid Opcode") != std::string_view::npos) avr->state = cpu_Crashed;
  // The interpreter says why before it crashes; what modules complain about does not end a run.
  const std::string line = without_colours(text.data());
  if (line.starts_with("CORE:")) static_cast<Log*>(avr->custom.data)->last_error = line;
}

}  // namespace avrlan
