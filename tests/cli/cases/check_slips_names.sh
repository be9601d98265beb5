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
EOF
qkv check names.qkv
