#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "emulator/board/host_error.hpp"
#include "emulator/cli/compare_command.hpp"
#include "emulator/cli/report_command.hpp"
#include "emulator/cli/run_command.hpp"

namespace {

constexpr int usage_error = 64;
constexpr int host_failure = 71;

int usage(const std::string& what, const CLI::App& program) {
  std::string command = "avrlan";
  for (const CLI::App* sub : program.get_subcommands()) command += " " + sub->get_name();
  fmt::print(stderr, "avrlan: {}; `{} --help` lists the options\n", what, command);
  return usage_error;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program{"avrlan: AVR Ethernet firmware on an emulated board, to the cycle", "avrlan"};
  program.set_version_flag("--version", "avrlan " AVRLAN_VERSION);
  program.require_subcommand(1);
  int exit_status = 0;
  avrlan::add_run_command(program, exit_status);
  avrlan::add_compare_command(program, exit_status);
  avrlan::add_report_command(program);
  avrlan::add_list_commands(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return program.exit(help);
  } catch (const CLI::ParseError& error) {
    return usage(error.what(), program);
  } catch (const avrlan::UsageError& error) {
    fmt::print(stderr, "avrlan: {}; {}\n", error.what(), error.hint());
    return usage_error;
  } catch (const avrlan::HostError& error) {
    fmt::print(stderr, "avrlan: {}; {}\n", error.what(), error.hint());
    return host_failure;
  } catch (const std::exception& error) {
    fmt::print(stderr, "avrlan: {}\n", error.what());
    return host_failure;
  }
  return exit_status;
}
