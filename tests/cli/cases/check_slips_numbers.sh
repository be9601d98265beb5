# Names of functions, and numbers of the problem that a range binds again.
cat > numbers.qkv << 'EOF'
problem "a function of the language"
ln = 3
keys k[1..n] orthonormal
values v[1..n]
pick a in 1..n
find q: attend(q,k,v).weight[a] = 1/2 for n = 5
claim: exists q: attend(q,k,v).weight[a] = 1/2 for n = 5
problem "a number bound again"
given n >= 3
keys k[1..n] orthonormal
values v[1..n]
pick a, b distinct in 1..n
c = attend(beta*k[a], k, v)
claim: for all beta in 1..n: c.weight[a] >= 1/n, expect supported
claim: (for all beta in 1..n: c.weight[a] >= c.weight[b]) implies attend(beta*k[a],k,v).weight[a] >= 1/n
claim: c.weight[a] >= 1/n given for all beta in 1..n: c.weight[a] >= c.weight[b]
problem "a premise that binds a number"
g = t + 1
given for all t in 1..2: g >= 2
claim: t >= 1
problem "a norm bound again"
vectors u[a,b] orthogonal, norm r
given for all r in 1..2: |u[a]| <= 2
claim: r <= 2
problem "sums"
g = t + 1
claim: sum(g for t in 1..2) = 2*g
EOF
qkv check numbers.qkv
