"""Vectors without attention: inner products that are given, norms, and frames of a dimension."""

from fractions import Fraction

from judge import Attend, Compare, Family, ForAll, Implies, Instance, Name, Number, Over, Size
from judge import FALSE, TRUE
from writer.draws import HALF, reflected, some_vectors
from writer.problem import Claim, Problem, add_conditions
from writer.trees import Scope, proposition

from .attention import WHOLE


def gram(rng):
    """Inner products and lengths of three vectors that are given; possible and impossible ones."""
    problem = Problem("products given", rng)
    family = rng.random() < 0.5
    vectors = [Name("k")[Number(Fraction(i))] for i in (1, 2, 3)] if family else [Name(x) for x in "xyz"]
    if family:
        problem.say("keys k[1..3]")
    else:
        problem.say("vector x, y, z" if rng.random() < 0.5 else "vector x\nvector y\nvector z")
    problem.names |= set("kxyz")
    if rng.random() < 0.75:
        give_products(problem, rng, vectors, family)
    else:
        give_impossible_products(problem, rng, vectors, family)
    atoms = [
        lambda: rng.choice(vectors).dot(rng.choice(vectors)),
        lambda: Size(rng.choice(vectors)),
        lambda: Size(rng.choice(vectors) + rng.choice(vectors)),
        lambda: Size(rng.choice(vectors) - rng.choice(vectors)),
    ]
    problem.claims += [Claim(proposition(Scope(rng, atoms, {}), rng.choice([0, 1]))) for _ in range(5)]
    if family and not problem.readings:
        attend_to_given(problem, rng, vectors)
    return problem


def named_vectors(rows, family):
    """Three rows under the names of the document."""
    return {"k": Family(range(1, 4), rows)} if family else dict(zip("xyz", rows))


def give_products(problem, rng, vectors, family):
    """All inner products of three vectors, from an example."""
    problem.determined = True
    rows = [[Fraction(rng.choice([0, 1, -1, 2, HALF])) for _ in range(3)] for _ in range(3)]
    problem.free(
        "#turned", lambda names, rng, trial: names.update(named_vectors(reflected(rows, rng, 3), family))
    )
    for i in range(3):
        for j in range(i, 3):
            product = sum(a * b for a, b in zip(rows[i], rows[j]))
            if i == j and rng.random() < 0.5:
                problem.given(Compare(Size(vectors[i]) ** 2, "=", product))
            else:
                problem.given(Compare(vectors[i].dot(vectors[j]), "=", product))


# Impossible products: what is given, and examples of x, y and z that meet all but one of the premises.
# Nothing may be refuted, and proved only if it holds in all examples of one of these readings.
ANY = ("3/2", -2, 1)
IMPOSSIBLE = [
    (
        lambda x, y, z: [Compare(Size(x), "=", 1), Compare(Size(y), "=", 1), Compare(x.dot(y), "=", 2)],
        [
            [((1, 0, 0), y, ANY) for y in ((1, 0, 0), ("-3/5", "4/5", 0), (0, 0, 1))],
            [((1, 0, 0), (2, t, 0), ANY) for t in (0, 1, -3)],
            [((2, t, 0), (1, 0, 0), ANY) for t in (0, 1, -3)],
        ],
    ),
    (
        lambda x, y, z: [Compare(Size(vector), "=", 1) for vector in (x, y, z)]
        + [Compare(x.dot(y), "=", Fraction(-4, 5)), Compare(y.dot(z), "=", Fraction(-4, 5))]
        + [Compare(x.dot(z), "=", Fraction(-4, 5))],
        [
            [((1, 0, 0), ("-4/5", "3/5", 0), ("-4/5", y, z)) for y, z in (("3/5", 0), (0, "3/5"))],
            [(("-4/5", "3/5", 0), (1, 0, 0), ("-4/5", y, z)) for y, z in (("3/5", 0), (0, "3/5"))],
            [(("-4/5", "3/5", 0), ("-4/5", y, z), (1, 0, 0)) for y, z in (("3/5", 0), (0, "3/5"))],
            [((1, 0, 0), ("-4/5", "3/5", 0), ("-4/5", "-12/5", t)) for t in (0, 1)],
            [((1, 0, 0), ("-4/5", "-12/5", t), ("-4/5", "3/5", 0)) for t in (0, 1)],
            [(("-4/5", "-12/5", t), (1, 0, 0), ("-4/5", "3/5", 0)) for t in (0, 1)],
        ],
    ),
    (
        lambda x, y, z: [Compare(Size(x), "=", 0), Compare(x.dot(y), "=", 1)],
        [
            [((0, 0, 0), y, ANY) for y in ((0, 0, 0), (1, 2, 0), ("1/2", 0, 0))],
            [((1, 0, 0), (1, t, 0), ANY) for t in (0, 2)] + [((2, 0, 0), ("1/2", 0, 0), ANY)],
        ],
    ),
    (
        lambda x, y, z: [Compare(x.dot(x), "=", -1)],
        [
            [
                (x, y, z)
                for x in (ANY, (0, 0, 0))
                for y in (ANY, (0, 1, 0))
                for z in (ANY, (0, 0, 0), (-1, 2, 0))
            ]
        ],
    ),
]


def give_impossible_products(problem, rng, vectors, family):
    premises, readings = rng.choice(IMPOSSIBLE)
    problem.given(*premises(*vectors))
    for examples in readings:
        problem.readings.append(reading_of(examples, family))


def reading_of(examples, family):
    """A function that draws one of the examples."""

    def draw(rng, trial):
        rows = [list(map(Fraction, row)) for row in examples[trial % len(examples)]]
        return Instance(named_vectors(rows, family), {})

    return draw


