"""Known claims, from the documents in known/: some claims of a problem at a time, often under other names."""

import os
import re

from judge import FALSE, TRUE, Known
from writer.names import CLASHING, PLAIN, Renamed, names_of
from writer.problem import NO_CASE, NO_CASE_OR_TRUE, Claim, Problem

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "known")
TRUTHS = {
    "proved": TRUE,
    "refuted": FALSE,
    "undecided": NO_CASE,
    "undecided or proved": NO_CASE_OR_TRUE,
}
# Documents that are kinds of their own.
APART = ("exists", "no_value", "limits_with_premises")
CLAIMS_OF_PROBLEM = 8
CLAIM = re.compile(
    r"(?P<indent> *)claim: (?P<body>.*?)(?:   (?P<conditions>\S.*?))?   # expect (?P<verdict>[\w ]+)$"
)


class KnownProblem(Problem):
    """Some claims of a problem in a document. They keep their places: a claim may stand in a block."""

    def __init__(self, rng, lines, most=CLAIMS_OF_PROBLEM):
        super().__init__(re.match(r'problem "(.*)"', lines[0]).group(1), rng)
        self.may_be_renamed = "# names stay" not in lines
        places = [place for place, line in enumerate(lines) if CLAIM.match(line)]
        wanted = set(rng.sample(places, min(most, len(places))))
        kept = [line for place, line in enumerate(lines) if place not in places or place in wanted]
        self.document = without_empty_blocks([line for line in kept if not line.startswith("#")])
        self.claims = [claim_of(line) for line in self.document if CLAIM.match(line)]
        self.lines = [line for line in self.document[1:] if not CLAIM.match(line)]
        self.names = names_of(uncommented(line) for line in self.document)

    def draw(self, rng, trial, pools=None):
        return None

    def places(self):
        return [place for place, line in enumerate(self.document) if CLAIM.match(line)]

    def text(self, claims=None):
        left_out = set()
        if claims is not None:
            pairs = zip(self.places(), self.claims)
            left_out = {place for place, claim in pairs if not any(claim is other for other in claims)}
        kept = [line for place, line in enumerate(self.document) if place not in left_out]
        return "\n".join(uncommented(line) for line in without_empty_blocks(kept))


def uncommented(line):
    return line.split("   # ")[0]


def claim_of(line):
    found = CLAIM.match(line)
    proposition = Known(found.group("body"))
    return Claim(proposition, extra=found.group("conditions") or "", truth=TRUTHS[found.group("verdict")])


def without_empty_blocks(lines):
    """The lines without conditions that open a block and have nothing below them."""
    below = lines[1:] + [""]
    return [
        line
        for line, after in zip(lines, below)
        if line.startswith(" ") or not line.endswith(":") or after.startswith(" ")
    ]


def problems_in(*documents):
    """The problems of documents, as lists of lines."""
    found = []
    for document in documents:
        with open(os.path.join(FOLDER, document + ".qkv"), encoding="utf-8") as text:
            for block in re.split(r"(?m)^(?=problem)", text.read())[1:]:
                found.append([line for line in block.split("\n") if line])
    return found


def all_documents():
    names = (name.removesuffix(".qkv") for name in os.listdir(FOLDER))
    return sorted(name for name in names if name not in APART)


KNOWN = problems_in(*all_documents())
BY_DOCUMENT = {name: problems_in(name) for name in APART}


def known_claims(rng):
    problem = KnownProblem(rng, rng.choice(KNOWN))
    pool = rng.choice([None, None, PLAIN, CLASHING])
    return Renamed(problem, rng, pool) if pool and problem.may_be_renamed else problem


def without_value(rng):
    return KnownProblem(rng, rng.choice(BY_DOCUMENT["no_value"]))


def limits_with_premises(rng):
    return KnownProblem(rng, rng.choice(BY_DOCUMENT["limits_with_premises"]))


def numbers_that_exist(rng):
    return KnownProblem(rng, rng.choice(BY_DOCUMENT["exists"]), most=4)
