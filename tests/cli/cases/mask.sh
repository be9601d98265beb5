# Boolean masks allow; float masks are added, whatever their type; both broadcast, and both can be
# literals. Row 0 of the
# boolean mask allows nothing and gets zeros.
python3 - <<'END'
from oracle import *
save(q=random(1, 4, 3), k=random(2, 5, 3), v=random(3, 5, 2))
allowed = random(4, 4, 5) > 0
allowed[0] = False
np.save("allowed.npy", allowed)
save(added=random(5, 4, 5))
save(added32=random(6, 1, 5), dtype="<f4")
END
attend() { qkv attend --query q.npy --key k.npy --value v.npy "$@"; }
attend --mask allowed.npy -o a.npy --weights aw.npy
attend --mask added.npy -o b.npy
attend --mask added32.npy -o c.npy
attend --mask '[[0, -inf, 0, 0.5, -inf]]' -o d.npy
attend --mask '[[true, false, true, true, false]]' -o e.npy
python3 -c 'from oracle import *; save(k=random(2, 5, 3), v=random(3, 5, 2), dtype="<f4")'
qkv attend --query '[[1, 2, 3]]' --key k.npy --value v.npy -o f.npy \
    --mask '[true, false, true, true, false]'
python3 - <<'END'
from oracle import *
q, k, v = random(1, 4, 3), random(2, 5, 3), random(3, 5, 2)
weights, output = attend(q, k, v, np.load("allowed.npy"))
assert not output[0].any()
expect("a.npy", output)
expect("aw.npy", weights)
expect("b.npy", attend(q, k, v, random(5, 4, 5))[1])
expect("c.npy", attend(q, k, v, random(6, 1, 5).astype("<f4").astype("<f8"))[1])
expect("d.npy", attend(q, k, v, np.array([0, -np.inf, 0, 0.5, -np.inf]))[1])
allowed = np.array([True, False, True, True, False])
expect("e.npy", attend(q, k, v, allowed)[1])
k, v = (np.load(name).astype("<f8") for name in ("k.npy", "v.npy"))
wanted = attend(np.array([[1.0, 2.0, 3.0]]), k, v, allowed)[1]
expect("f.npy", wanted, rtol=2.0**-20, dtype=np.float32)
END
