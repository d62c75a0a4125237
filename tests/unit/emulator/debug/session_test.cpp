// Commands that avr-gdb does not send by itself, and answers that it does not show.
#include "emulator/debug/session.hpp"

#include <gtest/gtest.h>

#include "emulator/board/board.hpp"
#include "emulator/board/firmware.hpp"
#include "emulator/cli/simulation.hpp"

namespace avrlan::debug {
namespace {

// ldi r16, 1; lds r17, 0x0100; sts 0x0101, r17; push r16; pop r18; sbi PORTB, 1; nop; rjmp .-2
Firmware program() {
  Firmware firmware;
  firmware.flash = {0x01, 0xE0, 0x10, 0x91, 0x00, 0x01, 0x10, 0x93, 0x01, 0x01,
                    0x0F, 0x93, 0x2F, 0x91, 0x29, 0x9A, 0x00, 0x00, 0xFE, 0xCF};
  return firmware;
}

struct SessionTest : testing::Test {
  static SimulationOptions alone() {
    SimulationOptions options;
    options.net = {};
    return options;
  }
  Firmware firmware = program();
  Simulation simulation{find_board("uno-enc28j60"), firmware, alone()};
  Machine& machine = simulation.machine();
  Target target{machine, simulation.nic()};
  std::string monitored;
  Session session{target, [this](std::string_view command) {
                    monitored = command;
                    return std::string("seen\n");
                  }};

