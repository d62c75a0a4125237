#include "emulator/net/recorder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/board/host_error.hpp"
#include "emulator/net/pcapng.hpp"

namespace avrlan::net {
namespace {

using namespace pcapng;

constexpr std::size_t buffered_octets = 64 * 1024;

// One pcapng block, little endian, finished by end().
class Block {
 public:
  explicit Block(std::vector<std::uint8_t>& out) : out_(out), start_(out.size()) {}

  void begin(std::uint32_t type) {
    put(type);
    put<std::uint32_t>(0);  // the length, written by end()
  }
  template <class Integer>
  void put(Integer value) {
    for (std::size_t i = 0; i < sizeof value; ++i) {
      out_.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
  }
  void put_padded(std::span<const std::uint8_t> octets) {
    out_.insert(out_.end(), octets.begin(), octets.end());
    out_.resize((out_.size() + 3) / 4 * 4);
  }
  template <class Integer>
  void option(std::uint16_t code, Integer value) {
    put(code);
    put(static_cast<std::uint16_t>(sizeof value));
    put(value);
    out_.resize((out_.size() + 3) / 4 * 4);
  }
  void text_option(std::uint16_t code, std::string_view text) {
    if (text.size() > longest_option)
      throw UsageError("a comment of the capture would be longer than 64 KiB", "shorten what it has to say");
    put(code);
    put(static_cast<std::uint16_t>(text.size()));
    const auto octets = std::as_bytes(std::span(text));
    for (const std::byte octet : octets) out_.push_back(std::to_integer<std::uint8_t>(octet));
    out_.resize((out_.size() + 3) / 4 * 4);
  }
  void end_of_options() {
    put(opt_endofopt);
    put<std::uint16_t>(0);
  }
  void end() {
    const auto length = static_cast<std::uint32_t>(out_.size() - start_ + 4);
    put(length);
    for (std::size_t i = 0; i < 4; ++i) out_[start_ + 4 + i] = static_cast<std::uint8_t>(length >> (8 * i));
  }

 private:
  std::vector<std::uint8_t>& out_;
  std::size_t start_;
};

}  // namespace

class Recorder::Impl {
 public:
  Impl(const std::filesystem::path& path, const Scheduler& scheduler, std::function<std::int64_t()> cycle,
       const std::string& section_comment)
      : path_(path), scheduler_(scheduler), cycle_(std::move(cycle)) {
    fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ < 0) {
      throw HostError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)),
                      "give a file in a directory that exists and that you may write to");
    }
    write_section_header(section_comment);
    write_interface();
    flush();
  }

  ~Impl() {
    // Who wants to know calls flush() first.
    try {
      flush();
    } catch (const HostError&) {
    }
    ::close(fd_);
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  FrameSink& add(FrameSink& to, std::uint32_t direction) {
    taps_.push_back(std::make_unique<Tap>(*this, to, direction));
    return *taps_.back();
  }
  FrameSink& add_entry(FrameSink& to) {
    entry_ = std::make_unique<Entry>(*this, to);
    return *entry_;
  }

  void finish(const std::string& comment) {
    const std::uint64_t now = nanoseconds_now();
    Block block(buffer_);
    block.begin(interface_statistics_block);
    block.put<std::uint32_t>(0);  // interface
    block.put(static_cast<std::uint32_t>(now >> 32));
    block.put(static_cast<std::uint32_t>(now));
    block.text_option(opt_comment, comment);
    block.end_of_options();
    block.end();
    flush();
  }

  void flush() {
    std::span<const std::uint8_t> rest(buffer_);
    while (!rest.empty()) {
      const ssize_t written = ::write(fd_, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        const int error = errno;
        buffer_.clear();
        throw HostError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(error)),
                        "make room on the disk, or record to another place");
      }
      rest = rest.subspan(static_cast<std::size_t>(written));
    }
    buffer_.clear();
  }

  std::uint64_t frames() const { return frames_; }

 private:
  class Tap : public FrameSink {
   public:
    Tap(Impl& recorder, FrameSink& to, std::uint32_t direction) : recorder_(recorder), to_(to), direction_(direction) {}
    void deliver(const EthernetFrame& frame) override {
      recorder_.record(frame, direction_);
      to_.deliver(frame);
    }

   private:
    Impl& recorder_;
    FrameSink& to_;
    std::uint32_t direction_;
  };

  // In front of the wire, which loses nothing that it was given.
  class Entry : public FrameSink {
   public:
    Entry(Impl& recorder, FrameSink& to) : recorder_(recorder), to_(to) {}
    void deliver(const EthernetFrame& frame) override {
      recorder_.entered_.push_back(recorder_.scheduler_.now());
      to_.deliver(frame);
    }

   private:
    Impl& recorder_;
    FrameSink& to_;
  };

  std::uint64_t nanoseconds_now() const {
    return static_cast<std::uint64_t>(scheduler_.now().since_start().nanoseconds());
  }

  // What a replay needs of a frame beyond its octets; nothing in a plain capture.
  std::string note(const EthernetFrame& frame, std::uint32_t direction) {
    std::string text;
    if (!entry_) return text;
    if (direction == flag_inbound) {
      text = fmt::format("entered {} ps", entered_.front().since_start().picoseconds());
      entered_.pop_front();
    }
    if (!frame.fcs_ok()) text += fmt::format("{}FCS {:08x}", text.empty() ? "" : ", ", frame.fcs);
    return text;
  }

  void write_section_header(const std::string& comment) {
    Block block(buffer_);
    block.begin(section_header_block);
    block.put(byte_order_magic);
    block.put<std::uint16_t>(1);  // version 1.0
    block.put<std::uint16_t>(0);
    block.put<std::int64_t>(-1);  // length of the section: not said
    if (!comment.empty()) block.text_option(opt_comment, comment);
    block.text_option(shb_userappl, "avrlan");
    block.end_of_options();
    block.end();
  }

  void write_interface() {
    Block block(buffer_);
    block.begin(interface_description_block);
    block.put(linktype_ethernet);
    block.put<std::uint16_t>(0);
    block.put<std::uint32_t>(0);  // no snap length
    block.text_option(if_name, "nic");
    block.option<std::uint8_t>(if_tsresol, nanoseconds);
    block.option<std::uint8_t>(if_fcslen, 0);
    block.end_of_options();
    block.end();
  }

  void record(const EthernetFrame& frame, std::uint32_t direction) {
    const std::uint64_t now = nanoseconds_now();
    const auto length = static_cast<std::uint32_t>(frame.octets.size());
    Block block(buffer_);
    block.begin(enhanced_packet_block);
    block.put<std::uint32_t>(0);  // interface
    block.put(static_cast<std::uint32_t>(now >> 32));
    block.put(static_cast<std::uint32_t>(now));
    block.put(length);
    block.put(length);
    block.put_padded(frame.octets);
    block.option(epb_flags, direction | (frame.fcs_ok() ? 0 : flag_crc_error));
    block.option(epb_packetid, cycle_());
    if (const std::string text = note(frame, direction); !text.empty()) block.text_option(opt_comment, text);
    block.end_of_options();
    block.end();
    ++frames_;
    if (buffer_.size() >= buffered_octets) flush();
  }

  std::filesystem::path path_;
  const Scheduler& scheduler_;
  std::function<std::int64_t()> cycle_;
  int fd_ = -1;
  std::vector<std::uint8_t> buffer_;
  std::vector<std::unique_ptr<Tap>> taps_;
  std::unique_ptr<Entry> entry_;
  std::deque<Instant> entered_;  // of those on the wire or waiting for it
  std::uint64_t frames_ = 0;
};

Recorder::Recorder(const std::filesystem::path& file, const Scheduler& scheduler, std::function<std::int64_t()> cycle,
                   const std::string& section_comment)
    : impl_(std::make_unique<Impl>(file, scheduler, std::move(cycle), section_comment)) {}
Recorder::~Recorder() = default;
FrameSink& Recorder::inbound(FrameSink& to) {
  return impl_->add(to, flag_inbound);
}
FrameSink& Recorder::outbound(FrameSink& to) {
  return impl_->add(to, flag_outbound);
}
FrameSink& Recorder::entry(FrameSink& to) {
  return impl_->add_entry(to);
}
void Recorder::finish(const std::string& comment) {
  impl_->finish(comment);
}
void Recorder::flush() {
  impl_->flush();
}
std::uint64_t Recorder::frames() const {
  return impl_->frames();
}

}  // namespace avrlan::net
