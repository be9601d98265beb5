#!/usr/bin/python3
"""No wrong verdict, whatever is asked: random documents of many kinds, written from the manual alone,
and judged by computing what they say at concrete instances (see judge.py).

What is proved must not be certainly false at any instance; what is refuted must not be true by
construction. A refuted claim of which no false instance is found is a suspect: it is printed, to be
looked at by hand, and counts as no failure.

Usage: generated.py QKV [CLAIMS [SEED [KIND ...]]]. Speaks TAP: one case for each kind of problem.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

import numpy

from judge import (
    FALSE,
    TRUE,
    UNSURE,
    AllBut,
    And,
    Attend,
    Call,
    Closed,
    Compare,
    Exact,
    Exp,
    Family,
    Floats,
    ForAll,
    Head,
    Implies,
    Inexact,
    Instance,
    Known,
    Letter,
    Listed,
    Mean,
    Name,
    NoValue,
    Not,
    Number,
    Or,
    Over,
    Range,
    SelfAttend,
    Size,
    TokenWeight,
    Tokens,
    With,
    Softmax,
    Transposed,
    decide,
    node,
    quick,
    truth_in_limit,
)

INSTANCES = 11
MORE_INSTANCES = 120
CLIMBS = 6
STEPS = 60
SECONDS_TO_SEARCH = 0.15
DRAWS = 12
PROBLEMS_IN_DOCUMENT = 60
SECONDS_FOR_A_CLAIM = 20
SHOWN = 4
# The exit status when the program's own check contradicts one of its engines: a defect, though no verdict.
ENGINES_DISAGREE = 3

HALF = Fraction(1, 2)


# --- problems ------------------------------------------------------------------------------------


class Claim:
    """A proposition, with conditions behind it; `truth` where it is known by construction."""

    def __init__(self, proposition, over=(), premises=(), limit=None, truth=None, pools=None, extra=""):
        self.proposition, self.over, self.premises = proposition, list(over), list(premises)
        self.limit, self.truth, self.pools, self.extra = limit, truth, pools or {}, extra

    def conditions(self):
        words = [f"as {name} -> {target}" for name, target in (self.limit or [])]
        text = ("as " + " then ".join(word[3:] for word in words)) if words else ""
        parts = [text] if text else []
        parts += [f"for {name} {over.text()}" for name, over in self.over]
        parts += [f"{word} {premise.text()}" for word, premise in self.premises]
        parts += [self.extra] if self.extra else []
        return "  " + ", ".join(parts) if parts else ""

    def text(self):
        return f"claim: {self.proposition.text()}{self.conditions()}"

    def meaning(self):
        found = self.proposition
        for name, over in reversed(self.over):
            found = ForAll(name, over, found)
        return found

    def instance(self, problem, instance, rng):
        """The instance, or one with this claim's own values; None if its premises do not hold there."""
        if self.pools:
            instance = problem.draw(rng, rng.randrange(1000), self.pools) or instance
        return instance if instance and holds([premise for _, premise in self.premises], instance) else None


class Find:
    """find least NAME: p; with what there is to know about the allowed range."""

    def __init__(self, name, proposition, fixed, whole=False, least=None):
        self.name, self.proposition, self.fixed = name, proposition, fixed
        self.whole, self.least = whole, least
        self.truth, self.limit = None, None

    def text(self):
        at = ", ".join(f"{name} = {value}" for name, value in self.fixed.items())
        return f"find least {self.name}: {self.proposition.text()}" + (f"  at {at}" if at else "")


class Problem:
    """Statements as text, and steps that draw an instance of what they declare."""

    def __init__(self, kind, rng):
        self.kind, self.rng = kind, rng
        self.lines, self.steps, self.premises, self.claims = [], [], [], []
        self.definitions, self.names = {}, set()
        self.sizes, self.frames, self.dimension = [], [], None
        self.vacuous = False
        self.loose = set()
        self.files = {}

    def say(self, line):
        self.lines.append(line)

    def free(self, name, step):
        """A name that is free, and how to draw it: step(names, rng, trial)."""
        self.names.add(name)
        self.steps.append((name, step))

    def define(self, name, expression):
        self.names.add(name)
        self.definitions[name] = expression
        self.say(f"{name} = {expression.text()}")

    def given(self, *propositions, word="given", place=None):
        self.premises += propositions
        line = f"{word} " + ", ".join(proposition.text() for proposition in propositions)
        self.lines.insert(len(self.lines) if place is None else place, line)

    def size(self, name, least=1, most=4):
        self.names.add(name)
        self.sizes.append(
            (
                name,
                lambda rng, trial: least
                + (0 if trial % 3 == 0 else rng.randint(0, most - 1))
                + (rng.randint(0, 20) if trial > 100 and trial % 11 == 0 else 0),
            )
        )

    def parameter(self, name, pool=None):
        self.free(
            name,
            lambda names, rng, trial: (
                rng.choice(pool) if pool and rng.random() < 0.7 else some_number(rng, trial)
            ),
        )

    def family(self, word, name, size, properties="", extra=""):
        """keys k[1..n] with properties, of an own or of the shared dimension."""
        self.say(f"{word} {name}[1..{plain_text(size)}] {properties}{extra}".rstrip())
        if "ortho" in properties and word != "values":
            self.frames.append(size)

        def draw(names, rng, trial):
            count = node(size).index(Instance(names, {}).view(Exact))
            if count <= 0:
                raise NoValue
            width = names["#width of values"] if word == "values" else names["#width"]
            if word == "values" and "ortho" in properties:
                width = max(width, count)
            return Family(range(1, count + 1), some_vectors(rng, trial, count, width, properties, names))

        self.free(name, draw)
        if not properties:
            self.loose.add(name)

    def listed(self, word, name, rows):
        self.say(f"{word} {name} = [" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows) + "]")
        self.free(
            name,
            lambda names, rng, trial: Family(
                range(1, len(rows) + 1), [list(map(Fraction, row)) for row in rows]
            ),
        )

    def vector(self, name):
        self.say(f"vector {name}")
        self.free(name, lambda names, rng, trial: some_vectors(rng, trial, 1, names["#width"], "", names)[0])

    def pick(self, names_picked, whole, distinct=True):
        self.say(
            f"pick {', '.join(names_picked)}{' distinct' if len(names_picked) > 1 else ''} {whole.text()}"
        )

        def draw(place):
            def step(names, rng, trial):
                members = [
                    i
                    for i in whole.members(Instance(names, {}).view(Exact))
                    if i not in [names[other] for other in names_picked[:place]]
                ]
                if not members:
                    raise NoValue
                return members[0] if trial % 4 == 0 else rng.choice(members)

            return step

        for place, name in enumerate(names_picked):
            self.free(name, draw(place))

    def draw(self, rng, trial, pools=None):
        """One instance that meets the premises, or None; some names may be drawn from pools."""
        pools = pools or {}
        for attempt_number in range(DRAWS):
            number = trial if attempt_number == 0 else rng.randrange(1000)
            names = {"#width of values": rng.choice([1, 1, 2, 3])}
            try:
                for name, step in self.sizes:
                    names[name] = rng.choice(pools[name]) if name in pools else step(rng, number)
                names["#width"] = self.shared_width(names, rng)
                for name, step in self.steps:
                    names[name] = rng.choice(pools[name]) if name in pools else step(names, rng, number)
            except NoValue:
                continue
            instance = Instance(names, self.definitions)
            if holds(self.premises, instance):
                return instance
        return None

    def shared_width(self, names, rng):
        """Wide enough for all that is orthogonal; often just so."""
        view = Instance(names, {}).view(Exact)
        frames = [node(size).index(view) for size in self.frames]
        width = max(frames + [1]) + rng.choice([0, 0, 1, 2]) if frames else rng.choice([1, 2, 3])
        if self.dimension:
            names[self.dimension] = width
        return width

    def text(self, claims=None):
        return "\n".join(
            [f'problem "{self.kind}"']
            + self.lines
            + [claim.text() for claim in (self.claims if claims is None else claims)]
        )


def plain_text(size):
    return node(size).text().strip("()")


def holds(premises, instance):
    return all(quick(premise, instance) != FALSE and premise_holds(premise, instance) for premise in premises)


def premise_holds(premise, instance):
    """Exactly, or an equation to forty digits."""
    truth = decide(premise, instance)
    if truth == UNSURE and isinstance(premise, Compare) and premise.sign in ("=", "<=", ">="):
        return True
    return truth == TRUE


# --- numbers and vectors -------------------------------------------------------------------------

SIMPLE = [Fraction(x) for x in (0, 0, 1, 1, -1, 2, -2, HALF, -HALF, 3)]
EXTREME = [
    Fraction(x) for x in (0, 10, -10, Fraction(1, 100), Fraction(-1, 100), 30, -30, 100, Fraction(1, 1000))
]


def some_number(rng, trial):
    choice = trial % 5
    if choice == 0:
        return rng.choice(SIMPLE[:6])
    if choice == 1:
        return rng.choice(EXTREME)
    if choice == 2:
        return Fraction(rng.randint(-20, 20), 10)
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
        x, y = rng.choice(
            [
                (Fraction(3, 5), Fraction(4, 5)),
                (Fraction(-4, 5), Fraction(3, 5)),
                (Fraction(5, 13), Fraction(-12, 13)),
                (Fraction(20, 29), Fraction(21, 29)),
            ]
        )
        row[place], row[other] = x, y
    return row


def some_vectors(rng, trial, count, width, properties, names):
    """Rows with the properties; chosen to hurt: zeros, equal ones, dependent ones."""
    length = Fraction(1)
    found = re.search(r"norm (\w+)", properties)
    if found:
        length = names[found.group(1)] if found.group(1) in names else Fraction(found.group(1))
        if length <= 0:
            raise NoValue
    if "ortho" in properties:
        if count > width:
            raise NoValue
        if "orthogonal" in properties and not found:
            lengths = [rng.choice([Fraction(0), Fraction(1), Fraction(2), HALF]) for _ in range(count)]
        else:
            lengths = [length] * count
        rows = [[lengths[i] if i == j else Fraction(0) for j in range(width)] for i in range(count)]
        return reflected(rows, rng, width) if trial % 4 == 1 and width <= 4 else rows
    if found:
        if trial % 5 == 0:
            row = unit_vector(rng, width)
            return [[length * x for x in row] for _ in range(count)]
        return [[length * x for x in unit_vector(rng, width)] for _ in range(count)]
    mode = trial % 9
    if mode == 7:
        return [unit_vector(rng, width) for _ in range(count)]
    if mode == 8:
        return [
            [rng.choice([1, -1, 2]) * Fraction(int(i % width == j)) for j in range(width)]
            for i in range(count)
        ]
    if mode == 0:
        return [[Fraction(0)] * width for _ in range(count)]
    if mode == 1:
        row = [rng.choice(SIMPLE) for _ in range(width)]
        return [list(row) for _ in range(count)]
    if mode == 2:
        row = [rng.choice(SIMPLE) for _ in range(width)]
        return [[factor * x for x in row] for factor in (rng.choice(SIMPLE) for _ in range(count))]
    if mode == 3:
        return [[Fraction(int(i % width == j)) for j in range(width)] for i in range(count)]
    if mode == 4:
        return [[Fraction(rng.randint(-30, 30), 10) for _ in range(width)] for _ in range(count)]
    scale = rng.choice([1, 1, 1, 5, 20])
    return [[scale * rng.choice(SIMPLE) for _ in range(width)] for _ in range(count)]


# --- random trees --------------------------------------------------------------------------------


