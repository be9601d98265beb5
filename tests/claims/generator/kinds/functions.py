"""Functions of numbers, functions that the document defines, and derivatives."""

from fractions import Fraction

from judge import Applied, Call, Compare, Derivative, Exp, Name, Number, Size
from writer.draws import HALF
from writer.problem import Claim, Problem, add_conditions
from writer.trees import CONSTANTS

OF_ONE = ["ln", "sqrt", "sin", "cos", "tanh", "relu", "sigmoid", "softplus"]
OF_TWO = ["max", "min", "logsumexp"]
SMALL = [Fraction(x) for x in (0, 1, -1, 2, HALF, -HALF, 3, "1/10", -2)]


class Maker:
    """Random expressions in a few numbers."""

    def __init__(self, rng, names, defined=None):
        self.rng, self.names, self.defined = rng, names, defined

    def number(self, depth):
        rng = self.rng
        if depth == 0:
            return Name(rng.choice(self.names)) if rng.random() < 0.75 else Number(rng.choice(CONSTANTS))
        choice, x = rng.random(), self.number(depth - 1)
        if choice < 0.3:
            return Call(rng.choice(OF_ONE), x)
        if choice < 0.4:
            return Call(rng.choice(OF_TWO), x, self.number(depth - 1))
        if choice < 0.45:
            return Exp(x)
        if choice < 0.5:
            return Size(x)
        if choice < 0.56 and self.defined:
            return Applied("f", x, self.defined(x))
        if choice < 0.62:
            return x ** rng.choice([2, 3, -1, HALF])
        y = self.number(rng.choice([0, depth - 1]))
        return rng.choice([x + y, x - y, x * y, x / y])

    def comparison(self, left, right):
        return Compare(left, self.rng.choice(["<=", ">=", "<=", ">=", "<", ">", "=", "!="]), right)


def functions(rng):
    """Numbers under functions, compared with each other and with constants; laws that hold, and that hold
    almost."""
    problem = Problem("functions", rng)
    names = rng.sample(["s", "t", "x", "y"], rng.choice([1, 1, 2]))
    for name in names:
        problem.parameter(name, SMALL)
    maker = Maker(rng, names)
    if rng.random() < 0.5:
        maker.defined = rng.choice(
            [lambda x: x * x - x, lambda x: Call("ln", 1 + x), lambda x: 1 / (1 + Exp(-x)), lambda x: x / (1 + x)]
        )
        problem.say(f"f(z) = {maker.defined(Name('z')).text()}")
        problem.names |= {"f", "z"}
    for _ in range(4):
        problem.claims.append(Claim(maker.comparison(maker.number(2), maker.number(rng.choice([0, 1, 1])))))
    problem.claims += [Claim(law) for law in rng.sample(laws(maker.number(1), maker.number(0)), 3)]
    add_conditions(rng, problem.claims, names)
    return problem


