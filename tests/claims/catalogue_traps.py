#!/usr/bin/python3
"""Claims that are easily decided the wrong way, judged by hand.

    catalogue_traps.py QKV

catalogue_traps.json beside this file has problems with claims that are true and claims that are
false. A verdict may be open, never wrong: no true one is refuted, no false one proved.
Speaks TAP, a case a claim. Knows nothing of how claims are decided.
"""

import json
import subprocess
import sys
from pathlib import Path

TRAPS = Path(__file__).resolve().with_suffix(".json")
WRONG = {"true": "refuted", "false": "proved"}


def check_problem(command, trap):
    """The verdicts of all claims of one problem, in order: (truth, claim, what qkv says)."""
    claims = [(truth, text) for truth in WRONG for text in trap[truth]]
    lines = [f'problem "{trap["title"]}"', *trap["given"], *(f"claim: {text}" for _, text in claims)]
    done = subprocess.run([command, "check", "--json", "-"], input="\n".join(lines) + "\n", text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1, 2):
        sys.exit(f"qkv check: status {done.returncode}: {done.stderr}")
    found = json.loads(done.stdout)["claims"]
    if len(found) != len(claims):
        sys.exit(f"{trap['title']}: {len(found)} verdicts for {len(claims)} claims: {done.stderr}")
    return [(truth, text, verdict) for (truth, text), verdict in zip(claims, found)]


def main(command):
    number = failed = 0
    for trap in json.loads(TRAPS.read_text(encoding="utf-8")):
        for truth, text, found in check_problem(command, trap):
            wrong = found["verdict"] == WRONG[truth]
            number, failed = number + 1, failed + wrong
            if wrong:
                print(f"# {truth}, but {found['verdict']}: {found['found']}. {found['reason']}")
            print(f"{'not ' if wrong else ''}ok {number} - {trap['title']}: {text}")
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
