#pragma once
// What the machine, its core and its peripherals can say of a firmware.

#include <string_view>

#include "nic-model/core/diagnostics.hpp"

namespace avrlan {

// After these there is no next instruction; after every other error the machine can go on, if it is to.
inline constexpr std::string_view final_errors[] = {"closed-flash", "illegal-opcode", "outside-flash"};

inline constexpr DiagnosticKind machine_diagnostic_kinds[] = {
    {"bus-both-strobes", Severity::warning, "a chip's bus on ports: IORB and IOWB low at the same time"},
    {"bus-not-driven", Severity::warning, "a chip's bus on ports: written to while a data line is no output"},
    {"closed-flash", Severity::error, "execution in a part of the flash that SPM is programming"},
    {"flash-read-while-busy", Severity::warning, "the flash's read-while-write section read while it is being written"},
    {"flash-read-outside", Severity::error, "LPM or ELPM outside the flash"},
    {"flash-write-outside", Severity::error, "SPM outside the flash"},
    {"illegal-opcode", Severity::error, "an opcode that the MCU does not have"},
    {"mcu-clock-stopped", Severity::error, "the chip has stopped CLKOUT, from which the MCU runs"},
    {"outside-flash", Severity::error, "a jump outside the flash"},
    {"pin-contention", Severity::warning, "an output of the MCU that something outside drives to the other level"},
    {"spi-early-store", Severity::warning, "SPDR stored in the very cycle in which SPIF is set: the byte is lost"},
    {"spi-mode", Severity::warning, "a byte for the Ethernet chip in an SPI mode other than 0"},
    {"spm-outside-boot-section", Severity::warning, "SPM outside the boot section, where it does nothing"},
    {"stack-overflow", Severity::error, "the stack has grown into data (only told by --engine exact, once)"},
    {"timer-busy", Severity::warning, "a register of the asynchronous timer written while it was busy"},
    {"uart-baud", Severity::warning, "the console's other end has another baud rate than the firmware (--uart-baud)"},
    {"wild-access", Severity::error, "a load or store where no memory answers"},
};

}  // namespace avrlan
