#include "emulator/cli/nic_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>
#include <vector>

#include "emulator/board/host_error.hpp"
#include "emulator/board/nearest_name.hpp"
#include "emulator/cli/units.hpp"

namespace avrlan {

namespace {

using enc28j60::Revision;

const Revision& find_revision(std::string_view name) {
  std::string names;
  for (const Revision& revision : enc28j60::revisions) {
    if (revision.name == name) return revision;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", revision.name);
  }
  throw UsageError(fmt::format("--chip-rev '{}' is no revision of the ENC28J60", name), "use one of " + names);
}

constexpr std::string_view newest_revision = "B7";

template <class Erratum>
const Erratum& find_erratum(std::span<const Erratum> errata, std::string_view name) {
  std::vector<std::string> names = {"all"};
  for (const Erratum& erratum : errata) {
    if (erratum.name == name) return erratum;
    names.emplace_back(erratum.name);
  }
  throw UsageError(fmt::format("--errata: this board's chip has no '{}'", name),
                   did_you_mean(name, names) + "; `avrlan run --help` has those of each chip");
}

UsageError cannot_be(std::string_view name, std::string_view value, std::string_view hint) {
  return UsageError(fmt::format("--errata '{}={}' cannot be", name, value), std::string(hint));
}

void set(Enc28j60Options& options, std::string_view name, std::string_view value) {
  const auto wrong = [&](std::string_view hint) { return cannot_be(name, value, hint); };
  const bool on = value == "on", off = value == "off";
  if (name == "all") {
    if (!on && !off) throw wrong("use all=on or all=off");
    for (const auto& erratum : enc28j60::errata) {
      if (erratum.flag != nullptr) options.errata.*erratum.flag = on;
      if (erratum.every != nullptr && off) options.errata.*erratum.every = 0;
    }
    return;
  }
  const auto& erratum = find_erratum<enc28j60::Erratum>(enc28j60::errata, name);
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

void set(Rtl8019asErrata& errata, std::string_view name, std::string_view value) {
  const bool on = value == "on";
  if (!on && value != "off") throw cannot_be(name, value, "it is on or off");
  if (name != "all") {
    errata.*find_erratum<rtl8019as::Erratum>(rtl8019as::errata, name).flag = on;
    return;
  }
  for (const auto& erratum : rtl8019as::errata) errata.*erratum.flag = on;
}

}  // namespace

NicOptions parse_nic_options(std::string_view chip, std::string_view revision, std::string_view errata) {
  NicOptions options;
  const bool is_enc28j60 = chip == "enc28j60";
  if (is_enc28j60) {
    options.enc28j60.revision = find_revision(revision.empty() ? newest_revision : revision).erevid;
  } else if (!revision.empty()) {
    throw UsageError(fmt::format("--chip-rev is for the ENC28J60, and this board has an {}", chip), "leave it out");
  }
  while (!errata.empty()) {
    const std::string_view item = errata.substr(0, errata.find(','));
    const auto equals = item.find('=');
    const bool has_value = equals != std::string_view::npos;
    const std::string_view name = item.substr(0, equals), value = has_value ? item.substr(equals + 1) : "on";
    if (is_enc28j60) {
      set(options.enc28j60, name, value);
    } else {
      set(options.rtl8019as, name, value);
    }
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
  for (const auto& erratum : enc28j60::errata) {
    const unsigned every = erratum.every == nullptr ? 0 : options.errata.*erratum.every;
    const bool on = erratum.flag != nullptr && options.errata.*erratum.flag;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", erratum.name,
                        every != 0 ? std::to_string(every) : std::string(on ? "on" : "off"));
  }
  return text;
}

std::string errata_text(const Rtl8019asErrata& errata) {
  std::string text;
  for (const auto& erratum : rtl8019as::errata) {
    const bool on = errata.*erratum.flag;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", erratum.name, on ? "on" : "off");
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
    const Duration when = at == std::string_view::npos ? Duration{} : parse_instant("--cable", item.substr(at + 1));
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
  for (const auto& erratum : enc28j60::errata) {
    const bool on = erratum.flag != nullptr && defaults.*erratum.flag;
    text += fmt::format("\n  {:<28} {:<4} {:>2}: {}", erratum.name, on ? "on" : "off", erratum.number, erratum.summary);
  }
  text += "\nof the RTL8019AS:";
  const Rtl8019asErrata rtl8019as_defaults;
  for (const auto& erratum : rtl8019as::errata) {
    text += fmt::format("\n  {:<28} {:<4} {}", erratum.name, rtl8019as_defaults.*erratum.flag ? "on" : "off",
                        erratum.summary);
  }
  return text;
}

}  // namespace avrlan