def attend_to_given(problem, rng, vectors):
    problem.say("values v[1..3]")
    problem.free("v", lambda names, rng, trial: Family(range(1, 4), some_vectors(rng, trial, 3, 2)))
    problem.define("c", Attend(rng.choice(vectors), "k", "v"))
    weights = Scope(rng, [lambda: Name("c").weight(Number(Fraction(rng.randint(1, 3))))], {})
    problem.claims += [Claim(proposition(weights, rng.choice([0, 1]))) for _ in range(3)]


def norms(rng):
    """Inequalities between lengths of arbitrary vectors."""
    problem = Problem("norms", rng)
    for name in ("x", "y", "z"):
        problem.vector(name)
    problem.parameter("t")
    x, y, z, t = (Name(name) for name in "xyzt")
    vectors = [x, y, z, x + y, x - y, x + y + z, t * x, x - z, x - t * y, 2 * x - y]
    atoms = [
        lambda: Size(rng.choice(vectors)),
        lambda: rng.choice(vectors).dot(rng.choice(vectors)),
        lambda: Size(rng.choice(vectors)),
        lambda: t,
    ]
    problem.claims = [Claim(rng.choice(true_of_norms()), truth=TRUE) for _ in range(2)]
    problem.claims.append(Claim(rng.choice(false_of_norms()), truth=FALSE))
    problem.claims += [Claim(proposition(Scope(rng, atoms, {}), rng.choice([0, 0, 1]))) for _ in range(5)]
    add_conditions(rng, problem.claims, ["t"])
    return problem


def true_of_norms():
    x, y, z, t = (Name(name) for name in "xyzt")
    return [
        Compare(Size(x.dot(y)), "<=", Size(x) * Size(y)),
        Compare(Size(x + y), "<=", Size(x) + Size(y)),
        Compare(Size(x + y) ** 2 + Size(x - y) ** 2, "=", 2 * Size(x) ** 2 + 2 * Size(y) ** 2),
        Compare(Size(Size(x) - Size(y)), "<=", Size(x - y)),
        Compare(Size(t * x), "=", Size(t) * Size(x)),
        Compare(x.dot(y), "<=", (Size(x) ** 2 + Size(y) ** 2) / 2),
        Compare(Size(x - z), "<=", Size(x - y) + Size(y - z)),
        Compare(Size(x + y + z), "<=", Size(x) + Size(y) + Size(z)),
        Compare(Size(x), ">=", 0),
        Compare(4 * x.dot(y), "=", Size(x + y) ** 2 - Size(x - y) ** 2),
    ]


def false_of_norms():
    x, y, z, t = (Name(name) for name in "xyzt")
    return [
        Compare(Size(x + y), ">=", Size(x)),
        Compare(Size(x.dot(y)), "<", Size(x) * Size(y)),
        Compare(Size(x + y), "<", Size(x) + Size(y)),
        Compare(Size(x), ">", 0),
        Compare(x.dot(y), ">=", 0),
        Compare(Size(x - y), "<=", Size(x)),
        Compare(Size(t * x), "=", t * Size(x)),
        Compare(Size(x + y) ** 2, "=", Size(x) ** 2 + Size(y) ** 2),
        Compare(Size(x - z), "<=", Size(x - y)),
    ]


def frames(rng):
    """dimension d: full frames, Parseval's and Bessel's laws."""
    problem = Problem("frames", rng)
    problem.size("n")
    problem.dimension = "d"
    problem.family(rng.choice(["keys", "vectors"]), "k", "n", "orthonormal", ", dimension d")
    problem.vector("q")
    problem.vector("p")
    problem.names.add("d")
    problem.premises.append(Compare("d", ">=", "n"))
    full = rng.random() < 0.5
    if full:
        problem.given(Compare("d", "=", "n"))
    total, square, zero = parts_of_query()
    problem.claims = [Claim(rng.choice(claims_about_frames())) for _ in range(5)]
    for shape in (Implies(zero, Compare(Size("q"), "=", 0)), Compare(total, "=", square)):
        problem.claims.append(Claim(shape, truth=TRUE if full else None))
    problem.claims.append(Claim(Compare(total, "=", square), premises=[("for", Compare("n", "=", "d"))]))
    numbers = [("at", Compare("n", "=", 2)), ("at", Compare("d", "=", rng.choice([2, 3])))]
    problem.claims.append(Claim(Compare(total, rng.choice(["=", "<="]), square), premises=numbers))
    return problem


def parts_of_query():
    """The squares of q along the frame, their bound |q|^2, and: q is orthogonal to the frame."""
    along = Name("k")["i"].dot("q")
    return Over("sum", along**2, "i", WHOLE), Size("q") ** 2, ForAll("i", WHOLE, Compare(along, "=", 0))


def claims_about_frames():
    total, square, zero = parts_of_query()
    k = Name("k")["i"]
    rebuilt = Over("sum", k.dot("q") * k, "i", WHOLE)
    mixed = Over("sum", k.dot("q") * k.dot("p"), "i", WHOLE)
    return [
        Compare(total, "=", square),
        Compare(total, "<=", square),
        Compare(total, "<", square),
        Compare(total, ">=", square),
        Compare(mixed, "=", Name("q").dot("p")),
        Compare(Size(rebuilt), "<=", Size("q")),
        Compare(rebuilt, "=", "q"),
        Implies(zero, Compare(Size("q"), "=", 0)),
        Compare("n", "<=", "d"),
        Compare("n", "<", "d"),
        Implies(Compare("n", "=", "d"), Compare(total, "=", square)),
        Implies(Compare("n", "<", "d"), Compare(total, "<", square)),
        Implies(Compare("d", "=", 1), Compare("n", "=", 1)),
        Compare(Over("sum", Size(k) ** 2, "i", WHOLE), "=", "n"),
    ]
