# Windows on either side, one without an end, and one under a causal mask.
python3 -c 'from oracle import *; save(q=random(1, 5, 3), k=random(2, 8, 3), v=random(3, 8, 3))'
attend() { qkv attend --query q.npy --key k.npy --value v.npy "$@"; }
attend --window 1,2 --align top-left -o a.npy
attend --window 1,2 --align bottom-right -o b.npy
attend --window inf,0 --align bottom-right -o c.npy
attend --window 2,inf --causal bottom-right -o d.npy
attend --window 2,3 --causal top-left --align top-left -o e.npy
qkv attend --window 0,0 --query k.npy --key k.npy --value v.npy -o f.npy
python3 - <<'END'
from oracle import *
q, k, v = random(1, 5, 3), random(2, 8, 3), random(3, 8, 3)
first, last = positions(5, 8, "top-left"), positions(5, 8, "bottom-right")
expect("a.npy", attend(q, k, v, (first >= -1) & (first <= 2))[1])
expect("b.npy", attend(q, k, v, (last >= -1) & (last <= 2))[1])
expect("c.npy", attend(q, k, v, last <= 0)[1])
expect("d.npy", attend(q, k, v, (last >= -2) & (last <= 0))[1])
expect("e.npy", attend(q, k, v, (first >= -2) & (first <= 0))[1])
expect("f.npy", v)
END
