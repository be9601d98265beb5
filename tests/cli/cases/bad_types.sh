# f64 with other types, and a mask in bytes, which would be added to scores: each is one line and
# status 2, and says what to do.
try() {
    status=0
    qkv attend "$@" || status=$?
    test $status = 2 || echo "status $status: $*"
}
python3 - <<'END'
from oracle import *
save(q=np.ones((1, 2)), k=np.ones((1, 2)), v=np.ones((1, 1)))
save(k32=np.ones((1, 2)), v32=np.ones((1, 1)), dtype="<f4")
save(q16=np.ones((1, 2)), dtype="<f2")
np.save("kb.npy", np.ones((1, 2), dtype=bool))
q, mask = np.ones((2, 2)), np.array([[1, 0], [1, 1]])
for kind in ("|i1", "|u1", "bool"):
    np.save(f"mask_{kind.strip('|')}.npy", mask.astype(kind))
save_safetensors("byte.safetensors", q=q, k=q, v=q, mask=mask.astype("|i1"))
save_safetensors("bool.safetensors", q=q, k=q, v=q, mask=mask.astype(bool))
END
try --query q.npy --key k32.npy --value v.npy
try --query q.npy --key k.npy --value v32.npy --type f32
try --query q16.npy --key k32.npy --value v.npy --type f64
try --query q.npy --key '[[1,0]]' --value v32.npy -o c.npy
try --query q.npy --key kb.npy --value v32.npy
try --query '[[true,false]]' --key k32.npy --value v32.npy --type f64
for type in i1 u1; do
    try bool.safetensors --mask mask_$type.npy -o c.npy
done
try byte.safetensors -o c.npy
try bool.safetensors --mask byte.safetensors:mask -o c.npy
test ! -e c.npy
qkv attend bool.safetensors --mask mask_bool.npy -o c.npy
