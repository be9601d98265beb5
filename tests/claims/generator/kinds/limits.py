"""One parameter grows or tends to 0, all else fixed: limits of numbers, of attention, of long tokens."""

from fractions import Fraction

from judge import And, Attend, Call, Compare, Exp, Name, Not, Number, Or, Over, Range, node
from writer.draws import HALF, listed_rows
from writer.problem import Claim, Problem

from .attention import WHOLE, query_of
from .self_attention import growing


def limits(rng):
    problem = Problem("limits", rng)
    problem.parameter("t", [Fraction(1), Fraction(-1), HALF, Fraction(0)])
    problem.names.add("beta")
    subject = rng.choice([of_numbers, of_orthonormal_keys, of_listed_keys, growing])
    if subject is growing:
        return growing(problem, rng)
    compare = subject(problem, rng)
    for _ in range(7):
        target = rng.choice(["inf", "inf", "0"] if subject is of_numbers else ["inf", "inf", "inf", "0"])
        claim = Claim(joined(rng, compare), limit=("beta", target))
        claim.extra = "given beta > 0" if target == "0" else ""
        problem.claims.append(claim)
    return problem


def joined(rng, compare):
    """A comparison, alone or joined with another, or negated."""
    choice, body = rng.random(), compare()
    if choice < 0.12:
        return And(body, compare())
    if choice < 0.24:
        return Or(body, compare())
    return Not(body) if choice < 0.36 else body


def of_numbers(_problem, rng):
    beta, t = Name("beta"), Name("t")
    atoms = [
        beta,
        Exp(beta),
        Exp(-beta),
        1 / beta,
        t,
        beta * t,
        node(1),
        node(0),
        Exp(t * beta),
        beta / (1 + beta),
        (t + beta) / beta,
        beta * Exp(-beta),
        t / beta,
        Call("tanh", beta),
        Call("sqrt", beta * beta + beta) - beta,
        HALF * node(1),
    ]

    def compare():
        factor = rng.choice([node(1), node(1), rng.choice(atoms)])
        sign = rng.choice(["~", "~", "=", "!=", "<", ">="])
        return Compare(rng.choice(atoms) * factor, sign, rng.choice(atoms))

    return compare


def of_orthonormal_keys(problem, rng):
    picks = rng.choice([["a", "b"], ["a"]])
    problem.size("n", len(picks))
    if rng.random() < 0.5:
        problem.given(Compare("n", ">=", len(picks) + rng.choice([0, 1])))
    properties = rng.choice(["orthonormal", "orthonormal", "orthogonal, norm 2", "norm 1", ""])
    problem.family("keys", "k", "n", properties)
    problem.family("values", "v", "n")
    problem.pick(picks, WHOLE)
    problem.define("c", Attend(query_of(rng, "k", picks, WHOLE), "k", "v"))
    return comparison_of_attention(rng, [node(pick) for pick in picks], WHOLE)


def of_listed_keys(problem, rng):
    beta, k = Name("beta"), Name("k")
    count = rng.randint(2, 4)
    problem.listed("keys", "k", listed_rows(rng, count, rng.randint(1, 2)))
    problem.family("values", "v", count)
    indexes = [Number(Fraction(i + 1)) for i in range(count)]
    second = rng.choice([node(0), beta, -beta, node(1), Name("t")]) * k[rng.choice(indexes)]
    problem.define("c", Attend(beta * k[rng.choice(indexes)] + second, "k", "v"))
    return comparison_of_attention(rng, indexes, Range(count))


def comparison_of_attention(rng, indexes, whole):
    v, c, beta = Name("v"), Name("c"), Name("beta")
    everyone = Over("mean", v["i"], "i", whole)
    targets = [v[rng.choice(indexes)], (v[indexes[0]] + v[indexes[-1]]) / 2, everyone, v[indexes[-1]]]
    numbers = [node(0), node(1), node(HALF), Number(Fraction(1, 3)), c.weight(rng.choice(indexes))]

    def compare():
        first, second = c.weight(rng.choice(indexes)), c.weight(rng.choice(indexes))
        number = rng.choice(numbers)
        return rng.choice(
            [
                Compare("c", rng.choice(["~", "~", "=", "!="]), rng.choice(targets)),
                Compare(first, rng.choice(["~", "=", "!=", "<", ">=", ">"]), number),
                Compare(first * beta, rng.choice(["~", "<"]), number),
                Compare(first - second, rng.choice(["~", ">=", "<"]), number),
            ]
        )

    return compare
