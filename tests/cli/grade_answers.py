"""Answers to a key, judged by hand: what each deserves follows from the mathematics beside it.

CHEATS must earn nothing; HONEST answers, written in many ways, must earn all the points. An entry
is (what it is, label, text of the answer, marks that are allowed). The text stands below the
givens of its problem, unless it brings its own: then it begins with "file:".
"""

KEY = r"""
```qkv
problem "two of n keys"
given   n >= 3, beta > 0
keys    k[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
q = beta*(k[a] + k[b])
c = attend(q, k, v)
claim w:     c.weight[a] = e^beta/(n - 2 + 2 e^beta)
claim both:  c.weight[a] + c.weight[b] = 2 e^beta/(n - 2 + 2 e^beta)
claim limit: c ~ 1/2 (v[a] + v[b])                      as beta -> inf
claim all:   c.weight[i] > 0                            for i in 1..n
claim leak:  1 - c.weight[a] - c.weight[b] <= 0.01      for beta >= 6, n = 10
claim score: k[a].q = beta
claim near:  c.weight[a] = 0.146 within 0.001           at n = 10, beta = 1/2
claim below: c.weight[a] < 1/2                          as beta -> inf

problem "a query"
given   n >= 3, beta > 0
keys    k[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
p = beta*(k[a] + k[b])
claim query: attend(p, k, v) ~ 1/2 (v[a] + v[b])        as beta -> inf

problem "reach"
keys    k = [-1, 0, 1]
values  v[1..3]
claim none: not exists p: attend(p, k, v).weight[2] ~ 1

problem "a margin"
given   n >= 3, Delta > 0
keys    k[1..n]
values  v[1..n]
pick    j in 1..n
vector  q
c = attend(q, k, v)
claim margin: (for all i != j: k[j].q - k[i].q >= Delta) implies c.weight[j] >= 1/(1 + (n - 1) e^-Delta)

problem "noise"
given   n >= 3, alpha > 0
means   mu[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
keys    k[i] ~ normal(mu[i], alpha*I)
claim var: Var(k[a].mu[a]) = alpha

problem "a projection"
matrix  A[d,m], B[d,p];  assume A'A = I, A'B = 0
vector  s[m], t[p];  va = A*s;  vb = B*t
claim project: A*A'*(va + vb) = va
```

```grade
w: 2 points; limit 1 as beta -> inf; in n, beta
both: 2 points
limit: 2 points; limit 1
all: 1 point
leak: 1 point
none: 1 point
score: 1 point
near: 1 point
below: 1 point
query: 2 points; defines p
margin: 2 points
var: 1 point
project: 1 point
```
"""

TWO = """problem "two of n keys"
given   n >= 3, beta > 0
keys    k[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
q = beta*(k[a] + k[b])
c = attend(q, k, v)
"""
QUERY = """problem "a query"
given   n >= 3, beta > 0
keys    k[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
"""
REACH = """problem "reach"
keys    k = [-1, 0, 1]
values  v[1..3]
"""
MARGIN = """problem "a margin"
given   n >= 3, Delta > 0
keys    k[1..n]
values  v[1..n]
pick    j in 1..n
vector  q
c = attend(q, k, v)
"""
NOISE = """problem "noise"
given   n >= 3, alpha > 0
means   mu[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
keys    k[i] ~ normal(mu[i], alpha*I)
"""
MATRIX = """problem "a projection"
matrix  A[d,m], B[d,p];  assume A'A = I, A'B = 0
vector  s[m], t[p];  va = A*s;  vb = B*t
"""
GIVENS = {"w": TWO, "both": TWO, "limit": TWO, "all": TWO, "leak": TWO, "none": REACH, "score": TWO, "near": TWO, "below": TWO,
          "query": QUERY, "margin": MARGIN, "var": NOISE, "project": MATRIX}

ZERO = {"wrong", "no answer", "missing", "error"}
LOOK = ZERO | {"to look at"}

