#!/usr/bin/python3
"""A claim and its negation are never both proved or supported: claims of some documents are checked
as they are and inside of `not (...)`.

Usage: negation.py QKV STEP DOCUMENT ... Speaks TAP, a case a document. One claim in STEP is taken.
"""
import json
import re
import subprocess
import sys

WORD = re.compile(r"(?:,\s*)?\b(as|for|at|within|given|expect)\b")
CLAIM = re.compile(r"^(\s*claim[^:\n]*:)(.*)$")


def split(text):
    """The proposition, and the conditions behind it."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        word = WORD.match(text, place)
        free = place == 0 or not (text[place - 1].isalnum() or text[place - 1] in "_.")
        if depth == 0 and word and free and place > 0 and not text[place:].startswith("for all"):
            return text[:place], text[place:]
    return text, ""


def pairs(source, step, first):
    """The document with one claim in `step` alone, those that the step leaves out taken out; and the same
    with them negated. Claims that go on in the next line, or have a comment, are left out."""
    plain, other, number = [], [], first
    lines = source.split("\n")
    for at, line in enumerate(lines):
        found = CLAIM.match(line)
        goes_on = at + 1 < len(lines) and lines[at + 1].startswith("  ")
        if found is None or goes_on:
            plain.append(line), other.append(line)
            continue
        proposition, conditions = split(found.group(2))
        number += 1
        taken = number % step == 0 and not any(sign in line for sign in ("#", ";", "for all")) and proposition.strip()
        conditions = re.sub(r",?\s*expect \w+", "", conditions)
        plain.append(line if taken else "")
        other.append(f"{found.group(1)} not ({proposition.strip()}) {conditions}" if taken else "")
    return "\n".join(plain), "\n".join(other)


def verdicts(command, text):
    done = subprocess.run([command, "check", "--json", "-"], input=text.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return {claim["line"]: claim for claim in json.loads(done.stdout)["claims"]}


def main():
    command, step, documents = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    good = {"proved", "supported"}
    failed = 0
    print(f"1..{len(documents)}")
    for number, name in enumerate(documents, 1):
        with open(name, encoding="utf-8") as stream:
            texts = pairs(stream.read(), step, number)
        plain, other = (verdicts(command, text) for text in texts)
        negated = [line for line, claim in other.items()
                   if line in plain and claim["claim"] != plain[line]["claim"]]
        wrong = [line for line in negated
                 if other[line]["verdict"] in good and plain[line]["verdict"] in good]
        for line in wrong:
            print(f"# line {line}: {plain[line]['claim']}: {plain[line]['verdict']}, "
                  f"its negation {other[line]['verdict']}")
        bad = wrong or not negated
        failed += bool(bad)
        print(f"{'not ok' if bad else 'ok'} {number} - {name.split('/')[-1]}: {len(negated)} negated")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
