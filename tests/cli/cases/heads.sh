# Heads packed in the width, with and without a batch, and fewer heads of keys and values.
python3 - <<'END'
from oracle import *
save(q=random(1, 5, 24), k=random(2, 7, 24), v=random(3, 7, 12))
save(bq=random(4, 2, 5, 24), bk=random(5, 2, 7, 12), bv=random(6, 2, 7, 6))
END
qkv attend --heads 4 --query q.npy --key k.npy --value v.npy \
    -o c.npy --weights w.npy --lse l.npy
qkv attend --heads 4 --kv-heads 2 --query bq.npy --key bk.npy --value bv.npy \
    -o bc.npy --weights bw.npy --lse bl.npy
python3 - <<'END'
from oracle import *
q, k, v = (split_heads(x, 4) for x in (random(1, 5, 24), random(2, 7, 24), random(3, 7, 12)))
weights, output = attend(q, k, v)
expect("w.npy", weights)
expect("c.npy", pack_heads(output))
expect("l.npy", np.log(np.exp(scores(q, k)).sum(-1)))
q = split_heads(random(4, 2, 5, 24), 4)
k, v = (split_heads(x, 2).repeat(2, axis=1) for x in (random(5, 2, 7, 12), random(6, 2, 7, 6)))
weights, output = attend(q, k, v)
expect("bw.npy", weights)
expect("bc.npy", pack_heads(output))
expect("bl.npy", np.log(np.exp(scores(q, k)).sum(-1)))
END
