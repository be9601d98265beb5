# What a claim speaks of: by line, by label, the first that has a picture; numbers read back.
cat >answers.md <<'DOCUMENT'
```qkv
given   n >= 3, beta > 0
keys    k[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
claim none: exists q: attend(q, k, v) ~ v[a]
c = attend(beta*(k[a] + k[b]), k, v)
claim one: c.weight[a] >= 0.45    for beta >= 3, n = 10
claim two: c ~ 1/2 (v[a] + v[b])  as beta -> inf
```
DOCUMENT
qkv plot claim answers.md:one -o one.svg
qkv plot claim answers.md 8 >line.svg
qkv plot claim answers.md >first.svg
cmp one.svg line.svg && cmp one.svg first.svg
qkv plot claim - two --title '' --dark <answers.md >two.svg
python3 - <<'PROGRAM'
import math, svg
root = svg.read("one.svg")
(panel,) = svg.panels(root)
line, claimed = panel.marks("line")
for beta, weight in line:
    assert abs(weight - math.exp(beta) / (8 + 2 * math.exp(beta))) < 0.005, (beta, weight)
assert all(abs(y - 0.45) < 0.005 for _, y in claimed)
print(root.find(svg.SVG + "title").text, "|", "β ≥ 3" in panel.texts())
PROGRAM
grep -c '<title>' two.svg || :
qkv plot claim answers.md:none || echo "status $?"
qkv plot claim answers.md:three || echo "status $?"
qkv plot claim || echo "status $?"
qkv plot claim nowhere.md || echo "status $?"
qkv plot claim answers.md --beta 3 || echo "status $?"
qkv plot law answers.md || echo "status $?"
