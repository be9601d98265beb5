#!/usr/bin/python3
"""Which verdicts pass without a second reading: those listed in not_replayed.txt, and no others.

Usage: replayed.py QKV SOURCE [--accept]. Speaks TAP. With --accept the list is written anew. Looks at one document in
four, or at all of them where QKV_TEST_CASES is "all".
"""

import json
import os
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


def not_replayed(qkv, path):
    """The text of each claim that is proved or refuted on no instance."""
    result = subprocess.run([qkv, "check", "--json", str(path)], capture_output=True, text=True)
    decided = [c for c in claims(json.loads(result.stdout)) if c["verdict"] in ("proved", "refuted")]
    return len(decided), [f"{path.name}: {c['claim']}" for c in decided if c["replayed"] == 0]


def main():
    qkv, source = sys.argv[1], Path(sys.argv[2])
    listed = source / "tests/claims/not_replayed.txt"
    documents = sorted((source / "tests/claims").glob("*.qkv")) + sorted((source / "examples/assignment").glob("0*.md"))
    accepting = "--accept" in sys.argv
    documents = documents[:: 1 if accepting or os.environ.get("QKV_TEST_CASES") == "all" else 4]
    names = {document.name for document in documents}
    counted, found = 0, []
    for document in documents:
        count, missing = not_replayed(qkv, document)
        counted += count
        found += missing
    if accepting:
        listed.write_text("".join(line + "\n" for line in found))
    expected = [line for line in listed.read_text().splitlines() if line.split(":")[0] in names]
    print("1..1")
    for line in sorted(set(found) - set(expected)):
        print(f"# not replayed any more: {line}")
    for line in sorted(set(expected) - set(found)):
        print(f"# replayed by now, to be taken off the list: {line}")
    good = sorted(found) == sorted(expected)
    print(f"{'ok' if good else 'not ok'} 1 - {counted - len(found)} of {counted} verdicts are replayed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
