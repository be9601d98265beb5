# Both alignments, with fewer queries than keys and with more.
python3 - <<'END'
from oracle import *
save(a=random(1, 4, 3), b=random(2, 7, 3), c=random(3, 4, 3), d=random(4, 7, 3))
END
for align in top-left bottom-right; do
    qkv attend --causal $align --query a.npy --key b.npy --value d.npy -o few-$align.npy
    qkv attend --causal $align --query b.npy --key a.npy --value c.npy -o more-$align.npy
done
python3 - <<'END'
from oracle import *
a, b, c, d = random(1, 4, 3), random(2, 7, 3), random(3, 4, 3), random(4, 7, 3)
for align in "top-left", "bottom-right":
    expect(f"few-{align}.npy", attend(a, b, d, positions(4, 7, align) <= 0)[1])
    expect(f"more-{align}.npy", attend(b, a, c, positions(7, 4, align) <= 0)[1])
END
