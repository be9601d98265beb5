#!/usr/bin/python3
"""run.py COMMAND PAGE [FOLDER]: tests of the page in a browser; TAP.

What the page says of documents is compared with what the command says of them, and numbers of laws
and pictures with the command's. With a folder, pictures of the page are left there, to be looked at.
"""
import os
import sys

from checker import Checker
from command import Command
from figures import Figures
from lessons import Lessons
from playground import Playground
from reports import Reports
from screen import Screen
from tools import Tools
from tour import Tour
from words import Words

PARTS = (Playground, Lessons, Tools, Tour, Words, Checker, Screen, Figures, Reports, Command)  # in this order; the last looks back on all


class Tests(*PARTS):
    """All of them, in one browser."""


def main():
    tests = Tests(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
    only = os.environ.get("QKV_PAGE_TEST", "")
    names = [name for part in PARTS for name in vars(part) if name.startswith("test_") and only in name]
    failed = 0
    print(f"1..{len(names)}", flush=True)
    try:
        for i, name in enumerate(names):
            title = name[len("test_"):].replace("_", " ")
            try:
                getattr(tests, name)()
                print(f"ok {i + 1} - {title}", flush=True)
            except Exception as error:  # whatever a browser may throw
                failed += 1
                print(f"not ok {i + 1} - {title}", flush=True)
                print("".join(f"# {line}\n" for line in str(error).split("\n")[:20]), end="", flush=True)
    finally:
        tests.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
