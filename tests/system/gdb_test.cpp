// avr-gdb itself against `avrlan run --gdb`: every kind of stop, every memory; but for the network (gdb_network_test.cpp).

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/system/gdb_client.hpp"

namespace avrlan::test {
namespace {

std::string uno() {
  return debugged_dir + "/uno.elf";
}

TEST(Gdb, StopsAtBreakpointsAndShowsTheProgram) {
  const Avrlan avrlan(uno());
  const std::string out = avrlan.gdb({"break outer", "tbreak add if b == -4 && a == 6", "continue",
                                      "printf \"n=%d\\n\", n", "delete 1", "continue", "printf \"a=%d\\n\", a", "up",
                                      "printf \"n=%d\\n\", n", "print origin", "finish", "info registers pc"});
  EXPECT_HAS(out, "n=0\n");
  EXPECT_HAS(out, "a=6\n");
  EXPECT_HAS(out, "n=5\n");
  EXPECT_HAS(out, "{x = 1, y = -4}");
  EXPECT_HAS(out, "Value returned is $2 = 2");
}

TEST(Gdb, WatchesAnIoRegister) {
  const Avrlan avrlan(uno());
  const std::string out = avrlan.gdb(
      {"watch {unsigned char}0x800024", "continue", "frame", "delete", "awatch {unsigned char}0x800023", "continue"});
  EXPECT_HAS(out, "Old value = 0 '\\000'\nNew value = 2 '\\002'") << "DDRB";
  EXPECT_HAS(out, "sei();") << "what comes behind it";
  EXPECT_HAS(out, "Hardware access (read/write) watchpoint 2: {unsigned char}0x800023\n\n") << "PINB";
}

TEST(Gdb, HardwareBreakpointsStopToo) {
  const Avrlan avrlan(uno());
  const std::string out = avrlan.gdb({"hbreak outer if n == 20", "continue", "printf \"n=%d\\n\", n"});
  EXPECT_HAS(out, "n=20\n");
}

TEST(Gdb, StepsByLineOverCallsAndIntoThem) {
  const Avrlan avrlan(uno());
  const std::string out =
      avrlan.gdb({"break outer if n == 9", "continue", "next", "printf \"sum=%d\\n\", sum", "step", "frame", "finish"});
  EXPECT_HAS(out, "sum=10\n");
  EXPECT_HAS(out, "#0  add (a=10, b=-4)");
}

// avr-gcc does not tell gdb of the SREG that a handler pushes, so the way out is known at its first instruction only.
TEST(Gdb, SeesAnInterruptAndItsReturn) {
  const Avrlan avrlan(uno());
  const std::string out = avrlan.gdb({"break *__vector_14", "continue", "backtrace", "printf \"ticks=%d\\n\", ticks",
                                      "finish", "printf \"ticks=%d\\n\", ticks"});
  EXPECT_HAS(out, "#0  __vector_14 ()");
  EXPECT_HAS(out, "in main ()");
  EXPECT_HAS(out, "ticks=0\n");
  EXPECT_HAS(out, "ticks=1\n");
}

TEST(Gdb, StepsIntoAnInterruptByInstructionAndOverItByLine) {
  const Avrlan avrlan(uno());
  const std::string out =
      avrlan.gdb({"break 64", "continue", "delete", "stepi 9", "monitor cycles", "stepi", "info symbol $pc", "stepi",
                  "info symbol $pc", "break 64", "continue", "next", "frame", "printf \"ticks=%d\\n\", ticks"});
  EXPECT_HAS(out, "__vectors + 56 in section .text");
  EXPECT_HAS(out, "__vector_14 in section .text");
  EXPECT_HAS(out, "ticks=2\n");
}

TEST(Gdb, CountsTheCyclesOfASingleStep) {
  const Avrlan avrlan(uno());
  const std::string out = avrlan.gdb({"break add", "continue", "monitor cycles", "stepi", "monitor cycles"});
  const std::vector<long> cycles = cycles_of(out);
  ASSERT_EQ(cycles.size(), 2u) << out;
  EXPECT_GE(cycles[1] - cycles[0], 1) << out;
  EXPECT_LE(cycles[1] - cycles[0], 5) << out;
}

TEST(Gdb, ReadsAndWritesEveryMemory) {
  const Avrlan avrlan(uno());
  const std::string out =
      avrlan.gdb({"break add if a == 100", "continue", "printf \"a=%d\\n\", a", "set variable origin.y = 77",
                  "print origin", "x/1xb 0x810000", "set {char}0x810000 = 0x21", "x/1xb 0x810000", "x/3xb 0x840000",
                  "x/3xb 0x820000", "x/1xb 0x800900", "set variable $r7 = 0x42", "info registers r7",
                  "set {char}0x800025 = 2", "x/1xb 0x800025", "x/1xb 0x800023"});
  EXPECT_HAS(out, "a=100\n");
  EXPECT_HAS(out, "y = 77}");
  EXPECT_HAS(out, ":\t0x5a");
  EXPECT_HAS(out, ":\t0x21");
  EXPECT_HAS(out, "0x1e\t0x95\t0x0f");
  EXPECT_HAS(out, "Cannot access memory at address 0x800900");
  EXPECT_HAS(out, "0x42");
  EXPECT_HAS(out, "0x800025:\t0x02");
}

// The flash of a 2560 above 64 KiB, and its program counter of three bytes.
TEST(Gdb, SeesTheWholeFlashOfALargeMcu) {
  const Avrlan avrlan(debugged_dir + "/mega.elf", {"--net", "none", "--pace", "max", "-b", "mega-enc28j60"});
  const std::string out =
      avrlan.gdb({"info address outer", "x/1i outer", "break add if a == 3", "continue", "backtrace", "finish"});
  EXPECT_HAS(out, "at address 0x30000");
  EXPECT_HAS(out, "0x30000 <outer>:\tpush");
  EXPECT_HAS(out, "#1 ");
  EXPECT_HAS(out, "in outer (n=2)");
  EXPECT_HAS(out, "Value returned");
}

TEST(Gdb, DetachesAndAttachesAgain) {
  Avrlan avrlan(uno(), {"--net", "none", "--pace", "real"});
  EXPECT_HAS(avrlan.gdb({"break main", "continue", "set variable rounds = 60000", "break add if a == 3", "continue",
                         "detach"}),
             "detached");
  const std::string again = avrlan.gdb({"printf \"rounds=%d\\n\", rounds", "kill"});
  EXPECT_HAS(again, "rounds=60000\n");
  const Completed done = avrlan.process().finish();
  EXPECT_EQ(done.status, 137) << done.err;
}

TEST(Gdb, StartsAgain) {
  const Avrlan avrlan(uno());
  const std::string out = avrlan.gdb(
      {"set confirm off", "break add if a == 30", "continue", "delete", "break main", "run", "backtrace 1", "detach"},
      "extended-remote");
  EXPECT_HAS(out, "main ()");
}

TEST(Gdb, EndsTheRunWhenItIsKilledForGood) {
  Avrlan avrlan(uno());
  avrlan.gdb({"kill"}, "extended-remote");
  EXPECT_EQ(avrlan.process().finish().status, 137);
}

TEST(Gdb, TellsTheEnd) {
  Avrlan avrlan(uno());
  EXPECT_HAS(avrlan.gdb({"break main", "continue", "set variable rounds = 50", "continue"}), "exited with code 07");
  const Completed done = avrlan.process().finish();
  EXPECT_EQ(done.status, 7);
  EXPECT_FALSE(has(done.err, "gdb has gone")) << done.err;
}

TEST(Gdb, ShowsTheInstructionThatEndsTheRun) {
  Avrlan avrlan(debugged_dir + "/crash.elf");
  const std::string out = avrlan.gdb({"continue", "backtrace 1", "continue"});
  EXPECT_HAS(out, "SIGILL");
  EXPECT_HAS(out, "crash ()");
  EXPECT_HAS(out, "exited with code 0106");
  EXPECT_EQ(avrlan.process().finish().status, 70);
}

// A gdb that is there is not disturbed, and the other one is told why it cannot have the firmware.
TEST(Gdb, RefusesASecondGdb) {
  Avrlan avrlan(uno());
  const std::string out = avrlan.gdb({"shell avr-gdb -nx -q -batch -ex 'target remote " + avrlan.endpoint() + "' 2>&1",
                                      "break add", "continue", "backtrace 1", "kill"});
  EXPECT_HAS(out, "another gdb is connected");
  EXPECT_HAS(out, "add (a=0, b=1)");
}

// While the firmware runs; it would for another minute.
TEST(Gdb, IsInterruptedByCtrlC) {
  const Avrlan avrlan(uno(), {"--net", "none", "--pace", "real"});
  Process gdb(avrlan.gdb_command({"break main", "continue", "set variable rounds = 60000", "set debug remote 1",
                                  "continue", "set debug remote 0", "backtrace", "printf \"rounds=%u\\n\", rounds",
                                  "monitor cycles", "break outer", "continue", "kill"}));
  ASSERT_TRUE(gdb.wait_for_err("Sending packet: $vCont;c")) << gdb.err();
  gdb.signal(SIGINT);
  const Completed done = gdb.finish();
  EXPECT_HAS(done.out, "Program received signal SIGINT");
  EXPECT_HAS(done.out, "rounds=60000\n");
  EXPECT_HAS(done.out, "Breakpoint 2, outer") << "and goes on";
}

TEST(Gdb, LoadsAnotherProgram) {
  const Avrlan avrlan(uno());
  const std::string out = avrlan.gdb({"load " + debugged_dir + "/other.elf", "file " + debugged_dir + "/other.elf",
                                      "compare-sections .text", "break other", "continue", "backtrace 1"});
  EXPECT_HAS(out, "Transfer rate");
  EXPECT_HAS(out, "matched");
  EXPECT_HAS(out, "other ()");
}

TEST(Gdb, GoesBackToTheLastWriteAndForthAgain) {
  go_back_often(Avrlan(uno()), {"break add if a == 100", "continue"}, "watched");
}

// From where a watchpoint has stopped: first back over that write, then to the one before.
TEST(Gdb, GoesBackFromAWatchpointsStop) {
  const Avrlan avrlan(uno());
  const std::string out = avrlan.gdb({"watch watched", "continue", "monitor cycles", "continue", "monitor cycles",
                                      "reverse-continue", "monitor cycles", "reverse-continue", "monitor cycles"});
  const std::vector<long> cycles = cycles_of(out);
  ASSERT_EQ(cycles.size(), 4u) << out;
  EXPECT_EQ(cycles[2], cycles[1] - 2) << "the STS" << out;
  EXPECT_EQ(cycles[3], cycles[0] - 2) << out;
  EXPECT_HAS(out, "Old value = 2 '\\002'\nNew value = 1 '\\001'");
}

TEST(Gdb, WatchesExternalMemory) {
  const Avrlan avrlan(debugged_dir + "/xram.elf", {"--net", "none", "--pace", "max", "-b", "ethernut1"});
  const std::string out = avrlan.gdb({"info address outside", "break main", "continue", "watch outside", "continue",
                                      "continue", "reverse-continue", "continue", "delete", "set variable outside = 7",
                                      "print outside", "set {char}0x808303 = 1"});
  EXPECT_HAS(out, "0x801100");
  EXPECT_HAS(out, "Old value = 0 '\\000'\nNew value = 1 '\\001'");
  EXPECT_HAS(out, "Old value = 1 '\\001'\nNew value = 0 '\\000'") << "backwards";
  EXPECT_HAS(out, "= 7 '");
  EXPECT_HAS(out, "Cannot access memory at address 0x808303") << "the chip";
}

// What the firmware of `board` does to a register until it is ready, and back again.
void watch_chip(const std::string& board, const std::string& reg, const std::string& written) {
  const Avrlan avrlan(firmware_dir + "/" + board + "/web.elf", {"--net", "none", "--pace", "max", "-b", board});
  const std::string out =
      avrlan.gdb({"watch {unsigned char}" + reg, "continue", "monitor cycles", "delete", "stepi 100",
                  "watch {unsigned char}" + reg, "reverse-continue", "monitor cycles"});
  const std::vector<long> cycles = cycles_of(out);
  ASSERT_EQ(cycles.size(), 2u) << out;
  EXPECT_LT(cycles[1], cycles[0]) << out;
  EXPECT_LE(cycles[0] - cycles[1], 4) << "one instruction" << out;
  EXPECT_HAS(out, "Old value = 0 '\\000'\nNew value = " + written);
  EXPECT_HAS(out, "Old value = " + written + "\nNew value = 0 '\\000'");
  EXPECT_FALSE(has(out, "another state")) << out;
}

TEST(Gdb, WatchesARegisterOfAChipBehindSpi) {
  watch_chip("uno-enc28j60", "0x8a001f", "3 '\\003'");  // ECON1: bank 3
}

TEST(Gdb, WatchesARegisterOfAChipOnTheBus) {
  watch_chip("ethernut1", "0x8a0003", "95 '_'");  // BNRY
}

TEST(Gdb, WatchesReadsOfAChipsRegister) {
  const Avrlan avrlan(firmware_dir + "/uno-enc28j60/web.elf");
  const std::string out =
      avrlan.gdb({"rwatch {unsigned char}0x8a0072", "continue", "delete", "awatch {unsigned char}0x8a0018", "continue",
                  "delete", "awatch {short}0x8a00a8", "continue"});
  EXPECT_HAS(out, "Value = 6 ") << "EREVID";
  EXPECT_HAS(out, "Could not insert hardware watchpoint 2") << "there is no register";
  EXPECT_HAS(out, "Old value = 13346\nNew value = 13430") << "PHLCON";
}

// avr-gcc describes no epilogues, so gdb takes the way back into a function with a stack frame for a step into it.
TEST(Gdb, StepsBackwards) {
  const Avrlan avrlan(uno());
  const std::string out =
      avrlan.gdb({"break outer if n == 40", "continue", "delete", "next", "printf \"sum=%d\\n\", sum", "reverse-step",
                  "frame", "reverse-finish", "info symbol $pc", "printf \"n=%d\\n\", n", "set variable ticks = 1",
                  "monitor reset", "reverse-continue", "continue", "printf \"sum=%d\\n\", sum"});
  EXPECT_HAS(out, "sum=41\n");
  EXPECT_HAS(out, "#0  add (a=40, b=1)");
  EXPECT_HAS(out, "outer + ");
  EXPECT_HAS(out, "n=40\n");
  EXPECT_HAS(out, "Cannot access memory");
  EXPECT_HAS(out, "this is the past");
  EXPECT_FALSE(has(out, "another state")) << out;
}

TEST(Gdb, ForgetsWhatWasBeforeAChange) {
  const Avrlan avrlan(uno());
  const std::string out = avrlan.gdb({"break add if a == 10", "continue", "set variable ticks = 5", "reverse-stepi",
                                      "printf \"a=%d\\n\", a", "stepi", "reverse-stepi", "printf \"a=%d\\n\", a"});
  EXPECT_HAS(out, "No more reverse-execution history");
  EXPECT_FALSE(has(out, "closed")) << out;
}

// Behind --gdb comes a port, or another argument.
TEST(Gdb, WaitsAtItsUsualPortWhenNoneIsGiven) {
  const auto said = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {AVRLAN_PROGRAM, "run"});
    arguments.insert(arguments.end(), {"--net", "none", "--wall-timeout", "1ms"});
    return run(arguments).err;
  };
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"-g", uno()}, {"--gdb", uno()}, {uno(), "-g"}})
    EXPECT_HAS(said(arguments), ":1234");
  EXPECT_HAS(said({"-g", "localhost:web", uno()}), "is no port");
}

