# --name value, --name=value, -o value, -ovalue, and -- before an operand. A negative number is a
# value, not an option.
python3 - <<'END'
from oracle import *
save_safetensors("all.safetensors", q=random(1, 3, 4), k=random(2, 5, 4), v=random(3, 5, 2))
END
qkv attend --scale 1 all.safetensors -o a.npy
qkv attend --scale=1 -ob.npy -- all.safetensors
qkv attend --output=c.npy all.safetensors --scale 1.0e0
cp all.safetensors ./--all.safetensors
qkv attend --scale=1 -o d.npy -- --all.safetensors
qkv attend --scale -1 -o e.npy all.safetensors
qkv attend --scale=-1 -o f.npy all.safetensors
if cmp -s a.npy e.npy; then echo 'the sign was lost'; fi
cmp e.npy f.npy
cmp a.npy b.npy
cmp a.npy c.npy
cmp a.npy d.npy
