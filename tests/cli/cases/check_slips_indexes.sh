# Indexes that are bound where they have a meaning already.
cat > indexes.qkv << 'EOF'
problem "an index of the claim, bound again by a sum"
keys k[1..3] orthonormal
values v[1..3]
claim: for all i in 1..3: exists t: sum(t*k[i] for i in 1..3) = k[i]
claim: exists q: attend(q,k,v) ~ sum(v[i] for i in 1..3) - 2*v[i] for i in 1..3
problem "an argument, bound again by a sum"
keys k[1..3] orthonormal
g(x, i) = sum(x*k[i].k[1] for i in 1..3)
claim: g(1,2) = 1
problem "a picked index, bound again"
keys k[1..n] orthonormal
pick a, b distinct in 1..n
h(x) = x*(k[a].k[b])
claim: for all a in {b}: h(1) = 0
claim: sum(h(1) for a in 1..n) = 0
problem "the name of a member"
keys u[a,b,c] orthonormal
claim: for all a in {a,b,c}: |u[a]| = 1
problem "an argument that is an index"
keys k[1..n] orthonormal
pick a, b distinct in 1..n
f(x, a) = x*k_a
claim: f(1,b) = k[b]
EOF
qkv check indexes.qkv
