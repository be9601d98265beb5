"""Matrices of symbolic size and of small sizes: assumptions, permutations, softmax by rows."""

from fractions import Fraction

from judge import Closed, Compare, Name, Size, Softmax, Transposed, TRUE
from writer.draws import SIMPLE, any_rows, some_vectors
from writer.problem import Claim, Problem, count_of

# Rows without a pattern, along the axes, of fractions, with signs: not all zero or all equal.
PATTERNS = [2, 3, 4, 5, 6, 7, 8]


def matrices(rng):
    problem = Problem("matrices", rng)
    size = rng.choice(["n", "n", "n", 2, 1])
    if size == "n":
        problem.size("n", 1, 3)
    problem.say(f"matrix A[{size},{size}], B[{size},{size}], C[{size},{size}]")
    problem.say(f"permutation P[{size}]; vector x[{size}], y[{size}]")
    problem.names |= {"n"}
    problem.free("B", matrix_of(size))
    problem.free("C", matrix_of(size))
    problem.free("P", permutation_of(size))
    problem.free("x", vector_of(size))
    problem.free("y", vector_of(size))
    identity = Closed("I", lambda at: at.convert(unit_matrix(count_of(size, at.raw))))
    rng.choice([no_assumption, no_assumption, orthogonal, symmetric, projection, commuting])(
        problem, size, identity
    )
    problem.claims = claims_about_matrices(rng, identity)
    if size == "n":
        number = [("at", Compare("n", "=", 1))]
        problem.claims.append(Claim(rng.choice(open_equations(identity)), premises=number, pools={"n": [1]}))
    return problem


def unit_matrix(count):
    return [[Fraction(int(i == j)) for j in range(count)] for i in range(count)]


def matrix_of(size):
    def step(names, rng, _trial):
        count = count_of(size, names)
        return any_rows(rng, rng.choice(PATTERNS), count, count)

    return step


def vector_of(size):
    return lambda names, rng, trial: any_rows(rng, rng.choice([4, 5, 6, 7]), 1, count_of(size, names))[0]


def permutation_of(size):
    def step(names, rng, _trial):
        order = list(range(count_of(size, names)))
        rng.shuffle(order)
        return [[Fraction(int(chosen == j)) for j in range(len(order))] for chosen in order]

    return step


# Assumptions about A, and how to draw a matrix that meets them.


def no_assumption(problem, size, _identity):
    problem.free("A", matrix_of(size))


def orthogonal(problem, size, identity):
    problem.given(Compare(Transposed(Name("A")) * Name("A"), "=", identity), word="assume")

    def step(names, rng, trial):
        count = count_of(size, names)
        return some_vectors(rng, trial, count, count, "orthonormal")

    problem.free("A", step)


def symmetric(problem, size, _identity):
    problem.given(Compare(Transposed(Name("A")), "=", "A"), word="assume")

    def step(names, rng, trial):
        rows = matrix_of(size)(names, rng, trial)
        return [[rows[i][j] + rows[j][i] for j in range(len(rows))] for i in range(len(rows))]

    problem.free("A", step)


def projection(problem, size, _identity):
    problem.given(Compare(Name("A") * Name("A"), "=", "A"), word="assume")

    def step(names, rng, trial):
        count = count_of(size, names)
        rank = trial % (count + 1)
        rows = [[Fraction(int(i == j and i < rank)) for j in range(count)] for i in range(count)]
        if 0 < rank < count and rng.random() < 0.5:
            rows[0][-1] = rng.choice(SIMPLE)
        return rows

    problem.free("A", step)


def commuting(problem, _size, _identity):
    problem.given(Compare(Name("A") * Name("B"), "=", Name("B") * Name("A")), word="assume")

    def step(names, rng, _trial):
        """A multiple of B, plus one of the identity."""
        factor, more = rng.choice(SIMPLE), rng.choice(SIMPLE[:5])
        unit = unit_matrix(len(names["B"]))
        return [[factor * x + more * y for x, y in zip(row, one)] for row, one in zip(names["B"], unit)]

    problem.free("A", step)


def claims_about_matrices(rng, identity):
    a, p = Name("A"), Name("P")
    factors = [a, Name("B"), Name("C"), p, Transposed(a), Transposed(p), identity]

    def product_tree(depth):
        if depth == 0:
            return rng.choice(factors)
        left, right = product_tree(depth - 1), product_tree(rng.randrange(depth))
        return rng.choice([left * right, left * right, left + right, left - right])

    def equation():
        return Compare(product_tree(rng.choice([1, 2])), "=", product_tree(rng.choice([1, 2])))

    claims = [Claim(equation()) for _ in range(3)]
    claims += [Claim(shape, truth=TRUE) for shape in rng.sample(true_equations(identity), 2)]
    return claims + [Claim(shape) for shape in rng.sample(open_equations(identity), 3)]


def true_equations(identity):
    a, b, c, p = (Name(name) for name in "ABCP")
    return [
        Compare(Transposed(a * b), "=", Transposed(b) * Transposed(a)),
        Compare(a * (b + c), "=", a * b + a * c),
        Compare(Transposed(p) * p, "=", identity),
        Compare(p * Transposed(p), "=", identity),
        Compare(Softmax(p * a), "=", p * Softmax(a)),
        Compare(Softmax(a * p), "=", Softmax(a) * p),
        Compare((a * b) * c, "=", a * (b * c)),
        Compare(a * p * Transposed(p), "=", a),
        Compare(Transposed(Transposed(a)), "=", a),
    ]


def open_equations(identity):
    """True or false, depending on the assumption."""
    a, b, p, x, y = (Name(name) for name in "ABPxy")
    return [
        Compare(a * b, "=", b * a),
        Compare(Softmax(Transposed(a)), "=", Transposed(Softmax(a))),
        Compare(a * x, "=", x),
        Compare(Softmax(a) * x, "=", x),
        Compare(a * a, "=", a),
        Compare(Transposed(a) * a, "=", a * Transposed(a)),
        Compare(a * Transposed(a), "=", identity),
        Compare(Size(a * x), "=", Size(x)),
        Compare(Size(p * x), "=", Size(x)),
        Compare(x.dot(a * y), "=", (Transposed(a) * x).dot(y)),
        Compare(Softmax(a + b), "=", Softmax(a)),
        Compare(p * p, "=", identity),
        Compare(p * a, "=", a * p),
        Compare(Transposed(p), "=", p),
        Compare((a * x).dot(a * y), "=", x.dot(y)),
        Compare(Size(a * x), "<=", Size(x)),
        Compare(Softmax(a - a), "=", Softmax(b - b)),
        Compare(p * a * Transposed(p), "=", a),
        Compare(a * a * a, "=", a),
    ]
