# Histograms of samples in the terminal agree with the samples themselves.
cat >keys.qkv <<'DOCUMENT'
given   n >= 3, alpha > 0
means   mu[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
keys    k[i] ~ normal(mu[i], alpha*I)
keys    k[a] ~ normal(mu[a], alpha*I + 1/2*mu[a]*mu[a]')
c = attend(beta*(mu[a] + mu[b]), k, v)
at n = 10, beta = 10, alpha = 0.01:
    claim: P(c.weight[a] < 0.9) <= 1
DOCUMENT
qkv sample -n 3000 --histogram -o samples.npy keys.qkv >drawn
qkv sample -n 3000 keys.qkv >plain
python3 - <<'PROGRAM'
import re, numpy
samples = numpy.load("samples.npy")
drawn = open("drawn", encoding="utf-8").read()
plain = open("plain", encoding="utf-8").read()
rows = re.findall(r"^  (\S+) .*│(.{24})│$", drawn, re.MULTILINE)
assert [name for name, _ in rows] == ["weight[a]", "weight[b]", "others"], rows
for column, (name, blocks) in zip(samples.T, rows):
    counts = numpy.histogram(column, 24, (0, 1))[0]
    levels = [" ▁▂▃▄▅▆▇█".index(block) for block in blocks]
    assert levels == [-(-8 * int(count) // max(counts)) for count in counts], name
assert re.sub(r" +(│.{24}│|from 0 to 1)$", "", drawn.split("\n\n\n")[0], flags=re.MULTILINE) == \
    plain.rstrip("\n"), "the table is the same"
assert drawn.count("┤") >= 6 and "c.others" in drawn and "P(c.weight[a] < 0.9)\n" not in drawn
PROGRAM
qkv sample --histogram --json keys.qkv || echo "status $?"