class Scope:
    """What an expression may speak of."""

    def __init__(self, rng, numbers, indexed):
        self.rng = rng
        self.numbers = numbers  # functions without arguments: an expression
        self.indexed = indexed  # {set name: [functions of an index: an expression]}
        self.indexes = {name: [] for name in indexed}  # names of indexes in scope, for each set

    def atom(self):
        rng = self.rng
        choices = [name for name in self.indexed if self.indexes[name] and self.indexed[name]]
        if choices and rng.random() < 0.75:
            name = rng.choice(choices)
            return rng.choice(self.indexed[name])(node(rng.choice(self.indexes[name])))
        if rng.random() < 0.6 and self.numbers:
            return rng.choice(self.numbers)()
        return Number(
            rng.choice([Fraction(x) for x in (0, 1, 1, 2, HALF, Fraction(1, 3), -1, Fraction(9, 10))])
        )

    def expression(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            return self.atom()
        x, y = self.expression(depth - 1), self.expression(depth - 1)
        choice = rng.random()
        if choice < 0.35:
            return x + y
        if choice < 0.65:
            return x - y
        if choice < 0.85:
            return x * y
        if choice < 0.95:
            return Size(x - y)
        return x * x


def comparison(scope, depth=1):
    rng = scope.rng
    sign = rng.choice(["<", "<=", ">", ">=", "<=", ">=", "=", "!="])
    return Compare(
        scope.expression(rng.choice([0, depth])), sign, scope.expression(rng.choice([0, 0, depth]))
    )


def proposition(scope, depth):
    rng = scope.rng
    choice = rng.random()
    if depth == 0 or choice < 0.4:
        return comparison(scope)
    if choice < 0.55:
        return Implies(proposition(scope, depth - 1), proposition(scope, depth - 1))
    if choice < 0.7:
        return Or(proposition(scope, depth - 1), proposition(scope, depth - 1))
    if choice < 0.85:
        return And(proposition(scope, depth - 1), proposition(scope, depth - 1))
    return Not(proposition(scope, depth - 1))


def bound_index(scope, family, whole, body):
    """A body with one more index of a family in scope; its name is fresh."""
    taken = [name for names in scope.indexes.values() for name in names]
    name = next(letter for letter in "ijlmrstuw" if letter not in taken)
    outer = list(scope.indexes[family])
    scope.indexes[family].append(name)
    found = body()
    scope.indexes[family].pop()
    choice = scope.rng.random()
    picked = [index for index in outer]
    over = whole
    if picked and choice < 0.35:
        over = AllBut(whole, scope.rng.choice(picked))
    elif len(picked) > 1 and choice < 0.5:
        over = AllBut(whole, *scope.rng.sample(picked, 2))
    return name, over, found


def quantified(scope, sets, depth):
    """for all i: for all j: ..., sums inside, sums of sums."""
    rng = scope.rng
    if depth == 0:
        return proposition(scope, rng.choice([0, 0, 1]))
    family, whole = rng.choice(sets)
    choice = rng.random()
    if choice < 0.55:
        name, over, body = bound_index(scope, family, whole, lambda: quantified(scope, sets, depth - 1))
        return ForAll(name, over, body)
    what = rng.choice(["sum", "sum", "sum", "max", "min", "mean"])
    name, over, body = bound_index(scope, family, whole, lambda: summed(scope, sets, depth - 1))
    other = scope.expression(rng.choice([0, 0, 1]))
    if rng.random() < 0.3:
        other = Number(rng.choice([Fraction(1), Fraction(0), Fraction(1, 2), Fraction(2)]))
    return Compare(Over(what, body, name, over), rng.choice(["=", "<=", ">=", "<", ">"]), other)


def summed(scope, sets, depth):
    if depth > 0 and scope.rng.random() < 0.35:
        family, whole = scope.rng.choice(sets)
        name, over, body = bound_index(scope, family, whole, lambda: scope.expression(1))
        return Over("sum", body, name, over)
    return scope.expression(scope.rng.choice([0, 1]))


# --- kinds of problems ---------------------------------------------------------------------------

WHOLE = Range("n")


def attention_scope(problem, rng, attentions, keys=(), query=None, numbers=()):
    """What may be said of attention over 1..n."""
    indexed = [lambda i, c=c: Name(c).weight(i) for c in attentions for _ in range(2)]
    indexed += [lambda i, c=c: Name(c).score(i) for c in attentions]
    indexed += [lambda i, k=k: Name(k)[i].dot(query) for k in keys if query]
    indexed += [lambda i, k=k: Size(Name(k)[i]) for k in keys if rng.random() < 0.3]
    atoms = [lambda: 1 / Name("n"), lambda: Name("n")] + [lambda x=x: Name(x) for x in numbers]
    return Scope(rng, atoms, {"n": indexed})


def arbitrary(kind, rng, least=None):
    """n arbitrary keys, an arbitrary query, one picked index or two."""
    problem = Problem(kind, rng)
    problem.size("n", least or 1)
    picks = rng.choice([[], ["a"], ["a", "b"]])
    least = least or rng.choice([1, 1, 2, 3])
    least = max(least, len(picks))
    problem.given(Compare("n", ">=", least))
    problem.family("keys", "k", "n")
    problem.family("values", "v", "n")
    if picks:
        problem.pick(picks, WHOLE)
    problem.vector("q")
    problem.define("c", Attend("q", "k", "v"))
    scope = attention_scope(problem, rng, ["c"], ["k"], "q")
    scope.indexes["n"] = list(picks)
    return problem, scope


def nested(rng):
    problem, scope = arbitrary("nested", rng)
    for _ in range(5):
        problem.claims.append(Claim(quantified(scope, [("n", WHOLE)], rng.choice([1, 2, 2]))))
    scope.indexes["n"] += ["i", "j"]
    second = rng.choice([WHOLE, WHOLE, AllBut(WHOLE, "i")])
    for _ in range(2):
        problem.claims.append(
            Claim(proposition(scope, rng.choice([0, 1])), over=[("i", WHOLE), ("j", second)])
        )
    return problem


def two_families(rng):
    problem = Problem("two families", rng)
    second = rng.choice(["n", "m"])
    problem.size("n")
    if second == "m":
        problem.size("m")
    properties = rng.choice(["", "", "orthonormal", "norm 1"])
    problem.family("keys", "k", "n", properties)
    problem.family("keys", "p", second, rng.choice(["", "norm 1"]))
    problem.family("values", "v", "n")
    problem.family("values", "w", second)
    problem.vector("q")
    problem.define("c", Attend("q", "k", "v"))
    problem.define("d", Attend("q", "p", "w"))
    k, p, c, d = Name("k"), Name("p"), Name("c"), Name("d")
    first = [lambda i: c.weight(i), lambda i: k[i].dot("q"), lambda i: c.weight(i)]
    other = [lambda i: d.weight(i), lambda i: p[i].dot("q"), lambda i: d.weight(i)]
    numbers = [lambda: 1 / Name("n"), lambda: 1 / Name(second)]
    if second == "n":
        scope = Scope(rng, numbers, {"n": first + other})
        sets = [("n", WHOLE)]
    else:
        scope = Scope(rng, numbers, {"n": first, "m": other})
        sets = [("n", WHOLE), ("m", Range("m"))]
    for _ in range(5):
        problem.claims.append(Claim(quantified(scope, sets, 2)))
    i, j = node("i"), node("j")
    both = Compare(
        k[i].dot(p[j]),
        rng.choice(["<=", ">=", "=", "<"]),
        rng.choice([Size(k[i]) * Size(p[j]), node(1), node(0), c.weight(i)]),
    )
    problem.claims.append(Claim(ForAll("i", WHOLE, ForAll("j", Range(second), both))))
    both = Compare(
        c.weight(i) * d.weight(j),
        rng.choice(["<=", ">=", "<"]),
        rng.choice([node(1), c.weight(i), node(0), d.weight(j)]),
    )
    problem.claims.append(Claim(ForAll("i", WHOLE, ForAll("j", Range(second), both))))
    return problem


def query_of(rng, keys, picks, whole):
    """beta times a combination of picked keys, perhaps with the rest."""
    beta = Name("beta")
    parts = [rng.choice([beta, 2 * beta, -beta, node(1), beta * beta]) * Name(keys)[pick] for pick in picks]
    if rng.random() < 0.3:
        parts.append(
            rng.choice([beta, -beta, node(2)]) * Over("sum", Name(keys)["i"], "i", AllBut(whole, *picks))
        )
    query = parts[0]
    for part in parts[1:]:
        query = query + part
    return query


def parameter_bounds(problem, rng, name="beta"):
    choice = rng.randrange(5)
    if choice == 0:
        problem.given(Compare(name, ">", 0))
    elif choice == 1:
        problem.given(Compare(name, ">=", rng.choice([0, 1, -1])))
    elif choice == 2:
        problem.given(Compare(name, "<=", rng.choice([0, 2])), Compare(name, ">=", -3))


def orthonormal(rng, kind="orthonormal", properties=None):
    problem = Problem(kind, rng)
    properties = properties or rng.choice(
        ["orthonormal", "orthonormal", "orthogonal, norm s", "norm 1", "orthogonal, norm 2"]
    )
    picks = rng.choice([["a"], ["a", "b"], ["a", "b"], ["a", "b", "g"]])
    problem.size("n", len(picks))
    parameter_bounds(problem, rng)
    if rng.random() < 0.6:
        problem.given(Compare("n", ">=", rng.choice([len(picks), len(picks) + 1, 3])))
    if "norm s" in properties:
        problem.parameter("s", [Fraction(1), HALF, Fraction(2)])
    problem.parameter("beta")
    problem.family("keys", "k", "n", properties)
    problem.family("values", "v", "n")
    problem.pick(picks, WHOLE)
    problem.define(
        "c", Attend(query_of(rng, "k", picks, WHOLE), "k", "v", rng.choice([None, None, node(HALF)]))
    )
    attentions = ["c"]
    if rng.random() < 0.4:
        problem.define("d", Attend(query_of(rng, "k", picks[:1], WHOLE), "k", "v"))
        attentions.append("d")
    scope = attention_scope(problem, rng, attentions, numbers=["beta"])
    scope.numbers += [lambda: Exp(Name("beta")), lambda: Exp(-Name("beta"))]
    scope.indexed["n"] += [
        lambda i: Size(Name("k")[i]),
        lambda i: Name("k")[i].dot(Name("k")[rng.choice(picks)]),
    ]
    scope.indexes["n"] = list(picks)
    for _ in range(4):
        problem.claims.append(Claim(proposition(scope, rng.choice([0, 1, 1, 2]))))
    scope.indexes["n"].append("i")
    over = rng.choice([WHOLE, AllBut(WHOLE, *picks), AllBut(WHOLE, picks[0])])
    for _ in range(3):
        problem.claims.append(Claim(proposition(scope, rng.choice([0, 1])), over=[("i", over)]))
    scope.indexes["n"].pop()
    for _ in range(2):
        problem.claims.append(Claim(quantified(scope, [("n", WHOLE)], rng.choice([1, 2]))))
    return problem


def some_rows(rng, count, width):
    pool = [0, 0, 1, 1, -1, 2, HALF, Fraction(-1, 2)]
    rows = [[rng.choice(pool) for _ in range(width)] for _ in range(count)]
    if rng.random() < 0.3:
        rows[rng.randrange(count)] = list(rows[0])
    return rows


def listed_keys(rng):
    problem = Problem("listed keys", rng)
    count, width = rng.randint(2, 4), rng.randint(1, 3)
    whole = Range(count)
    problem.listed("keys", "k", some_rows(rng, count, width))
    if rng.random() < 0.5:
        problem.family("values", "v", count)
    else:
        problem.listed("values", "v", some_rows(rng, count, rng.randint(1, 2)))
    picks = rng.choice([[], [], ["a"], ["a", "b"]])
    if picks:
        problem.pick(picks, whole)
    problem.parameter("beta")
    indexes = picks + rng.sample([str(i) for i in range(1, count + 1)], 2)
    indexes = [index if index.isalpha() else Number(Fraction(index)) for index in indexes]
    parameter_bounds(problem, rng)
    query = Name("beta") * Name("k")[rng.choice(indexes)]
    if rng.random() < 0.5:
        query = query + rng.choice([node(1), Name("beta"), -Name("beta")]) * Name("k")[rng.choice(indexes)]
    problem.define("c", Attend(query, "k", "v"))
    scope = attention_scope(problem, rng, ["c"], numbers=["beta"])
    scope.numbers = scope.numbers[2:]
    scope.indexed["n"] += [
        lambda i: Size(Name("k")[i]),
        lambda i: Name("k")[i].dot(Name("k")[rng.choice(indexes)]),
    ]
    scope.indexes["n"] = list(indexes)
    for _ in range(5):
        problem.claims.append(Claim(proposition(scope, rng.choice([0, 1, 1, 2]))))
    problem.claims.append(Claim(quantified(scope, [("n", whole)], rng.choice([1, 2]))))
    scope.indexes["n"].append("i")
    problem.claims.append(Claim(proposition(scope, 1), over=[("i", whole)]))
    scope.indexes["n"].pop()
    return problem


CLASHING = [
    "slack1",
    "axis",
    "noise_k",
    "weight",
    "others",
    "s",
    "e1",
    "T",
    "d",
    "rest",
    "generic",
    "q",
    "k_a",
    "score",
    "head",
    "x",
    "t",
    "u",
    "w",
    "slack",
    "lambda",
    "score_1",
    "s1",
    "k1",
    "i",
    "j",
    "dim",
    "one",
    "alpha",
    "n",
    "m",
    "norm",
    "values",
    "law",
    "keys",
    "others",
    "slack2",
    "noise",
    "mean_a",
    "expect",
    "within",
    "proved",
    "least",
    "eps",
    "z",
    "w_a",
    "beta",
    "gap",
    "margin",
    "total",
    "mu",
    "g",
    "v",
    "k",
]


NUMBERS = {"n", "m", "d", "t", "s", "r", "beta", "gamma", "alpha", "zeta", "eta", "l", "i"}
FOR_NUMBERS = [
    "s",
    "T",
    "d",
    "x",
    "t",
    "u",
    "w",
    "i",
    "j",
    "m",
    "n",
    "z",
    "g",
    "alpha",
    "beta",
    "mu",
    "eps",
    "q",
    "k",
    "v",
    "Delta",
    "lambda",
    "theta",
    "a",
    "r",
    "f",
    "c",
    "y",
]


def renamed_text(text, names, rng, pool=None):
    """The same document with every name changed; parts (.weight) and words stay. Numbers keep to
    names of one letter and Greek ones: others must be declared."""
    pool = list(pool or CLASHING)
    bound = {name for name in "ijlmrtuw" if re.search(rf"\b(for|for all|sum\(.*) {name} (in|!=|not)", text)}
    bound |= set(re.findall(r"for (?:all )?(\w) (?:in|!=|not in)", text))
    wanted = sorted((set(names) | bound) & set(re.findall(r"\w+", text)))
    change = {}
    for name in wanted:
        allowed = FOR_NUMBERS if name in NUMBERS and name not in bound else pool
        change[name] = rng.choice([new for new in allowed if new not in change.values()])
    lines = []
    for line in text.split("\n"):
        if line.startswith("problem"):
            lines.append(line)
            continue
        first, blank, rest = line.partition(" ")
        if first in (
            "keys",
            "values",
            "means",
            "vectors",
            "vector",
            "matrix",
            "scalar",
            "permutation",
            "pick",
            "given",
            "assume",
            "claim:",
            "find",
        ):
            lines.append(first + blank + change_words(rest, change))
        else:
            lines.append(change_words(line, change))
    return "\n".join(lines)


def change_words(text, change):
    return re.sub(
        r"(\.?)\b([A-Za-z]\w*)\b(?!\")",
        lambda m: (
            m.group(0)
            if m.group(1) and m.group(2) in ("weight", "score", "head", "output") and m.group(2) not in change
            else m.group(1) + change.get(m.group(2), m.group(2))
        ),
        text,
    )


class Renamed:
    """A problem whose text has other names; its instances are those of the old one."""

    def __init__(self, problem, rng, pool=None):
        self.problem, self.kind = problem, "names that clash"
        self.claims, self.vacuous, self.files = problem.claims, problem.vacuous, problem.files
        whole = renamed_text(problem.text(), problem.names, rng, pool).split("\n")
        self.statements = whole[: -len(problem.claims)]
        self.statements[0] = 'problem "names that clash"'
        self.claim_lines = whole[-len(problem.claims) :]

    def draw(self, rng, trial, pools=None):
        return self.problem.draw(rng, trial, pools)

    def text(self, claims=None):
        if claims is None:
            return "\n".join(self.statements + self.claim_lines)
        return "\n".join(self.statements + [self.claim_lines[self.claims.index(claim)] for claim in claims])


def clashing(rng):
    base = rng.choice([nested, orthonormal, two_families, listed_keys, premises, norms, gram, parameters])(
        rng
    )
    return Renamed(base, rng)


def parameters(rng, kind="parameters"):
    """Numbers alone, with premises of every kind between them."""
    problem = Problem(kind, rng)
    names = rng.sample(["s", "t", "r", "beta", "gamma"], rng.randint(2, 3))
    for name in names:
        problem.parameter(name)
    scope = Scope(rng, [lambda: Name(rng.choice(names))] * 3, {})
    tie(problem, rng, names, scope)
    for _ in range(6):
        word = rng.choice(["given", "for", "at", "implies", None])
        premise, fix = simple_premise(rng, names)
        claim_of = rng.choice(
            [lambda: proposition(scope, 1), lambda: comparison(scope, 2), lambda: comparison(scope, 1)]
        )()
        if rng.random() < 0.25:
            x = scope.expression(1)
            claim_of = rng.choice(
                [
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
            )
        if word == "implies":
            problem.claims.append(Claim(Implies(premise, claim_of), pools=fix))
        elif word is None:
            problem.claims.append(Claim(claim_of))
        else:
            if word == "at" and premise.sign != "=":
                word = "for"
            problem.claims.append(Claim(claim_of, premises=[(word, premise)], pools=fix))
    return problem


def simple_premise(rng, names):
    """A premise about one parameter, and values that meet it, also its boundary."""
    name = rng.choice(names)
    bound = Fraction(rng.choice([0, 0, 1, -1, 2, HALF]))
    sign = rng.choice(["=", "<", "<=", ">", ">=", "!="])
    step = [Fraction(1, 1000), HALF, Fraction(1), Fraction(5), Fraction(40)]
    pool = {
        "=": [bound],
        "<": [bound - x for x in step],
        "<=": [bound] + [bound - x for x in step],
        ">": [bound + x for x in step],
        ">=": [bound] + [bound + x for x in step],
        "!=": [bound + x for x in step] + [bound - x for x in step],
    }[sign]
    return Compare(name, sign, bound), {name: pool}


def tie(problem, rng, names, scope):
    """Premises of the whole problem: bounds, an equation, a product."""
    choice = rng.randrange(7)
    first, second = names[0], names[1]
    x, y = Name(first), Name(second)
    if choice == 0:
        equation = rng.choice([2 * x + 1, -x, x, x * x, 1 - x, x * x + 1, x**3])
        problem.given(Compare(y, "=", equation))
        problem.free(second, lambda names, rng, trial: equation.value(Instance(names, {}).view(Exact)))
    elif choice == 1:
        problem.given(Compare(x * y, rng.choice([">", "=", "<=", ">="]), rng.choice([0, 1])))
        problem.free(
            second,
            lambda names, rng, trial: (
                rng.choice([Fraction(0), 1 / names[first], 2 / names[first], Fraction(rng.randint(-6, 6))])
                if names[first]
                else Fraction(rng.randint(-5, 5))
            ),
        )
    elif choice == 2:
        problem.given(Compare(x, rng.choice(["<", "<=", ">="]), y))
        if rng.random() < 0.3:
            problem.free(second, lambda names, rng, trial: names[first] + rng.choice([0, 0, 1, -1]))
    elif choice == 3:
        problem.given(Compare(x * x + y * y, rng.choice(["=", "<="]), 1))
        points = [
            (0, 1),
            (1, 0),
            (Fraction(3, 5), Fraction(4, 5)),
            (Fraction(-4, 5), Fraction(3, 5)),
            (0, -1),
            (-1, 0),
        ]

        def place(index):
            def step(names, rng, trial):
                if index == 0 or "#point" not in names:
                    names["#point"] = rng.choice(points)
                return Fraction(names["#point"][index])

            return step

        problem.free(first, place(0))
        problem.free(second, place(1))
    elif choice == 4:
        problem.given(Or(Compare(x, ">=", 1), Compare(y, "<=", -1)))
    elif choice == 5:
        problem.given(Compare(x, "!=", y), Compare(x, ">=", 0))


def number_of_a_score(names, rng, _trial):
    """t again: often the score of a, or one over it, so that equations with t hold."""
    score = sum(x * y for x, y in zip(names["k"][names["a"]], names["q"]))
    return rng.choice([names["t"], score, 1 / score if score else Fraction(1)])


def premises(rng):
    """Attention with premises before and after the declarations, about everything."""
    problem = Problem("premises", rng)
    problem.size("n", 2)
    problem.parameter("t", [Fraction(0), Fraction(1), HALF, Fraction(-1)])
    problem.family("keys", "k", "n")
    problem.family("values", "v", "n")
    picks = ["a", "b"]
    problem.pick(picks, WHOLE)
    problem.vector("q")
    problem.free("t", number_of_a_score)
    problem.define("c", Attend("q", "k", "v"))
    k, c, t = Name("k"), Name("c"), Name("t")
    score = {pick: k[pick].dot("q") for pick in picks}
    pool = [
        Compare(score["a"], ">=", score["b"]),
        Compare(score["a"], "=", score["b"]),
        Compare(score["a"], ">", t),
        Compare(t, ">", 0),
        Compare(t, ">=", 1),
        Compare(c.weight("a"), ">=", c.weight("b")),
        Compare(Size("q"), "=", 1),
        Compare(Size(k["a"]), "=", Size(k["b"])),
        Compare(k["a"].dot(k["b"]), "=", 0),
        Compare(Size("q"), "<=", 2),
        Compare(Size(k["a"]), "=", 1),
        Compare(c.weight("a"), "<=", Fraction(1, 2)),
        Compare(t, "=", score["a"]),
        ForAll("j", WHOLE, Compare(k["j"].dot("q"), "<=", score["a"])),
        ForAll("j", AllBut(WHOLE, "a"), Compare(score["a"] - k["j"].dot("q"), ">=", 1)),
        ForAll("j", WHOLE, Compare(k["j"].dot("q"), "<=", 0)),
        ForAll("j", WHOLE, Compare(Size(k["j"]), "=", 1)),
        Or(Compare(t, ">", 1), Compare(score["a"], ">", 0)),
        Compare(t * score["a"], "=", 1),
        Compare(t * t, "=", 1),
    ]
    for premise in rng.sample(pool, rng.choice([0, 1, 1, 2])):
        problem.given(
            premise,
            word=rng.choice(["given", "given", "assume"]),
            place=rng.randrange(len(problem.lines) + 1),
        )
    problem.given(Compare("n", ">=", 2), place=0)
    scope = attention_scope(problem, rng, ["c"], ["k"], "q", ["t"])
    scope.indexes["n"] = ["a", "b"]
    for _ in range(6):
        inner = rng.choice([lambda: comparison(scope, 1), lambda: quantified(scope, [("n", WHOLE)], 1)])()
        if rng.random() < 0.4:
            inner = rng.choice(
                [
                    Compare(c.weight("a"), ">=", c.weight("b")),
                    Compare(c.weight("a"), ">=", Fraction(1, 2)),
                    Compare(score["a"], ">=", 0),
                    Compare(c.weight("a"), ">=", 1 / Name("n")),
                    Compare(c.weight("a"), "<=", 1 / (1 + (Name("n") - 1) * Exp(node(-1)))),
                    Compare(c.weight("a"), ">=", 1 / (1 + (Name("n") - 1) * Exp(node(-1)))),
                    Compare(c.weight("b"), "<=", Fraction(1, 2)),
                ]
            )
        premise = rng.choice(pool)
        way = rng.choice(["none", "given", "implies", "for"])
        if way == "implies":
            problem.claims.append(Claim(Implies(premise, inner)))
        elif way == "none" or (way == "for" and not isinstance(premise, Compare)):
            problem.claims.append(Claim(inner))
        else:
            problem.claims.append(Claim(inner, premises=[(way, premise)]))
    return problem


def contradictory(rng):
    """Premises that no case meets: nothing may be proved or refuted."""
    problem = rng.choice([parameters, orthonormal, nested, norms])(rng)
    problem.kind = "contradictory"
    x = Name("zeta")
    pair = rng.choice(
        [
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
    )
    problem.names |= {"zeta", "eta"}
    premises_text = [premise.text() for premise in pair]
    style = rng.randrange(3)
    if style == 0:
        problem.lines.insert(0, "given " + ", ".join(premises_text))
    elif style == 1:
        for text in premises_text:
            problem.lines.append("given " + text)
    else:
        for claim in problem.claims:
            claim.extra = rng.choice(["for ", "given "]) + ", ".join(premises_text)
    problem.vacuous = True
    return problem


def gram(rng):
    """Inner products and lengths that are given; possible and impossible ones."""
    problem = Problem("products given", rng)
    possible = rng.random() < 0.75
    if possible:
        rows = [[Fraction(rng.choice([0, 1, -1, 2, HALF])) for _ in range(3)] for _ in range(3)]
    else:
        rows = None
    names = ["x", "y", "z"]
    family = rng.random() < 0.5
    if family:
        vectors = [Name("k")[Number(Fraction(i))] for i in (1, 2, 3)]
        problem.say("keys k[1..3]")
        problem.free("k", lambda names, rng, trial: Family(range(1, 4), reflected(rows, rng, 3)))
    else:
        vectors = [Name(name) for name in names]
        problem.say("vector x, y, z" if rng.random() < 0.5 else "vector x\nvector y\nvector z")

        def place(index):
            def step(drawn, rng, trial):
                if index == 0:
                    drawn["#turned"] = reflected(rows, rng, 3)
                return drawn["#turned"][index]

            return step

        for index, name in enumerate(names):
            problem.free(name, place(index))
    if possible:
        for i in range(3):
            for j in range(i, 3):
                product = sum(a * b for a, b in zip(rows[i], rows[j]))
                if i == j and rng.random() < 0.5:
                    problem.given(Compare(Size(vectors[i]) ** 2, "=", product))
                else:
                    problem.given(Compare(vectors[i].dot(vectors[j]), "=", product))
    else:
        problem.vacuous = True
        way = rng.randrange(4)
        x, y, z = vectors
        if way == 0:
            problem.given(Compare(Size(x), "=", 1), Compare(Size(y), "=", 1), Compare(x.dot(y), "=", 2))
        elif way == 1:
            problem.given(
                Compare(Size(x), "=", 1),
                Compare(Size(y), "=", 1),
                Compare(Size(z), "=", 1),
                Compare(x.dot(y), "=", Fraction(-9, 10)),
                Compare(y.dot(z), "=", Fraction(-9, 10)),
                Compare(x.dot(z), "=", Fraction(-9, 10)),
            )
        elif way == 2:
            problem.given(Compare(Size(x), "=", 0), Compare(x.dot(y), "=", 1))
        else:
            problem.given(Compare(x.dot(x), "=", -1))
    indexed = Scope(
        rng,
        [
            lambda: rng.choice(vectors).dot(rng.choice(vectors)),
            lambda: Size(rng.choice(vectors)),
            lambda: Size(rng.choice(vectors) + rng.choice(vectors)),
            lambda: Size(rng.choice(vectors) - rng.choice(vectors)),
        ],
        {},
    )
    for _ in range(5):
        problem.claims.append(Claim(proposition(indexed, rng.choice([0, 1]))))
    if family and possible:
        problem.say("values v[1..3]")
        problem.free(
            "v", lambda names, rng, trial: Family(range(1, 4), some_vectors(rng, trial, 3, 2, "", names))
        )
        problem.define("c", Attend(rng.choice(vectors), "k", "v"))
        weights = Scope(rng, [lambda: Name("c").weight(Number(Fraction(rng.randint(1, 3))))], {})
        for _ in range(3):
            problem.claims.append(Claim(proposition(weights, rng.choice([0, 1]))))
    return problem


def norms(rng):
    """Inequalities between lengths of arbitrary vectors."""
    problem = Problem("norms", rng)
    for name in ("x", "y", "z"):
        problem.vector(name)
    problem.parameter("t")
    x, y, z, t = Name("x"), Name("y"), Name("z"), Name("t")
    atoms = [x, y, z, x + y, x - y, x + y + z, t * x, x - z, x - t * y, 2 * x - y]
    pick = lambda: rng.choice(atoms)
    scope = Scope(
        rng, [lambda: Size(pick()), lambda: pick().dot(pick()), lambda: Size(pick()), lambda: Name("t")], {}
    )
    known = [
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
    for _ in range(2):
        problem.claims.append(Claim(rng.choice(known), truth=TRUE))
    wrong = [
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
    problem.claims.append(Claim(rng.choice(wrong), truth=FALSE))
    for _ in range(5):
        problem.claims.append(Claim(proposition(scope, rng.choice([0, 0, 1]))))
    return problem


def frames(rng):
    """dimension d: full frames, Parseval and Bessel."""
    problem = Problem("frames", rng)
    problem.size("n")
    problem.dimension = "d"
    word = rng.choice(["keys", "vectors"])
    problem.family(word, "k", "n", "orthonormal", ", dimension d")
    problem.vector("q")
    problem.vector("p")
    problem.names.add("d")
    problem.premises.append(Compare("d", ">=", "n"))
    full = rng.random() < 0.5
    if full:
        problem.given(Compare("d", "=", "n"))
    total = Over("sum", Name("k")["i"].dot("q") ** 2, "i", WHOLE)
    rebuilt = Over("sum", Name("k")["i"].dot("q") * Name("k")["i"], "i", WHOLE)
    mixed = Over("sum", Name("k")["i"].dot("q") * Name("k")["i"].dot("p"), "i", WHOLE)
    square = Size("q") ** 2
    true = TRUE if full else None
    zero = ForAll("i", WHOLE, Compare(Name("k")["i"].dot("q"), "=", 0))
    for _ in range(5):
        shape = rng.choice(
            [
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
                Compare(Over("sum", Size(Name("k")["i"]) ** 2, "i", WHOLE), "=", "n"),
            ]
        )
        problem.claims.append(Claim(shape))
    problem.claims.append(Claim(Implies(zero, Compare(Size("q"), "=", 0)), truth=true))
    problem.claims.append(Claim(Compare(total, "=", square), truth=true))
    problem.claims.append(Claim(Compare(total, "=", square), premises=[("for", Compare("n", "=", "d"))]))
    problem.claims.append(
        Claim(
            Compare(total, rng.choice(["=", "<="]), square),
            premises=[("at", Compare("n", "=", 2)), ("at", Compare("d", "=", rng.choice([2, 3])))],
        )
    )
    return problem


def valued(rng):
    """Values with premises between them, and what is claimed of the output."""
    problem = Problem("values", rng)
    problem.size("n", 2)
    problem.given(Compare("n", ">=", 2))
    problem.family("keys", "k", "n", rng.choice(["", "orthonormal"]))
    properties = rng.choice(["", "", "norm 1", "orthonormal"])
    problem.family("values", "v", "n", properties)
    problem.steps = [(name, step) for name, step in problem.steps]
    problem.pick(["a", "b"], WHOLE)
    problem.vector("q")
    problem.define("c", Attend("q", "k", "v"))
    v, c = Name("v"), Name("c")
    pool = [
        Compare(v["a"], "=", v["b"]),
        ForAll("i", WHOLE, Compare(v["i"], "=", v["a"])),
        ForAll("i", WHOLE, Compare(Size(v["i"]), "<=", 1)),
        Compare(v["a"].dot(v["b"]), "=", 0),
        ForAll("i", AllBut(WHOLE, "a"), Compare(v["i"].dot(v["a"]), "=", 0)),
        Compare(Size(v["a"]), "=", 1),
        ForAll("i", WHOLE, Compare(v["i"].dot(v["a"]), ">=", 0)),
    ]
    if rng.random() < 0.6:
        problem.given(rng.choice(pool), place=rng.randrange(len(problem.lines) + 1))
    shapes = [
        Compare("c", "=", v["a"]),
        Compare(Size("c"), "<=", 1),
        Compare(c.dot(v["a"]), "=", c.weight("a")),
        Compare(c.dot(v["a"]), ">=", 0),
        Compare(Size("c"), "<=", Over("max", Size(v["i"]), "i", WHOLE)),
        Compare(Size("c"), "<=", Over("sum", Size(v["i"]), "i", WHOLE)),
        Compare(Size(c - v["a"]), "<=", Over("max", Size(v["i"] - v["a"]), "i", WHOLE)),
        Compare(
            c - c.weight("a") * v["a"], "=", Over("sum", c.weight("i") * v["i"], "i", AllBut(WHOLE, "a"))
        ),
        Compare(c.dot(v["a"]), "<=", c.weight("a")),
        Compare(Size("c") ** 2, "=", Over("sum", c.weight("i") ** 2, "i", WHOLE)),
        Compare(Size("c"), ">", 0),
        Compare(c.dot(v["a"]), "=", c.weight("a") * Size(v["a"]) ** 2),
        Compare(Size(c), "<", 1),
        Compare("c", "=", (v["a"] + v["b"]) / 2),
        Compare(c.dot(v["b"]), "<=", Size(v["b"]) * Size("c")),
        Known("c in hull(v)", TRUE),
    ]
    for shape in rng.sample(shapes, 6):
        claim = Claim(shape)
        if rng.random() < 0.35:
            claim.premises.append((rng.choice(["given"]), rng.choice(pool)))
        problem.claims.append(claim)
    return problem


def sizes(rng):
    """k[1..n-1] and the like."""
    problem = Problem("sizes", rng)
    size = rng.choice([Name("n") - 1, Name("n") - 1, Name("n") + 1, 2 * Name("n"), Name("n") - 2])
    whole = Range(size)
    text = size.text().strip("()")
    problem.size("n", 0, 6)
    properties = rng.choice(["", "orthonormal", "norm 1"])
    problem.premises.append(Compare(size, ">=", 0))
    problem.family("keys", "k", size, properties)
    problem.family("values", "v", size)
    problem.vector("q")
    problem.define("c", Attend("q", "k", "v"))
    c = Name("c")
    known = [
        (Compare(size, ">=", 0), TRUE),
        (Compare("n", ">=", 2), TRUE if text == "n - 2" else FALSE),
        (Compare("n", ">=", 3), FALSE),
        (Compare(size, ">=", 1), FALSE if size.sign == "-" else None),
        (ForAll("i", whole, Compare(c.weight("i"), ">", 0)), TRUE),
        (ForAll("i", whole, Compare(c.weight("i"), "<", 1)), FALSE),
        (ForAll("i", whole, Compare(c.weight("i"), "<=", 1)), TRUE),
        (Compare(Over("max", c.weight("i"), "i", whole), ">=", 1 / size), TRUE),
        (Compare(Over("mean", c.weight("i"), "i", whole), "=", 1 / size), TRUE),
        (Compare(Over("sum", node(1), "i", whole), "=", size), TRUE),
        (Compare(Over("sum", node(1), "i", whole), ">=", 1), FALSE if size.sign == "-" else None),
    ]
    known = [pair for pair in known if pair[1] is not None]
    for shape, truth in rng.sample(known, 4):
        problem.claims.append(Claim(shape, truth=truth))
    scope = Scope(
        rng,
        [lambda: Name("n"), lambda: 1 / Name("n")],
        {"n": [lambda i: c.weight(i), lambda i: Name("k")[i].dot("q")]},
    )
    for _ in range(3):
        problem.claims.append(Claim(quantified(scope, [("n", whole)], rng.choice([1, 2]))))
    return problem


def without_value(rng):
    """Divisions by zero, roots of negative numbers, empty sums and sets."""
    problem = Problem("no value", rng)
    problem.size("n", 1)
    problem.family("keys", "k", "n")
    problem.family("values", "v", "n")
    problem.pick(["a"], WHOLE)
    problem.vector("q")
    problem.parameter("t")
    problem.parameter("s")
    problem.define("c", Attend("q", "k", "v"))
    t, s, c, n = Name("t"), Name("s"), Name("c"), Name("n")
    others, nobody = AllBut(WHOLE, "a"), Range(0)
    known = [
        (Compare(t / t, "=", 1), TRUE),
        (Compare((t * t - 1) / (t - 1), "=", t + 1), TRUE),
        (Compare(1 / t, ">", 0), FALSE),
        (Compare(Call("sqrt", t) ** 2, "=", t), TRUE),
        (Compare(Call("ln", t * t), "=", 2 * Call("ln", t)), TRUE),
        (Compare(t * s / s, "=", t), TRUE),
        (Compare(Call("sqrt", t * t), "=", t), FALSE),
        (Compare(Call("ln", t), "<=", t - 1), TRUE),
        (Compare(Call("sqrt", t), ">=", 0), TRUE),
        (Compare(Exp(Call("ln", t)), "=", t), TRUE),
        (Compare(Call("ln", Exp(t)), "=", t), TRUE),
        (Compare(1 / (1 / t), "=", t), TRUE),
        (Compare(t**2 / t, ">=", 0), FALSE),
        (Compare(Size(t) / t, "=", 1), FALSE),
        (Compare(Size(t) / t, "<=", 1), TRUE),
        (Compare(0 / t, "=", 0), TRUE),
        (Compare(Call("sqrt", t), "!=", -1), TRUE),
        (Compare(Call("sqrt", -t) * Call("sqrt", t), "=", 0), TRUE),
        (Compare(Call("ln", t) * Call("sqrt", -t), "=", 5), "vacuous"),
        (Compare(1 / (t - t), "=", 5), "vacuous"),
        (Compare(Call("ln", -(t * t)), "=", 0), "vacuous"),
        (Compare(Call("sqrt", -1 - t * t), "=", 0), "vacuous"),
        (Compare(Call("sqrt", -1 - t * t), "!=", 0), "vacuous"),
        (Compare(Over("sum", c.weight("i"), "i", others), ">", 0), FALSE),
        (Compare(Over("sum", c.weight("i"), "i", others), ">=", 0), TRUE),
        (Compare(Over("sum", c.weight("i"), "i", others), "=", 1 - c.weight("a")), TRUE),
        (Compare(Over("mean", c.weight("i"), "i", others), "=", (1 - c.weight("a")) / (n - 1)), TRUE),
        (Compare(Over("max", c.weight("i"), "i", others), "<", 1), TRUE),
        (Compare(Over("max", c.weight("i"), "i", others), ">", 0), TRUE),
        (ForAll("i", others, Compare(c.weight("i"), "<", 1)), TRUE),
        (Compare(c.weight("a"), "<", 1), FALSE),
        (Compare(c.weight("a"), "<=", 1), TRUE),
        (Compare(Over("sum", t, "i", WHOLE), "=", n * t), TRUE),
        (Compare(Over("mean", t, "i", WHOLE), "=", t), TRUE),
        (Compare(Over("sum", t, "i", others), "=", (n - 1) * t), TRUE),
        (Compare(Over("sum", t, "i", nobody), "=", 0), TRUE),
        (ForAll("i", nobody, Compare(t, ">", t)), TRUE),
        (Compare(Over("max", t, "i", nobody), "=", 0), "vacuous"),
        (Compare(Over("mean", t, "i", nobody), "=", 0), "vacuous"),
        (Compare(Over("sum", Over("sum", c.weight("j"), "j", WHOLE), "i", others), "=", n - 1), TRUE),
        (Compare(Over("sum", c.weight("i"), "i", Range("n", 2)), "<", 1), TRUE),
        (
            Compare(Over("sum", c.weight("i"), "i", Range("n", 2)), "=", 1 - c.weight(Number(Fraction(1)))),
            TRUE,
        ),
        (Compare(Over("sum", c.weight("i"), "i", Range("n", 2)), ">", 0), FALSE),
        (Compare(1 / (n - 1), ">", 0), TRUE),
        (Compare(1 / (n - 2), ">", 0), FALSE),
        (Or(Compare(t, "=", 0), Compare(t / t, "=", 1)), TRUE),
        (Compare(t / t, "=", 2), FALSE),
        (Compare(n / n, "=", 1), TRUE),
    ]
    for shape, truth in rng.sample(known, 8):
        claim = Claim(shape, truth=None if truth == "vacuous" else truth)
        claim.vacuous = truth == "vacuous"
        problem.claims.append(claim)
    for truth_and_text in rng.sample(
        [
            ("t/t = 1", "t = 0"),
            ("1/t = 1", "t = 0"),
            ("ln(t) <= t", "t = 0"),
            ("sqrt(t) = 1", "t = -1"),
            ("1/(t - 1) > 0", "t = 1"),
            ("t/(s - 2) = 1", "s = 2"),
            ("1/(t - s) = 1", "s = t"),
            ("ln(t) = 0", "t <= 0"),
            ("mean(c.weight[i] for i != a) <= 1", "n = 1"),
            ("max(c.weight[i] for i != a) <= 1", "n = 1"),
        ],
        2,
    ):
        claim = Claim(
            Known(truth_and_text[0], None), extra=rng.choice(["at ", "for ", "given "]) + truth_and_text[1]
        )
        claim.vacuous = True
        problem.claims.append(claim)
    return problem


def matrices(rng):
    """Matrices of symbolic size, and of small numbers; assumptions, permutations, softmax by rows."""
    problem = Problem("matrices", rng)
    square = rng.choice(["n", "n", "n", "2", "1"])
    if square == "n":
        problem.size("n", 1, 3)
    count = lambda names: names["n"] if square == "n" else int(square)
    problem.say(f"matrix A[{square},{square}], B[{square},{square}], C[{square},{square}]")
    problem.say(f"permutation P[{square}]; vector x[{square}], y[{square}]")

    def matrix(names, rng, trial):
        return some_vectors(rng, rng.choice([3, 4, 5, 6, 8]), count(names), count(names), "", names)

    def orthogonal(names, rng, trial):
        return some_vectors(rng, trial, count(names), count(names), "orthonormal", names)

    def permutation(names, rng, trial):
        order = list(range(count(names)))
        rng.shuffle(order)
        return [[Fraction(int(chosen == j)) for j in range(len(order))] for chosen in order]

    assumption = rng.choice(["none", "none", "orthogonal", "symmetric", "projection", "commute"])
    a, b, c, p, x, y = (Name(name) for name in "ABCPxy")
    problem.free("B", matrix)
    problem.free("C", matrix)
    problem.free("P", permutation)
    vector = lambda names, rng, trial: some_vectors(
        rng, rng.choice([3, 4, 5, 6]), 1, count(names), "", names
    )[0]
    problem.free("x", vector)
    problem.free("y", vector)
    identity = Closed(
        "I",
        lambda at: at.convert(
            [[Fraction(int(i == j)) for j in range(count(at.raw))] for i in range(count(at.raw))]
        ),
    )
    if assumption == "none":
        problem.free("A", matrix)
    elif assumption == "orthogonal":
        problem.given(Compare(Transposed(a) * a, "=", identity), word="assume")
        problem.free("A", orthogonal)
    elif assumption == "symmetric":
        problem.given(Compare(Transposed(a), "=", a), word="assume")

        def symmetric(names, rng, trial):
            rows = matrix(names, rng, trial)
            return [[rows[i][j] + rows[j][i] for j in range(len(rows))] for i in range(len(rows))]

        problem.free("A", symmetric)
    elif assumption == "projection":
        problem.given(Compare(a * a, "=", a), word="assume")

        def projection(names, rng, trial):
            rank, skew = trial % (count(names) + 1), rng.choice(SIMPLE) if rng.random() < 0.5 else Fraction(0)
            rows = [
                [Fraction(int(i == j and i < rank)) for j in range(count(names))] for i in range(count(names))
            ]
            if 0 < rank < count(names):
                rows[0][-1] = skew
            return rows

        problem.free("A", projection)
    else:
        problem.given(Compare(a * b, "=", b * a), word="assume")
        problem.free(
            "A",
            lambda names, rng, trial: [
                [t * entry for entry in row] for t in [rng.choice(SIMPLE)] for row in names["B"]
            ],
        )
    square_ones = [a, b, c, p, Transposed(a), Transposed(p), identity]

    def product_tree(depth):
        if depth == 0:
            return rng.choice(square_ones)
        left, right = product_tree(depth - 1), product_tree(rng.randrange(depth))
        return rng.choice([left * right, left * right, left + right, left - right])

    for _ in range(3):
        tree = product_tree(rng.choice([1, 2]))
        problem.claims.append(Claim(Compare(tree, "=", product_tree(rng.choice([1, 2])))))
    known = [
        (Transposed(a * b), Transposed(b) * Transposed(a)),
        (a * (b + c), a * b + a * c),
        (Transposed(p) * p, identity),
        (p * Transposed(p), identity),
        (Softmax(p * a), p * Softmax(a)),
        (Softmax(a * p), Softmax(a) * p),
        ((a * b) * c, a * (b * c)),
        (a * p * Transposed(p), a),
        (Transposed(Transposed(a)), a),
    ]
    for left, right in rng.sample(known, 2):
        problem.claims.append(Claim(Compare(left, "=", right), truth=TRUE))
    open_ones = [
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
    for shape in rng.sample(open_ones, 3):
        problem.claims.append(Claim(shape))
    if square == "n":
        problem.claims.append(
            Claim(rng.choice(open_ones), premises=[("at", Compare("n", "=", 1))], pools={"n": [1]})
        )
    problem.names |= set("ABCPxyn")
    return problem


def tokens(rng):
    """self_attend over a few tokens: with matrices, causal, with one token changed."""
    problem = Problem("self attention", rng)
    letters = ["a", "b", "c"]
    length = rng.choice(["", "norm beta"])
    problem.say(f"vectors u[a,b,c] {'orthogonal, norm beta' if length else 'orthonormal'}")
    problem.parameter("beta", [Fraction(1), HALF, Fraction(2), Fraction(1, 10)])
    if length:
        problem.premises.append(Compare("beta", ">", 0))
        problem.free(
            "u",
            lambda names, rng, trial: (
                Family(letters, some_vectors(rng, trial, 3, 3 + trial % 2, "orthogonal, norm beta", names))
                if names["beta"] > 0
                else no_value()
            ),
        )
    else:
        problem.free(
            "u",
            lambda names, rng, trial: Family(
                letters, some_vectors(rng, trial, 3, 3 + trial % 2, "orthonormal", names)
            ),
        )
    u = Name("u")

    def token():
        found = rng.choice([1, 1, -1, 2, Name("beta") if not length else 1]) * u[Letter(rng.choice(letters))]
        if rng.random() < 0.6:
            found = found + rng.choice([node(1), node(-1), Name("t")]) * u[Letter(rng.choice(letters))]
        return found

    problem.parameter("t")
    count = rng.choice([2, 3])
    parts = [token() for _ in range(count)]
    problem.say("; ".join(f"x[{place}] = {part.text()}" for place, part in enumerate(parts, 1)))
    problem.definitions["x"] = Tokens(*parts)
    problem.names |= {"x", "u", "t", "beta"}
    chosen = None
    if rng.random() < 0.5:
        names = ["Q", "K", "V"]
        for name in names:
            matrix = u[Letter(rng.choice(letters))] * Transposed(u[Letter(rng.choice(letters))])
            if rng.random() < 0.5:
                matrix = matrix - u[Letter(rng.choice(letters))] * Transposed(u[Letter(rng.choice(letters))])
            problem.define(name, matrix)
        chosen = [Name(name) for name in names]
    causal = rng.random() < 0.4
    problem.define("z", SelfAttend("x", chosen, causal))
    outputs = ["z"]
    if rng.random() < 0.5:
        problem.define("y", SelfAttend(With("x", rng.randint(1, count), token()), chosen, causal))
        outputs.append("y")
    place = lambda: rng.randint(1, count)
    scope = Scope(
        rng,
        [lambda: TokenWeight(rng.choice(outputs), place(), place())] * 3
        + [lambda: Name(rng.choice(outputs))[Number(Fraction(place()))].dot(u[Letter(rng.choice(letters))])]
        + [lambda: Name("t"), lambda: Name("beta")],
        {},
    )
    for _ in range(5):
        problem.claims.append(Claim(proposition(scope, rng.choice([0, 1]))))
    i = place()
    problem.claims.append(
        Claim(
            Compare(
                TokenWeight("z", i, 1) + sum((TokenWeight("z", i, j) for j in range(2, count + 1)), node(0)),
                "=",
                1,
            ),
            truth=TRUE,
        )
    )
    if causal:
        problem.claims.append(Claim(Compare(TokenWeight("z", 1, 2), "=", 0), truth=TRUE))
        problem.claims.append(Claim(Compare(TokenWeight("z", 1, 1), "<", 1), truth=FALSE))
    problem.claims.append(
        Claim(Compare(Name("z")[Number(Fraction(place()))], "=", Name("x")[Number(Fraction(place()))]))
    )
    problem.claims.append(
        Claim(
            Compare(
                Name("z")[Number(Fraction(place()))],
                rng.choice(["=", "!="]),
                Name("z")[Number(Fraction(place()))],
            )
        )
    )
    return problem


def no_value():
    raise NoValue


def heads(rng):
    """The mean of two heads."""
    problem = Problem("heads", rng)
    problem.size("n", 2)
    problem.given(Compare("n", ">=", 2))
    parameter_bounds(problem, rng)
    problem.parameter("beta")
    properties = rng.choice(["", "orthonormal", "norm 1"])
    problem.family("keys", "k", "n", properties)
    problem.family("values", "v", "n")
    problem.pick(["a", "b"], WHOLE)
    problem.define("c", Attend(query_of(rng, "k", ["a"], WHOLE), "k", "v"))
    problem.define("d", Attend(query_of(rng, "k", ["b"], WHOLE), "k", "v"))
    problem.define("m", Mean("c", "d"))
    m, v = Name("m"), Name("v")
    scope = Scope(
        rng,
        [lambda: Name("beta")],
        {
            "n": [
                lambda i: Name("c").weight(i),
                lambda i: Name("d").weight(i),
                lambda i: Head(m, 1).weight(i),
                lambda i: Head(m, 2).weight(i),
                lambda i: Closed(
                    f"m.weight[{i.text()}]",
                    lambda at: (
                        at.look_up("c").weights[i.index(at) - 1] + at.look_up("d").weights[i.index(at) - 1]
                    )
                    / 2,
                ),
            ]
        },
    )
    scope.indexes["n"] = ["a", "b"]
    for _ in range(4):
        problem.claims.append(Claim(proposition(scope, rng.choice([0, 1]))))
    for _ in range(2):
        problem.claims.append(Claim(quantified(scope, [("n", WHOLE)], 1)))
    shapes = [
        (Compare("m", "=", (Name("c") + Name("d")) / 2), TRUE),
        (Compare("m", "=", Mean("d", "c")), TRUE),
        (Known("m in hull(v)", TRUE), TRUE),
        (Compare("m", "=", "c"), FALSE),
        (Compare("m", "=", (v["a"] + v["b"]) / 2), None),
        (Compare(2 * m - "c", "=", "d"), TRUE),
        (Compare(Mean("c", "c"), "=", "c"), TRUE),
    ]
    for shape, truth in rng.sample(shapes, 3):
        problem.claims.append(Claim(shape, truth=truth if truth == TRUE else None))
    return problem


def exists(rng):
    """Numbers and queries that exist, or do not; the answers are known."""
    problem = Problem("exists", rng)
    r = rng.choice([1, 2, 3, HALF])
    known = [
        (f"exists t: t^2 = {r}", TRUE),
        (f"exists t: t^2 = -{r}", FALSE),
        ("exists t: t*s = 1", FALSE),
        ("exists t: t + s = 0", TRUE),
        (f"exists t: t > s + {r}", TRUE),
        (f"exists t: t < s and t > s + {r}", FALSE),
        ("exists t: e^t = s", FALSE),
        (f"exists t: e^t = s^2 + {r}", TRUE),
        (f"exists t: |t - {r}| + |t + {r}| < 2*{r}", FALSE),
        (f"exists t: |t - {r}| + |t + {r}| <= 2*{r}", TRUE),
        ("exists t: t^3 = s", TRUE),
        ("exists t: t^2 = s", FALSE),
        ("exists t: t^2 + t*s + 1 = 0", FALSE),
        ("exists t: t^2 + t*s - 1 = 0", TRUE),
        ("exists t: t^2 + 1 < 2*t", FALSE),
        ("exists t: t^2 + 1 <= 2*t", TRUE),
        ("exists t: t > s implies t > s + 1", TRUE),
        ("exists t: t = s and t != s", FALSE),
        (f"exists t: t >= {r} and t <= {r}", TRUE),
        (f"exists t: t > {r} and t < {r}", FALSE),
        ("exists t: 0*t = 1", FALSE),
        ("exists t: t/t = 1", TRUE),
        ("exists t: e^t < 0", FALSE),
        ("exists t: e^t <= 1/1000", TRUE),
        ("exists t: t*s = s", TRUE),
        ("exists t: t*s > 0", FALSE),
        ("exists t: t*s >= 0", TRUE),
        ("exists s, t: s + t = 1 and s - t = 3", TRUE),
        ("exists s, t: s + t = 1 and 2*s + 2*t = 3", FALSE),
        ("exists s, t: s*t = 1 and s = 0", FALSE),
        ("exists t: t*s = 1 given s != 0", TRUE),
        ("exists t: t^2 = s given s >= 0", TRUE),
        ("exists t: t^2 = s given s < 0", FALSE),
        ("for all s: exists t: t > s", TRUE),
        ("exists t: for all s: t > s", FALSE),
        ("exists t: t*s = r", FALSE),
        ("exists t: t*s + r = 0 given s > 1", TRUE),
        ("exists t: t^2 >= s", TRUE),
        ("exists t: t^2 <= s", FALSE),
        ("exists t: sqrt(t) = -1", FALSE),
        ("exists t: ln(t) = s", TRUE),
        ("exists t: tanh(t) = 1", FALSE),
        ("exists t: t^2 - t + s = 0", FALSE),
        ("exists t: 1/t = 0", FALSE),
        ("exists t: 1/t = s", FALSE),
    ]
    for text, truth in rng.sample(known, 4):
        body, _, condition = text.partition(" given ")
        condition = f"given {condition}" if condition else ""
        if (
            rng.random() < 0.3
            and not condition
            and text.startswith("exists")
            and " s" not in body.replace("exists s", "")
            and "*s" not in body
            and "s," not in body
        ):
            problem.claims.append(Claim(Known(f"not {body}", -truth), truth=-truth))
        else:
            problem.claims.append(Claim(Known(body, truth), truth=truth, extra=condition))
    for claim in problem.claims:
        free = re.search(r"\b[sr]\b", claim.text().split(":", 1)[1]) is not None
        if claim.text().startswith("claim: not") and free:
            claim.truth = None
    width = rng.choice([1, 1, 2])
    count = rng.choice([3, 4])
    rows = [[rng.choice([-2, -1, 0, 1, 2]) for _ in range(width)] for _ in range(count)]
    problem.say(
        "keys k = " + (str([row[0] for row in rows]) if width == 1 and rng.random() < 0.5 else str(rows))
    )
    problem.say(f"values v[1..{count}]")
    for _ in range(3):
        i = rng.randrange(count)
        alone = exposed(rows, [i])
        problem.claims.append(Claim(Known(f"exists q: attend(q, k, v) ~ v[{i + 1}]", None), truth=alone))
        problem.claims.append(Claim(Known(f"not exists q: attend(q, k, v) ~ v[{i + 1}]", None), truth=-alone))
        i, j = rng.sample(range(count), 2)
        problem.claims.append(
            Claim(
                Known(f"exists q: attend(q, k, v) ~ 1/2 (v[{i + 1}] + v[{j + 1}])", None),
                truth=exposed(rows, [i, j]),
            )
        )
        problem.claims.append(
            Claim(
                Known(
                    f"exists q: attend(q, k, v).weight[{i + 1}] > {rng.choice(['0', '1/' + str(count)])}",
                    None,
                ),
                truth=None,
            )
        )
        problem.claims[-1].truth = TRUE if problem.claims[-1].text().endswith("> 0") else None
        problem.claims.append(
            Claim(
                Known(f"exists q: attend(q, k, v).weight[{i + 1}] = attend(q, k, v).weight[{j + 1}]", None),
                truth=TRUE,
            )
        )
        problem.claims.append(
            Claim(Known(f"exists q: attend(q, k, v).weight[{i + 1}] >= 1", None), truth=FALSE)
        )
        problem.claims.append(Claim(Known(f"exists q: attend(q, k, v) = v[{i + 1}]", None), truth=FALSE))
    problem.claims = [claim for claim in problem.claims if claim.truth is not None]
    return problem


def exposed(rows, chosen):
    """Whether some direction ties just these rows at the top; rows of width 1 or 2, small whole numbers."""
    if any(rows[i] == rows[chosen[0]] for i in range(len(rows)) if i not in chosen):
        return FALSE
    if len(rows[0]) == 1:
        directions = [(1,), (-1,), (0,)]
    else:
        directions = [(x, y) for x in range(-40, 41) for y in range(-40, 41)]
    for direction in directions:
        scores = [sum(a * b for a, b in zip(row, direction)) for row in rows]
        top = max(scores)
        if {i for i, score in enumerate(scores) if score == top} == set(chosen):
            return TRUE
    return FALSE


def limits(rng):
    """One parameter grows, or tends to 0; all else is fixed."""
    problem = Problem("limits", rng)
    beta = Name("beta")
    kind = rng.choice(["orthonormal", "listed", "numbers", "growing"])
    problem.parameter("t", [Fraction(1), Fraction(-1), HALF, Fraction(0)])
    t = Name("t")
    targets = []
    if kind == "numbers":
        atoms = [
            beta,
            Exp(beta),
            Exp(-beta),
            1 / beta,
            t,
            beta * t,
            node(1),
            node(0),
            Exp(t * beta),
            beta / (1 + beta),
            (t + beta) / beta,
            beta * Exp(-beta),
            t / beta,
            Call("tanh", beta),
            Call("sqrt", beta * beta + beta) - beta,
            HALF * node(1),
        ]
        pairs = [
            (rng.choice(atoms) * rng.choice([node(1), node(1), rng.choice(atoms)]), rng.choice(atoms))
            for _ in range(8)
        ]
        atomic = lambda: Compare(
            *rng.choice([(x, sign, y) for x, y in pairs for sign in ("~", "~", "=", "!=", "<", ">=")])
        )
    elif kind == "growing":
        problem.say("vectors u[a,b,c] orthogonal, norm beta")
        problem.free("u", lambda names, rng, trial: None)
        return growing(problem, rng)
    else:
        if kind == "orthonormal":
            picks = rng.choice([["a", "b"], ["a"]])
            problem.size("n", len(picks))
            if rng.random() < 0.5:
                problem.given(Compare("n", ">=", len(picks) + rng.choice([0, 1])))
            problem.family(
                "keys",
                "k",
                "n",
                rng.choice(["orthonormal", "orthonormal", "orthogonal, norm 2", "norm 1", ""]),
            )
            problem.family("values", "v", "n")
            problem.pick(picks, WHOLE)
            indexes = [node(pick) for pick in picks]
            everyone = Over("mean", Name("v")["i"], "i", WHOLE)
            query = query_of(rng, "k", picks, WHOLE)
        else:
            count, width = rng.randint(2, 4), rng.randint(1, 2)
            problem.listed("keys", "k", some_rows(rng, count, width))
            problem.family("values", "v", count)
            indexes = [Number(Fraction(i + 1)) for i in range(count)]
            everyone = Over("mean", Name("v")["i"], "i", Range(count))
            query = (
                beta * Name("k")[rng.choice(indexes)]
                + rng.choice([node(0), beta, -beta, node(1), t]) * Name("k")[rng.choice(indexes)]
            )
        problem.define("c", Attend(query, "k", "v"))
        v, c = Name("v"), Name("c")
        targets = [v[rng.choice(indexes)], (v[indexes[0]] + v[indexes[-1]]) / 2, everyone, v[indexes[-1]]]
        numbers = [node(0), node(1), node(HALF), Number(Fraction(1, 3)), c.weight(rng.choice(indexes))]
        weight = lambda: c.weight(rng.choice(indexes))
        atomic = lambda: rng.choice(
            [
                lambda: Compare("c", rng.choice(["~", "~", "=", "!="]), rng.choice(targets)),
                lambda: Compare(weight(), rng.choice(["~", "=", "!=", "<", ">=", ">"]), rng.choice(numbers)),
                lambda: Compare(weight() * beta, rng.choice(["~", "<"]), rng.choice(numbers)),
                lambda: Compare(weight() - weight(), rng.choice(["~", ">=", "<"]), rng.choice(numbers)),
            ]
        )()
    problem.names.add("beta")
    for _ in range(7):
        choice = rng.random()
        body = atomic()
        if choice < 0.12:
            body = And(body, atomic())
        elif choice < 0.24:
            body = Or(body, atomic())
        elif choice < 0.36:
            body = Not(body)
        problem.claims.append(
            Claim(
                body,
                limit=[
                    (
                        "beta",
                        rng.choice(["inf", "inf", "inf", "0"] if kind != "numbers" else ["inf", "inf", "0"]),
                    )
                ],
            )
        )
    for claim in problem.claims:
        if claim.limit[0][1] == "0":
            claim.extra = "given beta > 0"
    return problem


def growing(problem, rng):
    """Tokens whose length grows with beta: distances are measured like all others."""
    letters = ["a", "b", "c"]

    class Grown(Closed):
        """u as a family of vectors of length beta."""

    def family(at):
        beta = at.look_up("beta")
        zero = at.arithmetic.number(0)
        return Family(
            letters,
            [
                numpy.array([beta if i == j else zero for j in range(3)], dtype=at.arithmetic.kind)
                for i in range(3)
            ],
        )

    problem.steps = [(name, step) for name, step in problem.steps if name != "u"]
    problem.definitions["u"] = Grown("u", family)
    u = Name("u")
    token = lambda: rng.choice(
        [
            u[Letter(rng.choice(letters))],
            u[Letter(rng.choice(letters))] + u[Letter(rng.choice(letters))],
            2 * u[Letter(rng.choice(letters))],
        ]
    )
    parts = [token() for _ in range(3)]
    problem.say("; ".join(f"x[{place}] = {part.text()}" for place, part in enumerate(parts, 1)))
    problem.definitions["x"] = Tokens(*parts)
    problem.define("z", SelfAttend("x"))
    problem.names |= {"u", "x", "beta"}
    for _ in range(6):
        i, j = rng.randint(1, 3), rng.randint(1, 3)
        target = rng.choice(
            [Name("x")[Number(Fraction(j))], token(), (token() + token()) / 2, Name("z")[Number(Fraction(j))]]
        )
        body = rng.choice(
            [
                Compare(Name("z")[Number(Fraction(i))], rng.choice(["~", "~", "=", "!="]), target),
                Compare(
                    TokenWeight("z", i, j),
                    rng.choice(["~", ">=", "<", "="]),
                    rng.choice([node(1), node(0), node(HALF), Number(Fraction(1, 3))]),
                ),
                Compare(
                    Size(Name("z")[Number(Fraction(i))] - target),
                    rng.choice(["<", "~", ">="]),
                    rng.choice([node(1), node(0)]),
                ),
                Compare(
                    Name("z")[Number(Fraction(i))].dot(u[Letter("a")]),
                    "~",
                    Name("x")[Number(Fraction(j))].dot(u[Letter("a")]),
                ),
            ]
        )
        if rng.random() < 0.15:
            body = Not(body)
        problem.claims.append(Claim(body, limit=[("beta", "inf")]))
    return problem


def tied_limits(rng):
    """Premises with the limit's own parameter, and one limit after the other: known answers."""
    problem = Problem("limits with premises", rng)
    problem.say("given n >= 2")
    problem.say("keys k[1..n]")
    problem.say("values v[1..n]")
    problem.say("pick j, l distinct in 1..n")
    problem.say("vector q")
    problem.say("keys o[1..n] orthonormal")
    problem.say("c = attend(q, k, v)")
    problem.say("d = attend(alpha*beta*o[j], o, v)")
    margin = "given for all i != j: k[j].q - k[i].q >= "
    known = [
        ("c ~ v[j]", "as Delta -> inf, " + margin + "Delta", TRUE),
        ("c ~ v[j]", "as Delta -> inf, " + margin + "1", FALSE),
        ("c ~ v[j]", "as Delta -> inf, " + margin + "Delta/2", TRUE),
        ("c ~ v[j]", "as Delta -> inf, given k[j].q >= Delta", FALSE),
        ("c ~ v[l]", "as Delta -> inf, " + margin + "Delta", FALSE),
        ("c.weight[j] ~ 1", "as Delta -> inf, " + margin + "2*Delta", TRUE),
        ("c.weight[j] ~ 1", "as Delta -> inf, " + margin + "-Delta", FALSE),
        ("c.weight[l] ~ 0", "as Delta -> inf, " + margin + "Delta", TRUE),
        ("c.weight[j] > 1/2", "as Delta -> inf, " + margin + "Delta", TRUE),
        ("c.weight[l] ~ 0", "as Delta -> inf, given k[j].q - k[l].q >= Delta", TRUE),
        ("c.weight[j] ~ 1", "as Delta -> inf, given k[j].q - k[l].q >= Delta", FALSE),
        ("c.weight[j] != 1", "as Delta -> inf, " + margin + "Delta", FALSE),
        ("c.weight[j] = 1", "as Delta -> inf, " + margin + "Delta", TRUE),
        ("not c.weight[j] ~ 1", "as Delta -> inf, " + margin + "Delta", FALSE),
        ("c.weight[j] ~ 1 and c.weight[l] ~ 0", "as Delta -> inf, " + margin + "Delta", TRUE),
        ("c.weight[j] ~ 0 or c.weight[l] ~ 0", "as Delta -> inf, " + margin + "Delta", TRUE),
        ("alpha*beta ~ 0", "as alpha -> 0 then beta -> inf", TRUE),
        ("alpha*beta ~ 0", "as beta -> inf then alpha -> 0, given alpha > 0", FALSE),
        ("e^(-alpha*beta) ~ 1", "as alpha -> 0 then beta -> inf", TRUE),
        ("e^(-alpha*beta) ~ 0", "as alpha -> 0 then beta -> inf", FALSE),
        ("e^(-alpha*beta) ~ 0", "as beta -> inf then alpha -> 0, given alpha > 0", TRUE),
        ("e^(-alpha*beta) ~ 1", "as beta -> inf then alpha -> 0, given alpha > 0", FALSE),
        ("d.weight[j] ~ 1/n", "as alpha -> 0 then beta -> inf", TRUE),
        ("d.weight[j] ~ 1", "as alpha -> 0 then beta -> inf", FALSE),
        ("d.weight[j] ~ 1", "as beta -> inf then alpha -> 0, given alpha > 0", TRUE),
        ("d.weight[j] ~ 1/n", "as beta -> inf then alpha -> 0, given alpha > 0", FALSE),
        ("d ~ v[j]", "as beta -> inf, given alpha > 0", TRUE),
        ("d ~ v[j]", "as beta -> inf, given alpha >= 0", FALSE),
        ("d ~ v[j]", "as beta -> inf", FALSE),
        ("d.weight[j] ~ 1 or d.weight[j] ~ 0 or d.weight[j] ~ 1/n", "as beta -> inf", FALSE),
        ("d.weight[j] ~ 1", "as beta -> inf, for alpha >= 1/100", TRUE),
        ("s*e^-beta ~ 0", "as beta -> inf", TRUE),
        ("s/beta ~ 0", "as beta -> inf, given s >= 5", TRUE),
        ("beta > s", "as beta -> inf", TRUE),
        ("beta*s > 0", "as beta -> inf", FALSE),
        ("beta*s >= 0", "as beta -> inf, given s >= 0", TRUE),
        ("t*s ~ 0", "as t -> 0", TRUE),
        ("t*s ~ 0 and t^2 ~ 0", "as t -> 0", TRUE),
        ("s + t = s", "as t -> 0", TRUE),
        ("s + t != s", "as t -> 0", FALSE),
        ("not s + t = s", "as t -> 0", FALSE),
        ("1/t ~ 0", "as t -> 0, given t > 0", FALSE),
        ("t/t ~ 1", "as t -> 0", TRUE),
        ("|t|/t ~ 1", "as t -> 0, given t > 0", TRUE),
        ("e^(-1/t) ~ 0", "as t -> 0, given t > 0", TRUE),
        ("1/n ~ 0", "as beta -> inf", FALSE),
        ("beta^s ~ 0", "as beta -> inf, given s < 0", TRUE),
        ("beta^s ~ 0", "as beta -> inf", FALSE),
        ("beta^s*e^-beta ~ 0", "as beta -> inf", TRUE),
        ("c.weight[j] ~ 1", "as |q| -> inf", None),
        ("1/n ~ 0", "as n -> inf", TRUE),
        ("d.weight[j] ~ 0", "as n -> inf", TRUE),
        ("d.weight[j] ~ 1/n", "as n -> inf", TRUE),
        ("d.weight[j] < 1/2", "as n -> inf", TRUE),
        ("n*d.weight[j] ~ 1", "as n -> inf", FALSE),
    ]
    known = [entry for entry in known if entry[2] is not None]
    problem.names |= {"i", "n", "k", "v", "j", "l", "q", "o", "c", "d", "alpha", "beta", "s", "t", "Delta"}
    for body, conditions, truth in rng.sample(known, 8):
        problem.claims.append(Claim(Known(body, truth), truth=truth, extra=conditions))
    return problem


def random_keys(rng):
    """Moments of scores in closed form."""
    problem = Problem("random keys", rng)
    problem.size("n", 3, 2)
    problem.dimension = "d"
    problem.frames.append(Name("n"))
    problem.parameter("alpha", [Fraction(1), HALF, Fraction(1, 10), Fraction(3)])
    problem.given(Compare("n", ">=", 3), Compare("alpha", ">", 0))
    problem.say("means mu[1..n] orthonormal, dimension d")
    problem.say("values v[1..n]")
    problem.say("pick a, b distinct in 1..n")
    problem.say("keys k[i] ~ normal(mu[i], alpha*I)")
    problem.names |= {"n", "d", "mu", "v", "a", "b", "k", "alpha"}
    al, d = Name("alpha"), Name("d")
    known = [
        ("E(k[a].mu[a])", node(1)),
        ("E(k[a].mu[b])", node(0)),
        ("Var(k[a].mu[b])", al),
        ("Cov(k[a].mu[a], k[a].mu[b])", node(0)),
        ("Cov(k[a].mu[a], k[b].mu[a])", node(0)),
        ("E(|k[a]|^2)", 1 + al * d),
        ("Var(k[a].k[b])", 2 * al + al * al * d),
        ("E(k[a].k[b])", node(0)),
        ("E(|k[a] - k[b]|^2)", 2 + 2 * al * d),
        ("Var(|k[a]|^2)", 4 * al + 2 * al * al * d),
        ("E((k[a].mu[b])^2)", al),
        ("E((k[a].mu[a])^2)", 1 + al),
        ("E((k[a].mu[a])^3)", 1 + 3 * al),
        ("E((k[a].mu[a])^4)", 1 + 6 * al + 3 * al * al),
        ("E((k[a].k[b])^2)", 2 * al + al * al * d),
        ("Var((mu[a] + mu[b]).k[a])", 2 * al),
        ("P(k[a].mu[b] < 0)", node(HALF)),
        ("P(k[a].mu[a] > 1)", node(HALF)),
        ("P(k[a].mu[a] > 1 and k[b].mu[b] > 1)", Number(Fraction(1, 4))),
        ("Var(k[a].mu[a] + k[b].mu[b])", 2 * al),
        ("Cov(k[a].mu[a], k[a].(mu[a] + mu[b]))", al),
        ("Var(2*k[a].mu[a])", 4 * al),
        ("E(k[a].mu[a]*k[b].mu[b])", node(1)),
        ("Cov(k[a].k[b], k[a].mu[b])", al),
        ("P(k[a].mu[a] > k[b].mu[a] + 1)", node(HALF)),
        ("Var(k[a].mu[a] - k[a].mu[b])", 2 * al),
        ("E(|k[a] + k[b]|^2)", 2 + 2 * al * d),
        ("P(k[a].mu[b] < 0 or k[b].mu[a] < 0)", Number(Fraction(3, 4))),
        ("P(not k[a].mu[b] < 0)", node(HALF)),
        ("Cov(k[a].k[b], k[a].k[b])", 2 * al + al * al * d),
        ("E(k[a].mu[b]*k[b].mu[a])", node(0)),
        ("Var(k[a].mu[b]*k[b].mu[a])", al * al),
    ]
    for _ in range(7):
        text, formula = rng.choice(known)
        left = Closed(text, formula.value)
        choice = rng.random()
        if choice < 0.4:
            right = formula
        elif choice < 0.6:
            right = rng.choice(known)[1]
        elif choice < 0.8:
            right = formula + rng.choice([al, node(1), -al, al * al, node(Fraction(1, 1000))])
        else:
            other = rng.choice(known)
            right = Closed(other[0], other[1].value)
        claim = Claim(Compare(left, rng.choice(["=", "=", "<=", ">=", "<", "!="]), right))
        if rng.random() < 0.3:
            fixed = rng.choice([Fraction(1, 4), Fraction(2)])
            claim.premises, claim.pools = [("at", Compare("alpha", "=", fixed))], {"alpha": [fixed]}
        problem.claims.append(claim)
    return problem


def find_least(rng):
    """find least beta, or n: the number is tried just below and just above."""
    problem = Problem("find least", rng)
    problem.say("given n >= 2, beta > 0" if rng.random() < 0.7 else "given n >= 2")
    positive = "beta" in problem.lines[0]
    problem.say("keys k[1..n] orthonormal")
    problem.say("values v[1..n]")
    problem.say("pick a, b distinct in 1..n")
    beta, n = Name("beta"), Name("n")
    problem.names |= {"n", "beta", "k", "v", "a", "b", "c", "d"}
    one, two = rng.choice([1, 2, HALF]), rng.choice([0, 1, -1])
    problem.say(f"c = attend({one}*beta*k[a] + ({two})*beta*k[b], k, v)")

    def weight(which):
        def value(at):
            if at.arithmetic.exact:
                raise Inexact
            first = at.arithmetic.exp(at.arithmetic.number(Fraction(one)) * at.look_up("beta"))
            second = at.arithmetic.exp(at.arithmetic.number(Fraction(two)) * at.look_up("beta"))
            total = first + second + at.look_up("n") - 2
            return {"a": first, "b": second}[which] / total

        return Closed(f"c.weight[{which}]", value)

    a, b = weight("a"), weight("b")
    levels = [Fraction(1, 2), Fraction(9, 10), Fraction(1, 10), Fraction(99, 100), Fraction(1, 3)]
    for _ in range(5):
        level = rng.choice(levels)
        shape = rng.choice(
            [
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
                Compare(a, ">=", Fraction(1, 2)),
                Compare(a, "<=", level),
                Compare(beta, "<=", 3),
                Compare(1 / beta, "<=", level),
                Compare(a, ">=", b),
                And(Compare(beta, ">=", 1), Compare(beta, ">=", 5)),
            ]
        )
        find = Find(
            "beta", shape, {"n": rng.choice([2, 3, 10, 100])}, least=Fraction(0) if positive else None
        )
        find.definitions = problem.definitions
        problem.claims.append(find)
    level = rng.choice(levels)
    shape = rng.choice(
        [
            Compare(a, "<=", level),
            Compare(b, "<=", level),
            Compare(1 - a - b, ">=", level),
            Compare(n * n, ">=", 50),
            Compare(n, ">=", Fraction(7, 2)),
            Compare(1 / n, "<=", Fraction(1, 10)),
            Compare(a, ">=", level),
        ]
    )
    find = Find("n", shape, {"beta": rng.choice([1, 2, 3])}, whole=True, least=2)
    find.definitions = problem.definitions
    problem.claims.append(find)
    return problem


def tables(rng):
    """Keys of numbers in a file, many of them; queries along rows, limits, ranges and numbers."""
    problem = Problem("tables", rng)
    count, width = rng.choice([3, 3, 5, 5, 20, 20, 70]), rng.choice([1, 2, 3])
    pool = rng.choice(
        [[-1, 0, 1], [-2, -1, 0, 1, 2, 3], [Fraction(1, 10), Fraction(-3, 10), Fraction(7, 5), 1, 0]]
    )
    rows = [[rng.choice(pool) for _ in range(width)] for _ in range(count)]
    if rng.random() < 0.3:
        rows[-1] = [x + Fraction(1, 10**6) for x in rows[0]]
    name = f"table{rng.randrange(10 ** 9)}.csv"
    problem.files[name] = "\n".join(",".join(decimal(x) for x in row) for row in rows) + "\n"
    problem.say(f'keys k = file("{name}")')
    problem.free(
        "k", lambda names, rng, trial: Family(range(1, count + 1), [list(map(Fraction, row)) for row in rows])
    )
    problem.family("values", "v", count)
    problem.parameter("beta")
    k, v, c, beta = Name("k"), Name("v"), Name("c"), Name("beta")
    row = lambda: Number(Fraction(rng.randint(1, count)))
    query = beta * k[row()]
    if rng.random() < 0.5:
        query = query + rng.choice([beta, -beta, node(1), node(-2)]) * k[row()]
    if rng.random() < 0.3:
        query = beta * Listed(*[rng.choice([-1, 0, 1, 2]) for _ in range(width)]) + k[row()]
    problem.define("c", Attend(query, "k", "v"))
    for _ in range(3):
        target = rng.choice([v[row()], (v[row()] + v[row()]) / 2])
        problem.claims.append(
            Claim(Compare("c", rng.choice(["~", "~", "=", "!="]), target), limit=[("beta", "inf")])
        )
    problem.claims.append(
        Claim(
            Compare(
                c.weight(row()),
                rng.choice(["~", "=", "!=", "<", ">="]),
                rng.choice([node(0), node(1), node(HALF), Number(Fraction(1, count))]),
            ),
            limit=[("beta", "inf")],
        )
    )
    level = Number(
        rng.choice([Fraction(1, 2), Fraction(1, count), Fraction(9, 10), Fraction(1, 100), Fraction(1, 3)])
    )
    for _ in range(3):
        left = rng.choice(
            [
                c.weight(row()),
                c.weight(row()) - c.weight(row()),
                2 * c.weight(row()) + c.weight(row()),
                c.weight(row()) + c.weight(row()),
            ]
        )
        shape = Compare(
            left, rng.choice(["<", "<=", ">", ">="]), rng.choice([level, node(0), c.weight(row())])
        )
        low, high = rng.choice([(0, 1), (0, 5), (1, 3), (-2, 2), (0, None), (2, None), (None, 0)])
        conditions = ([("for", Compare("beta", ">=", low))] if low is not None else []) + (
            [("for", Compare("beta", "<=", high))] if high is not None else []
        )
        values = [Fraction(x, 8) for x in range(-40, 81)] + [Fraction(x) for x in (-100, -20, 20, 50, 200)]
        values = [x for x in values if (low is None or x >= low) and (high is None or x <= high)]
        problem.claims.append(Claim(shape, premises=conditions, pools={"beta": values}))
    value = rng.choice([0, 1, 5, 20, HALF])
    problem.claims.append(
        Claim(
            Compare(
                c.weight(row()), rng.choice(["<", "<=", ">", ">=", "="]), rng.choice([level, c.weight(row())])
            ),
            premises=[("at", Compare("beta", "=", value))],
            pools={"beta": [Fraction(value)]},
        )
    )
    problem.claims.append(Claim(Compare(Over("sum", c.weight("i"), "i", Range(count)), "=", 1), truth=TRUE))
    return problem


def decimal(number):
    """A fraction that is a finite decimal, to the letter."""
    number = Fraction(number)
    return str(number) if number.denominator == 1 else f"{float(number):.12f}".rstrip("0")


# --- claims of known truth -----------------------------------------------------------------------

# T: true, F: false, V: no case meets the premises, so that nothing may be said.
KNOWN_CLAIMS = """
problem "pairs of indexes"
given n >= 2
keys k[1..n]
values v[1..n]
vector q
c = attend(q, k, v)
claim: for all i in 1..n: for all j in 1..n: k[i].q > k[j].q implies c.weight[i] > c.weight[j]   # T
claim: for all i in 1..n: for all j in 1..n: k[i].q >= k[j].q implies c.weight[i] > c.weight[j]   # F
claim: for all i in 1..n: for all j in 1..n: c.weight[i] = c.weight[j] implies k[i].q = k[j].q   # T
claim: for all i in 1..n: for all j in 1..n: c.weight[i] + c.weight[j] <= 1   # F
claim: for all i in 1..n: for all j != i: c.weight[i] + c.weight[j] <= 1   # T
claim: for all i in 1..n: for all j != i: c.weight[i] + c.weight[j] < 1   # F
claim: for all i in 1..n: for all j != i: c.weight[i]*c.weight[j] <= 1/4   # T
claim: for all i in 1..n: for all j in 1..n: c.weight[i]*c.weight[j] <= 1/4   # F
claim: for all i in 1..n: for all j in 1..n: (k[i] - k[j]).q = k[i].q - k[j].q   # T
claim: for all i in 1..n: for all j in 1..n: k[i].k[j] = k[j].k[i]   # T
claim: for all i in 1..n: for all j in 1..n: k[i].k[j] <= |k[i]|*|k[j]|   # T
claim: for all i in 1..n: for all j in 1..n: k[i].k[j] < |k[i]|*|k[j]| + 1   # T
claim: for all i in 1..n: for all j in 1..n: k[i].k[j] >= 0   # F
claim: for all i in 1..n: for all j in 1..n: for all l in 1..n: c.weight[i] + c.weight[j] + c.weight[l] <= 3   # T
claim: for all i in 1..n: for all j in 1..n: for all l in 1..n: c.weight[i] + c.weight[j] + c.weight[l] <= 1   # F
claim: for all i in 1..n: for all j in 1..n: for all l in 1..n: (c.weight[i] >= c.weight[j] and c.weight[j] >= c.weight[l]) implies c.weight[i] >= c.weight[l]   # T
claim: for all i in 1..n: for all j in 1..n: for all l in 1..n: (c.weight[i] >= c.weight[j] and c.weight[j] >= c.weight[l]) implies c.weight[i] > c.weight[l]   # F
claim: (for all i in 1..n: for all j in 1..n: k[i].q = k[j].q) implies (for all i in 1..n: c.weight[i] = 1/n)   # T
claim: (for all i in 1..n: k[i].q >= 0) implies (for all i in 1..n: c.weight[i] >= 1/n)   # F
claim: sum(sum(c.weight[i]*c.weight[j] for j in 1..n) for i in 1..n) = 1   # T
claim: sum(sum(c.weight[i]*c.weight[j] for j != i) for i in 1..n) = 1 - sum(c.weight[i]^2 for i in 1..n)   # T
claim: sum(sum(c.weight[i]*c.weight[j] for j != i) for i in 1..n) <= 1/2   # F
claim: sum(c.weight[i]^2 for i in 1..n) >= 1/n   # T
claim: sum(c.weight[i]^2 for i in 1..n) < 1   # T
claim: sum(c.weight[i]^2 for i in 1..n) >= 1/2   # F
claim: sum(sum(1 for j in 1..n) for i in 1..n) = n^2   # T
claim: sum(sum(1 for j != i) for i in 1..n) = n*(n - 1)   # T
claim: for all i in 1..n: sum(c.weight[j] for j != i) = 1 - c.weight[i]   # T
claim: for all i in 1..n: sum(c.weight[j] for j in 1..n) = 1 - c.weight[i]   # F
claim: for all i in 1..n: sum(c.weight[i] for j in 1..n) = n*c.weight[i]   # T
claim: for all i in 1..n: sum(c.weight[i] for j in 1..n) = 1   # F
claim: for all i in 1..n: max(c.weight[j] for j in 1..n) >= c.weight[i]   # T
claim: for all i in 1..n: max(c.weight[j] for j != i) >= c.weight[i]   # F
claim: for all i in 1..n: max(c.weight[j] for j != i) + c.weight[i] <= 1   # T
claim: for all i in 2..n: c.weight[i] < 1   # T
claim: for all i in 2..n: c.weight[i] <= c.weight[1]   # F
claim: for all i in 2..n: c.weight[i] + c.weight[1] <= 1   # T
claim: c.weight[1] < 1   # T
claim: c.weight[1] + c.weight[2] <= 1   # T
claim: c.weight[1] + c.weight[2] < 1   # F
claim: c.weight[1] + c.weight[2] < 1 for n >= 3   # T
claim: c.weight[n] < 1   # T
claim: c.weight[n] + c.weight[1] <= 1   # T
claim: c.weight[n] = c.weight[1] implies k[n].q = k[1].q   # T
claim: c.weight[n] = c.weight[2] for n = 2   # T
problem "two picks in one family, one index over all"
given n >= 2
keys k[1..n] orthonormal
values v[1..n]
pick a, b distinct in 1..n
c = attend(beta*k[a], k, v)
claim: c.weight[a] >= c.weight[i]   for i in 1..n   # F
claim: c.weight[a] >= c.weight[i]   for i in 1..n, beta >= 0   # T
claim: c.weight[a] > c.weight[i]   for i in 1..n, beta > 0   # F
claim: c.weight[a] > c.weight[i]   for i != a, beta > 0   # T
claim: c.weight[b] = c.weight[i]   for i in 1..n   # F
claim: c.weight[b] = c.weight[i]   for i != a   # T
claim: c.weight[b] = c.weight[i]   for i not in {a}   # T
claim: k[a].k[i] = 0   for i in 1..n   # F
claim: k[a].k[i] = 0   for i != a   # T
claim: k[a].k[i] = 0   for i != b   # F
claim: k[i].k[j] = 0   for i != a, j != a   # F
claim: sum(k[i].k[a] for i in 1..n) = 1   # T
claim: sum(k[i].k[a] for i != a) = 0   # T
claim: sum(k[i].k[a] for i != b) = 1   # T
claim: sum(sum(k[i].k[j] for j in 1..n) for i in 1..n) = n   # T
claim: |sum(k[i] for i in 1..n)|^2 = n   # T
claim: |sum(k[i] for i not in {a, b})|^2 = n - 2   # T
claim: |sum(k[i] for i not in {a, b})| > 0   # F
claim: for all i in 1..n: for all j in 1..n: k[i].k[j] = 0 or k[i].k[j] = 1   # T
claim: for all i in 1..n: for all j in 1..n: |k[i] - k[j]| = sqrt(2)   # F
claim: for all i in 1..n: for all j != i: |k[i] - k[j]| = sqrt(2)   # T
claim: for all i in 1..n: for all j in 1..n: k[i].k[j] <= 1   # T
claim: for all i in 1..n: for all j in 1..n: |k[i] + k[j]|^2 = 2 + 2*k[i].k[j]   # T
claim: for all i != a: for all j != a: c.weight[i] = c.weight[j]   # T
claim: for all i in 1..n: for all j in 1..n: c.weight[i] = c.weight[j]   # F
claim: for all i in 1..n: for all j != i: c.weight[i] = c.weight[j]   # F
claim: for all i not in {a, b}: c.weight[i] + c.weight[b] <= 1   # T
claim: for all i not in {a, b}: for all j not in {a, b}: c.weight[i] = c.weight[j]   # T
claim: c.weight[a] + (n - 1)*c.weight[b] = 1   # T
claim: c.weight[a] = 1 - c.weight[b] for n = 2   # T
claim: n >= 3   # F
claim: a != b   # T
problem "pick from one key"
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q
c = attend(q, k, v)
claim: n >= 2   # T
claim: n >= 3   # F
claim: c.weight[a] < 1   # T
claim: c.weight[a] = 1 at n = 1   # V
claim: c.weight[a] = 2 at n = 1   # V
claim: c.weight[a] + c.weight[b] = 1 at n = 2   # T
claim: c.weight[a] + c.weight[b] = 1   # F
claim: k[a].q = k[b].q at n = 2   # F
problem "names of the engine"
given s > 0, others > s
vector slack1, axis
claim: |slack1 + axis| <= |slack1| + |axis|   # T
claim: slack1.axis <= s*|slack1|^2 + |axis|^2/(4*s)   # T
claim: s < others   # T
claim: others < s   # F
claim: |slack1| < others   # F
claim: others - s >= s   # F
claim: slack1.axis = axis.slack1   # T
problem "keys and values in one space"
keys k[1..n]
pick a in 1..n
vector q
c = attend(q, k, k)
claim: |c| <= max(|k[i]| for i in 1..n)   # T
claim: c.q <= max(k[i].q for i in 1..n)   # T
claim: c.q >= min(k[i].q for i in 1..n)   # T
claim: c.q >= mean(k[i].q for i in 1..n)   # T
claim: c.q <= mean(k[i].q for i in 1..n)   # F
claim: c.q = sum(c.weight[i]*k[i].q for i in 1..n)   # T
claim: c.k[a] >= 0   # F
claim: |c - k[a]| <= max(|k[i] - k[a]| for i in 1..n)   # T
claim: c = k[a] implies n = 1   # F
claim: c = k[a] at n = 1   # T
problem "premises about what is defined"
given n >= 2
given c.weight[a] >= 1/2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q
c = attend(q, k, v)
claim: k[a].q >= k[b].q   # T
claim: k[a].q > k[b].q   # F
claim: c.weight[b] <= 1/2   # T
claim: c.weight[b] < 1/2   # F
claim: c.weight[b] < 1/2 for n >= 3   # T
claim: c.weight[a] > 1/n   # F
claim: c.weight[a] >= 1/n   # T
claim: for all i in 1..n: k[i].q <= k[a].q   # T
claim: sum(c.weight[i] for i != a) <= 1/2   # T
claim: sum(c.weight[i] for i != a) < 1/2   # F
problem "a definition in a premise"
given w > 1
w = t^2
claim: t > 1   # F
claim: |t| > 1   # T
claim: t > 1 or t < -1   # T
claim: t^2 > 1   # T
claim: w^2 > w   # T
claim: t != 0   # T
problem "a definition in an equation"
given w = 3
w = 2*t + 1
claim: t = 1   # T
claim: t = 2   # F
claim: w = 3   # T
claim: t > 0   # T
problem "premises of products"
given x*y = 0
claim: x = 0   # F
claim: x = 0 or y = 0   # T
claim: x^2 + y^2 = (x + y)^2   # T
claim: x + y = 0   # F
claim: x*y*z = 0   # T
claim: x^2*y <= 0   # T
problem "circle"
given x^2 + y^2 = 1
claim: x <= 1   # T
claim: x < 1   # F
claim: x + y <= 1   # F
claim: x + y <= sqrt(2)   # T
claim: x + y < sqrt(2)   # F
claim: x*y <= 1/2   # T
claim: x*y < 1/2   # F
claim: |x| + |y| >= 1   # T
claim: |x| + |y| > 1   # F
claim: x^4 + y^4 <= 1   # T
claim: x^4 + y^4 >= 1/2   # T
claim: x^4 + y^4 >= 3/5   # F
claim: x = 1   at y = 0   # F
claim: x^2 = 1   at y = 0   # T
claim: x = 1   at y = 0, x = 1   # T
claim: x = 2   at y = 2   # V
claim: x^2 = -3   at y = 2   # V
problem "sum of squares"
given x^2 + y^2 = 0
claim: x = 0   # T
claim: x = y   # T
claim: x > 0   # F
claim: x*y = 0   # T
problem "roots"
given t^2 = 4
claim: t = 2   # F
claim: t = -2   # F
claim: t = 2 or t = -2   # T
claim: |t| = 2   # T
claim: t^3 = 4*t   # T
claim: t >= 2   # F
claim: t != 0   # T
claim: t = 2   given t > 0   # T
claim: t = 2   for t >= -1   # T
claim: t = 3   at t = 3   # V
problem "tied parameters"
given s = 2*t, t >= 1
claim: s >= 2   # T
claim: s > 2   # F
claim: s > t   # T
claim: s = 2   at t = 1   # T
claim: s = 2   # F
claim: t = 1   at s = 2   # T
claim: s*t = 2*t^2   # T
claim: s >= 0   for t >= 0   # T
claim: s >= 2   at t = 0   # V
claim: t < 0    for s < 0   # V
problem "contradiction through a definition"
given c.weight[a] > 1
keys k[1..n]
values v[1..n]
pick a in 1..n
vector q
c = attend(q, k, v)
claim: 1 = 1   # V
claim: 1 = 2   # V
claim: c.weight[a] >= 0   # V
claim: k[a].q = 5   # V
problem "contradiction of vectors"
keys k[1..n] orthonormal
given k[1].k[2] = 1/2, n >= 2
claim: n = 5   # V
claim: |k[1]| = 1   # V
claim: |k[1] + k[2]|^2 = 3   # V
problem "contradiction of a norm"
vectors x[1..3] norm 1
given x[1].x[2] = -1, x[2].x[3] = -1
claim: x[1].x[3] = 1   # T
claim: x[1] = x[3]   # T
claim: |x[1] - x[3]| = 0   # T
claim: x[1].x[3] = -1   # F
claim: x[1] = x[2]   # F
problem "gram on the edge"
vector x, y, z
given |x| = 1, |y| = 1, |z| = 1, x.y = 1/2, y.z = 1/2, x.z = -1/2
claim: x + z = y   # T
claim: |x + z - y| = 0   # T
claim: |x + z| = 1   # T
claim: |x + z| = 2   # F
claim: |x - y| = 1   # T
problem "gram beyond the edge"
vector x, y, z
given |x| = 1, |y| = 1, |z| = 1, x.y = 1/2, y.z = 1/2, x.z = -3/5
claim: |x + z| = 1   # V
claim: |x + z| > 0   # V
claim: x = x   # V
claim: |x| = 1   # V
claim: |x| = 2   # V
problem "orthogonal without norm"
vectors u[1..n] orthogonal
pick a, b distinct in 1..n
claim: u[a].u[b] = 0   # T
claim: |u[a]| > 0   # F
claim: |u[a]| = 1   # F
claim: |u[a] + u[b]|^2 = |u[a]|^2 + |u[b]|^2   # T
claim: |u[a] + u[b]| >= |u[a]|   # T
claim: |u[a] + u[b]| > |u[a]|   # F
claim: |u[a]| = |u[b]|   # F
problem "positive norm"
vectors u[1..n] norm r
pick a in 1..n
claim: r > 0   # T
claim: r >= 0   # T
claim: |u[a]| = r   # T
claim: |u[a]|^2 = r   # F
claim: r = 1   # F
claim: u[a].u[a] = r^2   # T
claim: |u[a]| = 1 at r = 1   # T
claim: |u[a]| = 1 at r = -1   # V
claim: r^2 = 1 at r = -1   # V
claim: for all i in 1..n: for all j in 1..n: u[i].u[j] <= r^2   # T
claim: for all i in 1..n: for all j in 1..n: u[i].u[j] = r^2   # F
problem "a small dimension"
keys k[1..n] orthonormal, dimension 2
vector q
claim: n <= 2   # T
claim: n = 2   # F
claim: n >= 3   # F
claim: |q|^2 = sum((k[i].q)^2 for i in 1..n)   # F
claim: |q|^2 = sum((k[i].q)^2 for i in 1..n)   at n = 2   # T
claim: |q|^2 >= sum((k[i].q)^2 for i in 1..n)   # T
claim: q = 0   at n = 5   # V
claim: |q| >= 0   at n = 5   # V
problem "full frame and attention"
keys k[1..n] orthonormal, dimension n
values v[1..n]
vector q
c = attend(q, k, v)
claim: sum((k[i].q)^2 for i in 1..n) = |q|^2   # T
claim: q = sum(k[i].q*k[i] for i in 1..n)   # T
claim: (for all i in 1..n: k[i].q = 0) implies q = 0   # T
claim: (for all i in 1..n: k[i].q = 0) implies |q| = 0   # T
claim: |q| = 0 implies (for all i in 1..n: c.weight[i] = 1/n)   # T
claim: (for all i in 1..n: c.weight[i] = 1/n) implies |q| = 0   # F
claim: (for all i in 1..n: |k[i].q| <= |q|)   # T
claim: max(|k[i].q| for i in 1..n) >= |q|/sqrt(n)   # T
claim: max(|k[i].q| for i in 1..n) >= |q|   # F
problem "one dimension"
vectors x[1..3] norm 1, dimension 1
claim: x[1].x[2] = 1 or x[1].x[2] = -1   # T
claim: x[1].x[2] = 1   # F
claim: x[1] = x[2] or x[2] = x[3] or x[1] = x[3]   # T
claim: (x[1].x[2])^2 = 1   # T
problem "orthonormal in too few dimensions"
keys k[1..3] orthonormal, dimension 2
claim: 1 = 1   # V
claim: 1 = 2   # V
claim: |k[1]| = 1   # V
problem "a function"
f(x, y) = x^2 - y
g(x) = f(x, x)
claim: f(t, t^2) = 0   # T
claim: g(t) = t*(t - 1)   # T
claim: g(t) >= 0   # F
claim: g(t) >= -1/4   # T
claim: g(x) = x^2 - x   # T
claim: f(y, x) = f(x, y)   # F
claim: f(y, x) = y^2 - x   # T
problem "bound names that are parameters too"
given i > 5, n >= 2
keys k[1..n]
values v[1..n]
vector q
c = attend(q, k, v)
claim: sum(c.weight[i] for i in 1..n) = 1   # T
claim: i > 4   # T
claim: i > 6   # F
claim: (for all i in 1..n: c.weight[i] <= 1) and i > 5   # T
claim: sum(i for i in 1..n) = n*(n + 1)/2   # T
claim: sum(i for i in 1..n) = n*i   # F
problem "index arithmetic"
given n >= 3
claim: sum(i for i in 1..n) = n*(n + 1)/2   # T
claim: sum(i^2 for i in 1..n) = n*(n + 1)*(2*n + 1)/6   # T
claim: sum(i for i in 2..n) = n*(n + 1)/2 - 1   # T
claim: sum(i for i in 1..n) >= 7   # F
claim: sum(i for i in 1..n) >= 6   # T
claim: max(i for i in 1..n) = n   # T
claim: for all i in 1..n: i <= n   # T
claim: for all i in 1..n: i < n   # F
claim: for all i in 1..n: for all j in 1..n: i + j <= 2*n   # T
claim: for all i in 1..n: for all j in 1..n: i = j   # F
claim: for all i in 1..n: for all j != i: i < j or j < i   # T
claim: for all i in 1..n: for all j in 1..n: i < j or j < i   # F
problem "values and sums"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q
c = attend(q, k, v)
claim: c = sum(c.weight[i]*v[i] for i in 1..n)   # T
claim: c = sum(c.weight[i]*v[i] for i != a)   # F
claim: c - v[a] = sum(c.weight[i]*(v[i] - v[a]) for i in 1..n)   # T
claim: c - v[a] = sum(c.weight[i]*(v[i] - v[a]) for i != a)   # T
claim: c - v[a] = sum(c.weight[i]*(v[i] - v[a]) for i not in {a, b})   # F
claim: v[a] = v[b] implies c = v[a]   # F
claim: v[a] = v[b] implies c = v[a]   at n = 2   # T
claim: (for all i in 1..n: v[i] = v[a]) implies c = v[a]   # T
claim: (for all i in 1..n: for all j in 1..n: v[i] = v[j]) implies c = v[a]   # T
claim: (for all i in 1..n: v[i] = 0) implies c = 0   # T
claim: c = 0 implies (for all i in 1..n: v[i] = 0)   # F
claim: |c| <= sum(|v[i]| for i in 1..n)   # T
claim: |c| <= max(|v[i]| for i in 1..n)   # T
claim: |c| <= mean(|v[i]| for i in 1..n)   # F
claim: |c| >= min(|v[i]| for i in 1..n)   # F
claim: c in hull(v)   # T
claim: v[a] in hull(v)   # T
claim: v[a] + v[b] in hull(v)   # F
claim: 1/2 (v[a] + v[b]) in hull(v)   # T
claim: 2 v[a] - v[b] in hull(v)   # F
claim: k[a].q = k[b].q implies c.weight[a] = c.weight[b]   # T
claim: k[a] = k[b] implies c.weight[a] = c.weight[b]   # T
claim: c.weight[a] = c.weight[b] implies k[a] = k[b]   # F
claim: q = 0 implies c.weight[a] = 1/n   # T
claim: |q| = 0 implies c = mean(v[i] for i in 1..n)   # T
claim: c = mean(v[i] for i in 1..n)   # F
problem "scale"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q
c = attend(q, k, v)
d = attend(2*q, k, v)
f = attend(q, k, v, scale = 2)
g = attend(-q, k, v)
z = attend(0*q, k, v)
claim: d = f   # T
claim: d = c   # F
claim: d.weight[a] = f.weight[a]   # T
claim: c.weight[a] >= c.weight[b] implies d.weight[a] >= d.weight[b]   # T
claim: c.weight[a] >= c.weight[b] implies d.weight[a] >= c.weight[a]   # F
claim: (for all i in 1..n: c.weight[a] >= c.weight[i]) implies d.weight[a] >= c.weight[a]   # T
claim: (for all i in 1..n: c.weight[a] >= c.weight[i]) implies d.weight[a] > c.weight[a]   # F
claim: c.weight[a]*g.weight[a] = c.weight[b]*g.weight[b]   # T
claim: c.weight[a]*g.weight[a] <= 1/n^2   # T
claim: c.weight[a]*g.weight[a] = 1/n^2   # F
claim: z.weight[a] = 1/n   # T
claim: z = mean(v[i] for i in 1..n)   # T
claim: c.weight[a]/c.weight[b] = e^(k[a].q - k[b].q)   # T
claim: d.weight[a]/d.weight[b] = (c.weight[a]/c.weight[b])^2   # T
claim: ln(c.weight[a]) - ln(c.weight[b]) = k[a].q - k[b].q   # T
claim: ln(c.weight[a]) < 0   # T
claim: ln(c.weight[a]) <= -ln(n)   # F
problem "two queries"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector p, q
c = attend(p, k, v)
d = attend(q, k, v)
s = attend(p + q, k, v)
claim: p = q implies c = d   # T
claim: c = d implies p = q   # F
claim: s.score[a] = c.score[a] + d.score[a]   # T
claim: s.weight[a] = c.weight[a]*d.weight[a]   # F
claim: s.weight[a]/s.weight[b] = c.weight[a]*d.weight[a]/(c.weight[b]*d.weight[b])   # T
claim: c.weight[a] > 1/2 and d.weight[a] > 1/2 implies s.weight[a] > 1/2   # T
claim: c.weight[a] > 1/n and d.weight[a] > 1/n implies s.weight[a] > 1/n   # F
claim: mean(c, d) = 1/2 (c + d)   # T
claim: mean(c, d) in hull(v)   # T
claim: |p + q| <= |p| + |q|   # T
problem "limits of everything"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q
c = attend(beta*q, k, v)
claim: c ~ v[a]   as beta -> inf   # F
claim: c ~ v[a]   as beta -> inf, given for all i != a: k[a].q > k[i].q   # T
claim: c ~ v[a]   as beta -> inf, given for all i != a: k[a].q >= k[i].q   # F
claim: c.weight[b] ~ 0   as beta -> inf, given k[a].q > k[b].q   # T
claim: c.weight[b] ~ 0   as beta -> inf, given k[a].q >= k[b].q   # F
claim: c.weight[a] <= c.weight[b]   as beta -> inf, given k[a].q < k[b].q   # T
claim: c ~ mean(v[i] for i in 1..n)   as beta -> 0   # T
claim: c.weight[a] ~ 1/n   as beta -> 0   # T
claim: c.weight[a] = 1/n   as beta -> 0   # T
claim: c.weight[a] != 1/n   as beta -> 0   # F
claim: not c.weight[a] = 1/n   as beta -> 0   # F
claim: c.weight[a] ~ c.weight[b]   as beta -> inf   # F
claim: c.weight[a] ~ c.weight[b] or c.weight[a] ~ 0 or c.weight[b] ~ 0   as beta -> inf   # T
claim: |c.weight[a] - 1/2| <= 1/2   as beta -> inf   # T
claim: c.weight[a] > 0   as beta -> inf   # T
problem "growing vectors"
vectors u[a,b,c] orthogonal, norm beta
x[1] = u[a] + u[b]; x[2] = u[a] - u[b]; x[3] = 2*u[c]
z = self_attend(x)
claim: z[1] ~ x[1]   as beta -> inf   # T
claim: z[3] ~ x[3]   as beta -> inf   # T
claim: z[1] = x[1]   as beta -> inf   # T
claim: z[1] != x[1]   as beta -> inf   # F
claim: z[1] = x[1]   # F
claim: z[1]/beta ~ x[1]/beta   as beta -> inf   # T
claim: |z[1]| ~ 0   as beta -> inf   # F
claim: |z[1]| > 1   as beta -> inf   # T
claim: x[1] + u[c]/beta ~ x[1]   as beta -> inf   # F
claim: x[1] + u[c]/beta^2 ~ x[1]   as beta -> inf   # T
claim: x[1] + u[c]/beta = x[1]   as beta -> inf   # F
claim: |x[1]| ~ |x[1] + u[c]/beta|   as beta -> inf   # T
problem "slow growth"
vectors u[a,b] orthogonal, norm beta
x[1] = u[a]; x[2] = u[b]
z = self_attend(x, I/beta^2, I, I)
claim: z.weight[1] ~ [1, 0]   as beta -> inf   # F
claim: z.weight[1][1] = e/(1 + e)   # T
claim: z[1] ~ u[a]   as beta -> inf   # F
claim: z[1] = e/(1 + e)*u[a] + 1/(1 + e)*u[b]   # T
problem "changing a token"
vectors u[a,b,c] orthonormal
x[1] = u[a]; x[2] = u[b]; x[3] = u[c]
z = self_attend(x)
y = self_attend(x with x[2] = u[a])
w = self_attend(x with x[2] = t*u[a] with x[3] = u[a])
claim: z[1] = y[1]   # F
claim: y[1] = 2*e/(2*e + 1)*u[a] + 1/(2*e + 1)*u[c]   # T
claim: y.weight[3][1] = y.weight[3][2]   # T
claim: y.weight[3][3] = z.weight[3][3]   # T
claim: x[2] = u[b]   # T
claim: x[2] = u[a]   # F
claim: w[1].u[c] = 0   # T
claim: w[1].u[a] = 1   # F
claim: w[1].u[a] = 1   at t = 1   # T
claim: w.weight[1][2] = w.weight[1][3]   at t = 1   # T
claim: w.weight[1][2] > w.weight[1][3]   for t > 1   # T
claim: w.weight[1][2] > w.weight[1][3]   for t > 0   # F
problem "causal"
vectors u[a,b,c] orthonormal
x[1] = u[a]; x[2] = u[a] + t*u[b]; x[3] = u[c]
z = self_attend(x, causal)
y = self_attend(x)
claim: z[1] = x[1]   # T
claim: z.weight[1][1] = 1   # T
claim: z.weight[1][2] = 0   # T
claim: z.weight[2][3] = 0   # T
claim: z[3] = y[3]   # T
claim: z[1] = y[1]   # F
claim: z.weight[2][1] <= z.weight[2][2]   # T
claim: z.weight[2][1] < z.weight[2][2]   # F
claim: z.weight[2][1] < 1/2   for t != 0   # T
claim: z.weight[3][1] = z.weight[3][2]   # T
claim: z.weight[3][3] = e/(2 + e)   # T
claim: z[2].u[c] = 0   # T
problem "sizes that meet"
given n = m + 1
keys k[1..n] orthonormal
keys p[1..m] orthonormal
values v[1..n]
values w[1..m]
vector q
c = attend(q, k, v)
d = attend(q, p, w)
claim: n >= 2   # T
claim: m < n   # T
claim: m >= 2   # F
claim: n >= 3   # F
claim: sum(c.weight[i] for i in 1..n) = sum(d.weight[j] for j in 1..m)   # T
claim: |q|^2 >= sum((k[i].q)^2 for i in 1..n)   # T
claim: |q|^2 >= sum((k[i].q)^2 for i in 1..n) + sum((p[j].q)^2 for j in 1..m)   # F
claim: for all i in 1..n: for all j in 1..m: k[i].p[j] <= 1   # T
claim: for all i in 1..n: for all j in 1..m: k[i].p[j] < 1   # F
claim: for all i in 1..n: for all j in 1..m: k[i].p[j] = 0   # F
problem "one family, two sizes"
keys k[1..n]
values v[1..n]
vector q
c = attend(q, k, v)
claim: n >= 1   # T
claim: n >= 2   # F
claim: n > 0   # T
claim: n != 3/2   # T
claim: n = 3/2   # F
claim: n > 1/2   # T
claim: n >= 2   for n > 1   # T
claim: n = 2    for n > 1, n < 3   # T
claim: n = 5/2  for n > 2, n < 3   # V
claim: c.weight[1] > 0   # T
claim: c.weight[1] = 1   # F
claim: c.weight[1] = 1   at n = 1   # T
claim: c = v[1]   at n = 1   # T
claim: c = v[1]   # F
claim: 1/n <= 1   # T
claim: 1/n < 1   # F
claim: n^2 >= n   # T
claim: 2^n >= n + 1   # T
claim: c.weight[2] <= 1   # T
claim: c.weight[1] + c.weight[2] = 1   at n = 2   # T
problem "listed keys that tie"
keys k = [[1, 0], [0, 1], [1, 1], [1, 1]]
values v[1..4]
pick a in 1..4
c = attend(beta*[1, 1], k, v)
d = attend(beta*k[a], k, v)
claim: c ~ 1/2 (v[3] + v[4])   as beta -> inf   # T
claim: c ~ v[3]   as beta -> inf   # F
claim: c.weight[3] = c.weight[4]   # T
claim: c.weight[3] >= 1/4   # F
claim: c.weight[3] >= 1/4   for beta >= 0   # T
claim: d.weight[a] >= 1/4   for beta >= 0   # T
claim: d.weight[a] > 1/4   for beta > 0   # T
claim: d.weight[a] >= d.weight[i]   for i in 1..4, beta >= 0   # F
claim: d.weight[3] >= d.weight[i]   for i in 1..4, beta >= 0   # T
claim: d.weight[3] = d.weight[4]   # T
claim: |k[a]| >= 1   # T
claim: |k[a]| > 1   # F
claim: |k[a]|^2 = 1 or |k[a]|^2 = 2   # T
claim: k[a].k[3] = |k[a]|^2   # T
claim: k[a] = k[3] implies a = 3 or a = 4   # T
claim: k[a].k[1] >= 0   # T
claim: k[a].k[1] > 0   # F
claim: sum(k[i].k[a] for i in 1..4) >= 3   # T
claim: sum(k[i].k[a] for i in 1..4) = 3   # F
problem "softmax and lists"
claim: softmax([t, t]) = [1/2, 1/2]   # T
claim: softmax([t, 0]) = [1/2, 1/2]   # F
claim: softmax([s + t, s]) = softmax([t, 0])   # T
problem "or in premises"
given t > 1 or t < -1
claim: t^2 > 1   # T
claim: t > 1   # F
claim: t != 0   # T
claim: |t| > 1   # T
claim: |t| >= 2   # F
claim: t > 1   given t > 0   # T
claim: 1/t < 1   # T
claim: 1/t > 0   # F
problem "not in premises"
given not (s > t)
claim: s <= t   # T
claim: s < t   # F
claim: s = t   given s >= t   # T
claim: t - s >= 0   # T
problem "a premise with for all"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q
given for all i != a: k[a].q - k[i].q >= t
given t >= 0
c = attend(q, k, v)
claim: c.weight[a] >= 1/n   # T
claim: c.weight[a] > 1/n   # F
claim: c.weight[a] > 1/n   for t > 0   # T
claim: c.weight[a] >= 1/(1 + (n - 1)*e^-t)   # T
claim: c.weight[a] > 1/(1 + (n - 1)*e^-t)   # F
claim: c.weight[b] <= e^-t*c.weight[a]   # T
claim: c.weight[b] <= 1/2   # T
claim: c.weight[b] < 1/2   # F
claim: c.weight[b] <= e^-t/(1 + e^-t)   # T
claim: c.weight[b] <= e^-t/n   # F
claim: k[a].q >= 0   # F
claim: k[a].q >= k[b].q   # T
claim: |c - v[a]| <= (1 - c.weight[a])*max(|v[i] - v[a]| for i != a)   # T
claim: c ~ v[a]   as t -> inf   # T
claim: c ~ v[b]   as t -> inf   # F
problem "a premise for all pairs"
given n >= 2
keys k[1..n]
given for all i in 1..n: for all j in 1..n: |k[i].q - k[j].q| <= 1
values v[1..n]
pick a, b distinct in 1..n
vector q
c = attend(q, k, v)
claim: c.weight[a] <= e*c.weight[b]   # T
claim: c.weight[a] <= 2*c.weight[b]   # F
claim: c.weight[a] >= 1/(1 + (n - 1)*e)   # T
claim: c.weight[a] >= 1/n   # F
claim: k[a].q - k[b].q <= 1   # T
claim: k[a].q - k[b].q < 1   # F
claim: |k[a].q - k[b].q| <= 1   # T
claim: k[a].q <= 1   # F
problem "reading of expressions"
claim: -t^2 <= 0   # T
claim: -2^2 = -4   # T
claim: 2^3^2 = 512   # T
claim: 1/2 t = t/2   # T
claim: 1/2 t = 1/(2*t)   # F
claim: x/2*y = x*y/2   # T
claim: x/y/z = x/(y*z)   # T
claim: x - y - z = x - (y + z)   # T
claim: e^-t*e^t = 1   # T
claim: 2 e^t = e^t + e^t   # T
claim: 4^(1/2) = 2   # T
claim: (1/2)^-1 = 2   # T
claim: x^-1 = 1/x   # T
claim: x^2*x^3 = x^5   # T
claim: (x^2)^3 = x^6   # T
claim: (x + y)^3 = x^3 + 3*x^2*y + 3*x*y^2 + y^3   # T
claim: (x + y)^3 = x^3 + y^3   # F
claim: 0.1 + 0.2 = 0.3   # T
claim: 1/3*3 = 1   # T
claim: 1e-6 = 1/1000000   # T
claim: .5 = 1/2   # T
claim: sqrt(2)^2 = 2   # T
claim: sqrt(2)*sqrt(3) = sqrt(6)   # T
claim: sqrt(8) = 2*sqrt(2)   # T
claim: e^(ln(2)) = 2   # T
claim: ln(6) = ln(2) + ln(3)   # T
claim: sqrt(2) + sqrt(3) < 3.1463   # T
claim: sqrt(2) + sqrt(3) < 3.1462   # F
claim: pi > 3.14159265   # T
claim: pi < 3.14159265   # F
claim: e^pi > pi^e   # T
claim: pi^e > e^pi   # F
claim: pi = 22/7   # F
claim: cos(pi) = -1   # T
claim: e^(pi*sqrt(163)) = 262537412640768744   # F
claim: 0 <= t^2 <= 1   # F
claim: 0 <= t^2/(1 + t^2) <= 1   # T
claim: 0 <= t^2/(1 + t^2) < 1   # T
claim: 1 < 2 < 3   # T
claim: 1 < 3 < 2   # F
claim: t = t = t   # T
claim: not t^2 < 0   # T
claim: not t^2 < 0 and t = t   # T
claim: t < 0 implies t < 1 implies t < 2   # T
claim: t < 2 implies t < 1 implies t < 0   # F
claim: t > 0 or t < 0 or t = 0   # T
claim: t > 0 or t < 0   # F
claim: t > 0 and t < 0 or t = t   # T
claim: t = t or t > 0 and t < 0   # T
claim: |t|*|s| = |t*s|   # T
claim: |t|^2 = t^2   # T
claim: |t| = t   # F
claim: |t - s| >= |t| - |s|   # T
claim: |t + s| = |t| + |s|   # F
claim: (t^2 - s^2)/(t - s) = t + s   # T
claim: 1/t + 1/s = (t + s)/(t*s)   # T
claim: 1/t >= 1/s implies t <= s   # F
claim: t^2 = s^2 implies t = s   # F
claim: t^3 = s^3 implies t = s   # T
claim: t^2 >= t   # F
claim: t^4 >= t^2 - 1/4   # T
claim: t^4 >= t^2 - 1/5   # F
claim: x^2 + y^2 + z^2 >= x*y + y*z + z*x   # T
claim: x^2 + y^2 + z^2 > x*y + y*z + z*x   # F
claim: x^4*y^2 + x^2*y^4 + 1 >= 3*x^2*y^2   # T
claim: x^4*y^2 + x^2*y^4 + 1 > 3*x^2*y^2   # F
claim: (x*y + 1)^2 + x^2 > 0   # T
claim: (x*y - 1)^2 + x^2 >= 1/1000   # F
claim: e^t >= 1 + t   # T
claim: e^t > 1 + t   # F
claim: e^t >= 1 + t + t^2/2   # F
claim: e^t > t   # T
claim: e^t + e^-t >= 2   # T
claim: e^t + e^-t > 2   # F
claim: e^(t + s) = e^t*e^s   # T
claim: e^(t*s) = e^t*e^s   # F
claim: e^(2*t) - 2*e^t + 1 >= 0   # T
claim: e^(2*t) - 2*e^t + 1 > 0   # F
claim: tanh(t) < 1   # T
claim: tanh(t) > -1   # T
claim: tanh(-t) = -tanh(t)   # T
claim: tanh(t) <= t   # F
claim: tanh(t) <= t   for t >= 0   # T
claim: tanh(t) = (e^t - e^-t)/(e^t + e^-t)   # T
claim: cos(t) <= 1   # T
claim: cos(t) < 1   # F
claim: cos(-t) = cos(t)   # T
claim: cos(t) >= 1 - t^2/2   # T
claim: cos(t)^2 <= 1   # T
claim: cos(t) = 1   # F
claim: sqrt(t^2 + 1) > t   # T
claim: sqrt(t^2 + 1) - t > 1/1000   # F
claim: ln(1 + t^2) >= 0   # T
claim: ln(1 + t^2) <= t^2   # T
claim: ln(1 + t^2) < t^2   # F
claim: ln(t) < t   # T
claim: ln(t)^2 >= 0   # T
claim: sqrt(t) <= (1 + t)/2   # T
claim: sqrt(t) < (1 + t)/2   # F
claim: sqrt(t*s) = sqrt(t)*sqrt(s)   # T
claim: sqrt(t) >= 0   # T
claim: sqrt(t) > 0   # F
claim: t*ln(t) >= -1/2   # T
claim: t*ln(t) >= -1/3   # F
claim: x^x >= 1/2   for x > 0   # T
problem "large numbers"
claim: (10^10)^2 = 10^20   # T
claim: 10^20 + 1 = 10^20   # F
claim: 10^20 + 1 > 10^20   # T
claim: 2^100 - 2^100 + 1 = 1   # T
claim: 2^64 = 18446744073709551616   # T
claim: 2^63 > 9223372036854775807   # T
claim: 3^41 > 2^64   # T
claim: 3^40 > 2^64   # F
claim: 4294967296*4294967296 = 2^64   # T
claim: 9223372036854775807 + 1 > 0   # T
claim: 9223372036854775807*2 > 0   # T
claim: -9223372036854775807 - 10 < 0   # T
claim: (1/3)^50 > 0   # T
claim: (1/3)^50 = 0   # F
claim: 1/3^50 < 1/3^49   # T
claim: e^1000 > 10^400   # T
claim: e^-1000 > 0   # T
claim: e^-1000 = 0   # F
claim: e^-1000 < 10^-400   # T
claim: e^-100000 > 0   # T
claim: 1 - e^-1000 < 1   # T
claim: 1 - e^-1000 = 1   # F
claim: 1 - e^-1000 >= 1   # F
claim: e^1000 + 1 > e^1000   # T
claim: (e^1000 + 1) - e^1000 = 1   # T
claim: e^1000*e^-1000 = 1   # T
claim: 10^15 + 1/10^15 > 10^15   # T
claim: 1/998001 < 0.00000100200301   # T
claim: 7/3 - 1/3 - 2 = 0   # T
claim: 1/2 + 1/3 + 1/5 + 1/7 + 1/11 + 1/13 + 1/17 + 1/19 + 1/23 + 1/29 + 1/31 + 1/37 + 1/41 + 1/43 + 1/47 + 1/53 + 1/59 + 1/61 < 2   # T
claim: 1/2 + 1/3 + 1/5 + 1/7 + 1/11 + 1/13 + 1/17 + 1/19 + 1/23 + 1/29 + 1/31 + 1/37 + 1/41 + 1/43 + 1/47 + 1/53 + 1/59 + 1/61 > 2   # F
claim: (1 + 1/1000000)^1000000 < e   # T
problem "huge beta"
given n >= 2
keys k[1..n] orthonormal
values v[1..n]
pick a, b distinct in 1..n
c = attend(beta*k[a], k, v)
claim: c.weight[a] < 1   # T
claim: c.weight[a] < 1   at beta = 1000   # T
claim: c.weight[a] = 1   at beta = 1000   # F
claim: c.weight[a] >= 1   at beta = 1000000   # F
claim: c.weight[b] > 0   at beta = 1000000   # T
claim: c.weight[b] = 0   at beta = 1000000   # F
claim: c.weight[b] < 10^-300   at beta = 1000   # T
claim: c.weight[a] > 1 - 10^-300   at beta = 1000   # F
claim: c.weight[a] > 1 - 10^-300   at beta = 1000, n = 10   # T
claim: c.weight[a] > 1/2   at beta = 1, n = 1000000000   # F
claim: c.weight[a] < 1/2   at beta = 1, n = 1000000000   # T
claim: c.weight[a] ~ 1 within 1e-6   at beta = 20   # F
claim: c.weight[a] ~ 1 within 1e-6   at beta = 20, n = 10   # T
claim: c.weight[a] = 1 within 1e-6   at beta = 20, n = 10   # T
claim: c.weight[a] = 1 within 1e-6   at beta = 5, n = 10   # F
claim: c.weight[a] ~ 1 within 0   at beta = 20, n = 10   # F
claim: c = v[a] within 1e-6   at beta = 20, n = 10   # F
claim: c.weight[a] ~ 1   as beta -> inf   # T
claim: e^beta*c.weight[b] ~ 1   as beta -> inf   # T
claim: e^beta*c.weight[b] ~ 0   as beta -> inf   # F
claim: e^beta*(1 - c.weight[a]) ~ n - 1   as beta -> inf   # T
claim: e^(2*beta)*c.weight[b] ~ 0   as beta -> inf   # F
claim: beta*(1 - c.weight[a]) ~ 0   as beta -> inf   # T
claim: beta*c.weight[a] ~ beta   as beta -> inf   # T
claim: beta^2*c.weight[a] ~ beta^2   as beta -> inf   # T
claim: e^beta*c.weight[a] ~ e^beta   as beta -> inf   # F
claim: e^(beta/2)*c.weight[a] ~ e^(beta/2)   as beta -> inf   # T
claim: ln(c.weight[b])/beta ~ -1   as beta -> inf   # T
claim: ln(c.weight[b]) + beta ~ 0   as beta -> inf   # T
claim: c.weight[a] < 1   as beta -> inf   # T
claim: c.weight[a] = 1   as beta -> inf   # T
claim: c.weight[a] >= 1   as beta -> inf   # F
claim: c.weight[a] <= 1   as beta -> inf   # T
claim: c.weight[a] != 1   as beta -> inf   # F
claim: not c.weight[a] = 1   as beta -> inf   # F
claim: c.weight[a] = 1 and c.weight[b] = 0   as beta -> inf   # T
claim: c.weight[a] = 1 and c.weight[b] != 0   as beta -> inf   # F
claim: c.weight[a] != 1 or c.weight[b] != 0   as beta -> inf   # F
claim: c.weight[a] != 1 or c.weight[b] > 0   as beta -> inf   # T
claim: not (c.weight[a] != 1)   as beta -> inf   # T
claim: not (c.weight[a] = 1 and c.weight[b] = 0)   as beta -> inf   # F
claim: for all i != a: c.weight[i] ~ 0   as beta -> inf   # T
claim: for all i in 1..n: c.weight[i] ~ 0   as beta -> inf   # F
claim: sum(c.weight[i] for i != a) ~ 0   as beta -> inf   # T
claim: max(c.weight[i] for i in 1..n) ~ 1   as beta -> inf   # T
claim: |c.weight[a] - 1| <= 1e-9   as beta -> inf   # T
claim: c.weight[a] ~ c.weight[b]   as beta -> 0   # T
claim: (c.weight[a] - c.weight[b])/beta ~ 1/n   as beta -> 0   # T
claim: (c.weight[a] - c.weight[b])/beta ~ 0   as beta -> 0   # F
claim: c ~ v[a]   as beta -> inf   # T
claim: beta*c ~ beta*v[a]   as beta -> inf   # T
claim: e^beta*c ~ e^beta*v[a]   as beta -> inf   # F
claim: c/beta ~ 0*v[a]   as beta -> inf   # T
claim: c ~ v[b]   as beta -> inf   # F
claim: |c - v[a]| ~ 0   as beta -> inf   # T
claim: |c| ~ |v[a]|   as beta -> inf   # T
claim: |c| < |v[a]| + 1   as beta -> inf   # T
claim: |c| <= |v[a]|   as beta -> inf   # F
problem "lengths in limits"
given n >= 2
keys k[1..n] orthogonal, norm s
values v[1..n]
pick a, b distinct in 1..n
c = attend(k[a], k, v)
claim: c ~ v[a]   as s -> inf   # T
claim: c ~ mean(v[i] for i in 1..n)   as s -> 0   # T
claim: c.weight[a] > 1/n   # T
claim: c.weight[a] >= 1/2   # F
claim: c.weight[a] = e^(s^2)/(n - 1 + e^(s^2))   # T
claim: c.weight[a] = e^s/(n - 1 + e^s)   # F
claim: s >= 0   # T
claim: s > 1   # F
claim: |k[a] - k[b]| ~ 0   as s -> inf   # F
claim: |k[a] - k[b]| ~ 0   as s -> 0   # T
claim: |k[a] - k[b]|/s ~ sqrt(2)   as s -> inf   # T
claim: k[a]/s^2 ~ 0*k[a]   as s -> inf   # T
claim: k[a]/s ~ 0*k[a]   as s -> inf   # F
claim: |k[a] + k[b]| ~ |k[a]|   as s -> inf   # F
problem "unit keys"
given n >= 2, beta > 0
keys k[1..n] norm 1
values v[1..n]
pick a, b distinct in 1..n
c = attend(beta*k[a], k, v)
claim: c.weight[a] >= c.weight[b]   # T
claim: c.weight[a] > c.weight[b]   # F
claim: c.weight[a] >= 1/n   # T
claim: c.weight[a] > 1/n   # F
claim: c.weight[a] >= c.weight[i]   for i in 1..n   # T
claim: c.weight[a] <= e^(2*beta)*c.weight[b]   # T
claim: c.weight[a] <= e^beta*c.weight[b]   # F
claim: c.weight[b] >= e^(-2*beta)/n   # T
claim: c.score[a] = beta   # T
claim: |c.score[b]| <= beta   # T
claim: |c.score[b]| < beta   # F
claim: c ~ v[a]   as beta -> inf   # F
claim: c ~ v[a]   as beta -> inf, given for all i != a: k[i].k[a] < 1   # T
claim: c ~ v[a]   as beta -> inf, given for all i != a: k[i].k[a] <= 1   # F
claim: k[a].k[b] = 1 implies k[a] = k[b]   # T
claim: k[a].k[b] = -1 implies k[a] = k[b]   # F
claim: k[a].k[b] < 1   # F
claim: |k[a] - k[b]| <= 2   # T
claim: |k[a] - k[b]| < 2   # F
claim: |k[a] - k[b]|^2 = 2 - 2*k[a].k[b]   # T
claim: k[a] = k[b] implies c.weight[a] = c.weight[b]   # T
claim: c.weight[a] = c.weight[b] implies k[a] = k[b]   # T
claim: |sum(k[i] for i in 1..n)| <= n   # T
claim: |sum(k[i] for i in 1..n)| < n   # F
claim: |sum(k[i] for i in 1..n)| > 0   # F
claim: |sum(k[i] for i in 1..n)|^2 = n   # F
claim: |sum(k[i] for i in 1..n)|^2 = sum(sum(k[i].k[j] for j in 1..n) for i in 1..n)   # T
claim: sum(sum(k[i].k[j] for j in 1..n) for i in 1..n) >= 0   # T
claim: sum(sum(k[i].k[j] for j != i) for i in 1..n) >= -n   # T
claim: sum(sum(k[i].k[j] for j != i) for i in 1..n) >= 0   # F
claim: sum(k[i].k[i] for i in 1..n) = n   # T
problem "queries that exist"
given n >= 2
keys k[1..n] orthonormal
values v[1..n]
pick a, b distinct in 1..n
claim: exists q: attend(q, k, v) ~ v[a]   # T
claim: exists q: attend(q, k, v) = v[a]   # F
claim: exists q: attend(q, k, v) ~ 1/2 (v[a] + v[b])   # T
claim: exists q: attend(q, k, v) ~ 2 v[a]   # F
claim: exists q: attend(q, k, v) ~ v[a] + v[b]   # F
claim: exists q: attend(q, k, v) = mean(v[i] for i in 1..n)   # T
claim: exists q: attend(q, k, v).weight[a] = 1/2   # T
claim: exists q: attend(q, k, v).weight[a] = 1   # F
claim: exists q: attend(q, k, v).weight[a] ~ 1   # T
claim: exists q: attend(q, k, v).weight[a] > 1   # F
claim: exists q: attend(q, k, v).weight[a] = 0   # F
claim: exists q: k[a].q = 1 and k[b].q = -1   # T
claim: exists q: k[a].q = 1 and k[a].q = 2   # F
claim: exists q: k[a].q > 1 and |q| < 1   # F
claim: exists q: k[a].q >= 1 and |q| <= 1   # T
claim: exists q: k[a].q = 1 and k[b].q = 1 and |q| <= 1   # F
claim: exists q: |q| = -1   # F
claim: exists q: attend(q, k, v).weight[a] > 1/2 and attend(q, k, v).weight[b] > 1/2   # F
claim: exists q: attend(q, k, v).weight[a] = attend(q, k, v).weight[b]   # T
claim: not exists q: attend(q, k, v).weight[a] = 1   # T
claim: not exists q: attend(q, k, v).weight[a] = 1/2   # F
claim: exists t: attend(t*k[a], k, v).weight[a] = 1/2   # T
claim: exists t: attend(t*k[a], k, v).weight[a] = 1   # F
claim: exists t: attend(t*k[a], k, v) ~ v[a]   # T
claim: exists t: attend(t*k[a], k, v) ~ v[b]   # F
claim: exists t: attend(t*k[a], k, v) ~ v[b]   at n = 2   # T
claim: exists t: attend(t*k[a], k, v).weight[b] = 1/2   # F
claim: exists t: attend(t*k[a], k, v).weight[b] >= 1/(n - 1)   # F
claim: exists t: attend(t*k[a], k, v).weight[b] ~ 1/(n - 1)   # T
problem "queries for any keys"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
claim: exists q: attend(q, k, v) ~ v[a]   # F
claim: exists q: k[a].q = 1   # F
claim: exists q: k[a].q = 0   # T
claim: exists q: k[a].q = k[b].q   # T
claim: exists q: k[a].q > k[b].q   # F
claim: exists q: k[a].q >= k[b].q   # T
claim: exists q: attend(q, k, v).weight[a] = 1/n   # T
claim: exists q: attend(q, k, v).weight[a] > 1/n   # F
claim: exists q: attend(q, k, v) = mean(v[i] for i in 1..n)   # T
claim: exists q: k[a].q = 1   given |k[a]| = 1   # T
claim: exists q: k[a].q > k[b].q   given k[a] != k[b]   # T
claim: exists t: attend(t*k[a], k, v).weight[a] > 1/n   # F
problem "unit keys and queries"
given n >= 2
keys k[1..n] norm 1
values v[1..n]
pick a, b distinct in 1..n
claim: exists q: k[a].q = 1   # T
claim: exists q: k[a].q = 1 and k[b].q = 0   # F
claim: exists q: k[a].q = 1 and k[b].q = 1   # F
claim: exists q: k[a].q = 1 and k[b].q = 1   given k[a].k[b] >= 0   # T
claim: exists q: attend(q, k, v) ~ v[a]   # F
claim: exists q: attend(q, k, v) ~ v[a]   given for all i != a: k[i] != k[a]   # T
claim: exists q: |q| = 1 and k[a].q = 1   # T
claim: exists q: |q| = 1 and k[a].q = 2   # F
problem "three heads"
keys k = [[1, 0], [0, 1], [-1, 0]]
values v[1..3]
c = attend(beta*k[1], k, v)
d = attend(beta*k[2], k, v)
m = mean(c, d)
claim: m ~ 1/2 (v[1] + v[2])   as beta -> inf   # T
claim: m ~ v[1]   as beta -> inf   # F
claim: c.weight[1] > c.weight[2]   for beta > 0   # T
claim: c.weight[2]^2 = c.weight[1]*c.weight[3]   # T
claim: d.weight[1] = d.weight[3]   # T
claim: c.weight[2] <= 1/3   # T
claim: c.weight[2] < 1/3   # F
claim: c.weight[2] <= 0.333   # F
claim: d.weight[2] >= 1/3   # F
claim: c.weight[1] + c.weight[3] >= 2/3   # T
claim: c.weight[1]*c.weight[3] <= 1/9   # T
claim: c.weight[1] - c.weight[3] = tanh(beta)   # F
claim: c.weight[1]/c.weight[3] = e^(2*beta)   # T
claim: c.weight[1] >= 0.9   at beta = 3   # T
claim: c.weight[1] >= 0.96   at beta = 3   # F
problem "blocks"
given n >= 2
keys k[1..n] orthonormal
values v[1..n]
pick a, b distinct in 1..n
c = attend(beta*k[a], k, v)
for beta >= 0:
    claim: c.weight[a] >= c.weight[b]   # T
    claim: c.weight[a] > c.weight[b]   # F
    claim: c.weight[a] > c.weight[b]   for beta > 0   # T
    claim: c.weight[a] <= c.weight[b]   for beta <= 0   # T
    claim: c.weight[a] < 0   for beta < 0   # V
as beta -> inf:
    claim: c ~ v[a]   # T
    claim: c ~ v[b]   # F
at n = 3, beta = 0:
    claim: c.weight[a] = 1/3   # T
    claim: c.weight[b] = 1/2   # F
    claim: c.weight[b] = 1/2   at n = 4   # V
claim: c.weight[a] >= c.weight[b]   # F
problem "greek and signs"
given α ≥ 0, β > α
claim: β ≥ α   # T
claim: αβ ≥ 0   # T
claim: α² ≤ β²   # T
claim: α²β > 0   # F
claim: ½ β ≠ β   # T
claim: √(β²) = β   # T
claim: β − α > 0   # T
claim: ¬ (α > β)   # T
claim: α > 0 ∨ α = 0   # T
claim: alpha = α   # T
claim: α < β ∧ β < 2 α   # F
problem "transpose"
vector x, y
matrix M[n,n]
vector z[n], w[n]
claim: x.y = y.x   # T
claim: (x + y).(x - y) = |x|^2 - |y|^2   # T
claim: (x + y).(x + y) = |x|^2 + |y|^2   # F
claim: z'*w = z.w   # T
claim: z.(M*w) = (M'*z).w   # T
claim: z.(M*w) = (M*z).w   # F
claim: z.(M*w) = (M*z).w   at n = 1   # T
claim: (M + M')' = M + M'   # T
claim: M*M' = (M*M')'   # T
claim: |z|^2 = z'*z   # T
problem "random and fixed"
given n >= 3, alpha > 0
means mu[1..n] orthonormal, dimension d
values v[1..n]
pick a, b distinct in 1..n
keys k[i] ~ normal(mu[i], alpha*I)
c = attend(beta*mu[a], k, v)
claim: E(c.score[a]) = beta   # T
claim: Var(c.score[a]) = alpha*beta^2   # T
claim: Var(c.score[a]) = alpha*beta   # F
claim: E(c.score[b]) = 0   # T
claim: Cov(c.score[a], c.score[b]) = 0   # T
claim: sum(E(c.weight[i]) for i in 1..n) = 1   # T
claim: E(c.weight[b]) <= 1   # T
claim: E(c.weight[b]) = 1/n   # F
claim: P(c.weight[a] > c.weight[b]) = 1/2   # F
claim: P(c.weight[a] > c.weight[b]) >= 1/2   for beta >= 0   # T
claim: P(c.weight[a] > c.weight[b]) > 1/2   for beta > 0   # T
claim: P(c.weight[a] > 0) = 1   # T
claim: P(c.weight[a] > 1) = 0   # T
claim: P(k[a].mu[a] > 0) = 1/2   # F
claim: P(k[a].mu[a] > 0) > 1/2   # T
claim: P(k[a].mu[a] > k[b].mu[b]) = 1/2   # T
claim: P(k[a].mu[b] > 0 and k[a].mu[b] < 0) = 0   # T
claim: P(k[a].mu[b] > 0 and k[a].mu[a] > 1) = 1/4   # T
claim: P(k[a].mu[b] > 0 and k[a].mu[b] > 0) = 1/4   # F
claim: P(k[a].mu[b] = 0) = 0   # T
claim: P(k[a].mu[b] > 0) + P(k[a].mu[b] < 0) = 1   # T
claim: E((k[a].mu[b])^4) = 3*alpha^2   # T
claim: E((k[a].mu[b])^4) = alpha^2   # F
claim: Var((k[a].mu[b])^2) = 2*alpha^2   # T
claim: E(k[a].mu[b])^2 = 0   # T
claim: E(|k[a]|^2) >= 1   # T
claim: E(|k[a]|^2) > 1   # T
claim: E(|k[a]|^2) = 1 + alpha*d   # T
claim: d >= n   # T
claim: d > n   # F
claim: d >= 3   # T
claim: E(|k[a]|^2) >= 1 + 3*alpha   # T
claim: E(|k[a]|^2) > 1 + 3*alpha   # F
claim: k[a].mu[a] > 0   # F
claim: k[a].mu[a] ~ 1   as alpha -> 0   # T
claim: k[a].mu[b] ~ 1   as alpha -> 0   # F
claim: E(k[a].k[a]) = E(k[b].k[b])   # T
claim: E(k[a].k[a]) = E(k[a].k[b])   # F
problem "others need not be equal"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q, p
c = attend(q, k, v)
d = attend(p, k, v)
claim: sum(c.weight[i]^2 for i != a) = (1 - c.weight[a])^2/(n - 1)   # F
claim: sum(c.weight[i]^2 for i != a) >= (1 - c.weight[a])^2/(n - 1)   # T
claim: sum(c.weight[i]^2 for i != a) <= (1 - c.weight[a])^2/(n - 1)   # F
claim: max(c.weight[i] for i != a) = (1 - c.weight[a])/(n - 1)   # F
claim: max(c.weight[i] for i != a) >= (1 - c.weight[a])/(n - 1)   # T
claim: min(c.weight[i] for i != a) <= (1 - c.weight[a])/(n - 1)   # T
claim: min(c.weight[i] for i != a) >= (1 - c.weight[a])/(n - 1)   # F
claim: c.weight[b] = (1 - c.weight[a])/(n - 1)   # F
claim: c.weight[b] = (1 - c.weight[a])/(n - 1)   at n = 2   # T
claim: c.weight[b] <= 1 - c.weight[a]   # T
claim: c.weight[b] < 1 - c.weight[a]   # F
claim: sum(k[i].q for i != a) = (n - 1)*k[b].q   # F
claim: sum(c.weight[i]*d.weight[i] for i in 1..n) >= 1/n   # F
claim: sum(c.weight[i]*d.weight[i] for i in 1..n) <= 1   # T
claim: sum(c.weight[i]*d.weight[i] for i in 1..n) > 0   # T
claim: sum(c.weight[i]*d.weight[i] for i in 1..n)^2 <= sum(c.weight[i]^2 for i in 1..n)*sum(d.weight[i]^2 for i in 1..n)   # T
claim: sum(|c.weight[i] - d.weight[i]| for i in 1..n) <= 2   # T
claim: sum(|c.weight[i] - d.weight[i]| for i in 1..n) <= 1   # F
claim: sum(c.weight[i] - d.weight[i] for i in 1..n) = 0   # T
claim: max(c.weight[i] for i in 1..n) >= min(d.weight[i] for i in 1..n)   # T
claim: max(c.weight[i] for i in 1..n) >= max(d.weight[i] for i in 1..n)   # F
claim: max(c.weight[i] for i in 1..n) - min(c.weight[i] for i in 1..n) < 1   # T
claim: max(c.weight[i] for i in 1..n) = 1/n implies c.weight[a] = c.weight[b]   # T
claim: c.weight[i] >= c.weight[j]   for i in 1..n, j in 1..n   # F
claim: c.weight[i] + c.weight[j] <= 1   for i in 1..n, j in 1..n   # F
claim: c.weight[i] + c.weight[j] <= 1   for i in 1..n, j != i   # T
claim: c.weight[i] + c.weight[j] <= 2   for i in 1..n, j in 1..n   # T
claim: c.weight[i] = c.weight[j]   for i not in {a, b}, j not in {a, b}   # F
claim: c.weight[i]*d.weight[j] <= 1   for i in 1..n, j in 1..n   # T
claim: c.weight[i]*d.weight[j] = c.weight[j]*d.weight[i]   for i in 1..n, j in 1..n   # F
claim: c.weight[i]*d.weight[i] = d.weight[i]*c.weight[i]   for i in 1..n   # T
claim: (for all i in 1..n: c.weight[i] >= d.weight[i]) implies (for all i in 1..n: c.weight[i] = d.weight[i])   # T
claim: (for all i != a: c.weight[i] >= d.weight[i]) implies c.weight[a] <= d.weight[a]   # T
claim: (for all i != a: c.weight[i] >= d.weight[i]) implies c.weight[a] < d.weight[a]   # F
claim: (for all i != a: c.weight[i] >= d.weight[i]) implies c.weight[a] >= d.weight[a]   # F
claim: (for all i in 1..n: k[i].q >= k[i].p) implies c.weight[a] >= d.weight[a]   # F
claim: (for all i != a: k[i].q <= k[i].p) and k[a].q >= k[a].p implies c.weight[a] >= d.weight[a]   # T
claim: (for all i in 1..n: k[i].q = k[i].p + 1) implies c = d   # T
claim: (for all i in 1..n: k[i].q = k[i].p) implies q = p   # F
claim: (for all i in 1..n: k[i].q = 2*k[i].p) implies c = d   # F
claim: (for all i in 1..n: c.weight[i] <= 1/n) implies (for all i in 1..n: c.weight[i] = 1/n)   # T
claim: (for all i != a: c.weight[i] <= c.weight[a]) implies c.weight[a] >= 1/n   # T
claim: (for all i != a: c.weight[i] < c.weight[a]) implies c.weight[a] > 1/n   # T
claim: (for all i != a: c.weight[i] < c.weight[a]) implies c.weight[a] > 1/2   # F
claim: (for all i != a: c.weight[i] < c.weight[a]) implies c.weight[a] > 1/2   at n = 2   # T
problem "a sum in a premise"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q
given sum(k[i].q for i in 1..n) = 0
c = attend(q, k, v)
claim: k[a].q <= 0   # F
claim: k[a].q = 0   # F
claim: (for all i in 1..n: k[i].q >= 0) implies k[a].q = 0   # T
claim: k[a].q = -k[b].q   at n = 2   # T
claim: k[a].q = -k[b].q   # F
claim: max(k[i].q for i in 1..n) >= 0   # T
claim: max(k[i].q for i in 1..n) > 0   # F
claim: k[a].q >= 1 implies c.weight[a] >= 1/n   # F
claim: k[a].q >= 1 implies c.weight[a] > 1/2   at n = 2   # T
problem "a sum of keys in a premise"
given n >= 2
keys k[1..n] norm 1
given |sum(k[i] for i in 1..n)| = 0
pick a, b distinct in 1..n
claim: k[a].k[b] = -1   # F
claim: k[a].k[b] = -1   at n = 2   # T
claim: sum(k[i].k[a] for i in 1..n) = 0   # T
claim: sum(k[i].k[a] for i != a) = -1   # T
claim: k[a].k[b] = -1/2   at n = 3   # T
claim: k[a].k[b] = -1/(n - 1)   # F
claim: n >= 2   # T
problem "tall matrices"
matrix A[n,m], B[n,m]; assume A'A = I
vector x[m], y[n], z[m]
claim: A*A' = I   # F
claim: A*A'*A = A   # T
claim: (A*A')*(A*A') = A*A'   # T
claim: |A*x| = |x|   # T
claim: |A'*y| <= |y|   # T
claim: |A'*y| = |y|   # F
claim: (A*x).(A*z) = x.z   # T
claim: m <= n   # T
claim: m < n   # F
claim: n >= 2   # F
claim: A*A' = I   at n = 2, m = 2   # T
claim: A*A' = I   for n = m   # T
claim: A*A' = I   at n = 2, m = 1   # F
claim: A = A   at n = 1, m = 2   # V
claim: A = 2*A   at n = 1, m = 2   # V
claim: A'*B = 0   # F
claim: A*x = y implies x = A'*y   # T
claim: x = A'*y implies A*x = y   # F
problem "permutations"
permutation P[n], R[n]
matrix A[n,n]
vector x[n]
claim: P*R = R*P   # F
claim: P*R = R*P   at n = 2   # T
claim: P*R = R*P   at n = 3   # F
claim: P*P = I   # F
claim: P*P = I   at n = 2   # T
claim: P' = P   at n = 2   # T
claim: P' = P   # F
claim: P = I   at n = 1   # T
claim: P = I   # F
claim: P*P*P*P*P*P = I   at n = 3   # T
claim: P*P*P = I   at n = 3   # F
claim: |P*x| = |x|   # T
claim: P*x = x   # F
claim: softmax(P*A*P') = P*softmax(A)*P'   # T
claim: softmax(P*A) = softmax(A)   # F
claim: softmax(A)*A = A   # F
claim: softmax(A) = softmax(2*A)   # F
claim: softmax(0*A) = softmax(P*(0*A))   # T
claim: A*P = P*A   # F
claim: A*P = P*A   at n = 1   # T
claim: P*R*R'*P' = I   # T
claim: (P*R)' = R'*P'   # T
claim: P + R = R + P   # T
claim: P = R   # F
problem "impossible assumptions"
matrix A[n,n]
assume A = 2*A, A'A = I
claim: A = I   # V
claim: A = A   # V
claim: A = 2*A   # V
problem "impossible assumptions of size"
matrix A[2,3]
assume A'A = I
claim: A = A   # V
claim: A = 2*A   # V
claim: A*A' = I   # V
problem "projections"
matrix A[n,n]; assume A*A = A, A' = A
vector x[n]
claim: |A*x| <= |x|   # T
claim: |A*x| = |x|   # F
claim: A*A*A = A   # T
claim: (I - A)*(I - A) = I - A   # T
claim: A*(I - A) = 0   # T
claim: A = I   # F
claim: A = I or A = 0   # F
claim: |A*x|^2 + |x - A*x|^2 = |x|^2   # T
claim: x.(A*x) >= 0   # T
claim: x.(A*x) > 0   # F
problem "numbers and sizes"
matrix X[n,d]
claim: n >= 1   # T
claim: d >= 1   # T
claim: d >= 2   # F
claim: n = d   # F
claim: n*d >= 1   # T
claim: n*d > 1   # F
problem "one name, two roles"
given q > 0
keys k[1..n] orthonormal
values v[1..n]
pick a in 1..n
c = attend(q*k[a], k, v)
claim: c.weight[a] >= 1/n   # T
claim: c.weight[a] > 1/n   # F
claim: q > 0   # T
claim: q > 1   # F
claim: c.score[a] = q   # T
problem "shadows"
given x > 0
f(x) = x - 1
g(y) = x*y
claim: f(0) = -1   # T
claim: f(t) > -1   # F
claim: f(x) > -1   # T
claim: g(2) = 2*x   # T
claim: g(x) = x^2   # T
claim: g(g(1)) = x^2   # T
claim: f(g(x)) >= -1   # T
problem "nothing is known"
scalar t
vector x
claim: t = t   # T
claim: t = 0   # F
claim: |x| >= 0   # T
claim: x = x   # T
claim: x = 0   # F
claim: 0*x = 0   # T
claim: |x| = 0 implies x = 0   # T
claim: x = 0 implies |x| = 0   # T
claim: t*x = 0 implies t = 0   # F
claim: t*x = 0 implies t = 0 or |x| = 0   # T
problem "products that are given"
vector x, y
given x.y = 1
claim: |x| > 0   # T
claim: |x|*|y| >= 1   # T
claim: |x|*|y| > 1   # F
claim: |x| >= 1   # F
claim: |x| >= 1 or |y| >= 1   # T
claim: |x + y|^2 >= 4   # T
claim: |x + y|^2 > 4   # F
claim: |x - y| > 0   # F
claim: |x|^2 + |y|^2 >= 2   # T
claim: x = y   # F
claim: |x| = 1   given |y| = 1   # F
claim: |x| >= 1   given |y| = 1   # T
claim: x = y   given |x| = 1, |y| = 1   # T
claim: x = 2*y   given |x| = 1, |y| = 1   # F
claim: |x| = 1/2   given |y| = 1   # F
claim: |x| >= 0   given |x| = 1/2, |y| = 1   # V
claim: |x| = 2   given |x| = 1/2, |y| = 1   # V
problem "products with letters"
vector x, y
given |x| = s, |y| = t, x.y = r
claim: s >= 0   # T
claim: s > 0   # F
claim: r <= s*t   # T
claim: r^2 <= s^2*t^2   # T
claim: |x + y|^2 = s^2 + 2*r + t^2   # T
claim: |x + y| = s + t   # F
claim: r = s*t   # F
claim: r = 5   at s = 1, t = 1   # F
claim: r <= 1   at s = 1, t = 1   # T
claim: s = -1   at s = -1   # V
claim: r = 2    at s = 1, t = 1, r = 2   # V
claim: s + t >= 0   # T
claim: x = y   for s = t, r = s^2   # T
claim: x = y   for s = t   # F
problem "norms of a family with letters"
given n >= 2
keys k[1..n] norm s
values v[1..n]
pick a, b distinct in 1..n
vector q
given |q| = t
c = attend(q, k, v)
claim: k[a].q <= s*t   # T
claim: k[a].q <= s   # F
claim: c.weight[a] <= e^(2*s*t)*c.weight[b]   # T
claim: c.weight[a] >= e^(-2*s*t)/n   # T
claim: c.weight[a] >= e^(-s*t)/n   # F
claim: t >= 0   # T
claim: c.weight[a] = 1/n   at t = 0   # T
claim: c.weight[a] = 1/n   at t = 1   # F
claim: c.weight[a] = 1/n   at s = 0   # V
claim: c.weight[a] ~ 1/n   as t -> 0   # T
claim: c.weight[a] ~ 1/n   as s -> 0   # T
claim: c.weight[a] ~ 1   as t -> inf   # F
problem "equations of vectors"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q
given k[a] = 2*k[b]
c = attend(q, k, v)
claim: k[a].q = 2*k[b].q   # T
claim: |k[a]| = 2*|k[b]|   # T
claim: |k[a]| >= |k[b]|   # T
claim: |k[a]| > |k[b]|   # F
claim: k[b].q >= 0 implies c.weight[a] >= c.weight[b]   # T
claim: c.weight[a] >= c.weight[b]   # F
claim: k[a].k[b] >= 0   # T
claim: k[a].k[b] = 2*|k[b]|^2   # T
claim: c.weight[a] = c.weight[b] implies k[b].q = 0   # T
problem "a query that is a sum"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
q = sum(k[i] for i in 1..n)
c = attend(q, k, v)
claim: sum(k[i].q for i in 1..n) = |q|^2   # T
claim: sum(k[i].q for i in 1..n) >= 0   # T
claim: sum(k[i].q for i in 1..n) > 0   # F
claim: k[a].q >= 0   # F
claim: k[a].q = |k[a]|^2 + sum(k[i].k[a] for i != a)   # T
claim: |q| <= sum(|k[i]| for i in 1..n)   # T
claim: |q|^2 <= n*sum(|k[i]|^2 for i in 1..n)   # T
claim: |q|^2 <= sum(|k[i]|^2 for i in 1..n)   # F
claim: max(k[i].q for i in 1..n) >= 0   # T
problem "a list and a pick"
keys k = [[2], [1], [0], [-1]]
values v = [[1], [0], [0], [3]]
pick a, b distinct in 1..4
c = attend(beta*k[a], k, v)
claim: |k[a]| <= 2   # T
claim: |k[a]| < 2   # F
claim: k[a] != k[b]   # T
claim: k[a].k[b] >= -2   # T
claim: k[a].k[b] > -2   # F
claim: k[a].k[b] <= 2   # T
claim: k[a].k[b] <= 1   # F
claim: |k[a]| + |k[b]| >= 1   # T
claim: |k[a]| + |k[b]| > 1   # F
claim: c.weight[a] >= c.weight[b]   for beta >= 0   # F
claim: c.weight[1] >= c.weight[b]   # F
claim: |c| <= 3   # T
claim: |c| < 3   # T
claim: |c| <= 2   # F
claim: c in hull(v)   # T
claim: c.weight[1] >= 1/4   at beta = 1   # F
claim: c.weight[a] >= 1/4   at beta = 1   # F
claim: c.weight[3] <= 1/3   # T
claim: c.weight[2]^2 = c.weight[1]*c.weight[3]   # T
claim: c.weight[a]*c.weight[b] = c.weight[b]*c.weight[a]   # T
claim: c.weight[1]*c.weight[4] = c.weight[2]*c.weight[3]   # T
claim: c.weight[a] = 1/4   at beta = 0   # T
claim: c.weight[a] = 1/4   # F
claim: sum(k[i].k[a] for i in 1..4) = 2*k[a].k[2]   # T
problem "shifts"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q, u
c = attend(q, k, v)
claim: e^(k[a].q)/sum(e^(k[i].q) for i in 1..n) = c.weight[a]   # T
claim: e^(k[a].q)/sum(e^(k[i].q) for i != a) = c.weight[a]   # F
claim: ln(sum(e^(k[i].q) for i in 1..n)) >= k[a].q   # T
claim: ln(sum(e^(k[i].q) for i in 1..n)) <= max(k[i].q for i in 1..n) + ln(n)   # T
claim: ln(sum(e^(k[i].q) for i in 1..n)) <= max(k[i].q for i in 1..n)   # F
claim: 1/c.weight[a] = sum(e^((k[i] - k[a]).q) for i in 1..n)   # T
claim: 1/c.weight[a] >= 1   # T
claim: 1/c.weight[a] >= n   # F
claim: sum(1/c.weight[i] for i in 1..n) >= n^2   # T
claim: sum(1/c.weight[i] for i in 1..n) > n^2   # F
claim: sum(sqrt(c.weight[i]) for i in 1..n) >= 1   # T
claim: sum(sqrt(c.weight[i]) for i in 1..n) <= sqrt(n)   # T
claim: sum(-c.weight[i]*ln(c.weight[i]) for i in 1..n) <= ln(n)   # T
claim: sum(-c.weight[i]*ln(c.weight[i]) for i in 1..n) < ln(n)   # F
claim: sum(-c.weight[i]*ln(c.weight[i]) for i in 1..n) >= 0   # T
claim: c.weight[a]*c.weight[b] <= 1/4   # T
claim: c.weight[a]*c.weight[b] < 1/4   # F
claim: c.weight[a]^2 + c.weight[b]^2 <= 1   # T
claim: c.weight[a]^2 + c.weight[b]^2 >= 1/2   at n = 2   # T
claim: c.weight[a]^2 + c.weight[b]^2 >= 1/2   # F
claim: (c.weight[a] - c.weight[b])*(k[a].q - k[b].q) >= 0   # T
claim: (c.weight[a] - c.weight[b])*(k[a].q - k[b].q) > 0   # F
claim: |c.weight[a] - c.weight[b]| <= |k[a].q - k[b].q|   # T
claim: |c.weight[a] - c.weight[b]| <= |k[a].q - k[b].q|/2   # T
claim: |c.weight[a] - c.weight[b]| <= |k[a].q - k[b].q|/4   # F
claim: c.weight[a] - c.weight[b] = tanh((k[a] - k[b]).q/2)   at n = 2   # T
claim: c.weight[a] - c.weight[b] = tanh((k[a] - k[b]).q)   at n = 2   # F
problem "indexes by numbers"
given n >= 4
keys k[1..n] orthonormal
values v[1..n]
pick a in 1..n
c = attend(beta*(k[1] + 2*k[3]), k, v)
claim: c.weight[1] <= c.weight[3]   for beta >= 0   # T
claim: c.weight[a] <= c.weight[3]   for beta >= 0   # T
claim: c.weight[a] < c.weight[3]   for beta > 0   # F
claim: c.weight[a] = c.weight[2]   # F
claim: c.weight[4] = c.weight[2]   # T
claim: c.weight[1] = c.weight[3]   # F
claim: k[a].k[1] = 0   # F
claim: k[a].k[1] >= 0   # T
claim: k[a].k[1] = 0 or k[a].k[2] = 0   # T
claim: k[a].k[1] = 1 or k[a].k[2] = 0   # F
claim: c.score[a] >= 0   for beta >= 0   # T
claim: c.score[a] > 0   for beta > 0   # F
claim: c ~ v[3]   as beta -> inf   # T
claim: c ~ v[a]   as beta -> inf   # F
problem "dimension in premises"
keys k[1..n] orthonormal, dimension d
vector q
given d <= 4, n >= 4
claim: n = 4   # T
claim: d = 4   # T
claim: sum((k[i].q)^2 for i in 1..n) = |q|^2   # T
claim: n = 5   # F
claim: |q| = 0   # F
claim: (for all i in 1..n: k[i].q = 0) implies |q| = 0   # T
problem "dimension of unit vectors"
vectors u[1..n] norm 1, dimension d
claim: n <= d   # F
claim: d >= 1   # T
claim: d >= 2   # F
claim: n >= 2   # F
claim: for all i in 1..n: for all j in 1..n: u[i].u[j] >= -1   # T
claim: for all i in 1..n: for all j in 1..n: u[i].u[j] > -1   # F
claim: for all i in 1..n: for all j in 1..n: (u[i].u[j])^2 = 1   at d = 1   # T
claim: for all i in 1..n: for all j in 1..n: (u[i].u[j])^2 = 1   # F
problem "three vectors in a plane"
vectors u[1..3] norm 1, dimension 2
claim: u[1].u[2] >= -1/2 or u[2].u[3] >= -1/2 or u[1].u[3] >= -1/2   # T
claim: u[1].u[2] = 0 and u[2].u[3] = 0 implies (u[1].u[3])^2 = 1   # T
claim: u[1].u[2] = 0 and u[2].u[3] = 0 implies u[1].u[3] = 0   # F
claim: u[1].u[2] = 0 implies (u[1].u[3])^2 + (u[2].u[3])^2 = 1   # T
problem "three vectors in space"
vectors u[1..3] norm 1
claim: u[1].u[2] = 0 and u[2].u[3] = 0 implies (u[1].u[3])^2 = 1   # F
claim: u[1].u[2] = 0 implies (u[1].u[3])^2 + (u[2].u[3])^2 = 1   # F
claim: u[1].u[2] = 0 implies (u[1].u[3])^2 + (u[2].u[3])^2 <= 1   # T
claim: u[1].u[2] = 1 implies u[1].u[3] = u[2].u[3]   # T
claim: u[1].u[2] = -1 implies u[1].u[3] = -u[2].u[3]   # T
claim: u[1].u[2] >= 0 and u[2].u[3] >= 0 implies u[1].u[3] >= 0   # F
claim: u[1].u[2] + u[2].u[3] + u[1].u[3] >= -3/2   # T
claim: u[1].u[2] + u[2].u[3] + u[1].u[3] > -3/2   # F
claim: u[1].u[2] + u[2].u[3] + u[1].u[3] >= -1   # F
problem "dependent queries"
given n >= 3
keys k[1..n] orthonormal
values v[1..n]
pick a, b, g distinct in 1..n
vector q
given |q| = 1
c = attend(q, k, v)
claim: k[a].q <= 1   # T
claim: (k[a].q)^2 + (k[b].q)^2 <= 1   # T
claim: (k[a].q)^2 + (k[b].q)^2 < 1   # F
claim: k[a].q + k[b].q <= sqrt(2)   # T
claim: k[a].q + k[b].q < sqrt(2)   # F
claim: k[a].q + k[b].q <= 7/5   # F
claim: c.weight[a] <= e*c.weight[b]   # F
claim: c.weight[a] <= e^(sqrt(2))*c.weight[b]   # T
claim: c.weight[a] <= e/(n - 1 + e)   # F
claim: k[a].q = 1 implies k[b].q = 0   # T
claim: k[a].q = 1 implies c.weight[b] = c.weight[g]   # T
claim: k[a].q = 1 implies q = k[a]   # T
claim: k[a].q = 0 implies k[b].q = 1   # F
claim: sum((k[i].q)^2 for i in 1..n) <= 1   # T
claim: sum((k[i].q)^2 for i in 1..n) = 1   # F
claim: sum(k[i].q for i in 1..n) <= sqrt(n)   # T
claim: sum(k[i].q for i in 1..n) <= 1   # F
problem "lengths of outputs"
given n >= 2
keys k[1..n]
values v[1..n] orthonormal
pick a, b distinct in 1..n
vector q
c = attend(q, k, v)
claim: c.v[a] = c.weight[a]   # T
claim: |c|^2 = sum(c.weight[i]^2 for i in 1..n)   # T
claim: |c| <= 1   # T
claim: |c| < 1   # T
claim: |c| >= 1/sqrt(n)   # T
claim: |c| > 1/sqrt(n)   # F
claim: |c - v[a]|^2 = 1 - 2*c.weight[a] + |c|^2   # T
claim: |c - v[a]| <= sqrt(2)   # T
claim: |c - v[a]| <= 1   # F
claim: |c|^2 <= max(c.weight[i] for i in 1..n)   # T
claim: |c|^2 >= c.weight[a]   # F
claim: c.v[a] >= c.v[b] implies k[a].q >= k[b].q   # T
problem "unit values"
given n >= 2
keys k[1..n]
values v[1..n] norm 1
pick a, b distinct in 1..n
vector q
c = attend(q, k, v)
claim: |c| <= 1   # T
claim: |c| < 1   # F
claim: |c| > 0   # F
claim: c.v[a] <= 1   # T
claim: c.v[a] >= 0   # F
claim: c.v[a] >= 2*c.weight[a] - 1   # T
claim: c.v[a] >= c.weight[a]   # F
claim: |c - v[a]| <= 2*(1 - c.weight[a])   # T
claim: |c - v[a]| <= 1 - c.weight[a]   # F
claim: |c| = 1 implies v[a] = v[b]   # T
claim: |c| = 0 implies v[a] = v[b]   # F
problem "picks of more than two"
given n >= 3
keys k[1..n]
values v[1..n]
pick a, b, g distinct in 1..n
vector q
c = attend(q, k, v)
claim: c.weight[a] + c.weight[b] + c.weight[g] <= 1   # T
claim: c.weight[a] + c.weight[b] + c.weight[g] < 1   # F
claim: c.weight[a] + c.weight[b] + c.weight[g] = 1   at n = 3   # T
claim: c.weight[a]*c.weight[b]*c.weight[g] <= 1/27   # T
claim: c.weight[a]*c.weight[b]*c.weight[g] < 1/27   # F
claim: c.weight[a] >= c.weight[b] and c.weight[b] >= c.weight[g] implies c.weight[g] <= 1/3   # T
claim: c.weight[a] >= c.weight[b] and c.weight[b] >= c.weight[g] implies c.weight[b] <= 1/2   # T
claim: c.weight[a] >= c.weight[b] and c.weight[b] >= c.weight[g] implies c.weight[a] >= 1/3   # F
claim: c.weight[a] >= c.weight[b] and c.weight[b] >= c.weight[g] implies c.weight[a] >= 1/3   at n = 3   # T
claim: k[a].q + k[b].q = 2*k[g].q implies c.weight[a]*c.weight[b] = c.weight[g]^2   # T
claim: k[a].q + k[b].q = 2*k[g].q implies c.weight[a] + c.weight[b] = 2*c.weight[g]   # F
claim: k[a].q + k[b].q = 2*k[g].q implies c.weight[a] + c.weight[b] >= 2*c.weight[g]   # T
claim: c.weight[i] <= 1 - c.weight[a] - c.weight[b]   for i not in {a, b}   # T
claim: c.weight[i] <= 1 - c.weight[a] - c.weight[b]   for i in 1..n   # F
claim: c.weight[i] <= 1 - c.weight[a]   for i != b   # F
claim: c.weight[i] <= 1 - c.weight[a]   for i != a   # T
problem "given for all in different clothes"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q
c = attend(q, k, v)
claim: c.weight[a] >= 1/n   given for all i in 1..n: k[i].q <= k[a].q   # T
claim: c.weight[a] >= 1/n   given for all i != a: k[i].q <= k[a].q   # T
claim: c.weight[a] >= 1/n   given for all i != b: k[i].q <= k[a].q   # F
claim: c.weight[a] >= 1/n   given for all i not in {a, b}: k[i].q <= k[a].q   # F
claim: c.weight[a] >= 1/n   given k[b].q <= k[a].q   # F
claim: c.weight[a] >= 1/n   given k[b].q <= k[a].q, n = 2   # T
claim: c.weight[a] >= 1/n   given max(k[i].q for i in 1..n) = k[a].q   # T
claim: c.weight[a] <= 1/n   given min(k[i].q for i in 1..n) = k[a].q   # T
claim: c.weight[a] = 1/n   given max(k[i].q for i in 1..n) = min(k[i].q for i in 1..n)   # T
claim: c.weight[a] >= c.weight[b]   given mean(k[i].q for i in 1..n) <= k[a].q   # F
claim: c.weight[a] >= 1/n   given mean(k[i].q for i in 1..n) <= k[a].q   # F
claim: c.weight[a] <= 1/n   given mean(k[i].q for i in 1..n) >= k[a].q   # T
claim: c.weight[a] <= 1/n   given sum(k[i].q for i in 1..n) >= n*k[a].q   # T
claim: c.weight[a] < 1/n   given sum(k[i].q for i in 1..n) > n*k[a].q   # T
claim: c.weight[a] >= 1/2   given sum(c.weight[i] for i != a) <= 1/2   # T
claim: c.weight[a] > 1/2   given sum(c.weight[i] for i != a) <= 1/2   # F
claim: c.weight[b] <= 1/2   given sum(c.weight[i] for i != a) <= 1/2   # T
claim: c.weight[b] = 1/2   given sum(c.weight[i] for i != a) <= 1/2   # F
problem "limits and premises together"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q
c = attend(beta*q, k, v)
given for all i not in {a, b}: k[i].q < k[a].q
claim: c ~ v[a]   as beta -> inf   # F
claim: c ~ v[a]   as beta -> inf, given k[b].q < k[a].q   # T
claim: c ~ v[b]   as beta -> inf, given k[b].q > k[a].q   # T
claim: c ~ 1/2 (v[a] + v[b])   as beta -> inf, given k[b].q = k[a].q   # T
claim: c ~ 1/2 (v[a] + v[b])   as beta -> inf   # F
claim: c.weight[a] + c.weight[b] ~ 1   as beta -> inf   # T
claim: c.weight[a] + c.weight[b] > 1/2   as beta -> inf   # T
claim: c.weight[i] ~ 0   as beta -> inf, for i not in {a, b}   # T
claim: c.weight[i] ~ 0   as beta -> inf, for i != a   # F
claim: c.weight[a] ~ 0 or c.weight[b] ~ 0   as beta -> inf   # F
claim: c.weight[a] ~ 1 or c.weight[b] ~ 1 or c.weight[a] ~ 1/2   as beta -> inf   # T
claim: not c ~ v[a]   as beta -> inf, given k[b].q > k[a].q   # F
claim: not c.weight[a] ~ 1   as beta -> inf, given k[b].q > k[a].q   # T
claim: c.weight[a] >= 1/2   as beta -> inf, given k[b].q <= k[a].q   # F
claim: c.weight[a] >= 1/3   as beta -> inf, given k[b].q <= k[a].q   # T
claim: c.weight[a] >= c.weight[b]   as beta -> inf, given k[b].q <= k[a].q   # T
claim: c.weight[a] > c.weight[b]   as beta -> inf, given k[b].q <= k[a].q   # F
problem "limits of fractions"
claim: t/(1 + t) ~ 1   as t -> inf   # T
claim: t/(1 + t) = 1   as t -> inf   # T
claim: t/(1 + t) < 1   as t -> inf   # T
claim: (t + s)/t ~ 1   as t -> inf   # T
claim: s*t/(1 + t) ~ s   as t -> inf   # T
claim: (s*t + 1)/(t + 1) ~ 1   as t -> inf   # F
claim: t^s ~ 0   as t -> inf   # F
claim: e^(s*t) ~ 0   as t -> inf, given s < 0   # T
claim: e^(s*t) ~ 0   as t -> inf, given s <= 0   # F
claim: e^(s*t) ~ 0 or e^(s*t) ~ 1   as t -> inf, given s <= 0   # T
claim: e^(s*t) > 1   as t -> inf, given s > 0   # T
claim: s*t > 1   as t -> inf, given s > 0   # T
claim: s*t > 1   as t -> inf   # F
claim: s*t > 1 or s <= 0   as t -> inf   # T
claim: sqrt(t^2 + t) - t ~ 1/2   as t -> inf   # T
claim: sqrt(t^2 + t) - t ~ 0   as t -> inf   # F
claim: sqrt(t + 1) - sqrt(t) ~ 0   as t -> inf   # T
claim: ln(t)/t ~ 0   as t -> inf   # T
claim: ln(t + 1) - ln(t) ~ 0   as t -> inf   # T
claim: ln(t) > s   as t -> inf   # T
claim: (1 + 1/t)^t ~ e   as t -> inf   # T
claim: (1 + s/t)^t ~ e^s   as t -> inf   # T
claim: t*e^-t ~ 0   as t -> inf   # T
claim: t^5*e^-t ~ 0   as t -> inf   # T
claim: e^t/t^5 ~ 0   as t -> inf   # F
claim: e^t > t^5   as t -> inf   # T
claim: e^t > s*t^5   as t -> inf   # T
claim: tanh(t) ~ 1   as t -> inf   # T
claim: tanh(s*t) ~ 1   as t -> inf   # F
claim: (e^s - 1)/s ~ 1   as s -> 0   # T
claim: (e^s - 1)/s ~ 0   as s -> 0   # F
claim: (e^(2*s) - 1)/s ~ 2   as s -> 0   # T
claim: ln(1 + s)/s ~ 1   as s -> 0   # T
claim: (cos(s) - 1)/s^2 ~ -1/2   as s -> 0   # T
claim: s*ln(s) ~ 0   as s -> 0, given s > 0   # T
claim: t/(s + t) ~ 0   as t -> 0   # F
claim: t/(s + t) ~ 0   as t -> 0, given s != 0   # T
claim: t/(s + t) ~ 0   as t -> 0, given s > 0   # T
claim: |t|/t ~ 1   as t -> 0   # F
claim: t/(s + t) ~ 0   as t -> 0 then s -> 0, given s > 0, t > 0   # T
claim: t/(s + t) ~ 1   as s -> 0 then t -> 0, given s > 0, t > 0   # T
claim: t/(s + t) ~ 0   as s -> 0 then t -> 0, given s > 0, t > 0   # F
claim: s/t ~ 0   as t -> inf then s -> inf   # T
claim: s/t ~ 0   as s -> inf then t -> inf   # F
problem "three vectors"
vector x, y, z
claim: x.y <= |z|   # F
claim: |x| <= |z|*|y|   # F
claim: x.y <= z.z   # F
claim: |x - z| <= |x - y|   # F
claim: x.z + y.z <= |x + y|*|z|   # T
claim: x.z + y.z <= |x - y|*|z|   # F
claim: |x + y| = |x + y + z|   # F
claim: |x + y + z|^2 <= 3*(|x|^2 + |y|^2 + |z|^2)   # T
claim: |x + y + z|^2 <= 2*(|x|^2 + |y|^2 + |z|^2)   # F
claim: |x - y|^2 + |y - z|^2 + |z - x|^2 <= 3*(|x|^2 + |y|^2 + |z|^2)   # T
claim: |x - y|^2 + |y - z|^2 + |z - x|^2 <= 2*(|x|^2 + |y|^2 + |z|^2)   # F
claim: x.y + y.z + z.x <= |x|^2 + |y|^2 + |z|^2   # T
claim: x.y + y.z + z.x < |x|^2 + |y|^2 + |z|^2   # F
claim: |x - z|^2 <= 2*|x - y|^2 + 2*|y - z|^2   # T
claim: |x - z|^2 <= |x - y|^2 + |y - z|^2   # F
claim: (x.y)*(y.z) <= |x|*|y|^2*|z|   # T
claim: (x.y)*(y.z) <= |x|*|y|*|z|   # F
claim: |x.y - x.z| <= |x|*|y - z|   # T
claim: |x.y - x.z| <= |y - z|   # F
claim: |x| <= 1 and |y - z| <= 1 implies |x.y - x.z| <= 1   # T
claim: |x| <= 1 and |y - z| <= 1 implies |x.y - x.z| < 1   # F
claim: x.y = 0 and y.z = 0 implies x.z = 0   # F
claim: x.y = 0 and x.z = 0 implies x.(y + z) = 0   # T
claim: x.y = 0 and x.z = 0 implies |x + y + z|^2 = |x|^2 + |y + z|^2   # T
claim: x.y = 0 and x.z = 0 implies |x + y + z| >= |y + z|   # T
claim: x.y = 0 and x.z = 0 implies |x + y + z| >= |y|   # F
claim: |x| = |y| implies (x + y).(x - y) = 0   # T
claim: |x| = |y| implies x.z = y.z   # F
claim: |x - y| = 0 implies x.z = y.z   # T
claim: x = y implies |x - z| = |y - z|   # T
claim: |x - z| = |y - z| implies x = y   # F
claim: x + y + z = 0 implies |x| <= |y| + |z|   # T
claim: x + y + z = 0 implies x.y + y.z + z.x <= 0   # T
claim: x + y + z = 0 implies x.y + y.z + z.x < 0   # F
claim: x + y = z implies |z|^2 = |x|^2 + |y|^2   # F
problem "four vectors"
vector x, y, z, w
claim: |x - w| <= |x - y| + |y - z| + |z - w|   # T
claim: |x - w| <= |x - y| + |z - w|   # F
claim: |x - z|^2 + |y - w|^2 <= |x - y|^2 + |y - z|^2 + |z - w|^2 + |w - x|^2   # T
claim: |x - z|^2 + |y - w|^2 <= |x - y|^2 + |y - z|^2 + |z - w|^2   # F
claim: x.y + z.w <= |x|*|y| + |z|*|w|   # T
claim: x.y + z.w <= |x|*|w| + |z|*|y|   # F
claim: (x + y).(z + w) = x.z + x.w + y.z + y.w   # T
claim: (x + y).(z + w) = x.z + y.w   # F
problem "keys and scores"
given n >= 3
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q
c = attend(q, k, v)
claim: k[a].q <= c.score[i] + |k[i]|   for i in 1..n, for j in 1..n   # F
claim: k[a].q <= k[b].q + |k[b]|   # F
claim: k[a].q <= |k[a]|*|q|   # T
claim: k[a].q <= |k[b]|*|q|   # F
claim: k[a].q - k[b].q <= |k[a] - k[b]|*|q|   # T
claim: k[a].q - k[b].q <= |k[a]|*|q|   # F
claim: k[a].q - k[b].q <= (|k[a]| + |k[b]|)*|q|   # T
claim: k[i].q - k[j].q <= |k[i] - k[j]|*|q|   for i in 1..n, for j in 1..n   # T
claim: k[i].q - k[j].q <= |k[i] - k[j]|   for i in 1..n, for j in 1..n   # F
claim: k[i].q - k[j].q < |k[i] - k[j]|*|q|   for i in 1..n, for j != i   # F
claim: k[i].k[j] <= |k[i]|*|k[j]|   for i in 1..n, for j in 1..n   # T
claim: k[i].k[j] <= |k[i]|*|q|   for i in 1..n, for j in 1..n   # F
claim: k[i].k[j] <= |k[a]|*|k[j]|   for i in 1..n, for j in 1..n   # F
claim: k[i].k[j] <= |k[a]|*|k[b]|   for i in 1..n, for j in 1..n   # F
claim: |k[i] + k[j] + q| <= |k[i]| + |k[j]| + |q|   for i in 1..n, for j in 1..n   # T
claim: |k[i] + k[j] + q| <= |k[i]| + |k[j]|   for i in 1..n, for j in 1..n   # F
claim: |k[i]| <= |k[j]|   for i in 1..n, for j in 1..n   # F
claim: |k[a]| <= |k[i]|   for i in 1..n   # F
claim: |k[a]| >= |k[i]| - |k[a] - k[i]|   for i in 1..n   # T
claim: c.weight[i] <= e^(|k[i] - k[j]|*|q|)*c.weight[j]   for i in 1..n, for j in 1..n   # T
claim: c.weight[i] <= e^(|k[i] - k[j]|)*c.weight[j]   for i in 1..n, for j in 1..n   # F
claim: c.weight[i] >= e^(-2*|q|)/n   for i in 1..n   # F
claim: c.weight[i] >= e^(-2*|q|)/n   for i in 1..n, given for all l in 1..n: |k[l]| <= 1   # T
claim: c.weight[i] >= e^(-|q|)/n   for i in 1..n, given for all l in 1..n: |k[l]| <= 1   # F
problem "two frames in one space"
keys k[1..n] orthonormal, dimension d
keys p[1..m] orthonormal
vector q
claim: m <= d   # T
claim: n + m <= d   # F
claim: m <= n   # F
claim: m <= n   for n = d   # T
claim: m = n   for n = d, m = d   # T
claim: sum((k[i].q)^2 for i in 1..n) >= sum((p[j].q)^2 for j in 1..m)   for n = d   # T
claim: sum((k[i].q)^2 for i in 1..n) >= sum((p[j].q)^2 for j in 1..m)   # F
claim: sum((k[i].q)^2 for i in 1..n) = sum((p[j].q)^2 for j in 1..m)   for n = d, m = d   # T
problem "two frames in the plane"
keys k[1..n] orthonormal, dimension 2
keys p[1..m] orthonormal
claim: m <= 2   # T
claim: m <= 1   # F
claim: n <= 2   # T
claim: m >= 3   # F
claim: 1 = 1   at m = 3   # V
claim: 1 = 2   at m = 3   # V
problem "bounds of a dimension"
keys k[1..n] orthonormal, dimension d
pick a in 1..n
claim: d >= n   # T
claim: d >= 2   # F
claim: n = 1   at d = 1   # T
claim: n <= 3   for d < 4   # T
claim: n < 3   for d < 4   # F
claim: n = 2   for d < 3, n > 1   # T
claim: d = 1/2   at d = 1/2   # V
claim: n = n   at d = 3/2   # V
claim: n = n   at n = 3, d = 2   # V
claim: |k[a]| = 1   at n = 3, d = 2   # V
problem "numbers and vectors"
vector x, y
claim: |x + t*y| <= |x| + |t|*|y|   # T
claim: |x + t*y| <= |x| + t*|y|   # F
claim: |t*x - s*y| >= |t|*|x| - |s|*|y|   # T
claim: |t*x - s*y| >= t*|x| - s*|y|   # F
claim: |x - t*y|^2 >= |x|^2 - (x.y)^2/|y|^2   # T
claim: |x - t*y|^2 > |x|^2 - (x.y)^2/|y|^2   # F
claim: |x - t*y| >= |x| - |t|   # F
claim: t*|x| >= 0   # F
claim: t^2*|x| >= 0   # T
problem "keys in one line"
given n >= 2
keys k[1..n]
values v[1..n]
pick a, b distinct in 1..n
vector q
c = attend(q, k, v)
given |k[a]| = 2*|k[b]|, k[a].k[b] = |k[a]|*|k[b]|
claim: k[a].q = 2*k[b].q   # T
claim: k[a] = 2*k[b]   # T
claim: k[a] = k[b]   # F
claim: k[b].q >= 0 implies c.weight[a] >= c.weight[b]   # T
claim: c.weight[a] >= c.weight[b]   # F
"""


def known_problems():
    """The problems of KNOWN_CLAIMS: (statements with claims, {line: truth})."""
    found = []
    for block in re.split(r"(?m)^(?=problem)", KNOWN_CLAIMS.strip()):
        lines, truths = [], {}
        for line in block.rstrip().split("\n"):
            text, _, mark = line.partition("   # ")
            if mark:
                truths[len(lines)] = {"T": TRUE, "F": FALSE, "V": "vacuous"}[mark]
            lines.append(text)
        found.append((lines, truths))
    return found


class Written:
    """A problem from KNOWN_CLAIMS: a part of its claims, under other names."""

    def __init__(self, rng, lines, truths, rename):
        wanted = set(rng.sample(sorted(truths), min(8, len(truths))))
        kept = [number for number in range(len(lines)) if number not in truths or number in wanted]
        while any(is_empty_block(lines, kept, place) for place in range(len(kept))):
            kept = [number for place, number in enumerate(kept) if not is_empty_block(lines, kept, place)]
        self.kind, self.files, self.vacuous = "known claims", {}, False
        text = "\n".join(lines[number] for number in kept)
        if rename:
            text = renamed_text(text, names_of(text), rng, rename)
        self.lines = text.split("\n")
        self.claims = []
        for place, number in enumerate(kept):
            if number in wanted:
                claim = Claim(
                    Known(self.lines[place], None),
                    truth=truths[number] if truths[number] != "vacuous" else None,
                )
                claim.vacuous = truths[number] == "vacuous"
                claim.place = place
                self.claims.append(claim)

    def text(self, claims=None):
        if claims is None:
            return "\n".join(self.lines)
        left_out = {claim.place for claim in self.claims if claim not in claims}
        return "\n".join(line for place, line in enumerate(self.lines) if place not in left_out)

    def draw(self, _rng, _trial, _pools=None):
        return None

    def claim_lines(self):
        return [claim.place for claim in self.claims]


def is_empty_block(lines, kept, place):
    """A condition with a colon and nothing below it."""
    opens = lines[kept[place]].endswith(":") and not lines[kept[place]].startswith(" ")
    return opens and not (place + 1 < len(kept) and lines[kept[place + 1]].startswith(" "))


def names_of(text):
    """What a text declares, defines, picks or leaves free; words of the language are left out."""
    words = set(
        re.findall(
            r"(?<![.\w])[A-Za-z]\w*",
            "\n".join(line for line in text.split("\n") if not line.startswith("problem")),
        )
    )
    return words - WORDS


WORDS = set(
    """problem given assume keys values means vectors vector matrix scalar permutation pick distinct in claim find
    law of orthonormal orthogonal norm dimension as then for all at within expect proved refuted exists not and or implies
    with approx e pi I inf exp ln log sqrt abs cos tanh erf sum mean max min attend self_attend softmax hull dist normal
    file P E Var Cov causal scale least such that""".split()
)


def known_claims(rng):
    lines, truths = rng.choice(KNOWN_PROBLEMS)
    text = "\n".join(lines)
    can_rename = not re.search(r"[^\x00-\x7f]|u\[a|permutation P|normal|\bcausal", text)
    pools = [None, None, PLAIN, CLASHING]
    return Written(rng, lines, truths, rng.choice(pools) if can_rename else None)


KNOWN_PROBLEMS = known_problems()
PLAIN = [f"name_{number}" for number in range(40)]


KINDS = {
    "nested": (nested, 3),
    "two families": (two_families, 3),
    "orthonormal": (orthonormal, 2.5),
    "listed keys": (listed_keys, 4),
    "clashing": (clashing, 2),
    "parameters": (parameters, 4),
    "premises": (premises, 0.6),
    "contradictory": (contradictory, 1.5),
    "gram": (gram, 0.6),
    "norms": (norms, 6),
    "frames": (frames, 1),
    "values": (valued, 0.3),
    "sizes": (sizes, 2),
    "no value": (without_value, 4),
    "matrices": (matrices, 6),
    "self attention": (tokens, 5),
    "heads": (heads, 0.8),
    "exists": (exists, 5),
    "limits": (limits, 4),
    "limits with premises": (tied_limits, 5),
    "random keys": (random_keys, 6),
    "find least": (find_least, 5),
    "known claims": (known_claims, 4),
    "tables": (tables, 3),
}


# --- the program under test ----------------------------------------------------------------------


class Program:
    """Runs documents; a crash, a hang or a broken answer is an error of its own."""

    def __init__(self, command):
        self.command, self.troubles = command, []
        self.folder = tempfile.TemporaryDirectory()
        self.seconds = 0.0

    def answer(self, text, files, seconds):
        """The claims by line; None after a crash or a hang, with the trouble in words."""
        for name, content in files.items():
            with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as out:
                out.write(content)
        path = os.path.join(self.folder.name, "document.qkv")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text + "\n")
        before = time.monotonic()
        try:
            done = subprocess.run(
                [self.command, "check", "--json", path],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                check=False,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            return None, f"no answer within {seconds} s"
        finally:
            self.seconds += time.monotonic() - before
            for name in files:
                os.remove(os.path.join(self.folder.name, name))
        if done.returncode not in (0, 1, 2, ENGINES_DISAGREE):
            return None, f"ended with status {done.returncode}"
        try:
            claims = json.loads(done.stdout)["claims"]
        except (ValueError, KeyError):
            return None, "the answer is no JSON"
        return {claim["line"]: claim for claim in claims}, ""

    def check(self, problems):
        """For each problem, the answers of its claims in order (None: a mistake in the text)."""
        texts, first, places = [], 1, []
        files = {}
        for problem in problems:
            text = problem.text()
            count = text.count("\n") + 1
            if isinstance(problem, Written):
                places.append([first + line for line in problem.claim_lines()])
            else:
                places.append(range(first + count - len(problem.claims), first + count))
            texts.append(text)
            first += count
            files.update(problem.files)
        claims = sum(len(problem.claims) for problem in problems)
        limit = SECONDS_FOR_A_CLAIM if claims == 1 else SECONDS_FOR_A_CLAIM + claims
        found, trouble = self.answer("\n".join(texts), files, limit)
        if found is not None:
            return [[found.get(line) for line in lines] for lines in places]
        if len(problems) > 1:
            middle = len(problems) // 2
            return self.check(problems[:middle]) + self.check(problems[middle:])
        return [self.one_by_one(problems[0])]

    def one_by_one(self, problem):
        """After trouble: each claim of the problem alone."""
        answers = []
        for claim in problem.claims:
            text = problem.text([claim])
            found, trouble = self.answer(text, problem.files, SECONDS_FOR_A_CLAIM)
            answers.append(found[max(found)] if found else None)
            if found is None:
                self.troubles.append((problem, claim, trouble))
        return answers


# --- judging -------------------------------------------------------------------------------------


def truth_at(claim, instance):
    """In floats; for limits with 60 digits."""
    if claim.limit:
        return limit_truth(claim, instance)
    return quick(claim.meaning(), instance)


def limit_truth(claim, instance):
    ((name, target),) = claim.limit
    return truth_in_limit(claim.meaning(), instance, name, target)


def surely_false(claim, instance):
    """Exactly, or with 60 digits."""
    if claim.limit:
        return limit_truth(claim, instance) == FALSE
    return decide(claim.meaning(), instance) == FALSE


def false_instance(problem, claim, instances, rng, thorough=False):
    """An instance where the claim is certainly false, or None."""
    unsure = []
    for instance in instances:
        here = claim.instance(problem, instance, rng)
        if here is None:
            continue
        truth = truth_at(claim, here)
        if truth == FALSE and surely_false(claim, here):
            return here
        if truth == 0 and not claim.limit:
            unsure.append(here)
    for here in unsure[: 20 if thorough else 8]:
        if surely_false(claim, here):
            return here
        if thorough and decide(claim.meaning(), here) == UNSURE:
            return here  # equal to forty digits
    return None


def search_harder(problem, claim, rng):
    """More instances, and a descent of the margin from the nearest of them."""
    instances, until = [], time.monotonic() + SECONDS_TO_SEARCH
    for trial in range(MORE_INSTANCES):
        instance = problem.draw(rng, trial)
        if instance is not None:
            instances.append(instance)
        if time.monotonic() > until:
            break
    found = false_instance(problem, claim, instances, rng, thorough=True)
    if found or (claim.limit and any(truth_at(claim, instance) == UNSURE for instance in instances)):
        return True
    if claim.limit:
        return None
    starts = sorted(
        filter(None, (with_margin(problem, claim, instance, rng) for instance in instances)),
        key=lambda pair: pair[0],
    )[:CLIMBS]
    for margin, instance in starts:
        if time.monotonic() > until + SECONDS_TO_SEARCH:
            break
        found = descend(problem, claim, margin, instance, rng)
        if found:
            return found
    return None


def with_margin(problem, claim, instance, rng):
    here = claim.instance(problem, instance, rng)
    if here is None:
        return None
    try:
        return claim.meaning().margin(here.view(Floats)), here
    except (NoValue, ArithmeticError, ValueError):
        return None


def descend(problem, claim, margin, instance, rng):
    for step in range(STEPS):
        inner = getattr(problem, "problem", problem)
        near = nearby(instance, rng, Fraction(2, 2 ** (step // 6)), inner.loose)
        if not holds(inner.premises, near):
            continue
        if not holds([premise for _, premise in claim.premises], near):
            continue
        try:
            found = claim.meaning().margin(near.view(Floats))
        except (NoValue, ArithmeticError, ValueError):
            continue
        if found < 1e-7 and surely_false(claim, near):
            return near
        if found < 1e-3 and any(sign.sign == "!=" for sign in comparisons(claim.proposition)):
            return near
        if found < margin:
            margin, instance = found, near
    return None


def nearby(instance, rng, scale, loose):
    """Some free numbers and coordinates changed; families with properties are left alone."""
    names = {}
    for name, raw in instance.names.items():
        if isinstance(raw, Fraction) and rng.random() < 0.6:
            names[name] = raw + scale * Fraction(rng.randint(-10, 10), 10)
        elif isinstance(raw, list) and raw and isinstance(raw[0], Fraction) and rng.random() < 0.6:
            names[name] = [x + scale * Fraction(rng.randint(-10, 10), 10) for x in raw]
        elif name in loose and rng.random() < 0.6:
            names[name] = Family(
                raw.indexes,
                [[x + scale * Fraction(rng.randint(-10, 10), 10) for x in raw.rows[i]] for i in raw.indexes],
            )
    return instance.changed(**names)


def wrong(problem, claim, answer, instances, rng):
    """(what is wrong, in words) or None; a suspect begins with SUSPECT."""
    verdict = answer["verdict"]
    if verdict not in ("proved", "refuted"):
        return None
    if isinstance(claim, Find):
        return wrong_find(claim, answer)
    if problem.vacuous or getattr(claim, "vacuous", False):
        return f"{verdict}, but the conditions exclude each other"
    if claim.truth is not None:
        if claim.truth == (FALSE if verdict == "proved" else TRUE):
            return f"{verdict}, but {'false' if verdict == 'proved' else 'true'} by construction"
        return None
    if callable(instances[0] if instances else None):
        return None
    found = false_instance(problem, claim, instances[:5] if claim.limit else instances, rng)
    if verdict == "proved":
        return f"proved, but false at {shown(found)}" if found else None
    if found:
        return None
    if not search_harder(problem, claim, rng):
        return f"SUSPECT: refuted, but no instance was found where it is false: {answer['found']} {answer['reason']}"
    return None


def shown(instance):
    def text(raw):
        if isinstance(raw, Family):
            return "{" + ", ".join(f"{i}: {text(raw.rows[i])}" for i in raw.indexes) + "}"
        if isinstance(raw, list):
            return "[" + ", ".join(map(text, raw)) + "]"
        return str(raw)

    return ", ".join(
        f"{name} = {text(raw)}" for name, raw in instance.names.items() if not name.startswith("#")
    )


def wrong_find(find, answer):
    """The number found is tried: just below, just above, and further on."""

    def truth(number):
        names = {name: Fraction(value) for name, value in find.fixed.items()}
        names = {name: int(value) if name in ("n",) else value for name, value in names.items()}
        names[find.name] = int(number) if find.whole else Fraction(number)
        return decide(find.proposition, Instance(names, find.definitions))

    if answer["verdict"] == "refuted":
        far = [truth(number) for number in (50, 60, 75, 80, 100)]
        return "refuted, but it holds from somewhere on" if all(x == TRUE for x in far) else None
    text = answer["found"].replace("...", "").split(" at ")[0].split(" +/- ")[0]
    numbers = re.findall(r"= (-?\d+(?:\.\d+)?(?:/\d+)?)$", text)
    if not numbers:
        return None
    number = Fraction(numbers[-1])
    if find.whole:
        above, below = [number + x for x in range(8)] + [number + 30], number - 1
    else:
        width = abs(number) / 10000 + Fraction(1, 10000)
        above = [number + width * x for x in (1, 10, 100, 1000, 10000, 40000)]
        below = number - width
    if number == find.least:
        above = above[:1]
    for place in above:
        if truth(place) == FALSE:
            return f"found {number}, but it fails at {place}"
    if find.least is not None and below < find.least:
        return f"found {number}, which is not allowed" if number < find.least else None
    if truth(below) == TRUE:
        return f"found {number}, but it holds at {below} already"
    return None


class Tally:
    """What came out of one kind."""

    def __init__(self):
        self.verdicts, self.failures, self.suspects, self.disagreements = {}, [], [], []

    def count(self, verdict):
        self.verdicts[verdict] = self.verdicts.get(verdict, 0) + 1


def judge_problem(problem, answers, tally, rng):
    instances = None
    for claim, answer in zip(problem.claims, answers):
        if answer is None:
            tally.count("mistake")
            continue
        tally.count(answer["verdict"])
        if answer["reason"].startswith("engines disagree"):
            tally.disagreements.append((problem, claim, answer["reason"]))
        if answer["verdict"] not in ("proved", "refuted"):
            continue
        if instances is None and not problem.vacuous and claim.truth is None and not isinstance(claim, Find):
            drawn = (problem.draw(rng, trial) for trial in range(INSTANCES))
            instances = [instance for instance in drawn if instance is not None]
        why = wrong(problem, claim, answer, instances or [], rng)
        if why and why.startswith("SUSPECT"):
            tally.suspects.append((problem, claim, why))
        elif why:
            tally.failures.append((problem, claim, f"{why} [{answer['found']}: {answer['reason']}]"))


def printed(problem, claim, why):
    return "\n".join("# " + line for line in (problem.text([claim]) + "\n=> " + why).split("\n"))


def comparisons(tree):
    """All comparisons of numbers in a proposition."""
    if isinstance(tree, Compare):
        return [tree]
    inner = [getattr(tree, name) for name in ("inner", "premise", "conclusion") if hasattr(tree, name)]
    return [found for part in inner + list(getattr(tree, "parts", [])) for found in comparisons(part)]


OPPOSITE = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "<=", "!=": "<="}


def calibrate(problem, rng):
    """Turns signs of comparisons, so that more claims hold at a few instances: the hard cases."""
    if problem.vacuous or isinstance(problem, (Renamed, Written)):
        return
    drawn = [problem.draw(rng, trial) for trial in (4, 5, 6, 7, 8, 13)]
    drawn = [instance for instance in drawn if instance is not None]
    for claim in problem.claims:
        if isinstance(claim, Find) or claim.truth is not None or claim.limit or rng.random() < 0.3:
            continue
        signs = comparisons(claim.proposition)
        for _ in range(4):
            if not signs or all(
                quick(claim.meaning(), instance) != FALSE
                for instance in drawn
                if claim.instance(problem, instance, rng) is not None
            ):
                break
            turned = rng.choice(signs)
            turned.sign = OPPOSITE.get(turned.sign, turned.sign)


def run_kind(program, make, wanted, rng):
    """Problems of one kind, many in a document. What is judged does not change what is generated:
    the judge has a random generator of its own."""
    tally, done = Tally(), 0
    while done < wanted:
        problems = []
        while done < wanted and len(problems) < PROBLEMS_IN_DOCUMENT:
            problems.append(make(rng))
            calibrate(problems[-1], rng)
            done += len(problems[-1].claims)
        judging = random.Random(rng.random())
        for problem, answers in zip(problems, program.check(problems)):
            judge_problem(problem, answers, tally, judging)
    tally.failures += program.troubles
    program.troubles = []
    return tally


# --- pairs of problems that must agree -----------------------------------------------------------


class Altered:
    """Another text for the claims of a problem."""

    def __init__(self, problem, statements=None, claim_lines=None, front=""):
        self.kind, self.claims, self.files = problem.kind, problem.claims, dict(problem.files)
        self.vacuous = problem.vacuous
        self.statements = statements or problem.text([]).split("\n")
        self.claim_lines = claim_lines or [claim.text() for claim in problem.claims]
        self.front = front

    def text(self, claims=None):
        lines = (
            self.claim_lines
            if claims is None
            else [self.claim_lines[self.claims.index(claim)] for claim in claims]
        )
        return self.front + "\n".join(self.statements + lines)


def base_problem(rng):
    problem = rng.choice(
        [
            nested,
            orthonormal,
            two_families,
            listed_keys,
            premises,
            norms,
            gram,
            parameters,
            tokens,
            heads,
            matrices,
            limits,
            tied_limits,
            exists,
            random_keys,
            sizes,
            valued,
            without_value,
            frames,
        ]
    )(rng)
    calibrate(problem, rng)
    return problem


def renaming(rng):
    problem = base_problem(rng)
    while isinstance(problem, Renamed) or problem.kind in ("self attention", "limits"):
        problem = base_problem(rng)
    return problem, Renamed(
        problem, rng, rng.choice([None, [f"name_{i}" for i in range(40)], list("abcdfghijklmnopqrstuvwxyz")])
    )


def no_flip(first, second):
    if {first, second} == {"proved", "refuted"}:
        return f"{first}, but {second} in the other text"
    return None


def negation(rng):
    problem = base_problem(rng)
    problem.claims = [claim for claim in problem.claims if not claim.conditions()] or [
        Claim(Compare(1, "=", 1))
    ]
    return problem, Altered(
        problem, claim_lines=[f"claim: not ({claim.proposition.text()})" for claim in problem.claims]
    )


def not_both_proved(first, second):
    return "proved, and its negation is proved" if first == second == "proved" else None


def special(rng):
    problem = base_problem(rng)
    lines = []
    for claim in problem.claims:
        used = [
            name
            for name in ("t", "s", "beta", "alpha", "n", "r", "gamma")
            if name in problem.names or name in ("t", "s")
            if re.search(rf"\b{name}\b", problem.text([claim]))
            and not re.search(rf"(exists|for all|as)[^:]*\b{name}\b", claim.text())
        ]
        name = rng.choice(used) if used else None
        value = rng.choice(["3", "4", "5"]) if name == "n" else rng.choice(["1", "2", "1/2", "0", "-1", "10"])
        lines.append(
            claim.text() + (f"{',' if claim.conditions() else ''} at {name} = {value}" if name else "")
        )
    return problem, Altered(problem, claim_lines=lines)


def not_refuted_then(first, second):
    return "proved, but refuted at a number" if first == "proved" and second == "refuted" else None


def alone(rng):
    problem = base_problem(rng)
    problem.claims = problem.claims[:1] + rng.sample(problem.claims[1:], min(3, len(problem.claims) - 1))
    single = Altered(problem)
    single.claims, single.claim_lines = problem.claims[-1:], [problem.claims[-1].text()]
    return problem, single


BROKEN = [
    'problem "broken"\nkeys k[1..n\nclaim: k[1].q = 1 +\n',
    'problem "broken"\nc = attend(q, k)\nclaim: c = 1\n',
    'problem "broken"\ngiven n >=\nkeys k[1..n] orthonormal\nclaim: n >= 1\n',
    'problem "broken"\nmatrix A[\nt = = 2\n',
    'problem "broken"\nx = x + 1\nclaim: x = x\n',
    'problem "broken"\ngiven beta > 0 and\nclaim: (beta > 0\n',
    'problem "broken"\nvalues v = [[1,2],[3]]\nclaim: v[1] = v[2]\n',
    'problem "broken"\npick a, b in 1..n\n',
]


def broken(rng):
    problem = base_problem(rng)
    return problem, Altered(problem, front=rng.choice(BROKEN))


def same(first, second):
    return f"{first}, but {second} in the other text" if first != second else None


def reordered(rng):
    problem = base_problem(rng)
    statements = problem.text([]).split("\n")
    moving = [line for line in statements if line.startswith(("given", "assume"))]
    staying = [line for line in statements if not line.startswith(("given", "assume"))]
    rng.shuffle(moving)
    place = rng.choice([1, len(staying)])
    return problem, Altered(problem, statements=staying[:place] + moving + staying[place:])


def in_file(rng):
    problem = listed_keys(rng)
    while any(line.startswith("pick") for line in problem.lines):
        problem = listed_keys(rng)
    calibrate(problem, rng)
    problem.claims += [
        Claim(Compare(Name("c"), "~", Name("v")[Number(Fraction(i))]), limit=[("beta", "inf")])
        for i in (1, 2)
    ]
    line = next(line for line in problem.lines if line.startswith("keys k = "))
    rows = re.findall(r"\[([^\[\]]+)\]", line)
    name = f"keys{rng.randrange(10 ** 9)}.csv"
    decimal = lambda entry: str(float(Fraction(entry.strip())))
    statements = [
        f'keys k = file("{name}")' if text == line else text for text in problem.text([]).split("\n")
    ]
    second = Altered(problem, statements=statements)
    second.files[name] = (
        "\n".join(", ".join(decimal(entry) for entry in row.split(",")) for row in rows) + "\n"
    )
    return problem, second


PAIRS = {
    renaming: no_flip,
    negation: not_both_proved,
    special: not_refuted_then,
    alone: no_flip,
    broken: same,
    reordered: no_flip,
    in_file: no_flip,
}


def run_pairs(program, make, wanted, rng):
    """Both texts of each pair, each in a document of its own."""
    tally, done = Tally(), 0
    while done < wanted:
        pairs = [make(rng) for _ in range(8)]
        done += sum(len(second.claims) for _, second in pairs)
        firsts = program.check([first for first, _ in pairs])
        seconds = program.check([second for _, second in pairs])
        for (first, second), ones, twos in zip(pairs, firsts, seconds):
            for claim, one, two in zip(reversed(second.claims), reversed(ones), reversed(twos)):
                compare_answers(tally, PAIRS[make], first, second, claim, one, two)
    tally.failures += program.troubles
    program.troubles = []
    return tally


def compare_answers(tally, relation, first, second, claim, one, two):
    if one is None or two is None:
        tally.count("mistake")
        if relation is same and (one is None) != (two is None):
            tally.failures.append((first, claim, f"answered in one text alone\n{second.text([claim])}"))
        return
    tally.count(two["verdict"])
    why = relation(one["verdict"], two["verdict"])
    if why:
        tally.failures.append(
            (
                first,
                claim,
                f"{why} [{one['found']}: {one['reason']}] [{two['found']}: {two['reason']}]\n{second.text([claim])}",
            )
        )


KINDS.update(
    {
        "renaming": (renaming, 0.8),
        "negation": (negation, 0.8),
        "special": (special, 0.8),
        "alone": (alone, 0.3),
        "broken in front": (broken, 1),
        "premises reordered": (reordered, 1),
        "list and file": (in_file, 3),
    }
)


def main():
    program = Program(os.path.abspath(sys.argv[1]))
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    chosen = {name: KINDS[name] for name in sys.argv[4:]} or KINDS
    share = wanted / sum(weight for _, weight in chosen.values())
    failed = False
    print(f"1..{len(chosen)}")
    for number, (name, (make, weight)) in enumerate(chosen.items(), 1):
        rng = random.Random(f"{seed} {name}")
        before, program.seconds = time.monotonic(), 0.0
        tally = (run_pairs if make in PAIRS else run_kind)(program, make, max(1, int(share * weight)), rng)
        for failure in tally.failures[:SHOWN]:
            print(printed(*failure))
        for suspect in tally.suspects[:SHOWN]:
            print(printed(*suspect))
        bad = tally.failures or tally.disagreements
        for disagreement in tally.disagreements[:1]:
            print(printed(*disagreement))
        counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(tally.verdicts.items()))
        print(
            f"# {counts}; {len(tally.failures)} wrong, {len(tally.suspects)} suspects, "
            f"{len(tally.disagreements)} disagreements of engines; "
            f"{time.monotonic() - before:.1f} s, {program.seconds:.1f} s of them the program's"
        )
        print(f"{'not ok' if bad else 'ok'} {number} - {name}", flush=True)
        failed = failed or bool(bad)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
