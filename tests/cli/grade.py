#!/usr/bin/python3
"""`qkv grade` against ways to cheat and honest answers written in many ways. Speaks TAP.

    grade.py QKV
"""
import csv
import os
import subprocess
import sys
import tempfile

import grade_answers


def write_answers(folder, entries):
    """One file per entry; the names of the files, in order."""
    names = []
    for number, entry in enumerate(entries):
        _, label, text = entry[:3]
        if text.startswith("file:"):
            text = text[5:]
            if "```" not in text and not text.startswith("#"):
                text = "```qkv\n" + text + "\n```\n"
        else:
            text = "```qkv\n" + grade_answers.GIVENS[label] + text + "\n```\n"
        name = os.path.join(folder, f"{number:03}.md")
        with open(name, "w", encoding="utf-8") as out:
            out.write(text)
        names.append(name)
    return names


def grade(qkv, folder, entries):
    """The row of each entry in grades.csv."""
    key = os.path.join(folder, "key.md")
    with open(key, "w", encoding="utf-8") as out:
        out.write(grade_answers.KEY)
    os.mkdir(os.path.join(folder, "answers"))
    names = write_answers(os.path.join(folder, "answers"), entries)
    before = [open(name, "rb").read() for name in names]
    results = os.path.join(folder, "results")
    done = subprocess.run([qkv, "grade", "-q", "-o", results, key] + names, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert before == [open(name, "rb").read() for name in names], "an answer was written to"
    with open(os.path.join(results, "grades.csv"), encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def main(qkv):
    cheats, honest = grade_answers.CHEATS, grade_answers.HONEST
    assert len(cheats) >= 25 and len(honest) >= 25
    with tempfile.TemporaryDirectory() as folder:
        rows = grade(qkv, folder, [entry[:3] for entry in cheats] + honest)
    print(f"1..{len(cheats) + len(honest)}")
    failed, number = False, 0
    for entry, row in zip(cheats + [entry + ({"right"},) for entry in honest], rows):
        number += 1
        what, label, _, allowed = entry
        mark, points = row[label + " mark"], float(row[label])
        good = mark in allowed and (points > 0) == (mark in ("right", "in the limit"))
        failed = failed or not good
        print(f"{'ok' if good else 'not ok'} {number} - {label}: {what}: {mark}, {points:g}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
