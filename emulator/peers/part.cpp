#include "emulator/peers/part.hpp"

namespace avrlan::peers {

void Client::start() {
  if (on_start_) on_start_();
}

void Client::fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
}

void Client::finish() {
  if (finished_) return;
  finished_ = true;
  if (on_finish_) on_finish_();
}

}  // namespace avrlan::peers
