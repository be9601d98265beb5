#!/usr/bin/python3
"""Every verdict of a document is as expected, and those that pass without a second reading are listed in
not_replayed.txt, and no others.

Usage: replayed.py QKV SOURCE [--accept | DOCUMENT ...]. Speaks TAP, two cases a document; without documents, all of
tests/claims and the assignment. With --accept the list is written anew.
"""

import json
import subprocess
import sys
from pathlib import Path


def claims(value):
    """All claims in a report, however it is nested."""
    if isinstance(value, dict):
        if "verdict" in value and "replayed" in value:
            yield value
        for part in value.values():
            yield from claims(part)
    elif isinstance(value, list):
        for part in value:
            yield from claims(part)


class Document:
    """What qkv says of a document."""

    def __init__(self, qkv, path):
        done = subprocess.run([qkv, "check", "--json", str(path)], capture_output=True, text=True, check=False)
        self.name, self.status, self.errors = path.name, done.returncode, done.stderr
        self.claims = list(claims(json.loads(done.stdout))) if done.returncode in (0, 1, 2) else []
        self.decided = [c for c in self.claims if c["verdict"] in ("proved", "refuted")]

    def unexpected(self):
        """What makes the command fail: verdicts that are not as the document says, or anything else."""
        if self.status == 0:
            return []
        told = [f"line {c['line']}: {c['verdict']}, not {c['expected'] or 'proved'}: {c['claim']}: {c['reason']}"
                for c in self.claims if c["verdict"] != (c["expected"] or "proved")]
        return [f"exit status {self.status}", *told, *self.errors.splitlines()]

    def not_replayed(self):
        """The text of each claim that is proved or refuted on no instance."""
        return [f"{self.name}: {c['claim']}" for c in self.decided if c["replayed"] == 0]


def differences(found, expected):
    return [f"not replayed any more: {line}" for line in sorted(set(found) - set(expected))] + \
        [f"replayed by now, to be taken off the list: {line}" for line in sorted(set(expected) - set(found))] + \
        ["the list has a line more or less often"] * (set(found) == set(expected) and sorted(found) != sorted(expected))


def report(number, text, faults):
    for fault in faults:
        print("# " + fault.replace("\n", " "))
    print(f"{'not ok' if faults else 'ok'} {number} - {text}", flush=True)
    return not faults


def main(words):
    qkv, source, named = words[0], Path(words[1]), words[2:]
    listed = source / "tests/claims/not_replayed.txt"
    everything = [*sorted((source / "tests/claims").glob("*.qkv")), *sorted((source / "examples/assignment").glob("0*.md"))]
    if named == ["--accept"]:
        found = [line for path in everything for line in Document(qkv, path).not_replayed()]
        listed.write_text("".join(line + "\n" for line in found))
        return 0
    paths, good = [Path(name) for name in named] or everything, True
    lines = listed.read_text().splitlines()
    print(f"1..{2 * len(paths)}")
    for number, path in enumerate(paths):
        document = Document(qkv, path)
        found = document.not_replayed()
        expected = [line for line in lines if line.split(":")[0] == path.name]
        good &= report(2 * number + 1, f"{path.name}: {len(document.claims)} verdicts are as expected",
                       document.unexpected() + ["there is no claim"] * (not document.claims))
        good &= report(2 * number + 2, f"{path.name}: {len(document.decided) - len(found)} of {len(document.decided)} "
                       "verdicts are replayed", differences(found, expected))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
