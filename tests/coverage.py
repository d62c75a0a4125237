#!/usr/bin/env python3
"""Which lines and branches of nic-model/enc28j60 its unit tests reach.

Builds into build-coverage (or $BUILD), runs test_enc28j60, prints a table and every line and branch that is not reached;
exit status 1 below 95 % of the lines. Branches that only an exception takes are left out: nothing in the model throws.
Needs what tests/run.sh needs, and no more.
"""
import collections
import glob
import json
import os
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.environ.get("BUILD", os.path.join(root, "build-coverage"))
part = os.path.join(root, "nic-model", "enc28j60") + os.sep


def objects(kind):
    return [path for folder in ("nic-model", "tests/unit/nic-model")
            for path in glob.glob(f"{build}/{folder}/**/*.{kind}", recursive=True)]


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


run("cmake", "-S", root, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS=--coverage",
    "-DAVRLAN_FIRMWARE=OFF")
run("cmake", "--build", build, "--target", "test_enc28j60")
for counts in objects("gcda"):
    os.remove(counts)
run(f"{build}/bin/test_enc28j60", "--gtest_brief=1")

lines = collections.defaultdict(collections.Counter)  # file, line: how often executed
branches = collections.defaultdict(collections.Counter)  # file, (line, number): how often taken
for counts in objects("gcda"):
    report = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", counts], check=True,
                            capture_output=True, text=True, cwd=build)
    for unit in report.stdout.splitlines():
        for source in json.loads(unit)["files"]:
            path = os.path.normpath(os.path.join(build, source["file"]))
            if not path.startswith(part):
                continue
            name = path[len(part):]
            for line in source["lines"]:
                number = line["line_number"]
                lines[name][number] += line["count"]
                decisions = [branch for branch in line["branches"] if not branch["throw"]]
                for index, branch in enumerate(decisions if len(decisions) > 1 else []):
                    branches[name][number, index] += branch["count"]


def reached(counter):
    return sum(count > 0 for count in counter.values())


missed = []
totals = [0, 0, 0, 0]
for name in sorted(lines):
    row = [reached(lines[name]), len(lines[name]), reached(branches[name]), len(branches[name])]
    totals = [a + b for a, b in zip(totals, row)]
    print(f"{name:<24} {row[0]:5} of {row[1]:5} lines {row[2]:5} of {row[3]:5} branches")
    missed += [f"{name}:{line}: not reached" for line, count in sorted(lines[name].items()) if count == 0]
    missed += [f"{name}:{line}: branch {index} is not taken" for (line, index), count in sorted(branches[name].items())
               if count == 0 and lines[name][line] > 0]
share = 100 * totals[0] / totals[1]
print(f"lines {share:.1f} %, branches {100 * totals[2] / totals[3]:.1f} %")
print("\n".join(missed))
sys.exit(share < 95)
