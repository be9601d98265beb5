# One file in and one out: names by role, a mask that comes along, an input replaced by an option,
# other names by PATH:NAME, a file with one tensor.
python3 - <<'END'
from oracle import *
q, k, v, mask = random(1, 4, 3), random(2, 5, 3), random(3, 5, 2), random(4, 4, 5) > -0.5
save_safetensors("roles.safetensors", query=q, key=k, value=v, mask=mask)
save_safetensors("letters.safetensors", v=v, k=k, q=q)
save_safetensors("names.safetensors", **{"layer.0.q": q, "a:b": k, "value": v})
save_safetensors("one.safetensors", whatever=q)
save(v2=random(5, 5, 2), m2=random(6, 4, 5))
END
qkv attend roles.safetensors -o all.safetensors \
    --weights all.safetensors --lse all.safetensors --entropy all.safetensors
qkv attend letters.safetensors --mask roles.safetensors -o letters.npy
qkv attend --query names.safetensors:layer.0.q --key names.safetensors:a:b \
    --value names.safetensors --mask roles.safetensors:mask -o names.npy
qkv attend roles.safetensors --query one.safetensors --value v2.npy --mask m2.npy -o other.npy
python3 - <<'END'
from oracle import *
q, k, v, mask = random(1, 4, 3), random(2, 5, 3), random(3, 5, 2), random(4, 4, 5) > -0.5
weights, output = attend(q, k, v, mask)
expect("letters.npy", output)
expect("names.npy", output)
expect("other.npy", attend(q, k, random(5, 5, 2), random(6, 4, 5))[1])
tensors = load_safetensors("all.safetensors")
print({name: (dtype, array.shape) for name, (dtype, array) in tensors.items()})
np.testing.assert_allclose(tensors["weights"][1], weights, rtol=1e-12)
np.testing.assert_allclose(tensors["output"][1], output, rtol=1e-12)
END
