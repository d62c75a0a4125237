#pragma once
// The command line of every fuzzer: numbers with their names, e.g. fuzz_gdb --packets 1000000 --seed 7.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace avrlan::fuzz {

struct Option {
  std::string_view name;  // with its dashes
  std::uint64_t* value;   // null: a switch, which sets `on`
  bool* on = nullptr;
};

// Sets what the command line gives. Ends the program, with status 64, and the options and what they are without being given when it
// has anything else; with status 0 for --help.
inline void read_options(int argc, char** argv, std::initializer_list<Option> options) {
  const auto end = [&](int status) {
    std::FILE* to = status == 0 ? stdout : stderr;
    std::fprintf(to, "usage: %s", argv[0]);
    for (const Option& option : options) {
      std::fprintf(to, " [%.*s", static_cast<int>(option.name.size()), option.name.data());
      if (option.value != nullptr) std::fprintf(to, " %llu", static_cast<unsigned long long>(*option.value));
      std::fputs("]", to);
    }
    std::fputs("\n", to);
    std::exit(status);
  };
  for (int n = 1; n < argc; ++n) {
    const std::string_view given = argv[n];
    if (given == "--help" || given == "-h") end(0);
    const Option* found = nullptr;
    for (const Option& option : options) {
      if (option.name == given) found = &option;
    }
    if (found == nullptr) end(64);
    if (found->value == nullptr) {
      *found->on = true;
      continue;
    }
    if (++n == argc) end(64);
    const std::string_view number = argv[n];
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), *found->value);
    if (error != std::errc{} || stop != number.data() + number.size()) end(64);
  }
}

}  // namespace avrlan::fuzz
