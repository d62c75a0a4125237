// What a timer does by itself: interrupt lines and pins at their cycles, with random stores, against the model that takes
// every cycle. Nothing looks at the timer in between, so only what it has scheduled can be right.

#include <gtest/gtest.h>

#include <random>

#include "tests/accuracy/machine/timer_reference.hpp"
#include "tests/accuracy/machine/timer_rig.hpp"

namespace avrlan::testing {
namespace {

struct Case {
  const char* mcu;
  char timer;
};

class TimerEvents : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Timers, TimerEvents,
                         ::testing::Values(Case{"atmega328p", '0'}, Case{"atmega328p", '1'}, Case{"atmega328p", '2'},
                                           Case{"atmega2560", '4'}, Case{"atmega8", '2'}, Case{"atmega32", '0'},
                                           Case{"atmega128", '3'}),
                         [](const auto& test) { return std::string{test.param.mcu} + "_timer" + test.param.timer; });

TEST_P(TimerEvents, RaiseLinesAndMovePinsAtTheCyclesOfTheModel) {
  const auto all = peripherals::timers_layout(GetParam().mcu);
  const auto timer = std::find_if(all.timers.begin(), all.timers.end(),
                                  [&](const auto& candidate) { return candidate.name == GetParam().timer; });
  ASSERT_NE(timer, all.timers.end());
  std::vector<peripherals::InterruptSource> sources = {timer->overflow};
  if (timer->capture.vector != 0) sources.push_back(timer->capture);
  for (const auto& channel : timer->channels) sources.push_back(channel.compare);

  std::mt19937 random(3);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int run = 0; run < 60; ++run) {
    TimerRig rig(GetParam().mcu);
    ReferenceTimer reference(all, *timer);
    int enabled = 0;
    const bool watched = run % 2 == 0;
    for (const auto& channel : timer->channels) {
      rig.make_output(*channel.pin);
      reference.edge();
      reference.edge();
      if (watched) rig.gpio.watch(*channel.pin, [](bool) {});
    }

    for (int step = 0; step < 150; ++step) {
      const int what = below(10);
      int address = -1, value = below(10);
      if (what == 0) {
        address = timer->tccra;
        value = below(256);
      } else if (what == 1) {
        address = timer->tccrb;
        value = (below(256) & ~7) | (below(6) == 0 ? 0 : 1 + below(2));
      } else if (what == 2) {
        address = timer->tcnt;
      } else if (what == 3) {
        address = timer->overflow.enable.address;
        value = below(256);
      } else if (what == 4) {
        address = timer->overflow.flag.address;
        value = below(256);
      } else if (what == 5 && timer->icr != 0) {
        address = timer->icr;
      } else if (what < 8 && !timer->channels.empty()) {
        address = timer->channels[static_cast<unsigned>(below(static_cast<int>(timer->channels.size())))].ocr;
      }
      if (address >= 0) {
        rig.sts(static_cast<std::uint16_t>(address), static_cast<std::uint8_t>(value));
        reference.edge();
        reference.edge_with_store(address, value);
        if (address == timer->overflow.enable.address) enabled = value;
      }
      for (int cycles = below(40); cycles >= 0; --cycles) {
        for (const auto& source : sources) {
          const bool expected = (reference.flags() & source.flag.mask) != 0 && (enabled & source.enable.mask) != 0;
          ASSERT_EQ(rig.interrupts.requested(source.vector), expected)
              << "run " << run << " step " << step << " cycle " << rig.cycle().count << " vector " << source.vector;
        }
        for (unsigned c = 0; c < timer->channels.size(); ++c) {
          const int channel = static_cast<int>(c);
          const bool expected = reference.connected(channel) && reference.output(channel);
          ASSERT_EQ(rig.gpio.level(*timer->channels[c].pin), expected)
              << "run " << run << " step " << step << " cycle " << rig.cycle().count << " channel " << c
              << (watched ? ", watched" : "");
        }
        const auto requested = std::find_if(sources.begin(), sources.end(), [&](const auto& source) {
          return rig.interrupts.requested(source.vector);
        });
        if (requested != sources.end() && below(8) == 0) {
          reference.acknowledge(requested->flag.mask);
          for (int n = 0; n < rig.response(); ++n) reference.edge();
          rig.enter(requested->vector);
          continue;
        }
        rig.advance(1);
        reference.edge();
      }
    }
  }
}

}  // namespace
}  // namespace avrlan::testing
