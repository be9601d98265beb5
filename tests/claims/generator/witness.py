"""The example that a refutation names, read back as an instance of the problem. The judge then decides by
itself whether the premises hold there and the claim fails."""

import json
import re
from fractions import Fraction

from judge import Family

FAMILIES = "(?:keys|values|vectors|means)"
ASSIGNMENT = re.compile(r"([A-Za-z]\w*) = ")
TRIALS = 6
# Families of this size are drawn once; larger ones are not.
LARGE, LARGEST = 30, 120
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:/\d+)?$")


def witness(problem, claim, reason, rng):
    """Instances from a reason such as 'With n = 2, k = [[1,0],[0,1]], q = [1,0]: ...'. Names that
    it leaves out are drawn."""
    pools = pools_of(problem, named_values(reason))
    size = max((pools[name][0] for name, _ in problem.sizes if name in pools), default=0)
    trials = 0 if not pools or size > LARGEST else 1 if size > LARGE else TRIALS
    for trial in range(trials):
        instance = problem.draw(rng, trial, {**claim.pools, **pools})
        if instance is not None and claim.admits(instance):
            yield instance


def named_values(reason):
    """{name: text of its value} from the first assignments of a reason."""
    found = {}
    pieces = re.split(r", (?=[A-Za-z]\w* = )", re.split(r"\b(?:With|At|at) (?=[A-Za-z]\w* = )", reason)[-1])
    for piece in pieces:
        match = ASSIGNMENT.match(piece)
        if not match:
            break
        text = re.split(r": |\.(?:\s|$)|: *$", piece[match.end() :])[0]
        found[match.group(1)] = text.strip()
    return found


def pools_of(problem, texts):
    """Pools with the one value of each name that belongs to the problem's instances."""
    old_name = getattr(problem, "old_name", lambda name: name)
    texts = {old_name(name): text for name, text in texts.items()}
    sizes = {name for name, _ in problem.sizes}
    values, width = {}, None
    for name, text in texts.items():
        if name not in problem.names or name in problem.definitions:
            continue
        raw = value_of(text, texts)
        if raw is None:
            continue
        values[name] = shaped(problem, name, raw, sizes)
        rows = values[name].rows.values() if isinstance(values[name], Family) else [values[name]]
        widths = [len(row) for row in rows if isinstance(row, list) and row and isinstance(row[0], Fraction)]
        if widths and not declared(problem, "values", rf" {name}\["):
            width = widths[0]
    pools = {name: [value] for name, value in values.items()}
    return {**pools, "#width": [width]} if width else pools


def value_of(text, texts):
    """A fraction, a list, or a factor times a list: '1/2', '[1,0]', '(s)*[[1,0],[0,1]]'."""
    factor = re.match(r"\((\w+(?:/\d+)?)\)\*(\[.*\])$", text)
    if factor:
        length, rows = value_of(texts.get(factor.group(1), factor.group(1)), {}), value_of(
            factor.group(2), {}
        )
        if not isinstance(length, Fraction) or rows is None:
            return None
        return [[length * x for x in row] if isinstance(row, list) else length * row for row in rows]
    if NUMBER.match(text):
        return Fraction(text)
    if re.fullmatch(r"[\[\]\d,/.\- ]+", text) and text.startswith("["):
        return read_list(text)
    return None


def read_list(text):
    """A list of fractions, or of such lists."""
    try:
        found = json.loads(re.sub(r"-?\d+(?:\.\d+)?(?:/\d+)?", r'"\g<0>"', text))
        return [list(map(Fraction, row)) if isinstance(row, list) else Fraction(row) for row in found]
    except (ValueError, TypeError, ZeroDivisionError):
        return None


def shaped(problem, name, raw, sizes):
    """The value in the form of the problem's instances: sizes and indexes are ints, families are rows."""
    if isinstance(raw, Fraction):
        whole = name in sizes or name == problem.dimension or declared(problem, "pick", rf".*\b{name}\b")
        return int(raw) if whole and raw.denominator == 1 else raw
    rows = [row if isinstance(row, list) else [row] for row in raw]
    family = declared(problem, FAMILIES, rf" {name}\[(.*?)\]")
    if family:
        letters = re.fullmatch(r"[a-z](?:,[a-z])*", family.group(1))
        return Family(family.group(1).split(",") if letters else range(1, len(rows) + 1), rows)
    return (
        rows if declared(problem, "(?:matrix|permutation)", rf".*\b{name}\[\w+,?\w*\]") and rows[1:] else raw
    )


def declared(problem, words, rest):
    """The match of a statement that begins with one of these words, or None."""
    statements = (part.strip() for line in problem.lines for part in re.split("[;\n]", line))
    return next(filter(None, (re.match(words + rest, statement) for statement in statements)), None)
