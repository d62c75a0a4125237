#include "program.h"

// The handler takes r20 to r21 and counts itself in r23. When r25 is 1 it asks for itself once more.
  jmp start
  vector EXT_vect_num, isr

// Ends when the flag is set.
.macro request
  sbi IO(EXT_PORT), EXT_BIT
  cbi IO(EXT_PORT), EXT_BIT
  nop
  nop
  nop
.endm

.macro begin
  cli
  clr r20
  clr r21
  clr r23
  clr r25
.endm

.macro count_up
  inc r20
  inc r20
  inc r20
  inc r20
.endm

start:
  stack
  sbi IO(EXT_PORT), EXT_BIT
  sbi IO(EXT_DDR), EXT_BIT
  store _SFR_MEM_ADDR(EXT_CONTROL), EXT_FALLING
  store _SFR_MEM_ADDR(EIFR), 0xff
  store _SFR_MEM_ADDR(EIMSK), (1 << EXT_INT)

  begin
  request
  sei
  count_up
  label after_sei

  begin
  request
  ldi r16, 0x80
  out IO(SREG), r16
  count_up
  label after_out_sreg

  begin
  inc r25
  request
  sei
  count_up
  label after_reti

  begin
  request
  sei
  nop
  cli
  label after_sei_nop_cli
  nop
  // The flag comes first, the enable bit later.
  begin
  store _SFR_MEM_ADDR(EIMSK), 0
  request
  sei
  nop
  nop
  label before_enable
  store _SFR_MEM_ADDR(EIMSK), (1 << EXT_INT)
  nop
  nop
  label after_enable
  // A 1 written to EIFR takes the request back, a 0 does not.
  begin
  request
  store _SFR_MEM_ADDR(EIFR), 0
  label flag_kept
  store _SFR_MEM_ADDR(EIFR), (1 << EXT_INT)
  label flag_cleared
  sei
  nop
  nop
  label after_flag_cleared
  finish

isr:
  mov r21, r20
  inc r23
  sbrs r25, 0
  reti
  clr r25
  request
  reti
