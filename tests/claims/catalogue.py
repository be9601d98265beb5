#!/usr/bin/python3
"""Compares the documents of the assignment with a table of what is true.

    catalogue.py QKV FOLDER

catalogue.csv beside this file lists every statement that was made about the assignment: its row,
its id, how it was judged by hand (T true, TL true in the limit, TA true with an assumption, F
false, IP ill-posed), the labels that belong to it and the verdict of each. `none` is a statement
without a truth value, which a document has to list. The documents' own `expect` is not read.
Speaks TAP, a case a row, and says how many rows were decided. Knows nothing of how claims are decided.
"""

import csv
import json
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "catalogue.csv"
SOURCES = 5
STATEMENT = re.compile(r"S[0-4]\.")
LISTED = re.compile(r"^\| (S[0-4]\.\S+) \|", re.MULTILINE)
UNTRUE = ("TL", "TA", "F")  # the statement as it was made is refuted


def read_table():
    """Rows of catalogue.csv by number: lists of lines, in the order of the file."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    return [(int(row), list(group)) for row, group in groupby(lines, key=lambda x: x["row"])]


def check_documents(command, documents):
    """What qkv says: the claims and the summary."""
    done = subprocess.run([command, "check", "--json", *map(str, documents)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1, 2):
        sys.exit(f"qkv check: status {done.returncode}: {done.stderr}")
    report = json.loads(done.stdout)
    return report["claims"], report["summary"]


def judge_label(line, claims):
    """Complaints about one label of the table."""
    found = claims.get(line["label"], [])
    if len(found) != 1:
        return [f"{line['label']}: claimed {len(found)} times"]
    claim, wanted = found[0], line["expected"]
    if claim["verdict"] != wanted:
        return [f"{line['label']}: {claim['verdict']} instead of {wanted}: {claim['reason']}"]
    if wanted == "refuted" and not (claim["found"] or claim["reason"]):
        return [f"{line['label']}: refuted without saying what is true"]
    return []


def judge_table(lines):
    """Complaints about the lines of a row: do they fit how the statement was judged?"""
    verdicts = {line["label"]: line["expected"] for line in lines}
    made = lines[0]["id"]
    wanted = "refuted" if lines[0]["judged"].startswith(UNTRUE) else "proved"
    complaints = []
    if verdicts.get(made) != wanted:
        complaints.append(f"{made}: judged {lines[0]['judged']}, but not to be {wanted}")
    instead = (made + ".true", made + ".with", made + ".limit")
    if wanted == "refuted" and "proved" not in map(verdicts.get, instead):
        complaints.append(f"{made}: nothing true stands beside it")
    if lines[0]["judged"].startswith("TL") and verdicts.get(made + ".limit") != "proved":
        complaints.append(f"{made}: true in the limit, but no limit is claimed")
    return complaints


def judge_row(lines, claims, listed):
    """Complaints about one row."""
    first = lines[0]
    if first["expected"] == "none":
        return [] if first["id"] in listed else [f"{first['id']}: not listed"]
    complaints = judge_table(lines)
    for line in lines:
        complaints += judge_label(line, claims)
    return complaints


def judge_rest(table, claims, summary):
    """Cases about the whole: (title, complaints)."""
    rows = [row for row, _ in table]
    yield "every row once", [] if rows == list(range(1, 120)) else [f"rows {rows}"]
    known = {line["label"] for _, lines in table for line in lines}
    yield "every label in the table", [f"{label}: not in the table" for label in sorted(claims)
                                       if STATEMENT.match(label) and label not in known]
    mistakes = summary["mistakes"]
    yield "no mistake in the text", [f"{mistakes} mistakes"] if mistakes else []
    yield "every claim and question decided", [
        f"{claim['document']}:{claim['line']}: {claim['reason']}"
        for group in claims.values() for claim in group if claim["verdict"] == "undecided"]


def report(number, title, complaints):
    """Prints one case; 1 if it failed."""
    for complaint in complaints:
        print(f"# {complaint}")
    print(f"{'not ' if complaints else ''}ok {number} - {title}")
    return 1 if complaints else 0


def main(command, folder):
    documents = [Path(folder) / f"{source:03}.md" for source in range(SOURCES)]
    decided, summary = check_documents(command, documents)
    claims = {}
    for claim in decided:
        claims.setdefault(claim["name"], []).append(claim)
    listed = {name for document in documents
              for name in LISTED.findall(document.read_text(encoding="utf-8"))}
    table = read_table()
    cases = [(f"row {row}: {lines[0]['id']}", judge_row(lines, claims, listed))
             for row, lines in table]
    decided_rows = sum(1 for (_, complaints), (_, lines) in zip(cases, table)
                       if not complaints and lines[0]["expected"] != "none")
    print(f"# {decided_rows} of {len(table)} rows decided")
    cases += judge_rest(table, claims, summary)
    failed = sum(report(number, *case) for number, case in enumerate(cases, 1))
    print(f"1..{len(cases)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
