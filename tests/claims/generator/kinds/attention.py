"""Attention at finite parameters: arbitrary keys, orthonormal keys, keys of numbers, several heads."""

from fractions import Fraction

from judge import AllBut, Attend, Compare, Exp, ForAll, Head, Known, Mean, Name, Number, Over, Range, Size
from judge import FALSE, TRUE, node
from writer.draws import HALF, listed_rows
from writer.problem import Claim, Problem, add_conditions
from writer.trees import Scope, attention_scope, proposition, quantified

WHOLE = Range("n")


def nested(rng):
    """Arbitrary keys and an arbitrary query; quantifiers and sums inside each other."""
    problem = Problem("nested", rng)
    problem.size("n")
    picks = rng.choice([[], ["a"], ["a", "b"]])
    problem.given(Compare("n", ">=", max(rng.choice([1, 1, 2, 3]), len(picks))))
    problem.family("keys", "k", "n")
    problem.family("values", "v", "n")
    if picks:
        problem.pick(picks, WHOLE)
    problem.vector("q")
    problem.define("c", Attend("q", "k", "v"))
    scope = attention_scope(rng, ["c"], ["k"], "q")
    scope.indexes["n"] = list(picks)
    for _ in range(5):
        problem.claims.append(Claim(quantified(scope, [("n", WHOLE)], rng.choice([1, 2, 2]))))
    scope.indexes["n"] += ["i", "j"]
    second = rng.choice([WHOLE, WHOLE, AllBut(WHOLE, "i")])
    for _ in range(2):
        body = proposition(scope, rng.choice([0, 1]))
        problem.claims.append(Claim(body, over=[("i", WHOLE), ("j", second)]))
    return problem


def two_families(rng):
    """Two families of keys, of the same size or of different sizes."""
    problem = Problem("two families", rng)
    second = rng.choice(["n", "m"])
    problem.size("n")
    if second == "m":
        problem.size("m")
    problem.family("keys", "k", "n", rng.choice(["", "", "orthonormal", "norm 1"]))
    problem.family("keys", "p", second, rng.choice(["", "norm 1"]))
    problem.family("values", "v", "n")
    problem.family("values", "w", second)
    problem.vector("q")
    problem.define("c", Attend("q", "k", "v"))
    problem.define("d", Attend("q", "p", "w"))
    scope, sets = scope_of_two(rng, second)
    problem.claims += [Claim(quantified(scope, sets, 2)) for _ in range(5)]
    problem.claims += [Claim(for_all_pairs(second, body)) for body in comparisons_of_pairs(rng)]
    return problem


def scope_of_two(rng, second):
    k, p, c, d = (Name(name) for name in "kpcd")
    first = [c.weight, lambda i: k[i].dot("q"), c.weight]
    other = [d.weight, lambda i: p[i].dot("q"), d.weight]
    numbers = [lambda: 1 / Name("n"), lambda: 1 / Name(second)]
    if second == "n":
        return Scope(rng, numbers, {"n": first + other}), [("n", WHOLE)]
    return Scope(rng, numbers, {"n": first, "m": other}), [("n", WHOLE), ("m", Range("m"))]


def comparisons_of_pairs(rng):
    """One comparison of vectors and one of weights, of index i in one family and j in the other."""
    k, p, c, d, i, j = (Name(name) for name in "kpcdij")
    bound = rng.choice([Size(k[i]) * Size(p[j]), node(1), node(0), c.weight(i)])
    yield Compare(k[i].dot(p[j]), rng.choice(["<=", ">=", "=", "<"]), bound)
    bound = rng.choice([node(1), c.weight(i), node(0), d.weight(j)])
    yield Compare(c.weight(i) * d.weight(j), rng.choice(["<=", ">=", "<"]), bound)


def for_all_pairs(second, body):
    return ForAll("i", WHOLE, ForAll("j", Range(second), body))


def query_of(rng, keys, picks, whole):
    """beta times a combination of picked keys, perhaps with the rest."""
    beta = Name("beta")
    parts = [rng.choice([beta, 2 * beta, -beta, node(1), beta * beta]) * Name(keys)[pick] for pick in picks]
    if rng.random() < 0.3:
        rest = Over("sum", Name(keys)["i"], "i", AllBut(whole, *picks))
        parts.append(rng.choice([beta, -beta, node(2)]) * rest)
    query = parts[0]
    for part in parts[1:]:
        query = query + part
    return query


