"""Premises of every kind: between parameters, about keys and weights, and premises that no case meets."""

from fractions import Fraction

from judge import AllBut, Attend, Call, Compare, Exact, Exp, ForAll, Implies, Instance, Name, Or, Size, node
from judge import Known, Over, TRUE
from writer.draws import HALF
from writer.problem import Claim, Problem, simple_premise
from writer.trees import Scope, attention_scope, comparison, proposition, quantified

from .attention import WHOLE, nested, orthonormal
from .vectors import norms


def parameters(rng):
    """Numbers alone, with premises between them."""
    problem = Problem("parameters", rng)
    names = rng.sample(["s", "t", "r", "beta", "gamma"], rng.randint(2, 3))
    for name in names:
        problem.parameter(name)
    scope = Scope(rng, [lambda: Name(rng.choice(names))] * 3, {})
    tie(problem, rng, names)
    for _ in range(6):
        body = claim_about_numbers(scope)
        premise, pool = simple_premise(rng, names)
        word = rng.choice(["given", "for", "at", "implies", None])
        if word == "implies":
            claim = Claim(Implies(premise, body), pools=pool)
        elif word is None:
            claim = Claim(body)
        else:
            word = "for" if word == "at" and premise.sign != "=" else word
            claim = Claim(body, premises=[(word, premise)], pools=pool)
        problem.claims.append(claim)
    return problem


def claim_about_numbers(scope):
    rng = scope.rng
    if rng.random() < 0.25:
        return rng.choice(laws_of_numbers(scope.expression(1)))
    return rng.choice(
        [lambda: proposition(scope, 1), lambda: comparison(scope, 2), lambda: comparison(scope)]
    )()


def laws_of_numbers(x):
    """Laws that hold for all x, or wherever both sides have a value, or not at all."""
    return [
        Compare(x / x, "=", 1),
        Compare(x * x, ">=", 0),
        Compare(Size(x), ">=", x),
        Compare(1 / x, "<=", 1),
        Compare(x * (1 / x), "=", 1),
        Compare(Call("sqrt", x * x), "=", Size(x)),
        Compare(Call("ln", Exp(x)), "=", x),
        Compare(Exp(x), ">=", 1 + x),
        Compare(Call("sqrt", x) ** 2, "=", x),
        Compare(Call("ln", x * x), "=", 2 * Call("ln", x)),
        Compare(Call("ln", x), "<=", x - 1),
    ]


def tie(problem, rng, names):
    """Perhaps a premise that ties the first two parameters to each other."""
    rng.choice([by_equation, by_product, by_order, by_circle, by_either, by_difference, lambda *_: None])(
        problem, rng, *names[:2]
    )


def by_equation(problem, rng, first, second):
    x = Name(first)
    equation = rng.choice([2 * x + 1, -x, x, x * x, 1 - x, x * x + 1, x**3])
    problem.given(Compare(second, "=", equation))
    problem.free(second, lambda names, rng, trial: equation.value(Instance(names, {}).view(Exact)))


def by_product(problem, rng, first, second):
    sign = rng.choice([">", "=", "<=", ">="])
    problem.given(Compare(Name(first) * Name(second), sign, rng.choice([0, 1])))

    def step(names, rng, _trial):
        if not names[first]:
            return Fraction(rng.randint(-5, 5))
        return rng.choice([Fraction(0), 1 / names[first], 2 / names[first], Fraction(rng.randint(-6, 6))])

    problem.free(second, step)


def by_order(problem, rng, first, second):
    problem.given(Compare(first, rng.choice(["<", "<=", ">="]), second))
    if rng.random() < 0.3:
        problem.free(second, lambda names, rng, trial: names[first] + rng.choice([0, 0, 1, -1]))


def by_circle(problem, rng, first, second):
    x, y = Name(first), Name(second)
    problem.given(Compare(x * x + y * y, rng.choice(["=", "<="]), 1))
    points = [(0, 1), (1, 0), ("3/5", "4/5"), ("-4/5", "3/5"), (0, -1), (-1, 0)]

    def place(names, rng, _trial):
        names["#point"] = rng.choice(points)
        return Fraction(names["#point"][0])

    problem.free(first, place)
    problem.free(second, lambda names, rng, trial: Fraction(names.get("#point", points[0])[1]))


