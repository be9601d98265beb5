# A random problem sampled: the table, the numbers as JSON, the samples as a file, any number of
# threads, a problem by its title, numbers of one's own.
cat >keys.qkv <<'DOCUMENT'
problem "nothing random"
keys    k[1..3] orthonormal
problem "uncertain length"
given   n >= 3, alpha > 0
means   mu[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
keys    k[i] ~ normal(mu[i], alpha*I)
keys    k[a] ~ normal(mu[a], alpha*I + 1/2*mu[a]*mu[a]')
single  = attend(beta*(mu[a] + mu[b]), k, v)
two     = mean(attend(beta*mu[a], k, v), attend(beta*mu[b], k, v))
at n = 10, beta = 10, alpha = 0.01:
    claim: P(two.head[1].weight[a] < 0.99) <= 0.1
    claim: P(two.head[1].weight[a] < 0.99 given k[a].mu[a] > 0) <= 0.1
claim: P(single ~ v[a]) = 1/2    as alpha -> 0 then beta -> inf
DOCUMENT
qkv sample -n 20000 keys.qkv | tee first
for threads in 1 2 7; do
    qkv sample --samples=20000 --threads $threads 'keys.qkv:uncertain length' | cmp first -
done
if qkv sample -n 20000 --seed 7 keys.qkv | cmp -s first -; then echo 'the seed changes nothing'; fi
qkv sample -n 300 --json -o samples.npy --at 'n = 3, beta = 2, alpha = 0' keys.qkv >result.json
python3 - <<'PROGRAM'
import json
import numpy
result = json.load(open("result.json"))
samples = numpy.load("samples.npy")
rows = result["rows"]
assert result["samples"] == 300 and samples.shape == (300, len(rows)), samples.shape
assert result["at"] == "n = 3, beta = 2, alpha = 0", result["at"]
for column, row in zip(samples.T, rows):
    column = column[~numpy.isnan(column)]
    number = row.get("mean", row.get("probability"))
    assert abs(column.mean() - number["value"]) < 1e-12
    assert number["low"] <= number["exact"][0] <= number["exact"][1] <= number["high"], row
    if "variance" in row:
        assert abs(column.var() - row["variance"]["value"]) < 1e-12
        assert row["variance"]["low"] <= row["variance"]["exact"][0] <= row["variance"]["high"]
assert numpy.allclose(samples[:, 0:3].sum(axis=1), 1)
PROGRAM
