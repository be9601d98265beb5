"""exists: numbers (known claims), and queries that make attention return a value."""

from judge import FALSE, TRUE, Known
from writer.problem import Claim, Problem

from .known import numbers_that_exist


def exists(rng):
    problem = Problem("exists", rng)
    problem.names |= set("tsrkvq")
    problem.claims = numbers_that_exist(rng).claims
    width, count = rng.choice([1, 1, 2]), rng.choice([3, 4])
    rows = [[rng.choice([-2, -1, 0, 1, 2]) for _ in range(width)] for _ in range(count)]
    as_numbers = width == 1 and rng.random() < 0.5
    problem.say(f"keys k = {[row[0] for row in rows] if as_numbers else rows}")
    problem.say(f"values v[1..{count}]")
    for _ in range(3):
        problem.claims += [Claim(Known(text), truth=truth) for text, truth in reachable(rng, rows)]
    return problem


def reachable(rng, rows):
    """Claims about queries over some keys, with their truth."""
    attention = "attend(q, k, v)"
    i = rng.randrange(len(rows))
    alone = exposed(rows, [i])
    yield f"exists q: {attention} ~ v[{i + 1}]", alone
    yield f"not exists q: {attention} ~ v[{i + 1}]", -alone
    i, j = rng.sample(range(len(rows)), 2)
    yield f"exists q: {attention} ~ 1/2 (v[{i + 1}] + v[{j + 1}])", exposed(rows, [i, j])
    yield f"exists q: {attention}.weight[{i + 1}] > 0", TRUE
    yield f"exists q: {attention}.weight[{i + 1}] = {attention}.weight[{j + 1}]", TRUE
    yield f"exists q: {attention}.weight[{i + 1}] >= 1", FALSE
    yield f"exists q: {attention} = v[{i + 1}]", FALSE


def exposed(rows, chosen):
    """Whether some direction ties exactly these rows at the top; rows of one or two small whole numbers."""
    if any(rows[i] == rows[chosen[0]] for i in range(len(rows)) if i not in chosen):
        return FALSE
    reach = range(-8, 9)
    directions = [(x,) for x in reach] if len(rows[0]) == 1 else [(x, y) for x in reach for y in reach]
    for direction in directions:
        scores = [sum(a * b for a, b in zip(row, direction)) for row in rows]
        if {i for i, score in enumerate(scores) if score == max(scores)} == set(chosen):
            return TRUE
    return FALSE
