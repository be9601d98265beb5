# Ranks 3 and 4 have their heads on an axis; keys may have fewer.
python3 - <<'END'
from oracle import *
save(q=random(1, 4, 3, 5), k=random(2, 2, 6, 5), v=random(3, 2, 6, 5))
save(bq=random(4, 2, 3, 4, 5), bk=random(5, 2, 3, 6, 5), bv=random(6, 2, 3, 6, 2))
END
qkv attend --query q.npy --key k.npy --value v.npy -o c.npy
qkv attend --query bq.npy --key bk.npy --value bv.npy -o bc.npy
python3 - <<'END'
from oracle import *
q, k, v = random(1, 4, 3, 5), random(2, 2, 6, 5), random(3, 2, 6, 5)
expect("c.npy", attend(q, k.repeat(2, axis=0), v.repeat(2, axis=0))[1])
expect("bc.npy", attend(random(4, 2, 3, 4, 5), random(5, 2, 3, 6, 5), random(6, 2, 3, 6, 2))[1])
END