CHEATS = [
    # Nothing is said.
    ("a triviality", "w", "claim w: 1 = 1", {"no answer"}),
    ("another triviality", "limit", "claim limit: 0 = 0 as beta -> inf", {"no answer"}),
    ("the left side twice", "w", "claim w: c.weight[a] = c.weight[a]", {"no answer"}),
    ("the right side twice", "w",
     "claim w: e^beta/(n - 2 + 2 e^beta) = e^beta/(n - 2 + 2 e^beta)", {"no answer"}),
    ("the left side under another name", "w", "x = c.weight[a]\nclaim w: c.weight[a] = x",
     {"no answer"}),
    ("attention written out on the right", "w",
     "claim w: c.weight[a] = attend(beta*k[a] + beta*k[b], k, v).weight[a]", {"no answer"}),
    ("a premise that never holds", "w", "claim w: 1 = 2 implies c.weight[a] = 1/2", ZERO),
    ("the claim as its own premise", "w",
     "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta) implies "
     "c.weight[a] = e^beta/(n - 2 + 2 e^beta)", {"no answer"}),
    ("the claim as its own condition", "w",
     "claim w: c.weight[a] = 1/7 given c.weight[a] = 1/7", ZERO),
    ("or a triviality", "w", "claim w: c.weight[a] = 1/2 or 1 = 1", {"no answer"}),
    ("the negation of a falsehood", "w", "claim w: not (1 = 2)", {"no answer"}),
    ("a difference of 0 times", "w",
     "claim w: 0*c.weight[a] = 0*e^beta/(n - 2 + 2 e^beta)", {"no answer"}),
    # Nothing has a value.
    ("divided by nothing", "w", "claim w: c.weight[a] = 1/(n - n)", LOOK),
    ("a logarithm of nothing", "w", "claim w: c.weight[a] = ln(-beta)", LOOK),
    ("a root of nothing", "both", "claim both: c.weight[a] + c.weight[b] = sqrt(-beta)", LOOK),
    ("nothing over nothing", "w", "claim w: c.weight[a] = (n - n)/(beta - beta)", LOOK),
    ("a value only where it is right", "both",
     "claim both: c.weight[a] + c.weight[b] = 1 + sqrt(-((n - 2)/(n - 2 + 2 e^beta))^2)", LOOK),
    ("no value at n = 4", "both",
     "claim both: c.weight[a] + c.weight[b] = 2 e^beta*(n - 4)/((n - 2 + 2 e^beta)*(n - 4))",
     {"to look at"}),
    ("a function without a value", "w", "f(x) = x/(x - x)\nclaim w: c.weight[a] = f(n)", LOOK),
    # Too little is said.
    ("a weaker inequality", "w", "claim w: c.weight[a] <= 1/2", {"no answer"}),
    ("positive, instead of its value", "w", "claim w: c.weight[a] > 0", {"no answer"}),
    ("a weaker bound", "leak", "claim leak: 1 - c.weight[a] - c.weight[b] <= 0.5 "
     "for beta >= 6, n = 10", {"no answer"}),
    ("one beta alone", "w",
     "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta) for beta = 1", {"no answer"}),
    ("one size alone", "w",
     "claim w: c.weight[a] = e^beta/(8 + 2 e^beta) at n = 10", LOOK),
    ("large beta alone", "leak",
     "claim leak: 1 - c.weight[a] - c.weight[b] <= 0.01 for beta >= 100, n = 10", {"no answer"}),
    ("exists instead of for all", "all", "claim all: exists i in 1..n: c.weight[i] > 0",
     {"no answer"}),
    ("an empty set", "all", "claim all: for all i in {}: c.weight[i] > 0", ZERO),
    ("a set of one", "all", "claim all: for all i in {a}: c.weight[i] > 0", LOOK),
    ("not equal, instead of less", "w", "claim w: c.weight[a] != 2", {"no answer"}),
    ("within everything", "w",
     "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta) + 1/3 within 1", LOOK),
    ("squared", "w",
     "claim w: c.weight[a]^2 = (e^beta/(n - 2 + 2 e^beta))^2", LOOK),
    ("a margin that contradicts itself", "margin",
     "claim margin: (for all i != j: k[j].q - k[i].q >= Delta and k[j].q = k[i].q) implies "
     "c.weight[j] >= 1/2", LOOK),
    # The givens are changed.
    ("a contradiction among the givens", "w",
     "given 1 = 2\nclaim w: c.weight[a] = 1/2", {"wrong", "in the limit"}),
    ("a stronger premise", "w", "given beta = 1\nclaim w: c.weight[a] = e/(n - 2 + 2 e)", {"wrong"}),
    ("the answer as a premise", "w",
     "given c.weight[a] = 1/7\nclaim w: c.weight[a] = 1/7", {"wrong"}),
    ("the answer as an assumption", "both",
     "assume c.weight[a] + c.weight[b] = 1\nclaim both: c.weight[a] + c.weight[b] = 1",
     {"wrong"}),
    ("other keys", "limit", 'file:problem "two of n keys"\ngiven n = 2\nkeys k[1..n] orthonormal\n'
     "values v[1..n]\npick a, b distinct in 1..n\nc = attend(0*k[a], k, v)\n"
     "claim limit: c = 1/2 (v[a] + v[b])", LOOK),
    ("all values alike", "limit", "file:keys k = [[1, 0], [0, 1]]\nvalues v = [[3], [3]]\n"
     "c = attend(k[1], k, v)\nclaim limit: c = v[2]", ZERO),
    # Names are defined anew.
    ("c defined anew", "w", "file:given n >= 3\nkeys k[1..n] orthonormal\nvalues v[1..n]\n"
     "pick a, b distinct in 1..n\nc = attend(0*k[a], k, v)\nclaim w: c.weight[a] = 1/n", LOOK),
    ("c as the target", "limit", "file:given n >= 3\nkeys k[1..n] orthonormal\nvalues v[1..n]\n"
     "pick a, b distinct in 1..n\nc = 1/2 (v[a] + v[b])\n"
     "claim limit: c ~ 1/2 (v[a] + v[b]) as beta -> inf", LOOK),
    ("beta defined", "w", "file:given n >= 3\nkeys k[1..n] orthonormal\nvalues v[1..n]\n"
     "pick a, b distinct in 1..n\nbeta = 0\nc = attend(beta*(k[a] + k[b]), k, v)\n"
     "claim w: c.weight[a] = 1/n", LOOK),
    ("q defined anew", "score", "file:given n >= 3\nkeys k[1..n] orthonormal\n"
     "pick a, b distinct in 1..n\nq = 0*k[a]\nclaim score: k[a].q = 0", LOOK),
    ("a bound name of the key", "limit",
     "claim limit: exists c: c ~ 1/2 (v[a] + v[b]) as beta -> inf", LOOK),
    # Labels.
    ("expect refuted", "w", "claim w: c.weight[a] = 1 expect refuted", {"error"}),
    ("expect undecided", "w", "claim w: c.weight[a] = x expect undecided", {"error"}),
    ("two shots", "w", "claim w: c.weight[a] = 1/3\n"
     "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta)", {"wrong"}),
    ("ten shots", "w", "".join(f"claim w: c.weight[a] = e^beta/(n - 2 + {i} e^beta)\n"
                               for i in range(10)), {"error"}),
    ("two shots in capitals and not", "w", "claim w: c.weight[a] = 1/3\n"
     "claim W: c.weight[a] = e^beta/(n - 2 + 2 e^beta)", {"wrong"}),
    ("the right claim under the wrong label", "both",
     "claim both: c.weight[a] = e^beta/(n - 2 + 2 e^beta)", LOOK),
    ("another question's answer", "w", "claim w: k[a].q = beta", LOOK),
    ("no label", "w", "claim: c.weight[a] = e^beta/(n - 2 + 2 e^beta)", {"missing"}),
    ("a label that looks alike", "w", "claim \u0561: 1 = 1", {"missing"}),
    ("a name that looks alike", "w", "claim w: \u0441.weight[a] = \u0441.weight[a]", LOOK),
    ("a find instead of a claim", "w", "find least beta: c.weight[a] >= 0.4 for n = 10",
     {"missing"}),
    ("hidden in a comment", "w",
     "file:# Nothing\n<!--\n```qkv\nclaim w: 1 = 1\n```\n-->\n", {"missing", "no answer"}),
    ("prose alone", "w", "file:# I know that the answer is right.\n", {"missing"}),
    ("not fenced as qkv", "w",
     "file:```\nclaim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta)\n```\n", {"missing"}),
    # The form that was asked for.
    ("softmax written out", "w",
     "claim w: c.weight[a] = e^(k[a].q)/sum(e^(k[i].q) for i in 1..n)", LOOK),
    # Definitions.
    ("a query of zero", "query", "p = 0*k[a]\nclaim query: 1 = 1", {"wrong"}),
    ("a query without a value", "query", "p = k[a]/0\nclaim query: 1 = 1", LOOK),
    ("a query divided by nothing", "query", "p = k[a]/|k[a] - k[a]|\nclaim query: 1 = 1", LOOK),
    ("a query that is given", "query",
     "given t > 1000\np = t*(k[a] + k[b])\nclaim query: 1 = 1", LOOK),
    ("no query", "query", "claim query: 1 = 1", {"error"}),
    ("the key's query for another claim", "query",
     "p = beta*k[a]\nclaim query: attend(p, k, v) ~ v[a] as beta -> inf", {"wrong"}),
    # Matters of size.
    ("definitions that double", "w", "x0 = c.weight[a]\n" +
     "".join(f"x{i} = x{i - 1} + x{i - 1}\n" for i in range(1, 40)) + "claim w: x39 = x39",
     LOOK),
    ("many brackets", "w", "claim w: " + "(" * 500 + "1" + ")" * 500 + " = 1", ZERO),
    ("a long sum", "w", "claim w: " + " + ".join(["c.weight[a]"] * 900) + " = 900*c.weight[a]",
     LOOK),
    ("a long sum with a wrong end", "w",
     "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta)" + " + 0*n" * 300 + " + 1", LOOK),
    # Other kinds of question.
    ("an easier variance", "var", "claim var: Var(k[b].mu[b]) = alpha", LOOK),
    ("a variance of nothing", "var", "claim var: Var(0*k[a].mu[a]) = 0", LOOK),
    ("both sides projected", "project", "claim project: va = va", {"no answer"} | LOOK),
    ("an easier product", "project", "claim project: A'*A*s = s", LOOK),
    ("the score by itself", "score", "claim score: k[a].q = k[a].q", LOOK),
    ("the score by another", "score", "claim score: k[a].q = k[b].q", LOOK),
    ("the score by its definition", "score",
     "claim score: k[a].q = beta*(k[a].k[a] + k[a].k[b])", LOOK),
    ("the projection by itself", "project",
     "claim project: A*A'*(va + vb) = A*A'*(va + vb)", LOOK),
    ("the projection, unprojected", "project",
     "claim project: A*A'*(va + vb) = A*A'*va", LOOK),
    ("a tolerance made harmless", "near",
     "claim near: c.weight[a]/1000 = 0.00014 within 0.001 at n = 10, beta = 1/2", LOOK),
    ("a larger tolerance", "near",
     "claim near: c.weight[a] = 0.146 within 0.1 at n = 10, beta = 1/2", LOOK),
    ("a bound that gives way in the limit", "below",
     "claim below: c.weight[a] < 1/2 + e^-beta as beta -> inf", LOOK),
    ("the name of the unknown", "w",
     "scalar asked1\nclaim w: asked1 = e^beta/(n - 2 + 2 e^beta)", LOOK),
    ("a query with a value only at n = 3", "query",
     "p = beta*(k[a] + k[b])*(1 + sqrt(3 - n))\nclaim query: 1 = 1", LOOK),
    ("the score of nothing", "score", "claim score: beta = beta", {"no answer"}),
    ("another score", "score", "claim score: k[b].q = beta", LOOK),
    ("an easier impossibility", "none", "claim none: not exists p: attend(p, k, v).weight[2] ~ 2",
     LOOK),
    ("a fraction of LaTeX that is no fraction", "w",
     r"claim w: $\frac12 c.weight[a] = \frac{c.weight[a]}2$", {"no answer"} | LOOK),
    ("the claim times zero, in LaTeX", "w",
     r"claim w: $(n - n) \cdot c.weight[a] = \frac{n - n}{2}$", {"no answer"} | LOOK),
    ("minus itself", "w",
     "claim w: c.weight[a] - c.weight[a] = e^beta/(n - 2 + 2 e^beta) - e^beta/(n - 2 + 2 e^beta)",
     {"no answer"} | LOOK),
    ("the greater of two", "w",
     "claim w: max(c.weight[a], e^beta/(n - 2 + 2 e^beta)) = c.weight[a]", LOOK),
    ("by the sum of all the others", "w",
     "claim w: c.weight[a] = 1 - sum(c.weight[i] for i != a)", LOOK),
    ("by the other weight", "w", "claim w: c.weight[a] = c.weight[b]", LOOK),
    ("a ratio of exponentials of scores", "w",
     "claim w: c.weight[a] = e^c.score[a]/sum(e^c.score[i] for i in 1..n)", LOOK),
    ("by softmax of the scores", "w",
     "s = softmax([c.score[a], c.score[b]])\nclaim w: c.weight[a] = c.weight[a]*(s[1] + s[2])", LOOK),
    ("the limit of nothing", "limit",
     "claim limit: c - c ~ 1/2 (v[a] + v[b]) - 1/2 (v[b] + v[a]) as beta -> inf",
     {"no answer"} | LOOK),
    ("a limit of the wrong end", "limit", "claim limit: c ~ 1/2 (v[a] + v[b]) as beta -> 0", LOOK),
    ("the lower bound by the weight", "leak",
     "claim leak: 1 - c.weight[a] - c.weight[b] <= 0.01 + c.weight[a] for beta >= 6, n = 10", LOOK),
    ("a variance by itself", "var", "claim var: Var(k[a].mu[a]) = Var(k[b].mu[b])", LOOK),
]

