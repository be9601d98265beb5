"""Laws of attention over keys of which one has an uncertain length, and designs that survive it."""
from dataclasses import dataclass
from operator import index
from typing import Any, Literal, Optional, SupportsIndex

from . import _qkv
from ._arrays import each, is_numpy

DESIGNS = {"single": 1, "heads": 2, "immune": 3}
CHANCES = (0.05, 0.25, 0.5, 0.75, 0.95)
INPUTS = ("head", "keys", "of", "noise", "noisy", "tolerance")

Head = Literal["single", "heads", "immune"]
Options = tuple[int, int, int, float, float, bool, float]
Noisy = Literal["wanted", "other"]


@dataclass(frozen=True)
class LogitNormal:
    """The law of sigma(location + scale*Z), Z standard normal. Takes numbers, lists and arrays.

    >>> LogitNormal(0.0, 1.0).cdf(0.5)
    0.5
    """
    location: float
    scale: float

    def density(self, weight: Any) -> Any:
        return each(lambda x: _qkv.logit_normal("d", self.location, self.scale, x), weight)

    def cdf(self, weight: Any) -> Any:
        return each(lambda x: _qkv.logit_normal("c", self.location, self.scale, x), weight)

    def quantile(self, chance: Any) -> Any:
        return each(lambda x: _qkv.logit_normal("q", self.location, self.scale, x), chance)

    @property
    def modes(self) -> list[float]:
        """Where its density has peaks: one or two places."""
        return _qkv.logit_normal_modes(self.location, self.scale)


def _choose(name: str, word: str, choices: Any) -> None:
    if word not in choices:
        raise ValueError(f"{name}: got {word!r}; expected {', '.join(choices)}")


def _options(head: str, keys: int, of: int, beta: float, noise: float, noisy: str,
             tolerance: float) -> Options:
    _choose("head", head, DESIGNS)
    _choose("noisy", noisy, ("wanted", "other"))
    for name, count in (("keys", keys), ("of", of)):
        if not isinstance(count, SupportsIndex) or not 0 <= index(count) <= 2 ** 53:
            raise ValueError(f"{name}: got {count!r}; expected a whole number, at most 2^53")
    return (DESIGNS[head], keys, of, float(beta), noise, noisy == "other", tolerance)


def _one_law(options: Options) -> dict[str, Any]:
    found = _qkv.law_compute(options)
    weight = LogitNormal(found["location"], found["scale"])
    found["quantiles"] = {chance: weight.quantile(chance) for chance in CHANCES}
    found["modes"] = weight.modes
    found["bounds"] = _qkv.law_enclose(options)
    return found


def law(*, keys: int, beta: Any, head: Head = "single", of: Optional[int] = None,
        noise: float = 0.5, noisy: Noisy = "wanted", tolerance: float = 0.01) -> dict[str, Any]:
    """The law of attention over `keys` keys with orthonormal means, one of which is eps*mu with eps
    normal, mean 1 and variance `noise`; the values of `of` of them (2) are wanted, as an average.

    beta: a number, math.inf, or a sequence or array of numbers; then every number of the result is
        a list or an array.
    head: "single", q = beta*(sum of the wanted mu); "heads", one for each; "immune", q =
        -beta*(sum of the other mu).
    noisy: whether the noisy key is a "wanted" one or an "other".
    tolerance: a head fails when it gives a key that it wants less than 1 - tolerance of its part.

    Returns location and scale of the noisy key's weight sigma(location + scale*Z), its mean,
    variance, quantiles and modes; covariance, leak, bias, error and failure of the output;
    query_norm; and bounds: (lower, upper) of the seven, proved, where the library has FLINT.

    >>> found = law(keys=10, beta=10)
    >>> round(found["variance"], 12)
    0.195320654524
    >>> low, high = found["bounds"]["variance"]
    >>> low <= found["variance"] <= high and high - low < 1e-14
    True
    >>> [round(x, 4) for x in law(keys=10, beta=[1, 2, 4])["leak"]]
    [0.5954, 0.3512, 0.0683]
    """
    of = 2 if of is None else of
    inputs = dict(zip(INPUTS, (head, keys, of, noise, noisy, tolerance)))
    if not hasattr(beta, "__len__"):
        found = _one_law(_options(head, keys, of, beta, noise, noisy, tolerance))
        return {**inputs, "beta": float(beta), **found}
    laws = [_qkv.law_compute(_options(head, keys, of, one, noise, noisy, tolerance))
            for one in (beta.ravel() if is_numpy(beta) else beta)]
    names = laws[0] if laws else ()
    return {**inputs, "beta": beta,
            **{name: _column([one[name] for one in laws], beta) for name in names}}


def _column(numbers: list[float], like: Any) -> Any:
    if not is_numpy(like):
        return numbers
    import numpy
    return numpy.array(numbers).reshape(like.shape)


def design(task: Literal["average", "copy"] = "average", *, keys: int, of: Optional[int] = None,
           tolerance: float = 0.01, failure: float = 0.1, noise: float = 0.5,
           noisy: Noisy = "wanted") -> dict[str, Any]:
    """Which query, how large, for the average of `of` keys or the copy of one, when a key has an
    uncertain length: three designs side by side, as `qkv design` prints them.

    Returns a dict with the task and `designs`: for each, whether failures can be as rare as asked
    for (`reached`), the least beta for it, or the one where failures are rarest, and the law there.

    >>> found = design(keys=10)
    >>> [(one["design"], one["reached"], round(one["beta"], 4)) for one in found["designs"]]
    [('single', False, 8.2007), ('heads', True, 72.4083), ('immune', True, 5.9814)]
    """
    _choose("task", task, ("average", "copy"))
    if task == "copy" and of not in (None, 1):
        raise ValueError(f"of: got {of}; expected 1, or nothing, for a copy")
    of = 1 if task == "copy" else (2 if of is None else of)
    heads = [head for head in DESIGNS if not (head == "heads" and of == 1)]
    return {"task": task, "keys": keys, "of": of, "tolerance": tolerance, "failure": failure,
            "noise": noise, "noisy": noisy,
            "designs": [_consider(head, keys, of, noise, noisy, tolerance, failure)
                        for head in heads]}


def _consider(head: str, keys: int, of: int, noise: float, noisy: str, tolerance: float,
              failure: float) -> dict[str, Any]:
    options = _options(head, keys, of, 1.0, noise, noisy, tolerance)
    least, rarest, at = _qkv.law_least_beta(options, failure)
    best, best_law = _qkv.law_best_beta(options)
    beta = at if least is None else least
    found = _qkv.law_compute(_options(head, keys, of, beta, noise, noisy, tolerance))
    fails = {kind: _failure(options, beta, kind == "other")
             for kind in ("wanted", "other") if kind == "wanted" or of < keys}
    slack = failure * (1 + 1e-9)  # the least beta is computed, to 1e-12 or so
    return {"design": head, "reached": least is not None, "least_failure": rarest,
            "least_failure_beta": at, "beta": beta,
            **{name: found[name] for name in ("query_norm", "leak", "variance", "covariance",
                                              "bias", "error")},
            **{f"failure_{kind}_noisy": chance for kind, chance in fails.items()},
            "survives": [kind for kind, chance in fails.items() if chance <= slack],
            "best_beta": best, "best_error": best_law["error"]}


def _failure(options: Options, beta: float, other: bool) -> float:
    design, keys, of, _, noise, _, tolerance = options
    return _qkv.law_compute((design, keys, of, beta, noise, other, tolerance))["failure"]