def by_either(problem, _rng, first, second):
    problem.given(Or(Compare(first, ">=", 1), Compare(second, "<=", -1)))


def by_difference(problem, _rng, first, second):
    problem.given(Compare(first, "!=", second), Compare(first, ">=", 0))


def premises(rng):
    """Attention with premises before and after the declarations, about everything."""
    problem = Problem("premises", rng)
    problem.size("n", 2)
    problem.parameter("t", [Fraction(0), Fraction(1), HALF, Fraction(-1)])
    problem.family("keys", "k", "n")
    problem.family("values", "v", "n")
    problem.pick(["a", "b"], WHOLE)
    problem.vector("q")
    problem.free("t", number_of_a_score)
    problem.define("c", Attend("q", "k", "v"))
    pool = premises_about_attention()
    for premise in rng.sample(pool, rng.choice([0, 1, 1, 2])):
        word = rng.choice(["given", "given", "assume"])
        problem.given(premise, word=word, place=rng.randrange(len(problem.lines) + 1))
    problem.given(Compare("n", ">=", 2), place=0)
    scope = attention_scope(rng, ["c"], ["k"], "q", ["t"])
    scope.indexes["n"] = ["a", "b"]
    for _ in range(6):
        # Premises of its own: the signs of a claim may be turned later.
        premise = rng.choice(premises_about_attention())
        problem.claims.append(under_premise(rng, body_about_attention(scope), premise))
    return problem


def number_of_a_score(names, rng, _trial):
    """t again: often the score of a, or one over it, so that equations with t hold."""
    score = sum(x * y for x, y in zip(names["k"][names["a"]], names["q"]))
    return rng.choice([names["t"], score, 1 / score if score else Fraction(1)])


def premises_about_attention():
    k, c, t = Name("k"), Name("c"), Name("t")
    a, b, j = (k[index].dot("q") for index in "abj")
    return [
        Compare(a, ">=", b),
        Compare(a, "=", b),
        Compare(a, ">", t),
        Compare(t, ">", 0),
        Compare(t, ">=", 1),
        Compare(c.weight("a"), ">=", c.weight("b")),
        Compare(Size("q"), "=", 1),
        Compare(Size(k["a"]), "=", Size(k["b"])),
        Compare(k["a"].dot(k["b"]), "=", 0),
        Compare(Size("q"), "<=", 2),
        Compare(Size(k["a"]), "=", 1),
        Compare(c.weight("a"), "<=", HALF),
        Compare(t, "=", a),
        ForAll("j", WHOLE, Compare(j, "<=", a)),
        ForAll("j", AllBut(WHOLE, "a"), Compare(a - j, ">=", 1)),
        ForAll("j", WHOLE, Compare(j, "<=", 0)),
        ForAll("j", WHOLE, Compare(Size(k["j"]), "=", 1)),
        Or(Compare(t, ">", 1), Compare(a, ">", 0)),
        Compare(t * a, "=", 1),
        Compare(t * t, "=", 1),
    ]


def body_about_attention(scope):
    rng, c, n = scope.rng, Name("c"), Name("n")
    margin = 1 / (1 + (n - 1) * Exp(node(-1)))
    if rng.random() < 0.4:
        return rng.choice(
            [
                Compare(c.weight("a"), ">=", c.weight("b")),
                Compare(c.weight("a"), ">=", HALF),
                Compare(Name("k")["a"].dot("q"), ">=", 0),
                Compare(c.weight("a"), ">=", 1 / n),
                Compare(c.weight("a"), "<=", margin),
                Compare(c.weight("a"), ">=", margin),
                Compare(c.weight("b"), "<=", HALF),
            ]
        )
    return rng.choice([lambda: comparison(scope), lambda: quantified(scope, [("n", WHOLE)], 1)])()


def under_premise(rng, body, premise):
    way = rng.choice(["none", "given", "implies", "for"])
    if way == "implies":
        return Claim(Implies(premise, body))
    if way == "none" or (way == "for" and not isinstance(premise, Compare)):
        return Claim(body)
    return Claim(body, premises=[(way, premise)])


