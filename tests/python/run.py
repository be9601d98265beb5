#!/usr/bin/python3
"""Runs the tests of this folder with the package that this Python finds. Speaks TAP.

    run.py [PATTERN]      test_*.py unless given
"""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Tap(unittest.TestResult):
    """A line a case; what failed is told in comments."""

    number = 0

    def tell(self, good, test, note=""):
        self.number += 1
        print(f"{'' if good else 'not '}ok {self.number} - {test.id()}{note}", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.tell(True, test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.tell(True, test, f" # SKIP {reason}")

    def comment(self, error, test):
        for line in self._exc_info_to_string(error, test).splitlines():
            print(f"# {line}")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.comment(error, test)
        self.tell(False, test)

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.addFailure(test, error)


def main(pattern="test_*.py"):
    sys.path.insert(0, HERE)
    suite = unittest.defaultTestLoader.discover(HERE, pattern=pattern)
    result = Tap()
    suite.run(result)
    print(f"1..{result.number}")
    return 0 if result.wasSuccessful() and result.number else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
