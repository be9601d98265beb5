# Members of a family by their subscripts, where they are no names of their own.
cat > members.qkv << 'EOF'
problem "a number above a family"
given x_1 > 3
vectors x[1..2] orthonormal
claim: |x_1| = 1
problem "an alias"
keys k[1..3] orthonormal
h = k
claim: for all h_1: |h_1| = 1
claim: for all h_1: h_1.k[2] = 0
problem "an alias declared again"
keys k[1..3] orthonormal
h = k
scalar h_1
claim: h_1.h_1 = 1
problem "a number above tokens"
given x_1 > 100
x[1] = [1,2]; x[2] = [3,4]
claim: |x_1|^2 = 5
problem "widths of members"
keys k = [[1,0],[0,1]]
values v = [[1,0,0],[0,1,0]]
claim: k_1 = [1,0,0]
claim: k_1 = [1]
claim: attend(beta*k_1,k,v) ~ k_1  as beta -> inf
claim: mean(k_1,k_2) = [1/2,1/2,0]
claim: exists t: k_1 = [t]
problem "a query of another width"
q = [1,0,0]
keys k = [[1,0],[0,1]]
values v[1..2]
claim: k_1.q = 1
problem "widths of families"
vectors u = [[1,0],[0,1]]
vectors w = [[1],[2]]
claim: u_1 = w_1
problem "members in a function"
vectors u[a,b] orthonormal
g(w) = |w_a|
s(w) = w_a + w_b
claim: g(u) = 1
claim: max(g(u),0) = 1
claim: tanh(g(u)) > 1/2
claim: |s(u)|^2 = 2
problem "tokens in a function"
x[1] = [3,4]; x[2] = [0,1]
h(w) = |w_1|
claim: h(x) = 5
problem "members of what is made of a family"
vectors u[a,b] orthonormal
f(w) = w
h = u with u[a] = 2*u[b]
g = f(u)
claim: for all h_a: |h_a| = 2
claim: for all g_a: |g_a| = 1
problem "a scalar beside them"
vectors u[a,b] orthonormal
h = u with u[a] = 2*u[b]
scalar h_a
claim: |h_a| = 2
problem "names that are no members"
s = 3
claim: exists s_1: s_1 > s
EOF
qkv check members.qkv
