#!/usr/bin/python3
"""If an engine lies, does the gate notice? Every claim of known truth is given to a checker whose engines answer
'proved' to everything, then to one whose engines answer 'refuted' (liar.c). A false claim that comes out proved, or a
true one that comes out refuted, has passed the gate.

The claims are those of the documents here, of judged.txt, of the generator's known claims, of the examples and of the
manual, and claims of the generator that the honest checker decides.

Usage: liar.py LIAR QKV SOURCE [STEP [--list]]. Speaks TAP, one case per lie and kind of claim. With a STEP only one
problem in so many is looked at. --list prints the claims that passed.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from replayed import claims

sys.path.insert(0, str(Path(__file__).parent / "generator"))
from kinds import KINDS  # noqa: E402


# Of a hundred lies about claims of a kind, so many may pass the gate; of kinds that are not here none may.
ALLOWED = {
    ("never", "exists"): 22, ("proved", "chance"): 55, ("proved", "exists"): 92, ("proved", "finite"): 3,
    ("proved", "limit"): 25, ("proved", "matrix"): 12, ("proved", "premises"): 6, ("proved", "random"): 25,
    ("refuted", "chance"): 76, ("refuted", "exists"): 80, ("refuted", "finite"): 2, ("refuted", "random"): 12,
}

GENERATED = 20  # problems of each kind of the generator
SECONDS = 300

LIES = ("proved", "refuted", "never")  # the last is told of `exists` alone

TRUTHS = {"T": True, "F": False, "proved": True, "refuted": False}

# The first that a claim, or its problem, matches. A claim is told from its problem.
KINDS_OF_CLAIM = (
    ("exists", r"\bexists\b|∃", ""),
    ("chance", r"\b(P|E|Var|Cov) ?\(", ""),
    ("random", "", r"^\s*(keys|values|vectors?|scalar|means)\b.*~"),
    ("derivative", r"\b(d|grad)\(", r"^[^#]*=.*\b(d|grad)\("),
    ("limit", r"->|→|\\to\b", ""),
    ("matrix", "", r"^\s*(matrix|permutation)\b"),
    ("premises", r"\bgiven\b|\bimplies\b|=>|\biff\b", ""),
    ("finite", "", ""),
)


def kind_of(problem, claim):
    for name, in_claim, in_problem in KINDS_OF_CLAIM:
        if re.search(in_claim, claim) and re.search(in_problem, problem, flags=re.M):
            return name
    raise AssertionError


def problems_of(text, markdown):
    """A document cut before each problem; in Markdown a problem may go on after text."""
    if markdown:
        blocks = re.findall(r"^(?:    )?```qkv\n(.*?)^(?:    )?```", text, flags=re.M | re.S)
        text = "\n".join(re.sub(r"^    ", "", b, flags=re.M) for b in blocks)
    starts = [0] + [m.start() for m in re.finditer(r"^problem\b", text, flags=re.M)] + [len(text)]
    return [text[a:b] for a, b in zip(starts, starts[1:]) if "claim" in text[a:b]]


def known_problems(source):
    """(name, folder, text) of each problem whose claims say themselves whether they are true."""
    tests = source / "tests/claims"
    paths = [*sorted(tests.glob("*.qkv")), *sorted((tests / "generator/known").glob("*.qkv")),
             *sorted((source / "examples").rglob("*.md")), *sorted((source / "examples").rglob("*.qkv")),
             source / "docs/reference/language.md"]
    for path in paths:
        for text in problems_of(path.read_text(), path.suffix == ".md"):
            yield path.name, path.parent, text
    for text in re.split(r"^====\n", (tests / "judged.txt").read_text(), flags=re.M):
        yield "judged.txt", tests, text


def generated_problems(source, seed="liar"):
    """Problems of the generator; what the honest checker decides, with the second reading, is their truth."""
    for name, (make, _) in sorted(KINDS.items()):
        rng = random.Random(f"{seed} {name}")
        for _ in range(GENERATED):
            problem = make(rng)
            yield f"generated {name}", source / "tests/claims", problem.text(problem.claims)


def check(program, folder, text, lie=None):
    """The claims of a text, as they are answered; none where the text takes too long."""
    environment = {**os.environ, **({"QKV_LIE": lie} if lie else {})}
    with tempfile.NamedTemporaryFile("w", suffix=".qkv", dir=folder if "file(" in text else None) as file:
        file.write(text)
        file.flush()
        try:
            done = subprocess.run([program, "check", "--json", file.name], capture_output=True, text=True,
                                  env=environment, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return []
    assert done.returncode in (0, 1, 2, 3), f"exit status {done.returncode}: {text}{done.stderr}"
    return list(claims(json.loads(done.stdout)))


def truth_of(source_name, line, claim):
    """True, False, or None where nobody says."""
    said = re.search(r"# ([TF])$|# expect (proved|refuted)$", line)
    if said:
        return TRUTHS[said.group(1) or said.group(2)]
    if source_name == "judged.txt" or "# expect" in line:
        return None
    return TRUTHS.get(claim["expected"] or "proved")


def judge(job):
    """(lie, kind, passed, text) for every claim of a problem that a lie can be told of."""
    liar, qkv, (name, folder, text) = job
    lines, found = text.split("\n"), []
    honest = check(qkv, folder, text) if name.startswith("generated") else None
    for lie in LIES if "exists" in text else LIES[:2]:
        for number, claim in enumerate(check(liar, folder, text, lie)):
            line = lines[claim["line"] - 1]
            if honest is None:
                truth = truth_of(name, line, claim)
            else:
                truth = TRUTHS.get(honest[number]["verdict"])
            if truth is None or truth == (lie == "proved") or not claim["claim"].startswith("claim"):
                continue
            kind = kind_of(text, claim["claim"])
            if lie == "never" and kind != "exists":
                continue
            passed = claim["verdict"] == ("proved" if lie == "proved" else "refuted")
            found.append((lie, kind, passed, f"{name}: {claim['claim']}", text, claim.get("replayed")))
    return found


def main(words):
    listed = "--list" in words
    words = [word for word in words if word != "--list"]
    liar, qkv, source = words[0], words[1], Path(words[2])
    step = int(words[3]) if len(words) > 3 else 1
    problems = [*known_problems(source), *generated_problems(source)][::step]
    told, passed = defaultdict(int), defaultdict(list)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(judge, [(liar, qkv, problem) for problem in problems]):
            for lie, kind, through, claim, text, replayed in found:
                told[lie, kind] += 1
                if through:
                    passed[lie, kind].append((claim, text, replayed))
    print(f"1..{len(told)}")
    good = True
    for number, (lie, kind) in enumerate(sorted(told), 1):
        count, through = told[lie, kind], passed[lie, kind]
        allowed = ALLOWED.get((lie, kind), 0)
        fine = len(through) * 100 <= allowed * count
        good &= fine
        for claim, text, replayed in through if listed or not fine else []:
            print(f"#@ {lie} {kind} {replayed}: {claim}")
            if listed:
                print("\n".join("#   " + line for line in text.strip().split("\n")))
        print(f"{'ok' if fine else 'not ok'} {number} - '{lie}', {kind}: {count - len(through)} of {count} lies stopped")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
