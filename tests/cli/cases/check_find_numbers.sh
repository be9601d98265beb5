# Thresholds of functions, probabilities and expectations, which have no closed form. The numbers
# are those of tables: artanh 0.9, which has a formula, e^3, the quantiles of the normal law, sqrt(2 ln 10).
cat > numbers.qkv << 'END'
find least x: tanh(x) >= 0.9
find least x: ln(x) >= 3
find least x: x - sin(x) >= 0
find least x: sin(x) >= 1/2              expect undecided
find least x: tanh(x) >= 1               expect refuted
find least x: tanh(x)*s >= 0.9           expect undecided
problem "quantiles"
scalar z ~ normal(0, 1)
find least t: P(z <= t) >= 0.9
find least t: P(z >= t) <= 0.01
find least s: E(e^(s*z)) >= 10
find least t: P(z <= t) >= 1             expect undecided
problem "how many keys"
given n >= 2
vector q
given |q| > 0
keys k[1..n] ~ normal(0, I)
pick a in 1..n
find least n: P(for all i != a: q.k[a] > q.k[i]) <= 0.1
END
qkv check numbers.qkv
