#include "emulator/net/trace_reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <string_view>

#include "emulator/board/host_error.hpp"
#include "emulator/board/read_file.hpp"
#include "emulator/net/pcapng.hpp"

namespace avrlan::net {
namespace {

using namespace pcapng;

constexpr const char* how_to_record = "record one with `avrlan run FIRMWARE --record FILE`";

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : name_(file.string()), text_(read_file(file, how_to_record)) {}

  Trace read() {
    check_kind();
    while (at_ < text_.size()) block();
    if (!has_interface_) damaged("it ends before any interface is described");
    return std::move(trace_);
  }

 private:
  struct Option {
    std::uint16_t code;
    std::size_t at;
    std::size_t length;
  };

  [[noreturn]] void refuse(const std::string& why) const {
    throw UsageError(fmt::format("{} {}", name_, why), how_to_record);
  }
  [[noreturn]] void damaged(const std::string& how) const {
    refuse(fmt::format("is damaged at octet {}: {}", block_at_, how));
  }

  std::uint64_t number(std::size_t at, std::size_t octets) const {
    std::uint64_t value = 0;
    for (std::size_t n = 0; n < octets; ++n) {
      const std::size_t from = at + (big_endian_ ? n : octets - 1 - n);
      value = value << 8 | static_cast<std::uint8_t>(text_[from]);
    }
    return value;
  }
  std::uint16_t number16(std::size_t at) const { return static_cast<std::uint16_t>(number(at, 2)); }
  std::uint32_t number32(std::size_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }

  void check_kind() {
    if (text_.empty()) refuse("is empty");
    if (text_.size() >= 4) {
      for (const bool big : {false, true}) {
        big_endian_ = big;
        const std::uint32_t magic = number32(0);
        // libpcap's pcap-savefile(5): microseconds and nanoseconds.
        if (magic == 0xa1b2c3d4 || magic == 0xa1b23c4d) refuse("is a classic pcap, which says nothing of cycles");
      }
      if (number32(0) != section_header_block) refuse("is no pcapng capture");
    }
    if (text_.size() < 12) damaged("the file is cut short");
    big_endian_ = number32(8) == byte_order_magic;
    if (!big_endian_ && number32(8) != byte_order_magic) damaged("it has an unknown byte order");
  }

  void block() {
    block_at_ = at_;
    if (text_.size() - at_ < 12) damaged("the file is cut short");
    const std::uint32_t type = number32(at_);
    const std::size_t length = number32(at_ + 4);
    if (length < 12 || length % 4 != 0) damaged(fmt::format("a block of {} octets cannot be", length));
    if (length > text_.size() - at_) damaged("the file is cut short");
    body_end_ = at_ + length - 4;
    if (number32(body_end_) != length) damaged("the two lengths of a block differ");
    at_ += 8;
    switch (type) {
      case section_header_block:
        section();
        break;
      case interface_description_block:
        interface();
        break;
      case enhanced_packet_block:
        packet();
        break;
      case interface_statistics_block:
        statistics();
        break;
      case 2:  // the obsolete packet block
      case 3:  // simple packet block
        damaged("a frame without a cycle, as avrlan never writes it");
      default:
        break;
    }
    at_ = body_end_ + 4;
  }

  // The block has so many octets in front of its options.
  void need(std::size_t octets) const {
    if (body_end_ - at_ < octets) damaged("a block is too short for what it has to say");
  }

  std::vector<Option> options(std::size_t at) const {
    std::vector<Option> all;
    while (body_end_ - at >= 4) {
      const Option option{number16(at), at + 4, number16(at + 2)};
      if (option.code == opt_endofopt) break;
      const std::size_t padded = (option.length + 3) / 4 * 4;
      if (padded > body_end_ - option.at) damaged("an option is longer than its block");
      all.push_back(option);
      at = option.at + padded;
    }
    return all;
  }
  std::uint64_t value(const Option& option, std::size_t octets) const {
    if (option.length != octets) damaged(fmt::format("option {} has {} octets", option.code, option.length));
    return number(option.at, octets);
  }
  std::string text(const Option& option) const { return text_.substr(option.at, option.length); }

  Instant time(std::size_t at) const {
    const std::uint64_t nanoseconds = std::uint64_t{number32(at)} << 32 | number32(at + 4);
    constexpr std::uint64_t longest = 100ULL * 24 * 3600 * 1'000'000'000;  // what picoseconds can hold
    if (nanoseconds > longest) damaged("a time beyond 100 days");
    return Instant::at(Duration::nanoseconds(static_cast<std::int64_t>(nanoseconds)));
  }