// It is gone before it was seen.
TEST(Gdb, GoesOnAfterAClientThatComesAndGoes) {
  Avrlan avrlan(uno());
  ASSERT_EQ(run({"bash", "-c",
                 "exec 3<>/dev/tcp/" + std::regex_replace(avrlan.endpoint(), std::regex(":"), "/") +
                     "; printf '$g#67$g#67' >&3; exec 3>&-"})
                .status,
            0);
  EXPECT_TRUE(avrlan.process().wait_for_err("the firmware ended with status 7")) << avrlan.process().err();
  EXPECT_HAS(avrlan.process().err(), "gdb has gone without `detach`; the firmware goes on");
}

// Killed itself, in the middle of a run and of the past.
TEST(Gdb, GoesOnWhenGdbIsKilled) {
  Avrlan avrlan(uno(), {"--net", "none", "--pace", "real"});
  const auto kill_gdb = [&](std::vector<std::string> commands, const std::string& when) {
    commands.insert(commands.begin(), "set debug remote 1");
    Process gdb(avrlan.gdb_command(commands));
    EXPECT_TRUE(gdb.wait_for_err(when)) << gdb.err();
    gdb.signal(SIGKILL);
    gdb.finish();
  };
  const std::string gone = "avrlan: gdb has gone without `detach`";
  kill_gdb({"continue"}, "Sending packet: $vCont;c");
  EXPECT_TRUE(avrlan.process().wait_for_err(gone)) << avrlan.process().err();
  kill_gdb({"break outer", "continue", "stepi", "reverse-stepi", "echo here\n", "shell exec sleep 9 &>/dev/null"},
           "Sending packet: $bs");
  const std::string out = avrlan.gdb({"break outer", "continue", "print rounds", "detach"});
  EXPECT_HAS(out, "= 1000\n");
  const Completed done = avrlan.process().finish();
  EXPECT_EQ(done.status, 7);
  const std::size_t first = done.err.find(gone);
  EXPECT_NE(done.err.find(gone, first + 1), std::string::npos) << done.err;
  EXPECT_EQ(done.err.find(gone, done.err.find(gone, first + 1) + 1), std::string::npos)
      << "not after detach" << done.err;
}

