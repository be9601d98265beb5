#!/usr/bin/python3
"""Keeps the results of the last `make bench`, or of bench/device.sh, in bench/results.

    record.py FOLDER NAME [NOTE]

FOLDER is the build folder, or what device.sh left: a bench.json, and a bench.txt that begins with the
machine's description (else this machine is described). Writes NAME.json, a copy, and NAME.md: the
description, the note and two tables.
"""
import datetime
import json
import os
import re
import shutil
import subprocess
import sys


def number(value, digits="{:.1f}"):
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}" if value < 10 else digits.format(value)


def limits_table(rows):
    """Limits side by side, a column for each number of threads, or one for a GPU."""
    found, threads = {}, []
    for row in rows:
        match = re.fullmatch(r"limit (.*) (t\d+|gpu)", row["name"])
        if not match:
            continue
        if match[2] not in threads:
            threads.append(match[2])
        found.setdefault((match[1], row["unit"]), {})[match[2]] = row["value"]
    yield "| limit | unit | " + " | ".join(threads) + " |"
    yield "|---|---|" + "---|" * len(threads)
    for (name, unit), values in found.items():
        cells = " | ".join(number(values.get(count)) for count in threads)
        yield f"| {name} | {unit} | {cells} |"


def rows_table(rows):
    yield "| row | value | unit | limit | % | by | peer | ratio |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in rows:
        if row["name"].startswith("limit "):
            continue
        percent = "" if row["fraction"] is None else f"{100 * row['fraction']:.1f}"
        value, limit, scale = row["value"], row["limit"], 1.0
        if value >= 1e6:  # a second, not 1e9 a second
            scale, unit = 1e-6, "M " + row["unit"]
        else:
            unit = row["unit"]
        peer = row["peer"]
        peer = peer if isinstance(peer, str) else number(peer)
        limit = "" if limit is None else number(scale * limit)
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        yield (f"| {row['name']} | {number(scale * value)} | {unit} | {limit} | {percent} "
               f"| {row.get('limit_by') or ''} | {peer} | {ratio} |")


def describe(folder, root):
    """The lines about the machine, up to the first empty one."""
    printed = os.path.join(folder, "bench.txt")
    if os.path.exists(printed):
        with open(printed, encoding="utf-8") as file:
            return file.read().split("\n\n")[0]
    program = os.path.join(folder, "bench", "bench_attention")
    return subprocess.run([program, "--machine", "--peer", root], check=True, capture_output=True,
                          text=True).stdout.rstrip()


def main(folder, name, note=""):
    root = os.path.dirname(os.path.abspath(__file__))
    source = os.path.join(folder, "bench.json")
    target = os.path.join(root, "results", name)
    if not os.path.exists(source):
        print(f"record: there is no {source}; run make bench first", file=sys.stderr)
        return 1
    with open(source, encoding="utf-8") as file:
        rows = json.load(file)
    lines = [f"# {name}", "", f"{datetime.date.today().isoformat()}. [README.md](README.md) says what "
             "the columns mean." + (f" {note}" if note else ""), "", "```text", describe(folder, root), "```", "",
             *limits_table(rows), "", *rows_table(rows)]
    with open(target + ".md", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    shutil.copyfile(source, target + ".json")
    print(f"recorded {os.path.relpath(target)}.md and .json")
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: make bench-record NAME=machine (for example amd-epyc-genoa-2)")
    sys.exit(main(*sys.argv[1:]))
