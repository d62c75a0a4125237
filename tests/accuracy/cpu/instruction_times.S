; One cell of 16 bytes for each row of instruction_times.def.
        .macro cell
        .balign 16
        .endm
#define FORM(form, flags, cycles_16, cycles_22, ...) cell $ __VA_ARGS__
        .section .text
#include "instruction_times.def"
        cell
