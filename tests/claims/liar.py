#!/usr/bin/python3
"""If an engine lies, does the gate notice? False claims are given to a checker whose engines answer 'proved' to
everything, true ones to one whose engines answer 'refuted' (liar.c). A false claim that comes out proved, or a true one
that comes out refuted, has passed the gate.

The claims are those of the documents here, of judged.txt, of the generator's known claims, of the examples and of the
manual, and claims of the generator that the honest checker decides.

Usage: liar.py LIAR QKV SOURCE [--sample] [--list] [KIND ...]. Speaks TAP, one case per lie and kind of claim. A sample is spread
evenly over the claims of each kind, without those of the generator. --list prints the claims that passed.
"""

import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from replayed import claims

sys.path.insert(0, str(Path(__file__).parent / "generator"))
from kinds import KINDS  # noqa: E402


# So many lies may pass the gate in the sample, and so many in all; of kinds that are not here none may.
ALLOWED = {
    ("never", "exists"): (3, 100), ("proved", "bounds"): (24, 38), ("proved", "chance"): (97, 143),
    ("proved", "derivative"): (2, 2), ("proved", "equations"): (8, 9), ("proved", "exists"): (148, 170),
    ("proved", "limit"): (128, 130), ("proved", "matrix"): (16, 16), ("proved", "premises"): (14, 24),
    ("proved", "random"): (40, 40), ("refuted", "chance"): (4, 320), ("refuted", "exists"): (3, 330),
    ("refuted", "random"): (1, 10),
}

# Claims of each kind, at most. To stop a 'refuted' takes thousands of instances, a 'proved' a few.
SAMPLE = {"proved": 750, "refuted": 5, "never": 12}
WHOLE = {"proved": 10000, "refuted": 600, "never": 600}

GENERATED = 20  # problems of each kind of the generator
SECONDS = 30  # for the claims of a problem: those not begun by then are not counted
BATCH = 25  # problems to a process

LIES = ("proved", "refuted", "never")  # the last is told of `exists` alone: refuted, whatever the rest may be

LATE = "the time allowed for this check is used up"
TRIVIAL = {"proved": "1 = 1", "refuted": "1 = 2", "never": "1 = 2"}  # in the place of claims that are not asked

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
    ("bounds", r"<|>|≤|≥|!=|≠", ""),
    ("equations", "", ""),
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
        if path.parent.name == "answers":  # of students, who are wrong where they do not expect it
            continue
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


def check(program, problems, lie=None, seconds=SECONDS):
    """For each problem its claims as they are answered."""
    environment = {**os.environ, **({"QKV_LIE": lie} if lie else {})}
    files = []
    for folder, text in problems:
        files.append(tempfile.NamedTemporaryFile("w", prefix=".liar", suffix=".qkv",
                                                 dir=folder if "file(" in text else None))
        files[-1].write(text)
        files[-1].flush()
    names = [file.name for file in files]
    done = subprocess.run([program, "check", "--json", "--seconds", str(seconds), *names],
                          capture_output=True, text=True, env=environment)
    for file in files:
        file.close()
    assert done.returncode in (0, 1, 2, 3), f"exit status {done.returncode}: {problems}{done.stderr}"
    answers = {name: [] for name in names}
    for claim in claims(json.loads(done.stdout)):
        answers[claim["document"]].append(claim)
    return list(answers.values())


