#!/usr/bin/python3
"""build.py FOLDER [TARGET ...]: builds with ninja and shows how far it is.

On a terminal that is ninja's own line, rewritten in place; elsewhere a line for every tenth of the
steps. Warnings and errors are shown as they come. Prints nothing if there is nothing to do.
"""
import os
import re
import subprocess
import sys

STEP = re.compile(r"^\[(\d+)/(\d+)\] ")
LINES = 10  # of progress, at most, where they cannot be rewritten
FEW = 20    # steps that are over before one wonders


def is_up_to_date(folder, targets):
    done = subprocess.run(["ninja", "-C", folder, "-n", *targets], stdout=subprocess.PIPE, text=True,
                          check=False)
    return "ninja: no work to do." in done.stdout


def build_sparsely(folder, targets):
    """As many lines as LINES says, and everything that is not a step."""
    ninja = subprocess.Popen(["ninja", *targets], cwd=folder, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace",
                             env=dict(os.environ, NINJA_STATUS="[%f/%t] "))
    shown = 0
    for line in ninja.stdout:
        step = STEP.match(line)
        if not step:
            print(line, end="", flush=True)
            continue
        done, steps = int(step[1]), int(step[2])
        if steps >= FEW and done * LINES // steps > shown:
            shown = done * LINES // steps
            print(f"  {folder}: {done} of {steps} built", flush=True)
    return ninja.wait()


def build(folder, targets=()):
    """ninja's exit status."""
    if is_up_to_date(folder, targets):
        return 0
    if sys.stdout.isatty():
        sys.stdout.flush()
        return subprocess.run(["ninja", *targets], cwd=folder, check=False).returncode
    return build_sparsely(folder, targets)


if __name__ == "__main__":
    try:
        sys.exit(build(sys.argv[1], sys.argv[2:]))
    except KeyboardInterrupt:
        sys.exit(130)