TEST(Gdb, ShowsRegistersByName) {
  const Avrlan avrlan(uno());
  const std::string out = avrlan.gdb({"break 53", "continue", "monitor io OCR0A", "monitor io DDRB", "monitor io NONE",
                                      "monitor nic ECON2", "monitor nic", "monitor nic 0 16"});
  EXPECT_HAS(out, "0x800047 OCR0A    0xf9\n");
  EXPECT_HAS(out, "DDRB     0x02\n");
  EXPECT_HAS(out, "no register NONE");
  EXPECT_HAS(out, "0x8a001e ECON2    0x80\n");
  EXPECT_HAS(out, "PHID1    0x0083");
  EXPECT_HAS(out, "0000: ");
}

TEST(Gdb, RunsUntilACycleOfTheMonitors) {
  const Avrlan avrlan(uno());
  EXPECT_HAS(avrlan.gdb({"monitor run-until cycle 100000", "continue", "monitor cycles"}), "cycle 100000,");
}

TEST(Gdb, RunsUntilATextOfTheMonitors) {
  Avrlan avrlan(firmware_dir + "/uno-enc28j60/hello.elf");
  const std::string out = avrlan.gdb({"monitor run-until text hello", "continue", "monitor cycles", "kill"});
  EXPECT_HAS(out, "the text has come\n");
  ASSERT_EQ(cycles_of(out).size(), 1u) << out;
  EXPECT_HAS(avrlan.process().finish().out, "hello");
}

