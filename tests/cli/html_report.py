"""Reads a report of `qkv check --report` back, and refuses what no report may hold."""
import base64
import hashlib
import html.parser
import re
import xml.etree.ElementTree as tree

XHTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "br", "hr", "wbr", "link", "img", "input"}
LOADING = {"src", "srcset", "data", "poster", "action", "formaction", "background", "ping"}


class Balance(html.parser.HTMLParser):
    """What a browser sees: tags that close what is open."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []

    def handle_starttag(self, tag, attributes):
        assert tag in VOID or self.open or tag == "html", tag
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert tag in VOID or {"svg", "math"} & set(self.open), f"<{tag}/> is no end in HTML"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8") as source:
            self.source = source.read()
        self.root = tree.fromstring(self.source)
        balance = Balance()
        balance.feed(self.source)
        assert not balance.open, balance.open
        self.check_ids()
        self.check_harmless()
        self.check_script()
        self.check_accessible()

    def all(self, tag, **attributes):
        names = {name.rstrip("_"): value for name, value in attributes.items()}
        for element in self.root.iter(XHTML + tag):
            if all(value in element.get(name, "").split() for name, value in names.items()):
                yield element

    def check_ids(self):
        ids = [e.get("id") for e in self.root.iter() if e.get("id") is not None]
        assert len(ids) == len(set(ids)), "an id twice"
        for element in self.root.iter():
            target = element.get("href", "")
            assert not target.startswith("#") or target[1:] in ids, target

    def check_harmless(self):
        """Nothing is loaded, nothing runs, and links go to the web or into the page."""
        for element in self.root.iter():
            for name in element.attrib:
                assert name not in LOADING, (element.tag, name)
                assert not name.lower().startswith("on"), (element.tag, name)
            target = element.get("href")
            if target is not None:
                assert element.tag == XHTML + "a", element.tag
                assert re.match(r"(#|https?://|mailto:)", target), target
        tags = {e.tag.split("}")[1] for e in self.root.iter()}
        assert not tags & {"img", "iframe", "object", "embed", "link", "image", "use", "form", "base",
                           "foreignObject", "video", "audio", "input", "button"}, tags
        (style,) = self.all("style")
        assert "url(" not in style.text and "@import" not in style.text

    def check_script(self):
        (script,) = self.all("script")
        digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
        (policy,) = [m.get("content") for m in self.all("meta")
                     if m.get("http-equiv") == "Content-Security-Policy"]
        assert f"script-src 'sha256-{digest}'" in policy, digest
        assert policy.startswith("default-src 'none'")

    def check_accessible(self):
        assert self.root.get("lang") == "en"
        assert len(list(self.all("main"))) == 1 and len(list(self.all("h1"))) == 1
        for figure in self.figures():
            assert figure.get("role") == "img" and figure.get("aria-label"), "a figure without a name"
        for link in self.all("a"):
            assert text_of(link).strip(), "a link without words"

    def figures(self):
        return list(self.root.iter(SVG + "svg"))

    def claims(self):
        """(label, verdict, standing, line) of each card, in order."""
        for card in self.all("article", class_="claim"):
            words = {e.get("class"): text_of(e) for e in card.find(XHTML + "header")}
            verdict = words["verdict"].split()[1]
            assert verdict in card.get("class").split()
            yield words["label"], verdict, words["standing"], int(words["line"].split()[1])


def text_of(element):
    return "".join(element.itertext())
