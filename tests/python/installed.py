#!/usr/bin/python3
"""Builds the wheel, installs it in a fresh virtual environment and runs the tests there; and with
torch, where a Python has it.

    installed.py BUILD

torch is looked for in the virtual environment, which sees the system's packages, and in
BUILD/peer, which `make bench-peer` makes. Speaks TAP.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "scripts"))

import python_wheel


def has_torch(python):
    return subprocess.run([python, "-c", "import torch"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


class Tap:
    """Cases of several programs, counted as one."""

    def __init__(self):
        self.number = self.failed = 0

    def take(self, what, command, **options):
        """Passes a program's cases on; one that fails without saying so is a failed case."""
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, **options)
        failed = self.failed
        for line in done.stdout.splitlines():
            if line.startswith(("ok ", "not ok ")):
                state, _, rest = line.partition(" - ")
                self.case(not state.startswith("not"), rest)
            elif line.startswith("1..0 # "):
                self.case(True, f"{what} # {line[7:]}")
            elif not line.startswith("1.."):
                print(line)
        if done.returncode != 0 and failed == self.failed:
            self.case(False, f"{what} ended with status {done.returncode}")

    def case(self, good, text):
        self.number += 1
        self.failed += not good
        print(f"{'' if good else 'not '}ok {self.number} - {text}", flush=True)


def main(build):
    build = os.path.abspath(build)
    tap = Tap()
    wheel = python_wheel.build_wheel(build)
    python = python_wheel.install_in_venv(wheel, os.path.join(build, "python-test"))
    tap.case(True, f"the wheel {os.path.basename(wheel)} is built and installed")
    tap.take("run.py", [python, os.path.join(HERE, "run.py")], cwd="/")
    peer, environment = os.path.join(build, "peer", "bin", "python"), None
    if not has_torch(python) and os.path.exists(peer):
        package = os.path.join(build, "package")
        python_wheel.install_into(wheel, package)
        python, environment = peer, dict(os.environ, PYTHONPATH=package)
        tap.take("test_torch.py", [python, os.path.join(HERE, "run.py"), "test_torch.py"], cwd="/",
                 env=environment)
    tap.take("conformance.py", [python, os.path.join(HERE, "conformance.py"), "31"], cwd="/",
             env=environment)
    print(f"1..{tap.number}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
