#pragma once
// Writes levels over virtual time as a value change dump (IEEE 1364, section "Value change dump files"), which GTKWave and
// its like open. Times are picoseconds from power-on.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "nic-model/core/time.hpp"

namespace avrlan {

class Vcd {
 public:
  // Throws HostError when the file cannot be written. `scope` is the name above all signals, a word.
  Vcd(const std::filesystem::path& file, std::string scope);
  Vcd(const Vcd&) = delete;
  Vcd& operator=(const Vcd&) = delete;
  ~Vcd();

  // Before the first change. `name` is a word, `note` what it is for, or empty. Returns its number.
  std::size_t add(const std::string& name, const std::string& note, bool high);
  // A signal changes at `when`, which may lie ahead of changes that come later, but not behind `now`. Throws HostError.
  void change(std::size_t signal, Instant when, bool high, Instant now);
  // All that has happened up to `now` is in the file after this. Throws HostError.
  void flush(Instant now);

 private:
  struct Signal {
    std::string name;
    std::string note;
    bool high;
  };
  struct Change {
    Instant when;
    std::size_t signal;
    bool high;
  };
  void begin();
  void settle(Instant now);
  void put_time(Instant when);
  void check();

  std::filesystem::path path_;
  std::ofstream file_;
  std::string scope_;
  std::vector<Signal> signals_;
  std::vector<Change> pending_;  // by time
  std::int64_t written_ = -1;    // the time that the file has reached
  Instant last_now_;
};

}  // namespace avrlan
