#include "emulator/board/analog_signal.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "emulator/board/host_error.hpp"

namespace avrlan {
namespace {

TEST(AnalogSignal, IsAPinAndAVoltage) {
  const AnalogSignal signal = AnalogSignal::parse("adc3=2.5V");
  EXPECT_EQ(signal.pin.index, AnalogPin::adc(3).index);
  ASSERT_EQ(signal.steps.size(), 1U);
  EXPECT_EQ(signal.steps[0].voltage.microvolts, 2'500'000);
  EXPECT_EQ(AnalogSignal::parse("aref=3300mV").steps[0].voltage.microvolts, 3'300'000);
  EXPECT_EQ(AnalogSignal::parse("avcc=3.3").pin.index, AnalogPin::avcc().index);
  EXPECT_EQ(AnalogSignal::parse("ain1=-1V").steps[0].voltage.microvolts, -1'000'000);
}

TEST(AnalogSignal, CanBeAFileOfSteps) {
  const auto path = std::filesystem::temp_directory_path() / "avrlan-analog-signal-test.txt";
  std::ofstream(path) << "# a ramp\n0 1V\n\n20ms 1.2V # up\n1.5s\t2500mV\n";
  const AnalogSignal signal = AnalogSignal::parse("adc15=@" + path.string());
  ASSERT_EQ(signal.steps.size(), 3U);
  EXPECT_EQ(signal.steps[0].from, Instant{});
  EXPECT_EQ(signal.steps[1].from, Instant::at(Duration::milliseconds(20)));
  EXPECT_EQ(signal.steps[1].voltage.microvolts, 1'200'000);
  EXPECT_EQ(signal.steps[2].voltage.microvolts, 2'500'000);
  for (const char* bad : {"", "1ms\n", "2ms 1V\n1ms 2V\n", "soon 1V\n", "1ms much\n"}) {
    std::ofstream(path) << bad;
    EXPECT_THROW(AnalogSignal::parse("adc15=@" + path.string()), UsageError) << bad;
  }
  std::filesystem::remove(path);
  EXPECT_THROW(AnalogSignal::parse("adc15=@" + path.string()), UsageError);
}

TEST(AnalogSignal, ReadsNoDevice) {
  EXPECT_THROW(AnalogSignal::parse("adc0=@/dev/zero"), UsageError);
  EXPECT_THROW(AnalogSignal::parse("adc0=@/tmp"), UsageError);
}

TEST(AnalogSignal, PinsHaveNames) {
  for (const char* name : {"adc0", "adc15", "ain0", "ain1", "aref", "avcc"})
    EXPECT_EQ(AnalogSignal::parse(name + std::string("=1V")).pin.name(), name);
}

TEST(AnalogSignal, SaysWhatIsWrong) {
  for (const char* bad : {"", "adc0", "adc0=", "adc16=1V", "adc=1V", "adc0x=1V", "ain2=1V", "vcc=5V", "adc0=5A",
                          "adc0=51V", "adc0=1V2"}) {
    try {
      AnalogSignal::parse(bad);
      ADD_FAILURE() << bad;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string{error.what()}.find("--analog"), std::string::npos) << bad;
    }
  }
}

}  // namespace
}  // namespace avrlan
