#!/usr/bin/python3
"""seeds.py TARGET FOLDER: what libFuzzer begins with: valid inputs of a fuzz target, in that folder, and
the words that its inputs are made of, in FOLDER.words.

Inputs are as short as they can be while they still mean something: libFuzzer tries each of them many
thousand times, and what two long ones say, two short ones do."""

import os
import random
import re
import struct
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUBCOMMANDS = ["attend", "check", "design", "explain", "law", "plot", "sample"]  # as fuzz_arguments.c


def files(*patterns):
    for folder in ("tests/claims", "examples", "examples/assignment", "docs/reference", "docs/guide"):
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            if name.endswith(patterns):
                with open(os.path.join(ROOT, folder, name), "rb") as file:
                    yield file.read()


def npy():
    for descr in ("<f8", ">f4", "<f2", "|b1", "|i1"):
        for shape, order in (("(2, 3)", "False"), ("(1,)", "True"), ("(0, 4, 1, 2)", "False")):
            header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".ljust(70).encode()
            count = eval(shape + "[0]") * (3 if "3" in shape else 1)  # pylint: disable=eval-used
            for major in (1, 2, 3):
                length = struct.pack("<H" if major == 1 else "<I", len(header))
                yield bytes([major, 0]) + length + header + bytes(count * int(descr[2]))


def safetensors():
    for name in ('"q"', '"\\u0071"', '"__metadata__":{"a":"b"},"q"'):
        for dtype, size in (("F64", 8), ("BF16", 2), ("BOOL", 1), ("I64", 8), ("F8_E4M3", 1)):
            entry = f'{{"dtype":"{dtype}","shape":[2,1],"data_offsets":[0,{2 * size}]}}'
            more = f',"k":{{"shape":[],"data_offsets":[{2 * size},{3 * size}],"dtype":"{dtype}","x":[1e3,null]}}'
            yield bytes([2 * size]) + ("{" + name + ":" + entry + "}").encode()
            yield bytes([3 * size]) + ("{ " + name + " : " + entry + more + "}  ").encode()


def pieces(text, most):
    """Whole lines of a text, as many as fit into so many bytes."""
    piece = b""
    for line in text.splitlines(keepends=True):
        if piece and len(piece) + len(line) > most:
            yield piece
            piece = b""
        piece += line
    if 0 < len(piece) <= most:
        yield piece


def problems():
    """The problems of all documents, one by one, in pieces."""
    for text in files(".qkv", ".md"):
        blocks = re.findall(rb"```qkv\n(.*?)```", text, re.S) or [text]
        for block in blocks:
            for problem in re.split(rb"\n(?=problem )", re.sub(rb"(?m)^#.*\n", b"", block)):
                yield from pieces(problem, 256)


def markdown():
    for text in files(".md"):
        for part in re.split(rb"\n(?=#)", text):
            yield from pieces(part, 400)


MARKDOWN = ["```qkv\n", "```\n", "~~~", "> ", "- ", "1. ", "# ", "    ", "\n\n", "[x](", "](", "<http://", "![",
            "[a]: ", "**", "*", "`", "|---|", "| ", "&lt;", "&#0;", "<script>", "javascript:", "\\", "  \n", "---\n"]


def words(target):
    """Words of the claim language stand in quotes in the sources of its parser, as do its signs."""
    if target == "language":
        found = set()
        for name in sorted(os.listdir(os.path.join(ROOT, "src", "language"))):
            if re.match(r"(lex|parse|builtin)\w*\.c$", name):
                with open(os.path.join(ROOT, "src", "language", name), encoding="utf-8") as file:
                    text = file.read()
                found |= set(re.findall(r'"([A-Za-z_]{1,12}|[^\w\s"%\\\']{1,2})"', text))
                found |= {chr(int(code, 16)) for code in re.findall(r"\{0x([0-9a-f]{4}), QKV__TOKEN", text)}
        return sorted(found)
    return {"markdown": MARKDOWN, "arguments": options()}.get(target, [])


def write_words(target, path):
    """In libFuzzer's form: a word in quotes per line, with every byte escaped."""
    with open(path, "w", encoding="utf-8") as file:
        for word in words(target):
            file.write('"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"\n')


def options():
    with open(os.path.join(ROOT, "completions", "qkv.bash"), encoding="utf-8") as file:
        return sorted(set(re.findall(r"--[a-z-]+", file.read())))


def arguments():
    known = options()
    values = ["1", "inf", "q.npy", "[[1,0],[0,1]]", "a.md:3", "-", "0.5", "top-left", "1,2", "sqrt", "f32", ""]
    draw = random.Random(1)
    for index in range(len(SUBCOMMANDS)):
        for _ in range(30):
            line = [word for _ in range(draw.randrange(5))
                    for word in (draw.choice(known), draw.choice(values))]
            yield bytes([index]) + "\n".join(line + [draw.choice(values)]).encode()


def kernels():
    draw = random.Random(2)
    for _ in range(60):
        yield draw.randbytes(8 + 2 * 40)


def main(target, folder):
    makers = {"npy": npy, "safetensors": safetensors, "language": problems, "markdown": markdown,
              "arguments": arguments, "kernels": kernels}
    os.makedirs(folder, exist_ok=True)
    write_words(target, folder + ".words")
    for number, contents in enumerate(makers[target]()):
        with open(os.path.join(folder, f"seed-{number}"), "wb") as file:
            file.write(contents)


if __name__ == "__main__":
    main(*sys.argv[1:])
