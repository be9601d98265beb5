# A verdict does not depend on how many claims stand before it, nor on whether a report is written.
python3 - > many.qkv <<'END'
print("given n >= 3, beta > 0\nkeys k[1..n] orthonormal\nvalues v[1..n]")
print("pick a, b distinct in 1..n\nc = attend(beta*(k[a] + k[b]), k, v)")
for i in range(1, 12001):
    print(f"claim l{i}: c.weight[a] <= {i}/2")
print("claim: c.weight[a] > 1/2 expect refuted\nclaim: c.weight[b] < 1/2")
END
qkv check --quiet many.qkv
{ head -7005 many.qkv; tail -2 many.qkv; } > fewer.qkv
qkv check --quiet --report report.html fewer.qkv
