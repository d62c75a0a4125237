#pragma once

namespace CLI {
class App;
}

namespace avrlan {

// `avrlan compare`. Sets exit_status to 0, or 1 when something is worse than allowed.
void add_compare_command(CLI::App& program, int& exit_status);

}  // namespace avrlan
