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
problem "conditions that hide a bound letter"
y = t + 1
f(x) = x + t
claim: for all t: t > 3   given y > 4
claim: for all t: t > 3   for y > 4
claim: for all t: t > 3   given f(0) > 3
for y > 4:
  claim: for all t: t > 3
problem "conditions that hide a norm"
vectors u[1..2] norm r
claim: for all r > 0: r > 3       given |u[1]| > 3
problem "conditions that hide listed numbers"
keys k = [[t,0],[0,1]]
values v[1..2]
y = [1,0]
c = attend(y, k, v)
claim: for all t: t > 0           given c.weight[1] > 1/2
claim: for all t: t^2 > 25 given |k[1]| > 5
problem "conditions that hide a query"
keys k[1..2] orthonormal
values v[1..2]
vector q
c = attend(q, k, v)
claim: for all q: attend(q,k,v).weight[1] > 1/2 given c.weight[1] > 1/2
claim: for all q: k[1].q > k[2].q given c.weight[1] > 1/2
problem "an argument"
f(e) = e + 1
claim: f(1) = 2
problem "a number beside a vector"
keys k = [[1,0],[0,1]]
claim: k[1] = 1
claim: for all q: q != k[1] + k[2]
problem "too many picks"
keys k[1..2] orthonormal
pick a, b, c distinct in 1..2
claim: k[a].k[b] = 0
problem "members"
vectors x[1..2] orthonormal
claim: for all x_1: x_1.x[2] = 0
claim: exists x_1: x_1.x[2] = 5
claim: |x_1| = 1 for all x_1
problem "a member declared again"
vectors u[a,b] orthonormal
scalar u_b
claim: |u_b| = 1
problem "a limit downwards"
given n >= 2
keys k[1..n] orthonormal
values v[1..n]
claim: attend(beta*k[1], k, v).weight[1] ~ 0   as n -> -inf
problem "vectors that differ"
keys k[1..n]
values v[1..n]
vector p, q
claim: logsumexp(attend(q, k, v).score) >= 0   given p != q
EOF
qkv check numbers.qkv
