# bf16 goes in and out of safetensors files; within one rounding (2^-8) of the true value, where the
# kernels that multiply bf16 count a rounding by the largest value.
python3 - <<'END'
from oracle import *
q, k, v = to_bf16(random(1, 4, 8)), to_bf16(random(2, 5, 8)), to_bf16(random(3, 5, 4))
save_safetensors("all.safetensors", q=q, k=k, v=v)
END
qkv attend all.safetensors -o c.safetensors --lse l.npy
qkv attend all.safetensors -o c.npy --type f32
python3 - <<'END'
from oracle import *
q, k, v = (from_bf16(to_bf16(x)) for x in (random(1, 4, 8), random(2, 5, 8), random(3, 5, 4)))
weights, output = attend(q, k, v)
dtype, bits = load_safetensors("c.safetensors")["output"]
assert dtype == "BF16"
np.testing.assert_allclose(from_bf16(bits), output, rtol=2.0**-8, atol=2.0**-8 * np.abs(v).max())
expect("c.npy", output, rtol=2.0**-16, dtype=np.float32)
expect("l.npy", np.log(np.exp(scores(q, k)).sum(-1)), rtol=2.0**-20, dtype=np.float32)
END
