"""Documents of claims: verdicts and derivations as objects that a notebook can show."""
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Optional, Union

from . import _qkv
from .plot import Figure

COLOURS = {"proved": "#009e73", "refuted": "#d55e00", "supported": "#0072b2",
           "undecided": "#888888"}
MOST_DERIVATIONS = 50  # of one report, in a notebook: beyond, they are asked for one by one

ENGINES = {"ball": 1, "search": 2, "sample": 4}  # qkv_engine
CheckOptions = tuple[int, float, int]  # qkv_check_options: without, seconds, threads
NO_LIMITS: CheckOptions = (0, 0.0, 0)

Source = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Step:
    """One step of a derivation: a title, and lines that belong together."""
    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Complaint:
    """Something in a document that is not understood. Lines and columns count from 1."""
    line: int
    column: int
    message: str
    text: str
    caret: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class ClaimError(ValueError):
    """A document with mistakes in its text.

    ``line``, ``column`` and ``message`` are those of the first; ``complaints`` has all of them,
    and ``report`` the verdicts on what could be understood.

    >>> try:
    ...     check("claim: 1 +")
    ... except ClaimError as error:
    ...     print(error.line, error.column)
    1 11
    """

    def __init__(self, name: str, complaints: tuple[Complaint, ...], report: "Report"):
        first = complaints[0]
        more = len(complaints) - 1
        behind = f"\n(and {more} more)" if more else ""
        super().__init__(f"{name}:{first.line}:{first.column}: {first.message}\n{first.text}\n"
                         f"{' ' * (first.caret - 1)}^{behind}")
        self.name = name
        self.line, self.column, self.message = first.line, first.column, first.message
        self.text = first.text
        self.complaints, self.report = complaints, report

    def __reduce__(self) -> tuple:
        return ClaimError, (self.name, self.complaints, self.report)


@dataclass(frozen=True)
class Verdict:
    """One claim and what became of it."""
    line: int  #: in the document, from 1
    problem: str  #: the title of its problem, "" for none
    name: str  #: the label behind `claim`, "" for none
    claim: str  #: as written
    verdict: str  #: "proved", "refuted", "supported" or "undecided"
    engine: str  #: "exact", "ball", "search", "sample"; "" when undecided
    found: str  #: what is true: the limit, the formula, the enclosure; may be ""
    reason: str  #: one or two plain sentences
    expected: Optional[str]  #: of `expect refuted`
    passes: bool  #: proved, or as expected
    steps: tuple[Step, ...] = field(default=(), repr=False)  #: from explain() alone
    #: what the claim speaks of, where a picture fits; from explain() alone
    figure: Optional[Figure] = field(default=None, repr=False, compare=False)
    replayed: int = 0  #: examples on which a second reading of the document agrees

    def __getstate__(self) -> dict[str, Any]:
        """Without the figure, which cannot be pickled: explain() gives it again."""
        return {**self.__dict__, "figure": None}

    @property
    def why(self) -> str:
        """What is true and why, in a sentence or two."""
        return ". ".join(part for part in (self.found, self.reason) if part)

    def __str__(self) -> str:
        lines = [f"{self.line:5}  {self.name:10} {self.verdict:9}  {self.why}".rstrip()]
        for step in self.steps:
            lines += ["", f"    {step.title}"] + [f"      {line}" for line in step.lines]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return _table([self], {self.line: self})


