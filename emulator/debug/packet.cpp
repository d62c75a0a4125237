#include "emulator/debug/packet.hpp"

#include <algorithm>
#include <utility>

#include "emulator/board/hex.hpp"

namespace avrlan::debug {

namespace {

constexpr char interrupt = 0x03;
constexpr char escape_octet = '}';
constexpr char escape_bit = 0x20;
std::uint8_t sum_of(std::string_view payload) {
  unsigned sum = 0;
  for (const char c : payload) sum += static_cast<unsigned char>(c);
  return static_cast<std::uint8_t>(sum);
}

}  // namespace

void PacketChannel::receive(std::string_view octets) {
  for (const char c : octets) {
    switch (state_) {
      case State::between:
        if (c == '$') state_ = State::payload;
        if (c == interrupt && (received_.empty() || received_.back())) received_.push_back(std::nullopt);
        if (c == '-' && acknowledging_) repeat_ = true;
        break;
      case State::payload:
        if (c == '#') {
          state_ = State::first_digit;
        } else if (c == '$') {
          payload_.clear();  // the end of the packet before was lost
        } else if (payload_.size() < longest_packet) {
          payload_ += c;
        }
        break;
      case State::first_digit:
        first_digit_ = c;
        state_ = State::second_digit;
        break;
      case State::second_digit:
        packet_ended(c);
        break;
    }
  }
}

void PacketChannel::packet_ended(char second_digit) {
  state_ = State::between;
  std::string payload = std::exchange(payload_, {});
  const int high = hex_value(first_digit_);
  const int low = hex_value(second_digit);
  const bool whole = high >= 0 && low >= 0 && payload.size() < longest_packet && sum_of(payload) == (high << 4 | low);
  if (acknowledging_) output_ += whole ? '+' : '-';
  if (whole) received_.push_back(std::move(payload));
}

std::optional<std::string> PacketChannel::next_packet() {
  if (!received_.empty() && !received_.front()) received_.pop_front();
  if (received_.empty()) return std::nullopt;
  std::string packet = std::move(*received_.front());
  received_.pop_front();
  return packet;
}

bool PacketChannel::take_interrupt() {
  const auto at = std::find(received_.begin(), received_.end(), std::nullopt);
  if (at == received_.end()) return false;
  received_.erase(at);
  return true;
}

void PacketChannel::send(std::string_view payload) {
  const std::uint8_t sum = sum_of(payload);
  last_sent_ = '$';
  last_sent_ += payload;
  last_sent_ += '#';
  last_sent_ += to_hex(std::span{&sum, 1});
  output_ += last_sent_;
}

std::string PacketChannel::take_output() {
  if (std::exchange(repeat_, false)) output_ += last_sent_;
  return std::exchange(output_, {});
}

std::string escape(std::string_view octets) {
  std::string escaped;
  escaped.reserve(octets.size());
  for (const char c : octets) {
    if (c == '#' || c == '$' || c == escape_octet || c == '*') {
      escaped += escape_octet;
      escaped += static_cast<char>(c ^ escape_bit);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::optional<std::vector<std::uint8_t>> unescape(std::string_view octets) {
  std::vector<std::uint8_t> plain;
  plain.reserve(octets.size());
  for (std::size_t at = 0; at < octets.size(); ++at) {
    char c = octets[at];
    if (c == escape_octet) {
      if (++at == octets.size()) return std::nullopt;
      c = static_cast<char>(octets[at] ^ escape_bit);
    }
    plain.push_back(static_cast<std::uint8_t>(c));
  }
  return plain;
}

}  // namespace avrlan::debug
