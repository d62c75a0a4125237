#include "emulator/cli/output_files.hpp"

#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "emulator/board/host_error.hpp"
#include "emulator/board/write_file.hpp"

namespace avrlan {

namespace {

// With a number for each later power-on of a lab's board.
bool is_later_capture(std::string_view name) {
  if (!name.starts_with("frames-") || !name.ends_with(".pcapng")) return false;
  name = name.substr(7, name.size() - 14);
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

constexpr std::array<std::string_view, 9> all_names = {"run.json",         "uart.log",      "frames.pcapng",
                                                       "diagnostics.json", "callgrind.out", "stacks.folded",
                                                       "timeline.json",    "coverage.info", "memory.json"};

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  if (std::filesystem::exists(a, error) && !std::filesystem::is_regular_file(a, error)) return false;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto first = std::filesystem::weakly_canonical(std::filesystem::absolute(a, error), error);
  return first == std::filesystem::weakly_canonical(std::filesystem::absolute(b, error), error);
}

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Only names that runs give to files; none when it is no run's.
std::vector<std::string> files_of_earlier_run(const std::filesystem::path& run_json, std::string_view schema) {
  std::vector<std::string> files;
  if (!std::filesystem::exists(run_json)) return files;
  try {
    const auto run = profile::JsonFile::load(run_json, schema);
    for (const auto& file : run.root()["files"].items()) {
      if (std::find(all_names.begin(), all_names.end(), file.text()) != all_names.end() ||
          is_later_capture(file.text()))
        files.push_back(file.text());
    }
  } catch (const UsageError&) {
    return {};
  }
  return files;
}

}  // namespace

void keep_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  for (const NamedFile& output : outputs) {
    std::error_code error;
    const auto status = std::filesystem::status(output.path, error);
    if (!std::filesystem::is_fifo(status) && !std::filesystem::is_socket(status) &&
        !std::filesystem::is_block_file(status))
      continue;
    throw UsageError(fmt::format("{} {} is a pipe, a socket or a disk, no file", output.option, output.path.string()),
                     "give it a file; `tail -f -c +0 FILE | PROGRAM` reads along");
  }
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    for (const NamedFile& input : inputs) {
      if (!same_file(output->path, input.path)) continue;
      throw UsageError(
          fmt::format("{} would overwrite {}, which is {}", output->option, input.path.string(), input.option),
          "give it another name");
    }
    for (auto other = outputs.begin(); other != output; ++other) {
      if (!same_file(output->path, other->path)) continue;
      throw UsageError(
          fmt::format("{} and {} would both write {}", other->option, output->option, output->path.string()),
          "give one of them another name");
    }
  }
}

OutDirectory::OutDirectory(std::filesystem::path directory, std::vector<std::string> names, std::string_view schema)
    : directory_(std::move(directory)),
      names_(std::move(names)),
      schema_(schema),
      earlier_(files_of_earlier_run(directory_ / "run.json", schema)) {
  for (const auto& name : names_) {
    // A link that leads nowhere is there, too.
    if (!std::filesystem::exists(std::filesystem::symlink_status(directory_ / name)) || contains(earlier_, name))
      continue;
    throw UsageError(fmt::format("{} is there already, and of no run of this avrlan", (directory_ / name).string()),
                     "delete it, or give another --out");
  }
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (error) {
    throw HostError(fmt::format("cannot make the directory {}: {}", directory_.string(), error.message()),
                    "give --out a directory that can be written");
  }
  lock_.reset(::opendir(directory_.c_str()));
  if (lock_ && ::flock(::dirfd(lock_.get()), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw UsageError(fmt::format("another run is writing to {}", directory_.string()),
                     "give each run an --out of its own");
  }
}

std::vector<NamedFile> OutDirectory::files() const {
  std::vector<NamedFile> files;
  for (const auto& name : names_) files.push_back({"--out", directory_ / name});
  return files;
}

void OutDirectory::begin() const {
  for (const auto& name : earlier_) {
    std::error_code error;
    std::filesystem::remove(directory_ / name, error);
    if (error) {
      throw HostError(
          fmt::format("cannot remove {} of an earlier run: {}", (directory_ / name).string(), error.message()),
          "give another --out");
    }
  }
  const profile::Json run = {{"schema", schema_}, {"files", names_}};
  write_file(directory_ / "run.json", run.dump(2) + "\n");
}

}  // namespace avrlan
