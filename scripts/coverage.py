#!/usr/bin/python3
"""Which branches the tests take, by folder, and a list of those that none takes.

    coverage.py BUILD

BUILD was set up with -Db_coverage=true, and its tests have run. Prints a table, and writes the list to
BUILD/gaps.txt: a line of the source, how many of its branches were never taken, and which. A branch that only
a failing allocation takes counts like any other: the tests of failing allocations are among the tests.
"""

import collections
import functools
import gzip
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What the project promises of a folder, as a share of its branches.
FOLDERS = {"src/io": 1.0, "src/language": 1.0, "src/exact": 0.95, "src/ball": 0.95, "src/replay": 0.95}


def objects(build):
    for folder, _, names in os.walk(os.path.join(build, "src")):
        for name in names:
            if name.endswith(".gcda"):
                yield os.path.join(folder, name)


def read_gcov(build):
    """{source: {line: [count of each branch]}}, added up over all objects that hold it."""
    found = collections.defaultdict(dict)
    with tempfile.TemporaryDirectory() as scratch:
        for start in objects(build):
            done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", start], cwd=scratch,
                                  check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if done.returncode != 0:  # left by an older build, or by a test that was killed as it wrote
                print(f"not counted, since gcov cannot read it: {os.path.basename(start)}")
            for name in os.listdir(scratch):
                with gzip.open(os.path.join(scratch, name), "rt", encoding="utf-8") as file:
                    add(json.load(file), found)
                os.unlink(os.path.join(scratch, name))
    return found


def add(record, found):
    for entry in record["files"]:
        path = os.path.relpath(os.path.normpath(
            os.path.join(record["current_working_directory"], entry["file"])), ROOT)
        for line in entry["lines"]:
            counts = [branch["count"] for branch in line["branches"]]
            before = found[path].get(line["line_number"])
            if before is None or len(before) != len(counts):
                found[path][line["line_number"]] = counts
            else:
                found[path][line["line_number"]] = [x + y for x, y in zip(before, counts)]


@functools.lru_cache(maxsize=None)
def source_lines(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read().splitlines()


def source_line(path, line):
    return source_lines(path)[line - 1].strip()


def main(words):
    build, gaps = os.path.abspath(words[0]), []
    found = read_gcov(build)
    print(f"{'folder':14} {'branches':>9} {'taken':>9}   share  wanted")
    for folder, wanted in FOLDERS.items():
        branches = taken = 0
        for path in sorted(found):
            if os.path.dirname(path) != folder:
                continue
            for line, counts in sorted(found[path].items()):
                branches += len(counts)
                taken += sum(count > 0 for count in counts)
                never = [str(number) for number, count in enumerate(counts, 1) if count == 0]
                if never:
                    gaps.append(f"{path}:{line}: {','.join(never)} of {len(counts)}: {source_line(path, line)}\n")
        share = taken / branches if branches else 0.0
        print(f"{folder:14} {branches:9} {taken:9}  {100 * share:5.1f} % {100 * wanted:5.0f} %")
    path = os.path.join(build, "gaps.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(gaps)
    print(f"{len(gaps)} lines have branches that no test takes: {os.path.relpath(path)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
