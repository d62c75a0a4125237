#include "emulator/board/board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "emulator/board/firmware.hpp"

namespace avrlan {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

const std::vector<Board>& boards() {
  static const std::vector<Board> all = {
      {"uno-enc28j60", "Arduino Uno with an ENC28J60: chip select PB2, interrupt PD2", "atmega328p", 16'000'000,
       "enc28j60", Pin{'B', 2}, Pin{'D', 2}, std::nullopt},
      {"mega-enc28j60", "Arduino Mega 2560 with an ENC28J60: chip select PB0, interrupt PE4", "atmega2560", 16'000'000,
       "enc28j60", Pin{'B', 0}, Pin{'E', 4}, std::nullopt},
  };
  return all;
}

const Board& find_board(std::string_view name) {
  for (const auto& board : boards()) {
    if (board.name == name) return board;
  }
  const auto nearest = std::min_element(boards().begin(), boards().end(), [&](const Board& a, const Board& b) {
    return edit_distance(name, a.name) < edit_distance(name, b.name);
  });
  throw UsageError(fmt::format("there is no board '{}'", name),
                   fmt::format("did you mean '{}'? `avrlan boards` lists them all", nearest->name));
}

}  // namespace avrlan
