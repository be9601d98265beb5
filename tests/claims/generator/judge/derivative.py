"""Derivatives by differences: the parameter moves by 1e-45, and numbers have 180 digits, so that what a
difference leaves out lies far below the 40 digits that count."""

from fractions import Fraction

import mpmath
import numpy

from .arithmetic import Floats, Inexact, NoValue, Precise, Settled
from .expressions import Expression, node
from .instances import Instance
from .values import plain

STEP = Fraction(1, 10**45)
DIGITS = 180
KINK = mpmath.mpf(10) ** -15


class Derivative(Expression):
    """d(x, t): definitions move with t, all other free names stand still."""

    def __init__(self, inner, name):
        self.inner, self.name = node(inner), name

    def text(self):
        return f"d({self.inner.text()}, {self.name})"

    def value(self, at):
        if at.arithmetic not in (Floats, Precise, Settled):
            raise Inexact  # differences have no more digits than these need
        with mpmath.workdps(DIGITS):
            before, here, after = (self.moved(at, step) for step in (-STEP, 0, STEP))
            step = Precise.number(STEP)
            left, right = (here - before) / step, (after - here) / step
            for x, y in zip(numpy.ravel(left), numpy.ravel(right)):
                if abs(x - y) > KINK * (1 + abs(x) + abs(y)):
                    raise NoValue
            slope = (after - before) / (2 * step)
        if at.arithmetic is not Floats:
            return slope
        return numpy.array(slope, dtype=float) if numpy.ndim(slope) else float(slope)

    def moved(self, at, step):
        names = {**at.raw, self.name: at.raw[self.name] + step}
        return plain(self.inner.value(Instance(names, at.instance.definitions).view(Precise)))
