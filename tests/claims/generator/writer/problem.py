"""A problem: statements as text, the instances that they allow, and claims about them."""

from fractions import Fraction

from judge import Compare, Exact, Family, ForAll, Instance, NoValue, holds, node

from .draws import some_number, some_vectors

DRAWS = 12
# Verdicts that are wrong by construction are marked by these truths, beside TRUE and FALSE.
NO_CASE = "no case"
NO_CASE_OR_TRUE = "no case, or true"


class Claim:
    """A proposition with conditions after it. `truth` is set where it is known by construction: TRUE,
    FALSE, NO_CASE (the conditions exclude each other: nothing may be said) or NO_CASE_OR_TRUE (the
    same, but some of the conditions, without the contradiction, make it true: never refuted)."""

    def __init__(self, proposition, over=(), premises=(), limit=None, truth=None, pools=None, extra=""):
        self.proposition, self.over, self.premises = proposition, list(over), list(premises)
        self.limit, self.truth, self.pools, self.extra = limit, truth, pools or {}, extra
        # Conditions that are not in the text: without them the manual may be read in two ways, so that
        # an instance counts against a proof only where they hold.
        self.in_every_reading = []

    def conditions(self):
        parts = [f"as {self.limit[0]} -> {self.limit[1]}"] if self.limit else []
        parts += [f"for {name} {over.text()}" for name, over in self.over]
        parts += [f"{word} {premise.text()}" for word, premise in self.premises]
        parts += [self.extra] if self.extra else []
        return "  " + ", ".join(parts) if parts else ""

    def text(self):
        return f"claim: {self.proposition.text()}{self.conditions()}"

    def meaning(self):
        found = self.proposition
        for name, over in reversed(self.over):
            found = ForAll(name, over, found)
        return found

    def admits(self, instance):
        """Whether an instance meets the claim's own premises."""
        return holds([premise for _, premise in self.premises], instance)

    def instance(self, problem, instance, rng):
        """The instance, or one with this claim's own values; None if its premises do not hold there."""
        if self.pools:
            instance = problem.draw(rng, rng.randrange(1000), self.pools) or instance
        return instance if instance and self.admits(instance) else None


class Find:
    """find least NAME: p, at some numbers; `least` is the least allowed number, if there is one."""

    truth = limit = None

    def __init__(self, name, proposition, fixed, whole=False, least=None):
        self.name, self.proposition, self.fixed = name, proposition, fixed
        self.whole, self.least = whole, least

    def conditions(self):
        return "  at " + ", ".join(f"{name} = {value}" for name, value in self.fixed.items())

    def text(self):
        return f"find least {self.name}: {self.proposition.text()}{self.conditions()}"