def contradictory(rng):
    """Premises about other numbers that no case meets. Nothing may be refuted; a claim may be proved only
    if it is true without them, for then the contradiction need not be seen."""
    problem = rng.choice([parameters, orthonormal, nested, norms])(rng)
    problem.kind = "contradictory"
    texts = [premise.text() for premise in rng.choice(impossible_premises())]
    problem.names |= {"zeta", "eta"}
    style = rng.randrange(3)
    if style == 0:
        problem.lines.insert(0, "given " + ", ".join(texts))
    elif style == 1:
        problem.lines += ["given " + text for text in texts]
    else:
        for claim in problem.claims:
            claim.extra = rng.choice(["for ", "given "]) + ", ".join(texts)
    problem.readings = [problem.draw]
    return problem


def impossible_premises():
    x = Name("zeta")
    return [
        [Compare(x, ">", 1), Compare(x, "<", 1)],
        [Compare(x, "=", 1), Compare(x, "=", 2)],
        [Compare(x * x, "<", 0)],
        [Compare(x, ">", 0), Compare(x, "<", 0)],
        [Compare(x * x, "=", -1)],
        [Compare(Size(x), "<", 0)],
        [Compare(x, "!=", x)],
        [Compare(x, ">", "eta"), Compare("eta", ">", x)],
        [Compare(x, "=", 2), Compare(x * x, "=", 3)],
        [Compare(Exp(x), "<=", 0)],
        [Compare(1, "=", 2)],
        [Compare(x + 1, "=", x)],
    ]


def values(rng):
    """Values with premises between them, and claims about the output."""
    problem = Problem("values", rng)
    problem.size("n", 2)
    problem.given(Compare("n", ">=", 2))
    problem.family("keys", "k", "n", rng.choice(["", "orthonormal"]))
    problem.family("values", "v", "n", rng.choice(["", "", "norm 1", "orthonormal"]))
    problem.pick(["a", "b"], WHOLE)
    problem.vector("q")
    problem.define("c", Attend("q", "k", "v"))
    pool = premises_about_values()
    if rng.random() < 0.6:
        problem.given(rng.choice(pool), place=rng.randrange(len(problem.lines) + 1))
    for shape in rng.sample(claims_about_output(), 6):
        claim = Claim(shape, truth=TRUE if isinstance(shape, Known) else None)
        if rng.random() < 0.35:
            claim.premises.append(("given", rng.choice(pool)))
            claim.truth = None
        problem.claims.append(claim)
    return problem


def premises_about_values():
    v = Name("v")
    return [
        Compare(v["a"], "=", v["b"]),
        ForAll("i", WHOLE, Compare(v["i"], "=", v["a"])),
        ForAll("i", WHOLE, Compare(Size(v["i"]), "<=", 1)),
        Compare(v["a"].dot(v["b"]), "=", 0),
        ForAll("i", AllBut(WHOLE, "a"), Compare(v["i"].dot(v["a"]), "=", 0)),
        Compare(Size(v["a"]), "=", 1),
        ForAll("i", WHOLE, Compare(v["i"].dot(v["a"]), ">=", 0)),
    ]


def claims_about_output():
    v, c = Name("v"), Name("c")
    a, b, i = v["a"], v["b"], v["i"]
    rest = Over("sum", c.weight("i") * i, "i", AllBut(WHOLE, "a"))
    return [
        Compare("c", "=", a),
        Compare(Size("c"), "<=", 1),
        Compare(c.dot(a), "=", c.weight("a")),
        Compare(c.dot(a), ">=", 0),
        Compare(Size("c"), "<=", Over("max", Size(i), "i", WHOLE)),
        Compare(Size("c"), "<=", Over("sum", Size(i), "i", WHOLE)),
        Compare(Size(c - a), "<=", Over("max", Size(i - a), "i", WHOLE)),
        Compare(c - c.weight("a") * a, "=", rest),
        Compare(c.dot(a), "<=", c.weight("a")),
        Compare(Size("c") ** 2, "=", Over("sum", c.weight("i") ** 2, "i", WHOLE)),
        Compare(Size("c"), ">", 0),
        Compare(c.dot(a), "=", c.weight("a") * Size(a) ** 2),
        Compare(Size(c), "<", 1),
        Compare("c", "=", (a + b) / 2),
        Compare(c.dot(b), "<=", Size(b) * Size("c")),
        Known("c in hull(v)"),
    ]
