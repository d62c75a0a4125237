// `avrlan compare` on builds whose difference is known, and on what cannot be compared.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

class Compare : public testing::Test {
 protected:
  Compare() { std::filesystem::create_directories(directory_); }
  ~Compare() override { std::filesystem::remove_all(directory_); }

  // The run.json of a variant of compared.c.
  std::string recorded(const std::string& variant, const std::string& more = "--profile") {
    const auto out = (directory_ / variant).string();
    const auto done = run({AVRLAN_PROGRAM, "run", std::string(AVRLAN_VARIANT_DIR) + "/" + variant + ".elf", "--net",
                           "none", "--pace", "max", "--timeout", "1s", more, "--out", out});
    EXPECT_EQ(done.status, 0) << done.err;
    return out + "/run.json";
  }
  static Completed compare(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {AVRLAN_PROGRAM, "compare"});
    return run(arguments);
  }
  std::string write(const std::string& name, const std::string& text) {
    const auto path = directory_ / name;
    std::ofstream(path) << text;
    return path.string();
  }
  static std::string read(const std::string& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  static void expect_usage_error(const Completed& done, const std::string& what) {
    EXPECT_EQ(done.status, 64) << done.err;
    EXPECT_NE(done.err.find(what), std::string::npos) << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  }

  const std::filesystem::path directory_ =
      std::filesystem::path(testing::TempDir()) / ("avrlan-compare-" + std::to_string(::getpid()));
};

TEST_F(Compare, FindsNothingInTheSameBuild) {
  const auto base = recorded("compared");
  const auto done = compare({base, base, "--max-regress", "0"});
  EXPECT_EQ(done.status, 0) << done.out;
  EXPECT_NE(done.out.find(" 0 differ"), std::string::npos) << done.out;
}

TEST_F(Compare, NamesTheFunctionThatALostCycleIsIn) {
  const auto done = compare({recorded("compared"), recorded("slower"), "--max-regress", "0"});
  EXPECT_EQ(done.status, 1);
  // LDI 1, DEC 1, BRNE not taken 1, in ten calls.
  EXPECT_NE(done.out.find("regression: function work: "), std::string::npos) << done.out;
  EXPECT_NE(done.out.find(", +30, 30 more than allowed"), std::string::npos) << done.out;
  EXPECT_EQ(done.out.find("regression: function other"), std::string::npos) << done.out;
}

TEST_F(Compare, AllowsWhatItIsTold) {
  const auto base = recorded("compared"), slower = recorded("slower");
  EXPECT_EQ(compare({base, slower, "--max-regress", "30"}).status, 0);
  EXPECT_EQ(compare({base, slower, "--max-regress", "29"}).status, 1);
  EXPECT_EQ(compare({base, slower, "--max-regress", "50%"}).status, 0);
  EXPECT_EQ(compare({base, slower}).status, 0) << "no limit";
  const auto limits =
      write("limits.toml", "[function]\n\"wor*\" = 30\n[total]\nactive = \"50%\"\n[flash]\ntotal = 0\n");
  const auto by_item = compare({base, slower, "--limits", limits});
  EXPECT_EQ(by_item.status, 1);
  EXPECT_NE(by_item.out.find("regression: flash total"), std::string::npos) << by_item.out;
  EXPECT_EQ(by_item.out.find("regression: function"), std::string::npos) << by_item.out;
}

TEST_F(Compare, DoesNotMindTheOrderOfTheSource) {
  const auto done = compare({recorded("compared"), recorded("reordered"), "--max-regress", "0"});
  EXPECT_EQ(done.status, 0) << done.out;
  EXPECT_NE(done.out.find(" 0 differ"), std::string::npos) << done.out;
}

TEST_F(Compare, TellsWhereAnInlinedFunctionWent) {
  const auto done = compare({recorded("compared"), recorded("inlined"), "--max-regress", "0"});
  EXPECT_NE(done.out.find("helper (now inlined into main ("), std::string::npos) << done.out;
  const auto back = compare({recorded("inlined"), recorded("compared")});
  EXPECT_NE(back.out.find("helper (was inlined into main ("), std::string::npos) << back.out;
}