class Problem:
    """Statements as text, and steps that draw an instance of what they declare."""

    def __init__(self, kind, rng):
        self.kind, self.rng = kind, rng
        self.lines, self.steps, self.premises, self.claims = [], [], [], []
        self.definitions, self.names, self.loose, self.files = {}, set(), set(), {}
        self.sizes, self.frames, self.dimension = [], [], None
        # Where the premises exclude each other: functions that draw an instance of a part of them.
        self.readings = []
        # Whether the premises determine everything that is claimed: true at one instance is true.
        self.determined = False

    # Statements.

    def say(self, line):
        self.lines.append(line)

    def free(self, name, step):
        """A name that is free, and how to draw it: step(names, rng, trial)."""
        self.names.add(name)
        self.steps.append((name, step))

    def define(self, name, expression):
        self.names.add(name)
        self.definitions[name] = expression
        self.say(f"{name} = {expression.text()}")

    def given(self, *propositions, word="given", place=None):
        self.premises += propositions
        line = f"{word} " + ", ".join(proposition.text() for proposition in propositions)
        self.lines.insert(len(self.lines) if place is None else place, line)

    def size(self, name, least=1, most=4):
        self.names.add(name)

        def step(rng, trial):
            more = 0 if trial % 3 == 0 else rng.randint(0, most - 1)
            return least + more + (rng.randint(0, 20) if trial > 100 and trial % 11 == 0 else 0)

        self.sizes.append((name, step))

    def parameter(self, name, pool=None):
        def step(_names, rng, trial):
            return rng.choice(pool) if pool and rng.random() < 0.7 else some_number(rng, trial)

        self.free(name, step)

    def family(self, word, name, size, properties="", extra=""):
        """keys k[1..n] with properties; values have a dimension of their own."""
        self.say(f"{word} {name}[1..{bare(size)}] {properties}{extra}".rstrip())
        ortho = "ortho" in properties
        if ortho and word != "values":
            self.frames.append(size)

        def step(names, rng, trial):
            count = count_of(size, names)
            if count < 0:
                raise NoValue
            width = names["#width of values"] if word == "values" else names["#width"]
            width = max(width, count) if word == "values" and ortho else width
            return Family(range(1, count + 1), some_vectors(rng, trial, count, width, properties, names))

        self.free(name, step)
        if not properties:
            self.loose.add(name)

    def listed(self, word, name, rows):
        """A family given by numbers."""
        self.say(f"{word} {name} = [" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows) + "]")
        self.constant(name, rows)

    def constant(self, name, rows):
        family = Family(range(1, len(rows) + 1), [list(map(Fraction, row)) for row in rows])
        self.free(name, lambda names, rng, trial: family)

    def vector(self, name):
        self.say(f"vector {name}")

        def step(names, rng, trial):
            pattern = trial if rng.random() < 0.5 else rng.randrange(9)
            return some_vectors(rng, pattern, 1, names["#width"])[0]

        self.free(name, step)

    def pick(self, picks, whole):
        self.say(f"pick {', '.join(picks)}{' distinct' if len(picks) > 1 else ''} {whole.text()}")
        for place, name in enumerate(picks):
            self.free(name, picking(picks[:place], whole))

    # Instances.

    def draw(self, rng, trial, pools=None):
        """One instance that meets the premises, or None; some names may be drawn from pools."""
        for number in [trial] + [rng.randrange(1000) for _ in range(DRAWS - 1)]:
            instance = self.any_instance(rng, number, pools or {})
            if instance is not None and holds(self.premises, instance):
                return instance
        return None

    def any_instance(self, rng, trial, pools):
        """One instance, whether or not it meets the premises."""
        names = {"#width of values": rng.choice([1, 1, 2, 3])}
        try:
            for name, step in self.sizes:
                names[name] = rng.choice(pools[name]) if name in pools else step(rng, trial)
            names["#width"] = self.shared_width(names, rng)
            names.update({name: rng.choice(pools[name]) for name in pools if name.startswith("#")})
            if self.dimension and self.dimension not in pools:
                names[self.dimension] = names["#width"]
            for name, step in self.steps:
                names[name] = rng.choice(pools[name]) if name in pools else step(names, rng, trial)
        except NoValue:
            return None
        drawn = {name for name, _ in self.sizes + self.steps}
        names.update({name: rng.choice(pools[name]) for name in pools if name not in drawn})
        return Instance(names, self.definitions)

    def shared_width(self, names, rng):
        """Wide enough for all orthogonal families; often just wide enough."""
        frames = [count_of(size, names) for size in self.frames]
        return max(frames + [1]) + rng.choice([0, 0, 1, 2]) if frames else rng.choice([1, 1, 2, 3])

    # Text.

    def statements(self):
        return [f'problem "{self.kind}"'] + "\n".join(self.lines).split("\n")

    def claim_lines(self):
        return [claim.text() for claim in self.claims]

    def text(self, claims=None):
        """The document with all claims, or with some of them."""
        chosen = [
            line
            for claim, line in zip(self.claims, self.claim_lines())
            if claims is None or any(claim is other for other in claims)
        ]
        return "\n".join(self.statements() + chosen)

    def places(self):
        """The lines of the claims, counted from 0."""
        first = len(self.statements())
        return range(first, first + len(self.claims))


class Altered(Problem):
    """A problem in another text; its instances are those of the old one."""

    def __init__(self, problem, statements=None, claim_lines=None):
        self.__dict__.update(problem.__dict__)
        self.problem = problem
        self.files = dict(problem.files)
        self.new_statements = statements or problem.statements()
        self.new_claim_lines = claim_lines or problem.claim_lines()

    def statements(self):
        return self.new_statements

    def claim_lines(self):
        return self.new_claim_lines


def bare(size):
    return node(size).text().strip("()")


def count_of(size, names):
    return node(size).index(Instance(names, {}).view(Exact))


def picking(earlier, whole):
    """A step that draws an index of a set, other than those picked earlier."""

    def step(names, rng, trial):
        taken = [names[other] for other in earlier]
        members = [i for i in whole.members(Instance(names, {}).view(Exact)) if i not in taken]
        if not members:
            raise NoValue
        return members[0] if trial % 4 == 0 else rng.choice(members)

    return step


def simple_premise(rng, names):
    """A premise about one parameter, and values that meet it, its boundary included."""
    name = rng.choice(names)
    bound = Fraction(rng.choice([0, 0, 1, -1, 2, Fraction(1, 2)]))
    sign = rng.choice(["=", "<", "<=", ">", ">=", "!="])
    steps = [Fraction(1, 1000), Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(5), Fraction(40)]
    below, above = [bound - x for x in steps], [bound + x for x in steps]
    pool = {
        "=": [bound],
        "<": below,
        "<=": [bound] + below,
        ">": above,
        ">=": [bound] + above,
        "!=": below + above,
    }[sign]
    return Compare(name, sign, bound), {name: pool}


def add_conditions(rng, claims, names):
    """A condition on a parameter after some of the claims whose truth is not known."""
    for claim in claims:
        if claim.truth is None and rng.random() < 0.3:
            premise, pool = simple_premise(rng, names)
            words = ["for", "given", "at"] if premise.sign == "=" else ["for", "given"]
            claim.premises.append((rng.choice(words), premise))
            claim.pools = {**claim.pools, **pool}
