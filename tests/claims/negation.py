#!/usr/bin/python3
"""A claim and its negation are never both proved or supported: every claim of some documents is
checked as it is and inside of `not (...)`.

Usage: negation.py QKV DOCUMENT ... Speaks TAP, a case a document.
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


def negated(source):
    """The document with every claim of one line negated; #, and claims that go on, are left."""
    lines = source.split("\n")
    for number, line in enumerate(lines):
        found = CLAIM.match(line)
        goes_on = number + 1 < len(lines) and lines[number + 1].startswith("  ")
        if not found or "#" in line or goes_on or ";" in line or "for all" in line:
            continue
        proposition, conditions = split(found.group(2))
        conditions = re.sub(r",?\s*expect \w+", "", conditions)
        if proposition.strip():
            lines[number] = f"{found.group(1)} not ({proposition.strip()}) {conditions}"
    return "\n".join(lines)


def verdicts(command, name, text):
    done = subprocess.run([command, "check", "--json", "-"], input=text.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return {claim["line"]: claim for claim in json.loads(done.stdout)["claims"]}


def main():
    command, documents = sys.argv[1], sys.argv[2:]
    good = {"proved", "supported"}
    failed = 0
    print(f"1..{len(documents)}")
    for number, name in enumerate(documents, 1):
        with open(name, encoding="utf-8") as stream:
            source = stream.read()
        plain = verdicts(command, name, source)
        other = verdicts(command, name, negated(source))
        wrong = [line for line, claim in other.items()
                 if claim["claim"].find("not (") >= 0 and line in plain
                 and claim["verdict"] in good and plain[line]["verdict"] in good
                 and claim["claim"] != plain[line]["claim"]]
        tried = sum(1 for line, claim in other.items()
                    if line in plain and claim["claim"] != plain[line]["claim"])
        for line in wrong:
            print(f"# line {line}: {plain[line]['claim']}: {plain[line]['verdict']}, "
                  f"its negation {other[line]['verdict']}")
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {name.split('/')[-1]}: {tried} negated")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
