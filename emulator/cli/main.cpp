#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string_view>

#include "emulator/board/host_error.hpp"
#include "emulator/cli/compare_command.hpp"
#include "emulator/cli/report_command.hpp"
#include "emulator/cli/run_command.hpp"
#include "emulator/cli/tell.hpp"

namespace {

constexpr int usage_error = 64;
constexpr int host_failure = 71;

int usage(const std::string& what, const CLI::App& program) {
  std::string command = "avrlan";
  for (const CLI::App* sub : program.get_subcommands()) command += " " + sub->get_name();
  avrlan::tell("avrlan: {}; `{} --help` lists the options\n", what, command);
  return usage_error;
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
  program.require_subcommand(1);
  int exit_status = 0;
  avrlan::add_run_command(program, exit_status);
  avrlan::add_compare_command(program, exit_status);
  avrlan::add_report_command(program);
  avrlan::add_list_commands(program);
  // CLI11 takes an empty value for none: a script's unset variable would turn a limit off.
  for (int n = 1; n < argc; ++n) {
    const std::string_view argument = argv[n];
    const std::string_view before = argv[n - 1];
    if (argument.empty()) {
      const bool of_option = n > 1 && before.starts_with('-');
      return usage(of_option ? fmt::format("{} has no value", before) : fmt::format("argument {} is empty", n),
                   program);
    }
    if (argument.starts_with("--") && argument.ends_with('='))
      return usage(fmt::format("{} has no value", argument), program);
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return written(program.exit(help));
  } catch (const CLI::ParseError& error) {
    return usage(error.what(), program);
  } catch (const avrlan::UsageError& error) {
    avrlan::tell("avrlan: {}; {}\n", error.what(), error.hint());
    return usage_error;
  } catch (const avrlan::HostError& error) {
    avrlan::tell("avrlan: {}; {}\n", error.what(), error.hint());
    return host_failure;
  } catch (const std::exception& error) {
    avrlan::tell("avrlan: {}\n", error.what());
    return host_failure;
  }
  return written(exit_status);
}