TEST_F(Compare, RefusesARunThatWasKilledAndDoubtsOneOfAnotherLength) {
  const auto base = recorded("compared");
  const auto killed = write("killed.json", R"({"schema": "avrlan-run-1", "files": ["run.json"]})");
  for (const auto& files : {std::vector{base, killed}, {killed, base}, {killed, base, "--update-baseline"}})
    expect_usage_error(compare(files), "killed.json is of a run that has not ended");
  auto run = nlohmann::json::parse(read(base));
  run["result"]["reason"] = "timeout";
  run["seconds"]["virtual"] = 2.0;
  const auto longer = write("longer.json", run.dump());
  run["seconds"]["virtual"] = 1.5;
  const auto done = compare({longer, write("shorter.json", run.dump())});
  EXPECT_NE(done.out.find("note: the runs were not of one --timeout: 2 s and 1.5 s\n"), std::string::npos) << done.out;
  EXPECT_EQ(compare({longer, longer}).out.find("note: "), std::string::npos);
}

TEST_F(Compare, TellsOfCallsAndOfWhatCameAndWent) {
  const auto base = recorded("compared");
  auto changed = nlohmann::json::parse(read(base));
  for (auto& function : changed["functions"]) {
    if (function["name"] == "work") function["calls"] = 9;
    if (function["name"] == "work") function["cycles"] = function["cycles"].get<int>() - 7;
    if (function["name"] == "main") function["cycles"] = function["cycles"].get<int>() + 7;
    if (function["name"] == "other") function["name"] = "another";
  }
  const auto done = compare({base, write("changed.json", changed.dump())});
  for (const char* line :
       {" work (9 calls, were 10)\n", " main\n", " another (new)\n", " other (gone, or not called any more)\n"})
    EXPECT_NE(done.out.find(line), std::string::npos) << line << done.out;
  EXPECT_NE(compare({base, recorded("slower")}).out.find(" work (10 calls)\n"), std::string::npos);
}

TEST_F(Compare, ReportsForMachines) {
  const auto junit = (directory_ / "compare.xml").string();
  const auto summary = (directory_ / "summary.md").string();
  const auto base = recorded("compared"), slower = recorded("slower");
  const auto done = run({AVRLAN_PROGRAM, "compare", base, slower, "--max-regress", "0", "--junit", junit, "--github"},
                        [&] { ::setenv("GITHUB_STEP_SUMMARY", summary.c_str(), 1); });
  EXPECT_EQ(done.status, 1);
  EXPECT_NE(done.out.find("::error title=avrlan compare::function work: "), std::string::npos) << done.out;
  EXPECT_NE(read(summary).find("| **!** | function `work` |"), std::string::npos) << read(summary);
  EXPECT_EQ(run({"python3", "-c",
                 "import sys, xml.etree.ElementTree as e; s = e.parse(sys.argv[1]).getroot();"
                 "f = [c.get('name') for c in s if len(c)]; assert sorted(f) == ['active', 'other', 'work'], f;"
                 "assert int(s.get('failures')) == 3 and int(s.get('tests')) == len(s)",
                 junit})
                .err,
            "");
  const auto json = nlohmann::json::parse(compare({base, slower, "--max-regress", "0", "--json"}).out);
  EXPECT_EQ(json.at("schema"), "avrlan-compare-1");
  EXPECT_EQ(json.at("regressed"), true);
}

TEST_F(Compare, WritesABaselineOnlyWhenAsked) {
  const auto base = recorded("compared"), slower = recorded("slower");
  const auto before = read(base);
  compare({base, slower, "--max-regress", "0"});
  EXPECT_EQ(read(base), before);
  EXPECT_EQ(compare({base, slower, "--update-baseline"}).status, 0);
  EXPECT_EQ(compare({base, slower, "--max-regress", "0"}).status, 0);
}

