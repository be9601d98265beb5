# A class judged by a key: what is printed and written, and what is refused.
cp -r "$SOURCE_ROOT/examples/grading" class
cd class
qkv grade key.md answers/*.md -o results
find results -type f | sort
cat results/grades.csv
# The files are what they should be.
python3 - << 'PYTHON'
import json
with open("results/students/ben.json") as file:
    results = json.load(file)
assert [t["name"] for t in results["tests"]] == ["1a", "1b", "1c", "1d", "2"], results
assert results["score"] == 2 and sum(t["score"] for t in results["tests"]) == 2
assert sum(t["max_score"] for t in results["tests"]) == 8
assert [t["status"] for t in results["tests"]] == ["failed"] * 5
import sys, os
sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "tests", "cli"))
import xml.etree.ElementTree as tree
for name in ["index", "students/ada", "students/ben", "students/cleo"]:
    tree.parse(f"results/{name}.html")
index = open("results/index.html", encoding="utf-8").read()
assert "Commonest mistakes" in index and 'href="students/ada.html"' in index
PYTHON
# Again: what is ours is replaced.
qkv grade -q key.md answers/*.md -o results > again
cat again
# One student, for Gradescope.
qkv grade -q key.md answers/ada.md --gradescope ada.json
python3 -c 'import json; print(json.load(open("ada.json"))["score"])'
# What is refused, with nothing written.
cp -r answers before
for words in '-o answers/ada.md' '-o results.qkv' '--gradescope answers/ada.md' '--gradescope new.md' \
             '--gradescope other.json' '-o mine' '--seconds 0' '--jobs 0'; do
    echo "not ours" > other.json
    mkdir -p mine
    echo "a page of my own" > mine/index.html
    # shellcheck disable=SC2086
    qkv grade key.md answers/ada.md $words || echo "exit status $?"
done
diff -r answers before
cat mine/index.html other.json
qkv grade key.md answers/ada.md answers/ben.md --gradescope two.json || echo "exit status $?"
qkv grade key.md || echo "exit status $?"
qkv grade || echo "exit status $?"
# A document that cannot be judged harms no other.
printf '\377\376' > binary.md
: > empty.md
python3 -c 'print("x" * 2000000)' > huge.md
qkv grade key.md binary.md empty.md huge.md missing.md answers/ada.md -q || echo "exit status $?"
# Keys with mistakes.
sed 's/^claim 1a: .*/claim 1a: c.weight[a] = 1/' key.md > false.md
qkv grade false.md answers/ada.md || echo "exit status $?"
sed 's/^1a: 2 points.*/1a: two points/' key.md > points.md
qkv grade points.md answers/ada.md || echo "exit status $?"
sed 's/^1a: 2 points.*/1z: 2 points/' key.md > label.md
qkv grade label.md answers/ada.md || echo "exit status $?"
sed 's/^claim 1a: .*/claim 1a: c.weight[a] = (/' key.md > broken.md
qkv grade broken.md answers/ada.md || echo "exit status $?"
# Names in the table are no formulas.
cp answers/cleo.md '=1+1.md'
qkv grade -q key.md ./=1+1.md -o formulas
tail -n 1 formulas/grades.csv | cut -c 1-12
# An answer without a block of claims is told so; the key is no answer, though a pattern takes it in.
printf '# My answer\n\nThe weight is 1/2.\n' > prose.md
qkv grade key.md prose.md ./key.md
qkv grade key.md key.md || echo "exit status $?"
# Who forgets the key is told which document was taken for it.
qkv grade -q answers/ada.md answers/ben.md
