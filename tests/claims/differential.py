#!/usr/bin/python3
"""No wrong verdict at finite parameters: random claims about random problems, each checked and then
tried in numbers. What is proved must hold at every point that is tried; what is refuted must fail at
one of them, or at the point that the reason names.

Usage: differential.py QKV [CLAIMS [SEED]]. Speaks TAP.
"""
import json
import math
import random
import re
import subprocess
import sys

import numpy

CLAIMS_IN_PROBLEM = 10
PROBLEMS_IN_DOCUMENT = 20
POINTS = 300
MORE_POINTS = 1000
# Sums of at most some hundred weights in double precision; a comparison nearer than that is unsure.
ROUNDING = 1e-9

TRUE, FALSE, UNSURE = "true", "false", "unsure"


def number(text):
    above, _, below = text.partition("/")
    return int(above) / int(below or 1)


class Writer:
    """Random expressions and propositions: (text, function of a point)."""

    def __init__(self, rng, arbitrary):
        self.rng = rng
        self.arbitrary = arbitrary  # keys of which nothing is known, beside orthonormal ones

    def weight(self):
        head = self.rng.choice(["one", "two"] + (["any"] * 3 if self.arbitrary else []))
        index = self.rng.choice("abi")
        return f"{head}.weight[{index}]", lambda at: at[head][index]

    def atom(self):
        choice = self.rng.random()
        if choice < 0.45:
            return self.weight()
        if choice < 0.6:
            text = self.rng.choice(["0", "1/4", "1/3", "1/2", "2/3", "1", "2", "1/10", "9/10", "-1"])
            return f"({text})", lambda at: number(text)
        if choice < 0.7:
            return "beta", lambda at: at["beta"]
        if choice < 0.8:
            return "1/n", lambda at: 1 / at["n"]
        if choice < 0.9:
            times = self.rng.choice([1, -1, 2, -2])
            return f"e^({times}*beta)", lambda at: math.exp(times * at["beta"])
        if self.arbitrary:
            index = self.rng.choice("abi")
            return f"p[{index}].q", lambda at: at["scores"][index]
        return "gamma", lambda at: at["gamma"]

    def expression(self, depth):
        if depth == 0:
            return self.atom()
        x, y = self.expression(depth - 1), self.expression(depth - 1)
        choice = self.rng.random()
        if choice < 0.35:
            return f"({x[0]} + {y[0]})", lambda at: x[1](at) + y[1](at)
        if choice < 0.6:
            return f"({x[0]} - {y[0]})", lambda at: x[1](at) - y[1](at)
        if choice < 0.8:
            return f"({x[0]}*{y[0]})", lambda at: x[1](at) * y[1](at)
        if choice < 0.9:
            return f"|{x[0]}|", lambda at: abs(x[1](at))
        return x

    def comparison(self):
        x, y = self.expression(self.rng.choice([0, 0, 1])), self.expression(self.rng.choice([0, 1]))
        sign = self.rng.choice(["<", "<=", ">", ">=", "<=", ">=", "="])

        def value(at):
            a, b = x[1](at), y[1](at)
            if abs(a - b) <= ROUNDING * (abs(a) + abs(b) + 1):
                return UNSURE
            holds = {"=": False, "<": a < b, "<=": a < b, ">": a > b, ">=": a > b}[sign]
            return TRUE if holds else FALSE

        return f"{x[0]} {sign} {y[0]}", value

    def proposition(self, depth):
        choice = self.rng.random()
        if depth == 0 or choice < 0.5:
            return self.comparison()
        p, q = self.proposition(depth - 1), self.proposition(depth - 1)
        if choice < 0.65:
            return f"({p[0]}) implies ({q[0]})", lambda at: either(negated(p[1](at)), q[1](at))
        if choice < 0.8:
            return f"({p[0]}) or ({q[0]})", lambda at: either(p[1](at), q[1](at))
        if choice < 0.9:
            return (f"({p[0]}) and ({q[0]})",
                    lambda at: negated(either(negated(p[1](at)), negated(q[1](at)))))
        return f"not ({p[0]})", lambda at: negated(p[1](at))


def negated(value):
    return {TRUE: FALSE, FALSE: TRUE, UNSURE: UNSURE}[value]


def either(x, y):
    if TRUE in (x, y):
        return TRUE
    return UNSURE if UNSURE in (x, y) else FALSE


def weights(scores):
    powers = numpy.exp(scores - numpy.max(scores))
    return dict(zip("abi", powers / powers.sum()))


