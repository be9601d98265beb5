#!/usr/bin/python3
"""The law of dependencies: which room of the source tree may use which.

A room is a folder. The source map (docs/internals/source-map.md) has a row for each, with the rooms
that it may use. The check reads every #include of the repository's own headers, and the symbols of
the objects that were built: a header that declares what another file defines would hide an arrow
from the first alone. It refuses what the map does not allow, a folder under src that has no row, a
map whose rules go round in a circle, and calls that go round through many files or through two
rooms. Speaks TAP, a case per room and kind.

    check_arrows.py ROOT BUILD
"""
import json
import os
import re
import subprocess
import sys

ROOT_HEADERS = "include/qkv"
MAP = "docs/internals/source-map.md"
ROW = re.compile(r"^\| \[([^]]+)\]\(\.\./\.\./([^)]+)\) \| .* \|(.*)\|$", re.MULTILINE)
CHECKED = re.compile(r"^(include/qkv|src/|cli$|python$|bench$|web$|examples$)")
LARGEST_KNOT = 9  # files that call each other in a circle
# Room: the rooms that it may use, apart from itself; read from the map. A header by itself is for
# its types alone.
ALLOWED = {}
# A public header is the face of the rooms that define what it declares. Inside src it is used as
# they are.
FACES = {
    "attention.h": ["src/attention"],
    "claim.h": ["src/language", "src/claim", "src/claim/explain"],
    "cuda.h": ["src/attention/cuda", "src/lab/cuda"],
    "figure.h": ["src/figure"],
    "file.h": ["src/io"],
    "grade.h": ["src/grade"],
    "html.h": ["src/html"],
    "lab.h": ["src/lab"],
    "law.h": ["src/law"],
    "mpi.h": ["src/mpi"],
    "plot.h": ["src/plot"],
    "status.h": ["src/base"],
    "tensor.h": ["src/base"],
    "threads.h": ["src/base"],
    "version.h": ["src/base"],
}
# A table of kernels names those of each instruction set; it may use these folders, and calls nothing in them.
TABLES = {"src/attention/kernels.c": ["src/attention/x86", "src/attention/arm"],
          "src/lab/kernels.c": ["src/lab/x86"]}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)
SOURCES = (".c", ".h", ".cu", ".cuh")


# ---- The table -----------------------------------------------------------------------------------


def rooms_called(name, rooms):
    """The rooms, or the file, that the map means by a name."""
    if name == "public headers":
        return [ROOT_HEADERS]
    if name == "all engines":
        return [room for room in rooms
                if room.startswith("src/claim/") and room != "src/claim/explain"]
    if name.startswith("`"):  # a file by itself
        file = name.split("`")[1]
        return [f"src/{file}" if "/" in file else f"{ROOT_HEADERS}/{file}"]
    places = (name.removesuffix(" itself"), f"src/claim/{name}", f"src/{name}")
    return [next((place for place in places if place in rooms), f"{name}, which is no room")]


def read_map(root):
    """Fills the table. Rooms of src/claim have those below them without saying so."""
    with open(os.path.join(root, MAP), encoding="utf-8") as file:
        rows = {room: (name, uses) for name, room, uses in ROW.findall(file.read())
                if CHECKED.match(room)}
    for room, (name, uses) in rows.items():
        inner = room.startswith("src/claim/") or name == "src/claim itself"
        allowed = ["src/base", "src/exact", "src/ball", "src/language"] if inner else []
        for use in filter(None, map(str.strip, uses.split(","))):
            allowed += rooms_called(use, rows)
        ALLOWED[room] = [use for use in allowed if use != room]


def strange_rows(root):
    """Rows of the map that name something that is not there."""
    for room, uses in ALLOWED.items():
        for place in (room, *uses):
            if not os.path.exists(os.path.join(root, place)):
                yield f"{MAP} has a row for {room}, with {place}"


def room_of(path):
    """The room of the table that a file lies in, or else its folder."""
    folder = os.path.dirname(path)
    while folder and folder not in ALLOWED:
        folder = os.path.dirname(folder)
    return folder or os.path.dirname(path)


def may_use(path, target):
    room = room_of(path)
    return target == room or target in ALLOWED[room] or target in TABLES.get(path, [])


# ---- Includes ------------------------------------------------------------------------------------


def find_header(root, place, bracket, name):
    """The header of ours that an include in the folder place names, or None for the system's.

    The compiler looks in src and include for both forms, so <base/view.h> is ours as well.
    """
    for folder in ("src", "include") if bracket == "<" else (place, "src", "include", "."):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.exists(os.path.join(root, path)):
            return path
    return None if bracket == "<" else f"nowhere/{name}"


def rooms_behind(path, header):
    """The rooms that a header gives the file at path, both from the root."""
    inside = path.startswith("src/") and os.path.dirname(header) == ROOT_HEADERS
    return FACES.get(os.path.basename(header), []) if inside else [room_of(header)]


