"""What names and expressions stand for at an instance: families of vectors, attention and its parts."""

from .arithmetic import NoValue


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


class Output:
    """The base of results that can stand for a vector: their output."""


class Attention(Output):
    """The result of attention: an output, and the weights and scores that led to it."""

    def __init__(self, scores, weights, values, indexes):
        self.scores, self.weights, self.indexes = scores, weights, indexes
        self.values = values
        self._output = None

    @property
    def output(self):
        # The value comes first: mpmath is slow to find out that a vector is not a number.
        if self._output is None:
            self._output = sum(value * weight for weight, value in zip(self.weights, self.values))
        return self._output


class Heads(Output):
    """The mean of several heads."""

    def __init__(self, heads):
        self.heads = heads

    @property
    def output(self):
        return sum(head.output for head in self.heads) / len(self.heads)

    @property
    def indexes(self):
        return self.heads[0].indexes

    @property
    def weights(self):
        return [sum(column) / len(self.heads) for column in zip(*(head.weights for head in self.heads))]


class SelfAttention:
    """self_attend of tokens: one attention per token, computed when it is asked for."""

    def __init__(self, compute):
        self.compute, self.known = compute, {}

    def token(self, number):
        if number not in self.known:
            self.known[number] = self.compute(number - 1)
        return self.known[number]


def plain(value):
    """Attention used as a vector is its output."""
    return value.output if isinstance(value, Output) else value


def softmax(arithmetic, scores):
    """e^score over the sum of them all."""
    if not len(scores):
        raise NoValue
    greatest = max(scores)
    powers = [arithmetic.exp(score - greatest) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]
