# JSON: the claims with their steps; nothing in it but what the text has.
printf 'keys k[1..n] orthonormal\nvalues v[1..n]\npick a in 1..n\nc = attend(beta*k[a], k, v)\n# "\\\\" here\nclaim w: c.weight[a] = e^beta/(e^beta + n - 1)\n' >answers.qkv
qkv explain --json answers.qkv:w >answers.json
qkv explain answers.qkv:w >answers.txt
/usr/bin/python3 - <<'PROGRAM'
import json
with open("answers.json", encoding="utf-8") as source:
    claim, = json.load(source)["claims"]
print(sorted(claim))
print([step["title"] for step in claim["steps"]])
with open("answers.txt", encoding="utf-8") as source:
    text = source.read()
for step in claim["steps"]:
    assert step["title"] in text and step["lines"]
    assert all("    " + line + "\n" in text for line in step["lines"]), step
PROGRAM
