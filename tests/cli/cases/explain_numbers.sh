# At fixed parameters: numbers with their enclosures, as far as every parameter is fixed.
# The words of a verdict are not what this case is about: they are left out.
steps() { awk '/^[0-9]+\. Verdict/ {print; skip = 1; next} /^$/ {skip = 0} !skip'; }
cat >answers.md <<'DOCUMENT'
Answers.

```qkv
given   n >= 3
keys    k[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
c = attend(beta*(k[a] + k[b]), k, v)
claim: c.weight[a] = 0.146 within 0.001
    at n = 10, beta = 1/2
claim: c.weight[a] > 0.4 for n = 10
```
DOCUMENT
qkv explain answers.md:10 | steps
echo
qkv explain answers.md:11 | steps | sed -n '/^6/,$p'
