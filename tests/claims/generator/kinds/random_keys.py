"""Random keys: moments and probabilities of scores, with their closed forms."""

from fractions import Fraction

from judge import TRUE, Closed, Compare, Name, node
from writer.draws import HALF
from writer.problem import Claim, Problem


def random_keys(rng):
    problem = Problem("random keys", rng)
    problem.size("n", 3, 2)
    problem.dimension = "d"
    problem.frames.append(Name("n"))
    problem.parameter("alpha", [Fraction(1), HALF, Fraction(1, 10), Fraction(3)])
    problem.given(Compare("n", ">=", 3), Compare("alpha", ">", 0))
    problem.say("means mu[1..n] orthonormal, dimension d")
    problem.say("values v[1..n]")
    problem.say("pick a, b distinct in 1..n")
    problem.say("keys k[i] ~ normal(mu[i], alpha*I)")
    problem.names |= {"n", "d", "mu", "v", "a", "b", "k", "alpha"}
    problem.claims = [claim_about_moment(rng) for _ in range(7)]
    return problem


def claim_about_moment(rng):
    """A moment against its closed form, a form that is a little off, or another moment."""
    alpha, known = Name("alpha"), moments()
    (left, formula), (other, other_formula) = rng.choice(known), rng.choice(known)
    right = rng.choice(
        [formula] * 4
        + [other_formula] * 2
        + [formula + rng.choice([alpha, node(1), -alpha, alpha * alpha, node(Fraction(1, 1000))])] * 2
        + [Closed(other, other_formula.value)] * 2
    )
    sign = rng.choice(["=", "=", "<=", ">=", "<", "!="])
    truth = TRUE if right is formula and sign in ("=", "<=", ">=") else None
    claim = Claim(Compare(Closed(left, formula.value), sign, right), truth=truth)
    if rng.random() < 0.3:
        fixed = rng.choice([Fraction(1, 4), Fraction(2)])
        claim.premises, claim.pools = [("at", Compare("alpha", "=", fixed))], {"alpha": [fixed]}
    return claim


def moments():
    """Texts with their closed forms: k[i] has independent coordinates around mu[i], of variance alpha."""
    alpha, d = Name("alpha"), Name("d")
    product_variance = 2 * alpha + alpha * alpha * d
    return [
        ("E(k[a].mu[a])", node(1)),
        ("E(k[a].mu[b])", node(0)),
        ("Var(k[a].mu[b])", alpha),
        ("Cov(k[a].mu[a], k[a].mu[b])", node(0)),
        ("Cov(k[a].mu[a], k[b].mu[a])", node(0)),
        ("E(|k[a]|^2)", 1 + alpha * d),
        ("Var(k[a].k[b])", product_variance),
        ("E(k[a].k[b])", node(0)),
        ("E(|k[a] - k[b]|^2)", 2 + 2 * alpha * d),
        ("Var(|k[a]|^2)", 4 * alpha + 2 * alpha * alpha * d),
        ("E((k[a].mu[b])^2)", alpha),
        ("E((k[a].mu[a])^2)", 1 + alpha),
        ("E((k[a].mu[a])^3)", 1 + 3 * alpha),
        ("E((k[a].mu[a])^4)", 1 + 6 * alpha + 3 * alpha * alpha),
        ("E((k[a].k[b])^2)", product_variance),
        ("Var((mu[a] + mu[b]).k[a])", 2 * alpha),
        ("P(k[a].mu[b] < 0)", node(HALF)),
        ("P(k[a].mu[a] > 1)", node(HALF)),
        ("P(k[a].mu[a] > 1 and k[b].mu[b] > 1)", node(Fraction(1, 4))),
        ("Var(k[a].mu[a] + k[b].mu[b])", 2 * alpha),
        ("Cov(k[a].mu[a], k[a].(mu[a] + mu[b]))", alpha),
        ("Var(2*k[a].mu[a])", 4 * alpha),
        ("E(k[a].mu[a]*k[b].mu[b])", node(1)),
        ("Cov(k[a].k[b], k[a].mu[b])", alpha),
        ("P(k[a].mu[a] > k[b].mu[a] + 1)", node(HALF)),
        ("Var(k[a].mu[a] - k[a].mu[b])", 2 * alpha),
        ("E(|k[a] + k[b]|^2)", 2 + 2 * alpha * d),
        ("P(k[a].mu[b] < 0 or k[b].mu[a] < 0)", node(Fraction(3, 4))),
        ("P(not k[a].mu[b] < 0)", node(HALF)),
        ("Cov(k[a].k[b], k[a].k[b])", product_variance),
        ("E(k[a].mu[b]*k[b].mu[a])", node(0)),
        ("Var(k[a].mu[b]*k[b].mu[a])", alpha * alpha),
    ]
