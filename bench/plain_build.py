#!/usr/bin/python3
"""Builds the benchmark and the accuracy test without Meson and ninja, for machines that lack them.

    plain_build.py COMMANDS FOLDER

COMMANDS is the compile_commands.json that Meson wrote on another machine; from it come the sources and
the flags of each. Only the operator and what it stands on are compiled. Programs go to FOLDER.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

ROOMS = ("../src/attention/", "../src/base/")
PROGRAMS = {
    "bench_attention": ("bench/bench_attention.p/",),
    "accuracy": ("tests/accuracy.p/", "tests/libtest_support.a.p/"),
}


def wanted(entry):
    places = [place for folders in PROGRAMS.values() for place in folders]
    return entry["file"].startswith(ROOMS) or entry["output"].startswith(tuple(places))


def compile_one(entry, folder, root):
    """The object that an entry gives, or None."""
    words = shlex.split(entry["command"])
    flags = [word for word in words if word.startswith(("-I", "-D", "-m", "-f", "-O", "-std"))]
    target = os.path.join(folder, entry["output"].replace("/", "_"))
    command = [os.environ.get("CC", "cc"), *flags, "-pthread", "-c", entry["file"], "-o", target]
    place = os.path.join(root, "build")  # only so that ../src is right
    os.makedirs(place, exist_ok=True)
    result = subprocess.run(command, cwd=place, check=False)
    return target if result.returncode == 0 else None


def link(program, objects, folder):
    command = [os.environ.get("CC", "cc"), *objects, "-pthread", "-lm", "-o",
               os.path.join(folder, program)]
    return subprocess.run(command, check=False).returncode == 0


def main(commands, folder):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    with open(commands, encoding="utf-8") as file:
        entries = {entry["output"]: entry for entry in json.load(file) if wanted(entry)}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = dict(zip(entries, pool.map(lambda e: compile_one(e, folder, root),
                                             entries.values())))
    if None in objects.values():
        print("plain_build: some files do not compile here", file=sys.stderr)
        return 1
    library = [objects[out] for out, entry in entries.items() if entry["file"].startswith(ROOMS)]
    built = [link(program, library + [objects[out] for out in entries if out.startswith(places)],
                  folder) for program, places in PROGRAMS.items()]
    return 0 if all(built) else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: plain_build.py compile_commands.json FOLDER")
    sys.exit(main(*sys.argv[1:]))
