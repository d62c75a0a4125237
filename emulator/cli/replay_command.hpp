#pragma once

namespace CLI {
class App;
}

namespace avrlan {

// Adds `avrlan replay` to the program; its callback throws what main turns into an exit status.
void add_replay_command(CLI::App& program, int& exit_status);

}  // namespace avrlan
