#!/usr/bin/python3
"""The pictures of docs/reference/figures.md, drawn by qkv plot.

    pictures.py QKV FOLDER           sees that the stored ones are what qkv draws now; TAP
    pictures.py --write QKV FOLDER   draws them anew

Elements and texts must be the same, numbers may differ by a twentieth of a pixel: the last digits of
logarithms and exponentials are the C library's own.
"""
import os
import re
import shlex
import subprocess
import sys

import options

TABLE = os.path.join(os.path.dirname(__file__), "../src/plot/plots.def")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
TOLERANCE = 0.05


def pictures():
    """The arguments of each picture: the example of each plot, and one of them drawn light on dark."""
    with open(TABLE, encoding="utf-8") as table:
        rows = options.read_named(table.read(), "FIGURE", options.FIGURE)
    found = {row["name"]: [row["name"], *shlex.split(row["example"])] for row in rows}
    return {**found, "law-dark": ["law", "--dark"]}


def draw(qkv, arguments):
    return subprocess.run([qkv, "plot"] + arguments, check=True, capture_output=True,
                          text=True).stdout


def differences(stored, drawn):
    """What differs, line by line."""
    old, new = stored.splitlines(), drawn.splitlines()
    if len(old) != len(new):
        return [f"{len(old)} lines stored, {len(new)} drawn"]
    found = []
    for line, (a, b) in enumerate(zip(old, new), 1):
        numbers = list(zip(NUMBER.findall(a), NUMBER.findall(b)))
        apart = any(abs(float(x) - float(y)) > TOLERANCE for x, y in numbers)
        if NUMBER.sub("#", a) != NUMBER.sub("#", b) or apart:
            found.append(f"line {line}: {b[:100]}")
    return found


def main(words):
    write = words[:1] == ["--write"]
    qkv, folder = words[1:] if write else words
    if not write:
        print(f"1..{len(pictures())}")
    failed = 0
    for number, (name, arguments) in enumerate(pictures().items(), 1):
        path, drawn = os.path.join(folder, name + ".svg"), draw(qkv, arguments)
        if write:
            with open(path, "w", encoding="utf-8") as file:
                file.write(drawn)
            continue
        with open(path, encoding="utf-8") as file:
            found = differences(file.read(), drawn)
        print(f"{'not ok' if found else 'ok'} {number} - {name}.svg is what qkv plot draws")
        for difference in found[:5]:
            print(f"# {difference}")
        failed += bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
