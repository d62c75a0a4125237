#pragma once

namespace CLI {
class App;
}

namespace avrlan {

// Adds `avrlan run` to the program; its callback throws what main turns into an exit status.
void add_run_command(CLI::App& program, int& exit_status);
// Adds `avrlan boards`, `avrlan mcus`, `avrlan nics` and `avrlan diagnostics`.
void add_list_commands(CLI::App& program);

}  // namespace avrlan
