# Keys whose law was not understood are not those of the declaration before it: nothing is proved of
# the old ones.
cat > keys.qkv << 'END'
given   alpha > 0, beta > 0
means   mu[1..3] orthonormal
values  v[1..3]
keys    k[i] ~ normal(mu[i], alpha*I)
keys    k[3] ~ normal(mu[3], alpha*I + 1/2*mu[1]*mu[1]')
claim: E(attend(beta*mu[1], k, v).weight[2]) = E(attend(beta*mu[1], k, v).weight[3])
claim: Var(k[3].mu[1]) = alpha
END
qkv check keys.qkv