  void section() {
    if (block_at_ != 0) damaged("a second section, as avrlan never writes it");
    need(16);
    if (number16(at_ + 4) != 1) damaged(fmt::format("version {} of pcapng", number16(at_ + 4)));
    for (const Option& option : options(at_ + 16)) {
      if (option.code == opt_comment && trace_.comment.empty()) trace_.comment = text(option);
    }
  }

  void interface() {
    if (has_interface_) damaged("a second interface, as avrlan never writes it");
    has_interface_ = true;
    need(8);
    if (number16(at_) != linktype_ethernet) damaged("its frames are not Ethernet's");
    bool in_nanoseconds = false;
    for (const Option& option : options(at_ + 8))
      in_nanoseconds |= option.code == if_tsresol && value(option, 1) == nanoseconds;
    if (!in_nanoseconds) damaged("its times are not in nanoseconds");
  }

  void packet() {
    need(20);
    if (!has_interface_ || number32(at_) != 0) damaged("a frame of an interface that is not described");
    if (trace_.end) damaged("a frame after the end of the run");
    const std::size_t captured = number32(at_ + 12);
    const std::size_t padded = (captured + 3) / 4 * 4;
    if (padded > body_end_ - at_ - 20) damaged("a frame is longer than its block");
    if (captured != number32(at_ + 16)) damaged("a frame was not captured whole");
    TraceFrame frame;
    frame.at = time(at_ + 4);
    std::optional<std::uint64_t> cycle;
    std::optional<std::uint32_t> flags;
    std::string note;
    for (const Option& option : options(at_ + 20 + padded)) {
      if (option.code == epb_packetid) cycle = value(option, 8);
      if (option.code == epb_flags) flags = static_cast<std::uint32_t>(value(option, 4));
      if (option.code == opt_comment && note.empty()) note = text(option);
    }
    const std::size_t n = trace_.frames.size() + 1;
    if (!cycle || *cycle > static_cast<std::uint64_t>(Cycles::never().count))
      refuse(fmt::format("does not say at which cycle frame {} passed", n));
    frame.cycle = static_cast<std::int64_t>(*cycle);
    const std::uint32_t direction = flags.value_or(0) & 3;
    if (direction != flag_inbound && direction != flag_outbound)
      refuse(fmt::format("does not say which way frame {} went", n));
    frame.to_board = direction == flag_inbound;
    const auto octets = std::as_bytes(std::span(text_).subspan(at_ + 20, captured));
    std::vector<std::uint8_t> copy;
    for (const std::byte octet : octets) copy.push_back(std::to_integer<std::uint8_t>(octet));
    frame.frame = EthernetFrame::with_fcs(copy);
    read_note(note, frame, (*flags & flag_crc_error) != 0);
    if (!trace_.frames.empty() && (frame.at < trace_.frames.back().at || frame.cycle < trace_.frames.back().cycle))
      damaged(fmt::format("frame {} lies before the one in front of it", n));
    trace_.frames.push_back(std::move(frame));
  }

  // "entered 1234500 ps, FCS 0123abcd"
  void read_note(std::string_view note, TraceFrame& frame, bool wrong_fcs) const {
    const auto bad = [&] {
      refuse(fmt::format("was not recorded for a replay: frame {} does not say {}", trace_.frames.size() + 1,
                         frame.to_board ? "when it was given to the wire" : "which FCS it had"));
    };
    const auto take = [&](std::string_view word) {
      if (!note.starts_with(word)) bad();
      note.remove_prefix(word.size());
    };
    const auto take_number = [&](auto value, int base) {
      const auto [end, error] = std::from_chars(note.data(), note.data() + note.size(), value, base);
      if (error != std::errc{}) bad();
      note.remove_prefix(static_cast<std::size_t>(end - note.data()));
      return value;
    };
    if (frame.to_board) {
      take("entered ");
      frame.entered = Instant::at(Duration::picoseconds(take_number(std::int64_t{}, 10)));
      take(" ps");
      if (frame.entered > frame.at + Duration::nanoseconds(1) || frame.entered < Instant{}) bad();
      if (wrong_fcs) take(", ");
    }
    if (!wrong_fcs) return;
    take("FCS ");
    frame.frame.fcs = take_number(std::uint32_t{}, 16);
  }

  void statistics() {
    need(12);
    if (trace_.end) damaged("the run ends twice");
    for (const Option& option : options(at_ + 12)) {
      if (option.code == opt_comment) trace_.end = Trace::End{time(at_ + 4), text(option)};
    }
  }

  std::string name_;
  std::string text_;
  bool big_endian_ = false;
  std::size_t at_ = 0;
  std::size_t block_at_ = 0;
  std::size_t body_end_ = 0;
  bool has_interface_ = false;
  Trace trace_;
};

}  // namespace

Trace read_trace(const std::filesystem::path& file) {
  return Reader(file).read();
}

}  // namespace avrlan::net
