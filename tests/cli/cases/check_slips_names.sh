# Names that mean something already, and properties that are said twice.
cat > names.qkv << 'EOF'
problem "constants"
scalar e
claim: e > 2
problem "numbers of chance"
E = 3
claim: E(3) = 3
problem "a norm that is said twice"
vectors u[1..2] orthonormal, norm r
claim: u[1].u[1] = 1
problem "two norms"
vectors u[1..2] orthogonal, norm 2, norm 3
claim: u[1].u[1] = 4
problem "names that cannot be asked for"
keys k = [[1, 0], [0, 1]]
pick a in 1..2
claim: exists a: |k[a]| = 1
find k: |k[1]| = 1
find pi: pi = 3
claim: for all e: e < 3
as t -> inf:
    claim: exists t: t = 3
    find t: t = 3
EOF
qkv check names.qkv || true
# A longer name is a number only if the problem says so, also within functions that have no exact value.
cat > undeclared.qkv << 'EOF'
claim: sin(xy) = sin(x*y)
claim: entropy([foo, 1 - foo]) <= 1/2
keys k[1..3], l[1..3] ~ normal(0, I), dimension d
EOF
qkv check undeclared.qkv
