#!/usr/bin/python3
"""Makes every allocation of the command fail, one per run; prints TAP.

    allocations.py QKV SHIM DRIVER [SUBCOMMAND [STEP]]

SHIM is fail_memory.c, to be preloaded. SUBCOMMAND chooses, and "others" has those that are in no
other test; STEP takes one allocation in so many. command.py says what is run, and what must hold of a
run that failed. DRIVER is test_allocations.c, which does the same to the functions of the library:
here its table is compared with the headers.

Allocations of libraries that end the program when there is no memory are a count by themselves, of
which some runs are drawn: FLINT, Arb and GMP end with one line and status 2, because the command
tells them to; GLib, librsvg and what they use, which draw PNG and PDF, end by a signal of their own
or draw with another font. Nothing is half written in either case. docs/decisions/0017 gives the
reasons.
"""

import os
import random
import re
import subprocess
import sys

import command
import tap

REASONS = ["out of memory", "Cannot allocate memory"]
OTHERS_DRAWN = 40  # runs per use, of allocations in libraries that end the program
DRAWN = ("plot png", "plot pdf")  # by libraries that know no way to report a failure


class Log:
    def __init__(self, path):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        end = re.search(r"made (\d+) left (\d+)", text)
        failed = re.search(r"failed (\S+) (\S+)", text)
        self.made, self.left = (int(end[1]), int(end[2])) if end else (None, None)
        self.module, self.function = (failed[1], failed[2]) if failed else ("", "")


class Test(tap.Cases):
    def __init__(self, qkv, shim):
        self.folder = command.Folder(qkv)
        self.shim, self.log = os.path.abspath(shim), self.folder.path + ".log"
        self.runs = self.ended = 0

    def run(self, use, at, others=False, lasting=False):
        whose = "others" if others else "own" if use.name in DRAWN else "reported"
        environment = {"LD_PRELOAD": self.shim, "QKV_FAIL_LOG": self.log, "QKV_FAIL_AT": str(at),
                       "QKV_FAIL_WHOSE": whose}
        environment.update({"QKV_FAIL_LASTING": "1"} if lasting else {})
        self.folder.prepare(use)
        self.runs += at > 0
        return self.folder.run(use, environment), Log(self.log)

    def fault(self, use, whole, at, others, lasting):
        """What is wrong when allocation `at` fails, or ""."""
        got, log = self.run(use, at, others, lasting)
        if others and use.name in DRAWN:
            self.ended += got.status < 0
            wrong = self.judge_drawn(use, got)
        else:
            wrong = command.judge(use, whole, got, REASONS)
        if not wrong and log.left:
            wrong = f"{log.left} blocks leaked"
        where = f"{os.path.basename(log.module)} {log.function}"
        return f"allocation {at}{' and all after it' if lasting else ''} ({where}): {wrong}" if wrong else ""

    def judge_drawn(self, use, got):
        """A picture that could not be drawn leaves the old one."""
        contents, begin = got.files.pop(use.writes[0], None), (b"\x89PNG", b"%PDF")
        if got.files:
            return "a file was left behind"
        whole = contents is not None and contents.startswith(begin) and got.status == 0
        return "" if whole or contents == command.OLD else f"status {got.status}, not the old file"

    def try_use(self, use, step):
        faults = []
        whole, log = self.run(use, 0)
        refused = any(whole.files.get(name) == command.OLD for name in use.writes)
        if whole.status < 0 or log.left or refused:
            return [f"undisturbed: status {whole.status}, {log.made} allocations, {log.left} blocks left"]
        first = 1 + random.Random(use.name).randrange(step)
        for at in range(first, log.made + 1, step):
            for lasting in (False, True):
                faults.append(self.fault(use, whole, at, False, lasting))
        _, log = self.run(use, 0, True)
        drawn = random.Random(use.name).sample(range(1, log.made + 1),
                                               min(log.made, max(1, OTHERS_DRAWN // step)))
        faults += [self.fault(use, whole, at, True, False) for at in sorted(drawn)]
        return faults


def absent_functions(driver):
    """The functions that return a status, by the headers, and are not in the driver's table."""
    listed = subprocess.run([driver, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
    headers = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../include/qkv")
    declared = set()
    for name in os.listdir(headers):
        if name not in ("cuda.h", "mpi.h"):  # libraries of their own
            with open(os.path.join(headers, name), encoding="utf-8") as file:
                declared |= set(re.findall(r"^QKV_API qkv_status (\w+)\(", file.read(), re.M))
    return sorted(declared - set(listed.split()))


def chosen_uses(name):
    own = ("attend", "check", "explain", "sample", "plot")
    if name == "others":
        return [use for use in command.USES if use.words[0] not in own]
    return [use for use in command.USES if name in ("", use.words[0], use.name)]


def main(words):
    uses = chosen_uses(words[3] if len(words) > 3 else "")
    step = int(words[4]) if len(words) > 4 else 1
    test, absent = Test(words[0], words[1]), absent_functions(words[2])
    print(f"1..{len(uses) + 1}")
    test.report("every function that returns a status is in the table", [f"{name} is not" for name in absent])
    try:
        for use in uses:
            before = test.runs
            faults = test.try_use(use, step)
            test.report(f"{use.name}: {test.runs - before} allocations failed", faults)
    finally:
        test.folder.remove()
        if os.path.exists(test.log):
            os.unlink(test.log)
    print(f"# {test.runs} allocations failed, of which {test.ended} ended the command in a library "
          "that knows no other way")
    return 0 if test.good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
