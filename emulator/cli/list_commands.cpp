#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "emulator/board/board.hpp"
#include "emulator/cli/run_command.hpp"

namespace avrlan {

namespace {

using Json = nlohmann::ordered_json;

Json list_boards() {
  Json all = Json::array();
  for (const auto& board : boards()) {
    Json pins = {{"select", board.nic_select.name()}};
    if (board.nic_int) pins["int"] = board.nic_int->name();
    if (board.nic_reset) pins["reset"] = board.nic_reset->name();
    all.push_back({{"name", board.name},
                   {"mcu", board.mcu},
                   {"hz", board.hz},
                   {"nic", board.nic},
                   {"pins", pins},
                   {"summary", board.summary}});
  }
  return all;
}

Json list_mcus() {
  Json all = Json::array();
  for (const auto& board : boards()) {
    const bool listed = std::any_of(all.begin(), all.end(), [&](const Json& m) { return m["name"] == board.mcu; });
    if (!listed) all.push_back({{"name", board.mcu}, {"summary", "as on board " + board.name}});
  }
  return all;
}

Json list_nics() {
  return Json::array({{{"name", "enc28j60"}, {"summary", "Microchip ENC28J60, SPI, 10BASE-T, 8 KiB packet buffer"}}});
}

void add_list(CLI::App& program, const char* name, const char* about, Json (*list)()) {
  CLI::App* command = program.add_subcommand(name, about);
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "as a JSON array");
  command->callback([json, list] {
    const Json all = list();
    if (*json) {
      fmt::print("{}\n", all.dump(2));
      return;
    }
    for (const auto& item : all) {
      fmt::print("{:<16} {}\n", item["name"].get<std::string>(), item["summary"].get<std::string>());
    }
  });
}

}  // namespace

void add_list_commands(CLI::App& program) {
  add_list(program, "boards", "list the boards that are built in", list_boards);
  add_list(program, "mcus", "list the microcontrollers of those boards", list_mcus);
  add_list(program, "nics", "list the Ethernet chips that are modelled", list_nics);
}

}  // namespace avrlan
