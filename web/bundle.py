#!/usr/bin/python3
"""bundle.py WHOLE.wasm VECTORS.wasm OUTPUT.html: the page as one file.

Modules of JavaScript are put behind each other, those that are imported first; names at their top
must therefore differ. Scripts and WebAssembly are packed by LZMA and written as text of seven bits a sign (see
js/start.js and js/engine.js).
Examples for the checker come from the repository's own documents.
"""
import json
import lzma
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# Seven bits to a sign. Of the 128, HTML does not keep two as they are, and one could end a script:
# these are two bytes long.
SIGNS = [{0: "À", 13: "Á", 60: "Â"}.get(i, chr(i)) for i in range(128)]
IMPORT = re.compile(r"^import \{[^}]*\} from '\./(\w+\.js)';\n", re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)
TOP = re.compile(r"^(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
LIST = re.compile(r"^(?:const|let) (.*);", re.MULTILINE)
NAMES = re.compile(r"(?:^|, )([A-Z][A-Z_]+)(?= = )|(?:^\[|, )([A-Z][A-Z_]+)(?=[^=(]*\] = )")  # several at once, in capitals
COMMENT = re.compile(r"^\s*(?://|/\*\*).*\n", re.MULTILINE)
CLAIM = re.compile(r"^claim.*\n", re.MULTILINE)
MOST = 1_500_000


def read(path):
    with open(path, encoding="utf-8") as source:
        return source.read()


def modules(name, done):
    """The module and all that it needs, in order."""
    if name in done:
        return
    text = read(f"{HERE}/js/{name}")
    done[name] = None
    for needed in IMPORT.findall(text):
        modules(needed, done)
    del done[name]
    done[name] = EXPORT.sub("", IMPORT.sub("", text))


def bundle(name):
    done, names = {}, {}
    modules(name, done)
    for module, text in done.items():
        several = [one or other for line in LIST.findall(text) for one, other in NAMES.findall(line)]
        for top in set(TOP.findall(text) + several):
            if top in names:
                sys.exit(f"{sys.argv[0]}: {module} and {names[top]} both have {top}")
            names[top] = module
    script = "".join(done.values())
    if "</script" in script:
        sys.exit(f"{sys.argv[0]}: {name} holds the end of a script")
    return COMMENT.sub("", script)


def encode(data):
    """Eight signs for seven bytes, the first bits first."""
    padded = data + bytes(-len(data) % 7)
    signs = []
    for at in range(0, len(padded), 7):
        word = int.from_bytes(padded[at:at + 7], "big")
        signs += [SIGNS[word >> shift & 127] for shift in range(49, -1, -7)]
    return "".join(signs)


def pack(data):
    best = None
    for context in (0, 3, 4):
        filters = [{"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "lc": context, "lp": 0,
                    "pb": 0, "dict_size": 1 << 22, "nice_len": 273}]
        packed = lzma.compress(data, format=lzma.FORMAT_RAW, filters=filters)
        if best is None or len(packed) < len(best[1]):
            best = (context, packed)
    return f"{len(data)}:{len(best[1])}:{best[0]}:{encode(best[1])}"


def templates():
    """Sections of a file: a title behind '## ', and a text with blanks."""
    for section in re.split(r"^## ", read(f"{HERE}/templates.qkv"), flags=re.MULTILINE)[1:]:
        title, text = section.split("\n", 1)
        yield {"title": title.strip(), "text": text.strip() + "\n"}


def examples():
    """Templates, a first example, and each section of the common mistakes."""
    found = [{"group": "Examples", "title": "the average of two values", "text": read(f"{HERE}/example.qkv")},
             {"group": "Examples", "title": "keys of uncertain length", "text": read(f"{HERE}/example_noise.qkv")}]
    found += [{"group": "Templates with blanks", **template} for template in templates()]
    scope = ""  # what a section takes over from those before it: all since the last problem began
    for section in re.split(r"^## ", read(f"{ROOT}/examples/mistakes.md"), flags=re.MULTILINE)[1:]:
        title, body = section.split("\n", 1)
        text = "\n".join(re.findall(r"^```qkv\n(.*?)^```", body, flags=re.MULTILINE | re.DOTALL))
        if not text:
            continue
        words = re.sub(r"^```.*?^```", "", body, flags=re.MULTILINE | re.DOTALL).strip().split("\n\n")[0]
        remark = "".join(f"# {line}\n" for line in words.split("\n"))
        whole = text if text.startswith("problem") else scope + "\n" + text
        found.append({"group": "Common mistakes", "title": title.strip(), "text": remark + whole})
        scope = CLAIM.sub("", whole).rstrip("\n") + "\n"
    return json.dumps(found, ensure_ascii=False).encode()


def heads():
    """Queries and keys of real heads, without the weights behind them, which the page computes itself."""
    data = open(f"{HERE}/words/heads.bin", "rb").read()
    end = data.index(b"\n") + 1
    told = json.loads(data[:end])
    count = sum(2 * len(s["tokens"]) * s["width"] for s in told["sentences"]) * told["layers"] * told["heads"]
    return data[:end + 2 * count]


def main():
    whole, vectors = (open(path, "rb").read() for path in sys.argv[1:3])
    output = sys.argv[3]
    data = "".join(f'<script type="text/plain" id="{name}">{text}</script>\n' for name, text in (
        ("script", pack(bundle("main.js").encode())), ("worker", bundle("worker.js")), ("examples-data", pack(examples())), ("heads", pack(heads())),
        ("vectors", pack(vectors)), ("whole", pack(whole))))
    style = re.sub(r"/\*.*?\*/\n?", "", read(f"{HERE}/style.css"))
    page = read(f"{HERE}/index.html")
    for mark, text in (("/*STYLE*/", style), ("<!--DATA-->", data), ("/*SCRIPT*/", bundle("start.js"))):
        before, after = page.split(mark)
        page = before + text + after
    encoded = page.encode()
    if len(encoded) >= MOST:
        sys.exit(f"{sys.argv[0]}: the page has {len(encoded)} bytes; expected less than {MOST}")
    with open(output + ".part", "wb") as target:
        target.write(encoded)
    os.replace(output + ".part", output)


if __name__ == "__main__":
    main()
