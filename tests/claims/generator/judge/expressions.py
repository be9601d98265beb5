"""Expressions as trees that print themselves in the claim language and have a value at a view.
Nothing is transformed or simplified: a value is computed from the definition that the manual gives."""

from fractions import Fraction

import numpy

from .arithmetic import NoValue
from .values import Family, Heads, SelfAttention, plain, softmax


def node(thing):
    """A tree from a tree, a name or a number."""
    if isinstance(thing, str):
        return Name(thing)
    if isinstance(thing, (int, Fraction)):
        return Number(Fraction(thing))
    return thing


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

    def index(self, _at):
        raise TypeError("not an index")


class Number(Expression):
    def __init__(self, fraction):
        self.fraction = fraction

    def text(self):
        whole = self.fraction.denominator == 1 and self.fraction >= 0
        return str(self.fraction) if whole else f"({self.fraction})"

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
    """Any text whose value is known in another way: a function of the view."""

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
        left = self.left.text()
        if self.sign == "^" and isinstance(self.left, Exp):
            left = f"({left})"  # e^(x)^2 is e^(x^2)
        return f"({left}{blank}{self.sign}{blank}{self.right.text()})"

    def value(self, at):
        x, y = plain(self.left.value(at)), plain(self.right.value(at))
        if self.sign == "+":
            return x + y
        if self.sign == "-":
            return x - y
        if self.sign == "*":
            return product(x, y)
        if self.sign == "^":
            return at.arithmetic.power(x, y)
        if y == 0:
            raise NoValue
        return x / y

    def index(self, at):
        x, y = self.left.index(at), self.right.index(at)
        return {"+": x + y, "-": x - y, "*": x * y}[self.sign]


def product(x, y):
    """A product of numbers, matrices and vectors; a transposed vector is a matrix of one row."""
    if numpy.ndim(x) == 0:
        return y * x  # the array first: mpmath is slow to find out that it is not a number
    if numpy.ndim(y) == 0:
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


# Functions that are short for others, of the arithmetic and their arguments.
SHORT = {
    "relu": lambda arithmetic, x: max(x, arithmetic.number(0)),
    "max": lambda _, *all: max(all),
    "min": lambda _, *all: min(all),
    "sinh": lambda arithmetic, x: (arithmetic.exp(x) - arithmetic.exp(-x)) / 2,
    "cosh": lambda arithmetic, x: (arithmetic.exp(x) + arithmetic.exp(-x)) / 2,
    "sigmoid": lambda arithmetic, x: 1 / (1 + arithmetic.exp(-x)),
    "softplus": lambda arithmetic, x: arithmetic.ln(1 + arithmetic.exp(x)),
    "logsumexp": lambda arithmetic, *all: arithmetic.ln(sum(arithmetic.exp(x) for x in all)),
}


class Call(Expression):
    """A function of numbers: ln, sqrt, tanh, sin or cos, or one that is short for others."""

    def __init__(self, function, *arguments):
        self.function, self.arguments = function, [node(argument) for argument in arguments]

    def text(self):
        return f"{self.function}({', '.join(argument.text() for argument in self.arguments)})"

    def value(self, at):
        numbers = [argument.value(at) for argument in self.arguments]
        if self.function in SHORT:
            return SHORT[self.function](at.arithmetic, *numbers)
        return getattr(at.arithmetic, self.function)(*numbers)


class Applied(Expression):
    """f(x), where the document defines f: the value is that of the body with x put in."""

    def __init__(self, name, argument, body):
        self.name, self.argument, self.body = name, argument, body

    def text(self):
        return f"{self.name}({self.argument.text()})"

    def value(self, at):
        return self.body.value(at)


class Size(Expression):
    """|x|: the absolute value of a number, the norm of a vector."""

    def __init__(self, inner):
        self.inner = node(inner)

    def text(self):
        text = self.inner.text()
        return f"norm({text})" if "|" in text else f"|{text}|"

    def value(self, at):
        x = plain(self.inner.value(at))
        if numpy.ndim(x) == 0:
            return abs(x)
        return at.arithmetic.sqrt(sum(entry * entry for entry in numpy.ravel(x)))


class Inner(Expression):
    """x.y"""

    def __init__(self, left, right):
        self.left, self.right = left, right

    def text(self):
        return f"{self.left.text()}.{self.right.text()}"

    def value(self, at):
        x, y = plain(self.left.value(at)), plain(self.right.value(at))
        return sum(x * y) if numpy.ndim(x) else x * y


class Index(Expression):
    """x[i]"""

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
    """c.weight[i], c.score[i]; the weight of a mean of heads is the mean of their weights."""

    def __init__(self, inner, part, at_index):
        self.inner, self.part, self.at_index = inner, part, at_index

    def text(self):
        return f"{self.inner.text()}.{self.part}[{self.at_index.text()}]"

    def value(self, at):
        attention, index = self.inner.value(at), self.at_index.index(at)
        if isinstance(attention, Heads) and self.part == "score":
            raise TypeError("a mean of heads has no scores")
        if index not in attention.indexes:
            raise NoValue
        place = attention.indexes.index(index)
        return (attention.weights if self.part == "weight" else attention.scores)[place]


class Transposed(Expression):
    def __init__(self, inner):
        self.inner = inner

    def text(self):
        return f"{self.inner.text()}'"

    def value(self, at):
        x = self.inner.value(at)
        return x[None, :] if numpy.ndim(x) == 1 else x.T


class Softmax(Expression):
    """softmax of a list, or of each row of a matrix."""

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


class Range:
    """The set 1..n, and the like."""

    def __init__(self, last, first=1):
        self.last, self.first = node(last), node(first)

    def text(self):
        return f"in {self.first.text()}..{self.last.text()}"

    def members(self, at):
        return range(self.first.index(at), self.last.index(at) + 1)


class AllBut:
    """i != j, or i not in {a, b}, of a set that the text leaves unsaid."""

    def __init__(self, whole, *names):
        self.whole, self.names = whole, [node(name) for name in names]

    def text(self):
        if len(self.names) == 1:
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