  std::string reply(std::string_view packet) { return session.handle(packet).reply.value_or("none"); }
  // Runs until it stops by itself, or for 100 ms.
  std::string run(std::string_view packet) {
    EXPECT_EQ(session.handle(packet).action, Action::resume) << packet;
    machine.run_until(machine.now() + Duration::milliseconds(100));
    return machine.stopped() ? session.stopped(5, target.stop_reason()) : "runs";
  }
  void start() { run("s"); }  // the start-up time is over, one instruction done
};

TEST_F(SessionTest, ReadsAndWritesRegisters) {
  EXPECT_EQ(reply("g").size(), 2u * (32 + 1 + 2 + 4));
  EXPECT_EQ(reply("P10=7f"), "OK");
  EXPECT_EQ(reply("p10"), "7f");
  EXPECT_EQ(reply("P21=fe08"), "OK");
  EXPECT_EQ(reply("p21"), "fe08");
  EXPECT_EQ(reply("P20=ff"), "OK");
  EXPECT_EQ(reply("p20"), "ff");
  EXPECT_EQ(reply("P22=06000000"), "OK");
  EXPECT_EQ(reply("p22"), "06000000");
  EXPECT_EQ(reply("P22=07000000"), "E01") << "odd";
  EXPECT_EQ(reply("P22=00000100"), "E01") << "outside the flash";
  EXPECT_EQ(reply("p23"), "E01");
  EXPECT_EQ(reply("P10=7f7f"), "E01");
  const std::string all = reply("g");
  EXPECT_EQ(reply("G" + all), "OK");
  EXPECT_EQ(reply("g"), all);
  EXPECT_EQ(reply("G00"), "E01");
}

TEST_F(SessionTest, ReadsAndWritesMemory) {
  EXPECT_EQ(reply("m0,4"), "01e01091");
  EXPECT_EQ(reply("M800100,2:1234"), "OK");
  EXPECT_EQ(reply("m800100,2"), "1234");
  EXPECT_EQ(reply(std::string("X800100,2:}\x03") + "a"), "OK");
  EXPECT_EQ(reply("m800100,2"), "2361");
  EXPECT_EQ(reply("X800100,0:"), "OK");
  EXPECT_EQ(reply("m8008ff,10"), "00") << "as much as there is";
  EXPECT_EQ(reply("m800900,1"), "E01");
  EXPECT_EQ(reply("M8008ff,2:0000"), "E01");
  EXPECT_EQ(reply("M810000,1:21"), "OK");
  EXPECT_EQ(reply("m810000,2"), "21ff");
  EXPECT_EQ(reply("m840000,3"), "1e950f");
  EXPECT_EQ(reply("M840000,1:1e"), "OK");
  EXPECT_EQ(reply("M840000,1:1f"), "E01") << "nobody can change it";
  EXPECT_EQ(reply("m0,ffffffff").size(), 2u * 32768);
  EXPECT_EQ(reply("mffffffff,1"), "E01");
  EXPECT_EQ(reply("qCRC:0,4").front(), 'C');
  for (const char* bad : {"m", "m0", "m,", "m0,", "mg,1", "M0,1", "M0,2:00", "X0,1:"})
    EXPECT_EQ(reply(bad), "E01") << bad;
}

TEST_F(SessionTest, ProgramsTheFlash) {
  EXPECT_EQ(reply("vFlashErase:00000080,80"), "OK");
  EXPECT_EQ(reply("vFlashWrite:80:\x12\x34"), "OK");
  EXPECT_EQ(reply("vFlashDone"), "OK");
  EXPECT_EQ(reply("m80,3"), "1234ff");
  EXPECT_EQ(reply("vFlashWrite:800100:x"), "E.memtype");
  EXPECT_EQ(reply("vFlashErase:7fff,2"), "E01");
}

TEST_F(SessionTest, StepsAndStops) {
  start();
  EXPECT_EQ(machine.pc(), 2u);
  EXPECT_EQ(run("s"), "T0520:00;21:ff08;22:06000000;thread:1;");
  EXPECT_EQ(reply("?"), "T0520:00;21:ff08;22:06000000;thread:1;");
  EXPECT_EQ(reply("Z0,a,2"), "OK");
  EXPECT_EQ(run("vCont;c").substr(0, 12), "T05swbreak:;");
  EXPECT_EQ(machine.pc(), 0xau);
  EXPECT_EQ(reply("Z1,c,2"), "OK");
  EXPECT_EQ(run("vCont;c").substr(0, 12), "T05hwbreak:;");
  EXPECT_EQ(machine.pc(), 0xcu) << "and goes on from a breakpoint";
  EXPECT_EQ(reply("z0,a,2"), "OK");
  EXPECT_EQ(run("vCont;rc,14:1;c"), "runs") << "the loop is in the range";
  EXPECT_EQ(reply("Z0,8000,2"), "E01");
  EXPECT_EQ(reply("Z0,800100,2"), "E01");
  EXPECT_EQ(reply("Z5,0,2"), "");
}

TEST_F(SessionTest, WatchesLoadsAndStores) {
  start();
  EXPECT_EQ(reply("Z3,800100,1"), "OK");
  EXPECT_EQ(reply("Z2,800101,1"), "OK");
  EXPECT_EQ(run("c").substr(0, 17), "T05rwatch:800100;");
  EXPECT_EQ(machine.pc(), 6u);
  EXPECT_EQ(run("c").substr(0, 16), "T05watch:800101;");
  EXPECT_EQ(machine.pc(), 0xau);
  EXPECT_EQ(reply("Z4,8008ff,1"), "OK") << "the stack";
  EXPECT_EQ(run("c").substr(0, 17), "T05awatch:8008ff;");
  EXPECT_EQ(run("c").substr(0, 17), "T05awatch:8008ff;");
  EXPECT_EQ(machine.pc(), 0xeu);
  EXPECT_EQ(reply("Z2,800025,1"), "OK") << "PORTB, by SBI";
  EXPECT_EQ(run("c").substr(0, 16), "T05watch:800025;");
  EXPECT_EQ(reply("z2,800025,1"), "OK");
  EXPECT_EQ(reply("P22=0e000000"), "OK");
  EXPECT_EQ(run("c"), "runs");
  EXPECT_EQ(reply("Z2,800900,1"), "E01");
  EXPECT_EQ(reply("Z2,8008ff,2"), "E01");
}

TEST_F(SessionTest, ShowsTheChipsRegistersButDoesNotWriteThem) {
  EXPECT_EQ(reply("m8a001e,2"), "8000") << "ECON2, ECON1";
  EXPECT_EQ(reply("M8a001f,1:03"), "E01");
  EXPECT_EQ(reply("m8a001f,1"), "00");
  EXPECT_EQ(reply("m8a0080,ffff").size(), 2u * 2 * 0x15) << "the PHY's up to PHLCON";
  EXPECT_NE(reply("qXfer:memory-map:read::0,1000").find("type=\"rom\" start=\"0x8a0000\""), std::string::npos);
  EXPECT_EQ(reply("Z2,8a001f,1"), "OK");
  EXPECT_EQ(reply("Z2,8a001e,2"), "OK");
  EXPECT_EQ(reply("Z2,8a0018,1"), "E01") << "there is none";
  EXPECT_EQ(reply("Z2,8a0019,4"), "E01");
  EXPECT_EQ(reply("Z2,8a00a9,2"), "E01");
  EXPECT_EQ(reply("Z0,8a001f,2"), "E01");
}

// A breakpoint is not missed where a slice of time ends just before it.
TEST_F(SessionTest, StopsAtABreakpointWhereTheLastRunEnded) {
  start();
  const Instant start_of_sts = machine.now() + Duration::picoseconds(2 * 62'500);
  machine.observe({});
  machine.run_until(start_of_sts);
  ASSERT_EQ(machine.pc(), 6u);
  EXPECT_EQ(reply("Z0,6,2"), "OK");
  EXPECT_EQ(run("c").substr(0, 12), "T05swbreak:;");
  EXPECT_EQ(machine.now(), start_of_sts);
}

TEST_F(SessionTest, DescribesItself) {
  EXPECT_NE(reply("qXfer:features:read:target.xml:0,1000").find("<architecture>avr:5<"), std::string::npos);
  EXPECT_NE(reply("qXfer:memory-map:read::0,1000").find("type=\"flash\" start=\"0x0\" length=\"0x8000\""),
            std::string::npos);
  EXPECT_EQ(reply("qXfer:memory-map:read::0,4"), "m<?xm");
  EXPECT_EQ(reply("qXfer:memory-map:read::ffffff,4"), "E01");
  EXPECT_EQ(reply("qRcmd,68656c70"), "7365656e0a");
  EXPECT_EQ(monitored, "help");
  EXPECT_EQ(reply("vMustReplyEmpty"), "");
  EXPECT_EQ(reply(""), "");
}

TEST_F(SessionTest, SaysWhatIsToBeDone) {
  EXPECT_EQ(session.handle("QStartNoAckMode").action, Action::no_acks);
  EXPECT_EQ(session.handle("D").action, Action::detach);
  EXPECT_EQ(session.handle("k").action, Action::kill);
  EXPECT_EQ(session.handle("vKill;1").action, Action::kill);
}

TEST_F(SessionTest, StartsAgainByReset) {
  start();
  start();
  EXPECT_EQ(reply("vRun;").substr(0, 3), "T05");
  EXPECT_EQ(machine.pc(), 0u);
}

}  // namespace
}  // namespace avrlan::debug
