#include "emulator/debug/watcher.hpp"

#include <algorithm>

#include "emulator/cpu/interpreter.hpp"

namespace avrlan::debug {

void Watcher::watch(std::uint16_t address, Access access) {
  list_.push_back({address, access});
  kinds_[address] = static_cast<std::uint8_t>(kinds_[address] | static_cast<std::uint8_t>(access));
  watched_ = list_.size();
}

void Watcher::unwatch(std::uint16_t address, Access access) {
  const auto at = std::find_if(list_.begin(), list_.end(),
                               [&](const Watched& w) { return w.address == address && w.access == access; });
  if (at == list_.end()) return;
  list_.erase(at);
  watched_ = list_.size();
  kinds_[address] = 0;
  for (const Watched& left : list_) {
    if (left.address == address)
      kinds_[address] = static_cast<std::uint8_t>(kinds_[address] | static_cast<std::uint8_t>(left.access));
  }
}

void Watcher::begin(const Resume& resume) {
  resume_ = resume;
  instruction_cycle_ = -1;
  begun_ = false;
  stepped_ = false;
  hit_.reset();
  handlers_.clear();
}

void Watcher::note(std::uint16_t address, Access access) {
  if (hit_) return;
  Access watched = Access::any;
  for (const Watched& w : list_) {
    if (w.address == address && w.access == access) watched = access;
  }
  hit_ = WatchHit{watched, address, Cycles{instruction_cycle_}};
}

bool Watcher::step_ends(std::uint32_t pc) {
  const bool range = resume_.kind == Resume::Kind::range;
  if (range && !handlers_.empty()) return false;
  if (begun_ && !(range && pc >= resume_.first && pc < resume_.end)) {
    stepped_ = true;
    return true;
  }
  begun_ = true;
  return false;
}

void Watcher::interrupt(const cpu::InterruptEntry& entry) {
  instruction_cycle_ = entry.started;
  touch_return_address(entry.sp, Access::write);
  handlers_.push_back(entry.sp);
  if (resume_.kind == Resume::Kind::step) begun_ = true;
}

void Watcher::reset() {
  handlers_.clear();
  begun_ = true;
}

cpu::Instrument instrument_of(Watcher& watcher) {
  return cpu::instrument(watcher);
}

}  // namespace avrlan::debug