class Report(Sequence):
    """The verdicts on a document's claims, in their order; a table in a notebook.

    >>> report = check("claim one: 1 + 1 = 2\\nclaim two: 1 + 1 = 3")
    >>> [verdict.verdict for verdict in report]
    ['proved', 'refuted']
    >>> report["two"].verdict
    'refuted'
    >>> report.counts["proved"], report.passes
    (1, False)
    """

    def __init__(self, name: str, text: str, verdicts: tuple[Verdict, ...],
                 complaints: tuple[Complaint, ...], options: CheckOptions = NO_LIMITS):
        self.name, self.text, self._options = name, text, options
        self.verdicts, self.complaints = verdicts, complaints
        self._derived: Optional[dict[int, Verdict]] = None

    def __getstate__(self) -> dict[str, Any]:
        """Without derivations that were found on the way, for their figures' sake."""
        return {**self.__dict__, "_derived": None}

    def __len__(self) -> int:
        return len(self.verdicts)

    def __getitem__(self, which: Any) -> Any:
        """By index, or the first with a label."""
        if not isinstance(which, str):
            return self.verdicts[which]
        for verdict in self.verdicts:
            if verdict.name == which:
                return verdict
        raise KeyError(which)

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each verdict."""
        return {kind: sum(v.verdict == kind for v in self.verdicts) for kind in COLOURS}

    @property
    def passes(self) -> bool:
        """Whether every claim came out as expected, and the text has no mistakes."""
        return not self.complaints and all(verdict.passes for verdict in self.verdicts)

    def explain(self, which: Union[int, str, None] = None) -> "Report":
        """The claims of a line, or with a label, or all, with their derivations."""
        return _explain(self.name, self.text, which, self._options)

    def __str__(self) -> str:
        return "\n".join([self.name] + [str(v) for v in self.verdicts]
                         + [f"{self.name}: {c}" for c in self.complaints] + [self._summary()])

    __repr__ = __str__

    def _summary(self) -> str:
        counts = ", ".join(f"{number} {kind}" for kind, number in self.counts.items())
        passed = sum(verdict.passes for verdict in self.verdicts)
        return (f"{len(self)} claim{'' if len(self) == 1 else 's'}: {counts}; {passed} as expected, "
                f"{len(self.complaints)} error{'' if len(self.complaints) == 1 else 's'} "
                "in the text")

    def _explained(self) -> dict[int, Verdict]:
        """Verdicts with derivations and figures, by line; kept, since they take as long as the
        check."""
        if self._derived is None:
            given = {v.line: v for v in self.verdicts if v.steps}
            if not given and 0 < len(self) <= MOST_DERIVATIONS:
                try:
                    given = {v.line: v for v in self.explain()}
                except ValueError:
                    given = {}
            self._derived = given
        return self._derived

    def page(self) -> str:
        """The document with its verdicts, derivations and figures, as one page of HTML."""
        return _qkv.page(self.name, self.text, self._options)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the page to a file, which needs nothing else."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page())

    def _repr_svg_(self) -> str:
        """The verdicts at a glance: a field a claim, in the order of the document."""
        columns, side = 40, 16
        rows = max(1, -(-len(self) // columns))
        fields = "".join(_field(i % columns * side, i // columns * side, v)
                         for i, v in enumerate(self.verdicts))
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * side}" '
                f'height="{rows * side}" viewBox="0 0 {columns * side} {rows * side}" role="img">'
                f"<title>{escape(self._summary())}</title>{fields}</svg>")

    def _repr_html_(self) -> str:
        mistakes = "".join(f"<li><b>{c.line}:{c.column}</b> {escape(c.message)}"
                           f"<pre>{escape(c.text)}\n{' ' * (c.caret - 1)}^</pre></li>"
                           for c in self.complaints)
        return (f"<div><p><b>{escape(self.name)}</b> {escape(self._summary())}</p>"
                f"{self._repr_svg_()}{_table(self.verdicts, self._explained())}"
                f"{f'<ul>{mistakes}</ul>' if mistakes else ''}</div>")


def _field(x: int, y: int, verdict: Verdict) -> str:
    mark = "" if verdict.passes else f'<path d="M{x + 4} {y + 4}l6 6m0-6l-6 6" stroke="#fff"/>'
    title = f"{verdict.line} {verdict.name}: {verdict.verdict}".replace(" :", ":")
    return (f'<g><title>{escape(title)}</title><rect x="{x}" y="{y}" width="14" height="14" '
            f'fill="{COLOURS[verdict.verdict]}"/>{mark}</g>')


def _table(verdicts: Sequence, explained: dict[int, Verdict]) -> str:
    cell = 'style="text-align:left;vertical-align:top"'
    heads = "".join(f"<th {cell}>{title}</th>"
                    for title in ("line", "", "claim", "verdict", "what is true"))
    rows = "".join(_row(verdict, explained.get(verdict.line, verdict), cell)
                   for verdict in verdicts)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _row(verdict: Verdict, explained: Verdict, cell: str) -> str:
    expected = ""
    if verdict.expected and not verdict.passes:
        expected = f" <small>(expected {escape(verdict.expected)})</small>"
    derivation = "".join(f'<b>{escape(step.title)}</b><pre style="white-space:pre-wrap">'
                         f"{escape(chr(10).join(step.lines))}</pre>" for step in explained.steps)
    if explained.figure is not None:
        derivation += f'<div style="background:#fff">{explained.figure.svg}</div>'
    if derivation:
        derivation = f"<details><summary>derivation</summary>{derivation}</details>"
    colour = COLOURS[verdict.verdict]
    return (f"<tr><td {cell}>{verdict.line}</td><td {cell}>{escape(verdict.name)}</td>"
            f"<td {cell}><code>{escape(verdict.claim)}</code></td>"
            f'<td {cell}><b style="color:{colour}">{verdict.verdict}</b>{expected}</td>'
            f"<td {cell}>{escape(verdict.why)}{derivation}</td></tr>")


# ---- Reading and asking ---------------------------------------------------------------------


def read(text_or_path: Source, name: Optional[str] = None) -> tuple[str, str]:
    """(name, text). A path is anything os.PathLike, and a str of one line that names a file."""
    if not isinstance(text_or_path, (str, os.PathLike)):
        raise TypeError(f"text_or_path: got {type(text_or_path).__name__}; expected a text or a "
                        "path")
    if isinstance(text_or_path, os.PathLike) or _names_a_file(text_or_path):
        path = os.fspath(text_or_path)
        with open(path, encoding="utf-8") as file:
            return name or path, file.read()
    fenced = any(line.lstrip(" >").startswith(("```qkv", "~~~qkv"))
                 for line in text_or_path.splitlines())
    return name or ("text.md" if fenced else "text.qkv"), text_or_path


def selection(which: Union[int, str, None]) -> tuple[int, Optional[str]]:
    """(line, label) of the claims that are meant; (0, None): all."""
    if not isinstance(which, int):
        return 0, which
    return max(-1, min(which, 2 ** 31 - 1)), None


def _names_a_file(text: str) -> bool:
    if "\n" in text or not text.strip():
        return False
    return text.endswith((".qkv", ".md", ".markdown")) or os.path.isfile(text)


def _report(name: str, text: str, found: tuple, options: CheckOptions = NO_LIMITS) -> Report:
    verdicts = tuple(_verdict(*claim) for claim in found[0])
    return Report(name, text, verdicts, tuple(Complaint(*one) for one in found[1]), options)


def _limits(without: Iterable[str], seconds: Optional[float],
            threads: Optional[int]) -> CheckOptions:
    """The options of the C library, qkv_check_options."""
    if isinstance(without, str):
        without = (without,)
    engines = 0
    for engine in without:
        if engine not in ENGINES:
            raise ValueError(f"without: got {engine!r}; expected {', '.join(ENGINES)}")
        engines |= ENGINES[engine]
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds: got {seconds!r}; expected a positive number, or None")
    if threads is not None and threads < 1:
        raise ValueError(f"threads: got {threads!r}; expected 1 or more, or None")
    return engines, float(seconds or 0.0), min(threads or 0, 256)


def _explain(name: str, text: str, which: Union[int, str, None], options: CheckOptions) -> Report:
    return _report(name, text, _qkv.explain(name, text, *selection(which), options), options)


def _verdict(line: int, words: tuple[str, ...], expected: Optional[str], passes: bool,
             replayed: int, steps: tuple, figure: Any) -> Verdict:
    problem, name, claim, verdict, engine, found, reason = words
    return Verdict(line, problem, name, claim, verdict, engine, found, reason, expected, passes,
                   tuple(Step(*step) for step in steps), Figure(figure) if figure else None,
                   replayed)


def raise_mistakes(name: str, text: str) -> None:
    """ClaimError for a text with mistakes; for one without, nothing."""
    report = _report(name, text, _qkv.check(name, text, NO_LIMITS))
    if report.complaints:
        raise ClaimError(name, report.complaints, report)


def check(text_or_path: Source, *, name: Optional[str] = None, strict: bool = True,
          without: Iterable[str] = (), seconds: Optional[float] = None,
          threads: Optional[int] = None) -> Report:
    """Verdicts on the claims of a document: plain text, or Markdown with fenced ```qkv blocks.

    text_or_path: the text itself, or a path: os.PathLike, or a str of one line that names a file.
    name: what messages call it; one that ends in .md is Markdown.
    strict: a text with mistakes raises ClaimError. False: they are in the report's complaints.
    without: engines that may not decide, of "ball", "search" and "sample". A claim that needs one of
        them is undecided.
    seconds: after so many, a claim under way is finished, and the rest stay undecided. None: no limit.
    threads: for sampling; None: 1. The results do not depend on it.

    >>> print(check("claim: e^2 > 7")[0].verdict)
    proved
    >>> print(check("claim: e^2 > 7", without=["ball"])[0].verdict)
    undecided
    """
    name, text = read(text_or_path, name)
    options = _limits(without, seconds, threads)
    report = _report(name, text, _qkv.check(name, text, options), options)
    if strict and report.complaints:
        raise ClaimError(name, report.complaints, report)
    return report


def explain(text_or_path: Source, which: Union[int, str, None] = None, *,
            name: Optional[str] = None, without: Iterable[str] = (),
            seconds: Optional[float] = None, threads: Optional[int] = None) -> Report:
    """Decides claims and derives each step by step: those of a line, or with a label, or all.

    name, without, seconds and threads: as for check().

    >>> verdict, = explain("claim one: 1 + 1 = 2", "one")
    >>> verdict.verdict, len(verdict.steps) > 0
    ('proved', True)
    """
    name, text = read(text_or_path, name)
    return _explain(name, text, which, _limits(without, seconds, threads))
