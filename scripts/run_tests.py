#!/usr/bin/python3
"""Builds and runs the tests of several build folders, and adds up their cases.

    run_tests.py [--left-out=TEXT] FOLDER[:SUITE] ...

Every test speaks TAP; a case counts as one, a test that dies without a failed case counts as one
failure. Output of what failed is shown. At the end come the cases that were skipped and the texts of
what was left out, so that nothing is missing unseen. The last line is "N passed, N failed".
"""
import collections
import json
import os
import re
import subprocess
import sys

import build

CASE = re.compile(r"^(not )?ok\b[^\n#]*(#\s*skip)?", re.IGNORECASE | re.MULTILINE)
SKIPPED = re.compile(r"^ok\b[^\n#]*#\s*skip\s*([^\n]*)", re.IGNORECASE | re.MULTILINE)


def run(folder, suite):
    """One `meson test`; returns its log, a list with an object per test."""
    if build.build(folder) != 0:
        return [{"name": f"building {folder}", "result": "FAIL", "stdout": "(see above)"}]
    log = os.path.join(folder, "meson-logs", "testlog.json")
    if os.path.exists(log):
        os.remove(log)
    command = ["meson", "test", "-C", folder, "--no-rebuild"]
    subprocess.run(command + (["--suite", suite] if suite else []), stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    with open(log, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def count(test):
    """(passed, failed, skipped) cases of one test."""
    passed = failed = skipped = 0
    for case in CASE.finditer(test.get("stdout") or ""):
        if case.group(1):
            failed += 1
        elif case.group(2):
            skipped += 1
        else:
            passed += 1
    good = test["result"] in ("OK", "SKIP", "EXPECTEDFAIL")
    if not good and failed == 0:
        failed = 1
    if good and passed == 0 and skipped == 0:
        passed = 1
    return passed, failed, skipped


def main(words):
    totals, remarks = [0, 0, 0], []
    for place in words:
        if place.startswith("--left-out="):
            remarks.append("left out " + place.partition("=")[2])
            continue
        folder, _, suite = place.partition(":")
        for test in run(folder, suite):
            counts = count(test)
            totals = [total + more for total, more in zip(totals, counts)]
            state = "FAILED" if counts[1] else "ok"
            seconds = test.get("duration") or 0
            name = test["name"].rpartition(" / ")[2]  # without its suites
            print(f"{state:7}{folder:16}{name:34}{counts[0]:5} cases {seconds:7.1f} s",
                  flush=True)
            reasons = collections.Counter(SKIPPED.findall(test.get("stdout") or ""))
            remarks += [f"skipped in {folder}, {name}: {number} cases: {reason}"
                        for reason, number in reasons.items()]
            for line in (test.get("stdout") or "").splitlines():
                if counts[1] or (line.startswith("# ") and "accuracy" in test["name"]):
                    print(f"       | {line}")
            if counts[1]:
                for line in (test.get("stderr") or "").splitlines():
                    print(f"       ! {line}")
    print("".join(remark + "\n" for remark in remarks), end="")
    skipped = f", {totals[2]} skipped" if totals[2] else ""
    print(f"{totals[0]} passed, {totals[1]} failed{skipped}")
    return 1 if totals[1] or not totals[0] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
