#pragma once
// What commands write, kept apart from what they read.

#include <dirent.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/profile/json_file.hpp"

namespace avrlan {

struct NamedFile {
  std::string option;  // that names it
  std::filesystem::path path;
};

// Throws UsageError when an output is one of the inputs, or two outputs are one file, by whatever path or link, or one is a pipe, whose
// reader a run would have to wait for. Devices as /dev/null can be written to by many.
void keep_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

// The directory of --out. Its run.json says, from the start of a run on, which files are the run's: those are replaced by the
// next run, others are not touched.
class OutDirectory {
 public:
  // `names`: of the files that this run will write, run.json among them. Makes the directory. Throws UsageError when one of
  // them is there and of no run, or while another process writes there, HostError when the directory cannot be made. `schema`
  // is run.json's.
  OutDirectory(std::filesystem::path directory, std::vector<std::string> names,
               std::string_view schema = profile::run_schema);

  std::filesystem::path operator/(std::string_view name) const { return directory_ / name; }
  std::vector<NamedFile> files() const;
  const std::vector<std::string>& names() const { return names_; }

  // Removes the earlier run's files and leaves a run.json without results. Throws HostError.
  void begin() const;

 private:
  std::filesystem::path directory_;
  std::vector<std::string> names_;
  std::string schema_;
  std::vector<std::string> earlier_;
  std::unique_ptr<DIR, int (*)(DIR*)> lock_{nullptr, ::closedir};  // flock(2), for the life of this
};

}  // namespace avrlan
