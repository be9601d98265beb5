# Weights, output, log-sum-exp and entropy against NumPy, in f64.
python3 - <<'END'
from oracle import *
save(q=random(1, 6, 8), k=random(2, 9, 8), v=random(3, 9, 5))
END
qkv attend --query q.npy --key k.npy --value v.npy \
    -o c.npy --weights w.npy --lse l.npy --entropy e.npy
python3 - <<'END'
from oracle import *
q, k, v = random(1, 6, 8), random(2, 9, 8), random(3, 9, 5)
weights, output = attend(q, k, v)
expect("w.npy", weights)
expect("c.npy", output)
expect("l.npy", np.log(np.exp(scores(q, k)).sum(-1)))
expect("e.npy", -(weights * np.log(weights)).sum(-1))
END
