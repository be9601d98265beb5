# Heat maps of given tensors against the oracle; names, heads, masks; a diagram; another order.
python3 - <<'END'
import numpy, oracle
random = numpy.random.default_rng(3)
numpy.save("q.npy", random.normal(size=(3, 5, 4)))
numpy.save("k.npy", random.normal(size=(3, 6, 4)))
END
qkv plot heat --query q.npy --key k.npy --tokens 'a <b> & d "e" f_{1}' -o heat.svg
python3 - <<'END'
import re, numpy, svg
q, k = numpy.load("q.npy"), numpy.load("k.npy")
s = q @ k.transpose(0, 2, 1) / 2
a = numpy.exp(s); a /= a.sum(-1, keepdims=True)
root = svg.read("heat.svg")
colours, panels = {}, svg.panels(root)
assert len(panels) == 3
for h, panel in enumerate(panels):
    (heat,) = [e for e in panel.element.iter(svg.SVG + "g") if e.get("class") == "heat"]
    order = []
    for path in heat:
        cells = [(int(i), int(j) + t) for j, i, wide in
                 re.findall(r"M(\d+) (\d+)h(\d+)", path.get("d")) for t in range(int(wide))]
        values = [a[h][c] for c in cells]
        order.append((min(values), max(values), len(cells)))
    assert sum(n for _, _, n in order) == 30
    for (_, low, _), (high, _, _) in zip(order, order[1:]):
        assert low <= high + 1e-12, "colours are not in the order of weights"
    assert [t for t in panel.texts() if t in ("a", "<b>", "&", "d", '"e"', "f_{1}")] != []
print("heat ok")
END
qkv plot heat --weights '[[0.25, 0.75], [1, 0]]' --tokens 'left right' >small.svg
python3 -c 'import svg; print(*svg.panels(svg.read("small.svg"))[0].texts(), sep=" | ")'
qkv plot diagram --scale 1 --query '[[5,0]]' --key '[[1,0],[0,1]]' --value '[[1,0],[0,2]]' --tokens 'cat dog' --axes 'tail bone' >diagram.svg
python3 -c 'import svg; print(*svg.panels(svg.read("diagram.svg"))[0].texts(), sep=" | ")'
qkv plot permutation --query '[[1,0],[0,1],[2,2]]' --key '[[1,0],[0,1],[1,1]]' --tokens 'x y z' --order 2,3,1 >moved.svg
python3 -c 'import svg; print(*[t for p in svg.panels(svg.read("moved.svg")) for t in p.texts()], sep=" | ")'
qkv plot permutation --query '[[1,0],[0,1],[2,2]]' --key '[[1,0],[0,1],[1,1]]' --causal top-left | grep -o '<desc>The weights of the tokens in another order are[^.:]*'
qkv plot heat --weights '[[nan, 1]]' | grep -c 'class="missing"'