def bound_parameter(problem, rng, name="beta"):
    """Perhaps a premise about the sign or the range of a parameter."""
    choice = rng.randrange(5)
    if choice == 0:
        problem.given(Compare(name, ">", 0))
    elif choice == 1:
        problem.given(Compare(name, ">=", rng.choice([0, 1, -1])))
    elif choice == 2:
        problem.given(Compare(name, "<=", rng.choice([0, 2])), Compare(name, ">=", -3))


def orthonormal(rng):
    """Keys that are orthonormal, orthogonal or of one length, and queries along picked keys."""
    problem = Problem("orthonormal", rng)
    properties = rng.choice(
        ["orthonormal", "orthonormal", "orthogonal, norm s", "norm 1", "orthogonal, norm 2"]
    )
    picks = rng.choice([["a"], ["a", "b"], ["a", "b"], ["a", "b", "g"]])
    problem.size("n", len(picks))
    bound_parameter(problem, rng)
    if rng.random() < 0.6:
        problem.given(Compare("n", ">=", rng.choice([len(picks), len(picks) + 1, 3])))
    if "norm s" in properties:
        problem.parameter("s", [Fraction(1), HALF, Fraction(2), Fraction(5), Fraction(1, 4), Fraction(1, 50)])
    problem.parameter("beta")
    problem.family("keys", "k", "n", properties)
    problem.family("values", "v", "n")
    problem.pick(picks, WHOLE)
    scale = rng.choice([None, None, node(HALF)])
    problem.define("c", Attend(query_of(rng, "k", picks, WHOLE), "k", "v", scale))
    if rng.random() < 0.4:
        problem.define("d", Attend(query_of(rng, "k", picks[:1], WHOLE), "k", "v"))
    problem.claims = claims_along_picks(rng, [name for name in "cd" if name in problem.definitions], picks)
    add_conditions(rng, problem.claims, ["beta"])
    return problem


def claims_along_picks(rng, attentions, picks):
    scope = attention_scope(rng, attentions, numbers=["beta"])
    scope.numbers += [lambda: Exp(Name("beta")), lambda: Exp(-Name("beta"))]
    scope.indexed["n"] += key_atoms(rng, picks)
    scope.indexes["n"] = list(picks)
    claims = [Claim(proposition(scope, rng.choice([0, 1, 1, 2]))) for _ in range(4)]
    claims += [Claim(quantified(scope, [("n", WHOLE)], rng.choice([1, 2]))) for _ in range(2)]
    scope.indexes["n"].append("i")
    over = rng.choice([WHOLE, AllBut(WHOLE, *picks), AllBut(WHOLE, picks[0])])
    return claims + [Claim(proposition(scope, rng.choice([0, 1])), over=[("i", over)]) for _ in range(3)]


def key_atoms(rng, indexes):
    """Lengths of keys and inner products with a chosen one."""
    return [lambda i: Size(Name("k")[i]), lambda i: Name("k")[i].dot(Name("k")[rng.choice(indexes)])]


def listed_keys(rng):
    """A few keys of numbers, with indexes that are numbers or picked."""
    problem = Problem("listed keys", rng)
    count = rng.randint(2, 4)
    problem.listed("keys", "k", listed_rows(rng, count, rng.randint(1, 3)))
    if rng.random() < 0.5:
        problem.family("values", "v", count)
    else:
        problem.listed("values", "v", listed_rows(rng, count, rng.randint(1, 2)))
    picks = rng.choice([[], [], ["a"], ["a", "b"]])
    if picks:
        problem.pick(picks, Range(count))
    problem.parameter("beta")
    indexes = picks + [Number(Fraction(i)) for i in rng.sample(range(1, count + 1), 2)]
    bound_parameter(problem, rng)
    query = Name("beta") * Name("k")[rng.choice(indexes)]
    if rng.random() < 0.5:
        query = query + rng.choice([node(1), Name("beta"), -Name("beta")]) * Name("k")[rng.choice(indexes)]
    problem.define("c", Attend(query, "k", "v"))
    problem.claims = claims_about_list(rng, count, indexes)
    add_conditions(rng, problem.claims, ["beta"])
    return problem


def claims_about_list(rng, count, indexes):
    whole = Range(count)
    scope = attention_scope(rng, ["c"], numbers=["beta"])
    scope.numbers = [lambda: Name("beta")]
    scope.indexed["n"] += key_atoms(rng, indexes)
    scope.indexes["n"] = list(indexes)
    claims = [Claim(proposition(scope, rng.choice([0, 1, 1, 2]))) for _ in range(5)]
    claims.append(Claim(quantified(scope, [("n", whole)], rng.choice([1, 2]))))
    scope.indexes["n"].append("i")
    return claims + [Claim(proposition(scope, 1), over=[("i", whole)])]


