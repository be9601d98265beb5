# A verdict does not depend on how many claims stand before it, nor on whether a report is written.
# A sample has one in sixty.
part=60
test "${QKV_TEST_CASES-}" != all || part=1
export part
python3 - > many.qkv <<'END'
import os
print("given n >= 3, beta > 0\nkeys k[1..n] orthonormal\nvalues v[1..n]")
print("pick a, b distinct in 1..n\nc = attend(beta*(k[a] + k[b]), k, v)")
for i in range(1, 12000 // int(os.environ["part"]) + 1):
    print(f"claim l{i}: c.weight[a] <= {i}/2")
print("claim: c.weight[a] > 1/2 expect refuted\nclaim: c.weight[b] < 1/2")
END
qkv check --quiet many.qkv > many.txt
sed "s/$((12000/part + 2))/ALL/g; s/$((12000/part + 1))/ALL BUT ONE/" many.txt
{ head -$((5 + 7000/part)) many.qkv; tail -2 many.qkv; } > fewer.qkv
qkv check --quiet --report report.html fewer.qkv > fewer.txt
sed "s/$((7000/part + 2))/ALL/g; s/$((7000/part + 1))/ALL BUT ONE/" fewer.txt
