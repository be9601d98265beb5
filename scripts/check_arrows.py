#!/usr/bin/python3
"""The law of dependencies: which room of the source tree may use which.

A room is a folder. The table below has a row for each: the rooms that it may use. The check reads
every #include of the repository's own headers, and the symbols of the objects that were built: a
header that declares what another file defines would hide an arrow from the first alone. It refuses
what the table does not allow, a folder under src that has no row, a table that goes round in a
circle, and a source map (docs/internals/source-map.md) that says something else. Speaks TAP, a case
per room and kind.

    check_arrows.py ROOT BUILD
"""
import json
import os
import re
import subprocess
import sys

ROOT_HEADERS = "include/qkv"
BELOW = ["src/base", "src/exact", "src/ball"]
MODEL = BELOW + ["src/language", "src/claim/model"]
PREMISE = MODEL + ["src/claim/premise"]
ENGINES = PREMISE + ["src/claim/threshold", "src/claim/compare", "src/claim/calculus",
                     "src/claim/words",
                     "src/claim/table", "src/claim/chance", "src/claim/sample",
                     "src/claim/search", "src/claim/design", "src/claim/find",
                     "src/claim/inequality", "src/claim/limiting"]
# Room: the rooms that it may use, apart from itself. One that is not built yet is left out of the
# check. A header by itself is for its types alone.
ALLOWED = {
    "include/qkv": [],
    "src/base": [],
    "src/attention": ["src/base"],
    "src/attention/x86": ["src/base", "src/attention"],
    "src/attention/arm": ["src/base", "src/attention"],
    "src/attention/cuda": ["src/base", "src/attention"],
    "src/io": ["src/base"],
    "src/exact": ["src/base"],
    "src/ball": ["src/base", "src/exact"],
    "src/lab": ["src/base"],
    "src/lab/cuda": ["src/base", "src/lab"],
    "src/lab/x86": ["src/base", "src/lab"],
    "src/mpi": ["src/base", "src/attention", "src/lab"],
    "src/law": ["src/base", "src/exact", "src/ball"],
    "src/reach": ["src/base"],
    "src/figure": ["src/base"],
    "src/plot": ["src/base", "src/figure", "src/attention", "src/lab", "src/law",
                    "include/qkv/claim.h"],
    "src/language": ["src/base", "src/exact"],
    "src/replay": BELOW + ["src/language"],
    "src/claim/model": BELOW + ["src/language", "src/io"],
    "src/claim/premise": MODEL,
    "src/claim/threshold": PREMISE,
    "src/claim/compare": PREMISE + ["src/claim/threshold"],
    "src/claim/calculus": PREMISE,
    "src/claim/words": PREMISE,
    "src/claim/inequality": PREMISE,
    "src/claim/limiting": PREMISE + ["src/claim/inequality"],
    "src/claim/table": PREMISE,
    "src/claim/chance": PREMISE + ["src/claim/compare"],
    "src/claim/sample": PREMISE + ["src/claim/chance", "src/lab"],
    "src/claim/search": PREMISE + ["src/replay"],
    "src/claim/design": PREMISE + ["src/reach"],
    "src/claim/find": PREMISE + ["src/claim/threshold", "src/claim/words"],
    "src/claim": ENGINES + ["src/lab", "src/replay"],
    "src/claim/explain": ENGINES + ["src/lab", "src/claim"],
    "src/grade": ["src/base", "src/language", "src/claim", "src/claim/model", "src/claim/explain"],
    "src/html": ["src/base", "src/figure", "src/plot", "src/language", "src/claim",
                 "src/claim/explain", "src/grade"],
    "cli": [ROOT_HEADERS, "src/attention/options.def"],
    "python": [ROOT_HEADERS, "src/attention/options.def"],
    "bench": [ROOT_HEADERS],
    "web": [ROOT_HEADERS, "cli"],
    "examples": [ROOT_HEADERS],
}
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

MAP = "docs/internals/source-map.md"
ROW = re.compile(r"^\| \[([^]]+)\]\(\.\./\.\./([^)]+)\) \| .* \|(.*)\|$", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)
SOURCES = (".c", ".h", ".cu", ".cuh")


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


def symbols_of(built):
    """The names of the library that an object defines, and those that it needs."""
    defined, needed = set(), set()
    lines = subprocess.run(["nm", "-P", built], check=True, capture_output=True, text=True).stdout
    for line in lines.splitlines():
        name, kind = line.split()[:2]
        if name.startswith("qkv_") and kind in "Uw":
            needed.add(name)
        elif name.startswith("qkv_") and kind.isupper():
            defined.add(name)
    return defined, needed


def read_symbols(root, build):
    """Where each name is defined, and the names that each source needs."""
    home, needs = {}, {}
    for path, built in objects_of(root, build):
        defined, needed = symbols_of(built)
        home.update({name: path for name in defined})
        needs.setdefault(path, set()).update(needed)
    return home, needs


def wrong_symbols(room, home, needs):
    for path in sorted(needs):
        for name in sorted(needs[path]):
            if room_of(path) == room and name in home and not may_use(path, room_of(home[name])):
                yield f"{path} uses {name}, of {home[name]}"


# ---- The table itself ----------------------------------------------------------------------------


def strangers(root):
    for folder, _, names in os.walk(os.path.join(root, "src")):
        path = os.path.relpath(folder, root)
        if any(name.endswith(SOURCES) for name in names) and path not in ALLOWED:
            yield f"{path} is not in the table of scripts/check_arrows.py"


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


def room_called(name):
    """The room that the map means by a name, or None for what is not a room."""
    if name == "public headers":
        return ROOT_HEADERS
    if name.startswith("`"): # a file by itself
        file = name.split("`")[1]
        return f"src/{file}" if "/" in file else f"{ROOT_HEADERS}/{file}"
    places = (name.removesuffix(" itself"), f"src/claim/{name}", f"src/{name}")
    return next((place for place in places if place in ALLOWED), None)


def wrong_rows(root):
    """Where the map and the table differ. Engines have BELOW and the language without saying so."""
    with open(os.path.join(root, MAP), encoding="utf-8") as file:
        text = file.read()
    rows = {}
    for name, room, uses in ROW.findall(text):
        inner = room.startswith("src/claim/") or name == "src/claim itself"
        rows[room] = set(BELOW + ["src/language"]) if inner else set()
        rows[room] |= {room_called(use.strip()) for use in uses.split(",") if use.strip()}
    for room, uses in ALLOWED.items():
        if not os.path.isdir(os.path.join(root, room)):
            continue
        if room not in rows:
            yield f"{room} has no row in {MAP}"
        elif rows[room] != set(uses):
            yield f"{MAP} has other rules for {room}: {sorted(rows[room] ^ set(uses), key=str)}"


def report(number, text, found):
    """Prints one case; whether it passed."""
    for offence in found:
        print(f"# {offence}")
    print(f"{'not ' if found else ''}ok {number} - {text}")
    return not found


def main(root, build):
    rooms = [room for room in ALLOWED if os.path.isdir(os.path.join(root, room))]
    home, needs = read_symbols(root, build)
    built = [room for room in rooms if any(room_of(path) == room for path in needs)]
    cases = [("every folder under src has its rules", list(strangers(root))),
             ("the rules go one way", list(circles())),
             ("the source map has the same rules", list(wrong_rows(root))),
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