def files_of(root, room):
    """The sources of a room, from the root, without those of rooms within it."""
    for folder, _, names in os.walk(os.path.join(root, room)):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if name.endswith(SOURCES) and room_of(path) == room:
                yield path


def wrong_includes(root, room):
    for path in files_of(root, room):
        with open(os.path.join(root, path), encoding="utf-8") as source:
            text = source.read()
        for bracket, name in INCLUDE.findall(text):
            header = find_header(root, os.path.dirname(path), bracket, name)
            if header is None or header in ALLOWED[room]:
                continue
            behind = rooms_behind(path, header)
            if not any(may_use(path, other) for other in behind):
                yield f"{path} includes {name}, of {' and '.join(behind) or 'no room'}"


# ---- Symbols -------------------------------------------------------------------------------------


def objects_of(root, build):
    """Pairs of a source under src, from the root, and the object that the library has of it."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as commands:
        for command in json.load(commands):
            source = os.path.join(command["directory"], command["file"])
            path = os.path.relpath(os.path.realpath(source), os.path.realpath(root))
            built = os.path.join(command["directory"], command["output"])
            if command["output"].startswith("src/") and path.startswith("src/"):
                if os.path.exists(built):
                    yield path, built


def read_symbols(root, build):
    """Where each name of the library is defined, and the names that each source needs."""
    sources = {built: path for path, built in objects_of(root, build)}
    home, needs = {}, {path: set() for path in sources.values()}
    if not sources:
        return home, needs
    lines = subprocess.run(["nm", "-A", "-P", *sources], check=True, capture_output=True, text=True).stdout
    for line in lines.splitlines():  # OBJECT: NAME KIND ...
        built, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        if name.startswith("qkv_") and kind in "Uw":
            needs[sources[built]].add(name)
        elif name.startswith("qkv_") and kind.isupper():
            home[name] = sources[built]
    return home, needs


def wrong_symbols(room, home, needs):
    for path in sorted(needs):
        for name in sorted(needs[path]):
            if room_of(path) == room and name in home and not may_use(path, room_of(home[name])):
                yield f"{path} uses {name}, of {home[name]}"


# ---- Circles of calls ----------------------------------------------------------------------------


def knots(home, needs):
    """Sets of files that reach each other by calls, two or more each: Tarjan's algorithm."""
    calls = {path: {home[name] for name in names if name in home} for path, names in needs.items()}
    order, low, stack, found = {}, {}, [], []

    def visit(path):
        order[path] = low[path] = len(order)
        stack.append(path)
        for other in calls.get(path, ()):
            if other not in order:
                visit(other)
            if other in stack:
                low[path] = min(low[path], low[other])
        if low[path] == order[path]:
            knot = stack[stack.index(path):]
            del stack[stack.index(path):]
            if len(knot) > 1:
                found.append(sorted(knot))

    for path in calls:
        if path not in order:
            visit(path)
    return sorted(found, key=len, reverse=True)


def wrong_knots(home, needs):
    for knot in knots(home, needs):
        if len(knot) > LARGEST_KNOT or len({room_of(path) for path in knot}) > 1:
            yield f"{len(knot)} files call each other in a circle: {', '.join(knot)}"


# ---- What the table lacks ----------------------------------------------------------------------------


def strangers(root):
    for folder, _, names in os.walk(os.path.join(root, "src")):
        path = os.path.relpath(folder, root)
        if any(name.endswith(SOURCES) for name in names) and path not in ALLOWED:
            yield f"{path} has no row in {MAP}"


def circles():
    """Rooms that the table lets use each other."""
    below = {}

    def reach(room):
        if room not in below:
            below[room] = set()
            for other in ALLOWED.get(room, []):
                below[room] |= {other} | reach(other)
        return below[room]

    for room in ALLOWED:
        below.clear()
        if room in reach(room):
            yield f"{room} may use itself by way of others"


def report(number, text, found):
    """Prints one case; whether it passed."""
    for offence in found:
        print(f"# {offence}")
    print(f"{'not ' if found else ''}ok {number} - {text}")
    return not found


def main(root, build):
    read_map(root)
    rooms = [room for room in ALLOWED if os.path.isdir(os.path.join(root, room))]
    home, needs = read_symbols(root, build)
    built = [room for room in rooms if any(room_of(path) == room for path in needs)]
    cases = [("every folder under src has its rules", list(strangers(root))),
             ("the rules go one way", list(circles())),
             ("the source map names what there is", list(strange_rows(root))),
             (f"circles of calls have at most {LARGEST_KNOT} files of one folder",
              list(wrong_knots(home, needs))),
             ("the objects of the library were found",
              [] if "src/base" in built and home else [f"none below {build}/src"])]
    cases += [(f"{room} includes what it may", list(wrong_includes(root, room))) for room in rooms]
    cases += [(f"{room} calls what it may", list(wrong_symbols(room, home, needs)))
              for room in built]
    print(f"1..{len(cases)}")
    passed = [report(number, *case) for number, case in enumerate(cases, 1)]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
