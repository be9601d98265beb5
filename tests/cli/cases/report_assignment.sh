# The report of the assignment: every claim once, figures with numbers of their own, and its size.
qkv check --report page.html "$SOURCE_ROOT"/examples/assignment/00*.md >/dev/null || echo "status $?"
qkv check --json "$SOURCE_ROOT"/examples/assignment/00*.md >table.json || :
python3 - <<'PROGRAM'
import json, os
import html_report
import xml.etree.ElementTree as tree
page = html_report.Page("page.html")
with open("table.json") as source:
    expected = json.load(source)["claims"]
claims = list(page.claims())
assert [(c["name"], c["verdict"], c["line"]) for c in expected] == \
    [(label, verdict, line) for label, verdict, _, line in claims]
assert all(standing == "as expected" for _, _, standing, _ in claims)
size = os.path.getsize("page.html")
assert size < 4_700_000, size  # half of it is the MathML of some 12,300 formulas
largest = max(len(tree.tostring(figure)) for figure in page.figures())
assert largest < 200_000, largest
assert len(page.figures()) > len(claims) / 4, len(page.figures())
for figure in page.figures():
    numbers = tree.tostring(figure, encoding="unicode")
    assert "nan" not in numbers.split("d=", 1)[1] and "inf " not in numbers.split("d=", 1)[1]
print("ok")
PROGRAM
