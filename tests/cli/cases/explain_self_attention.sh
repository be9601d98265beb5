# Self-attention with K, Q and V by hand: the query that the claim speaks of, and a changed token.
# The words of a verdict are not what this case is about: they are left out.
steps() { awk '/^[0-9]+\. Verdict/ {print; skip = 1; next} /^$/ {skip = 0} !skip'; }
cat >answers.qkv <<'DOCUMENT'
given beta > 0
vectors u[a,b,c,d] orthogonal, norm beta
x[1] = u[d] + u[b];  x[2] = u[a];  x[3] = u[c] + u[b]
V = (u[b]*u[b]' - u[c]*u[c]')/beta^2
Q = (u[d]*u[a]' + u[c]*u[d]')/beta^2
z = self_attend(x, Q, I, V)
claim: z.weight[2] ~ [1, 0, 1]   as beta -> inf, expect refuted
y = self_attend(x with x[2] = u[a] + u[d], causal)
claim: y[2] ~ u[a] + u[d]        as beta -> inf
DOCUMENT
qkv explain answers.qkv | steps
