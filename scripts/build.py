#!/usr/bin/python3
"""build.py FOLDER [TARGET ...]: builds with ninja and shows how far it is.

On a terminal that is one line, rewritten in place; elsewhere a line for every tenth of the steps.
Warnings and errors are shown as they come. Prints nothing if there is nothing to do.
"""
import os
import re
import signal
import subprocess
import sys

STEP = re.compile(r"^\[(\d+)/(\d+)\] ")
LINES = 10  # of progress, at most, where they cannot be rewritten
FEW = 20    # steps that are over before one wonders


def steps_to_do(folder, targets=()):
    """How many steps ninja would take."""
    done = subprocess.run(["ninja", "-C", folder, "-n", *targets], stdout=subprocess.PIPE, text=True,
                          check=False, env=dict(os.environ, NINJA_STATUS="[%f/%t] "))
    steps = [int(step[2]) for step in map(STEP.match, done.stdout.splitlines()) if step]
    return max(steps, default=0 if "no work to do" in done.stdout else 1)


class Line:
    """A line that is rewritten in place on a terminal, and that leaves no trace elsewhere."""

    def __init__(self):
        self.live = sys.stdout.isatty()
        self.shown = ""

    def show(self, text):
        if self.live and text != self.shown:
            width = os.get_terminal_size(sys.stdout.fileno()).columns or 80
            print(f"\r{text[:width - 1]}\x1b[K", end="", flush=True)
            self.shown = text

    def wipe(self):
        if self.shown:
            print("\r\x1b[K", end="", flush=True)
            self.shown = ""


def build(folder, targets=(), told=lambda done, steps: ""):
    """ninja's exit status. `told` gets the steps done and all, and may give words for the line."""
    if steps_to_do(folder, targets) == 0:
        return 0
    line = Line()
    # ninja has colours where its output is a terminal, which here it is at second hand.
    colours = {"CLICOLOR_FORCE": "1"} if line.live else {}
    ninja = subprocess.Popen(["ninja", *targets], cwd=folder, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace",
                             env=dict(os.environ, NINJA_STATUS="[%f/%t] ", **colours))
    shown = 0
    try:
        for output in ninja.stdout:
            step = STEP.match(output)
            if not step:
                line.wipe()
                print(output, end="", flush=True)
                continue
            done, steps = int(step[1]), int(step[2])
            text = f"  {folder}: {done} of {steps} built{told(done, steps)}"
            line.show(text)
            if not line.live and steps >= FEW and done * LINES // steps > shown:
                shown = done * LINES // steps
                print(text, flush=True)
        return ninja.wait()
    finally:
        line.wipe()
        if ninja.poll() is None:  # after an interrupt: ninja ends what it began
            ninja.send_signal(signal.SIGINT)
            ninja.wait()


if __name__ == "__main__":
    try:
        sys.exit(build(sys.argv[1], sys.argv[2:]))
    except KeyboardInterrupt:
        sys.exit(130)
