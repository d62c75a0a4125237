#include "emulator/cli/nic_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <vector>

#include "emulator/board/host_error.hpp"
#include "emulator/board/nearest_name.hpp"
#include "emulator/cli/units.hpp"

namespace avrlan {

namespace {

using enc28j60::Erratum;
using enc28j60::Revision;

const Revision& find_revision(std::string_view name) {
  std::string names;
  for (const Revision& revision : enc28j60::revisions) {
    if (revision.name == name) return revision;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", revision.name);
  }
  throw UsageError(fmt::format("--chip-rev '{}' is no revision of the ENC28J60", name), "use one of " + names);
}

const Erratum& find_erratum(std::string_view name) {
  std::vector<std::string> names = {"all"};
  for (const Erratum& erratum : enc28j60::errata) {
    if (erratum.name == name) return erratum;
    names.emplace_back(erratum.name);
  }
  throw UsageError(fmt::format("--errata: there is no '{}'", name),
                   fmt::format("did you mean '{}'? `avrlan run --help` lists them", nearest_name(name, names)));
}

void set(Enc28j60Options& options, std::string_view name, std::string_view value) {
  const auto wrong = [&](std::string_view hint) {
    return UsageError(fmt::format("--errata '{}={}' cannot be", name, value), std::string(hint));
  };
  const bool on = value == "on", off = value == "off";
  if (name == "all") {
    if (!on && !off) throw wrong("use all=on or all=off");
    for (const Erratum& erratum : enc28j60::errata) {
      if (erratum.flag != nullptr) options.errata.*erratum.flag = on;
      if (erratum.every != nullptr && off) options.errata.*erratum.every = 0;
    }
    return;
  }
  const Erratum& erratum = find_erratum(name);
  if (erratum.flag != nullptr) {
    if (!on && !off) throw wrong("it is on or off");
    options.errata.*erratum.flag = on;
    return;
  }
  unsigned every = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), every);
  if (!off && (error != std::errc{} || end != value.data() + value.size()))
    throw wrong("it is off or a number: every so many");
  if (every != 0 && options.revision < erratum.first_erevid) {
    throw wrong(fmt::format("erratum {} is not in this revision; see --chip-rev", erratum.number));
  }
  options.errata.*erratum.every = every;
}

}  // namespace

Enc28j60Options parse_nic_options(std::string_view revision, std::string_view errata) {
  Enc28j60Options options;
  options.revision = find_revision(revision).erevid;
  while (!errata.empty()) {
    const std::string_view item = errata.substr(0, errata.find(','));
    const auto equals = item.find('=');
    const bool has_value = equals != std::string_view::npos;
    set(options, item.substr(0, equals), has_value ? item.substr(equals + 1) : "on");
    errata.remove_prefix(std::min(errata.size(), item.size() + 1));
  }
  return options;
}

std::string revision_text(const Enc28j60Options& options) {
  const auto revision = std::find_if(std::begin(enc28j60::revisions), std::end(enc28j60::revisions),
                                     [&](const Revision& known) { return known.erevid == options.revision; });
  return std::string(revision->name);
}

std::string errata_text(const Enc28j60Options& options) {
  std::string text;
  for (const Erratum& erratum : enc28j60::errata) {
    const unsigned every = erratum.every == nullptr ? 0 : options.errata.*erratum.every;
    const bool on = erratum.flag != nullptr && options.errata.*erratum.flag;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", erratum.name,
                        every != 0 ? std::to_string(every) : std::string(on ? "on" : "off"));
  }
  return text;
}

std::vector<CableEvent> parse_cable(std::string_view text) {
  std::vector<CableEvent> events;
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    const auto at = item.find('@');
    const std::string_view what = item.substr(0, at);
    if (what != "in" && what != "out") {
      throw UsageError(fmt::format("--cable '{}' is neither in nor out", item), "write it like out@2s,in@3.5s");
    }
    const Duration when = at == std::string_view::npos ? Duration{} : parse_time("--cable", item.substr(at + 1));
    if (!events.empty() && Instant::at(when) <= events.back().when) {
      throw UsageError(fmt::format("--cable '{}' does not come after what is before it", item),
                       "sort them by time; without one it is the start");
    }
    events.push_back({Instant::at(when), what == "in"});
    if (item.size() == text.size()) return events;
    text.remove_prefix(item.size() + 1);
  }
}

std::string errata_help() {
  const Enc28j60Errata defaults;
  std::string text;
  for (const Erratum& erratum : enc28j60::errata) {
    const bool on = erratum.flag != nullptr && defaults.*erratum.flag;
    text += fmt::format("\n  {:<28} {:<4} {:>2}: {}", erratum.name, on ? "on" : "off", erratum.number, erratum.summary);
  }
  return text;
}

}  // namespace avrlan
