# What a document holds is text in a report, wherever it stands.
cat >evil.md <<'DOCUMENT'
# <script>alert(1)</script> "onload="alert(2)

<script>alert(3)</script>

<img src=x onerror=alert(4)> and inline <img src=x onerror=alert(5)> <!-- --> ]]> <![CDATA[ x ]]>

<style>body{display:none}</style>

[<b>x</b>](javascript:alert(6)) [a]("onmouseover="alert(7)) [b](https://x.example/"onclick="alert(8))
[c](&#106;avascript:alert(9)) [d](JaVaScRiPt:alert(10)) [e](vbscript:x) [f](//x.example/y)
![<script>](x" onerror="alert(11))

```"><script>alert(12)</script>
</code></pre><script>alert(13)</script>
```

```qkv
problem "</title><script>alert(14)</script>"
keys    k[1..2]   # --></style><script>alert(15)</script>
values  v[1..2]
vector  q
c = attend(q, k, v)
claim "><svg/onload=alert(16)>: c.weight[1] = 1
claim a<b>: c.weight[1] > 0
claim x: file("</pre><script>alert(17)</script>") = 1
claim y: c.weight[1] > 0 ]]> <script>
</script><script>alert(18)</script>
```

| <script>alert(19)</script> | "onload= |
|---|---|
| &lt;script&gt; | &#x3c;script&#x3e; |
DOCUMENT
printf 'bytes \001\002 \377\376 \303\050 \357\277\276 \302\205 \000 end\n\n```qkv\nclaim z: 1 = 1\n```\n' >bytes.md
printf '\357\273\277claim first: 1 = 1\r\nclaim second: 1 = 2\rclaim third: 2 = 2\n' >ends.qkv
name='a"b<script>&'"'"'.md'
printf '```qkv\nclaim: 1 = 1\n```\n' >"$name"
qkv check --report page.html evil.md bytes.md ends.qkv "$name" >/dev/null 2>&1 || echo "status $?"
python3 - <<'PROGRAM'
import re
import html_report
page = html_report.Page("page.html") # scripts, handlers, loads and schemes are refused there
body = html_report.text_of(page.root)
for number in (1, 3, 4, 5, 13, 14, 15, 18, 19):
    assert f"alert({number})" in body, number # shown, not swallowed
print(sorted({a.get("href") for a in page.all("a") if not a.get("href").startswith("#")}))
print([h for h in map(html_report.text_of, page.all("h2")) if "a" in h])
print([claim for claim in page.claims() if claim[0] in ("first", "second", "third", "z")])
assert "\ufffd" in body and not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]", page.source)
PROGRAM
