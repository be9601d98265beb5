# Several documents, one of them standard input, one not there: all others are checked.
# What was found is not what this case is about: it is left out.
short() { sed -E 's/(proved|refuted) .*( \(expected [a-z]+\))/\1\2/; s/(proved|refuted)   .*$/\1/'; }
printf 'claim one: 1 = 1\n' >first.qkv
printf 'claim two: 1 = 2 expect refuted\nclaim three: 2 = 3 expect proved\nclaim four: 4 = 5\n' >second.qkv
{ printf 'claim five: 5 = 5\n' | qkv check first.qkv nowhere.qkv - second.qkv 2>&1 || echo "status $?"; } | short
echo 'quiet:'
{ qkv check --quiet first.qkv second.qkv || echo "status $?"; } | short
qkv check -q first.qkv
echo 'JSON:'
qkv check --json first.qkv second.qkv >both.json || echo "status $?"
/usr/bin/python3 - <<'PROGRAM'
import json
report = json.load(open("both.json", encoding="utf-8"))
print(sorted(report), sorted(report["summary"].items()))
for claim in report["claims"]:
    assert sorted(claim) == ["claim", "document", "engine", "expected", "found", "line", "name",
                             "reason", "replayed", "verdict"]
    print(claim["document"], claim["line"], claim["name"], claim["verdict"], claim["expected"])
PROGRAM
qkv check --json nowhere.qkv 2>/dev/null | /usr/bin/python3 -m json.tool --compact
