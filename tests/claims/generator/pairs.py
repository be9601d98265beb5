"""Pairs of documents whose verdicts must agree: the same problem renamed, negated, at a number, alone, after
a broken problem, with its premises in another order, with its keys in a file."""

import re
from fractions import Fraction

import kinds
from judge import Compare, Name, Number
from verdicts import DISAGREEMENT
from writer.names import LETTERS, PLAIN, Renamed
from writer.problem import Altered, Claim
from writer.trees import calibrate

BASES = [
    kinds.nested,
    kinds.orthonormal,
    kinds.two_families,
    kinds.listed_keys,
    kinds.premises,
    kinds.norms,
    kinds.gram,
    kinds.parameters,
    kinds.tokens,
    kinds.heads,
    kinds.matrices,
    kinds.limits,
    kinds.limits_with_premises,
    kinds.exists,
    kinds.random_keys,
    kinds.sizes,
    kinds.values,
    kinds.without_value,
    kinds.frames,
]
# Numbers within the premises: random keys have alpha > 0, and n is large enough for all picks.
NUMBERS = {"n": ["3", "4", "5"], "alpha": ["1", "2", "1/2", "10"]}
BROKEN = [
    'problem "broken"\nkeys k[1..n\nclaim: k[1].q = 1 +',
    'problem "broken"\nc = attend(q, k)\nclaim: c = 1',
    'problem "broken"\ngiven n >=\nkeys k[1..n] orthonormal\nclaim: n >= 1',
    'problem "broken"\nmatrix A[\nt = = 2',
    'problem "broken"\nx = x + 1\nclaim: x = x',
    'problem "broken"\ngiven beta > 0 and\nclaim: (beta > 0',
    'problem "broken"\nvalues v = [[1,2],[3]]\nclaim: v[1] = v[2]',
    'problem "broken"\npick a, b in 1..n',
]


def base_problem(rng):
    problem = rng.choice(BASES)(rng)
    calibrate(problem, rng)
    return problem


def renamed(rng):
    """The same under other names; letters that are indexes keep theirs."""
    problem = base_problem(rng)
    while problem.kind in ("self attention", "limits"):
        problem = base_problem(rng)
    return problem, Renamed(problem, rng, rng.choice([None, PLAIN, LETTERS]))


def negated(rng):
    """Claims without conditions, and their negations."""
    problem = base_problem(rng)
    problem = with_claims(problem, [claim for claim in problem.claims if not claim.conditions()])
    lines = [f"claim: not ({claim.proposition.text()})" for claim in problem.claims]
    return problem, Altered(problem, claim_lines=lines)


def with_claims(problem, claims):
    """The same problem with some of its claims, or with a trivial one."""
    problem.claims = claims or [Claim(Compare(1, "=", 1))]
    return Altered(problem)


def at_a_number(rng):
    """Claims, and the same claims with a parameter or a size at a number."""
    problem = base_problem(rng)
    return problem, Altered(problem, claim_lines=[fixed(problem, claim, rng) for claim in problem.claims])


def fixed(problem, claim, rng):
    """The text of a claim with one of the names that it uses at a number."""
    text = claim.text()
    names = [
        name
        for name in ("t", "s", "beta", "alpha", "n", "r", "gamma")
        if name in problem.names | {"t", "s"}
        and re.search(rf"\b{name}\b", problem.text([claim]))
        and not re.search(rf"(exists|for all|as)[^:]*\b{name}\b", text)
    ]
    if not names:
        return text
    name = rng.choice(names)
    number = rng.choice(NUMBERS.get(name, ["1", "2", "1/2", "0", "-1", "10"]))
    return f"{text}{',' if claim.conditions() else ''} at {name} = {number}"


def alone(rng):
    """A few claims, and the last of them alone."""
    problem = base_problem(rng)
    few = problem.claims[:1] + rng.sample(problem.claims[1:], min(3, len(problem.claims) - 1))
    problem = with_claims(problem, few)
    single = Altered(problem, claim_lines=problem.claim_lines()[-1:])
    single.claims = problem.claims[-1:]
    return problem, single


def after_broken(rng):
    """The same after a problem with mistakes."""
    problem = base_problem(rng)
    statements = rng.choice(BROKEN).split("\n") + problem.statements()
    return problem, Altered(problem, statements=statements)


def reordered(rng):
    """The same with all premises at the beginning or at the end, in another order."""
    problem = base_problem(rng)
    statements = problem.statements()
    moving = [line for line in statements if line.startswith(("given", "assume"))]
    staying = [line for line in statements if line not in moving]
    rng.shuffle(moving)
    place = rng.choice([1, len(staying)])
    return problem, Altered(problem, statements=staying[:place] + moving + staying[place:])


def in_file(rng):
    """Keys listed in the document, and the same keys in a file."""
    problem = kinds.listed_keys(rng)
    while any(line.startswith("pick") for line in problem.lines):
        problem = kinds.listed_keys(rng)
    calibrate(problem, rng)
    for i in (1, 2):
        body = Compare("c", "~", Name("v")[Number(Fraction(i))])
        problem.claims.append(Claim(body, limit=("beta", "inf")))
    listed = next(line for line in problem.lines if line.startswith("keys k = "))
    name = f"keys{rng.randrange(10 ** 9)}.csv"
    statements = [f'keys k = file("{name}")' if line == listed else line for line in problem.statements()]
    second = Altered(problem, statements=statements)
    rows = re.findall(r"\[([^\[\]]+)\]", listed)
    decimals = [", ".join(str(float(Fraction(entry.strip()))) for entry in row.split(",")) for row in rows]
    second.files[name] = "\n".join(decimals) + "\n"
    return problem, second


# Relations between the two verdicts: what is wrong, in words, or None.


def no_flip(first, second):
    return f"{first}, but {second} in the other text" if {first, second} == {"proved", "refuted"} else None


def not_both_proved(first, second):
    return "proved, and its negation is proved" if first == second == "proved" else None


def not_refuted_at_a_number(first, second):
    return "proved, but refuted at a number" if (first, second) == ("proved", "refuted") else None


def same(first, second):
    return f"{first}, but {second} in the other text" if first != second else None


PAIRS = {
    "renaming": (renamed, no_flip, 0.4),
    "negation": (negated, not_both_proved, 0.4),
    "special": (at_a_number, not_refuted_at_a_number, 0.4),
    "alone": (alone, no_flip, 0.1),
    "broken in front": (after_broken, same, 0.5),
    "premises reordered": (reordered, no_flip, 0.4),
    "list and file": (in_file, no_flip, 2),
}


def compare_answers(tally, relation, pair, claim, answers):
    """Counts the second answer; records where it contradicts the first."""
    (first, second), (one, two) = pair, answers
    if one is None or two is None:
        tally.count("mistake")
        if relation is same and (one is None) != (two is None):
            tally.failures.append((first, claim, f"answered in one text alone\n{second.text([claim])}"))
        return
    tally.count(two["verdict"])
    for problem, answer in zip(pair, answers):
        if answer["reason"].startswith(DISAGREEMENT):
            tally.disagreements.append((problem, claim, answer["reason"]))
    why = relation(one["verdict"], two["verdict"])
    if why:
        said = " ".join(f"[{answer['found']}: {answer['reason']}]" for answer in answers)
        tally.failures.append((first, claim, f"{why} {said}\n{second.text([claim])}"))