TEST_F(Compare, RefusesALimitThatLimitsNothing) {
  const auto base = recorded("compared");
  const auto limited = [&](const std::string& toml) {
    return compare({base, base, "--limits", write("l.toml", toml)});
  };
  EXPECT_EQ(limited("[function]\nwork = 0\n\"*\" = \"1%\"\n[stack]\n\"*\" = 0\n").status, 0);
  expect_usage_error(limited("[total]\nactive = 0\n[function]\nwrk = 0\n"),
                     "l.toml:4: no function of the runs fits 'wrk'");
  expect_usage_error(limited("[function]\nwrk = 0\n"), "did you mean 'work'?");
  expect_usage_error(limited("[coverage]\nlines = 0\n"), "--coverage");
  expect_usage_error(limited("[flash]\ntotal = 1.5\n"), "l.toml:2: the limit of 'total'");
  expect_usage_error(limited("[flash]\ntotal = -1\n"), "not an allowance");
  expect_usage_error(limited("[flash\n"), "l.toml:1");
}

TEST_F(Compare, SaysWhatIsWrongInWhichFile) {
  const auto base = recorded("compared");
  const auto whole = nlohmann::json::parse(read(base));
  const auto damaged = [&](const std::function<void(nlohmann::json&)>& damage) {
    auto json = whole;
    damage(json);
    const auto file = write("damaged.json", json.dump());
    auto done = compare({base, file});
    EXPECT_EQ(compare({file, base}).err, done.err);
    EXPECT_NE(done.err.find(file), std::string::npos) << done.err;
    EXPECT_EQ(done.err.find("json.exception"), std::string::npos) << done.err;
    return done;
  };
  expect_usage_error(damaged([](auto& j) { j["functions"][1].erase("cycles"); }), "functions[1].cycles is missing");
  expect_usage_error(damaged([](auto& j) { j["functions"][1]["cycles"] = -5; }),
                     "functions[1].cycles is no whole number");
  expect_usage_error(damaged([](auto& j) { j["functions"][1]["cycles"] = 1.5; }),
                     "functions[1].cycles is no whole number");
  expect_usage_error(damaged([](auto& j) { j["functions"][1]["cycles"] = 1e300; }), "functions[1].cycles");
  expect_usage_error(damaged([](auto& j) { j["functions"][1]["cycles"] = ~0ull; }), "functions[1].cycles");
  expect_usage_error(damaged([](auto& j) { j["functions"][1]["name"] = 5; }), "functions[1].name is no text");
  expect_usage_error(damaged([](auto& j) { j["functions"][1]["name"] = ""; }), "functions[1].name is empty");
  expect_usage_error(damaged([](auto& j) { j["functions"] = nlohmann::json::array(); }),
                     "functions add up to 0 cycles");
  expect_usage_error(damaged([](auto& j) { j["functions"].erase(0); }), "functions add up to");
  expect_usage_error(damaged([](auto& j) { j["functions"] = "many"; }), "functions is no list");
  expect_usage_error(damaged([](auto& j) { j["cycles"] = nullptr; }), "cycles is no object");
  expect_usage_error(damaged([](auto& j) { j["stack"] = "deep"; }), "stack is no whole number");
  expect_usage_error(damaged([](auto& j) { j["firmware"]["hz"] = "fast"; }), "firmware.hz");
  expect_usage_error(damaged([](auto& j) { j["schema"] = 1; }), "no schema");
  expect_usage_error(damaged([](auto& j) { j["schema"] = "avrlan-compare-1"; }), "has schema avrlan-compare-1");
  expect_usage_error(damaged([](auto& j) { j = nlohmann::json::array(); }), "no file of avrlan's");
}

TEST_F(Compare, ReadsNoDeviceAndNoDirectory) {
  const auto base = recorded("compared");
  for (const std::string& file : {directory_.string(), std::string("/dev/zero")}) {
    expect_usage_error(compare({file, base}), "cannot read " + file);
    expect_usage_error(compare({base, file}), "cannot read " + file);
    expect_usage_error(compare({base, base, "--limits", file}), "cannot read " + file);
  }
}

