#!/usr/bin/python3
"""seeds.py TARGET FOLDER: valid inputs of a fuzz target, for libFuzzer to begin with."""

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


def problems():
    """The problems of all documents, one by one."""
    for text in files(".qkv", ".md"):
        blocks = re.findall(rb"```qkv\n(.*?)```", text, re.S) or [text]
        for block in blocks:
            for problem in re.split(rb"\n(?=problem )", block):
                if len(problem) < 2000:
                    yield problem


def markdown():
    for text in files(".md"):
        for part in re.split(rb"\n(?=#)", text):
            if len(part) < 3000:
                yield part


def arguments():
    with open(os.path.join(ROOT, "completions", "qkv.bash"), encoding="utf-8") as file:
        words = sorted(set(re.findall(r"--[a-z-]+", file.read())))
    values = ["1", "inf", "q.npy", "[[1,0],[0,1]]", "a.md:3", "-", "0.5", "top-left", "1,2", "sqrt", "f32", ""]
    draw = random.Random(1)
    for index in range(len(SUBCOMMANDS)):
        for _ in range(30):
            line = [word for _ in range(draw.randrange(5))
                    for word in (draw.choice(words), draw.choice(values))]
            yield bytes([index]) + "\n".join(line + [draw.choice(values)]).encode()


def kernels():
    draw = random.Random(2)
    for _ in range(60):
        yield draw.randbytes(8 + 2 * 40)


def main(words):
    makers = {"npy": npy, "safetensors": safetensors, "language": problems, "markdown": markdown,
              "arguments": arguments, "kernels": kernels}
    os.makedirs(words[1], exist_ok=True)
    for number, contents in enumerate(makers[words[0]]()):
        with open(os.path.join(words[1], f"seed-{number}"), "wb") as file:
            file.write(contents)


if __name__ == "__main__":
    main(sys.argv[1:])
