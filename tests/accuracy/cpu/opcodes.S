; Each 16-bit opcode, followed by a word of zeros: an operand, or a NOP.
        .section .text
        .set opcode, 0
        .rept 0x10000
        .word opcode, 0
        .set opcode, opcode + 1
        .endr
