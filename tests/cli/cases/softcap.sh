# Scores are capped before the mask is added.
python3 - <<'END'
from oracle import *
save(q=4 * random(1, 4, 3), k=random(2, 5, 3), v=random(3, 5, 2), m=random(4, 4, 5))
END
qkv attend --softcap 2.5 --scale 1 --mask m.npy --query q.npy --key k.npy --value v.npy -o c.npy
python3 - <<'END'
from oracle import *
q, k, v, m = 4 * random(1, 4, 3), random(2, 5, 3), random(3, 5, 2), random(4, 4, 5)
expect("c.npy", attend(q, k, v, m, scale=1, softcap=2.5)[1])
END
