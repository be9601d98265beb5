# f64 inputs are computed in f64 and the result is rounded once.
python3 -c 'from oracle import *; save(q=random(1, 4, 3), k=random(2, 5, 3), v=random(3, 5, 2))'
attend() { qkv attend --query q.npy --key k.npy --value v.npy "$@"; }
attend -o wide.npy
attend --type f32 -o narrow.npy
attend --type f16 -o half.npy
attend --type bf16 -o brain.safetensors
python3 - <<'END'
from oracle import *
wide = np.load("wide.npy")
assert (np.load("narrow.npy") == wide.astype("<f4")).all()
assert (np.load("half.npy") == wide.astype("<f2")).all()
dtype, bits = load_safetensors("brain.safetensors")["output"]
assert dtype == "BF16"
np.testing.assert_allclose(from_bf16(bits), wide, rtol=2.0**-8)
END
