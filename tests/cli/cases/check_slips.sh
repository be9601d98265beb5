# Slips of the pen are mistakes in the text, never verdicts about something that nobody meant.
cat > slips.qkv << 'EOF'
problem "widths"
keys   k = [[1, 0], [0, 1]]
values v = [1, 2]
q = [1, 0, 5]
c = attend(q, k, v)
problem "numbers of keys and values"
keys   k = [[1, 0], [0, 1]]
values v = [1, 2, 3]
claim: attend([1, 0], k, v).weight[1] > 0
problem "ragged"
keys   k = [[1, 0], [0, 1, 2]]
claim: |k[1]| = 1
problem "twice"
q = 1
q = 2
claim: q = 2
problem "picked, then defined"
pick a in 1..3
a = 5
problem "early"
claim: y = 3
y = 3
x = x + 1
problem "plus or minus"
claim: 0.94 +- 0.01 = 0.93
claim: 1 + -1 = 0
problem "sums of different widths"
claim: |[1, 2] + [1, 2, 3]| > 0
problem "unknown functions"
claim: rank(I) = 1
problem "names that are bound and free"
claim: t > 5 implies (for all t: t > 3)
claim: t > 5 implies not exists t: t < 3
claim: for all t > 5: not exists t: t < 3
claim: for all t: t > 3   given t > 5
claim: for all i != 1, i != 2: t = t
EOF
qkv check slips.qkv
