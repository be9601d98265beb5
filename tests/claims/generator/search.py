"""The search for an instance where a claim is certainly false."""

from fractions import Fraction

from judge import (
    FALSE,
    UNSURE,
    Exact,
    Family,
    Floats,
    Inexact,
    NoValue,
    comparisons,
    decide_closely,
    decide_finely,
    holds,
    quick,
    truth_in_limit,
)
from witness import witness

INSTANCES = 11
INSTANCES_IN_LIMIT = 3
MORE_INSTANCES = 120
UNSURE_TRIED, UNSURE_TRIED_LONGER = 8, 20
CLIMBS = 6
STEPS = 60


def truth_at(claim, instance):
    """In floats; for limits with many digits."""
    if claim.limit:
        return truth_in_limit(claim.meaning(), instance, *claim.limit)
    return quick(claim.meaning(), instance)


def surely_false(claim, instance):
    """Exactly, or with many digits; the truth in a limit is certain already."""
    return claim.limit is not None or decide_finely(claim.meaning(), instance) == FALSE


def false_instance(problem, claim, instances, rng):
    """One of the instances at which the claim is certainly false, or None."""
    unsure = []
    for instance in instances:
        here = claim.instance(problem, instance, rng)
        if here is None or not holds(claim.in_every_reading, here):
            continue
        truth = truth_at(claim, here)
        if truth == FALSE and surely_false(claim, here):
            return here
        if truth == UNSURE and not claim.limit:
            unsure.append(here)
    return next((here for here in unsure[:UNSURE_TRIED] if surely_false(claim, here)), None)


def may_be_false(problem, claim, instances, reason, rng):
    """Whether a refuted claim is false somewhere, or unsure so closely that it may be: at the example of
    the reason, at given instances, at more of them, and down the slope from the best of these."""
    if any(fails(claim, instance) for instance in witness(problem, claim, reason, rng)):
        return True
    if false_instance(problem, claim, instances, rng):
        return True
    more = []
    for trial in range(MORE_INSTANCES):
        instance = claim.instance(problem, problem.draw(rng, trial), rng)
        if instance is not None:
            more.append(instance)
            if truth_at(claim, instance) == FALSE and surely_false(claim, instance):
                return True
    if claim.limit:
        return any(truth_at(claim, instance) == UNSURE for instance in more)
    unsure = [instance for instance in more if quick(claim.meaning(), instance) == UNSURE]
    if any(fails(claim, instance) for instance in unsure[:UNSURE_TRIED_LONGER]):
        return True
    return meets_equation(problem, claim, more, rng) or climbs_down(problem, claim, more, rng)


def fails(claim, instance):
    """Whether a claim is false, where numbers that agree to all digits are taken to be equal."""
    if claim.limit:
        return truth_at(claim, instance) in (FALSE, UNSURE)
    return decide_closely(claim.meaning(), instance) == FALSE


def meets_equation(problem, claim, instances, rng):
    """Whether the claim fails where one number is changed so that an equation in it holds."""
    equations = [
        comparison for comparison in comparisons(claim.proposition) if comparison.sign in ("=", "!=")
    ]
    for instance in instances if equations else []:
        near = solved(rng.choice(equations), instance, rng)
        if near and holds(problem.premises, near) and claim.admits(near) and fails(claim, near):
            return True
    return False


def solved(equation, instance, rng):
    """The instance with one number such that the sides are equal, if their difference is linear in it."""
    numbers = [name for name, raw in instance.names.items() if isinstance(raw, Fraction) or is_vector(raw)]
    if not numbers:
        return None
    name = rng.choice(numbers)
    raw = instance.names[name]

    def changed(number):
        return instance.changed(**{name: [number] + raw[1:] if is_vector(raw) else number})

    start = rng.choice([Fraction(1), Fraction(3), Fraction(-2)])
    try:
        first, second = (
            left - right
            for left, right in (equation.sides(changed(x).view(Exact)) for x in (start, start + 1))
        )
        return changed(start - first / (second - first)) if isinstance(first, Fraction) else None
    except (NoValue, Inexact, KeyError, ArithmeticError, TypeError, ValueError):
        return None


def is_vector(raw):
    return isinstance(raw, list) and bool(raw) and isinstance(raw[0], Fraction)


def climbs_down(problem, claim, instances, rng):
    starts = [(margin_at(claim, instance), instance) for instance in instances]
    starts = sorted((pair for pair in starts if pair[0] is not None), key=lambda pair: pair[0])
    for margin, instance in starts[:CLIMBS]:
        if descends(problem, claim, margin, instance, rng):
            return True
    return False


def margin_at(claim, instance):
    try:
        return claim.meaning().margin(instance.view(Floats))
    except (NoValue, ArithmeticError, ValueError):
        return None


def descends(problem, claim, margin, instance, rng):
    """Whether small steps that lower the margin reach an instance where the claim is false."""
    has_inequation = any(comparison.sign == "!=" for comparison in comparisons(claim.proposition))
    for step in range(STEPS):
        near = nearby(instance, rng, Fraction(2, 2 ** (step // 6)), problem.loose)
        if not holds(problem.premises, near) or not claim.admits(near):
            continue
        found = margin_at(claim, near)
        if found is None:
            continue
        if found < 1e-7 and surely_false(claim, near):
            return True
        if found < 1e-3 and has_inequation:
            return True
        if found < margin:
            margin, instance = found, near
    return False


def nearby(instance, rng, scale, loose):
    """Some free numbers and coordinates changed; families with properties are left alone."""

    def moved(row):
        return [x + scale * Fraction(rng.randint(-10, 10), 10) for x in row]

    names = {}
    for name, raw in instance.names.items():
        if name.startswith("#") or rng.random() < 0.4:
            continue
        if isinstance(raw, Fraction):
            names[name] = moved([raw])[0]
        elif is_vector(raw):
            names[name] = moved(raw)
        elif name in loose:
            names[name] = Family(raw.indexes, [moved(raw.rows[i]) for i in raw.indexes])
    return instance.changed(**names)