def heads(rng):
    """The mean of two heads."""
    problem = Problem("heads", rng)
    problem.size("n", 2)
    problem.given(Compare("n", ">=", 2))
    bound_parameter(problem, rng)
    problem.parameter("beta")
    problem.family("keys", "k", "n", rng.choice(["", "orthonormal", "norm 1"]))
    problem.family("values", "v", "n")
    problem.pick(["a", "b"], WHOLE)
    problem.define("c", Attend(query_of(rng, "k", ["a"], WHOLE), "k", "v"))
    problem.define("d", Attend(query_of(rng, "k", ["b"], WHOLE), "k", "v"))
    problem.define("m", Mean("c", "d"))
    c, d, m, v = (Name(name) for name in "cdmv")
    weights = [c.weight, d.weight, Head(m, 1).weight, Head(m, 2).weight, m.weight]
    scope = Scope(rng, [lambda: Name("beta")], {"n": weights})
    scope.indexes["n"] = ["a", "b"]
    problem.claims += [Claim(proposition(scope, rng.choice([0, 1]))) for _ in range(4)]
    problem.claims += [Claim(quantified(scope, [("n", WHOLE)], 1)) for _ in range(2)]
    add_conditions(rng, problem.claims, ["beta"])
    shapes = [
        (Compare("m", "=", (c + d) / 2), TRUE),
        (Compare("m", "=", Mean("d", "c")), TRUE),
        (Known("m in hull(v)"), TRUE),
        (Compare("m", "=", "c"), None),
        (Compare("m", "=", (v["a"] + v["b"]) / 2), None),
        (Compare(2 * m - "c", "=", "d"), TRUE),
        (Compare(Mean("c", "c"), "=", "c"), TRUE),
    ]
    problem.claims += [Claim(shape, truth=truth) for shape, truth in rng.sample(shapes, 3)]
    return problem


def sizes(rng):
    """Families of n - 1, n + 1 or 2n keys; n - 1 may be 0."""
    problem = Problem("sizes", rng)
    n = Name("n")
    size = rng.choice([n - 1, n - 1, n + 1, 2 * n, n - 2])
    problem.size("n", 0, 6)
    problem.premises.append(Compare(size, ">=", 0) if size.sign == "-" else Compare("n", ">=", 1))
    problem.family("keys", "k", size, rng.choice(["", "orthonormal", "norm 1"]))
    problem.family("values", "v", size)
    problem.vector("q")
    problem.define("c", Attend("q", "k", "v"))
    known = [(shape, truth) for shape, truth in known_of_sizes(size) if truth is not None]
    problem.claims += [Claim(shape, truth=truth) for shape, truth in rng.sample(known, 4)]
    indexed = [Name("c").weight, lambda i: Name("k")[i].dot("q")]
    scope = Scope(rng, [lambda: n, lambda: 1 / n], {"n": indexed})
    for _ in range(3):
        claim = Claim(quantified(scope, [("n", Range(size))], rng.choice([1, 2])))
        # An empty sum of weights that have no value: is it 0, or is the case left out?
        claim.in_every_reading = [Compare(size, ">=", 1)] if "c." in claim.text() else []
        problem.claims.append(claim)
    return problem


def known_of_sizes(size):
    """Claims about a family of this size, with their truth; None where it depends on the reading."""
    whole, c = Range(size), Name("c")
    count = Over("sum", node(1), "i", whole)
    may_be_empty = FALSE if size.sign == "-" else None
    return [
        (Compare(size, ">=", 0), TRUE),
        (Compare("n", ">=", 2), TRUE if size.text() == "(n - 2)" else FALSE),
        (Compare("n", ">=", 3), FALSE),
        (Compare(size, ">=", 1), may_be_empty),
        (ForAll("i", whole, Compare(c.weight("i"), ">", 0)), TRUE),
        (ForAll("i", whole, Compare(c.weight("i"), "<", 1)), FALSE if size.sign == "-" else None),
        (ForAll("i", whole, Compare(c.weight("i"), "<=", 1)), TRUE),
        (Compare(Over("max", c.weight("i"), "i", whole), ">=", 1 / size), TRUE),
        (Compare(Over("mean", c.weight("i"), "i", whole), "=", 1 / size), TRUE),
        (Compare(count, "=", size), TRUE),
        (Compare(count, ">=", 1), may_be_empty),
    ]
