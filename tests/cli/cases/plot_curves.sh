# Numbers read back out of pictures are those of the formulas, to what a pixel's hundredth allows.
qkv plot weights --keys 10,100 --tolerance 0.02 -o weights.svg
qkv plot error --keys 10 -o error.svg
python3 - <<'END'
import math, svg
copy, average, subset = svg.panels(svg.read("weights.svg"))
near = lambda a, b, t: abs(a - b) <= t
for panel, wanted in ((copy, 1), (average, 2)):
    for line, n in zip(panel.marks("line"), (10, 100)):
        assert len(line) > 100
        for beta, weight in line:
            exact = 1 / (wanted + (n - wanted) * math.exp(-beta))
            assert near(weight, exact, 1e-3), (n, beta, weight, exact)
    for (point,), n in zip((list(p[:1]) for p in panel.marks("points")), (10, 100)):
        assert near(point[0], math.log((n - wanted) * 0.98 / (wanted * 0.02)), 0.5), (n, point)
for line, w in zip(subset.marks("line"), (0.5, 0.3, 0.2)):
    for beta, weight in line:
        assert near(weight, w / (1 + 7 * math.exp(-beta)), 1e-3)
one, two, immune = svg.panels(svg.read("error.svg"))
(rule,) = two.marks("rule")
assert near(rule[0][0], 2.174, 0.01) and near(rule[1][0], 2.174, 0.01), rule
bias, variance = one.marks("band")
# A large beta tosses a coin: the error tends to 1/2, none of it bias; a small one averages all ten.
top = max(y for x, y in variance if x > 90)
assert near(top, 0.49, 0.01), top
left = max(y for x, y in bias if x < 0.11)
assert near(left, 2 * (1/2 - 1/10) ** 2 + 8 / 100, 0.03), left
print("ok")
END
