# A literal takes the type of the first input that is none.
python3 -c 'from oracle import *; save(k=random(2, 5, 3), v=random(3, 5, 2), dtype="<f4")'
qkv attend --query '[[1, 0.1, -2]]' --key k.npy --value v.npy -o c.npy
python3 - <<'END'
from oracle import *
k, v = (np.load(name).astype("<f8") for name in ("k.npy", "v.npy"))
q = np.array([[1, 0.1, -2]], dtype="<f4").astype("<f8")
expect("c.npy", attend(q, k, v)[1], rtol=2.0**-20, dtype=np.float32)
END
