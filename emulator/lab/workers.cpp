#include "emulator/lab/workers.hpp"

#include <algorithm>
#include <utility>

namespace avrlan::lab {

namespace {

// A round takes microseconds, sleeping and waking as many: look again so often before sleeping, and let others run now and
// then, who may be the ones that are waited for.
constexpr int spins = 4000, spins_alone = 100;

void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int n = 1; n <= spins; ++n) {
    if (value.load(std::memory_order_acquire) != old) return;
    if (n % spins_alone == 0) std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

// A trial is so many rounds alone and as many together. While being alone is faster, the next one is twice as far.
constexpr std::uint32_t trial_rounds = 16, first_trial = 1024, last_trial = 1 << 16;

}  // namespace

Workers::Workers(unsigned threads) : trial_every_(first_trial) {
  for (unsigned n = 1; n < threads; ++n) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
  task_ = nullptr;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (auto& thread : threads_) thread.join();
}

bool Workers::together() {
  if (rounds_ == trial_every_) {
    trial_every_ = alone_ < together_ ? std::min(2 * trial_every_, last_trial) : first_trial;
    rounds_ = 0;
    alone_ = together_ = {};
  }
  const std::uint32_t round = rounds_++;
  if (round < 2 * trial_rounds) return round >= trial_rounds;
  return together_ <= alone_;
}

void Workers::run(std::size_t count, const Task& task) {
  count_ = count;
  task_ = &task;
  next_.store(0, std::memory_order_relaxed);
  const bool has_choice = count > 1 && !threads_.empty();
  const bool in_parallel = has_choice && together();
  const bool on_trial = has_choice && rounds_ <= 2 * trial_rounds;
  const auto start = on_trial ? Clock::now() : Clock::time_point{};
  if (in_parallel) {
    busy_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  take_all();
  if (in_parallel) {
    for (auto busy = busy_.load(std::memory_order_acquire); busy != 0; busy = busy_.load(std::memory_order_acquire))
      wait_while(busy_, busy);
  }
  if (on_trial) (in_parallel ? together_ : alone_) += Clock::now() - start;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Workers::work() {
  for (std::uint32_t round = 0;;) {
    wait_while(round_, round);
    // One round at a time: the caller waits for each of us.
    ++round;
    if (task_ == nullptr) return;
    take_all();
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void Workers::take_all() {
  for (std::size_t n = next_.fetch_add(1, std::memory_order_relaxed); n < count_;
       n = next_.fetch_add(1, std::memory_order_relaxed)) {
    try {
      (*task_)(n);
    } catch (...) {
      const std::lock_guard lock(failure_mutex_);
      failure_ = std::current_exception();
    }
  }
}

}  // namespace avrlan::lab
