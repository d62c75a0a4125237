#pragma once

namespace CLI {
class App;
}

namespace avrlan {

// `avrlan report`: what a run with --out has left, for a terminal.
void add_report_command(CLI::App& program);

}  // namespace avrlan
