"""The truth of a proposition at an instance, by the cheapest arithmetic that settles it, and in the
limit of one parameter."""

from fractions import Fraction

import mpmath
import numpy

from .arithmetic import DIGITS, FALSE, TRUE, UNSURE, Closest, Exact, Finer, Floats, Inexact, NoValue
from .arithmetic import Precise, Settled, smallest
from .propositions import And, Compare, Known, Not, Or

BEYOND = (Inexact, OverflowError, ZeroDivisionError, ValueError)


def attempt(proposition, instance, arithmetic):
    """The truth in one arithmetic; None where something has no value."""
    try:
        with mpmath.workdps(arithmetic.digits):
            return proposition.truth(instance.view(arithmetic))
    except NoValue:
        return None
    except BEYOND:
        return UNSURE


def quick(proposition, instance):
    """With floats alone."""
    return attempt(proposition, instance, Floats)


def decide(proposition, instance):
    """By all means: exactly where possible, else with 60 digits."""
    truth = attempt(proposition, instance, Exact)
    return attempt(proposition, instance, Precise) if truth == UNSURE else truth


def decide_finely(proposition, instance, last=Finer):
    """The same, with more digits where 60 are too few."""
    truth = decide(proposition, instance)
    return attempt(proposition, instance, last) if truth == UNSURE else truth


def decide_closely(proposition, instance):
    """The same, where numbers that agree to all digits are taken to be equal."""
    truth = decide_finely(proposition, instance, Closest)
    return attempt(proposition, instance, Settled) if truth == UNSURE else truth


def holds(premises, instance):
    """Whether an instance meets premises: exactly, or an equation to forty digits."""
    return all(quick(premise, instance) != FALSE and premise_holds(premise, instance) for premise in premises)


def premise_holds(premise, instance):
    truth = decide(premise, instance)
    if truth == UNSURE and isinstance(premise, Compare) and premise.sign in ("=", "<=", ">="):
        return True
    return truth == TRUE


# --- limits --------------------------------------------------------------------------------------

# Points on the way to infinity. The far ones show a limit of numbers: keys in a table differ by 1e-6, so
# that scores grow as slowly as 1e-12*beta. With the near ones and a thousand digits, differences as
# small as e^-180 keep their sign.
FAR = (Fraction(10) ** 6, Fraction(10) ** 12, Fraction(10) ** 18)
NEAR = (Fraction(20), Fraction(60), Fraction(180))
NEARER = (Fraction(3), Fraction(6), Fraction(12))
FINE_DIGITS = 1000


class Way:
    """An instance on the way to a limit of one parameter, all else fixed."""

    def __init__(self, instance, name, target):
        self.instance, self.name, self.target = instance, name, target

    def views(self, points):
        """Views towards infinity, or towards a number from above."""
        if self.target != "inf":
            points = [Fraction(self.target) + 1 / point for point in points]
        return [self.instance.changed(**{self.name: point}).view(Precise) for point in points]


def truth_in_limit(proposition, instance, name, target):
    """The truth of a proposition as one parameter tends to something."""
    try:
        with mpmath.workdps(DIGITS):
            return limit_of(proposition, Way(instance, name, target))
    except NoValue:
        return None
    except BEYOND:
        return UNSURE


def limit_of(proposition, way):
    """`=` means `~` in a limit; of `p or q` one side must hold in the limit by itself."""
    if isinstance(proposition, Compare):
        if proposition.sign in ("=", "~"):
            return tends_to_zero(distances(proposition, way))
        if proposition.sign == "!=":
            return -tends_to_zero(distances(proposition, way))
        return order_in_limit(proposition, way)
    if isinstance(proposition, And):
        return min(limit_of(part, way) for part in proposition.parts)
    if isinstance(proposition, Or):
        return max(limit_of(part, way) for part in proposition.parts)
    if isinstance(proposition, Not):
        return -limit_of(proposition.parts[0], way)
    return proposition.known if isinstance(proposition, Known) else UNSURE


def distances(comparison, way):
    found = []
    for view in way.views(FAR):
        x, y = comparison.sides(view)
        found.append(max(abs(entry) for entry in numpy.ravel(numpy.asarray(x - y, dtype=object))))
    return found


def tends_to_zero(found):
    """Clearly, clearly not, or unsure, from three distances on the way."""
    first, second, third = found
    if third < mpmath.mpf(10) ** -30 or (third < 1e-3 and third < second / 5 < first / 20):
        return TRUE
    if third > 1e-3 and second > 1e-3 and third > second * mpmath.mpf("0.9"):
        return FALSE
    return UNSURE


def order_in_limit(comparison, way):
    """x < y from somewhere on: the same sign at all points; with many digits where 60 are too few."""
    truths = {comparison.truth(view) for view in way.views(FAR)}
    if truths != {UNSURE}:
        return truths.pop() if len(truths) == 1 else UNSURE
    with mpmath.workdps(FINE_DIGITS):
        differences = [x - y for x, y in (comparison.sides(view) for view in way.views(NEAR + NEARER))]
        equal = [abs(difference) < smallest() for difference in differences]
    if all(equal):
        return TRUE if comparison.sign in ("<=", ">=") else FALSE
    if any(equal[: len(NEAR)]):
        return UNSURE
    holds_at = {(x < 0) == (comparison.sign in ("<", "<=")) for x in differences[: len(NEAR)]}
    return (TRUE if holds_at.pop() else FALSE) if len(holds_at) == 1 else UNSURE
