"""Families made of others, options of attention, and attention that depends on a running index."""

from fractions import Fraction

from judge import AllBut, Attend, Call, Compare, Derivative, Entropy, ForAll, Joined, Made, Name, Over, Size, node
from judge import TRUE
from writer.draws import HALF
from writer.problem import Claim, Problem, add_conditions
from writer.trees import Scope, proposition, quantified

from .attention import WHOLE

KINDS_OF_KEYS = ["", "", "", "orthonormal", "norm 1"]


def start(kind, rng):
    """Keys, values, two vectors, a parameter and perhaps picked indexes."""
    problem = Problem(kind, rng)
    picks = rng.choice([["a"], ["a", "b"]])
    problem.size("n", len(picks))
    if rng.random() < 0.6:
        problem.given(Compare("n", ">=", rng.choice([2, 2, 3])))
    problem.parameter("t", [Fraction(0), Fraction(1), HALF, Fraction(-1), Fraction(2)])
    problem.family("keys", "k", "n", rng.choice(KINDS_OF_KEYS))
    problem.family("values", "v", "n")
    problem.pick(picks, WHOLE)
    problem.vector("q")
    problem.vector("u")
    return problem, picks


def make_family(problem, rng, name, body):
    """m[i] = ..., perhaps with its indexes."""
    said = rng.choice(["", " for i in 1..n"])
    problem.say(f"{name}[i] = {body.text()}{said}")
    problem.names.add(name)
    problem.definitions[name] = Made(body, "i", WHOLE)


def vector_of_index(rng, i, numbers):
    """A vector that depends on one index."""
    k, q, u = Name("k"), Name("q"), Name("u")
    return rng.choice(
        [k[i] + u, k[i] - q, 2 * k[i], Name("t") * k[i], -k[i], k[i] + k[i], k[i] + Name("t") * u]
        + [number * k[i] for number in numbers]
        + [number * u for number in numbers]
    )


def number_of_index(rng, i):
    k = Name("k")
    return rng.choice([k[i].dot("q"), k[i].dot("u"), Size(k[i]), Name("t") * k[i].dot("q"), k[i].dot(k[i])])


def made_families(rng):
    """Keys, values and biases that are made of others."""
    problem, picks = start("made families", rng)
    i = Name("i")
    make_family(problem, rng, "m", vector_of_index(rng, i, [number_of_index(rng, i)]))
    make_family(problem, rng, "g", number_of_index(rng, i))
    m, g = Name("m"), Name("g")
    keys = rng.choice([m, m, Name("k") + Name("u"), 2 * Name("k")])
    keys = keys if keys is m else Whole(keys)
    options = {"bias": g} if rng.random() < 0.4 else {}
    problem.define("c", Attend(rng.choice(["q", "u"]), keys, "v", **options))
    indexed = [Name("c").weight, Name("c").weight, lambda j: g[j], lambda j: m[j].dot("q"), lambda j: Size(m[j])]
    indexed += [lambda j: m[j].dot(Name("k")[j]), lambda j: Name("c").score(j)]
    scope = Scope(rng, [lambda: 1 / Name("n"), lambda: Name("t")], {"n": indexed})
    scope.indexes["n"] = list(picks)
    problem.claims = [Claim(proposition(scope, rng.choice([0, 1]))) for _ in range(3)]
    problem.claims += [Claim(quantified(scope, [("n", WHOLE)], rng.choice([1, 2]))) for _ in range(3)]
    problem.claims += [Claim(shape, truth=truth) for shape, truth in rng.sample(known_of_joined(), 2)]
    add_conditions(rng, problem.claims, ["t"])
    return problem


class Whole(Made):
    """k + u, 2*k: a family written without an index."""

    def __init__(self, tree):
        super().__init__(tree, "i", WHOLE)
        self.tree = tree

    def text(self):
        return self.tree.text()

    def value(self, at):
        left, right = self.tree.left.value(at), self.tree.right.value(at)
        family = left if hasattr(left, "indexes") else right
        one = {"+": lambda x: x + right, "*": lambda x: x * left}[self.tree.sign]
        return type(family)(family.indexes, [one(family[i]) for i in family.indexes])


def known_of_joined():
    """Claims about joined and appended families, with their truth where it is known."""
    whole, twice = Attend("q", "k", "v"), Attend("q", Joined("k", "k"), Joined("v", "v"))
    more = Attend("q", Joined("k", "u"), Joined("v", Name("v")["a"]))
    return [
        (Compare(whole, "=", twice), TRUE),
        (Compare(Entropy(whole), "<=", Entropy(twice)), TRUE),
        (Compare(Entropy(twice), "=", Entropy(whole) + Call("ln", node(2))), TRUE),
        (Compare(whole, "=", more), None),
        (Compare(Entropy(more), ">=", Entropy(whole)), None),
    ]


