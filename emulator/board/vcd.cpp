#include "emulator/board/vcd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "emulator/board/host_error.hpp"

namespace avrlan {

namespace {

// Characters '!' to '~'.
std::string identifier(std::size_t signal) {
  std::string text;
  do {
    text += static_cast<char>('!' + signal % 94);
    signal /= 94;
  } while (signal != 0);
  return text;
}

}  // namespace

Vcd::Vcd(const std::filesystem::path& file, std::string scope)
    : path_(file), file_(file, std::ios::binary), scope_(std::move(scope)) {
  check();
}

Vcd::~Vcd() {
  try {
    flush(last_now_);
  } catch (const HostError&) {
    // Who wants to know calls flush() first.
  }
}

std::size_t Vcd::add(const std::string& name, const std::string& note, bool high) {
  signals_.push_back({name, note, high});
  return signals_.size() - 1;
}

void Vcd::change(std::size_t signal, Instant when, bool high, Instant now) {
  const auto later = [](Instant at, const Change& other) { return at < other.when; };
  pending_.insert(std::upper_bound(pending_.begin(), pending_.end(), when, later), {when, signal, high});
  settle(now);
}

void Vcd::flush(Instant now) {
  settle(now);
  put_time(now);
  file_.flush();
  check();
}

void Vcd::begin() {
  file_ << "$comment levels of pins by avrlan $end\n$timescale 1 ps $end\n";
  file_ << "$scope module " << scope_ << " $end\n";
  for (std::size_t n = 0; n < signals_.size(); ++n) {
    if (!signals_[n].note.empty()) {
      file_ << "$comment " << signals_[n].name << " is " << signals_[n].note << " $end\n";
    }
    file_ << "$var wire 1 " << identifier(n) << " " << signals_[n].name << " $end\n";
  }
  file_ << "$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n";
  for (std::size_t n = 0; n < signals_.size(); ++n) file_ << (signals_[n].high ? '1' : '0') << identifier(n) << "\n";
  file_ << "$end\n";
  written_ = 0;
}

// Writes what nothing earlier can come before.
void Vcd::settle(Instant now) {
  last_now_ = std::max(last_now_, now);
  if (written_ < 0) begin();
  std::size_t done = 0;
  for (; done < pending_.size() && pending_[done].when <= now; ++done) {
    const Change& change = pending_[done];
    Signal& signal = signals_[change.signal];
    if (signal.high == change.high) continue;
    signal.high = change.high;
    put_time(change.when);
    file_ << (change.high ? '1' : '0') << identifier(change.signal) << "\n";
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(done));
  check();
}

void Vcd::put_time(Instant when) {
  const std::int64_t time = (when - Instant{}).picoseconds();
  if (time <= written_) return;
  file_ << "#" << time << "\n";
  written_ = time;
}

void Vcd::check() {
  if (file_) return;
  throw HostError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)),
                  "give --vcd a file that can be written, on a disk that is not full");
}

}  // namespace avrlan
