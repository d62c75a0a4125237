#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "emulator/board/board.hpp"
#include "emulator/board/machine.hpp"
#include "emulator/board/nic_chip.hpp"
#include "emulator/cli/board_file.hpp"
#include "emulator/cli/diagnostic_policy.hpp"
#include "emulator/cli/run_command.hpp"
#include "emulator/cpu/mcu.hpp"

namespace avrlan {

namespace {

using Json = nlohmann::ordered_json;

Json list_boards() {
  Json all = Json::array();
  for (const auto& board : boards()) {
    Json pins = Json::object();
    if (board.nic_select) pins["select"] = board.nic_select->name();
    if (board.nic_ports) {
      pins["data"] = std::string(1, board.nic_ports->data);
      pins["address"] = board.nic_ports->address.name();
      pins["read"] = board.nic_ports->read.name();
      pins["write"] = board.nic_ports->write.name();
    }
    if (board.nic_int) pins["int"] = board.nic_int->name();
    if (board.nic_reset) pins["reset"] = board.nic_reset->name();
    all.push_back({{"name", board.name},
                   {"mcu", board.mcu},
                   {"hz", board.hz},
                   {"nic", board.nic},
                   {"pins", pins},
                   {"external_ram", board.external_ram},
                   {"summary", board.summary}});
  }
  return all;
}

std::vector<McuDescription> describe_mcus() {
  std::vector<McuDescription> all;
  for (const auto& mcu : cpu::mcus()) {
    Board bare = boards().front();
    bare.mcu = mcu.name;
    Scheduler scheduler;
    all.push_back(Machine(bare, Firmware{}, scheduler).description());
  }
  return all;
}

Json list_mcus() {
  Json all = Json::array();
  for (const auto& mcu : describe_mcus()) {
    Json timers = Json::array();
    for (const auto& timer : mcu.timers) {
      timers.push_back({{"name", std::string(1, timer.name)},
                        {"bits", timer.bits},
                        {"asynchronous", timer.asynchronous},
                        {"channels", timer.channels},
                        {"input_capture", timer.input_capture}});
    }
    Json models = Json::object();
    for (const auto& peripheral : mcu.peripherals) models[peripheral.name] = to_string(peripheral.model);
    Json also = Json::array();
    if (!mcu.same_die.empty()) also.push_back(mcu.same_die);
    all.push_back({{"name", mcu.name},
                   {"also", also},
                   {"flash", mcu.flash},
                   {"flash_page", mcu.flash_page},
                   {"sram", mcu.sram},
                   {"eeprom", mcu.eeprom},
                   {"pc_bits", mcu.pc_bits},
                   {"external_memory", mcu.external_memory},
                   {"timers", timers},
                   {"usarts", mcu.usarts.size()},
                   {"spi", mcu.spi},
                   {"twi", mcu.twi},
                   {"usb", mcu.usb},
                   {"adc_channels", mcu.adc_channels},
                   {"external_interrupts", mcu.external_interrupts},
                   {"pin_change_interrupts", mcu.pin_change_interrupts},
                   {"models", models}});
  }
  return all;
}

// "0-3", "0-3 6".
std::string ranges(const std::vector<unsigned>& numbers) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < numbers.size(); first = last + 1) {
    last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : " ", numbers[first]);
    if (last > first) text += fmt::format("-{}", numbers[last]);
  }
  return text;
}

// "ports" -> the MCUs that have it so, "all" for every one.
void print_models(const std::vector<McuDescription>& all, ModelledBy model) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  const auto of = [&](const std::string& name) -> std::vector<std::string>& {
    for (auto& line : lines) {
      if (line.first == name) return line.second;
    }
    return lines.emplace_back(name, std::vector<std::string>{}).second;
  };
  std::map<std::string, std::size_t> have;
  for (const auto& mcu : all) {
    for (const auto& peripheral : mcu.peripherals) {
      ++have[peripheral.name];
      if (peripheral.model == model) of(peripheral.name).push_back(mcu.name);
    }
  }
  std::string text;
  for (const auto& [name, mcus] : lines) {
    text += (text.empty() ? "" : ", ") + name;
    if (mcus.size() < have[name]) text += fmt::format(" ({})", fmt::join(mcus, ", "));
  }
  if (!text.empty()) fmt::print("{}: {}\n", to_string(model), text);
}

