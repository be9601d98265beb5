# Gradescope's results.json: a test a claim, a failed test a mistake or a file that is not there.
cat >answers.md <<'DOCUMENT'
```qkv
keys    k[1..n] orthonormal
pick    a, b distinct in 1..n
claim right: k[a].k[b] = 0
claim wrong: k[a].k[b] = 1
claim: k[a].k[b] = 1   expect refuted
claim surprise: k[a].k[b] = 0   expect refuted
```
DOCUMENT
printf 'claim t: \001 "\\" = \303\251\nclaim: 1 = 1\n' >strange.qkv
qkv check -q --gradescope results.json --points 2.5 answers.md strange.qkv nowhere.md >output 2>messages ||
    echo "status $?"
tail -1 output
sed -n '$p' messages
cat >validate.py <<'PROGRAM'
import json, sys
with open(sys.argv[1], encoding="utf-8") as source:
    results = json.load(source)
assert set(results) <= {"score", "output", "visibility", "tests", "execution_time"}, sorted(results)
assert results["visibility"] == "visible" and isinstance(results["output"], str)
total = 0
for number, test in enumerate(results["tests"], 1):
    assert set(test) == {"score", "max_score", "name", "number", "output", "status", "visibility"}
    assert test["number"] == str(number) and test["visibility"] == "visible"
    assert test["status"] == ("passed" if test["score"] == test["max_score"] else "failed")
    assert test["score"] in (0, test["max_score"])
    total += test["score"]
    print(test["name"], test["status"], test["score"], "of", test["max_score"])
assert results["score"] == total
print(results["score"], results["output"])
PROGRAM
/usr/bin/python3 validate.py results.json
/usr/bin/python3 -c '
import json
tests = json.load(open("results.json", encoding="utf-8"))["tests"]
for test in tests[:1] + tests[3:4]:
    lines = test["output"].split("\n")
    print(lines[:2], lines[-1][:8])'
ls
# What is there stays as it is when nothing can be written, and a document is never overwritten.
qkv check --gradescope nowhere/results.json answers.md >output || echo "status $?"
qkv check --gradescope answers.md answers.md || echo "status $?"
head -1 answers.md
qkv check --points 2 answers.md || echo "status $?"
qkv check --gradescope r.json --points many answers.md || echo "status $?"
test ! -e r.json
echo '{"tests": [], "old": true}' >there.json
chmod 640 there.json
ln -s there.json link.json
qkv check --gradescope link.json answers.md >output || echo "status $?"
test -L link.json && stat -c %a there.json
/usr/bin/python3 validate.py there.json | tail -1
printf '' | qkv check --gradescope /dev/stdout - | grep tests
