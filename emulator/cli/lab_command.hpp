#pragma once

namespace CLI {
class App;
}

namespace avrlan {

// Adds `avrlan lab` to the program; its callback throws what main turns into an exit status.
void add_lab_command(CLI::App& program, int& exit_status);

}  // namespace avrlan
