"""find least beta, or n: the number found is tried just below and just above."""

from fractions import Fraction

from judge import And, Closed, Compare, Exp, Name
from writer.draws import HALF
from writer.problem import Find, Problem

LEVELS = [Fraction(x) for x in ("1/2", "9/10", "1/10", "99/100", "1/3")]


def find_least(rng):
    problem = Problem("find least", rng)
    positive = rng.random() < 0.7
    problem.say("given n >= 2, beta > 0" if positive else "given n >= 2")
    problem.say("keys k[1..n] orthonormal")
    problem.say("values v[1..n]")
    problem.say("pick a, b distinct in 1..n")
    problem.names |= {"n", "beta", "k", "v", "a", "b", "c", "d"}
    factors = {"a": rng.choice([1, 2, HALF]), "b": rng.choice([0, 1, -1])}
    problem.say(f"c = attend({factors['a']}*beta*k[a] + ({factors['b']})*beta*k[b], k, v)")
    a, b = (weight_of(pick, factors) for pick in "ab")
    for _ in range(5):
        shape = rng.choice(shapes_in_beta(a, b, rng.choice(LEVELS)))
        count = {"n": rng.choice([2, 3, 10, 100])}
        problem.claims.append(Find("beta", shape, count, least=Fraction(0) if positive else None))
    shape = rng.choice(shapes_in_n(a, b, rng.choice(LEVELS)))
    problem.claims.append(Find("n", shape, {"beta": rng.choice([1, 2, 3])}, whole=True, least=2))
    return problem


def weight_of(pick, factors):
    """The weight of a picked key: n orthonormal keys, of which a and b have the scores factor*beta."""

    def value(at):
        beta = at.look_up("beta")
        powers = {
            name: at.arithmetic.exp(at.arithmetic.number(Fraction(x)) * beta) for name, x in factors.items()
        }
        return powers[pick] / (powers["a"] + powers["b"] + at.look_up("n") - 2)

    return Closed(f"c.weight[{pick}]", value)


def shapes_in_beta(a, b, level):
    beta = Name("beta")
    return [
        Compare(a, ">=", level),
        Compare(1 - a, "<=", level),
        Compare(b, "<=", level),
        Compare(1 - a - b, "<=", level),
        Compare(a - b, ">=", level),
        And(Compare(a, ">=", level), Compare(beta, ">=", 2)),
        Compare(beta, ">=", level),
        Compare(beta * beta, ">=", 4),
        Compare(Exp(beta), ">=", 5),
        Compare(beta * beta - 3 * beta, ">=", 4),
        Compare(Exp(beta), ">=", 3 * beta + 7),
        Compare(a, ">=", HALF),
        Compare(a, "<=", level),
        Compare(beta, "<=", 3),
        Compare(1 / beta, "<=", level),
        Compare(a, ">=", b),
        And(Compare(beta, ">=", 1), Compare(beta, ">=", 5)),
    ]


def shapes_in_n(a, b, level):
    n = Name("n")
    return [
        Compare(a, "<=", level),
        Compare(b, "<=", level),
        Compare(1 - a - b, ">=", level),
        Compare(n * n, ">=", 50),
        Compare(n, ">=", Fraction(7, 2)),
        Compare(1 / n, "<=", Fraction(1, 10)),
        Compare(a, ">=", level),
    ]
