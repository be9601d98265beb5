"""Keys of numbers in a file, many of them: queries along rows, limits, ranges and numbers."""

from fractions import Fraction

from judge import Attend, Compare, Listed, Name, Number, Over, Range, TRUE, node
from writer.draws import HALF
from writer.problem import Claim, Problem

POOLS = [[-1, 0, 1], [-2, -1, 0, 1, 2, 3], [Fraction(1, 10), Fraction(-3, 10), Fraction(7, 5), 1, 0]]
RANGES = [(0, 1), (0, 5), (1, 3), (-2, 2), (0, None), (2, None), (None, 0)]
BETAS = [Fraction(x, 8) for x in range(-40, 81)] + [Fraction(x) for x in (-200, -20, 20, 50, 200, 10**7)]


def tables(rng):
    problem = Problem("tables", rng)
    count, width = rng.choice([3, 3, 5, 5, 9, 20, 70]), rng.choice([1, 2, 3])
    pool = rng.choice(POOLS)
    rows = [[rng.choice(pool) for _ in range(width)] for _ in range(count)]
    if rng.random() < 0.3:
        rows[-1] = [x + Fraction(1, 10**6) for x in rows[0]]
    name = f"table{rng.randrange(10 ** 9)}.csv"
    problem.files[name] = "\n".join(",".join(decimal(x) for x in row) for row in rows) + "\n"
    problem.say(f'keys k = file("{name}")')
    problem.constant("k", rows)
    problem.family("values", "v", count)
    problem.parameter("beta")
    index = lambda: Number(Fraction(rng.randint(1, count)))
    problem.define("c", Attend(query_along_rows(rng, index, width), "k", "v"))
    problem.claims = claims_in_limit(rng, count, index) + claims_at_numbers(rng, count, index)
    total = Over("sum", Name("c").weight("i"), "i", Range(count))
    problem.claims.append(Claim(Compare(total, "=", 1), truth=TRUE))
    return problem


def query_along_rows(rng, index, width):
    k, beta = Name("k"), Name("beta")
    if rng.random() < 0.3:
        return beta * Listed(*[rng.choice([-1, 0, 1, 2]) for _ in range(width)]) + k[index()]
    query = beta * k[index()]
    if rng.random() < 0.5:
        query = query + rng.choice([beta, -beta, node(1), node(-2)]) * k[index()]
    return query


def claims_in_limit(rng, count, index):
    v, c = Name("v"), Name("c")
    bodies = []
    for _ in range(3):
        target = rng.choice([v[index()], (v[index()] + v[index()]) / 2])
        bodies.append(Compare("c", rng.choice(["~", "~", "=", "!="]), target))
    number = rng.choice([node(0), node(1), node(HALF), Number(Fraction(1, count))])
    bodies.append(Compare(c.weight(index()), rng.choice(["~", "=", "!=", "<", ">="]), number))
    return [Claim(body, limit=("beta", "inf")) for body in bodies]


def claims_at_numbers(rng, count, index):
    """Linear combinations of weights, over ranges of beta and at a number."""
    weight = lambda: Name("c").weight(index())
    level = Number(Fraction(rng.choice(["1/2", Fraction(1, count), "9/10", "1/100", "1/3"])))
    claims = []
    for _ in range(3):
        left = rng.choice([weight(), weight() - weight(), 2 * weight() + weight(), weight() + weight()])
        right = rng.choice([level, node(0), weight()])
        body = Compare(left, rng.choice(["<", "<=", ">", ">="]), right)
        claims.append(over_range(body, *rng.choice(RANGES)))
    value = Fraction(rng.choice([0, 1, 5, 20, HALF]))
    body = Compare(weight(), rng.choice(["<", "<=", ">", ">=", "="]), rng.choice([level, weight()]))
    at = [("at", Compare("beta", "=", value))]
    return claims + [Claim(body, premises=at, pools={"beta": [value]})]


def over_range(body, low, high):
    bounds = [
        ("for", Compare("beta", sign, end)) for sign, end in ((">=", low), ("<=", high)) if end is not None
    ]
    values = [x for x in BETAS if (low is None or x >= low) and (high is None or x <= high)]
    return Claim(body, premises=bounds, pools={"beta": values})


def decimal(number):
    """A fraction that is a finite decimal, to the letter."""
    number = Fraction(number)
    return str(number) if number.denominator == 1 else f"{float(number):.12f}".rstrip("0")
