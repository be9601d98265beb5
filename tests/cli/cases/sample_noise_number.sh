# Noise in every direction that is a number: no exact law is shown, since that would be without it.
cat > noise.qkv << 'EOF'
given   n >= 3
means   mu[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
keys    k[i] ~ normal(mu[i], 0.001*I)
c = attend(beta*(mu[a] + mu[b]), k, v)
claim: E(c.weight[a]) <= 1/2 at n = 10, beta = 10
EOF
qkv sample --samples 20000 noise.qkv
