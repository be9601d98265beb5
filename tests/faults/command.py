"""The command on small inputs, one run per way to use it: what the tests of failing memory and
failing files disturb. Knows nothing of faults.

A use has a name, the words behind `qkv`, the files that it writes, and what its standard input is.
Each runs in a folder with the inputs below, where every file it writes has old contents already.
"""

import io
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile

import numpy as np

# Contents that qkv may replace in a file of any kind: cli/target.c has the marks.
OLD = (b'<meta name="generator" content="qkv of old"> {"tests": [ student,points,of,to look at % Made by qkv '
       b"<!-- Made by qkv old contents\n")

DOCUMENT = """# Answers

One head cannot miss its key.

```qkv
problem "a copy"
given  n >= 3, beta > 0
keys   k[1..n] orthonormal
values v[1..n]
pick   a in 1..n
c = attend(beta*k[a], k, v)
claim copy: c ~ v[a]         as beta -> inf
claim half: c.weight[a] > 1/2     at n = 4, beta = 3
claim wrong: c.weight[a] > 1/2    expect refuted
```
"""

NUMBERS = """problem "numbers"
keys   k = file("keys.csv")
values v[1..3]
c = attend(2*k[1], k, v)
claim: c.weight[1] > 1/2
claim: c.weight[2] > 1/2     expect refuted
"""

RANDOM = """problem "noisy"
given   n >= 3, alpha > 0
means   mu[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
keys    k[i] ~ normal(mu[i], alpha*I)
keys    k[a] ~ normal(mu[a], alpha*I + 1/2*mu[a]*mu[a]')
single  = attend(beta*(mu[a] + mu[b]), k, v)
claim:  P(single.weight[a] < 0.1) < 1/2    at n = 5, beta = 10, alpha = 0.01
"""

KEY = """```qkv
given  n >= 3, beta > 0
keys   k[1..n] orthonormal
values v[1..n]
pick   a in 1..n
c = attend(beta*k[a], k, v)
claim copy: c ~ v[a]         as beta -> inf
```

```grade
copy: 2 points; limit 1
hint copy: It is a copy.
```
"""

ANSWER = "given beta > 1\nclaim copy: c = v[a]\n"

MISTAKE = "problem \"slip\"\nkeys k[1..n] orthonorml\nclaim: k[1] = = k[2]\n"


