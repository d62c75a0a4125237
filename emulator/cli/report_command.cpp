#include "emulator/cli/report_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "emulator/board/host_error.hpp"
#include "emulator/cli/run_text.hpp"
#include "emulator/cli/units.hpp"
#include "emulator/lab/lab.hpp"

namespace avrlan {

namespace {

struct ReportArguments {
  std::filesystem::path directory;
  std::string top = "15";
  bool text = false;
};

constexpr const char* examples = R"(
Examples:
  avrlan run web.elf --profile --coverage --timeout 5s --out run
  avrlan report run                    functions, layers, drops, diagnostics, memory, coverage: as far as the run has them
  avrlan report --text run --top 40)";

// Their directories; empty: it is none.
std::vector<std::string> boards_of_lab(const std::filesystem::path& directory) {
  std::vector<std::string> boards;
  try {
    const auto lab = profile::JsonFile::load(directory / "run.json", lab::lab_schema);
    for (const auto& [name, board] : lab.root()["boards"].members()) boards.push_back((directory / name).string());
  } catch (const UsageError&) {
  }
  return boards;
}

void report(const ReportArguments& args) {
  using profile::JsonFile;
  const auto top = static_cast<std::size_t>(parse_number("--top", args.top, 0, 1'000'000));
  if (!std::filesystem::is_directory(args.directory)) {
    throw UsageError(fmt::format("{} is no directory", args.directory.string()),
                     "give what --out named in `avrlan run`");
  }
  if (const auto boards = boards_of_lab(args.directory); !boards.empty()) {
    throw UsageError(fmt::format("{} is a lab's: each of its boards has a directory there", args.directory.string()),
                     fmt::format("report on one of them: {}", fmt::join(boards, ", ")));
  }
  const JsonFile file = JsonFile::load_run(args.directory / "run.json");
  const profile::JsonValue run = file.root(), firmware = run["firmware"];
  std::string text = fmt::format("{} on {} ({}, {} Hz), engine {}\n", firmware["path"].text(), run["board"].name(),
                                 firmware["mcu"].name(), firmware["hz"].count(), run["engine"].name());
  text += run_text(run);
  text += diagnostics_text(JsonFile::load(args.directory / "diagnostics.json", "avrlan-diagnostics-1").root(), 1);
  text += "\n";
  text += run.has("functions") ? profile_text(run, top) : "no functions: the run was made without --profile\n";
  if (run.has("coverage")) {
    text += "\n" + memory_text(JsonFile::load(args.directory / "memory.json", "avrlan-memory-1").root());
    text += coverage_text(run);
  }
  fmt::print("{}", text);
}

}  // namespace

void add_report_command(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("report", "what a run with --out has left: functions, layers, drops, diagnostics, memory");
  auto args = std::make_shared<ReportArguments>();
  command->add_option("DIR", args->directory, "the directory that --out named")->required()->type_name("DIR");
  command->add_flag("--text", args->text, "as text for a terminal (the only form, and the default)");
  command->add_option("--top", args->top, "how many functions")->type_name("N")->capture_default_str();
  command->footer(examples);
  command->callback([args] { report(*args); });
}

}  // namespace avrlan
