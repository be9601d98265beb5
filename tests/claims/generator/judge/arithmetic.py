"""Three ways to compute: floats (fast), fractions (exact, as far as no exponential is met), and
mpmath (as many digits as needed). An expression is evaluated the same way in each of them."""

import math
from fractions import Fraction

import mpmath

TRUE, UNSURE, FALSE = 1, 0, -1

# Sums of some hundred products in double precision; a comparison closer than that is unsure.
FLOAT_ROUNDING = 1e-9
# mpmath computes with 60 digits, or 400 where these are too few; all but the last 20 count.
DIGITS = 60
MORE_DIGITS = 400
MARGIN_DIGITS = 20


class NoValue(Exception):
    """A division by zero, the root of a negative number, attention over no keys."""


class Inexact(Exception):
    """Fractions are not enough: an exponential or an irrational root."""


class Floats:
    """Doubles; comparisons closer than the rounding are unsure."""

    digits = DIGITS
    kind = float
    settles_equality = False
    number = staticmethod(float)
    exp = staticmethod(math.exp)
    tanh = staticmethod(math.tanh)
    sin = staticmethod(math.sin)
    cos = staticmethod(math.cos)

    @staticmethod
    def ln(x):
        if x <= 0:
            raise NoValue
        return math.log(x)

    @staticmethod
    def sqrt(x):
        if x < -FLOAT_ROUNDING:
            raise NoValue
        return math.sqrt(max(x, 0.0))

    @staticmethod
    def power(x, y):
        if (x == 0 and y < 0) or (x < 0 and y != int(y)):
            raise NoValue
        return x**y

    @staticmethod
    def rounding(x, y):
        return FLOAT_ROUNDING * (1 + abs(x) + abs(y))


def exact_at_zero(value):
    """A function that is rational at 0 alone."""

    def function(x):
        if x == 0:
            return Fraction(value)
        raise Inexact

    return staticmethod(function)


class Exact:
    """Fractions; an irrational result raises Inexact."""

    digits = DIGITS
    kind = object
    settles_equality = True
    number = staticmethod(Fraction)
    exp = exact_at_zero(1)
    tanh = exact_at_zero(0)
    sin = exact_at_zero(0)
    cos = exact_at_zero(1)

    @staticmethod
    def ln(x):
        if x <= 0:
            raise NoValue
        if x == 1:
            return Fraction(0)
        raise Inexact

    @staticmethod
    def sqrt(x):
        if x < 0:
            raise NoValue
        above, below = math.isqrt(x.numerator), math.isqrt(x.denominator)
        if above * above != x.numerator or below * below != x.denominator:
            raise Inexact
        return Fraction(above, below)

    @staticmethod
    def power(x, y):
        if x == 0 and y < 0:
            raise NoValue
        if y.denominator == 1:
            return x**y.numerator
        if x < 0:
            raise NoValue
        if y == Fraction(1, 2):
            return Exact.sqrt(x)
        raise Inexact

    @staticmethod
    def rounding(_x, _y):
        return 0


class Precise:
    """mpmath at the precision of the context."""

    digits = DIGITS
    kind = object
    settles_equality = False
    exp = staticmethod(mpmath.exp)
    tanh = staticmethod(mpmath.tanh)
    sin = staticmethod(mpmath.sin)
    cos = staticmethod(mpmath.cos)

    @staticmethod
    def number(value):
        if isinstance(value, Fraction):
            return mpmath.mpf(value.numerator) / value.denominator
        return mpmath.mpf(value)

    @staticmethod
    def ln(x):
        if x <= 0:
            raise NoValue
        return mpmath.log(x)

    @staticmethod
    def sqrt(x):
        if x < -smallest():
            raise NoValue
        return mpmath.sqrt(max(x, mpmath.mpf(0)))

    @staticmethod
    def power(x, y):
        if (x == 0 and y < 0) or (x < 0 and y != int(y)):
            raise NoValue
        return x**y

    @staticmethod
    def rounding(x, y):
        return smallest() * (1 + abs(x) + abs(y))


class Finer(Precise):
    """More digits, for numbers that are tiny or nearly equal."""

    digits = MORE_DIGITS


class Closest(Finer):
    """The same, but numbers that agree to all digits are taken to be equal."""

    settles_equality = True


class Settled(Precise):
    """Numbers that agree to forty digits are taken to be equal: for derivatives, which have no more."""

    settles_equality = True


def smallest():
    """The smallest difference that counts at mpmath's present precision."""
    return mpmath.mpf(10) ** (MARGIN_DIGITS - mpmath.mp.dps)
