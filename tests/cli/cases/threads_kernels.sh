# The bits do not depend on the number of threads; all kernels agree.
python3 -c 'from oracle import *; save(q=random(1, 70, 40), k=random(2, 90, 40), v=random(3, 90, 40))'
attend() { qkv attend --query q.npy --key k.npy --value v.npy "$@"; }
attend --threads 1 -o one.npy
attend --threads 5 -o five.npy
attend --threads 0 -o all.npy
cmp one.npy five.npy
cmp one.npy all.npy
attend --kernel portable -o portable.npy
attend --kernel reference -o reference.npy
QKV_KERNEL=reference attend -o environment.npy
cmp reference.npy environment.npy
python3 - <<'END'
from oracle import *
expect("portable.npy", np.load("reference.npy"))
expect("one.npy", np.load("reference.npy"))
END
