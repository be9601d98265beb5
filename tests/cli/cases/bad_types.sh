# f64 with other types: each is one line and status 2, and says what to do.
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
END
try --query q.npy --key k32.npy --value v.npy
try --query q.npy --key k.npy --value v32.npy --type f32
try --query q16.npy --key k32.npy --value v.npy --type f64
try --query q.npy --key '[[1,0]]' --value v32.npy -o c.npy
try --query q.npy --key kb.npy --value v32.npy
try --query '[[true,false]]' --key k32.npy --value v32.npy --type f64
test ! -e c.npy