def laws(x, y):
    """Laws of functions, some true, some false, some true where both sides have a value."""
    ln, sin, cos, relu = ((lambda z, name=name: Call(name, z)) for name in ("ln", "sin", "cos", "relu"))
    return [
        Compare(ln(x * y), "=", ln(x) + ln(y)),
        Compare(ln(x / y), "=", ln(x) - ln(y)),
        Compare(ln(Size(x * y)), "=", ln(Size(x)) + ln(Size(y))),
        Compare(ln(x + y), "<=", ln(x) + ln(y)),
        Compare(sin(x) ** 2 + cos(x) ** 2, "=", 1),
        Compare(sin(x + y), "=", sin(x) * cos(y) + cos(x) * sin(y)),
        Compare(sin(x), "<=", x),
        Compare(Size(sin(x)), "<=", Size(x)),
        Compare(cos(x), ">=", 1 - x * x / 2),
        Compare(cos(x), ">=", 1 - Size(x)),
        Compare(relu(x) - relu(-x), "=", x),
        Compare(relu(x * y), "=", relu(x) * relu(y)),
        Compare(relu(x + y), "<=", relu(x) + relu(y)),
        Compare(Call("max", x, y) + Call("min", x, y), "=", x + y),
        Compare(Call("max", x, y) * Call("min", x, y), "=", x * y),
        Compare(Call("max", x, y), "=", (x + y + Size(x - y)) / 2),
        Compare(Call("logsumexp", x, y), ">", Call("max", x, y)),
        Compare(Call("logsumexp", x, y), "<=", Call("max", x, y) + Call("ln", Number(Fraction(2)))),
        Compare(Call("sigmoid", x) + Call("sigmoid", -x), "=", 1),
        Compare(Call("tanh", x), "=", 2 * Call("sigmoid", 2 * x) - 1),
        Compare(Call("tanh", x), "<=", x),
        Compare(Call("softplus", x) - Call("softplus", -x), "=", x),
        Compare(Call("softplus", x), ">=", x),
        Compare(Call("sqrt", x * x), "=", x),
        Compare(Call("sqrt", x * y), "=", Call("sqrt", x) * Call("sqrt", y)),
        Compare(Call("sqrt", x + y), "<=", Call("sqrt", x) + Call("sqrt", y)),
        Compare(Call("sqrt", x), "<=", (1 + x) / 2),
        Compare(ln(x), "<=", Call("sqrt", x)),
        Compare(ln(1 + x), "<=", x),
        Compare(ln(1 + x), ">=", x / (1 + x)),
        Compare(Exp(x) * Exp(y), "=", Exp(x + y)),
        Compare(x * ln(x), ">=", x - 1),
        Compare((x**2) ** HALF, "=", Size(x)),
        Compare(Call("max", x, y, 0), ">=", relu(x)),
    ]


def derivatives(rng):
    """Derivatives of random expressions: the rules of calculus, and signs."""
    problem = Problem("derivatives", rng)
    names = ["t"] + rng.sample(["s", "x"], rng.choice([0, 1]))
    for name in names:
        problem.parameter(name, SMALL)
    maker = Maker(rng, names)
    f, g = maker.number(rng.choice([1, 2])), maker.number(1)
    rules = rules_for(f, g)
    problem.claims = [Claim(rule) for rule in rng.sample(rules, 3)]
    for _ in range(3):
        slope = Derivative(maker.number(rng.choice([1, 2])), "t")
        problem.claims.append(Claim(maker.comparison(slope, maker.number(rng.choice([0, 0, 1])))))
    twice = Derivative(Derivative(maker.number(1), "t"), "t")
    problem.claims.append(Claim(maker.comparison(twice, maker.number(0))))
    add_conditions(rng, problem.claims, names)
    return problem


def rules_for(f, g):
    """Rules of calculus, and false ones. A rule is about the points where both sides have a value."""
    df, dg = Derivative(f, "t"), Derivative(g, "t")
    return [
        Compare(Derivative(f + g, "t"), "=", df + dg),
        Compare(Derivative(f * g, "t"), "=", df * g + f * dg),
        Compare(Derivative(f * g, "t"), "=", df * dg),
        Compare(Derivative(f / g, "t"), "=", (df * g - f * dg) / g**2),
        Compare(Derivative(Exp(f), "t"), "=", df * Exp(f)),
        Compare(Derivative(f**2, "t"), "=", 2 * f * df),
        Compare(Derivative(f**2, "t"), "=", 2 * f),
        Compare(Derivative(Call("ln", f), "t"), "=", df / f),
        Compare(Derivative(Call("sin", f), "t"), "=", df * Call("cos", f)),
        Compare(Derivative(Call("cos", f), "t"), "=", df * Call("sin", f)),
        Compare(Derivative(Size(f), "t"), "=", df),
        Compare(Derivative(Size(f), "t"), "<=", Size(df)),
        Compare(Derivative(Call("max", f, g), "t"), "<=", Call("max", df, dg)),
        Compare(Derivative(Call("tanh", f), "t"), "=", df * (1 - Call("tanh", f) ** 2)),
        Compare(Derivative(Call("relu", f), "t"), ">=", 0),
    ]
