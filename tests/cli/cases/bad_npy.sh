# Each is one line and status 2.
try() {
    status=0
    qkv attend "$@" || status=$?
    test $status = 2 || echo "status $status: $*"
}
python3 - <<'END'
from oracle import *
save(q=np.ones((1, 2)), k=np.ones((1, 2)), v=np.ones((1, 1)))
whole = open("k.npy", "rb").read()
for name, content in {
    "truncated": whole[:-1],
    "header": whole[:40],
    "magic": whole[:7],
    "longer": whole + b"0",
    "empty": b"",
    "text": b"1 2 3 4 5 6 7 8 9\n",
    "version": whole[:6] + b"\x09" + whole[7:],
}.items():
    open(f"{name}.npy", "wb").write(content)
save(integer=np.ones((1, 2)), dtype="<i8")
save(complex=np.ones((1, 2)), dtype="<c16")
np.save("object.npy", np.array([[1, None]], dtype=object), allow_pickle=True)
np.save("record.npy", np.zeros((1, 2), dtype=[("a", "<f8")]))
np.save("scalar.npy", np.float64(1))
np.save("bool.npy", np.ones((1, 2), dtype=bool))
save(fifth=np.ones((1, 1, 1, 1, 2)))
save(single=np.ones((1, 2)), dtype="<f4")
END
mkdir folder.npy
key() { try --query q.npy --value v.npy -o c.npy --key "$1"; }
key missing.npy
key nowhere/k.npy
key q.npy/k.npy
key folder.npy
for name in truncated header magic longer empty text version integer complex object record scalar \
    bool fifth single; do
    key $name.npy
done
key "$(printf 'new\nline.npy')"
test ! -e c.npy