void print_mcus() {
  const auto all = describe_mcus();
  fmt::print("{:<12}{:>7}{:>7}{:>7}{:>4} {:<5}{:<33}{:<6}{:<4}{:<4}{:<4}{:>4} {:<9}{:>6}\n", "mcu", "flash", "sram",
             "eeprom", "pc", "xmem", "timers", "usart", "spi", "twi", "usb", "adc", "int", "pcint");
  const auto mark = [](bool has) { return has ? "yes" : "-"; };
  for (const auto& mcu : all) {
    std::string timers;
    for (const auto& timer : mcu.timers) {
      timers +=
          fmt::format("{}{}:{}{}", timers.empty() ? "" : " ", timer.name, timer.bits, timer.asynchronous ? "a" : "");
    }
    fmt::print("{:<12}{:>7}{:>7}{:>7}{:>4} {:<5}{:<33}{:<6}{:<4}{:<4}{:<4}{:>4} {:<9}{:>6}\n", mcu.name, mcu.flash,
               mcu.sram, mcu.eeprom, mcu.pc_bits, mark(mcu.external_memory), timers, mcu.usarts.size(), mark(mcu.spi),
               mark(mcu.twi), mark(mcu.usb), mcu.adc_channels, ranges(mcu.external_interrupts),
               mcu.pin_change_interrupts);
  }
  fmt::print("\nBytes; bits of the program counter; timer:bits, a: asynchronous, too.\nWhose models:\n");
  for (const auto model : {ModelledBy::ours, ModelledBy::simavr, ModelledBy::none}) print_models(all, model);
  fmt::print("Ours are exact in registers and cycles; simavr's in registers at most.\n");
}

Json list_nics() {
  Json all = Json::array();
  for (const auto& kind : nic_kinds()) all.push_back({{"name", kind.name}, {"summary", kind.summary}});
  return all;
}

Json list_diagnostics() {
  Json all = Json::array();
  for (const auto& kind : diagnostic_kinds()) {
    all.push_back({{"name", kind.name}, {"severity", to_string(kind.severity)}, {"summary", kind.summary}});
  }
  return all;
}

// Names, severities where there are any, summaries.
void print_summaries(const Json& all) {
  std::size_t width = 16;
  for (const auto& item : all) width = std::max(width, item["name"].get<std::string>().size());
  for (const auto& item : all) {
    const std::string severity =
        item.contains("severity") ? fmt::format("{:<8} ", item["severity"].get<std::string>()) : "";
    fmt::print("{:<{}} {}{}\n", item["name"].get<std::string>(), width, severity, item["summary"].get<std::string>());
  }
}

CLI::App* add_list(CLI::App& program, const char* name, const char* about, Json (*list)(),
                   const std::function<void()>& print = nullptr) {
  CLI::App* command = program.add_subcommand(name, about);
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "as a JSON array");
  command->callback([json, list, print] {
    if (*json) {
      fmt::print("{}\n", list().dump(2));
    } else if (print) {
      print();
    } else {
      print_summaries(list());
    }
  });
  return command;
}

}  // namespace

void add_list_commands(CLI::App& program) {
  auto toml = std::make_shared<std::string>();
  add_list(program, "boards", "list the boards that are built in", list_boards,
           [toml] {
             if (toml->empty()) {
               print_summaries(list_boards());
             } else {
               fmt::print("{}", to_toml(find_board(*toml)));
             }
           })
      ->add_option("--toml", *toml, "print how this one is wired, as a file for --board: the start of one of your own")
      ->type_name("NAME")
      ->excludes("--json");
  add_list(program, "mcus", "list the microcontrollers, what they have and whose models those are", list_mcus,
           print_mcus);
  add_list(program, "diagnostics", "list what a run can report, with its severity (see run --diag)", list_diagnostics);
  add_list(program, "nics", "list the Ethernet chips that are modelled", list_nics);
}

}  // namespace avrlan
