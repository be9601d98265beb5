# Verdicts, their summary, JSON, mistakes with their caret, and the three exit statuses.
cat >answers.md <<'DOCUMENT'
# My answers

```qkv
problem "an average of two"
given   n >= 3
keys    k[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
c = attend(beta*(k[a] + k[b]), k, v)
claim right: c ~ 1/2*(v[a] + v[b]) as beta -> inf
claim wrong: c = 1/2*(v[a] + v[b]) expect refuted
```
DOCUMENT
qkv check answers.md
sed 's/ expect refuted//' answers.md | qkv check - >refuted || echo "status $?"
tail -1 refuted
qkv check --json answers.md | /usr/bin/python3 -c '
import json, sys
report = json.load(sys.stdin)
print([claim["verdict"] for claim in report["claims"]], report["summary"]["as_expected"])'
printf 'keys k[1..n] orthonormal\nclaim: k[a].k[b] = 0\nclaim: (1 + 2\n' >mistakes.qkv
qkv check mistakes.qkv || echo "status $?"
qkv check || echo "status $?"
qkv check nowhere.md || echo "status $?"