// Of whole rounds of the loop, so that it is known what they take.
TEST(Gdb, ProfilesASpan) {
  const Avrlan avrlan(uno());
  const std::string out = avrlan.gdb({"break outer if n == 20", "continue", "monitor profile", "monitor profile on",
                                      "monitor cycles", "delete", "break outer if n == 40", "continue",
                                      "monitor cycles", "monitor profile off", "monitor profile"});
  std::smatch before, after;
  const std::regex cycles("active ([0-9]+), in interrupts ([0-9]+) of these, asleep ([0-9]+)");
  ASSERT_TRUE(std::regex_search(out, before, cycles)) << out;
  const std::string behind = before.suffix();
  ASSERT_TRUE(std::regex_search(behind, after, cycles)) << out;
  const auto passed = [&](std::size_t n) { return std::stol(after[n]) - std::stol(before[n]); };
  EXPECT_HAS(out, std::to_string(passed(1)) + " cycles active, " + std::to_string(passed(3)) + " asleep\n");
  std::map<std::string, std::pair<long, long>> functions;
  const std::regex row("\n +([0-9]+) +[0-9.]+ +[0-9]+ +([0-9]+)  (\\w+)");
  for (auto at = std::sregex_iterator(out.begin(), out.end(), row); at != std::sregex_iterator(); ++at)
    functions[(*at)[3]] = {std::stol((*at)[1]), std::stol((*at)[2])};
  ASSERT_EQ(functions.size(), 4u) << out;
  EXPECT_EQ(functions["__vector_14"], (std::pair{passed(2), 20L})) << out;
  EXPECT_EQ(functions["add"].second, 40) << out;
  EXPECT_EQ(functions["outer"].second, 20) << out;
  EXPECT_EQ(functions["add"].first + functions["outer"].first + functions["main"].first, passed(1) - passed(2)) << out;
  EXPECT_HAS(out, "there is no profile");
}

