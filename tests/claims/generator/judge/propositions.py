"""Propositions: certainly true, certainly false, or unsure at a view.

A part without a value leaves the whole without one, unless the rest settles it: in `p or q` a q that
is true, in `p and q` a q that is false."""

import operator

import numpy

from .arithmetic import FALSE, FLOAT_ROUNDING, TRUE, UNSURE, NoValue
from .expressions import node
from .values import plain

HOLDS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Proposition:
    """truth(at): certainly true, certainly false, or unsure. margin(at): how far it is from false, in
    floats, to look for an instance where it is false. parts: the propositions inside."""

    parts = ()


class Compare(Proposition):
    def __init__(self, left, sign, right):
        self.left, self.sign, self.right = node(left), sign, node(right)

    def text(self):
        return f"{self.left.text()} {self.sign} {self.right.text()}"

    def sides(self, at):
        return plain(self.left.value(at)), plain(self.right.value(at))

    def truth(self, at):
        x, y = self.sides(at)
        if numpy.ndim(x) or numpy.ndim(y):
            return self.truth_of_arrays(at, x, y)
        if abs(x - y) <= at.arithmetic.rounding(x, y):
            if not at.arithmetic.settles_equality:
                return UNSURE
            x = y
        return TRUE if HOLDS[self.sign](x, y) else FALSE

    def truth_of_arrays(self, at, x, y):
        """Equality of vectors, matrices, or one of them and the number 0."""
        if self.sign not in ("=", "!=") or (numpy.ndim(x) and numpy.ndim(y) and x.shape != y.shape):
            return UNSURE
        size = max(abs(entry) for side in (x, y) for entry in numpy.ravel(side))
        rounding = at.arithmetic.rounding(size, size)
        equal = TRUE if at.arithmetic.settles_equality else UNSURE
        if any(abs(entry) > rounding for entry in numpy.ravel(x - y)):
            equal = FALSE
        return equal if self.sign == "=" else -equal

    def is_of_numbers(self, at):
        """Whether both sides are numbers; None where that cannot be said."""
        try:
            return not any(numpy.ndim(side) for side in self.sides(at))
        except (NoValue, KeyError, ArithmeticError, ValueError):
            return None

    def margin(self, at):
        x, y = self.sides(at)
        if numpy.ndim(x) or numpy.ndim(y):
            distance = float(numpy.max(numpy.abs(x - y)))
        else:
            distance = float(x - y)
        if self.sign == "=":
            return -abs(distance)
        if self.sign == "!=":
            return abs(distance)
        return -distance if self.sign in ("<", "<=") else distance


def weakest(parts, measure):
    """The least of the parts' measures; parts without a value do not matter below a certain falsehood."""
    found, missing = [], False
    for part in parts:
        try:
            found.append(measure(part))
        except NoValue:
            missing = True
    least = min(found, default=TRUE)
    if missing and least >= 0:
        raise NoValue
    return least


class And(Proposition):
    def __init__(self, *parts):
        self.parts = parts

    def text(self):
        return " and ".join(f"({part.text()})" for part in self.parts)

    def truth(self, at):
        return weakest(self.parts, lambda part: part.truth(at))

    def margin(self, at):
        return weakest(self.parts, lambda part: part.margin(at))


class Or(Proposition):
    def __init__(self, *parts):
        self.parts = parts

    def text(self):
        return " or ".join(f"({part.text()})" for part in self.parts)

    def truth(self, at):
        return -weakest(self.parts, lambda part: -part.truth(at))

    def margin(self, at):
        return -weakest(self.parts, lambda part: -part.margin(at))


class Not(Proposition):
    def __init__(self, inner):
        self.parts = (inner,)

    def text(self):
        return f"not ({self.parts[0].text()})"

    def truth(self, at):
        return -self.parts[0].truth(at)

    def margin(self, at):
        return -self.parts[0].margin(at)


class Implies(Proposition):
    """`p implies q` is true where p is false."""

    def __init__(self, premise, conclusion):
        self.parts = (premise, conclusion)
        self.either = Or(Not(premise), conclusion)

    def text(self):
        premise, conclusion = self.parts
        return f"({premise.text()}) implies ({conclusion.text()})"

    def truth(self, at):
        return self.either.truth(at)

    def margin(self, at):
        """That of the conclusion, where the premise holds."""
        premise, conclusion = self.parts
        met = premise.margin(at)
        return -met if met < -FLOAT_ROUNDING else conclusion.margin(at)


class ForAll(Proposition):
    """`for all i in ...: p`, and `for i in ...` after a claim."""

    def __init__(self, name, over, inner):
        self.name, self.over, self.parts = name, over, (inner,)

    def text(self):
        return f"(for all {self.name} {self.over.text()}: {self.parts[0].text()})"

    def cases(self, at):
        return [at.bind(self.name, i) for i in self.over.members(at)]

    def truth(self, at):
        return weakest(self.cases(at), self.parts[0].truth)

    def margin(self, at):
        return weakest(self.cases(at), self.parts[0].margin)


class Known(Proposition):
    """Any text whose truth is known in another way."""

    def __init__(self, text, truth=UNSURE):
        self.written, self.known = text, truth

    def text(self):
        return self.written

    def truth(self, _at):
        return self.known

    def margin(self, _at):
        return float(self.known)


def comparisons(proposition):
    """All comparisons in a proposition."""
    if isinstance(proposition, Compare):
        return [proposition]
    return [found for part in proposition.parts for found in comparisons(part)]
