"""self_attend over a few tokens: with matrices, causal, with one token changed, and in the limit of long
tokens."""

from fractions import Fraction

import numpy

from judge import Closed, Compare, Family, Letter, Name, Not, Number, SelfAttend, Size, Tokens, TokenWeight
from judge import Transposed, With
from judge import FALSE, TRUE, node
from writer.draws import HALF, some_vectors
from writer.problem import Claim, Problem, add_conditions
from writer.trees import Scope, proposition

LETTERS = ["a", "b", "c"]


def axis(rng):
    return Name("u")[Letter(rng.choice(LETTERS))]


def token(rng, of_length_beta):
    found = rng.choice([1, 1, -1, 2, 1 if of_length_beta else Name("beta")]) * axis(rng)
    if rng.random() < 0.6:
        found = found + rng.choice([node(1), node(-1), Name("t")]) * axis(rng)
    return found


def define_tokens(problem, parts):
    """x[1] = ...; x[2] = ..."""
    problem.say("; ".join(f"x[{place}] = {part.text()}" for place, part in enumerate(parts, 1)))
    problem.definitions["x"] = Tokens(*parts)
    problem.names |= {"x", "u", "t", "beta"}


def define_matrices(problem, rng):
    """Q, K and V, each an outer product of axes or a difference of two; or none."""
    if rng.random() < 0.5:
        return None
    for name in "QKV":
        matrix = axis(rng) * Transposed(axis(rng))
        if rng.random() < 0.5:
            matrix = matrix - axis(rng) * Transposed(axis(rng))
        problem.define(name, matrix)
    return [Name(name) for name in "QKV"]


def tokens(rng):
    problem = Problem("self attention", rng)
    long = rng.random() < 0.5
    properties = "orthogonal, norm beta" if long else "orthonormal"
    problem.say(f"vectors u[a,b,c] {properties}")
    problem.parameter("beta", [Fraction(1), HALF, Fraction(2), Fraction(1, 10)])
    if long:
        problem.premises.append(Compare("beta", ">", 0))

    def family(names, rng, trial):
        return Family(LETTERS, some_vectors(rng, trial, 3, 3 + trial % 2, properties, names))

    problem.free("u", family)
    problem.parameter("t")
    count = rng.choice([2, 3])
    define_tokens(problem, [token(rng, long) for _ in range(count)])
    chosen, causal = define_matrices(problem, rng), rng.random() < 0.4
    problem.define("z", SelfAttend("x", chosen, causal))
    if rng.random() < 0.5:
        changed = With("x", rng.randint(1, count), token(rng, long))
        problem.define("y", SelfAttend(changed, chosen, causal))
    outputs = [name for name in "zy" if name in problem.definitions]
    problem.claims = claims_about_tokens(rng, outputs, count)
    add_conditions(rng, problem.claims, ["t", "beta"])
    if causal:
        problem.claims.append(Claim(Compare(TokenWeight("z", 1, 2), "=", 0), truth=TRUE))
        problem.claims.append(Claim(Compare(TokenWeight("z", 1, 1), "<", 1), truth=FALSE))
    return problem


def claims_about_tokens(rng, outputs, count):
    place = lambda: rng.randint(1, count)
    output = lambda name: Name(name)[Number(Fraction(place()))]
    atoms = [lambda: TokenWeight(rng.choice(outputs), place(), place())] * 3
    atoms += [lambda: output(rng.choice(outputs)).dot(axis(rng)), lambda: Name("t"), lambda: Name("beta")]
    claims = [Claim(proposition(Scope(rng, atoms, {}), rng.choice([0, 1]))) for _ in range(5)]
    i = place()
    total = sum((TokenWeight("z", i, j) for j in range(2, count + 1)), TokenWeight("z", i, 1))
    claims.append(Claim(Compare(total, "=", 1), truth=TRUE))
    claims.append(Claim(Compare(output("z"), "=", output("x"))))
    claims.append(Claim(Compare(output("z"), rng.choice(["=", "!="]), output("z"))))
    return claims


def growing(problem, rng):
    """Tokens whose length grows with beta, as beta -> inf: distances are measured like all others."""
    problem.say("vectors u[a,b,c] orthogonal, norm beta")
    problem.definitions["u"] = Closed("u", axes_of_length_beta)

    def simple_token():
        return rng.choice([axis(rng), axis(rng) + axis(rng), 2 * axis(rng)])

    define_tokens(problem, [simple_token() for _ in range(3)])
    problem.define("z", SelfAttend("x"))
    for _ in range(6):
        body = growing_claim(rng, simple_token)
        problem.claims.append(Claim(Not(body) if rng.random() < 0.15 else body, limit=("beta", "inf")))
    return problem


def axes_of_length_beta(at):
    beta, zero = at.look_up("beta"), at.arithmetic.number(0)
    rows = [[beta if i == j else zero for j in range(3)] for i in range(3)]
    return Family(LETTERS, [numpy.array(row, dtype=at.arithmetic.kind) for row in rows])


def growing_claim(rng, simple_token):
    i, j = rng.randint(1, 3), rng.randint(1, 3)
    x, z, a = Name("x")[Number(Fraction(j))], Name("z"), Name("u")[Letter("a")]
    output = z[Number(Fraction(i))]
    target = rng.choice([x, simple_token(), (simple_token() + simple_token()) / 2, z[Number(Fraction(j))]])
    number = rng.choice([node(1), node(0), node(HALF), Number(Fraction(1, 3))])
    return rng.choice(
        [
            Compare(output, rng.choice(["~", "~", "=", "!="]), target),
            Compare(TokenWeight("z", i, j), rng.choice(["~", ">=", "<", "="]), number),
            Compare(Size(output - target), rng.choice(["<", "~", ">="]), rng.choice([node(1), node(0)])),
            Compare(output.dot(a), "~", x.dot(a)),
        ]
    )
