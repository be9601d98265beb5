#!/usr/bin/python3
"""What a hostile input can make of the command's output; prints TAP.

    output.py QKV [REPORT]

Text of the input reaches terminals without control characters, and browsers without a script that
runs, a handler, or a link that is one. Nothing is written but what is named, and never over an input.
REPORT names a folder for the files that the browser is shown. Without Chromium that part is skipped.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

import command
import tap

HERE = os.path.dirname(os.path.abspath(__file__))

# ESC, the one-byte CSI of Latin-1, CSI in UTF-8, a bell, a title's escape, backspaces, DEL.
ESCAPES = b"\x1b[31m\x9b2J\xc2\x9b5m\x07\x1b]0;owned\x07\b\b\x7f"
# What must not reach a terminal: control characters other than line ends, in bytes and in UTF-8.
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\x80-\xff])[\x80-\x9f]")

SCRIPTS = ["<script>owned()</script>", "<img src=x onerror=owned()>", "<svg/onload=owned()>",
           "\"onload=\"owned()", "'onclick='owned()", "</title><script>owned()</script>",
           "</style><script>owned()</script>", "]]><script>owned()</script>",
           "-->\"><script>owned()</script>", "&lt;script&gt;owned()&lt;/script&gt;",
           "<iframe srcdoc='<script>parent.owned()</script>'>", "<a href=javascript:owned()>x</a>",
           "<math><mtext><script>owned()</script></mtext></math>", "{{owned()}}", "${owned()}"]
LINKS = ["javascript:owned()", "JaVaScRiPt:owned()", "java\tscript:owned()", "&#106;avascript:owned()",
         " javascript:owned()", "\x01javascript:owned()", "vbscript:owned()",
         "data:text/html,<script>owned()</script>", "data:text/html;base64,PHNjcmlwdD5vd25lZCgp",
         "file:///etc/passwd", "blob:x", "javascript&colon;owned()", "java%73cript:owned()"]


def markdown():
    """A document with all of these in every place that Markdown and the language have."""
    lines = ["# " + " ".join(SCRIPTS), ""]
    for text in SCRIPTS:
        lines += [text, "", f"inline {text} text, `{text}`, *{text}*", "", f"> {text}", "", f"- {text}", "",
                  f"| {text} | b |", "|---|---|", "| c | d |", "", f"```{text}", text, "```", ""]
    for link in LINKS:
        lines += [f"[x]({link}) [y](<{link}>) ![z]({link}) <{link}> [w]: {link}", "",
                  f"[a]({link} \"{SCRIPTS[3]}\")", "", f"[r{len(lines)}]", "", f"[r{len(lines)}]: {link}", ""]
    for number, text in enumerate(SCRIPTS):
        title = text.replace('"', "'")
        lines += ["```qkv", f'problem "{title}"', "keys k[1..2] orthonormal", "values v[1..2]",
                  f"c = attend(2*k[1], k, v)   # {text}", f"claim label{number}: c.weight[1] > 1/2",
                  f"claim {text}: c.weight[1] > 1/2", f'claim: file("{title}") = 1', "```", ""]
    return "\n".join(lines)


class Test(tap.Cases):
    def __init__(self, qkv):
        self.qkv = os.path.abspath(qkv)
        self.folder = tempfile.mkdtemp(prefix="qkv-output-")
        for name, contents in command.inputs().items():
            self.write(name, contents)

    def write(self, name, contents):
        with open(os.path.join(os.fsencode(self.folder), os.fsencode(name)), "wb") as file:
            file.write(contents)

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def run(self, *words):
        return subprocess.run([self.qkv, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, check=False)

    # ---- Terminals ----------------------------------------------------------------------------

    def escapes(self):
        """Every way for the bytes of an input into a message, a table or a figure."""
        name, text = b"a" + ESCAPES + b".md", ESCAPES
        document = (b'# ' + text + b'\n```qkv\nproblem "' + text + b'"\nkeys k[1..2] orthonormal\n'
                    b"values v[1..2]\nc = attend(2*k[1], k, v)\nclaim " + text +
                    b": c.weight[1] > 1/2\nclaim x: " + text + b" = 1\nclaim: file(\"" + text +
                    b"\") = 1\nclaim fine: c.weight[1] > 1/2\n```\n")
        random = command.RANDOM.encode().replace(b'"noisy"', b'"no' + b"\xc2\x9b\x9b" + b'isy"')
        self.write(name, document)
        self.write(name + b".qkv", document.split(b"```qkv\n")[1].split(b"```")[0])
        self.write(b"random.qkv", random)
        self.write(b"names.safetensors", command.safetensors(
            **{"a\x1b[31m\x9b\x7f": command.np.ones((1, 2)), "b": command.np.ones((1, 2))}))
        self.write(b"descr.npy", b"\x93NUMPY\x01\x00\x46\x00" + (
            b"{'descr': '<" + text + b"', 'fortran_order': False, 'shape': (1,)}").ljust(70))
        numbers = b'keys k = file("keys.csv")\nvalues v[1..3]\nc = attend(k[1], k, v)\nclaim: c = v[1]\n'
        self.write(b"numbers.qkv", numbers)
        self.write(b"keys.csv", b"1," + text + b"\n2,3\n")
        runs = [[b"check", name], [b"check", name + b".qkv"], [b"explain", name], [b"check", b"-q", name],
                [b"explain", name + b":" + text], [b"sample", b"-n", b"100", b"random.qkv"],
                [b"sample", b"random.qkv:" + text], [b"sample", name], [b"check", b"numbers.qkv"],
                [b"check", b"missing" + text], [b"plot", b"claim", name, b"--terminal"],
                [b"plot", b"claim", name + b":" + text], [b"plot", text],
                [b"plot", b"heat", b"--terminal", b"--query", b"q.npy", b"--key", b"k.npy", b"--title", text,
                 b"--tokens", b"a" + text + b" b c d"],
                [b"attend", b"--query", b"[[1," + text + b"]]", b"--key", b"[[1]]", b"--value", b"[[1]]"],
                [b"attend", b"names.safetensors"], [b"attend", b"--query", b"names.safetensors:" + text],
                [b"attend", b"--query", b"descr.npy", b"--key", b"k.npy", b"--value", b"v.npy"],
                [b"attend", b"--query", b"q" + text + b".npy", b"--key", b"k.npy", b"--value", b"v.npy"],
                [b"attend", b"--query", b"q.npy", b"--key", b"k.npy", b"--value", b"v.npy", b"--kernel", text],
                [b"attend", b"--" + text], [text], [b"help", text], [b"--version", text],
                [b"attend", b"--query", b"q.npy", b"--key", b"k.npy", b"--value", b"v.npy", b"-o",
                 b"nowhere" + text + b"/c.npy"],
                [b"law", b"--keys", text], [b"design", text], [b"check", b"--report", b"x" + text, b"answers.md"],
                [b"sample", b"--at", text, b"random.qkv"]]
        faults = []
        for words in runs:
            for more in ([], [b"--json"]) if words[0] in (b"check", b"explain", b"sample") else ([],):
                got = self.run(*words, *more)
                for stream, output in (("output", got.stdout), ("error", got.stderr)):
                    found = CONTROL.search(output)
                    if found:
                        around = output[max(0, found.start() - 30):found.end() + 10]
                        faults.append(f"{b' '.join(words[:2])!r}, standard {stream}: {around!r}")
        self.report(f"{len(runs)} ways for escape sequences to a terminal", faults)

    # ---- Browsers -----------------------------------------------------------------------------

    def hostile_files(self):
        """A report and figures full of scripts; by their names."""
        name = "a\"b<script>owned()</script>&'.md".replace("/", "\u2215")
        self.write("hostile.md", markdown().encode())
        self.write(name, b"```qkv\nclaim: 1 = 1\nclaim: <script>owned()</script>\n```\n")
        self.run("check", "--report", "hostile.html", "hostile.md", name)
        title, tokens = " ".join(SCRIPTS), " ".join(text.replace(" ", "") for text in SCRIPTS[:4])
        heat = ["plot", "heat", "--query", "q.npy", "--key", "k.npy"]
        self.run(*heat, "--title", title, "--tokens", tokens, "-o", "heat.svg")
        self.run("plot", "diagram", "--weights", "[[1,0],[0,1]]", "--value", "[[1,2],[3,4]]", "--axes",
                 f"{SCRIPTS[0]} {SCRIPTS[2]}", "--tokens", f"{SCRIPTS[0]} {SCRIPTS[2]}", "-o", "diagram.svg")
        self.run("plot", "claim", "hostile.md:label0", "--title", title, "-o", "claim.svg")
        return ["hostile.html", "heat.svg", "diagram.svg", "claim.svg"]

    def parsed(self, names):
        """As a parser sees them: no element and no attribute that could run anything."""
        faults = []
        for name in names:
            try:
                root = tree.fromstring(self.read(name))
            except (OSError, tree.ParseError) as error:
                faults.append(f"{name}: {error}")
                continue
            own = name.endswith(".html")  # whose one script is its own, by its hash
            for element in root.iter():
                tag = element.tag.rpartition("}")[2].lower()
                if tag in ("iframe", "object", "embed", "foreignobject", "img", "image", "base", "form") \
                        or (tag == "script" and not (own and "owned" not in (element.text or ""))):
                    faults.append(f"{name}: <{tag}>")
                for key, value in element.attrib.items():
                    key = key.rpartition("}")[2].lower()
                    if key.startswith("on") or (key == "href" and not re.match(
                            r"#|https?://|mailto:", value)) or key in ("src", "srcdoc", "action"):
                        faults.append(f"{name}: {key}={value[:60]!r}")
        self.report("no script, handler or link that is one, by a parser", faults)

    def browsed(self, names):
        """As a browser runs them, with every link and every element clicked."""
        title = "nothing runs in a browser"
        sys.path.insert(0, os.path.join(HERE, "..", "page"))
        try:
            from selenium import webdriver
            from selenium.webdriver.chrome.options import Options
            from selenium.webdriver.chrome.service import Service
        except ImportError:
            self.report(title, [], "no Selenium (Debian: python3-selenium)")
            return
        if not os.path.exists("/usr/bin/chromium") or not os.path.exists("/usr/bin/chromedriver"):
            self.report(title, [], "no Chromium (Debian: chromium, chromium-driver)")
            return
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        faults = []
        try:
            # Before anything of a page runs, so that whatever does leaves a mark.
            driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
                "source": "window.marks = 0; window.owned = () => { window.marks++; };"})
            # A page that must leave a mark: the trap works.
            self.write("trap.html", b"<!DOCTYPE html><title>t</title><script>owned()</script>")
            driver.get("file://" + os.path.join(self.folder, "trap.html"))
            faults.append("the trap does not work" if driver.execute_script("return marks") != 1 else "")
            for name in names:
                address = "file://" + os.path.join(self.folder, name)
                driver.get(address)
                clicked = driver.execute_script(CLICK_ALL)
                marks = driver.execute_script("return window.marks")
                if marks != 0 or driver.current_url.partition("#")[0] != address:
                    faults.append(f"{name}: {marks} scripts ran, now at {driver.current_url[:60]}")
                if not clicked:
                    faults.append(f"{name}: nothing to click")
        finally:
            driver.quit()
        self.report(title, faults)

    # ---- Files --------------------------------------------------------------------------------

    def over_inputs(self):
        """No option writes over what is read, by any name of it."""
        for name, contents in command.inputs().items():
            self.write(name, contents)
        before = {name: self.read(name) for name in command.inputs()}
        for link, target in (("link.npy", "q.npy"), ("link.html", "answers.md"), ("link.svg", "answers.md"),
                             ("link.json", "answers.md"), ("noisy.npy", "noisy.qkv"),
                             ("link.safetensors", "all.safetensors")):
            os.symlink(target, os.path.join(self.folder, link))
        os.link(os.path.join(self.folder, "k.npy"), os.path.join(self.folder, "hard.npy"))
        files = ["--query", "q.npy", "--key", "k.npy", "--value", "v.npy"]
        runs = [["attend", *files, "-o", "q.npy"], ["attend", *files, "-o", "./k.npy"],
                ["attend", *files, "-o", "link.npy"], ["attend", *files, "--weights", "hard.npy"],
                ["attend", *files, "--lse", "v.npy"], ["attend", "all.safetensors", "-o", "all.safetensors"],
                ["attend", "all.safetensors", "-o", "link.safetensors"],
                ["attend", "--query", "all.safetensors:query", "--key", "k.npy", "--value", "v.npy", "-o",
                 "all.safetensors"],
                ["check", "--report", "answers.md", "answers.md"], ["check", "--report", "link.html", "answers.md"],
                ["check", "--gradescope", "answers.md", "answers.md"],
                ["check", "--gradescope", "link.json", "answers.md"],
                ["check", "--report", "slip.qkv", "answers.md", "slip.qkv"],
                ["check", "--report", "keys.csv", "numbers.qkv"],
                ["check", "--gradescope", "keys.csv", "numbers.qkv"],
                ["sample", "noisy.qkv", "-n", "10", "-o", "noisy.qkv"],
                ["sample", "noisy.qkv", "-n", "10", "-o", "noisy.npy"],
                ["plot", "claim", "answers.md", "-o", "link.svg"],
                ["plot", "heat", "--query", "q.npy", "--key", "k.npy", "-o", "q.npy"]]
        faults = []
        for words in runs:
            got = self.run(*words)
            changed = [name for name, contents in before.items() if self.read(name) != contents]
            if got.returncode != 2 or changed or got.stderr.count(b"\n") != 1:
                faults.append(f"{' '.join(words)}: status {got.returncode}, {changed}" + command.tail(got.stderr))
        self.report(f"{len(runs)} ways to write over an input", faults)

    def nothing_else(self):
        """Every use of the command changes the files that it names, and no others."""
        faults, folder = [], command.Folder(self.qkv)
        try:
            for use in command.USES:
                folder.prepare(use)
                home = os.path.join(folder.path + ".home")
                os.makedirs(home, exist_ok=True)
                got = folder.run(use, {"HOME": home, "TMPDIR": home, "XDG_CACHE_HOME": home + "/cache"})
                left = sorted(set(got.files) ^ set(use.writes))
                stale = [name for name in use.writes if got.files.get(name) == command.OLD]
                if left or stale:
                    faults.append(f"{use.name}: {left or stale}")
                if os.path.isdir(home) and [name for name in os.listdir(home) if name != "cache"]:
                    faults.append(f"{use.name}: wrote into its home or its temporary folder")
        finally:
            folder.remove()
            subprocess.run(["rm", "-rf", folder.path + ".home"], check=False)
        self.report("nothing is written but what is named", faults)


# Clicks all that can be, without leaving the page, and counts.
CLICK_ALL = """
const all = [...document.querySelectorAll('*')];
for (const element of all) {
    if (element.href && typeof element.href === 'string' && /^https?:|^mailto:/.test(element.href)) continue;
    for (const kind of ['click', 'mouseover', 'focus', 'load', 'error', 'toggle'])
        element.dispatchEvent(new MouseEvent(kind, {bubbles: true, cancelable: true}));
}
return all.length;
"""


def main(words):
    test = Test(words[0])
    print("1..5")
    try:
        test.escapes()
        names = test.hostile_files()
        test.parsed(names)
        test.browsed(names)
        test.over_inputs()
        test.nothing_else()
        if len(words) > 1:
            for name in names:
                with open(os.path.join(words[1], name), "wb") as file:
                    file.write(test.read(name))
    finally:
        subprocess.run(["rm", "-rf", test.folder], check=False)
    return 0 if test.good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
