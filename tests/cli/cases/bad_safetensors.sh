# Each is one line and status 2.
try() {
    status=0
    qkv attend "$@" || status=$?
    test $status = 2 || echo "status $status: $*"
}
python3 - <<'END'
from oracle import *
q, k, v = np.ones((1, 2)), np.ones((1, 2)), np.ones((1, 1))
save_safetensors("good.safetensors", q=q, k=k, v=v)
save_safetensors("lacking.safetensors", q=q, k=k, other=v)
save_safetensors("two.safetensors", a=q, b=q)
whole = open("good.safetensors", "rb").read()
for name, content in {
    "truncated": whole[:-1],
    "header": whole[:30],
    "length": whole[:5],
    "longer": whole + b"0",
    "json": whole[:8] + b"{" + b"!" * (len(whole) - 9),
    "integer": whole.replace(b'"F64"', b'"I64"'),
    "unknown": whole.replace(b'"F64"', b'"F99"'),
    "gap": whole.replace(b"[0, 16]", b"[1, 17]"),
}.items():
    open(f"{name}.safetensors", "wb").write(content)
END
for name in missing lacking two truncated header length longer json integer unknown gap; do
    try -o c.npy $name.safetensors
done
try good.safetensors --query two.safetensors
try good.safetensors --query good.safetensors:query
try good.safetensors --query missing.safetensors:q
try good.safetensors --query truncated.safetensors:q
try good.safetensors --mask good.safetensors
test ! -e c.npy
