#!/usr/bin/python3
"""The law of dependencies: which room of the source tree may include which.

Reads every #include of the repository's own headers and refuses those that the table below does
not allow. Speaks TAP, a case a room.
"""
import os
import re
import sys

PUBLIC = "include/qkv"
# Room: the rooms whose headers it may include, apart from its own and the public headers.
ALLOWED = {
    "include/qkv": [],
    "src/base": [],
    "src/attention": ["src/base"],
    "src/io": ["src/base"],
    "cli": [],
    "bench": [],
    "examples": [],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)


def target_room(root, room, bracket, name):
    """The room that an include reaches into, or None for the system's headers."""
    if name.startswith("qkv/"):
        return PUBLIC
    if bracket == "<":
        return None
    for folder in (room, "src", "include", "."):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.exists(os.path.join(root, path)):
            return os.path.dirname(path)
    return f"nowhere ({name})"


def offences(root, room):
    for folder, _, names in os.walk(os.path.join(root, room)):
        for name in sorted(names):
            if not name.endswith((".c", ".h")):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as source:
                text = source.read()
            for bracket, header in INCLUDE.findall(text):
                target = target_room(root, room, bracket, header)
                if target in (None, PUBLIC, room) or target in ALLOWED[room]:
                    continue
                yield f"{os.path.relpath(path, root)} includes {header}, of {target}"


def main(root):
    print(f"1..{len(ALLOWED)}")
    failed = 0
    for number, room in enumerate(ALLOWED, 1):
        found = list(offences(root, room))
        for offence in found:
            print(f"# {offence}")
        print(f"{'not ' if found else ''}ok {number} - {room} includes what it may")
        failed += bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
