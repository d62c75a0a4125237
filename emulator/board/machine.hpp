#pragma once
// One board: MCU, its peripherals, and an Ethernet chip on its pins.

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/board/analog_signal.hpp"
#include "emulator/board/board.hpp"
#include "emulator/board/eeprom_patch.hpp"
#include "emulator/board/firmware.hpp"
#include "emulator/board/mcu_description.hpp"
#include "emulator/cpu/engine.hpp"
#include "emulator/peripherals/origin.hpp"
#include "nic-model/core/bus_device.hpp"
#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/nic.hpp"
#include "nic-model/core/scheduler.hpp"
#include "nic-model/core/spi_device.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan {

namespace cpu {
struct Instrument;
}
namespace peripherals {
class Gpio;
}

// Why a run ended by itself, and the status the firmware left: r24 at a jump to itself, 0 otherwise.
struct MachineEnd {
  cpu::Halt halt = cpu::Halt::none;
  int status = 0;
};

// Who executes the instructions: ours, or simavr's interpreter as a reference to compare with.
enum class EngineKind : std::uint8_t { exact, simavr };

// "exact", "simavr".
std::string_view to_string(EngineKind kind);

using peripherals::Origin;

struct MachineOptions {
  EngineKind engine = EngineKind::exact;
  std::string mcu;      // overrides the board's
  std::int64_t hz = 0;  // overrides the board's and the fuses'; 0: those
  // Which USART is the console: by its number in the MCU; nullopt: USART0, or the only one.
  std::optional<unsigned> uart;
  // The baud rate of whoever is at the other end of the console's USART; 0: the rate that the firmware has set.
  std::int64_t uart_baud = 0;
  std::vector<EepromPatch> eeprom;   // later ones win
  std::vector<AnalogSignal> analog;  // what is not named is 0 V, AREF and AVCC are 5 V
  // Takes what the firmware does wrong with the MCU; nullptr: nobody.
  DiagnosticSink* diagnostics = nullptr;
  // Whether the firmware goes on after an error of this name, if it is none of final_errors (diagnostic_kinds.hpp); empty, and
  // with simavr's engine: it does not. A load is then 0, a store or SPM is ignored, a flash read is 0xFF, the stack grows.
  std::function<bool(std::string_view)> goes_on;
};

// The MCU's memories, as far as someone who observes a firmware has to know them.
struct MemoryMap {
  std::uint32_t flash_words;
  unsigned vector_words;    // the size of one interrupt vector
  unsigned pc_bytes;        // the size of a return address on the stack
  std::uint16_t ram_first;  // internal SRAM, data addresses
  std::uint16_t ram_last;
  std::uint32_t data_end;  // of the data space, with what the board has on the external bus
};

class Machine {
 public:
  // Throws HostError: MCU unknown or not supported, firmware built for another MCU, firmware larger than the flash or
  // the EEPROM, no USART of that number. `scheduler` must outlive the machine, which sets its on_earlier().
  Machine(const Board& board, const Firmware& firmware, Scheduler& scheduler, const MachineOptions& options = {});
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Wires the chip to the board's pins and to its bus. Both references are the same object, which must live until the last
  // run_until; call once, before the first. An access of the external bus is dated at the start of its
  // instruction. Throws UsageError with the simavr engine, which has no external bus.
  void attach(Nic& nic, SpiDevice& spi);
  void attach(Nic& nic, BusDevice& bus);

  // The numbers of the MCU's USARTs, ascending.
  std::vector<unsigned> usarts() const;
  // Every frame that a USART has sent, its data bits, when its last stop bit is over. nullopt: the console. Throws
  // UsageError when there is no such USART.
  void on_uart(std::function<void(std::uint16_t)> frame, std::optional<unsigned> usart = std::nullopt);
  // The data bits of a frame for RxD; frames are clocked in without gaps, in the format that the firmware has set.
  void uart_receive(std::uint16_t frame, std::optional<unsigned> usart = std::nullopt);

  // The pins, to watch and to drive.
  peripherals::Gpio& gpio();

  // Writes the levels of these pins, or of those in use on the board, to a VCD file from now on. After attach(), before the
  // first run. Throws HostError when it cannot be written, UsageError when the MCU has no such pin.
  void trace_pins(const std::filesystem::path& file, const std::vector<Pin>& pins);
  // The trace up to now is in its file after this. Throws HostError.
  void flush_trace();

  // A low pulse on RESET, before the next instruction: the program starts again, with EXTRF set.
  void reset();

  // Runs the CPU and the scheduler's events until virtual time `limit`, or until the firmware ends; after that it returns
  // the same end again. Events that are due at the start of an instruction run before it. What the console is still sending
  // when the firmware ends is sent first. On return the scheduler's time is now().
  std::optional<MachineEnd> run_until(Instant limit);
  // From a callback inside run_until(): it returns when the events of this instant are done, before another instruction.
  void stop();
  // Whether the last run_until() returned before its limit: at a breakpoint, or because of an observer or stop().
  bool stopped() const;

  // Runs so that an observer sees it (emulator/cpu/observer.hpp), which must outlive the machine; an empty Instrument:
  // nobody does. Throws UsageError with the simavr engine, which cannot be observed.
  void observe(const cpu::Instrument& instrument);

  // What a debugger does, between two runs. run_until stops before the instruction at a breakpoint (a byte address) is executed,
  // unless the run before stopped there. Throws UsageError with the simavr engine.
  void add_breakpoint(std::uint32_t pc);
  void remove_breakpoint(std::uint32_t pc);
  void set_pc(std::uint32_t pc);  // byte address
  // What a store does, to I/O registers with its side effects, but in no time. False, and nothing happens, where no memory is
  // (external memory is not there before the firmware has enabled it), and at the chip.
  bool poke(std::uint16_t data_address, std::uint8_t value);
  // What a programmer does, in no time; the range must lie within the memory.
  void program_flash(std::uint32_t address, std::span<const std::uint8_t> bytes);
  void program_eeprom(std::uint16_t address, std::span<const std::uint8_t> bytes);

  MemoryMap memory_map() const;
  Instant now() const;
  // Between two runs: the earliest instant at which this does anything by itself. now() while instructions are executed, the
  // next event while the MCU sleeps, never() after the end.
  Instant next_activity() const;
  Cycles cycle() const;
  std::uint32_t pc() const;  // byte address of the instruction being executed or next
  // Inside a callback of the chip or a diagnostic: the instruction behind it. A byte that SPI has clocked is the doing of
  // the instruction that stored it. nullopt: no instruction, but the network or a timer.
  std::optional<Origin> origin() const;
  // The calls in `firmware`, which this machine runs, that led there; see call_chain.hpp.
  std::vector<std::uint32_t> call_chain(const Firmware& firmware, const Origin& origin) const;
  // Of the clock's source: the crystal, or the internal oscillator that the fuses choose. CLKPR, CKDIV8 and XDIV divide it;
  // cycle() counts what is left. 0 while a clock that comes from the chip stands.
  std::int64_t hz() const;
  const std::string& mcu() const;
  // What the MCU has, and who models it here.
  McuDescription description() const;
  EngineKind engine() const;
  cpu::CycleTotals totals() const;
  std::uint8_t peek(std::uint16_t data_address) const;  // without side effects; 0xff where nothing answers
  // The cells as they stand; a write that is under way has not reached them.
  std::span<const std::uint8_t> eeprom() const;
  std::span<const std::uint8_t> flash() const;
  // Low, high, extended.
  std::array<std::uint8_t, 3> fuses() const;
  std::uint8_t lock_bits() const;
  std::array<std::uint8_t, 3> signature() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace avrlan
