#!/usr/bin/python3
"""No wrong verdict, whatever is asked: random documents of many kinds, written from the manual alone, and
judged by computing what they say at concrete instances.

A proved claim must not be false at any instance; a refuted claim must not be true by construction. A
refuted claim without an instance where it is false is a suspect: it is printed, to be looked at by hand,
but does not fail. An answer 'engines disagree' fails.

Usage: generated.py QKV [CLAIMS [SEED [KIND ...]]]. Speaks TAP: one case per kind of problem.
"""

import random
import resource
import sys

from kinds import KINDS
from pairs import PAIRS, compare_answers
from program import Program
from verdicts import Judge, Tally
from writer.trees import calibrate

PROBLEMS_IN_DOCUMENT = 60
PAIRS_IN_DOCUMENT = 8
SHOWN = 4


def run_kind(program, name, wanted, rng):
    """Problems of one kind, many per document. The judge has a random generator of its own, so that the
    answers do not change what is generated."""
    make, _ = KINDS[name]
    tally, done = Tally(), 0
    while done < wanted:
        problems = []
        while done < wanted and len(problems) < PROBLEMS_IN_DOCUMENT:
            problems.append(make(rng))
            calibrate(problems[-1], rng)
            done += len(problems[-1].claims)
        judging = random.Random(rng.random())
        for problem, answers in zip(problems, program.check(problems)):
            judge = Judge(problem, judging)
            for claim, answer in zip(problem.claims, answers):
                judge.record(claim, answer, tally)
    return tally


def run_pairs(program, name, wanted, rng):
    """Both texts of each pair, each in a document of its own."""
    make, relation, _ = PAIRS[name]
    tally, done = Tally(), 0
    while done < wanted:
        pairs = [make(rng) for _ in range(PAIRS_IN_DOCUMENT)]
        done += sum(len(second.claims) for _, second in pairs)
        firsts = program.check([first for first, _ in pairs])
        seconds = program.check([second for _, second in pairs])
        for pair, ones, twos in zip(pairs, firsts, seconds):
            for claim, *answers in zip(reversed(pair[1].claims), reversed(ones), reversed(twos)):
                compare_answers(tally, relation, pair, claim, answers)
    return tally


def comment(problem, claim, why):
    """A document with one claim, and what is wrong with its verdict."""
    return "\n".join("# " + line for line in f"{problem.text([claim])}\n=> {why}".split("\n"))


def cpu_seconds():
    """This process's and the program's."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime


def report(tally, seconds):
    for found in tally.failures[:SHOWN] + tally.suspects[:SHOWN] + tally.disagreements[:SHOWN]:
        print(comment(*found))
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(tally.verdicts.items()))
    print(
        f"# {counts}; {len(tally.failures)} wrong, {len(tally.suspects)} suspects, "
        f"{len(tally.disagreements)} disagreements of engines; "
        f"{seconds[0]:.1f} s and the program's {seconds[1]:.1f} s of CPU time"
    )


def run(program, name, wanted, seed):
    """One case: True if it passes."""
    rng = random.Random(f"{seed} {name}")
    before = cpu_seconds()
    tally = (run_kind if name in KINDS else run_pairs)(program, name, wanted, rng)
    tally.failures += program.troubles
    program.troubles = []
    report(tally, [after - start for start, after in zip(before, cpu_seconds())])
    return not tally.failed()


def main():
    program = Program(sys.argv[1])
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    seed = sys.argv[3] if len(sys.argv) > 3 else "1"
    shares = {name: row[-1] for table in (KINDS, PAIRS) for name, row in table.items()}
    chosen = sys.argv[4:] or list(shares)
    each = wanted / sum(shares[name] for name in chosen)
    passed = True
    print(f"1..{len(chosen)}")
    for number, name in enumerate(chosen, 1):
        good = run(program, name, max(1, int(each * shares[name])), seed)
        print(f"{'ok' if good else 'not ok'} {number} - {name}", flush=True)
        passed = passed and good
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
