#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/board/firmware.hpp"
#include "emulator/net/link.hpp"

namespace avrlan::net {
namespace {

using testing::HasSubstr;

TEST(LinkOptions, ReadsEveryKey) {
  const auto options = LinkOptions::parse(
      "rate=10M,delay=10ms,jitter=1ms,loss=1%,dup=0.5,reorder=2.5%,corrupt=0.001,queue=7,seed=18446744073709551615");
  EXPECT_EQ(options.rate, 10'000'000);
  EXPECT_EQ(options.delay, Duration::milliseconds(10));
  EXPECT_EQ(options.jitter, Duration::milliseconds(1));
  EXPECT_EQ(options.loss, 0.01);
  EXPECT_EQ(options.dup, 0.5);
  EXPECT_EQ(options.reorder, 0.025);
  EXPECT_EQ(options.corrupt, 0.001);
  EXPECT_EQ(options.queue, 7U);
  EXPECT_EQ(options.seed, UINT64_MAX);
}

TEST(LinkOptions, KeepsTheDefaultsOfWhatIsNotSaid) {
  const auto options = LinkOptions::parse("delay=0");
  EXPECT_EQ(options.rate, 0);
  EXPECT_EQ(options.delay, Duration());
  EXPECT_EQ(options.queue, 64U);
  EXPECT_EQ(options.seed, 1U);
}

TEST(LinkOptions, ReadsUnits) {
  EXPECT_EQ(LinkOptions::parse("rate=0").rate, 0);
  EXPECT_EQ(LinkOptions::parse("rate=9600").rate, 9600);
  EXPECT_EQ(LinkOptions::parse("rate=500k").rate, 500'000);
  EXPECT_EQ(LinkOptions::parse("rate=1.5M").rate, 1'500'000);
  EXPECT_EQ(LinkOptions::parse("rate=1G").rate, 1'000'000'000);
  EXPECT_EQ(LinkOptions::parse("delay=100us").delay, Duration::microseconds(100));
  EXPECT_EQ(LinkOptions::parse("delay=1.5s").delay, Duration::milliseconds(1500));
  EXPECT_EQ(LinkOptions::parse("delay=800ns").delay, Duration::nanoseconds(800));
  EXPECT_EQ(LinkOptions::parse("loss=100%").loss, 1.0);
  EXPECT_EQ(LinkOptions::parse("loss=1").loss, 1.0);
}

struct Mistake {
  const char* text;
  const char* says;   // in what is wrong
  const char* hints;  // in what to do
};

class LinkOptionsMistake : public testing::TestWithParam<Mistake> {};

TEST_P(LinkOptionsMistake, IsNamedWithWhatTheKeyTakes) {
  try {
    LinkOptions::parse(GetParam().text);
    FAIL() << GetParam().text << " was taken";
  } catch (const HostError& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().says));
    EXPECT_THAT(error.hint(), HasSubstr(GetParam().hints));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, LinkOptionsMistake,
    testing::Values(Mistake{"", "'' is not of the form key=value", "--link rate="},
                    Mistake{"rate", "'rate' is not of the form key=value", "--link rate="},
                    Mistake{"rate=1M,", "'' is not of the form", "--link rate="},
                    Mistake{"speed=1M", "no key 'speed'", "rate, delay, jitter"},
                    Mistake{"rate=fast", "rate=fast", "10M, 1.5M or 500k"}, Mistake{"rate=10MB", "rate=10MB", "10M"},
                    Mistake{"rate=-1", "rate=-1", "10M"}, Mistake{"rate=0.1", "rate=0.1", "10M"},
                    Mistake{"rate=1000G", "rate=1000G", "at most 100G"},
                    Mistake{"delay=10", "delay=10", "with its unit"}, Mistake{"delay=1h", "delay=1h", "10ms"},
                    Mistake{"delay=3601s", "delay=3601s", "at most one hour"},
                    Mistake{"delay=1e3ms", "delay=1e3ms", "10ms"}, Mistake{"jitter=-1ms", "jitter=-1ms", "10ms"},
                    Mistake{"loss=nan", "loss=nan", "1% or 0.01"}, Mistake{"loss=2", "loss=2", "at most 100% or 1"},
                    Mistake{"loss=101%", "loss=101%", "at most 100%"},
                    Mistake{"queue=1.5", "queue=1.5", "a number of frames"},
                    Mistake{"queue=1000001", "queue=1000001", "1000000"}, Mistake{"seed=", "seed=", "a whole number"},
                    Mistake{"loss=1%,loss=2%", "loss is given twice", "keep one loss="}));

}  // namespace
}  // namespace avrlan::net