class Problem:
    """n orthonormal keys and two queries along a, b and the sum of the rest; perhaps arbitrary
    keys p with an arbitrary query as well."""

    def __init__(self, rng):
        self.rng = rng
        self.heads = [[rng.randint(-2, 2), rng.randint(-2, 2), rng.randint(-1, 1),
                       rng.choice([1, 1, 2, 3])] for _ in range(2)]
        self.low = rng.choice([None, 0, 1])
        self.keys = rng.choice([3, 4, 10])
        self.arbitrary = rng.random() < 0.4
        writer = Writer(rng, self.arbitrary)
        self.claims = [writer.proposition(rng.choice([0, 0, 1, 2]))
                       for _ in range(CLAIMS_IN_PROBLEM)]

    def text(self):
        bound = "" if self.low is None else f", beta >= {self.low}"
        lines = ['problem "trial"', f"given n >= {self.keys}{bound}, gamma > 0",
                 "keys k[1..n] orthonormal", "values v[1..n]", "pick a, b distinct in 1..n"]
        for name, (a, b, rest, factor) in zip(["one", "two"], self.heads):
            lines.append(f"{name} = attend(({a}*beta + ln({factor}))*k[a] + {b}*beta*k[b] + "
                         f"{rest}*beta*sum(k[i] for i not in {{a, b}}), k, v)")
        if self.arbitrary:
            lines += ["keys p[1..n]", "vector q", "any = attend(q, p, v)"]
        lines += [f"claim: {text}  for i not in {{a, b}}" for text, _ in self.claims]
        return "\n".join(lines)

    def point(self, trial):
        rng = self.rng
        n = self.keys + [0, rng.randint(0, 3), rng.randint(0, 60)][trial % 3]
        size = rng.choice([0.01, 0.3, 1, 3, 8])
        beta = (rng.uniform(-size, size) if self.low is None
                else self.low + (0 if trial % 7 == 0 else rng.random() * size))
        return self.complete({"n": n, "beta": beta,
                              "gamma": rng.choice([1e-3, 0.1, 1, 3, 20]) * (rng.random() + 0.01),
                              "arbitrary": numpy.array([rng.gauss(0, size) for _ in range(n)])})

    def complete(self, at):
        for name, (a, b, rest, factor) in zip(["one", "two"], self.heads):
            scores = numpy.full(at["n"], rest * float(at["beta"]))
            scores[0] = a * at["beta"] + math.log(factor)
            scores[1] = b * at["beta"]
            at[name] = weights(scores)
        at["any"] = weights(at["arbitrary"])
        at["scores"] = dict(zip("abi", at["arbitrary"]))
        return at

    def named_point(self, reason):
        """The point that a reason names: "At n = 3, beta = 1/2: ..." or "With n = 3, a = 1, p =
        [[1,0],[0,1],[0,0]], q = [1,2]: ..."."""
        at = self.point(0)
        found = re.search(r"(?:At|With) (.*?)(?:: |\.$)", reason)
        given = dict(re.findall(r"([a-z]+(?:\[\w+\])?(?:\.[a-z]+(?:\[\w+\])?)?) = ([-\d/]+|\[.*?\](?=, [a-z]|$))",
                                found.group(1))) if found else {}
        for name in ("n", "beta", "gamma"):
            if name in given:
                at[name] = number(given[name])
        at["n"] = int(at["n"])
        if "p" in given:
            keys = matrix(given["p"])
            if not given["p"].startswith("[["):  # vectors of width 1
                keys = keys.T
            query = matrix(given["q"])[0] if "q" in given else numpy.zeros(keys.shape[1])
            scores = keys @ query
            named = {i: int(given[i]) - 1 for i in "abi" if i in given}
            free = [i for i in range(len(scores)) if i not in named.values()]
            order = [named[i] if i in named else free.pop(0) for i in "abi"]
            at["arbitrary"] = scores[order + free]
        else:
            others = number(given.get("score[others]", "0"))
            at["arbitrary"] = numpy.array(
                [number(given.get(f"p[{i}].q", given.get(f"q.p[{i}]", "0"))) for i in "abi"] +
                [others] * (at["n"] - 3))
        return self.complete(at)


def matrix(text):
    """[[1,1/2],[0,1]], or [1,1/2] as one row."""
    rows = re.findall(r"\[([-\d/,]+)\]", text)
    return numpy.array([[number(entry) for entry in row.split(",")] for row in rows])


def value_at(value, at):
    try:
        return value(at)
    except OverflowError:
        return UNSURE


def contradicts(problem, value, points, result):
    """Why the numbers contradict a verdict; None if they do not."""
    if result["verdict"] == "proved":
        for at in points:
            if value_at(value, at) == FALSE:
                return f"proved, but false at n = {at['n']}, beta = {at['beta']}"
    if result["verdict"] == "refuted":
        if any(value_at(value, at) != TRUE for at in points):
            return None
        more = (problem.point(trial) for trial in range(MORE_POINTS))
        if any(value_at(value, at) != TRUE for at in more):
            return None
        rounded = "..." in result["reason"]  # a point with irrational numbers is not named exactly
        if not rounded and value_at(value, problem.named_point(result["reason"])) == TRUE:
            return f"refuted, but true wherever it was tried: {result['reason']}"
    return None


def check(command, problems):
    text = "\n".join(problem.text() for problem in problems) + "\n"
    done = subprocess.run([command, "check", "--json", "-"], input=text.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"Bail out! {done.stderr.decode()}")
    return json.loads(done.stdout)["claims"]


def main():
    command = sys.argv[1]
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    tally, wrong, done = {}, [], 0
    while done < wanted:
        problems = [Problem(rng) for _ in range(PROBLEMS_IN_DOCUMENT)]
        results = iter(check(command, problems))
        for problem in problems:
            points = [problem.point(trial) for trial in range(POINTS)]
            for text, value in problem.claims:
                result = next(results)
                done += 1
                tally[result["verdict"]] = tally.get(result["verdict"], 0) + 1
                why = contradicts(problem, value, points, result)
                if why:
                    wrong.append(f"{problem.text()}\n{text}: {why}")
    decided = tally.get("proved", 0) + tally.get("refuted", 0)
    print("1..2")
    for text in wrong[:5]:
        print("# " + text.replace("\n", "\n# "))
    print(f"{'not ok' if wrong else 'ok'} 1 - no verdict of {done} is contradicted by numbers")
    print(f"# {tally}")
    print(f"{'ok' if decided >= 0.75 * done else 'not ok'} 2 - three quarters of them are decided")
    sys.exit(1 if wrong or decided < 0.75 * done else 0)


if __name__ == "__main__":
    main()