def safetensors(**arrays):
    """The bytes of a file of float32 tensors."""
    header, data = {}, b""
    for name, array in arrays.items():
        part = np.ascontiguousarray(array, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def inputs():
    draw = np.random.default_rng(1)
    q, k, v = (draw.standard_normal(shape).astype("f4") for shape in ((3, 2), (4, 2), (4, 2)))
    return {
        "q.npy": npy(q), "k.npy": npy(k), "v.npy": npy(v),
        "swapped.npy": npy(k.astype(">f4")),
        "all.safetensors": safetensors(query=q, key=k, value=v),
        "answers.md": DOCUMENT.encode(), "numbers.qkv": NUMBERS.encode(),
        "noisy.qkv": RANDOM.encode(), "slip.qkv": MISTAKE.encode(),
        "keys.csv": b"1,0\n0,1\n1,1\n", "key.md": KEY.encode(), "ada.qkv": ANSWER.encode(),
    }


class Use:
    def __init__(self, name, words, writes=(), stdin=None):
        self.name, self.words, self.writes, self.stdin = name, words.split(), list(writes), stdin


FILES = "--query q.npy --key k.npy --value v.npy"
USES = [
    Use("attend text", "attend --query [[1,0]] --key [[1,0],[0,1]] --value [[5],[7]]"),
    Use("attend files", f"attend {FILES} -o c.npy --weights w.npy --lse l.npy",
        ["c.npy", "w.npy", "l.npy"]),
    Use("attend safetensors", "attend all.safetensors -o c.safetensors --json", ["c.safetensors"]),
    Use("attend input", "attend --query - --key swapped.npy --value v.npy -o c.npy", ["c.npy"],
        "q.npy"),
    Use("attend output", f"attend {FILES} -o -"),
    Use("check text", "check answers.md numbers.qkv"),
    Use("check json", "check --json answers.md noisy.qkv"),
    Use("check mistake", "check slip.qkv"),
    Use("check input", "check -", (), "answers.md"),
    Use("check reports", "check -q --report r.html --gradescope g.json answers.md slip.qkv",
        ["r.html", "g.json"]),
    Use("check articles", "check -q --latex a.tex --markdown a.md answers.md", ["a.tex", "a.md"]),
    Use("explain text", "explain answers.md"),
    Use("explain latex", "explain --latex answers.md:copy"),
    Use("explain json", "explain --json answers.md:half"),
    Use("sample text", "sample --samples 2000 --threads 1 --histogram noisy.qkv"),
    Use("sample file", "sample --samples 2000 --threads 1 --json -o s.npy noisy.qkv", ["s.npy"]),
    Use("grade", "grade --jobs 1 key.md ada.qkv"),
    Use("grade folder", "grade --jobs 1 key.md ada.qkv -o r",
        ["r/index.html", "r/grades.csv", "r/students/ada.html", "r/students/ada.json"]),
    Use("law", "law --keys 5 --beta 3"),
    Use("law json", "law --keys 5 --beta 3 --json"),
    Use("design", "design average --keys 5"),
    Use("plot terminal", "plot weights --terminal"),
    Use("plot svg", "plot weights -o p.svg", ["p.svg"]),
    Use("plot claim", "plot claim answers.md -o p.svg", ["p.svg"]),
    Use("plot heat", "plot heat --query q.npy --key k.npy --title weights"),
    Use("plot diagram", "plot diagram"),
    Use("plot law", "plot law --samples 2000 -o p.svg", ["p.svg"]),
    Use("plot fall", "plot fall --samples 2000"),
    Use("plot error", "plot error"),
    Use("plot key", "plot key"),
    Use("plot permutation", "plot permutation"),
    Use("plot png", "plot key -o p.png", ["p.png"]),
    Use("plot pdf", "plot key -o p.pdf", ["p.pdf"]),
    Use("help", "help"),
    Use("help of a subcommand", "help attend"),
    Use("version", "--version"),
]


class Outcome:
    """What a run did. `status` is negative for a signal; `files` are all in the folder, without the
    inputs."""

    def __init__(self, status, out, err, files):
        self.status, self.out, self.err, self.files = status, out, err, files

    def same(self, other):
        return (self.status, timeless(self.out), self.err, self.files) == (
            other.status, timeless(other.out), other.err, other.files)


def timeless(out):
    return re.sub(rb'"seconds": [0-9.e+-]+', b"", out)


class Folder:
    """A folder in which uses run, one after another."""

    def __init__(self, command):
        self.command, self.inputs = os.path.abspath(command), inputs()
        self.path = tempfile.mkdtemp(prefix="qkv-faults-")

    def prepare(self, use, old=True):
        for name in os.listdir(self.path):
            path = os.path.join(self.path, name)
            if name not in self.inputs or not os.path.isfile(path):
                shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        for name, contents in list(self.inputs.items()) + [(name, OLD) for name in use.writes if old]:
            os.makedirs(os.path.dirname(os.path.join(self.path, name)), exist_ok=True)
            with open(os.path.join(self.path, name), "wb") as file:
                file.write(contents)

    def contents(self):
        found = {}
        for folder, _, names in os.walk(self.path):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.path)] = file.read()
        return found

    def run(self, use, environment, wrapper=(), stdout=subprocess.PIPE, seconds=600):
        """Runs one use in the folder as it is. An input that changed is an error at once."""
        stdin = subprocess.DEVNULL
        if use.stdin is not None:
            stdin = open(os.path.join(self.path, use.stdin), "rb")
        try:
            done = subprocess.run([*wrapper, self.command, *use.words], cwd=self.path, stdin=stdin,
                                  stdout=stdout, stderr=subprocess.PIPE, timeout=seconds, check=False,
                                  env=dict(os.environ, LC_ALL="C.UTF-8", QKV_KERNEL="portable",
                                           **environment))
        finally:
            if use.stdin is not None:
                stdin.close()
        files = self.contents()
        for name, contents in self.inputs.items():
            assert files.pop(name, None) == contents, f"the input {name} was changed"
        return Outcome(done.returncode, done.stdout or b"", done.stderr, files)

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


def judge(use, whole, got, reasons):
    """What is wrong with a disturbed run, or "". It may have done all that it does undisturbed. Or it
    fails with status 2 and lines that name the reason; then each of its files is the old one or
    whole, and there are no others."""
    if got.same(whole):
        return ""
    if got.status != 2:
        return (f"status {got.status}" if got.status != whole.status else
                "the status of success, with another result") + tail(got.err)
    told = got.out if not got.err and b"not judged: " in got.out else got.err  # a student among others
    if not told.strip() or told[-1:] != b"\n":
        return "no message"
    lines = told.decode("utf-8", "replace").splitlines()
    if not any(reason in line for line in lines for reason in reasons):
        return "no reason in the message" + tail(got.err)
    for name, contents in got.files.items():
        if name not in use.writes:
            return f"{name} was left behind"
        if contents not in (OLD, whole.files[name]) and not tells(name, contents, reasons):
            return f"{name} is neither old nor whole"
    lost = [name for name in use.writes if name not in got.files]
    return f"{lost[0]} is lost" if lost else ""


def tells(name, contents, reasons):
    """Whether a report is complete in itself, and says why a document is missing in it."""
    if not any(reason.encode() in contents for reason in reasons):
        return False
    if name.endswith(".json"):
        return isinstance(json.loads(contents), dict)
    if name.endswith(".csv"):
        return contents.endswith(b"\n")
    return name.endswith(".html") and contents.rstrip().endswith(b"</html>")


def tail(err):
    text = err.decode("utf-8", "replace").strip().splitlines()
    return f": {text[-1][:200]}" if text else ""
