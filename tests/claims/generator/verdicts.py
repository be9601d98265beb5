"""Judging verdicts: proved must not be false at any instance, refuted must not be true by construction.
A refuted claim without an instance where it is false is a suspect, to be looked at by hand."""

import re
from fractions import Fraction

from judge import FALSE, TRUE, Instance, decide
from search import INSTANCES, INSTANCES_IN_LIMIT, false_instance, may_be_false
from writer.problem import NO_CASE, NO_CASE_OR_TRUE, Find

WRONG = {
    (TRUE, "refuted"): "refuted, but true by construction",
    (FALSE, "proved"): "proved, but false by construction",
    (NO_CASE, "proved"): "proved, but the conditions exclude each other",
    (NO_CASE, "refuted"): "refuted, but the conditions exclude each other",
    (NO_CASE_OR_TRUE, "refuted"): "refuted, but the conditions exclude each other",
}
DISAGREEMENT = "engines disagree"


class Tally:
    """The results of one kind: verdicts, and (problem, claim, why) of everything to be printed."""

    def __init__(self):
        self.verdicts, self.failures, self.suspects, self.disagreements = {}, [], [], []

    def count(self, verdict):
        self.verdicts[verdict] = self.verdicts.get(verdict, 0) + 1

    def failed(self):
        return bool(self.failures or self.disagreements)


class Judge:
    """Judges the answers to one problem; instances are drawn when they are needed."""

    def __init__(self, problem, rng):
        self.problem, self.rng = problem, rng
        self.drawn = None

    def instances(self, claim):
        if self.drawn is None:
            drawn = (self.problem.draw(self.rng, trial) for trial in range(INSTANCES))
            self.drawn = [instance for instance in drawn if instance is not None]
        return self.drawn[:INSTANCES_IN_LIMIT] if claim.limit else self.drawn

    def record(self, claim, answer, tally):
        if answer is None:
            tally.count("mistake")
            return
        tally.count(answer["verdict"])
        if answer["reason"].startswith(DISAGREEMENT):
            tally.disagreements.append((self.problem, claim, answer["reason"]))
        if answer["verdict"] not in ("proved", "refuted"):
            return
        why = self.wrong(claim, answer)
        said = f"[{answer['found']}: {answer['reason']}]"
        if why:
            tally.failures.append((self.problem, claim, f"{why} {said}"))
        elif self.suspect(claim, answer):
            why = "SUSPECT: refuted, but no instance was found where it is false"
            tally.suspects.append((self.problem, claim, f"{why} {said}"))

    def wrong(self, claim, answer):
        """What is wrong with a verdict, in words, or None."""
        verdict = answer["verdict"]
        if isinstance(claim, Find):
            return wrong_find(claim, answer)
        if self.problem.readings:
            return self.wrong_without_case(claim, verdict)
        if claim.truth is not None:
            return WRONG.get((claim.truth, verdict))
        if verdict == "proved":
            found = false_instance(self.problem, claim, self.instances(claim), self.rng)
            return f"proved, but false at {found}" if found else None
        if self.problem.determined and self.holds_everywhere(claim):
            return WRONG[TRUE, verdict]
        return None

    def holds_everywhere(self, claim):
        """Whether a claim is certainly true at all instances drawn."""
        return all(decide(claim.meaning(), instance) == TRUE for instance in self.instances(claim)[:3])

    def wrong_without_case(self, claim, verdict):
        """Where the premises exclude each other: a claim may follow from some of them, and the
        contradiction need not be seen; so a proof is wrong if it is false in all readings."""
        if verdict == "refuted":
            return WRONG[NO_CASE, verdict]
        examples = []
        for draw in self.problem.readings:
            drawn = [
                instance for instance in (draw(self.rng, trial) for trial in range(INSTANCES)) if instance
            ]
            found = false_instance(self.problem, claim, drawn, self.rng)
            if not found:
                return None
            examples.append(f"({found})")
        return f"{WRONG[NO_CASE, verdict]}, and it is false without one of them: {' '.join(examples)}"

    def suspect(self, claim, answer):
        """Whether a refuted claim seems to be true."""
        if answer["verdict"] != "refuted" or claim.truth is not None or isinstance(claim, Find):
            return False
        said = f"{answer['found']} {answer['reason']}"
        return not may_be_false(self.problem, claim, self.instances(claim), said, self.rng)


def wrong_find(find, answer):
    """The number found is tried: just below, just above, and further on."""

    def truth(number):
        names = {name: int(value) if name == "n" else Fraction(value) for name, value in find.fixed.items()}
        names[find.name] = int(number) if find.whole else Fraction(number)
        return decide(find.proposition, Instance(names, {}))

    if answer["verdict"] == "refuted":
        holds_far_out = all(truth(number) == TRUE for number in (50, 60, 75, 80, 100))
        return "refuted, but it holds from somewhere on" if holds_far_out else None
    text = answer["found"].replace("...", "").split(" at ")[0].split(" +/- ")[0]
    numbers = re.findall(r"= (-?\d+(?:\.\d+)?(?:/\d+)?)$", text)
    return wrong_number(find, Fraction(numbers[-1]), truth) if numbers else None


def wrong_number(find, number, truth):
    width = 1 if find.whole else abs(number) / 10000 + Fraction(1, 10000)
    steps = [0, 1, 2, 3, 4, 5, 6, 7, 30] if find.whole else [1, 10, 100, 1000, 10000, 40000]
    if number == find.least:
        steps = steps[:1]
    for place in (number + width * step for step in steps):
        if truth(place) == FALSE:
            return f"found {number}, but it fails at {place}"
    below = number - width
    if find.least is not None and below < find.least:
        return f"found {number}, which is not allowed" if number < find.least else None
    return f"found {number}, but it holds at {below} already" if truth(below) == TRUE else None
