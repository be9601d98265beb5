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
EOF
qkv check sizes.qkv
