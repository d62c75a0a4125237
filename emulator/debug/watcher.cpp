#include "emulator/debug/watcher.hpp"

#include <algorithm>

#include "emulator/cpu/interpreter.hpp"

namespace avrlan::debug {

namespace {

bool includes(Access access, Access part) {
  return (static_cast<unsigned>(access) & static_cast<unsigned>(part)) != 0;
}

}  // namespace

void Watcher::watch(std::uint32_t address, Access access) {
  list_.push_back({address, access});
  watched_ = list_.size();
  if (address >= chip_registers) return;
  std::uint8_t& kinds = kinds_[address - data_space];
  kinds = static_cast<std::uint8_t>(kinds | static_cast<std::uint8_t>(access));
}

void Watcher::unwatch(std::uint32_t address, Access access) {
  const auto at = std::find_if(list_.begin(), list_.end(),
                               [&](const Watched& w) { return w.address == address && w.access == access; });
  if (at == list_.end()) return;
  list_.erase(at);
  watched_ = list_.size();
  if (address >= chip_registers) return;
  std::uint8_t& kinds = kinds_[address - data_space];
  kinds = 0;
  for (const Watched& left : list_) {
    if (left.address == address) kinds = static_cast<std::uint8_t>(kinds | static_cast<std::uint8_t>(left.access));
  }
}

void Watcher::begin(const Resume& resume, Cycles now) {
  resume_ = resume;
  began_at_ = now;
  instruction_cycle_ = -1;
  begun_ = false;
  stepped_ = false;
  hit_.reset();
  handlers_.clear();
  chip_values_.clear();
  for (const Watched& w : list_) {
    const auto place = static_cast<std::uint16_t>(w.address - chip_registers);
    if (w.address >= chip_registers && includes(w.access, Access::write))
      chip_values_.push_back({place, nic_.register_octet(place)});
  }
}

bool Watcher::chip_accessed(std::uint16_t place, Access access) {
  const auto watched = [&](const Watched& w) {
    return w.address == chip_registers + place && includes(w.access, access);
  };
  if (std::none_of(list_.begin(), list_.end(), watched)) return false;
  note(chip_registers + place, access);
  return true;
}

void Watcher::look_at_chip() {
  for (const ChipValue& before : chip_values_) {
    if (nic_.register_octet(before.place) != before.value) note(chip_registers + before.place, Access::write);
  }
}

bool Watcher::touched() {
  look_at_chip();
  return hit_.has_value();
}

void Watcher::note(std::uint32_t address, Access access) {
  if (hit_) return;
  Access watched = Access::any;
  for (const Watched& w : list_) {
    if (w.address == address && w.access == access) watched = access;
  }
  hit_ = WatchHit{watched, address, Cycles{std::max(instruction_cycle_, began_at_.count)}};
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
  look_at_chip();
  instruction_cycle_ = entry.started;
  touch_return_address(entry.sp, Access::write);
  handlers_.push_back(entry.sp);
  if (profiler_ != nullptr) profiler_->interrupt(entry);
  if (resume_.kind == Resume::Kind::step) begun_ = true;
}

void Watcher::reset() {
  if (profiler_ != nullptr) profiler_->reset();
  handlers_.clear();
  begun_ = true;
}

cpu::Instrument instrument_of(Watcher& watcher) {
  return cpu::instrument(watcher);
}

}  // namespace avrlan::debug