TEST(Gdb, GoesBackToSnapshots) {
  const Avrlan avrlan(uno());
  const std::string out = avrlan.gdb({"monitor snapshot start",
                                      "break add if a == 20",
                                      "continue",
                                      "monitor snapshot at twenty",
                                      "monitor cycles",
                                      "delete",
                                      "break add if a == 40",
                                      "continue",
                                      "delete",
                                      "monitor restore at twenty",
                                      "reverse-continue",
                                      "monitor cycles",
                                      "printf \"a=%d\\n\", a",
                                      "monitor restore start",
                                      "reverse-continue",
                                      "monitor cycles",
                                      "monitor snapshot",
                                      "monitor restore none",
                                      "monitor restore",
                                      "continue",
                                      "printf \"a=%d\\n\", a",
                                      "monitor restore",
                                      "set variable ticks = 1",
                                      "monitor restore"});
  const std::vector<long> cycles = cycles_of(std::regex_replace(out, std::regex(": cycle"), ""));
  ASSERT_EQ(cycles.size(), 3u) << out;
  EXPECT_EQ(cycles[1], cycles[0]) << out;
  EXPECT_EQ(cycles[2], 0) << out;
  EXPECT_HAS(out, "a=20\n");
  EXPECT_HAS(out, "start: cycle 0\nat twenty: cycle " + std::to_string(cycles[0]) + "\n");
  EXPECT_HAS(out, "there is no snapshot none");
  EXPECT_HAS(out, "a=40\n") << "forward to the present, whatever was to be gone back to";
  EXPECT_HAS(out, "there is no snapshot;") << "after a change by hand";
}

