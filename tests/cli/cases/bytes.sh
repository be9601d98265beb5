# Keys and values in bytes with one scale per row equal the numbers they stand for.
python3 - <<'END'
from oracle import *
rng = np.random.default_rng(5)
key, value = (rng.integers(-127, 128, (2, 9, 4)).astype("|i1") for _ in range(2))
ks, vs = (rng.uniform(0.001, 0.01, (2, 9)) for _ in range(2))
np.save("k.npy", key)
np.save("v.npy", value)
save(q=rng.standard_normal((4, 3, 4)), ks=ks, vs=vs)
save(full_k=key * ks[..., None], full_v=value * vs[..., None])
END
qkv attend --query q.npy --key k.npy --value v.npy --key-scales ks.npy --value-scales vs.npy -o c.npy
qkv attend --query q.npy --key full_k.npy --value full_v.npy -o full.npy
python3 -c 'from oracle import *; assert np.allclose(np.load("c.npy"), np.load("full.npy"), atol=1e-14)'
for words in "--key k.npy --value full_v.npy" "--key full_k.npy --value full_v.npy --key-scales ks.npy"; do
    qkv attend --query q.npy $words -o c.npy || echo "status $?"
done
