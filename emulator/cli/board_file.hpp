#pragma once
// Boards of somebody's own, as TOML. emulator/board/README.md has the keys.
//
// Wait states are not a board's: the firmware sets them (XMCRA, MCUCR), and the chip's IORDY is not modelled.

#include <filesystem>
#include <string>

#include "emulator/board/board.hpp"

namespace avrlan {

// A built-in board's name, or FILE.toml, relative to `directory`. Throws UsageError: no such board; "FILE:LINE:COLUMN: ..."
// for what is wrong in the file: a key, a pin that the MCU lacks, a chip that does not fit its bus, ranges that overlap.
Board board_of(const std::string& name, const std::filesystem::path& directory = {});
// Whether board_of() takes it for a file.
bool is_board_file(const std::string& name);

// The text of such a file; `file` is for messages, and the name of a board without one.
Board parse_board(const std::string& text, const std::filesystem::path& file);
// The other way round: parse_board() of it is the same board.
std::string to_toml(const Board& board);
// One of boards(), as it is there.
bool is_built_in(const Board& board);

}  // namespace avrlan
