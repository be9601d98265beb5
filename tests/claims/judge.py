"""The meaning of documents of the claim language, in numbers: expressions and propositions as trees
that print themselves as text and have a value at an instance, which says what every name is.

Nothing is transformed or simplified: a value is computed from the definition that the manual gives.
Instances are rational numbers throughout, so that premises can be met exactly. There are three ways
to compute: with floats (fast), with fractions (exact, as far as no exponential is met), and with
mpmath (as many digits as one likes).
"""

import math
from fractions import Fraction

import mpmath
import numpy

TRUE, UNSURE, FALSE = 1, 0, -1
FLOAT_ROUNDING = 1e-9
DIGITS = 60
MARGIN_DIGITS = 20


class NoValue(Exception):
    """A division by zero, a root of a negative number, attention over no keys."""


class Inexact(Exception):
    """Fractions do not reach: an exponential, an irrational root."""


# --- three ways to compute -----------------------------------------------------------------------


class Floats:
    """Doubles; comparisons nearer than the rounding are unsure."""

    kind = float
    exact = False

    @staticmethod
    def number(value):
        return float(value)

    @staticmethod
    def exp(x):
        return math.exp(x)

    @staticmethod
    def ln(x):
        if x <= 0:
            raise NoValue
        return math.log(x)

    @staticmethod
    def sqrt(x):
        if x < -FLOAT_ROUNDING:
            raise NoValue
        return math.sqrt(max(x, 0.0))

    @staticmethod
    def power(x, y):
        if x == 0 and y < 0:
            raise NoValue
        if x < 0 and y != int(y):
            raise NoValue
        return x**y

    @staticmethod
    def tanh(x):
        return math.tanh(x)

    @staticmethod
    def cos(x):
        return math.cos(x)

    @staticmethod
    def rounding(x, y):
        return FLOAT_ROUNDING * (1 + abs(x) + abs(y))


class Exact:
    """Fractions; what is irrational raises Inexact."""

    kind = object
    exact = True

    @staticmethod
    def number(value):
        return Fraction(value)

    @staticmethod
    def exp(x):
        if x == 0:
            return Fraction(1)
        raise Inexact

    @staticmethod
    def ln(x):
        if x <= 0:
            raise NoValue
        if x == 1:
            return Fraction(0)
        raise Inexact

    @staticmethod
    def sqrt(x):
        if x < 0:
            raise NoValue
        above, below = math.isqrt(x.numerator), math.isqrt(x.denominator)
        if above * above != x.numerator or below * below != x.denominator:
            raise Inexact
        return Fraction(above, below)

    @staticmethod
    def power(x, y):
        if x == 0 and y < 0:
            raise NoValue
        if y.denominator != 1:
            if x < 0:
                raise NoValue
            if y == Fraction(1, 2):
                return Exact.sqrt(x)
            raise Inexact
        return x**y.numerator

    @staticmethod
    def tanh(x):
        if x == 0:
            return Fraction(0)
        raise Inexact

    @staticmethod
    def cos(x):
        if x == 0:
            return Fraction(1)
        raise Inexact

    @staticmethod
    def rounding(_x, _y):
        return 0


class Precise:
    """mpmath with 60 digits, of which 40 count."""

    kind = object
    exact = False

    @staticmethod
    def number(value):
        if isinstance(value, Fraction):
            return mpmath.mpf(value.numerator) / value.denominator
        return mpmath.mpf(value)

    @staticmethod
    def exp(x):
        return mpmath.exp(x)

    @staticmethod
    def ln(x):
        if x <= 0:
            raise NoValue
        return mpmath.log(x)

    @staticmethod
    def sqrt(x):
        if x < -mpmath.mpf(10) ** (MARGIN_DIGITS - mpmath.mp.dps):
            raise NoValue
        return mpmath.sqrt(max(x, mpmath.mpf(0)))

    @staticmethod
    def power(x, y):
        if x == 0 and y < 0:
            raise NoValue
        if x < 0 and y != int(y):
            raise NoValue
        return x**y

    @staticmethod
    def tanh(x):
        return mpmath.tanh(x)

    @staticmethod
    def cos(x):
        return mpmath.cos(x)

    @staticmethod
    def rounding(x, y):
        return mpmath.mpf(10) ** (MARGIN_DIGITS - mpmath.mp.dps) * (1 + abs(x) + abs(y))


