"""Random expressions and propositions over what a problem declares."""

from fractions import Fraction

from judge import AllBut, And, Compare, ForAll, Implies, Name, Not, Number, Or, Over, Size, node, quick
from judge import FALSE, Floats, comparisons

from .problem import Altered

CONSTANTS = [Fraction(x) for x in (0, 1, 1, 2, "1/2", "1/3", -1, "9/10")]
OPPOSITE = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "<=", "!=": "<="}


class Scope:
    """The names that an expression may use: functions that make a number, functions that make a
    number of an index (for each set of indexes), and the indexes in scope."""

    def __init__(self, rng, numbers, indexed):
        self.rng = rng
        self.numbers = numbers
        self.indexed = indexed
        self.indexes = {name: [] for name in indexed}

    def atom(self):
        rng = self.rng
        choices = [name for name in self.indexed if self.indexes[name] and self.indexed[name]]
        if choices and rng.random() < 0.75:
            name = rng.choice(choices)
            return rng.choice(self.indexed[name])(node(rng.choice(self.indexes[name])))
        if rng.random() < 0.6 and self.numbers:
            return rng.choice(self.numbers)()
        return Number(rng.choice(CONSTANTS))

    def expression(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            return self.atom()
        x, y = self.expression(depth - 1), self.expression(depth - 1)
        choice = rng.random()
        if choice < 0.35:
            return x + y
        if choice < 0.65:
            return x - y
        if choice < 0.85:
            return x * y
        return Size(x - y) if choice < 0.95 else x * x


def attention_scope(rng, attentions, keys=(), query=None, numbers=()):
    """A scope for attention over 1..n."""
    indexed = [lambda i, c=c: Name(c).weight(i) for c in attentions for _ in range(2)]
    indexed += [lambda i, c=c: Name(c).score(i) for c in attentions]
    indexed += [lambda i, k=k: Name(k)[i].dot(query) for k in keys if query]
    indexed += [lambda i, k=k: Size(Name(k)[i]) for k in keys if rng.random() < 0.3]
    atoms = [lambda: 1 / Name("n"), lambda: Name("n")] + [lambda x=x: Name(x) for x in numbers]
    return Scope(rng, atoms, {"n": indexed})


def comparison(scope, depth=1):
    rng = scope.rng
    sign = rng.choice(["<", "<=", ">", ">=", "<=", ">=", "=", "!="])
    left = scope.expression(rng.choice([0, depth]))
    return Compare(left, sign, scope.expression(rng.choice([0, 0, depth])))


def proposition(scope, depth):
    choice = scope.rng.random()
    if depth == 0 or choice < 0.4:
        return comparison(scope)
    if choice > 0.85:
        return Not(proposition(scope, depth - 1))
    connective = Implies if choice < 0.55 else Or if choice < 0.7 else And
    return connective(proposition(scope, depth - 1), proposition(scope, depth - 1))


def bound_index(scope, family, whole, body):
    """A body with one more index of a family in scope, under a fresh name."""
    taken = [name for names in scope.indexes.values() for name in names]
    name = next(letter for letter in "ijlmrstuw" if letter not in taken)
    outer = list(scope.indexes[family])
    scope.indexes[family].append(name)
    found = body()
    scope.indexes[family].pop()
    choice, over = scope.rng.random(), whole
    if outer and choice < 0.35:
        over = AllBut(whole, scope.rng.choice(outer))
    elif len(outer) > 1 and choice < 0.5:
        over = AllBut(whole, *scope.rng.sample(outer, 2))
    return name, over, found


def quantified(scope, sets, depth):
    """for all i: for all j: ..., sums inside, sums of sums."""
    rng = scope.rng
    if depth == 0:
        return proposition(scope, rng.choice([0, 0, 1]))
    family, whole = rng.choice(sets)
    if rng.random() < 0.55:
        name, over, body = bound_index(scope, family, whole, lambda: quantified(scope, sets, depth - 1))
        return ForAll(name, over, body)
    what = rng.choice(["sum", "sum", "sum", "max", "min", "mean"])
    name, over, body = bound_index(scope, family, whole, lambda: summed(scope, sets, depth - 1))
    other = scope.expression(rng.choice([0, 0, 1]))
    if rng.random() < 0.3:
        other = Number(rng.choice([Fraction(1), Fraction(0), Fraction(1, 2), Fraction(2)]))
    return Compare(Over(what, body, name, over), rng.choice(["=", "<=", ">=", "<", ">"]), other)


def summed(scope, sets, depth):
    if depth > 0 and scope.rng.random() < 0.35:
        family, whole = scope.rng.choice(sets)
        name, over, body = bound_index(scope, family, whole, lambda: scope.expression(1))
        return Over("sum", body, name, over)
    return scope.expression(scope.rng.choice([0, 1]))


def calibrate(problem, rng):
    """Turns signs of comparisons so that more claims hold at a few instances: the hard cases."""
    if problem.readings or isinstance(problem, Altered):
        return
    drawn = [problem.draw(rng, trial) for trial in (4, 5, 6, 7, 8, 13)]
    drawn = [instance for instance in drawn if instance is not None]
    for claim in problem.claims:
        if claim.truth is None and not claim.limit and rng.random() > 0.3 and hasattr(claim, "meaning"):
            turn_signs(problem, claim, drawn, rng)


def turn_signs(problem, claim, instances, rng):
    signs = comparisons(claim.proposition)
    admitted = [x for x in instances if claim.instance(problem, x, rng) is not None]
    for _ in range(4):
        if not signs or all(quick(claim.meaning(), instance) != FALSE for instance in admitted):
            return
        turned = rng.choice(signs)
        if (
            turned.sign in ("=", "!=")
            and admitted
            and turned.is_of_numbers(admitted[0].view(Floats)) is False
        ):
            turned.sign = {"=": "!=", "!=": "="}[turned.sign]
        else:
            turned.sign = OPPOSITE.get(turned.sign, turned.sign)
