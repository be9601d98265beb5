# What stands in a block, names that a quantifier takes from elsewhere, and premises that were not
# understood: claims below are left open.
cat > blocks.qkv << 'EOF'
problem "a premise in a block"
for s > 0:
    given t^2 <= 4
    claim: exists t: t = 100
problem "a block without lines"
for t > 0:
claim: t > 0
problem "a premise that was not understood"
given n >= 3, beta >
keys k[1..n] orthonormal
claim: n >= 3
problem "whose norm"
vectors u[1..2] orthogonal, norm r
claim: |u[1]| > 5 implies (for all r > 0: r > 5)
problem "whose vector"
vector q
vector p
y = q.p
claim: y = 1 implies (for all q: q.p = 1)
problem "too many"
claim: for all t1, t2, t3, t4, t5, t6, t7, t8, s: s > 3   for s > 3
problem "defined"
t = 3
claim: exists t: t = 4
problem "two verdicts"
claim: 1 = 1 expect proved expect refuted
EOF
qkv check blocks.qkv