def attention_of(rng, i):
    """Attention whose query or options depend on an index."""
    k, v = Name("k"), "v"
    query = rng.choice([k[i], k[i], k[i] + Name("q"), Name("t") * k[i], Name("q")])
    option = rng.choice(["scale", "sink", "none", "none", "mask"])
    options = {}
    if option in ("scale", "sink"):
        options[option] = rng.choice([number_of_index(rng, i), Name("t"), node(HALF)])
    if option == "mask":
        options["mask"] = [node(i)]
    return Attend(query, "k", v, **options)


def running_attention(rng):
    """for all i: something about the attention with the query k[i], and two such indexes."""
    problem, picks = start("running attention", rng)
    v = Name("v")
    indexed = [
        lambda j: attention_of(rng, j).weight(j),
        lambda j: attention_of(rng, j).weight(rng.choice(picks)),
        lambda j: Size(attention_of(rng, j) - v[rng.choice(picks)]),
        lambda j: Entropy(attention_of(rng, j)),
        lambda j: attention_of(rng, rng.choice(picks)).weight(j),
        lambda j: number_of_index(rng, j),
        lambda j: Size(v[j]),
    ]
    scope = Scope(rng, [lambda: 1 / Name("n"), lambda: Call("ln", Name("n"))], {"n": indexed})
    scope.indexes["n"] = list(picks)
    problem.claims = [Claim(proposition(scope, rng.choice([0, 1]))) for _ in range(2)]
    problem.claims += [Claim(quantified(scope, [("n", WHOLE)], rng.choice([1, 2, 2]))) for _ in range(3)]
    i, j = Name("i"), Name("j")
    pairs = [
        Compare(attention_of(rng, i).weight(j), rng.choice(["=", "<=", ">="]), attention_of(rng, j).weight(i)),
        Compare(Size(attention_of(rng, i) - attention_of(rng, j)), "<=", Size(v[i] - v[j])),
        Compare(attention_of(rng, i).weight(i), ">=", attention_of(rng, i).weight(j)),
        Compare(Attend(Name("k")[i], "k", "v").score(j), "=", Attend(Name("k")[j], "k", "v").score(i)),
    ]
    second = rng.choice([WHOLE, AllBut(WHOLE, "i")])
    for body in rng.sample(pairs, 2):
        problem.claims.append(Claim(ForAll("i", WHOLE, ForAll("j", second, body))))
    total = Over("sum", attention_of(rng, i).weight(j), "j", WHOLE)
    problem.claims.append(Claim(ForAll("i", WHOLE, Compare(total, rng.choice(["=", "<=", "<"]), 1))))
    add_conditions(rng, problem.claims, ["t"])
    return problem


def moving_attention(rng):
    """Derivatives of weights, entropies and outputs by the length of the query."""
    problem, picks = start("moving attention", rng)
    k, t = Name("k"), Name("t")
    query = rng.choice([t * k["a"], t * Name("q"), Name("q") + t * Name("u"), t * (k["a"] + Name("u"))])
    options = rng.choice([{}, {}, {"scale": t}, {"sink": t}, {"mask": [node(pick) for pick in picks]}])
    problem.define("c", Attend(query, "k", "v", **options))
    c = Name("c")
    problem.define("w", c.weight("a"))
    w = Name("w")
    slope = Derivative(w, "t")
    shapes = [
        Compare(slope, rng.choice([">=", "<=", ">", "<", "="]), rng.choice([node(0), w, w * (1 - w), -w])),
        Compare(Size(slope), "<=", rng.choice([node(1), Size(k["a"]), Size("q"), Size("u"), node(HALF)])),
        Compare(Derivative(Entropy(c), "t"), rng.choice(["<=", ">=", "="]), rng.choice([node(0), -t * w * (1 - w)])),
        Compare(Derivative(c, "t"), "=", w * (Name("v")["a"] - c)),
        Compare(Derivative(Derivative(w, "t"), "t"), rng.choice(["=", "<=", ">="]), w * (1 - w) * (1 - 2 * w)),
        Compare(Derivative(Call("ln", w), "t"), rng.choice(["=", "<=", ">="]), rng.choice([1 - w, node(0), node(1)])),
        Compare(Over("sum", Derivative(c.weight("i"), "t"), "i", WHOLE), rng.choice(["=", "<=", "<"]), 0),
        Compare(Derivative(w**2, "t"), "=", 2 * w * slope),
        ForAll("i", AllBut(WHOLE, "a"), Compare(Derivative(c.weight("i"), "t"), rng.choice(["<=", ">=", "<"]), 0)),
    ]
    problem.claims = [Claim(shape) for shape in rng.sample(shapes, 5)]
    add_conditions(rng, problem.claims, ["t"])
    return problem