HONEST = [
    ("as in the key", "w", "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta)"),
    ("the other way round", "w", "claim w: e^beta/(n - 2 + 2 e^beta) = c.weight[a]"),
    ("divided by e^beta", "w", "claim w: c.weight[a] = 1/(2 + (n - 2) e^-beta)"),
    ("multiplied out", "w", "claim w: c.weight[a]*(n - 2 + 2 e^beta) = e^beta"),
    ("as a reciprocal", "w", "claim w: 1/c.weight[a] = 2 + (n - 2)*e^(-beta)"),
    ("as a difference", "w", "claim w: c.weight[a] - e^beta/(2*e^beta + n - 2) = 0"),
    ("as a logarithm", "w", "claim w: ln(c.weight[a]) = beta - ln(n - 2 + 2 e^beta)"),
    ("in LaTeX", "w", r"claim w: $c.weight[a] = \frac{e^{\beta}}{(n-2) + 2 e^{\beta}}$"),
    ("with signs", "w", "claim w: c.weight[a] = e^β/(n − 2 + 2·e^β)"),
    ("by a name of one's own", "w", "Z = 2 e^beta + (n - 2)\nclaim w: c.weight[a] = e^beta/Z"),
    ("by two names", "w",
     "others = n - 2\ntotal = others + 2*e^beta\nshare = e^beta/total\nclaim w: c.weight[a] = share"),
    ("the attention under another name", "w",
     "out = attend(beta*(k[a] + k[b]), k, v)\nclaim w: out.weight[a] = e^beta/(n - 2 + 2 e^beta)"),
    ("the query written differently", "w",
     "out = attend(beta*k[b] + beta*k[a], k, v)\n"
     "claim w: out.weight[a] = e^beta/(n - 2 + 2 e^beta)"),
    ("the weight under a name", "w", "x = c.weight[a]\nclaim w: x = e^beta/(n - 2 + 2*e^beta)"),
    ("a function of one's own", "w",
     "f(x) = x/(n - 2 + 2*x)\nclaim w: c.weight[a] = f(e^beta)"),
    ("with the givens repeated", "w",
     "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta) for n >= 3, beta > 0"),
    ("with expect proved", "w", "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta) expect proved"),
    ("the label in capitals", "w", "claim W: c.weight[a] = e^beta/(n - 2 + 2 e^beta)"),
    ("said twice", "w", "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta)\n"
     "claim w: c.weight[a] = 1/(2 + (n - 2)/e^beta)"),
    ("steps before it", "w", "claim step1: k[a].q = beta\nclaim step2: k[b].q = beta\n"
     "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta)"),
    ("a false step before it", "w", "claim step1: k[a].q = 2*beta\n"
     "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta)"),
    ("with more than was asked", "w",
     "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta) and "
     "c.weight[b] = e^beta/(n - 2 + 2 e^beta)"),
    ("a chain", "w", "claim w: c.weight[b] = c.weight[a] = e^beta/(n - 2 + 2 e^beta)"),
    ("over several lines", "w", "claim w:\n    c.weight[a] =\n        e^beta/(n - 2 + 2 e^beta)"),
    ("Markdown around it", "w", "file:# My answer\n\n> I think so:\n\n* first\n\n  ```qkv\n" +
     "".join("  " + line + "\n" for line in TWO.splitlines()) +
     "  claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta)\n  ```\n\nThat is **all**.\n"),
    ("without the givens", "w",
     "file:```qkv\nclaim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta)\n```\n"),
    ("in another problem", "w", 'file:```qkv\nproblem "mine"\n' + TWO.split("\n", 1)[1] +
     "claim w: c.weight[a] = e^beta/(n - 2 + 2 e^beta)\n```\n"),
    ("a sum turned round", "both",
     "claim both: 2 e^beta/(n - 2 + 2 e^beta) = c.weight[b] + c.weight[a]"),
    ("the rest of a sum", "both",
     "claim both: 1 - c.weight[a] - c.weight[b] = (n - 2)/(n - 2 + 2 e^beta)"),
    ("a limit as halves", "limit", "claim limit: c ~ v[a]/2 + v[b]/2 as beta -> inf"),
    ("a limit, doubled", "limit", "claim limit: 2*c ~ v[a] + v[b] as beta -> inf"),
    ("a limit by =", "limit", "claim limit: c = 0.5 v[a] + 0.5 v[b] as beta -> inf"),
    ("a limit in a block", "limit", "as beta -> inf:\n    claim limit: c ~ ½ (v[b] + v[a])"),
    ("a limit in LaTeX", "limit",
     r"claim limit: $c \approx \frac{1}{2} (v_a + v_b)$ as $\beta \to \infty$"),
    ("a limit as a mean", "limit", "claim limit: c ~ mean(v[a], v[b]) as beta -> inf"),
    ("a difference that vanishes", "limit",
     "claim limit: c - 1/2 (v[a] + v[b]) ~ 0 as beta -> inf"),
    ("for all in front", "all", "claim all: for all j in 1..n: c.weight[j] > 0"),
    ("the other sign", "all", "claim all: 0 < c.weight[m] for m in 1..n"),
    ("not at most", "all", "claim all: not (c.weight[i] <= 0) for i in 1..n"),
    ("the bound the other way", "leak",
     "claim leak: c.weight[a] + c.weight[b] >= 0.99 for n = 10, beta >= 6"),
    ("the bound as a fraction", "leak",
     "claim leak: 1 - (c.weight[a] + c.weight[b]) <= 1/100 for beta >= 6 at n = 10"),
    ("the bound by implies", "leak",
     "claim leak: n = 10 and beta >= 6 implies 1 - c.weight[a] - c.weight[b] <= 1/100"),
    ("none of another name", "none", "claim none: not exists r: attend(r, k, v).weight[2] ~ 1"),
    ("none, and a quotient", "none", "claim none: not exists p: attend(p, k, v).weight[2] ~ 5/5"),
    ("a tolerance, turned round", "near",
     "claim near: 0.146 ~ c.weight[a] within 1/1000 for beta = 0.5, n = 10"),
    ("a tolerance, written out", "near",
     "claim near: |c.weight[a] - 0.146| <= 0.001 at n = 10, beta = 0.5"),
    ("below, as above", "below", "claim below: 0.5 > c.weight[a] as beta -> inf"),
    ("a score, turned round", "score", "claim score: beta = q.k[a]"),
    ("a longer query", "query", "p = 7*beta*(k[a] + k[b])\nclaim query: attend(p, k, v) ~ "
     "1/2 (v[a] + v[b]) as beta -> inf"),
    ("a query by steps", "query", "direction = k[a] + k[b]\nlength = beta^2\n"
     "p = length*direction\nclaim query: attend(p, k, v) ~ 1/2 (v[a] + v[b]) as beta -> inf"),
    ("a query that shuns the others", "query",
     "p = beta*(k[a] + k[b] - sum(k[i] for i not in {a, b}))\n"
     "claim query: attend(p, k, v) ~ 1/2 (v[a] + v[b]) as beta -> inf"),
    ("a margin by given", "margin",
     "claim margin: c.weight[j] >= 1/(1 + (n - 1) e^-Delta) "
     "given for all i != j: k[j].q - k[i].q >= Delta"),
    ("a margin, rewritten", "margin",
     "claim margin: (for all i != j: k[j].q - k[i].q >= Delta) implies "
     "1/(1 + (n - 1)/e^Delta) <= c.weight[j]"),
    ("a variance, turned round", "var", "claim var: alpha = Var(mu[a].k[a])"),
    ("a projection, turned round", "project", "claim project: va = A*A'*(vb + va)"),
    ("in short LaTeX", "limit", r"claim limit: $c \approx \frac12v_a + \tfrac12 v_b$ as $\beta\to\infty$"),
    ("the sum over two", "limit", r"claim limit: $c \approx \frac{v_a + v_b}2$ as $\beta \to \infty$"),
    ("a bold score in LaTeX", "score", r"claim score: $\mathbf k_a \cdot \mathbf{q} = \beta$"),
    ("a score turned round in LaTeX", "score", r"claim score: $\beta = q \cdot k_a$"),
    ("a score by angle brackets", "score", r"claim score: $\langle k_a, q \rangle = \beta$"),
    ("an exponential function", "w", "claim w: c.weight[a] = exp(beta)/(n - 2 + 2*exp(beta))"),
    ("by one half", "w", "claim w: c.weight[a] = 1/2 - (n - 2)/(2*(n - 2 + 2 e^beta))"),
    ("by a hyperbolic sum", "w", "claim w: c.weight[a] = e^(2*beta)/(e^beta*(n - 2) + 2*e^(2*beta))"),
    ("half of both", "both", "claim both: 1/2*(c.weight[a] + c.weight[b]) = e^beta/(n - 2 + 2 e^beta)"),
    ("both, as what is left", "both",
     "claim both: c.weight[a] + c.weight[b] = 1 - (n - 2)/(n - 2 + 2 e^beta)"),
    ("a limit, without the other half", "limit", "claim limit: c - v[a]/2 ~ v[b]/2 as beta -> inf"),
    ("percent", "leak", "claim leak: 100*(1 - c.weight[a] - c.weight[b]) <= 1 for beta >= 6, n = 10"),
    ("twice a variance", "var", "claim var: 2*Var(k[a].mu[a]) = 2*alpha"),
]
