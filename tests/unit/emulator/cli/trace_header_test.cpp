#include "emulator/cli/trace_header.hpp"

#include <gtest/gtest.h>

#include "emulator/board/host_error.hpp"
#include "emulator/cli/nic_options.hpp"

namespace avrlan {
namespace {

TraceRun read_again(const SimulationOptions& options) {
  Firmware firmware;
  firmware.path = "somewhere/web.elf";
  firmware.sha256 = "0123";
  net::Trace trace;
  trace.comment = trace_header(find_board("mega-enc28j60"), firmware, options, "--net user");
  return read_trace_run("t.pcapng", trace);
}

TEST(TraceHeader, SaysWhatWasRun) {
  const TraceRun run = read_again({});
  EXPECT_EQ(run.firmware_name, "web.elf");
  EXPECT_EQ(run.firmware_sha256, "0123");
  EXPECT_EQ(run.board, find_board("mega-enc28j60"));
  EXPECT_EQ(run.network, "--net user");
  EXPECT_FALSE(run.end);
}

TEST(TraceHeader, KeepsEveryOptionThatTheBoardIsRunWith) {
  SimulationOptions options;
  options.machine.mcu = "atmega1280";
  options.machine.hz = 14'745'600;
  options.machine.engine = EngineKind::simavr;
  options.machine.uart = 2;
  options.machine.uart_baud = 9600;
  options.machine.eeprom = {{0, {2, 3}}, {0x10, {0xCA}}};
  options.machine.analog = {
      {AnalogPin::adc(3), {{Instant{}, {2'500'001}}}},
      {AnalogPin::ain(1), {{Instant{}, {-1}}, {Instant::at(Duration::picoseconds(20'000'000'001)), {3'300'000}}}}};
  options.nic = parse_nic_options("enc28j60", "B5", "receive-start-lost=on,link-pulse-collision-every=7");
  options.cable = {{Instant{}, false}, {Instant::at(Duration::picoseconds(7)), true}};
  options.diagnostics.add("warning=error,enc28j60-overflow=ignore");
  const SimulationOptions read = read_again(options).options;

  EXPECT_EQ(read.machine.mcu, options.machine.mcu);
  EXPECT_EQ(read.machine.hz, options.machine.hz);
  EXPECT_EQ(read.machine.engine, options.machine.engine);
  EXPECT_EQ(read.machine.uart, options.machine.uart);
  EXPECT_EQ(read.machine.uart_baud, options.machine.uart_baud);
  ASSERT_EQ(read.machine.eeprom.size(), 2u);
  EXPECT_EQ(read.machine.eeprom[0].octets, options.machine.eeprom[0].octets);
  EXPECT_EQ(read.machine.eeprom[1].address, 0x10);
  ASSERT_EQ(read.machine.analog.size(), 2u);
  for (std::size_t n = 0; n < 2; ++n) {
    const AnalogSignal &was = options.machine.analog[n], &is = read.machine.analog[n];
    EXPECT_EQ(is.pin, was.pin);
    ASSERT_EQ(is.steps.size(), was.steps.size());
    for (std::size_t step = 0; step < was.steps.size(); ++step) {
      EXPECT_EQ(is.steps[step].from, was.steps[step].from);
      EXPECT_EQ(is.steps[step].voltage, was.steps[step].voltage);
    }
  }
  EXPECT_EQ(read.nic.enc28j60.revision, options.nic.enc28j60.revision);
  EXPECT_EQ(errata_text(read.nic.enc28j60), errata_text(options.nic.enc28j60));
  ASSERT_EQ(read.cable.size(), 2u);
  for (std::size_t n = 0; n < 2; ++n) {
    EXPECT_EQ(read.cable[n].when, options.cable[n].when);
    EXPECT_EQ(read.cable[n].in, options.cable[n].in);
  }
  EXPECT_EQ(read.diagnostics.severity("enc28j60-overflow", Severity::warning), std::nullopt);
  EXPECT_EQ(read.diagnostics.severity("enc28j60-other", Severity::warning), Severity::error);
}

TEST(TraceHeader, ErrataAreThoseOfTheRunWhateverTheDefaultIsLater) {
  const Enc28j60Options all_off = parse_nic_options("enc28j60", "B7", "all=off").enc28j60;
  EXPECT_EQ(errata_text(all_off).find("=on"), std::string::npos);
  EXPECT_EQ(errata_text(parse_nic_options("enc28j60", "B7", errata_text(all_off)).enc28j60), errata_text(all_off));
}

// What is said of a recording with this comment.
std::string complaint(const std::string& comment) {
  net::Trace trace;
  trace.comment = comment;
  try {
    read_trace_run("t.pcapng", trace);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(TraceHeader, SaysWhatIsWrongWithIt) {
  const auto damaged = [](const std::string& from, const std::string& to) {
    Firmware firmware;
    std::string text = trace_header(find_board("uno-enc28j60"), firmware, {}, "");
    return complaint(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(complaint(""), "t.pcapng was not recorded for a replay: it does not say what was run");
  EXPECT_EQ(complaint("avrlan firmware=web.elf"), complaint(""));
  EXPECT_EQ(complaint("{}"), complaint(""));
  EXPECT_EQ(damaged("trace-1", "trace-2"),
            "t.pcapng is of another version of avrlan (avrlan-trace-2, not avrlan-trace-1)");
  EXPECT_EQ(damaged("\"hz\":0", "\"hz\":-1"), "t.pcapng is damaged: hz is no whole number from 0 on");
  EXPECT_EQ(damaged("\"hz\":0", "\"hz\":100000001"), "t.pcapng is damaged: hz is more than 100 MHz");
  EXPECT_EQ(damaged("\"uart\":null", "\"uart\":4294967296"), "t.pcapng is damaged: uart is no USART of an AVR");
  EXPECT_EQ(damaged("\"cable\":[]", "\"cable\":[{\"in\":true}]"), "t.pcapng is damaged: cable[0].ps is missing");
  EXPECT_EQ(damaged("\"engine\":\"exact\"", "\"engine\":\"other\""),
            "t.pcapng is damaged: engine is neither exact nor simavr");
}

}  // namespace
}  // namespace avrlan