// What Visual Studio Code and CLion speak.
TEST(Gdb, UnderstandsTheMachineInterface) {
  const Avrlan avrlan(uno());
  const Completed done =
      run({"sh", "-c",
           "printf '%s\\n' '-gdb-set mi-async off' '-target-select remote " + avrlan.endpoint() +
               "' '-break-insert add' '-exec-continue' '-stack-list-frames' '-stack-list-variables 1' "
               "'-exec-finish' '-exec-next' '-data-evaluate-expression origin' '-thread-info' "
               "'-exec-next --reverse' '-target-detach' '-gdb-exit' | avr-gdb -nx -q -i=mi " +
               uno()});
  EXPECT_HAS(done.out, "reason=\"breakpoint-hit\"");
  EXPECT_HAS(done.out, "func=\"main\"");
  EXPECT_HAS(done.out, "{name=\"a\",arg=\"1\",value=\"0\"}");
  EXPECT_HAS(done.out, "reason=\"function-finished\"");
  EXPECT_HAS(done.out, "reason=\"end-stepping-range\"");
  EXPECT_HAS(done.out, "value=\"{x = 3, y = -4}\"");
  EXPECT_HAS(done.out, "current-thread-id=\"1\"");
  EXPECT_FALSE(has(done.out, "^error")) << done.out;
}

TEST(Gdb, SaysWhatItCannotDo) {
  const Completed profiled = run({AVRLAN_PROGRAM, "run", uno(), "--gdb", "0", "--profile"});
  EXPECT_EQ(profiled.status, 64);
  EXPECT_HAS(profiled.err, "leave out --gdb");
  const Completed simavr = run({AVRLAN_PROGRAM, "run", uno(), "--gdb", "0", "--engine", "simavr"});
  EXPECT_EQ(simavr.status, 64);
  EXPECT_HAS(simavr.err, "--engine simavr");
  const Completed port = run({AVRLAN_PROGRAM, "run", uno(), "--gdb=no"});
  EXPECT_EQ(port.status, 64);
  EXPECT_HAS(port.err, "'no' is no port");

  Avrlan avrlan(uno());
  const std::string out =
      avrlan.gdb({"monitor", "monitor reset x", "monitor cycles 1", "monitor nic EIR x", "monitor run-until cycle 100",
                  "continue", "monitor run-until cycle 100", "kill"});
  EXPECT_HAS(out, "break-frame [FILTER");
  EXPECT_HAS(out, "reset takes nothing, and 'x' was given");
  EXPECT_HAS(out, "cycles takes nothing, and '1' was given");
  EXPECT_HAS(out, "'EIR x' is neither a register nor octets of memory");
  EXPECT_HAS(out, "cycle 100 has been: this is cycle 103;");
}

}  // namespace
}  // namespace avrlan::test
