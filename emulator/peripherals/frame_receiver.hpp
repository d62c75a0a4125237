#pragma once
// How a USART makes frames of samples of RxD (ATmega328P datasheet, "Asynchronous Data Reception" with its three figures
// on sampling, and "Synchronous Clock Operation").
//
// Certain: the line is sampled 16 or 8 times a bit, the start bit is synchronised to the first low sample after a high
// one and verified, each bit is the majority of samples 8, 9 and 10 (4, 5 and 6 of 8), the frame ends with these samples
// of its first stop bit, and the next start bit may begin at the sample after. In synchronous mode one sample is one bit.
// Inferred: after a stop bit that was low the line must be seen high before a start bit can begin; so a break makes one
// frame only. Changing the format within a frame applies to the bits that are still to come.

#include <cstdint>
#include <optional>

namespace avrlan::peripherals {

enum class Parity : std::uint8_t { none, even, odd };

struct FrameFormat {
  int data_bits = 8;  // 5 to 9
  Parity parity = Parity::none;
  int stop_bits = 1;

  // Start bit included, stop bits not.
  int bits_before_stop() const { return 1 + data_bits + (parity == Parity::none ? 0 : 1); }
  int bits() const { return bits_before_stop() + stop_bits; }
  std::uint16_t data_mask() const { return static_cast<std::uint16_t>((1u << data_bits) - 1); }
  // Level of bit number `bit`, counted from the start bit, of the frame that carries `data`.
  bool level(std::uint16_t data, int bit) const;
  bool parity_bit(std::uint16_t data) const;

  friend bool operator==(const FrameFormat&, const FrameFormat&) = default;
};

struct Sampling {
  int per_bit;     // 16, 8, or 1 in synchronous mode
  int first_vote;  // offset of the first sample that decides, from the first of its bit
  int votes;       // 3, or 1

  int last_vote() const { return first_vote + votes - 1; }
};
inline constexpr Sampling sampling_16{16, 7, 3};
inline constexpr Sampling sampling_8{8, 3, 3};
inline constexpr Sampling sampling_once{1, 0, 1};

class FrameReceiver {
 public:
  struct Frame {
    std::uint16_t data;
    bool stop_bit;
    bool parity_error;
  };
  enum class Event : std::uint8_t { none, start, frame };  // `start`: a start bit was verified

  FrameFormat format;
  Sampling sampling = sampling_16;

  // Waits for a start bit from sample `from` on; the sample before it was `high`.
  void hunt(std::int64_t from, bool high);
  bool hunting() const { return bit_ < 0; }
  // While hunting: the level for as long as which nothing happens.
  bool waits_at() const { return high_; }
  // The next sample that matters, by number.
  std::int64_t next() const;
  // Takes that sample.
  Event step(bool high);
  // While hunting: all samples before `sample` are as waits_at() says.
  void skip_to(std::int64_t sample) { cursor_ = sample > cursor_ ? sample : cursor_; }
  // The sample that ends the frame whose first sample is `first`.
  std::int64_t last_sample(std::int64_t first) const;
  // The frame under way; not while hunting.
  std::int64_t last_sample() const { return last_sample(cursor_); }
  // What the last `frame` was.
  const Frame& frame() const { return frame_; }

 private:
  Event decide(bool high);
  Event end_of_frame(bool stop_bit);

  std::int64_t cursor_ = 0;  // hunting: the next sample; else the first sample of the start bit
  bool high_ = true;
  int bit_ = -1;  // -1 hunting, 0 the start bit, 1 the first data bit ...
  int votes_ = 0;
  int highs_ = 0;
  std::uint16_t shift_ = 0;
  bool parity_error_ = false;
  Frame frame_{};
};

}  // namespace avrlan::peripherals
