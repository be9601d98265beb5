# f16 in and out: each result within one rounding (2^-11, plus f32 sums) of the true value; the
# log-sum-exp is f32 unless --type says otherwise.
python3 - <<'END'
from oracle import *
save(q=random(1, 4, 8), k=random(2, 5, 8), v=random(3, 5, 4), dtype="<f2")
END
attend() { qkv attend --query q.npy --key k.npy --value v.npy "$@"; }
attend -o c.npy --weights w.npy --lse l.npy --entropy e.npy
attend --type f32 -o c32.npy --lse l32.npy
attend --type f16 --lse l16.npy -o c16.npy
attend --type f64 -o c64.npy --weights w64.npy
cmp c.npy c16.npy
cmp l.npy l32.npy
python3 - <<'END'
from oracle import *
half, single = 2.0**-10, 2.0**-20
q, k, v = (np.load(name).astype("<f8") for name in ("q.npy", "k.npy", "v.npy"))
weights, output = attend(q, k, v)
lse = np.log(np.exp(scores(q, k)).sum(-1))
expect("c.npy", output, rtol=half, dtype=np.float16)
expect("w.npy", weights, rtol=half, dtype=np.float16)
expect("l.npy", lse, rtol=single, dtype=np.float32)
expect("e.npy", -(weights * np.log(weights)).sum(-1), rtol=single, dtype=np.float32)
expect("c32.npy", output, rtol=16 * single, dtype=np.float32)
expect("l16.npy", lse, rtol=half, dtype=np.float16)
expect("c64.npy", output, rtol=16 * single)
expect("w64.npy", weights, rtol=single)
END