TEST_F(Compare, OverwritesNothingThatIsNoBaseline) {
  const auto base = recorded("compared"), slower = recorded("slower");
  const auto source = write("main.c", "int main;\n");
  expect_usage_error(compare({source, slower, "--update-baseline"}), "main.c");
  EXPECT_EQ(read(source), "int main;\n");
  expect_usage_error(compare({base, base, "--update-baseline"}), "would overwrite");
  expect_usage_error(compare({base, slower, "--junit", slower}), "would overwrite");
  expect_usage_error(compare({base, slower, "--update-baseline", "--json"}), "--json");
  auto other = nlohmann::json::parse(read(base));
  other["board"] = "ethernut1";
  const auto board = write("board.json", other.dump());
  expect_usage_error(compare({board, slower, "--update-baseline"}), "baseline of other hardware");
  const auto partial = write("partial.json", R"({"schema": "avrlan-run-1", "result": {}})");
  expect_usage_error(compare({(directory_ / "new.json").string(), partial, "--update-baseline"}), "has no profile");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "new.json"));
  EXPECT_EQ(compare({(directory_ / "new.json").string(), slower, "--update-baseline"}).status, 0);
}

// Names from a file that somebody else has made.
TEST_F(Compare, NamesStayInTheirLineAndTheirCell) {
  const auto base = recorded("compared");
  auto json = nlohmann::json::parse(read(base));
  const std::int64_t more = 1;
  for (auto& function : json["functions"]) {
    if (function["name"] != "work") continue;
    function["cycles"] = function["cycles"].get<std::int64_t>() + more;
  }
  for (const char* part : {"active", "total"}) json["cycles"][part] = json["cycles"][part].get<std::int64_t>() + more;
  std::string before = read(base), after = json.dump();
  const auto rename = [](std::string& text) {
    for (auto at = text.find("\"work\""); at != std::string::npos; at = text.find("\"work\"", at))
      text.replace(at, 6, "\"a|b`\\n::error::c\\u001b[31m\"");
  };
  rename(before);
  rename(after);
  const auto summary = (directory_ / "summary.md").string();
  const auto done = run(
      {AVRLAN_PROGRAM, "compare", write("a.json", before), write("b.json", after), "--max-regress", "0", "--github"},
      [&] { ::setenv("GITHUB_STEP_SUMMARY", summary.c_str(), 1); });
  EXPECT_EQ(done.status, 1) << done.err;
  EXPECT_EQ(done.out.find("\n::error::c"), std::string::npos) << done.out;
  EXPECT_EQ(done.out.find('\x1b'), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("regression: function a|b`\\x0a::error::c\\x1b[31m: "), std::string::npos) << done.out;
  EXPECT_NE(read(summary).find("function `a\\|b'\\x0a::error::c\\x1b[31m` |"), std::string::npos) << read(summary);
}

TEST_F(Compare, RefusesWhatCannotBeCompared) {
  const auto base = recorded("compared");
  auto other = nlohmann::json::parse(read(base));
  expect_usage_error(compare({base, directory_ / "none.json"}), "cannot read");
  expect_usage_error(compare({base, write("cut.json", read(base).substr(0, 300))}), "not JSON");
  other["schema"] = "avrlan-run-2";
  expect_usage_error(compare({base, write("version.json", other.dump())}),
                     "of another version of avrlan (avrlan-run-2, not avrlan-run-1)");
  other["schema"] = "avrlan-run-1";
  other["board"] = "ethernut1";
  expect_usage_error(compare({base, write("board.json", other.dump())}), "different hardware");
  other.erase("cycles");
  other["board"] = "uno-enc28j60";
  expect_usage_error(compare({base, write("partial.json", other.dump())}), "damaged");
  expect_usage_error(compare({base, recorded("slower", "--coverage")}), "has no profile");
  expect_usage_error(compare({base, base, "--max-regress", "few"}), "not an allowance");
  expect_usage_error(compare({base, base, "--max-regress", "nan%"}), "not an allowance");
  expect_usage_error(compare({base, base, "--limits", write("bad.toml", "[cycles]\nall = 0\n")}), "no table of limits");
}

}  // namespace
}  // namespace avrlan::test
