# A mean of two heads: each head has its steps, and the mean its own.
# The words of a verdict are not what this case is about: they are left out.
steps() { awk '/^[0-9]+\. Verdict/ {print; skip = 1; next} /^$/ {skip = 0} !skip'; }
cat >answers.qkv <<'DOCUMENT'
given   n >= 3
keys    mu[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
two = mean(attend(beta*(mu[a] + mu[b]), mu, v), attend(beta*(mu[a] - mu[b]), mu, v))
claim: two ~ 1/2 (v[a] + v[b])   as beta -> inf
claim: two.head[2].weight[b] = e^(-2*beta)*two.head[2].weight[a]
DOCUMENT
qkv explain answers.qkv:6 | grep '^[0-9]\|two.* ->\|1 %'
qkv explain answers.qkv:7 | steps
