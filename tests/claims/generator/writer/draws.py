"""Numbers and vectors for instances, chosen to hurt: zeros, equal ones, dependent ones, small fractions."""

import re
from fractions import Fraction

from judge import NoValue

HALF = Fraction(1, 2)
SIMPLE = [Fraction(x) for x in (0, 0, 1, 1, -1, 2, -2, HALF, -HALF, 3)]
EXTREME = [Fraction(x) for x in (0, 10, -10, "1/100", "-1/100", 30, -30, 100, "1/1000")]
# Constants of random claims, their sums, differences and inverses: where an equation may hold.
TYPICAL = [Fraction(x) for x in ("1/3", "-1/3", "1/4", "9/10", "1/10", "-1/10", "2/3", "4/3", -3, 4, "3/2")]
PYTHAGOREAN = [tuple(map(Fraction, pair)) for pair in (("3/5", "4/5"), ("-4/5", "3/5"), ("20/29", "21/29"))]


def some_number(rng, trial):
    choice = trial % 5
    if choice == 0:
        return rng.choice(SIMPLE[:6])
    if choice == 1:
        return rng.choice(EXTREME)
    if choice == 2:
        return Fraction(rng.randint(-20, 20), 10)
    if choice == 3:
        return rng.choice(TYPICAL)
    return rng.choice(SIMPLE)


def reflected(rows, rng, width):
    """Rows turned by a rational reflection."""
    axis = [Fraction(rng.randint(-2, 2)) for _ in range(width)]
    square = sum(x * x for x in axis)
    if square == 0:
        return rows
    return [
        [x - 2 * sum(map(Fraction.__mul__, row, axis)) * y / square for x, y in zip(row, axis)]
        for row in rows
    ]


def unit_vector(rng, width):
    place, other = rng.randrange(width), rng.randrange(width)
    row = [Fraction(0)] * width
    if place == other or rng.random() < 0.4:
        row[place] = Fraction(rng.choice([1, 1, -1]))
    else:
        row[place], row[other] = rng.choice(PYTHAGOREAN)
    return row


def length_of(properties, names):
    """The number that `norm x` names, or None."""
    found = re.search(r"norm (\w+)", properties)
    if not found:
        return None
    length = names[found.group(1)] if found.group(1) in names else Fraction(found.group(1))
    if length <= 0:
        raise NoValue
    return length


def some_vectors(rng, trial, count, width, properties="", names=()):
    """Rows with the properties that a declaration gives."""
    length = length_of(properties, names)
    if "ortho" in properties:
        return orthogonal_rows(rng, trial, count, width, properties, length)
    if length is None:
        return any_rows(rng, trial, count, width)
    if trial % 5 == 0:
        rows = [unit_vector(rng, width)] * count
    else:
        rows = [unit_vector(rng, width) for _ in range(count)]
    return [[length * x for x in row] for row in rows]


def orthogonal_rows(rng, trial, count, width, properties, length):
    if count > width:
        raise NoValue
    if "orthonormal" in properties:
        length = Fraction(1)
    lengths = [length or rng.choice([Fraction(0), Fraction(1), Fraction(2), HALF]) for _ in range(count)]
    signs = [rng.choice([1, -1]) if trial % 4 > 1 else 1 for _ in range(count)]
    order = rng.sample(range(width), width) if trial % 4 > 1 else range(width)
    rows = [[signs[i] * lengths[i] * int(i == j) for j in order] for i in range(count)]
    return reflected(rows, rng, width) if trial % 4 == 1 and width <= 4 else rows


def any_rows(rng, trial, count, width):
    """Rows of which nothing is known: by turns all zero, all equal, all on a line, along the axes, ..."""
    mode = trial % 9
    if mode == 0:
        return [[Fraction(0)] * width for _ in range(count)]
    if mode in (1, 2):
        row = [rng.choice(SIMPLE) for _ in range(width)]
        factors = [Fraction(1) if mode == 1 else rng.choice(SIMPLE) for _ in range(count)]
        return [[factor * x for x in row] for factor in factors]
    if mode == 3:
        return [[Fraction(int(i % width == j)) for j in range(width)] for i in range(count)]
    if mode == 4:
        return [[Fraction(rng.randint(-30, 30), 10) for _ in range(width)] for _ in range(count)]
    if mode == 5:
        return [[rng.choice(TYPICAL) for _ in range(width)] for _ in range(count)]
    if mode == 7:
        return [unit_vector(rng, width) for _ in range(count)]
    if mode == 8:
        return [
            [rng.choice([1, -1, 2]) * Fraction(int(i % width == j)) for j in range(width)]
            for i in range(count)
        ]
    scale = rng.choice([1, 1, 1, 5, 20])
    return [[scale * rng.choice(SIMPLE) for _ in range(width)] for _ in range(count)]


def listed_rows(rng, count, width):
    """Rows to be listed in a document; often two of them are equal."""
    pool = [0, 0, 1, 1, -1, 2, HALF, -HALF]
    rows = [[rng.choice(pool) for _ in range(width)] for _ in range(count)]
    if rng.random() < 0.3:
        rows[rng.randrange(count)] = list(rows[0])
    return rows
