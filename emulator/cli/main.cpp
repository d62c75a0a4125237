#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "emulator/board/escape.hpp"
#include "emulator/board/host_error.hpp"
#include "emulator/board/nearest_name.hpp"
#include "emulator/cli/compare_command.hpp"
#include "emulator/cli/lab_command.hpp"
#include "emulator/cli/replay_command.hpp"
#include "emulator/cli/report_command.hpp"
#include "emulator/cli/run_command.hpp"
#include "emulator/cli/tell.hpp"

namespace {

constexpr int usage_error = 64;
constexpr int host_failure = 71;

// The subcommand that was asked for, or the program.
const CLI::App& asked(const CLI::App& program) {
  return program.get_subcommands().empty() ? program : *program.get_subcommands().front();
}

// Before anything is parsed: the subcommand of that name, or the program.
const CLI::App& subcommand(const CLI::App& program, std::string_view name) {
  for (const CLI::App* command : program.get_subcommands({})) {
    if (command->get_name() == name) return *command;
  }
  return program;
}

int fail(int status, const std::string& what, const std::string& what_to_do) {
  avrlan::tell("avrlan: {}; {}\n", avrlan::printable(what), avrlan::printable(what_to_do));
  return status;
}

int usage(const std::string& what, const CLI::App& program) {
  const CLI::App& command = asked(program);
  const std::string name = command.get_parent() == nullptr ? "avrlan" : "avrlan " + command.get_name();
  return fail(usage_error, what, fmt::format("`{} --help` lists the options", name));
}

int unknown_command(const std::string& name, const CLI::App& program) {
  if (std::filesystem::is_regular_file(name))
    return fail(usage_error, fmt::format("'{}' is a file, no command", name), fmt::format("`avrlan run {}`?", name));
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return fail(usage_error, fmt::format("there is no command '{}'", name),
              fmt::format("did you mean '{}'? `avrlan --help` lists them", avrlan::nearest_name(name, names)));
}

// What nobody has taken: an option that does not exist, or one argument too many.
int unexpected(const CLI::App& program) {
  const auto rest = program.remaining(true);
  const auto option = std::find_if(rest.begin(), rest.end(), [](const auto& text) { return text.starts_with("--"); });
  if (option == rest.end())
    return usage(fmt::format("'{}' was not expected", rest.empty() ? "" : rest.front()), program);
  const std::string name = option->substr(2, option->find('=') - 2);
  std::vector<std::string> names;
  for (const CLI::Option* known : asked(program).get_options()) {
    for (const auto& long_name : known->get_lnames()) names.push_back(long_name);
  }
  const std::string nearest = avrlan::nearest_name(name, names);
  const bool near = avrlan::is_near(name, nearest);
  return usage(fmt::format("there is no option --{}{}", name, near ? fmt::format(", did you mean --{}?", nearest) : ""),
               program);
}

// --gdb takes a port where there is one; what else comes behind it is another argument, as `avrlan run -g web.elf`.
std::vector<const char*> with_gdb_alone(int argc, char** argv) {
  std::vector<const char*> arguments(argv, argv + argc);
  for (auto next = arguments.begin(); next != arguments.end(); ++next) {
    const std::string_view option = *next;
    if ((option != "-g" && option != "--gdb") || next + 1 == arguments.end()) continue;
    const std::string_view value = *(next + 1);
    const std::string_view port = value.substr(value.rfind(':') + 1);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    // A name with a port that is none is a mistake, which the command tells.
    if (value.find(':') == std::string_view::npos && !std::all_of(port.begin(), port.end(), is_digit))
      *next = "--gdb=1234";
  }
  return arguments;
}

// Help and lists are results, too.
int written(int status) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::cout.good()) return status;
  avrlan::tell("avrlan: cannot write to stdout; is the disk full?\n");
  return host_failure;
}

}  // namespace

int main(int argc, char** argv) {
  // Past a limit on the size of files, writing fails and is told as any failure.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App program{"avrlan: AVR Ethernet firmware on an emulated board, to the cycle", "avrlan"};
  program.set_version_flag("--version", "avrlan " AVRLAN_VERSION);
  program.footer(R"(
Examples:
  avrlan run web.elf --hostfwd tcp:127.0.0.1:8080-:80     serve port 80 of the firmware at localhost:8080
  avrlan run web.elf --profile --timeout 5s --out run     where its cycles go
  avrlan report run                                       the same again, later
  avrlan mcus)");
  program.require_subcommand(1);
  int exit_status = 0;
  avrlan::add_run_command(program, exit_status);
  avrlan::add_replay_command(program, exit_status);
  avrlan::add_compare_command(program, exit_status);
  avrlan::add_lab_command(program, exit_status);
  avrlan::add_report_command(program);
  avrlan::add_list_commands(program);
  // CLI11 takes an empty value for none: a script's unset variable would turn a limit off.
  for (int n = 1; n < argc; ++n) {
    const std::string_view argument = argv[n];
    const std::string_view before = argv[n - 1];
    const CLI::App& of = subcommand(program, argv[1]);
    if (argument.empty()) {
      const bool of_option = n > 1 && before.starts_with('-');
      return usage(of_option ? fmt::format("{} has no value", before) : fmt::format("argument {} is empty", n), of);
    }
    if (argument.starts_with("--") && argument.ends_with('='))
      return usage(fmt::format("{} has no value", argument), of);
  }
  const auto commands = program.get_subcommands({});
  if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), [&](const CLI::App* command) {
        return command->get_name() == argv[1];
      })) {
    return unknown_command(argv[1], program);
  }
  try {
    const auto arguments = with_gdb_alone(argc, argv);
    program.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::Success& help) {
    return written(program.exit(help));
  } catch (const CLI::ExtrasError&) {
    return unexpected(program);
  } catch (const CLI::ParseError& error) {
    return usage(error.what(), program);
  } catch (const avrlan::UsageError& error) {
    return fail(usage_error, error.what(), error.hint());
  } catch (const avrlan::HostError& error) {
    return fail(host_failure, error.what(), error.hint());
  } catch (const std::exception& error) {
    return fail(host_failure, error.what(), "this is a fault of avrlan, or the host is out of memory");
  }
  return written(exit_status);
}
