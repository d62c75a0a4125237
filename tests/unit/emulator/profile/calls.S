; Ways to enter and to leave a function; the cycles of each are counted by hand in profiler_test.cpp.
#include "program.h"

.macro function name
  .global \name
  .type \name, @function
\name:
.endm
.macro end name
  .size \name, . - \name
.endm

vector 0, start
#ifdef INTERRUPT
vector EXT_vect_num, handler
#endif
.org 0x100

#if defined(RECURSION)
function start
  stack
  ldi r24, 3
  rcall down
  finish
end start
function down
  dec r24
  breq 1f
  rcall down
1: ret
end down

#elif defined(TAIL_CALL)
function start
  stack
  rcall a
  nop
  finish
end start
function a
  rcall .+0
  pop r0
  pop r0
  rjmp b
end a
function b
  nop
  nop
  ret
end b

#elif defined(PUSHED_JUMP)
function start
  stack
  rcall a
  nop
  finish
end start
function a
  ldi r24, lo8(gs(b))
  push r24
  ldi r24, hi8(gs(b))
  push r24
  ret
end a
function b
  ret
end b

#elif defined(INTERRUPT)
function start
  stack
  sbi IO(EXT_DDR), EXT_BIT
  sbi IO(EXT_PORT), EXT_BIT
  store _SFR_MEM_ADDR(EXT_CONTROL), EXT_FALLING
  sbi IO(EIFR), EXT_INT
  sbi IO(EIMSK), EXT_INT
  sei
  rcall work
  finish
end start
function work
  cbi IO(EXT_PORT), EXT_BIT
  nop
  nop
  nop
  nop
  ret
end work
function handler
  rcall inner
  reti
end handler
function inner
  nop
  ret
end inner

#elif defined(LONGJMP)
function start
  stack
  rcall outer
  nop
  finish
end start
function outer
  in r20, IO(SPL)
  in r21, IO(SPH)
  rcall middle
  nop
.Lresume:
  nop
  ret
end outer
function middle
  rcall deepest
  nop
  ret
end middle
function deepest
  ldi r30, lo8(gs(.Lresume))
  ldi r31, hi8(gs(.Lresume))
  out IO(SPH), r21
  out IO(SPL), r20
  ijmp
end deepest

#elif defined(THREADS)
; A second stack below 0x300, prepared so that `yield` returns to `thread`.
function start
  stack
  store 0x2FF, lo8(gs(thread))
  store 0x2FE, hi8(gs(thread))
  ldi r16, 0xFD
  mov r2, r16
  ldi r16, 2
  mov r3, r16
  rcall yield
  nop
  rcall yield
  finish
end start
function thread
  nop
  rcall yield
  nop
  nop
  rcall yield
  rjmp thread
end thread
function yield
  in r4, IO(SPL)
  in r5, IO(SPH)
  out IO(SPH), r3
  out IO(SPL), r2
  movw r2, r4
  ret
end yield

#elif defined(MEMORY)
function start
  stack
  rcall a
  finish
end start
function a
  push r0
  push r0
  push r0
  rcall b
  pop r0
  pop r0
  pop r0
  ret
end a
function b
  ldi r24, 2
1: lds r25, 0x300
  dec r24
  brne 1b
  sts 0x301, r24
  lds r25, 0x301
  ret
end b

#elif defined(WAITING)
function start
  stack
  ldi r24, 5
1: dec r24
  brne 1b
  sbi IO(EXT_DDR), EXT_BIT
  sbi IO(EXT_PORT), EXT_BIT
1: sbis IO(EXT_PIN), EXT_BIT
  rjmp 1b
  ldi r24, 2
1: add r0, r1
  dec r24
  brne 1b
  finish
end start
#endif
