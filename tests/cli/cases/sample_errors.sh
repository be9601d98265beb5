# What cannot be sampled is said in one line, with status 2.
cat >plain.qkv <<'DOCUMENT'
keys    k[1..3] orthonormal
DOCUMENT
cat >keys.qkv <<'DOCUMENT'
problem "noise"
given   n >= 3, alpha > 0
means   mu[1..n] orthonormal, dimension d
values  v[1..n]
pick    a, b distinct in 1..n
keys    k[i] ~ normal(mu[i], alpha*I)
c       = attend(beta*(mu[a] + mu[b]), k, v)
DOCUMENT
fails() { qkv sample "$@" || echo "status $?"; }
fails
fails plain.qkv
fails keys.qkv plain.qkv
fails nowhere.qkv
fails keys.qkv
fails --at 'n = 10, alpha = 0.1' keys.qkv
fails --at 'n = 2, alpha = 0.1, beta = 1' keys.qkv
fails --at 'n = 10, alpha = 0.1, beta = 1, d = 4' keys.qkv
fails --at 'n =' keys.qkv
fails keys.qkv:noisy
fails -n 0 keys.qkv
fails --threads many keys.qkv
fails -o samples.txt keys.qkv
fails -o - keys.qkv
cp keys.qkv noise.npy
fails -o noise.npy noise.npy
cmp keys.qkv noise.npy
printf 'problem "x\n' | { qkv sample - || echo "status $?"; }