# --- instances -----------------------------------------------------------------------------------


class Family:
    """Vectors under their indexes: whole numbers from 1 on, or letters."""

    def __init__(self, indexes, rows):
        self.indexes = list(indexes)
        self.rows = dict(zip(self.indexes, rows))

    def __getitem__(self, index):
        if index not in self.rows:
            raise NoValue
        return self.rows[index]

    def __len__(self):
        return len(self.indexes)


class Attention:
    """What attention returns: an output, and the weights and scores that led to it."""

    def __init__(self, scores, weights, values, indexes):
        self.scores, self.weights, self.indexes = scores, weights, indexes
        self.values = values
        self._output = None

    @property
    def output(self):
        if self._output is None:
            self._output = sum(weight * value for weight, value in zip(self.weights, self.values))
        return self._output


class Heads:
    """The mean of several heads."""

    def __init__(self, heads):
        self.heads = heads

    @property
    def output(self):
        return sum(head.output for head in self.heads) / len(self.heads)


def softmax(arithmetic, scores):
    """e^score over the sum of them all."""
    if not len(scores):
        raise NoValue
    greatest = max(scores)
    powers = [arithmetic.exp(score - greatest) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


class Instance:
    """What every free name is: sizes and indexes (int or str), parameters (Fraction), vectors
    (lists of Fractions), families (Family of such lists), matrices (lists of lists)."""

    def __init__(self, names, definitions):
        self.names, self.definitions = names, definitions
        self.views = {}

    def view(self, arithmetic):
        if arithmetic not in self.views:
            self.views[arithmetic] = View(self, arithmetic)
        return self.views[arithmetic]

    def changed(self, **names):
        return Instance({**self.names, **names}, self.definitions)


class View:
    """An instance in one arithmetic; what is defined is computed once."""

    def __init__(self, instance, arithmetic):
        self.instance, self.arithmetic = instance, arithmetic
        self.raw = instance.names
        self.known = {}

    def convert(self, raw):
        if isinstance(raw, (int, Fraction)):
            return self.arithmetic.number(raw)
        if isinstance(raw, Family):
            return Family(raw.indexes, [self.convert(raw.rows[i]) for i in raw.indexes])
        if isinstance(raw, list):
            if raw and isinstance(raw[0], list):
                return numpy.array(
                    [[self.arithmetic.number(x) for x in row] for row in raw], dtype=self.arithmetic.kind
                )
            return numpy.array([self.arithmetic.number(x) for x in raw], dtype=self.arithmetic.kind)
        return raw

    def look_up(self, name):
        if name not in self.known:
            if name in self.raw:
                self.known[name] = self.convert(self.raw[name])
            else:
                self.known[name] = self.instance.definitions[name].value(self)
        return self.known[name]

    def bind(self, name, index):
        """The same with a bound index; what is defined does not depend on it."""
        inner = View.__new__(View)
        inner.instance, inner.arithmetic = self.instance, self.arithmetic
        inner.raw = {**self.raw, name: index}
        inner.known = Layered(self.known, name)
        return inner


class Layered(dict):
    """Known values of an outer view; the bound name stays inside."""

    def __init__(self, outer, hidden):
        super().__init__()
        self.outer, self.hidden = outer, hidden

    def __contains__(self, name):
        return dict.__contains__(self, name) or (name != self.hidden and name in self.outer)

    def __getitem__(self, name):
        if dict.__contains__(self, name):
            return dict.__getitem__(self, name)
        return self.outer[name]

    def __setitem__(self, name, value):
        if name == self.hidden or isinstance(value, float):
            dict.__setitem__(self, name, value)
        else:
            self.outer[name] = value


def plain(value):
    """Attention used as a vector is its output."""
    return value.output if isinstance(value, (Attention, Heads)) else value


# --- expressions ---------------------------------------------------------------------------------


def node(thing):
    if isinstance(thing, (Expression, Proposition)):
        return thing
    if isinstance(thing, str):
        return Name(thing)
    return Number(Fraction(thing))


class Expression:
    """A tree: text() prints it with all parentheses, value(at) is its value at a view."""

    def __add__(self, other):
        return Binary("+", self, node(other))

    def __radd__(self, other):
        return Binary("+", node(other), self)

    def __sub__(self, other):
        return Binary("-", self, node(other))

    def __rsub__(self, other):
        return Binary("-", node(other), self)

    def __mul__(self, other):
        return Binary("*", self, node(other))

    def __rmul__(self, other):
        return Binary("*", node(other), self)

    def __truediv__(self, other):
        return Binary("/", self, node(other))

    def __rtruediv__(self, other):
        return Binary("/", node(other), self)

    def __pow__(self, other):
        return Binary("^", self, node(other))

    def __neg__(self):
        return Negative(self)

    def __getitem__(self, index):
        return Index(self, node(index))

    def dot(self, other):
        return Inner(self, node(other))

    def weight(self, index):
        return Part(self, "weight", node(index))

    def score(self, index):
        return Part(self, "score", node(index))

    def index(self, at):
        raise TypeError("not an index")


class Number(Expression):
    def __init__(self, fraction):
        self.fraction = fraction

    def text(self):
        return (
            str(self.fraction)
            if self.fraction.denominator == 1 and self.fraction >= 0
            else f"({self.fraction})"
        )

    def value(self, at):
        return at.arithmetic.number(self.fraction)

    def index(self, _at):
        return int(self.fraction)


class Name(Expression):
    def __init__(self, name):
        self.name = name

    def text(self):
        return self.name

    def value(self, at):
        return at.look_up(self.name)

    def index(self, at):
        raw = at.raw[self.name]
        if isinstance(raw, Fraction):
            if raw.denominator != 1:
                raise NoValue
            return int(raw)
        return raw


class Letter(Expression):
    """An index that is a letter of its family: u[a] in vectors u[a,b]."""

    def __init__(self, letter):
        self.letter = letter

    def text(self):
        return self.letter

    def index(self, _at):
        return self.letter


class Closed(Expression):
    """Any text whose value is known otherwise: a function of the view."""

    def __init__(self, text, function):
        self.written, self.function = text, function

    def text(self):
        return self.written

    def value(self, at):
        return self.function(at)


class Binary(Expression):
    def __init__(self, sign, left, right):
        self.sign, self.left, self.right = sign, left, right

    def text(self):
        blank = " " if self.sign in "+-" else ""
        return f"({self.left.text()}{blank}{self.sign}{blank}{self.right.text()})"

    def value(self, at):
        x, y = plain(self.left.value(at)), plain(self.right.value(at))
        if self.sign == "+":
            return x + y
        if self.sign == "-":
            return x - y
        if self.sign == "*":
            return product(x, y)
        if self.sign == "/":
            if y == 0:
                raise NoValue
            return x / y
        return at.arithmetic.power(x, y)

    def index(self, at):
        x, y = self.left.index(at), self.right.index(at)
        return {"+": x + y, "-": x - y, "*": x * y}[self.sign]


def product(x, y):
    """Numbers, matrices, and vectors; a transposed vector is a matrix of one row."""
    if numpy.ndim(x) == 0 or numpy.ndim(y) == 0:
        return x * y
    if numpy.ndim(x) == 1 and numpy.ndim(y) == 2:
        return numpy.outer(x, y[0])
    found = x @ y
    return found[0] if numpy.shape(found) == (1,) else found


class Negative(Expression):
    def __init__(self, inner):
        self.inner = inner

    def text(self):
        return f"(-{self.inner.text()})"

    def value(self, at):
        return -plain(self.inner.value(at))


class Exp(Expression):
    def __init__(self, inner):
        self.inner = inner

    def text(self):
        return f"e^({self.inner.text()})"

    def value(self, at):
        return at.arithmetic.exp(self.inner.value(at))


class Call(Expression):
    """ln, sqrt, tanh, cos of a number."""

    def __init__(self, function, inner):
        self.function, self.inner = function, inner

    def text(self):
        return f"{self.function}({self.inner.text()})"

    def value(self, at):
        return getattr(at.arithmetic, self.function)(self.inner.value(at))


class Size(Expression):
    """|x|: the absolute value of a number, the norm of a vector."""

    def __init__(self, inner):
        self.inner = node(inner)

    def text(self):
        return f"norm({self.inner.text()})" if "|" in self.inner.text() else f"|{self.inner.text()}|"

    def value(self, at):
        x = plain(self.inner.value(at))
        if numpy.ndim(x) == 0:
            return abs(x)
        return at.arithmetic.sqrt(sum(entry * entry for entry in numpy.ravel(x)))


class Inner(Expression):
    def __init__(self, left, right):
        self.left, self.right = left, right

    def text(self):
        return f"{self.left.text()}.{self.right.text()}"

    def value(self, at):
        x, y = plain(self.left.value(at)), plain(self.right.value(at))
        return sum(x * y) if numpy.ndim(x) else x * y


class Index(Expression):
    def __init__(self, inner, at_index):
        self.inner, self.at_index = inner, at_index

    def text(self):
        return f"{self.inner.text()}[{self.at_index.text()}]"

    def value(self, at):
        whole, index = self.inner.value(at), self.at_index.index(at)
        if isinstance(whole, Family):
            return whole[index]
        if isinstance(whole, SelfAttention):
            return whole.token(index)
        return whole[index - 1]


class Part(Expression):
    """c.weight[i], c.score[i]."""

    def __init__(self, inner, part, at_index):
        self.inner, self.part, self.at_index = inner, part, at_index

    def text(self):
        return f"{self.inner.text()}.{self.part}[{self.at_index.text()}]"

    def value(self, at):
        attention, index = self.inner.value(at), self.at_index.index(at)
        if isinstance(attention, Heads):
            raise TypeError("a mean of heads has no weights here")
        if index not in attention.indexes:
            raise NoValue
        place = attention.indexes.index(index)
        return (attention.weights if self.part == "weight" else attention.scores)[place]


class Head(Expression):
    def __init__(self, inner, number):
        self.inner, self.number = inner, number

    def text(self):
        return f"{self.inner.text()}.head[{self.number}]"

    def value(self, at):
        return self.inner.value(at).heads[self.number - 1]


class Attend(Expression):
    """attend(q, k, v), perhaps with a scale."""

    def __init__(self, query, keys, values, scale=None):
        self.query, self.keys, self.values, self.scale = node(query), node(keys), node(values), scale

    def text(self):
        scale = f", scale = {self.scale.text()}" if self.scale else ""
        return f"attend({self.query.text()}, {self.keys.text()}, {self.values.text()}{scale})"

    def value(self, at):
        query, keys, values = plain(self.query.value(at)), self.keys.value(at), self.values.value(at)
        scores = [sum(query * keys[i]) if numpy.ndim(keys[i]) else query * keys[i] for i in keys.indexes]
        if self.scale:
            factor = self.scale.value(at)
            scores = [factor * score for score in scores]
        return Attention(
            scores, softmax(at.arithmetic, scores), [values[i] for i in keys.indexes], keys.indexes
        )


class SelfAttention:
    """self_attend of tokens: one attention for each of them, computed when it is asked for."""

    def __init__(self, compute):
        self.compute, self.known = compute, {}

    def token(self, number):
        if number not in self.known:
            self.known[number] = self.compute(number - 1)
        return self.known[number]


class SelfAttend(Expression):
    """self_attend(x), self_attend(x, Q, K, V): token i asks with Q*x[i] for K*x[j] and gets V*x[j]."""

    def __init__(self, tokens, matrices=None, causal=False):
        self.tokens, self.matrices, self.causal = node(tokens), matrices, causal

    def text(self):
        matrices = "".join(", " + matrix.text() for matrix in self.matrices or [])
        return f"self_attend({self.tokens.text()}{matrices}{', causal' if self.causal else ''})"

    def value(self, at):
        tokens = self.tokens.value(at)
        x = [tokens[i] for i in tokens.indexes]
        query, key, value = [matrix.value(at) for matrix in self.matrices] if self.matrices else [None] * 3

        def attention_of(place):
            seen = x[: place + 1] if self.causal else x
            asked = x[place] if query is None else product(query, x[place])
            scores = [sum(asked * (other if key is None else product(key, other))) for other in seen]
            given = [other if value is None else product(value, other) for other in seen]
            weights = softmax(at.arithmetic, scores)
            masked = len(x) - len(seen)
            zero = at.arithmetic.number(0)
            return Attention(
                scores, weights + [zero] * masked, given + [0 * given[0]] * masked, list(range(1, len(x) + 1))
            )

        return SelfAttention(attention_of)


class Tokens(Expression):
    """What x[1] = ..., x[2] = ... define together."""

    def __init__(self, *tokens):
        self.tokens = tokens

    def value(self, at):
        return Family(range(1, len(self.tokens) + 1), [plain(token.value(at)) for token in self.tokens])


class With(Expression):
    """x with x[i] = y."""

    def __init__(self, family, place, token):
        self.family, self.place, self.token = node(family), place, token

    def text(self):
        name = self.family.text()
        return f"{name} with {name}[{self.place}] = {self.token.text()}"

    def value(self, at):
        family = self.family.value(at)
        rows = {**family.rows, self.place: plain(self.token.value(at))}
        return Family(family.indexes, [rows[i] for i in family.indexes])


class TokenWeight(Expression):
    """z.weight[i][j]."""

    def __init__(self, inner, token, other):
        self.inner, self.token, self.other = node(inner), token, other

    def text(self):
        return f"{self.inner.text()}.weight[{self.token}][{self.other}]"

    def value(self, at):
        return self.inner.value(at).token(self.token).weights[self.other - 1]


class Mean(Expression):
    """The mean of heads, or of several vectors or numbers."""

    def __init__(self, *parts):
        self.parts = [node(part) for part in parts]

    def text(self):
        return f"mean({', '.join(part.text() for part in self.parts)})"

    def value(self, at):
        parts = [part.value(at) for part in self.parts]
        if all(isinstance(part, Attention) for part in parts):
            return Heads(parts)
        return sum(plain(part) for part in parts) / len(parts)


class Transposed(Expression):
    def __init__(self, inner):
        self.inner = inner

    def text(self):
        return f"{self.inner.text()}'"

    def value(self, at):
        x = self.inner.value(at)
        return x[None, :] if numpy.ndim(x) == 1 else x.T


class Softmax(Expression):
    """Of a list, or of each row of a matrix."""

    def __init__(self, inner):
        self.inner = inner

    def text(self):
        return f"softmax({self.inner.text()})"

    def value(self, at):
        x = self.inner.value(at)
        if numpy.ndim(x) == 1:
            return numpy.array(softmax(at.arithmetic, list(x)), dtype=at.arithmetic.kind)
        return numpy.array([softmax(at.arithmetic, list(row)) for row in x], dtype=at.arithmetic.kind)


class Listed(Expression):
    """[x, y] of numbers."""

    def __init__(self, *entries):
        self.entries = [node(entry) for entry in entries]

    def text(self):
        return "[" + ", ".join(entry.text() for entry in self.entries) + "]"

    def value(self, at):
        return numpy.array([entry.value(at) for entry in self.entries], dtype=at.arithmetic.kind)


# --- sets of indexes -----------------------------------------------------------------------------


class Range:
    """1..n, and the like."""

    def __init__(self, last, first=1):
        self.last, self.first = node(last), node(first)

    def text(self):
        return f"in {self.first.text()}..{self.last.text()}"

    def members(self, at):
        return range(self.first.index(at), self.last.index(at) + 1)


class Letters:
    """All letters of a family."""

    def __init__(self, *letters):
        self.letters = letters

    def text(self):
        return "in {" + ", ".join(self.letters) + "}"

    def members(self, _at):
        return self.letters


class Members:
    """{a, b}."""

    def __init__(self, *names):
        self.names = [node(name) for name in names]

    def text(self):
        return "in {" + ", ".join(name.text() for name in self.names) + "}"

    def members(self, at):
        return sorted({name.index(at) for name in self.names})


class AllBut:
    """i != j, or i not in {a, b}, of a set that the text leaves unsaid."""

    def __init__(self, whole, *names):
        self.whole, self.names = whole, [node(name) for name in names]
        self.as_set = len(names) != 1

    def text(self):
        if not self.as_set:
            return f"!= {self.names[0].text()}"
        return "not in {" + ", ".join(name.text() for name in self.names) + "}"

    def members(self, at):
        left_out = {name.index(at) for name in self.names}
        return [i for i in self.whole.members(at) if i not in left_out]


class Over(Expression):
    """sum, mean, max or min of a body over a set."""

    def __init__(self, what, body, name, over):
        self.what, self.body, self.name, self.over = what, body, name, over

    def text(self):
        return f"{self.what}({self.body.text()} for {self.name} {self.over.text()})"

    def value(self, at):
        found = [plain(self.body.value(at.bind(self.name, i))) for i in self.over.members(at)]
        if self.what == "sum":
            return sum(found) if found else at.arithmetic.number(0)
        if not found:
            raise NoValue
        if self.what == "mean":
            return sum(found) / len(found)
        return max(found) if self.what == "max" else min(found)


# --- propositions --------------------------------------------------------------------------------


class Proposition:
    """truth(at): certainly true, certainly false, or unsure; margin(at): how far from false it is,
    in floats, to look for an instance where it is false."""


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
        return self.truth_of_numbers(at, x, y)

    def truth_of_numbers(self, at, x, y):
        rounding = at.arithmetic.rounding(x, y)
        difference = x - y
        if abs(difference) <= rounding:
            if not at.arithmetic.exact:
                return UNSURE
            return TRUE if self.sign in ("=", "<=", ">=") else FALSE
        holds = {
            "=": False,
            "!=": True,
            "<": difference < 0,
            "<=": difference < 0,
            ">": difference > 0,
            ">=": difference > 0,
        }[self.sign]
        return TRUE if holds else FALSE

    def truth_of_arrays(self, at, x, y):
        equal = TRUE
        if numpy.ndim(x) and numpy.ndim(y) and numpy.shape(x) != numpy.shape(y):
            return UNSURE
        difference = numpy.ravel(x - y)
        size = max([abs(entry) for entry in numpy.ravel(x)] + [abs(entry) for entry in numpy.ravel(y)] + [0])
        rounding = at.arithmetic.rounding(size, size)
        for entry in difference:
            if abs(entry) > rounding:
                equal = FALSE
                break
            if not at.arithmetic.exact:
                equal = UNSURE
        return equal if self.sign == "=" else -equal

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


class And(Proposition):
    def __init__(self, *parts):
        self.parts = parts

    def text(self):
        return " and ".join(f"({part.text()})" for part in self.parts)

    def truth(self, at):
        return min(part.truth(at) for part in self.parts)

    def margin(self, at):
        return min(part.margin(at) for part in self.parts)


class Or(Proposition):
    def __init__(self, *parts):
        self.parts = parts

    def text(self):
        return " or ".join(f"({part.text()})" for part in self.parts)

    def truth(self, at):
        return max(part.truth(at) for part in self.parts)

    def margin(self, at):
        return max(part.margin(at) for part in self.parts)


class Not(Proposition):
    def __init__(self, inner):
        self.inner = inner

    def text(self):
        return f"not ({self.inner.text()})"

    def truth(self, at):
        return -self.inner.truth(at)

    def margin(self, at):
        return -self.inner.margin(at)


class Implies(Proposition):
    """The premise says which cases are meant."""

    def __init__(self, premise, conclusion):
        self.premise, self.conclusion = premise, conclusion

    def text(self):
        return f"({self.premise.text()}) implies ({self.conclusion.text()})"

    def truth(self, at):
        premise = self.premise.truth(at)
        return TRUE if premise == FALSE else max(-premise, self.conclusion.truth(at))

    def margin(self, at):
        premise = self.premise.margin(at)
        return -premise if premise < -FLOAT_ROUNDING else self.conclusion.margin(at)


class ForAll(Proposition):
    """for all i in ...: p; behind a claim, `for i in ...`."""

    def __init__(self, name, over, inner):
        self.name, self.over, self.inner = name, over, inner

    def text(self):
        return f"(for all {self.name} {self.over.text()}: {self.inner.text()})"

    def cases(self, at):
        return [at.bind(self.name, i) for i in self.over.members(at)]

    def truth(self, at):
        return min([self.inner.truth(case) for case in self.cases(at)], default=TRUE)

    def margin(self, at):
        return min([self.inner.margin(case) for case in self.cases(at)], default=1e9)


class Known(Proposition):
    """Any text whose truth is known otherwise: TRUE, FALSE, or a function of the view."""

    def __init__(self, text, truth):
        self.written, self.known = text, truth

    def text(self):
        return self.written

    def truth(self, at):
        return self.known(at) if callable(self.known) else self.known

    def margin(self, at):
        return float(self.truth(at))


# --- decisions -----------------------------------------------------------------------------------


def attempt(proposition, instance, arithmetic):
    """The truth in one arithmetic; None where something has no value."""
    try:
        with mpmath.workdps(DIGITS):
            return proposition.truth(instance.view(arithmetic))
    except NoValue:
        return None
    except (Inexact, OverflowError, ZeroDivisionError, ValueError):
        return UNSURE


def decide(proposition, instance):
    """With all means: exact where possible, else 60 digits."""
    truth = attempt(proposition, instance, Exact)
    if truth != UNSURE:
        return truth
    return attempt(proposition, instance, Precise)


def quick(proposition, instance):
    """With floats alone."""
    return attempt(proposition, instance, Floats)


# --- limits --------------------------------------------------------------------------------------

FAR = (Fraction(10) ** 4, Fraction(10) ** 7, Fraction(10) ** 10)


def points_towards(target):
    """Numbers that go to infinity, or to a number from above."""
    if target == "inf":
        return FAR
    return tuple(Fraction(target) + 1 / far for far in FAR)


def distances(comparison, views):
    found = []
    for view in views:
        x, y = comparison.sides(view)
        found.append(max([abs(entry) for entry in numpy.ravel(numpy.asarray(x - y, dtype=object))]))
    return found


def tends_to_zero(found):
    """Clearly, clearly not, or unsure, from three numbers on the way."""
    first, second, third = found
    if third < mpmath.mpf(10) ** -30 or (third < 1e-3 and third < second / 5 < first / 20):
        return TRUE
    if third > 1e-3 and second > 1e-3 and third > second * mpmath.mpf("0.9"):
        return FALSE
    return UNSURE


CLOSE = (Fraction(3), Fraction(6), Fraction(12))
NEAR_BY = (Fraction(20), Fraction(60), Fraction(180))
FINE_DIGITS = 1000


def truth_in_limit(proposition, instance, name, target):
    """The truth of a proposition as one parameter tends to something, all else fixed."""

    def views(points):
        return [instance.changed(**{name: point}).view(Precise) for point in points]

    def fine(points=NEAR_BY):
        return views(points if target == "inf" else [Fraction(target) + 1 / point for point in points])

    try:
        with mpmath.workdps(DIGITS):
            return limit_of(proposition, views(points_towards(target)), fine)
    except NoValue:
        return None
    except (Inexact, OverflowError, ZeroDivisionError, ValueError):
        return UNSURE


def order_in_limit(comparison, views, fine):
    """x < y from somewhere on: the same sign at all points; with many digits where 60 are too few."""
    truths = {comparison.truth(view) for view in views}
    if truths != {UNSURE}:
        return truths.pop() if len(truths) == 1 else UNSURE
    with mpmath.workdps(FINE_DIGITS):
        sides = [comparison.sides(view) for view in fine()]
        small = mpmath.mpf(10) ** (MARGIN_DIGITS - FINE_DIGITS)
        equal = [abs(x - y) < small for x, y in sides]
        if all(equal) and all(
            abs(x - y) < small for x, y in (comparison.sides(view) for view in fine(CLOSE))
        ):
            return TRUE if comparison.sign in ("<=", ">=") else FALSE
        if any(equal):
            return UNSURE
        holds = {(x < y) == (comparison.sign in ("<", "<=")) for x, y in sides}
        return (TRUE if holds.pop() else FALSE) if len(holds) == 1 else UNSURE


def limit_of(proposition, views, fine):
    if isinstance(proposition, Compare):
        if proposition.sign in ("=", "~"):
            return tends_to_zero(distances(proposition, views))
        if proposition.sign == "!=":
            return -tends_to_zero(distances(proposition, views))
        return order_in_limit(proposition, views, fine)
    if isinstance(proposition, And):
        return min(limit_of(part, views, fine) for part in proposition.parts)
    if isinstance(proposition, Or):
        return max(limit_of(part, views, fine) for part in proposition.parts)
    if isinstance(proposition, Not):
        return -limit_of(proposition.inner, views, fine)
    if isinstance(proposition, Known):
        return proposition.truth(views[-1])
    return UNSURE
