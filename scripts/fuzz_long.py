#!/usr/bin/python3
"""Fuzzes until every target has had many runs, over as many calls of this as it takes.

    fuzz_long.py BUILD [RUNS [SECONDS]]

RUNS per target, 10 million unless told. The runs so far are kept in tests/fuzz/runs.txt, which is a
part of the repository; a call adds to them, and ends when all targets have theirs, after SECONDS if
told, or at an interrupt. Targets that have not had theirs take turns, so that a slow one does not keep
the others waiting. At the first failure it ends with status 1; the input is in BUILD.
"""

import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORD = os.path.join(ROOT, "tests", "fuzz", "runs.txt")
TURN = 60  # seconds
HEAD = """# Inputs that each fuzz target was run with so far, under the sanitizers. Kept by `make fuzz-long`.
"""


def read_record():
    with open(RECORD, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {name: int(runs) for name, runs in rows}


def write_record(runs):
    with open(RECORD + ".new", "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(f"{name:12} {runs[name]:>10}\n" for name in sorted(runs)))
    os.replace(RECORD + ".new", RECORD)


def turn(build, target, seconds):
    """Runs one target for a while; returns how many inputs it had, and whether it failed."""
    run = subprocess.run([os.path.join(ROOT, "scripts", "fuzz"), build, str(seconds), target], check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    found = re.search(r"stat::number_of_executed_units:\s+(\d+)", run.stdout)
    if run.returncode != 0:
        print(run.stdout[-4000:])
    return int(found[1]) if found else 0, run.returncode != 0


def main(words):
    build, wanted = words[0], int(words[1]) if len(words) > 1 else 10**7
    end = time.monotonic() + float(words[2]) if len(words) > 2 else float("inf")
    turns = 0
    while time.monotonic() < end:
        runs = read_record()
        unfinished = sorted(name for name in runs if runs[name] < wanted)
        if not unfinished:
            break
        target, turns = unfinished[turns % len(unfinished)], turns + 1
        seconds = int(min(TURN, max(1, end - time.monotonic())))
        more, failed = turn(build, target, seconds)
        if failed:
            return 1
        runs[target] += more
        write_record(runs)
        print(f"{target}: {runs[target]} runs", flush=True)
    print("".join(f"{name:12} {number:>10}\n" for name, number in sorted(read_record().items())), end="")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
