; The number at the end of a line is the sum of the cycles that the run spends on it.
#include "program.h"

  .org 0
  .type start, @function
  .global start
  jmp start                       ; 3
  .org EXT_vect_num * 4
  jmp handler                     ; 7 = entry 4, JMP 3
  .org 0x100
start:
  ldi r16, hi8(RAMEND)            ; 1
  out IO(SPH), r16                ; 1
  ldi r16, lo8(RAMEND)            ; 1
  out IO(SPL), r16                ; 1
  sbi IO(EXT_DDR), EXT_BIT        ; 2
  sbi IO(EXT_PORT), EXT_BIT       ; 2
  ldi r16, EXT_FALLING            ; 1
  sts _SFR_MEM_ADDR(EXT_CONTROL), r16  ; 2
  sbi IO(EIFR), EXT_INT           ; 2
  sbi IO(EIMSK), EXT_INT          ; 2
  sei                             ; 1
  ldi r24, 4                      ; 1
again:
  mov r25, r24                    ; 4
  sbrc r25, 0                     ; 6 = twice 1, twice 2
  rcall odd                       ; 6 = twice 3
  ldi r26, 0                      ; 4
  ldi r27, 2                      ; 4
  st X+, r24                      ; 8
  dec r24                         ; 4
  brne again                      ; 7 = thrice 2, once 1
  sts 0x200, r24                  ; 2
  cbi IO(EXT_PORT), EXT_BIT       ; 2
  nop                             ; 1
  nop                             ; 1
  lds r25, 0x200                  ; 2
  cpse r25, r24                   ; 3 = 1 and the two words skipped
  jmp start                       ; 0
  cli                             ; 1
  ldi r24, 0                      ; 1
  rjmp .-2                        ; 0
  .size start, . - start

  .type odd, @function
odd:
  mul r24, r24                    ; 4
  push r24                        ; 4
  pop r0                          ; 4
  ret                             ; 8
  .size odd, . - odd

  .type handler, @function
handler:
  nop                             ; 1
  reti                            ; 4
  .size handler, . - handler
