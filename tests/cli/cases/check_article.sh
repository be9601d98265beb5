# Articles in LaTeX and Markdown, compiled where there is a LaTeX.
cat > 'answers.md' << 'DOCUMENT'
# Answers: 100 % of weights & more, \#1

Attention *can* whisper, says Noël; `softmax_{1}` → β. See $\frac{e^\beta}{n}$ and $\unknown{x}$.

- one point, \$5

| a | b |
|---|---|
| 1 | $x_i$ |

```c
int x_y = 1 & 2; /* 100 % */
```

```qkv
problem "100 % of _weights_ & more: $5 #1"
given   n >= 3, beta > 0
keys    k[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
q = beta*(k[a] + k[b])
c = attend(q, k, v)
claim half: c.weight[a] = e^beta/(n - 2 + 2 e^beta)
claim limit: c ~ 1/2 (v[a] + v[b])       as beta -> inf
claim wrong: c.weight[a] >= 0.495        for beta >= 5, n = 10
claim sum: sum(c.weight[i] for i in 1..n) = 1
claim none: not exists p: |attend(p, k, v).weight[a]| ~ 2
```

Behind the claims.
DOCUMENT
qkv check -q --latex article.tex --markdown article.md --report page.html --short answers.md || echo "exit status $?"
# Fractions, exponents, sums, limits.
grep -F '\frac{{e}^{\beta }}{n - 2 + 2\,{e}^{\beta }}' article.tex | head -n 1
grep -F '\sum_{i \in \{1, \ldots , n\}} c\mathrm{.weight}_{i} = 1' article.md | head -n 1
grep -F '\text{as}\;\beta  \to \infty' article.tex | head -n 1
# The text stays, its characters are words and not commands, and claims stand where they stood.
grep -F 'section*' article.tex
grep -F 'Noël' article.tex article.md
grep -F 'x\_y' article.tex
python3 - << 'PYTHON'
latex, markdown = open("article.tex").read(), open("article.md").read()
for text in latex, markdown:
    order = [text.index(word) for word in ("Noël", "one point", "given", "half", "limit", "wrong", "Behind")]
    assert order == sorted(order), order
assert "```qkv\nproblem" in markdown and "claim half" not in markdown and "claim limit" not in latex
PYTHON
# Of a plain document there are only the claims, below the titles of their problems.
sed -n '/^```qkv$/,/^```$/p' answers.md | grep -v '```' > plain.qkv
qkv check -q --latex plain.tex --markdown plain.md plain.qkv > /dev/null || :
grep -F 'section' plain.tex
grep -F '## ' plain.md
# MathML in the report, with the claim on hover, and the lines of a short one.
python3 - << 'PYTHON'
import xml.etree.ElementTree as tree
root = tree.parse("page.html").getroot()
titles = [e.get("title") for e in root.iter() if e.get("class") == "formula"]
assert "claim half: c.weight[a] = e^beta/(n - 2 + 2 e^beta)" in titles, titles
tags = {e.tag.split("}")[1] for e in root.iter()}
assert {"mfrac", "msup", "msub", "math"} <= tags, tags
lines = [e for e in root.iter() if "claim-line" in (e.get("class") or "")]
assert len(lines) == 5
PYTHON
# A table with long cells breaks them into lines.
python3 - << 'PYTHON'
words = "a statement that says a good deal and takes more than half a line"
open("table.md", "w").write(f"| label | what it says | why |\n|---|---|---|\n| S1 | {words} | {words} |\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n"
                            "```qkv\nclaim one: 1 = 1\n```\n")
PYTHON
qkv check -q --latex table.tex table.md
grep -F 'begin{tabular}' table.tex
qkv explain --latex answers.md:half | head -n 1
qkv explain --latex --json answers.md:half || echo "exit status $?"
qkv check --short answers.md || echo "exit status $?"
qkv check --latex answers.md answers.md || echo "exit status $?"
qkv check --markdown answers.md answers.md || echo "exit status $?"
if command -v pdflatex > found; then
    pdflatex -draftmode -halt-on-error -interaction=nonstopmode article.tex > log 2>&1 || { tail log; exit 1; }
    pdflatex -draftmode -halt-on-error -interaction=nonstopmode table.tex > log 2>&1 || { tail log; exit 1; }
    ! grep Overfull log
fi
