# The average of two in the limit, step by step: by line, as two words, by label and from a pipe.
# The words of a verdict are not what this case is about: they are left out.
steps() { awk '/^[0-9]+\. Verdict/ {print; skip = 1; next} /^$/ {skip = 0} !skip'; }
cat >answers.qkv <<'DOCUMENT'
given   n >= 3
keys    k[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
q = beta*(k[a] + k[b])
c = attend(q, k, v)
claim half: c ~ 1/2 (v[a] + v[b])   as beta -> inf
DOCUMENT
qkv explain answers.qkv:7 >first
steps <first
qkv explain answers.qkv 7 | cmp first -
qkv explain answers.qkv:half | cmp first -
qkv explain answers.qkv half | cmp first -
qkv explain answers.qkv | cmp first -
sed -n '2,$p' first >rest
qkv explain -:7 <answers.qkv | sed -n '2,$p' | cmp rest -
qkv explain - half <answers.qkv | sed -n '2,$p' | cmp rest -
cp answers.qkv 'odd:7'
qkv explain odd:7 | sed -n '2,$p' | cmp rest - # a file by that name comes first
