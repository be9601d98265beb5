"""Attention as an expression: one query, several heads, and self-attention over a few tokens."""

import numpy

from .expressions import Expression, node, product
from .values import Attention, Family, Heads, SelfAttention, plain, softmax


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
        chosen = [values[i] for i in keys.indexes]
        return Attention(scores, softmax(at.arithmetic, scores), chosen, keys.indexes)


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
