# The HTML report: every claim once with its verdict, figures and derivations, and nothing else that
# a browser would obey.
cat >answers.md <<'DOCUMENT'
# Answers &amp; more &hellip; &unknown; &#60;i&#62;

Two keys, *one* **query**, `x < y`. [course](https://example.org/a?b=1&c=2 "t") [mail](mailto:a@example.org)
[js](javascript:alert(1)) [entity](java&#115;cript:alert(1)) [data](data:text/html,x) [file](notes.md)
![picture](https://example.org/p.png) <https://example.org/auto> ~~gone~~

| design | good? |
|:---|---:|
| one head | no |

1. first
2. [ ] second

> ```qkv
> problem "quoted"
> claim quoted: 1 = 1
> ```

```c
int claim = 1; /* <not> a claim */
```

```qkv
given   n >= 3
keys    k[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
c = attend(beta*(k[a] + k[b]), k, v)   # average
claim 1: c.weight[a] = e^beta/(n - 2 + 2 e^beta)
two = mean(c, attend(beta*(k[a] - k[b]), k, v))
as beta -> inf:
    claim 2: c ~ 1/2 (v[a] + v[b])
    claim 3: two ~ 1/2 (v[a] + v[b])
claim 4: c.weight[a] >= 0.495
         for beta >= 5.982, n = 10
find least beta: 1 - c.weight[a] - c.weight[b] <= 0.01   for n = 10
claim known: two ~ 1/2 (v[a] + v[b]) as beta -> inf, expect refuted
```
DOCUMENT
qkv check --report page.html answers.md >table || echo "status $?"
qkv check --json answers.md >table.json || :
cat >look.py <<'PROGRAM'
import json, sys, html_report
page = html_report.Page("page.html")
claims = list(page.claims())
with open("table.json") as source:
    expected = json.load(source)["claims"]
assert [(c["name"] or "claim", c["verdict"], c["line"]) for c in expected] == \
    [(label, verdict, line) for label, verdict, _, line in claims], claims
for claim in claims:
    print(*claim)
links = [a.get("href") for a in page.all("a") if not a.get("href").startswith("#")]
print(*links)
body = html_report.text_of(page.root.find(html_report.XHTML + "body"))
for words in ("Answers & more … &unknown; <i>", "image: picture", "int claim = 1; /* <not> a claim */",
              "7 claims in 1 document: 6 as expected, 1 not."):
    assert words in body, words
print(len(page.figures()), "figures,", len(list(page.all("details"))), "derivations")
print([html_report.text_of(e) for e in page.all("pre", class_="source")][4].split("\n"))
(open_,) = page.all("section", class_="open")
print(html_report.text_of(open_).split())
PROGRAM
python3 look.py
# The same bytes again, and permissions and links as other files have them.
qkv check --report again.html answers.md >again || :
cmp page.html again.html && cmp table again
# Several documents, one of them empty, one not there, one with mistakes in it; verdicts stay.
: >empty.md
printf 'claim good: 1 = 1\nclaim bad: = 2\nx = wieght(1)\n' >bad.qkv
qkv check -q --report all.html answers.md empty.md nowhere.md bad.qkv >output 2>messages || echo "status $?"
python3 - <<'PROGRAM'
import html_report
page = html_report.Page("all.html")
print([html_report.text_of(h) for h in page.all("h2")])
print(len(list(page.claims())), [html_report.text_of(c).split(":")[0] for c in page.all("aside")])
rows = [[html_report.text_of(cell) for cell in row] for row in page.all("tr")]
print(*rows[:6], sep="\n")
PROGRAM
# Whole or not at all.
qkv check --report nowhere/page.html answers.md || echo "status $?"
qkv check --report answers.md answers.md || echo "status $?"
qkv check --report - answers.md || echo "status $?"
qkv check --report '' answers.md || echo "status $?"
qkv check --report same --gradescope ./same answers.md || echo "status $?"
# Nothing to be pleased about where there are no claims, or no document.
for name in empty.md nowhere.md; do
    qkv check -q --report none.html $name >output 2>&1 || echo "status $?"
    python3 - <<'PROGRAM'
import html_report
page = html_report.Page("none.html")
print([html_report.text_of(e) for e in page.all("p", class_="clear")],
      [html_report.text_of(e) for e in page.all("section", class_="open")])
PROGRAM
done
# Whatever ends the command leaves no file behind.
mkfifo pipe
for signal in INT TERM; do
    python3 - $signal <<'PROGRAM'
import signal, subprocess, sys
command = subprocess.Popen(["qkv", "check", "--report", "ended.html", "--gradescope", "ended.json", "pipe"])
with open("pipe", "w"):  # opens once the command reads from it
    command.send_signal(getattr(signal, "SIG" + sys.argv[1]))
    command.wait()
PROGRAM
done
rm pipe
ls -A