def check_all(program, problems, lie=None, seconds=SECONDS):
    batches = [problems[i:i + BATCH] for i in range(0, len(problems), BATCH)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [answers for batch in pool.map(lambda b: check(program, b, lie, seconds), batches) for answers in batch]


def truth_of(name, line, claim):
    """True, False, or None where nobody says."""
    said = re.search(r"# ([TF])$|# expect (proved|refuted)$", line)
    if said:
        return TRUTHS[said.group(1) or said.group(2)]
    if name == "judged.txt" or "# expect" in line:
        return None
    return TRUTHS.get(claim["expected"] or "proved")


def lies_about(source, qkv, sample):
    """(lie, kind) to the [problem, line, claim] that it is told of; a problem is (name, folder, text)."""
    known = list(known_problems(source))
    generated = [] if sample else list(generated_problems(source))
    read = check_all(qkv, [problem[1:] for problem in known], seconds=1e-9)
    read += check_all(qkv, [problem[1:] for problem in generated])
    told = defaultdict(list)
    for number, (problem, entries) in enumerate(zip(known + generated, read)):
        name, _, text = problem
        lines = text.split("\n")
        for claim in entries:
            if not claim["claim"].startswith("claim"):
                continue
            line = lines[claim["line"] - 1]
            truth = truth_of(name, line, claim) if number < len(known) else TRUTHS.get(claim["verdict"])
            kind = kind_of(text, claim["claim"])
            for lie in LIES:
                if truth == (lie != "proved") and (lie != "never" or kind == "exists"):
                    told[lie, kind].append((number, problem, claim["line"], claim["claim"]))
    # Finds are answered by engines that do not lie: they are not asked.
    entries_of = {number: entries for number, entries in enumerate(read)}
    most = SAMPLE if sample else WHOLE
    return {key: spread(group, most[key[0]]) for key, group in sorted(told.items())}, entries_of


def spread(group, most):
    return group if len(group) <= most else [group[i * len(group) // most] for i in range(most)]


def asked_alone(text, entries, lines_asked, lie):
    """The text with trivial claims in the place of all that are not asked."""
    lines = text.split("\n")
    for entry in entries:
        line = lines[entry["line"] - 1]
        if entry["line"] not in lines_asked and line.strip().startswith(entry["claim"]):
            lines[entry["line"] - 1] = re.match(r"\s*", line).group() + "claim: " + TRIVIAL[lie]
    return "\n".join(lines)


def tell(liar, lie, group, entries_of):
    """(problem, claim, answer) for each of the claims that is answered."""
    asked = defaultdict(list)
    for number, problem, line, claim in group:
        asked[number].append((problem, line, claim))
    jobs = []
    for number, items in asked.items():
        _, folder, text = items[0][0]
        jobs.append((folder, asked_alone(text, entries_of[number], {line for _, line, _ in items}, lie)))
    for items, answers in zip(asked.values(), check_all(liar, jobs, lie)):
        at = {answer["line"]: answer for answer in answers}
        for problem, line, claim in items:
            answer = at.get(line)
            assert answer is not None and answer["claim"] == claim, f"{claim} in {problem}"
            if answer["reason"] != LATE:
                yield problem, claim, answer


def main(words):
    sample, listed = "--sample" in words, "--list" in words
    liar, qkv, source = words[0], words[1], Path(words[2])
    told, entries_of = lies_about(source, qkv, sample)
    kinds = [word for word in words[3:] if not word.startswith("--")]
    told = {what: group for what, group in told.items() if not kinds or what[1] in kinds}
    print(f"1..{len(told)}")
    good = True
    for number, ((lie, kind), group) in enumerate(told.items(), 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        answered = list(tell(liar, lie, group, entries_of))
        taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        end = "proved" if lie == "proved" else "refuted"
        passed = [a for a in answered if a[2]["verdict"] == end]
        fine = len(passed) <= ALLOWED.get((lie, kind), (0, 0))[0 if sample else 1]
        good &= fine
        for (name, _, text), claim, answer in passed if listed or not fine else []:
            print(f"#@ {lie} {kind} {answer['replayed']}: {name}: {claim}")
            if listed:
                print("\n".join("#   " + line for line in text.strip().split("\n")))
        print(f"# {len(group) - len(answered)} out of time; {taken:.1f} s of CPU")
        print(f"{'ok' if fine else 'not ok'} {number} - '{lie}', {kind}: {len(answered) - len(passed)} of "
              f"{len(answered)} lies stopped", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
