"""A document's random problem, sampled."""
from dataclasses import dataclass
from html import escape
from typing import Any, Optional

from . import _qkv
from ._arrays import as_result, whole
from ._documents import Source, raise_mistakes, read


@dataclass(frozen=True)
class Estimate:
    """A number estimated from samples, and the interval that it is known by."""
    value: float
    low: float
    high: float
    exact: Optional[tuple[float, float]]  #: an enclosure of the exact number, where there is one


@dataclass(frozen=True)
class Row:
    """Of a weight, or of all the others' together: mean and variance. Of an event: its chance."""
    result: str  #: "two"; "" for an event
    quantity: str  #: "weight[a]", "others", "P(two.weight[a] < 0.9)"
    mean: Estimate  #: of an event its probability
    variance: Optional[Estimate]  #: None for an event


class Samples:
    """What sample() found; draw() gives the samples themselves."""

    def __init__(self, name: str, found: tuple, source: tuple):
        self.name = name
        self._source = source  # (text, problem, at, seed): what a sample depends on
        self._handle, self.problem, self.at, self.exact_at, self.drawn, rows = found
        self.rows = tuple(
            Row(result, quantity, Estimate(*mean), Estimate(*variance) if variance else None)
            for result, quantity, mean, variance in rows)

    def __getstate__(self) -> dict[str, Any]:
        """Without what draws, which is made anew when it is needed."""
        return {**self.__dict__, "_handle": None}

    def _drawing(self) -> Any:
        if self._handle is None:
            text, problem, at, seed = self._source
            self._handle = _qkv.sample(self.name, text, problem, at, 1, seed, 1, 1e-6)[0]
        return self._handle

    @property
    def columns(self) -> list[str]:
        """What the columns of draw() are, as "single.weight[a]"."""
        return [f"{row.result}.{row.quantity}" if row.result else row.quantity
                for row in self.rows]

    def draw(self, first: int = 0, count: Optional[int] = None) -> Any:
        """Samples first to first + count - 1: one row per sample, one column per row of the table. A
        NumPy array if there is NumPy, otherwise a memoryview. Sample i is always the same."""
        start = whole("first", first, 0, self.drawn if count is None else 2 ** 64 - 1)
        rows = self.drawn - start if count is None else whole("count", count, 0,
                                                              min(2 ** 63 - 1, 2 ** 64 - start))
        return as_result(_qkv.sample_draw(self._drawing(), start, rows))

    def to_dict(self) -> dict[str, Estimate]:
        """Means and probabilities by column."""
        return dict(zip(self.columns, (row.mean for row in self.rows)))

    def __str__(self) -> str:
        where = f", at {self.at}" if self.at else ""
        lines = [f"{self.name}{where}: {self.drawn} samples"]
        for title, row in zip(self.columns, self.rows):
            exact = f"   exact {_middle(row.mean):.6g}" if row.mean.exact else ""
            lines.append(f"  {title:32} {row.mean.value:<10.6g} {row.mean.low:.6g} to "
                         f"{row.mean.high:.6g}{exact}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{title}</th>" for title in (
            "", "mean", "interval", "exact" + (f" at {escape(self.exact_at)}" if self.exact_at
                                               else ""), "variance"))
        rows = "".join(_html_row(title, row) for title, row in zip(self.columns, self.rows))
        title = " ".join(part for part in (self.problem, f"at {self.at}" if self.at else "") if part)
        return (f"<div><p><b>{escape(self.name)}</b> {escape(title)}: {self.drawn:,} samples</p>"
                f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>")


def _middle(estimate: Estimate) -> float:
    return sum(estimate.exact or (estimate.value, estimate.value)) / 2


def _html_row(title: str, row: Row) -> str:
    exact = f"{_middle(row.mean):.6g}" if row.mean.exact else ""
    variance = f"{row.variance.value:.6g}" if row.variance else ""
    return (f"<tr><td><code>{escape(title)}</code></td><td>{row.mean.value:.6g}</td>"
            f"<td>{row.mean.low:.6g} to {row.mean.high:.6g}</td><td>{exact}</td>"
            f"<td>{variance}</td></tr>")


def sample(text_or_path: Source, *, problem: Optional[str] = None, at: Optional[str] = None,
           samples: int = 1_000_000, seed: int = 0, threads: Optional[int] = None,
           error: float = 1e-6, name: Optional[str] = None) -> Samples:
    """Samples a document's problem with random keys, k[i] ~ normal(...): means and variances of the
    weights of every result in it, and the probabilities that its claims speak of.

    problem: its title; None: the first one with random keys.
    at: numbers for the parameters, "n = 10, beta = 10"; None: the problem's first `at`.
    error: what all the intervals together may fail with.

    The same seed gives the same samples, for any number of threads. Ctrl-C stops it.

    >>> noisy = '''
    ... means  mu[1..2] orthonormal
    ... values v[1..2]
    ... keys   k[i] ~ normal(mu[i], 1/2*mu[i]*mu[i]')
    ... c = attend(beta*(mu[1] + mu[2]), k, v)
    ... claim: P(c.weight[1] > 1/2) = 1/2
    ... '''
    >>> found = sample(noisy, at="beta = 3", samples=10000)
    >>> found.columns
    ['c.weight[1]', 'c.weight[2]', 'P(c.weight[1] > 1/2)']
    >>> found.draw(0, 5).shape
    (5, 3)
    """
    name, text = read(text_or_path, name)
    count, start = whole("samples", samples, 1, 2 ** 50), whole("seed", seed, 0, 2 ** 64 - 1)
    workers = 0 if threads is None else whole("threads", threads, 1, 2 ** 15)
    try:
        found = _qkv.sample(name, text, problem, at, count, start, workers, error)
    except ValueError as wrong:
        if str(wrong).startswith("line "):
            raise_mistakes(name, text)
        raise
    return Samples(name, found, (text, problem, at, start))
