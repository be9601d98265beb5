"""Attention as an expression: one query, several heads, and self-attention over a few tokens."""

import numpy

from .arithmetic import NoValue
from .expressions import Expression, node, product
from .values import Attention, Family, Heads, SelfAttention, plain, softmax


class Attend(Expression):
    """attend(q, k, v), perhaps with a scale, a bias, a mask (names of indexes) or a sink."""

    def __init__(self, query, keys, values, scale=None, bias=None, mask=None, sink=None):
        self.query, self.keys, self.values, self.scale = node(query), node(keys), node(values), scale
        self.bias, self.mask, self.sink = bias, mask, sink

    def text(self):
        options = {"scale": self.scale, "bias": self.bias, "sink": self.sink}
        said = "".join(f", {word} = {option.text()}" for word, option in options.items() if option)
        if self.mask:
            said += ", mask = {" + ", ".join(name.text() for name in self.mask) + "}"
        return f"attend({self.query.text()}, {self.keys.text()}, {self.values.text()}{said})"

    def value(self, at):
        query, keys, values = plain(self.query.value(at)), self.keys.value(at), self.values.value(at)
        scores = [sum(query * keys[i]) if numpy.ndim(keys[i]) else query * keys[i] for i in keys.indexes]
        if self.scale:
            factor = self.scale.value(at)
            scores = [factor * score for score in scores]
        if self.bias:
            added = self.bias.value(at)
            scores = [score + added[i] for score, i in zip(scores, keys.indexes)]
        chosen = [values[i] for i in keys.indexes]
        return Attention(scores, self.weights(at, scores, keys.indexes), chosen, keys.indexes)

    def weights(self, at, scores, indexes):
        """Of the keys that are looked at; the sink takes its share and has no value."""
        seen = {name.index(at) for name in self.mask} if self.mask else set(indexes)
        asked = [score for score, i in zip(scores, indexes) if i in seen]
        if not asked:
            raise NoValue
        found = iter(softmax(at.arithmetic, asked + ([self.sink.value(at)] if self.sink else [])))
        return [next(found) if i in seen else at.arithmetic.number(0) for i in indexes]


class Entropy(Expression):
    """-sum(w ln w) over the weights, where 0 ln 0 is 0."""

    def __init__(self, inner):
        self.inner = node(inner)

    def text(self):
        return f"entropy({self.inner.text()})"

    def value(self, at):
        weights = [weight for weight in self.inner.value(at).weights if weight != 0]
        return -sum((w * at.arithmetic.ln(w) for w in weights), at.arithmetic.number(0))


class Made(Expression):
    """The family that m[i] = ... defines: it has a value if all members have one."""

    def __init__(self, body, name, over):
        self.body, self.name, self.over = body, name, over

    def text(self):
        return f"[{self.body.text()} for {self.name} {self.over.text()}]"

    def value(self, at):
        indexes = list(self.over.members(at))
        return Family(indexes, [plain(self.body.value(at.bind(self.name, i))) for i in indexes])


class Joined(Expression):
    """[k, m] of two families, or [k, u] with a vector appended; the members are numbered anew."""

    def __init__(self, first, second):
        self.parts = [node(first), node(second)]

    def text(self):
        return "[" + ", ".join(part.text() for part in self.parts) + "]"

    def value(self, at):
        rows = []
        for part in self.parts:
            value = part.value(at)
            rows += [value[i] for i in value.indexes] if isinstance(value, Family) else [plain(value)]
        return Family(range(1, len(rows) + 1), rows)


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
        matrices = [matrix.value(at) for matrix in self.matrices] if self.matrices else [None] * 3
        return SelfAttention(lambda place: self.attention_of(place, x, matrices, at.arithmetic))

    def attention_of(self, place, x, matrices, arithmetic):
        """The attention of one token; masked tokens have the weight 0."""
        asked, keys, values = (
            [token if matrix is None else product(matrix, token) for token in x] for matrix in matrices
        )
        seen = place + 1 if self.causal else len(x)
        scores = [sum(asked[place] * key) for key in keys[:seen]]
        zeros = [arithmetic.number(0)] * (len(x) - seen)
        weights = softmax(arithmetic, scores) + zeros
        return Attention(scores + zeros, weights, values, list(range(1, len(x) + 1)))


class Tokens(Expression):
    """The family that x[1] = ..., x[2] = ... define together."""

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


class Head(Expression):
    """m.head[1]"""

    def __init__(self, inner, number):
        self.inner, self.number = inner, number

    def text(self):
        return f"{self.inner.text()}.head[{self.number}]"

    def value(self, at):
        return self.inner.value(at).heads[self.number - 1]
