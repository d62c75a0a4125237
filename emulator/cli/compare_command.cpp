#include "emulator/cli/compare_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "emulator/board/escape.hpp"
#include "emulator/board/write_file.hpp"
#include "emulator/cli/output_files.hpp"
#include "emulator/cli/tell.hpp"
#include "emulator/profile/compare.hpp"

namespace avrlan {

namespace {

struct CompareArguments {
  std::filesystem::path base;
  std::filesystem::path now;
  std::string max_regress;
  std::filesystem::path limits;
  std::filesystem::path junit;
  bool github = false;
  bool json = false;
  bool update_baseline = false;
};

constexpr const char* examples = R"(
Examples:
  avrlan compare before/run.json after/run.json                    what differs
  avrlan compare base.json run/run.json --max-regress 0            exit 1 when any function takes one cycle more
  avrlan compare base.json run/run.json --limits limits.toml --junit compare.xml --github
  avrlan compare base.json run/run.json --update-baseline          from now on base.json has these numbers

limits.toml has a table for each of total, function, region, layer, flash, ram, stack, coverage; the first pattern that
fits an item counts, and the file's before --max-regress. A pattern that fits nothing is an error:
  [function]
  "tcpip::*" = "1%"
  [flash]
  total = 64

Exit status: 0, 1 something is worse than allowed, 64 a wrong command line or files that cannot be compared.)";

int compare(const CompareArguments& args) {
  using profile::JsonFile;
  const JsonFile now = JsonFile::load_run(args.now);
  if (args.update_baseline) {
    keep_apart({{"NEW", args.now}}, {{"--update-baseline", args.base}});
    profile::check_baseline(now, args.base);
    write_file(args.base, profile::baseline_of(now).dump(1) + "\n");
    fmt::print("{} now has the numbers of {}\n", printable(args.base.string()), printable(args.now.string()));
    return 0;
  }
  if (!args.junit.empty())
    keep_apart({{"BASE", args.base}, {"NEW", args.now}, {"--limits", args.limits}}, {{"--junit", args.junit}});
  profile::Limits limits;
  if (!args.limits.empty()) limits.read(args.limits);
  if (!args.max_regress.empty()) limits.limit_cycles(profile::Allowance::parse("--max-regress", args.max_regress));
  const auto comparison = profile::compare(JsonFile::load_run(args.base), now, limits);
  fmt::print("{}", args.json ? profile::json_of(comparison).dump(2) + "\n" : profile::text_of(comparison));
  if (!args.junit.empty()) write_file(args.junit, profile::junit_of(comparison));
  if (args.github) {
    const std::string annotations = profile::annotations_of(comparison);
    args.json ? tell("{}", annotations) : fmt::print("{}", annotations);
    if (const char* job_summary = std::getenv("GITHUB_STEP_SUMMARY"); job_summary != nullptr && *job_summary != '\0')
      write_file(job_summary, profile::markdown_of(comparison), std::ios::app);
  }
  return comparison.regressed() ? 1 : 0;
}

}  // namespace

void add_compare_command(CLI::App& program, int& exit_status) {
  CLI::App* command = program.add_subcommand("compare", "compare two runs made with --profile: cycles, sizes, memory");
  auto args = std::make_shared<CompareArguments>();
  command->add_option("BASE", args->base, "run.json of before, or a baseline")->required()->type_name("FILE");
  command->add_option("NEW", args->now, "run.json of now")->required()->type_name("FILE");
  command
      ->add_option("--max-regress", args->max_regress,
                   "how much more the active cycles and those of each function, region and layer may be: 0, N or N%")
      ->type_name("N|N%");
  command->add_option("--limits", args->limits, "limits for single items, a TOML file")->type_name("FILE");
  command->add_option("--junit", args->junit, "write a JUnit report of every item with a limit")->type_name("FILE");
  command->add_flag("--github", args->github, "print annotations, and add a table to $GITHUB_STEP_SUMMARY");
  command->add_flag("--json", args->json, "print the comparison as JSON");
  CLI::Option* update =
      command->add_flag("--update-baseline", args->update_baseline, "write NEW's numbers to BASE instead of comparing");
  for (const char* comparing : {"--max-regress", "--limits", "--junit", "--github", "--json"})
    update->excludes(command->get_option(comparing));
  command->footer(examples);
  command->callback([args, &exit_status] { exit_status = compare(*args); });
}

}  // namespace avrlan
