# The JSON of laws and designs, read back; numbers of the closed forms, found a second time in Python.
qkv law --head heads --keys 10 --beta 10 --json >law.json
qkv law --keys 5 --beta inf --json >limit.json
qkv design average --keys 10 --json >design.json
python3 -c '
import json, math
law, limit, design = (json.load(open(name + ".json")) for name in ("law", "limit", "design"))
L = math.log(9 * 99)
def near(a, b): assert abs(a - b) < 1e-12 * max(1, abs(b)), (a, b)
near(law["failure"]["value"], math.erfc(1 - L / 10) / 2)
assert law["failure"]["lower"] <= math.erfc(1 - L / 10) / 2 + 1e-16
assert law["mean"]["lower"] <= law["mean"]["value"] + 1e-15 and law["mean"]["upper"] < 1
near(law["location"], 10 - math.log(9)), near(law["scale"], 10 / math.sqrt(2))
near(limit["variance"]["value"], 1 / 4)
assert limit["beta"] == "inf" and "lower" not in limit["variance"]
assert limit["modes"] == [0, 1] and list(limit["quantiles"].values())[::4] == [0, 1]
single, heads, immune = design["designs"]
assert [d["reached"] for d in design["designs"]] == [False, True, True]
near(heads["least_failure"], math.erfc(1) / 2)
near(math.erfc(1 - L / heads["beta"]) / 2, 0.1)
near(immune["beta"], math.log(8 * 99 / 2)), near(immune["leak"], 0.01)
near(immune["query_norm"], immune["beta"] * math.sqrt(8))
assert (single["survives"], heads["survives"], immune["survives"]) == ("other", "wanted, other", "wanted")
'
