# Sizes and dimensions are whole numbers or names of their own; kinds that have no least.
cat > sizes.qkv << 'EOF'
problem "half a dimension"
keys k[1..n] dimension m/2
claim: m != 3
problem "a matrix of a size that is made of others"
matrix X[n+1, d]
claim: n >= 0
problem "a size that is defined"
N = 3
matrix A[N,N]
claim: A*A = A
problem "a size that is a scalar"
scalar n
keys k[1..n]
claim: n >= 1
problem "no least"
find least vector t: t >= 3
problem "two dimensions for vectors that share one"
keys k[1..2] orthonormal, dimension c
means u[1..2] norm 1, dimension d
claim: c = d
problem "a list says how many"
keys k = [[1,0,0],[0,1,0]]
means u[1..n] orthonormal, dimension d
claim: d <= 5
problem "values have a dimension of their own"
keys k[1..2] orthonormal, dimension 2
values v[1..2] norm 1, dimension 3
claim: |k[1]| = |v[1]|
problem "but one for all of them"
values v[1..2] norm 1, dimension 2
values w[1..2] norm 1, dimension 3
claim: |w[1]| = |v[1]|
problem "rows that are not written out"
f(x) = [x,0]
keys k = [f(1), f(2)]
vectors h[1..n] orthonormal
claim: n <= 1
problem "a list by its name"
L = [[1,0],[0,1]]
keys k = L
claim: k[1].k[2] = 0
problem "a number beside a row"
keys k = [1,[0,1]]
claim: k[1].k[2] = 0
problem "numbers that are computed"
f(x) = x + 1
keys k = [f(1), t, sqrt(4)]
claim: k[1].k[3] = 4
problem "keys of one number, values of two"
keys k = [-1,0,1]
values v = [[1,0],[0,1],[1,0]]
claim: k[3] = 1
claim: v[1] = 1
EOF
qkv check sizes.qkv
