#!/usr/bin/python3
"""The law of dependencies: which room of the source tree may include which.

Reads every #include of the repository's own headers and refuses those that the table below does
not allow, and a folder under src that is not in the table. Speaks TAP, a case a room.
"""
import os
import re
import sys

PUBLIC = "include/qkv"
# Room: the rooms whose headers it may include, apart from its own and the public headers. A room
# that is not built yet is left out of the check.
ALLOWED = {
    "include/qkv": [],
    "src/base": [],
    "src/attention": ["src/base"],
    "src/io": ["src/base"],
    "src/exact": ["src/base"],
    "src/ball": ["src/base", "src/exact"],
    "src/lab": ["src/base", "src/attention"],
    "src/figure": ["src/base"],
    "src/picture": ["src/base", "src/figure"],
    "src/html": ["src/base", "src/figure"],
    # The parser's tree, src/claim/syntax.h, is all that the second reading shares with the engines.
    "src/replay": ["src/base", "src/exact", "src/ball", "src/claim/syntax.h"],
    "src/claim": ["src/base", "src/exact", "src/ball", "src/lab", "src/attention", "src/io",
                  "src/replay"],
    "cli": [],
    "python": [],
    "bench": [],
    "web": ["cli"],
    "examples": [],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)


def room_of(path):
    """The room of the table that a header lies in, or else its folder."""
    folder = os.path.dirname(path)
    while folder and folder not in ALLOWED:
        folder = os.path.dirname(folder)
    return folder or os.path.dirname(path)


def target_room(root, place, bracket, name):
    """The room that an include in the folder place reaches into, or None for the system's headers.

    The compiler looks in src and include for both forms, so <base/view.h> is ours as well.
    """
    if name.startswith("qkv/"):
        return PUBLIC
    for folder in ("src", "include") if bracket == "<" else (place, "src", "include", "."):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.exists(os.path.join(root, path)):
            return room_of(path)
    return None if bracket == "<" else f"nowhere ({name})"


def offences(root, room):
    for folder, _, names in os.walk(os.path.join(root, room)):
        for name in sorted(names):
            if not name.endswith((".c", ".h", ".cu", ".cuh")):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as source:
                text = source.read()
            for bracket, header in INCLUDE.findall(text):
                target = target_room(root, os.path.relpath(folder, root), bracket, header)
                if target in (None, PUBLIC, room) or target in ALLOWED[room]:
                    continue
                if f"src/{header}" in ALLOWED[room]:  # one header, not the room
                    continue
                yield f"{os.path.relpath(path, root)} includes {header}, of {target}"


def strangers(root):
    for entry in sorted(os.scandir(os.path.join(root, "src")), key=lambda entry: entry.name):
        if entry.is_dir() and f"src/{entry.name}" not in ALLOWED:
            yield f"src/{entry.name} is not in the table of scripts/check_arrows.py"


def report(number, text, found):
    """Prints one case; whether it passed."""
    for offence in found:
        print(f"# {offence}")
    print(f"{'not ' if found else ''}ok {number} - {text}")
    return not found


def main(root):
    rooms = [room for room in ALLOWED if os.path.isdir(os.path.join(root, room))]
    print(f"1..{len(rooms) + 1}")
    passed = [report(1, "every folder under src has its rules", list(strangers(root)))]
    for number, room in enumerate(rooms, 2):
        passed.append(report(number, f"{room} includes what it may", list(offences(root, room))))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
