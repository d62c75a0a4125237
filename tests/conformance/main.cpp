// conformance [--build host|avr] [--profile minimal|full] [--rules PREFIX] [--table]
//
// Tests every rule and prints one line for each: id, level, profile, build, result. Fails when a rule is broken that is not
// in not_yet.cpp, or is met and still there. --table prints counts for stack/README.md instead of lines.

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>

#include "tests/conformance/rules.hpp"

// What simavr and the C library keep until the end is no leak of ours.
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}

namespace avrlan::test {
namespace {

struct Options {
  std::string build, profile, rules;
  bool table = false;
};

struct Count {
  int met = 0;
  int wanted = 0;
};

std::string test(const Rule& rule, Build build, Profile profile) {
  try {
    const auto link = make_link(build, profile, rule.setup);
    std::string broken;
    try {
      rule.test(*link);
      if (rule.hostile) {
        link->expect_no_leak();
        expect_alive(*link);
      }
    } catch (const Broken& why) {
      broken = why.what();
    }
    const std::string trouble = link->trouble();
    return broken + (broken.empty() || trouble.empty() ? "" : "; ") + trouble;
  } catch (const std::exception& why) {
    return why.what();
  }
}

const NotYet* excuse(const Rule& rule, Profile profile) {
  for (const NotYet& entry : not_yet())
    if (entry.id == rule.id && entry.profile.value_or(profile) == profile) return &entry;
  return nullptr;
}

const char* name(Level level) {
  return level == Level::must ? "MUST" : level == Level::should ? "SHOULD" : "MAY";
}
const char* name(Profile profile) {
  return profile == Profile::minimal ? "minimal" : "full";
}
const char* name(Build build) {
  return build == Build::host ? "host" : "avr";
}

using Counts = std::map<std::pair<Build, Profile>, std::map<std::string, Count>>;

std::string title(const std::string& section) {
  static const std::map<std::string, std::string> titles{{"AR", "Ethernet, ARP"},
                                                         {"IP", "IPv4"},
                                                         {"IC", "ICMP"},
                                                         {"UD", "UDP"},
                                                         {"DH", "DHCP client"},
                                                         {"DN", "DNS client"},
                                                         {"TC", "TCP, connections"},
                                                         {"TD", "TCP, data"},
                                                         {"L", "attacks: link, ARP"},
                                                         {"I", "attacks: IPv4"},
                                                         {"F", "attacks: fragments"},
                                                         {"C", "attacks: ICMP"},
                                                         {"U", "attacks: UDP"},
                                                         {"T", "attacks: TCP"},
                                                         {"D", "attacks: DHCP, DNS, HTTP"}};
  return titles.at(section);
}

void print_table(const std::vector<std::string>& sections, Counts& counts) {
  std::printf("| rules met, of those wanted | minimal, host | minimal, AVR | full, host | full, AVR |\n");
  std::printf("|---|---|---|---|---|\n");
  const auto row = [](const std::string& first, const std::vector<Count>& columns) {
    std::printf("| %s |", first.c_str());
    for (const Count& count : columns) std::printf(" %d of %d |", count.met, count.wanted);
    std::printf("\n");
  };
  std::vector<Count> all(4);
  for (const std::string& section : sections) {
    std::vector<Count> columns;
    for (const Profile profile : {Profile::minimal, Profile::full})
      for (const Build build : {Build::host, Build::avr}) {
        const Count count = counts[{build, profile}][section];
        all[columns.size()].met += count.met;
        all[columns.size()].wanted += count.wanted;
        columns.push_back(count);
      }
    row(section + ": " + title(section), columns);
  }
  row("all", all);
}

int run(const Options& options) {
  Counts counts;
  std::vector<std::string> sections;
  int unexpected = 0, met = 0, missing = 0;
  for (const Rule& rule : all_rules()) {
    if (!rule.id.starts_with(options.rules)) continue;
    const std::string section(rule.id.substr(0, rule.id.find('-')));
    if (sections.empty() || sections.back() != section) sections.push_back(section);
    for (const Profile profile : {Profile::minimal, Profile::full}) {
      if (!(profile == Profile::minimal ? rule.minimal : rule.full)) continue;
      if (!options.profile.empty() && options.profile != name(profile)) continue;
      for (const Build build : {Build::host, Build::avr}) {
        if (!options.build.empty() && options.build != name(build)) continue;
        const std::string broken = test(rule, build, profile);
        const NotYet* excused = excuse(rule, profile);
        Count& count = counts[{build, profile}][section];
        ++count.wanted;
        if (broken.empty()) ++count.met, ++met;
        if (!broken.empty() && excused) ++missing;
        const bool wrong = broken.empty() == (excused != nullptr);
        unexpected += wrong;
        if (options.table && !wrong) continue;
        std::printf("%-6s %-6s %-7s %-4s %-7s %.*s%s%s\n", std::string(rule.id).c_str(), name(rule.level),
                    name(profile), name(build),
                    broken.empty() ? (wrong ? "PASS" : "pass") : (wrong ? "FAIL" : "not yet"),
                    static_cast<int>(rule.text.size()), rule.text.data(), broken.empty() ? "" : ": ",
                    broken.empty() ? (wrong ? ": is in not_yet.cpp" : "") : broken.c_str());
        std::fflush(stdout);
      }
    }
  }
  for (const auto& [id, reason] : elsewhere())
    if (!options.table && id.starts_with(options.rules))
      std::printf("%-6s elsewhere: %s\n", std::string(id).c_str(), std::string(reason).c_str());
  if (options.table) {
    print_table(sections, counts);
  } else {
    std::printf("%d met, %d not yet, %d unexpected\n", met, missing, unexpected);
  }
  return unexpected == 0 ? 0 : 1;
}

}  // namespace
}  // namespace avrlan::test

int main(int argc, char** argv) {
  avrlan::test::Options options;
  for (int n = 1; n < argc; ++n) {
    const std::string option = argv[n];
    if (option == "--table") {
      options.table = true;
      continue;
    }
    std::string* value = option == "--build"     ? &options.build
                         : option == "--profile" ? &options.profile
                         : option == "--rules"   ? &options.rules
                                                 : nullptr;
    if (!value || ++n == argc) {
      std::fprintf(stderr,
                   "usage: conformance [--build host|avr] [--profile minimal|full] [--rules PREFIX] [--table]\n");
      return 2;
    }
    *value = argv[n];
  }
  return avrlan::test::run(options);
}
